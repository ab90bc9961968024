package stream

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// UndoFor is how long a mark can be undone.
const UndoFor = 10 * time.Minute

// undoToken encodes when a change was made, and the version that it gave each feed. The state before is in the feeds' own rows,
// so that the token is a few bytes a feed. It is not secret: it affects only the bearer's own rows. Empty when there is
// nothing to undo.
func (s *Service) undoToken(changed []*Subscribed) string {
	versions := map[reader.FeedID]int64{}
	for i := range changed {
		if st := &changed[i].State; st.Prev.Version == st.Version && st.Version > 0 {
			versions[changed[i].Feed.ID()] = st.Version
		}
	}
	if len(versions) == 0 {
		return ""
	}
	b := binary.AppendVarint([]byte{tokenForm}, s.clock.Now().UnixMilli())
	return base64.RawURLEncoding.EncodeToString(appendByFeed(b, versions, func(b []byte, version int64) []byte {
		return binary.AppendUvarint(b, uint64(version))
	}))
}

func (s *Service) readUndo(text string) (map[reader.FeedID]int64, error) {
	d := readToken(text)
	at := d.Varint()
	versions := readByFeed(d, func() int64 { return int64(d.Uvarint(math.MaxInt64)) })
	if d.Bad || len(versions) == 0 {
		return nil, nothingToUndo()
	}
	if s.clock.Now().Sub(time.UnixMilli(at)) > UndoFor {
		return nil, undoGone()
	}
	return versions, nil
}

func nothingToUndo() error {
	return fault.Coded(fault.Invalid, "bad_undo").At("undo")
}

func undoGone() error {
	return fault.Coded(fault.Conflict, "undo_gone")
}

// Undo undoes a mark in all its feeds, or in only one of them. A feed that was not changed since is restored byte for byte;
// otherwise exactly the items that the mark turned become unread again. Feeds that were marked again meanwhile stay; Conflict
// when all were, or when the mark was undone before.
func (s *Service) Undo(ctx context.Context, u reader.UserID, only reader.FeedID, token string) ([]*Subscribed, error) {
	if only > 0 {
		if _, err := s.Get(ctx, u, only); err != nil {
			return nil, err
		}
	}
	versions, err := s.readUndo(token)
	if err != nil {
		return nil, err
	}
	if only > 0 && versions[only] == 0 {
		return nil, nothingToUndo()
	}
	var list []mutation
	for _, id := range slices.Sorted(maps.Keys(versions)) {
		if only > 0 && id != only {
			continue
		}
		version := versions[id]
		list = append(list, mutation{feed: id, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
			next, done := reader.Undo(sub.State, version, reader.Seq(sub.Feed.Floor))
			return sub.Sub.WithState(next), done
		}})
	}
	out, err := s.updateAll(ctx, u, list)
	if err == nil && len(out) == 0 {
		err = undoGone()
	}
	return out, err
}

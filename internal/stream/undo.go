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

// undoToken encodes the time of a change and the version that it gave each feed; empty if there is nothing to undo. The
// states before are in the feeds' rows. It is not secret: it affects only the bearer's own rows.
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
	return base64.RawURLEncoding.EncodeToString(appendByFeed(b, versions, len(versions),
		func(b []byte, version int64) []byte {
			return binary.AppendUvarint(b, uint64(version))
		}))
}

// markForm is the first byte of an undo token for a mark of several feeds. Such marks are numbered.
const markForm = 2

// markToken encodes when a mark of several feeds was made, and its number.
func (s *Service) markToken(number int64) string {
	b := binary.AppendVarint([]byte{markForm}, s.clock.Now().UnixMilli())
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(b, uint64(number)))
}

// readMark is the inverse of markToken; 0 for another token.
func (s *Service) readMark(text string) (number int64, err error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != markForm {
		return 0, nil //nolint:nilerr // it may be a token of another form
	}
	d := reader.Decoder{Rest: string(b[1:])}
	at := d.Varint()
	if number = int64(d.AtMost(math.MaxInt64)); !d.Done() || number == 0 {
		return 0, nothingToUndo()
	}
	return number, s.inTime(at)
}

// inTime returns an error when a mark of some time can no longer be undone.
func (s *Service) inTime(at int64) error {
	if s.clock.Now().Sub(time.UnixMilli(at)) > UndoFor {
		return undoGone()
	}
	return nil
}

func (s *Service) readUndo(text string) (map[reader.FeedID]int64, error) {
	d := readToken(text)
	at := d.Varint()
	versions := readByFeed(d, func() int64 { return int64(d.AtMost(math.MaxInt64)) })
	if d.Bad || len(versions) == 0 {
		return nil, nothingToUndo()
	}
	return versions, s.inTime(at)
}

func nothingToUndo() error {
	return fault.Coded(fault.Invalid, "bad_undo").At("undo")
}

func undoGone() error {
	return fault.Coded(fault.Conflict, "undo_gone")
}

// Undo undoes a mark in all its feeds, or in one. An unchanged feed gets its state back; in others the marked items
// become unread. Feeds marked again meanwhile stay; Conflict if none is left.
func (s *Service) Undo(ctx context.Context, u reader.UserID, only reader.FeedID, token string) ([]*Subscribed, error) {
	if only > 0 {
		if _, err := s.Get(ctx, u, only); err != nil {
			return nil, err
		}
	}
	out, err := s.undo(ctx, u, only, token)
	if err == nil && len(out) == 0 {
		err = undoGone()
	}
	return out, err
}

func (s *Service) undo(ctx context.Context, u reader.UserID, only reader.FeedID, token string) ([]*Subscribed, error) {
	switch number, err := s.readMark(token); {
	case err != nil:
		return nil, err
	case number > 0 && only == 0:
		return s.undoTogether(ctx, u, number)
	case number > 0:
		return s.updateAll(ctx, u, []mutation{undoing(only, func(p *reader.Prev) bool { return p.Mark == number })})
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
		if only == 0 || id == only {
			list = append(list, undoing(id, func(p *reader.Prev) bool { return p.Version == versions[id] }))
		}
	}
	return s.updateAll(ctx, u, list)
}

// undoing is the undo of a feed's last mark, if that is the one asked for.
func undoing(feed reader.FeedID, isMeant func(*reader.Prev) bool) mutation {
	return mutation{feed: feed, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
		if !isMeant(&sub.State.Prev) {
			return *sub.Sub, false
		}
		next, done := reader.Undo(sub.State, sub.State.Prev.Version, reader.Seq(sub.Feed.Floor))
		return sub.Sub.WithState(next), done
	}}
}

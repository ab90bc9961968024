package stream

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// UndoFor is how long a mark can be taken back.
const UndoFor = 10 * time.Minute

// undoToken names the change that was just made in some feeds: when, and of each feed the version that it made.
// What was before lies in the feeds' own rows, so that the token is a few bytes a feed. It is no secret: it opens
// nothing but the bearer's own rows. Empty when there is nothing to take back.
func (s *Service) undoToken(changed []Subscribed) string {
	b := binary.AppendVarint([]byte{tokenForm}, s.clock.Now().UnixMilli())
	versions := map[reader.FeedID]int64{}
	var ids []reader.FeedID
	for i := range changed {
		if st := &changed[i].State; st.Prev.Version == st.Version && st.Version > 0 {
			id := changed[i].Feed.ID()
			ids, versions[id] = append(ids, id), st.Version
		}
	}
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	at := reader.FeedID(0)
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id-at))
		b = binary.AppendUvarint(b, uint64(versions[id]))
		at = id
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// undone is one feed of a token.
type undone struct {
	feed    reader.FeedID
	version int64
}

func (s *Service) readUndo(text string) ([]undone, error) {
	bad := fault.Newf(fault.Invalid, "bad_undo", "There is nothing to undo here.").At("undo")
	t, err := readToken(text)
	if err != nil {
		return nil, bad
	}
	at := t.varint()
	var list []undone
	t.pairs(maxToken, func(f reader.FeedID, version uint64) {
		list = append(list, undone{f, int64(version)}) // a version beyond an int64 is nobody's
	})
	if t.bad || len(list) == 0 {
		return nil, bad
	}
	if s.clock.Now().Sub(time.UnixMilli(at)) > UndoFor {
		return nil, undoGone()
	}
	return list, nil
}

func undoGone() error {
	return fault.Newf(fault.Conflict, "undo_gone", "This can no longer be undone.")
}

// UndoMark takes a mark back in all feeds that it changed. A feed that was not changed since is what it was, byte for
// byte; otherwise exactly the items that the mark turned become unread again. A feed that was marked again meanwhile
// stays; when all were, that is a Conflict. Taking the same back twice is one too.
func (s *Service) UndoMark(ctx context.Context, u reader.UserID, token string) ([]Subscribed, error) {
	list, err := s.readUndo(token)
	if err != nil {
		return nil, err
	}
	_, exact := s.store.Subscriptions.Version(ctx, u)
	out := make([]Subscribed, len(list))
	err = s.each(exact, len(list), func(i int) error {
		sub, done, err := s.undo(ctx, u, list[i].feed, list[i].version)
		if fault.Is(err, fault.NotFound) {
			return nil // unsubscribed meanwhile
		}
		if done {
			out[i] = sub
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(x Subscribed) bool { return x.Feed == nil })
	if len(out) == 0 {
		return nil, undoGone()
	}
	return out, nil
}

func (s *Service) undo(ctx context.Context, u reader.UserID, id reader.FeedID, version int64) (Subscribed, bool, error) {
	undone := false
	sub, err := s.update(ctx, u, id, 0, func(sub *Subscribed) (reader.State, bool) {
		var next reader.State
		next, undone = reader.Undo(sub.State, version, reader.Seq(sub.Feed.Floor))
		return next, undone
	})
	return sub, undone && err == nil, err
}

// Undo takes the last mark of one feed back.
func (s *Service) Undo(ctx context.Context, u reader.UserID, id reader.FeedID, token string) (Subscribed, error) {
	if sub, err := s.Get(ctx, u, id); err != nil {
		return sub, err
	}
	list, err := s.readUndo(token)
	if err != nil {
		return Subscribed{}, err
	}
	i := slices.IndexFunc(list, func(x undone) bool { return x.feed == id })
	if i < 0 {
		return Subscribed{}, fault.Newf(fault.Invalid, "bad_undo", "There is nothing to undo here.").At("undo")
	}
	sub, done, err := s.undo(ctx, u, id, list[i].version)
	if err == nil && !done {
		return sub, undoGone()
	}
	return sub, err
}

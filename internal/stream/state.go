package stream

import (
	"context"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// maxTries bounds how often a change of state is tried again after somebody else changed the row.
const maxTries = 8

// Change is a wish for one item's state; nil leaves a side unchanged (G-19).
type Change struct {
	Read, Starred *bool
}

// SetState changes one item's state for a user. Saying the same twice changes nothing.
func (s *Service) SetState(ctx context.Context, u reader.UserID, id reader.ItemID, ch Change) (Entry, Subscribed, error) {
	e, sub, err := s.Find(ctx, u, id)
	if err != nil {
		return e, sub, err
	}
	if ch.Starred != nil && *ch.Starred && !e.Starred {
		// Star row first, then the bit: the row is the truth.
		if err := s.putStar(ctx, u, e, &sub); err != nil {
			return e, sub, err
		}
	}
	if sub.Sub != nil {
		var ops []reader.Op
		if ch.Read != nil {
			ops = append(ops, reader.Op{Kind: pick(*ch.Read, reader.OpRead, reader.OpUnread), Seqs: []reader.Seq{e.Seq}})
		}
		if ch.Starred != nil {
			ops = append(ops, reader.Op{Kind: pick(*ch.Starred, reader.OpStar, reader.OpUnstar), Seqs: []reader.Seq{e.Seq}})
		}
		if sub, err = s.apply(ctx, u, id.Feed(), e.Seq, ops); err != nil {
			return e, sub, err
		}
		e.Read = sub.State.IsRead(e.Seq)
	}
	if ch.Starred != nil {
		if !*ch.Starred {
			if err := s.removeStar(ctx, u, id); err != nil {
				return e, sub, err
			}
		}
		e.Starred = *ch.Starred
	}
	return e, sub, nil
}

func pick(yes bool, a, b reader.OpKind) reader.OpKind {
	if yes {
		return a
	}
	return b
}

// apply carries operations on items up to a seq out on one subscription.
func (s *Service) apply(ctx context.Context, u reader.UserID, id reader.FeedID, upTo reader.Seq, ops []reader.Op) (Subscribed, error) {
	return s.update(ctx, u, id, upTo, func(sub *Subscribed) (reader.State, bool) {
		return reader.Apply(sub.State, reader.Change{
			Ops: ops, Floor: reader.Seq(sub.Feed.Floor), Last: reader.Seq(sub.Feed.Seq), At: s.clock.Now().UnixMilli(),
		})
	})
}

// update changes one subscription under its revision, and tries again when it lost a race. A state that
// stays as it is is not written. The feed's row is one that knows the item at seq known, which somebody has
// seen: over an older one the change would be taken for one of an item that there is not, and dropped.
func (s *Service) update(ctx context.Context, u reader.UserID, id reader.FeedID, known reader.Seq, change func(*Subscribed) (reader.State, bool)) (Subscribed, error) {
	for range maxTries {
		sub, err := s.Get(ctx, u, id)
		if err == nil && reader.Seq(sub.Feed.Seq) < known {
			sub, err = s.Latest(ctx, u, id)
		}
		if err != nil {
			return sub, err
		}
		next, changed := change(&sub)
		if !changed {
			return sub, nil
		}
		row := sub.Sub.WithState(next)
		before, _ := s.store.Subscriptions.Version(ctx, u)
		err = s.store.Subscriptions.Replace(ctx, row, sub.Sub.Rev)
		if fault.Is(err, fault.Conflict) {
			continue
		}
		if err != nil {
			return sub, err
		}
		s.views.replaced(ctx, u, before, &row)
		return subscribed(sub.Feed, &row), nil
	}
	return Subscribed{}, fault.New(fault.Unavailable, "state_contended", "stream: state", nil)
}

// MarkAll marks a feed read up to an item, or up to its newest when upto is zero: one write, however
// many items. The token undoes it; it is empty when nothing was unread.
func (s *Service) MarkAll(ctx context.Context, u reader.UserID, id reader.FeedID, upto reader.ItemID) (sub Subscribed, undo string, err error) {
	var limit reader.Seq
	if upto > 0 {
		if upto.Feed() != id {
			return sub, "", fault.Newf(fault.Invalid, "bad_item", "The item belongs to another feed.")
		}
		e, _, err := s.Find(ctx, u, upto)
		if err != nil {
			return sub, "", err
		}
		limit = e.Seq
	}
	wrote := false
	sub, err = s.update(ctx, u, id, limit, func(sub *Subscribed) (reader.State, bool) {
		last := reader.Seq(sub.Feed.Seq)
		if limit > 0 {
			last = min(last, limit)
		}
		var next reader.State
		next, wrote = reader.Apply(sub.State, reader.Change{
			Ops:   []reader.Op{{Kind: reader.OpReadUpTo, UpTo: last}},
			Floor: reader.Seq(sub.Feed.Floor), Last: reader.Seq(sub.Feed.Seq), At: s.clock.Now().UnixMilli(),
		})
		return next, wrote
	})
	if err == nil && wrote {
		undo = strconv.FormatInt(sub.State.Version, 10)
	}
	return sub, undo, err
}

// Undo takes the last mark of a feed back. Unchanged since, the state is what it was, byte for byte;
// otherwise exactly the items that the mark turned become unread again.
func (s *Service) Undo(ctx context.Context, u reader.UserID, id reader.FeedID, token string) (Subscribed, error) {
	version, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		return Subscribed{}, fault.Newf(fault.Invalid, "bad_undo", "There is nothing to undo here.")
	}
	undone := false
	sub, err := s.update(ctx, u, id, 0, func(sub *Subscribed) (reader.State, bool) {
		var next reader.State
		next, undone = reader.Undo(sub.State, version, reader.Seq(sub.Feed.Floor))
		return next, undone
	})
	if err == nil && !undone {
		return sub, fault.Newf(fault.Conflict, "undo_gone", "This can no longer be undone.")
	}
	return sub, err
}

// putStar keeps a snapshot of an item with its body, so that it outlives feed and retention.
func (s *Service) putStar(ctx context.Context, u reader.UserID, e Entry, sub *Subscribed) error {
	packed, err := store.PackHeaders([]store.Header{e.Header})
	if err != nil {
		return err
	}
	row := store.StarRow{
		Feed: uint32(e.Feed), Seq: uint32(e.Seq), At: s.clock.Now().Unix(), Title: sub.Title(), Head: packed,
	}
	// A body that is gone or cannot be parsed is a state and no error; a store that fails now is asked
	// again by the client, for a star without its body would lose it with the feed's.
	body, err := s.body(ctx, e, sub.Feed)
	if err != nil {
		return err
	}
	if body.HTML != "" {
		small, err := deflate([]byte(body.HTML))
		if err != nil {
			return err
		}
		if len(small) <= store.MaxStarBody {
			row.Body = small
		} else if row.Blob, err = s.putStarBody(ctx, u, e.ID, small); err != nil {
			return err
		}
	}
	before, _ := s.store.Subscriptions.Version(ctx, u)
	if err := s.store.Stars.Put(ctx, u, e.ID, row); err != nil {
		return err
	}
	s.views.passed(ctx, u, before)
	return nil
}

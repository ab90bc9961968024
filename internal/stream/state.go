package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
)

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

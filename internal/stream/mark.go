package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Mark says what of a stream is to be marked read: all of it as a list showed it, or what stands above or below an
// item.
type Mark struct {
	Scope
	// AsOf is what the list answered: what it did not show stays as it is. Empty means as of now.
	AsOf string
	// Item is where a mark above or below begins; it stays as it is itself. Zero marks all.
	Item   reader.ItemID
	Below  bool
	Oldest bool // the order in which above and below are meant
}

// Marked is what became of a mark: the feeds that it changed, and how to take it back.
type Marked struct {
	Feeds []Subscribed
	Undo  string // empty when nothing changed
}

// MarkRead marks a stream read: one write for each feed in which something was unread, however much that was.
func (s *Service) MarkRead(ctx context.Context, u reader.UserID, m Mark) (Marked, error) {
	var limits positions
	if m.AsOf != "" {
		var err error
		if limits, err = decodePositions(m.AsOf); err != nil {
			return Marked{}, err
		}
	}
	bar, err := s.scope(ctx, u, m.Scope, false)
	if err != nil {
		return Marked{}, err
	}
	marks := marking{limits: limits}
	if m.Item > 0 {
		if err := marks.beside(ctx, s, u, m, bar.chosen); err != nil {
			return Marked{}, err
		}
	}
	list, known := marks.unread(bar.chosen)
	changed, err := s.updateAll(ctx, u, list, known, func(sub *Subscribed) (reader.State, bool) {
		c := s.change(sub, marks.ops(sub))
		c.Remember = true
		return reader.Apply(sub.State, c)
	})
	if err != nil {
		return Marked{}, err
	}
	return Marked{Feeds: changed, Undo: s.undoToken(changed)}, nil
}

// marking is a mark of several feeds.
type marking struct {
	limits positions // nil: no limit
	some   map[reader.FeedID][]reader.Op
}

// limit is up to where a feed may be marked.
func (m *marking) limit(sub *Subscribed) reader.Seq {
	if m.limits == nil {
		return reader.Seq(sub.Feed.Seq)
	}
	return m.limits[sub.Feed.ID()]
}

// unread chooses the feeds in which something may change, and says what their rows must know.
func (m *marking) unread(list []Subscribed) (out []Subscribed, known positions) {
	known = positions{}
	for i := range list {
		x := &list[i]
		known[x.Feed.ID()] = m.limit(x)
		if m.some != nil && m.some[x.Feed.ID()] == nil {
			continue
		}
		if x.State.HasUnread(reader.Seq(x.Feed.Floor), m.limit(x)) {
			out = append(out, *x)
		}
	}
	return out, known
}

func (m *marking) ops(sub *Subscribed) []reader.Op {
	if m.some != nil {
		return m.some[sub.Feed.ID()]
	}
	return []reader.Op{{Kind: reader.OpReadUpTo, UpTo: m.limit(sub)}}
}

// maxBeside bounds, in half read units, what may be read to find out what stands beside an item.
const maxBeside = 2000

// beside finds the unread items on one side of an item. Of each feed only what arrived since that item was published
// is looked at: all that arrived before is older.
func (m *marking) beside(ctx context.Context, s *Service, u reader.UserID, want Mark, list []Subscribed) error {
	at, _, err := s.Find(ctx, u, want.Item)
	if err != nil {
		return err
	}
	newer := want.Below == want.Oldest
	m.some = map[reader.FeedID][]reader.Op{}
	left := maxBeside
	for i := range list {
		x := s.source(&list[i], &Query{Filter: Unread})
		x.from = min(m.limit(&list[i]), x.last())
		if x.from == 0 || !x.wants() {
			continue
		}
		x.next = x.from
		for !x.done && x.bound >= at.Header.Sort {
			spent, err := x.advance(ctx)
			if err != nil {
				return err
			}
			if left -= spent; left < 0 {
				return fault.Newf(fault.TooLarge, "mark_too_far", "There is too much between this item and the end of the list. Mark the feed or the folder read instead.")
			}
		}
		if ops := x.side(&at, newer); len(ops) > 0 {
			m.some[x.sub.Feed.ID()] = ops
		}
	}
	return nil
}

// side gives the marks of what was read, and of what was not, which is older.
func (x *source) side(at *Entry, newer bool) (ops []reader.Op) {
	var seqs []reader.Seq
	for i := range x.buf {
		if e := &x.buf[i]; e.ID != at.ID && x.before(e, at) == newer && e.Seq <= x.from {
			seqs = append(seqs, e.Seq)
		}
	}
	if len(seqs) > 0 {
		ops = append(ops, reader.Op{Kind: reader.OpRead, Seqs: seqs})
	}
	if !newer && !x.done {
		ops = append(ops, reader.Op{Kind: reader.OpReadRange, From: 1, UpTo: x.next})
	}
	return ops
}

// MarkAll marks a feed read up to an item, or up to its newest when upto is zero: one write, however
// many items. The token undoes it; it is empty when nothing was unread.
func (s *Service) MarkAll(ctx context.Context, u reader.UserID, id reader.FeedID, upto reader.ItemID) (sub Subscribed, undo string, err error) {
	var limit reader.Seq
	if upto > 0 {
		if upto.Feed() != id {
			return sub, "", fault.Newf(fault.Invalid, "bad_item", "The item belongs to another feed.").At("upTo")
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
		next, wrote = reader.Apply(sub.State, s.change(sub, []reader.Op{{Kind: reader.OpReadUpTo, UpTo: last}}))
		return next, wrote
	})
	if err == nil && wrote {
		undo = s.undoToken([]Subscribed{sub})
	}
	return sub, undo, err
}

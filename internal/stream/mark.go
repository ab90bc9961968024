package stream

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Mark selects what of a stream to mark read: all that a list showed, or what is above or below an item.
type Mark struct {
	Scope
	// AsOf is from the list's answer: what it did not show stays unread. Empty means as of now.
	AsOf string
	// UpTo is the last item of the scope's feed to mark; zero for no such bound.
	UpTo reader.ItemID
	// Before leaves items that arrived at this time or later unread; zero for no such bound.
	Before time.Time
	// Item is where a mark above or below begins, itself excluded. Zero marks all.
	Item   reader.ItemID
	Below  bool
	Oldest bool // the order in which above and below are meant
}

// Marked is the result of a mark: the feeds that changed, and the undo token.
type Marked struct {
	Feeds []*Subscribed
	Undo  string // empty when nothing changed
}

// MarkRead marks a stream read. Whole feeds are marked in one write of the user's positions, others by a write each.
func (s *Service) MarkRead(ctx context.Context, u reader.UserID, m Mark) (Marked, error) {
	limits, err := s.limits(ctx, u, &m)
	if err != nil {
		return Marked{}, err
	}
	end, isCut := s.settled(ctx)
	bar, err := s.scope(ctx, u, m.Scope, false, s.keepVerdicts)
	if err != nil {
		return Marked{}, err
	}
	chosen, marks := bar.chosen(), marking{limits: limits, before: seqs{}}
	if chosen, err = s.caughtUp(ctx, u, chosen, limits); err != nil {
		return Marked{}, err
	}
	if isCut {
		listed, err := s.upTo(ctx, end, chosen)
		if err != nil {
			return Marked{}, err
		}
		for _, x := range listed {
			marks.before[x.id] = reader.Seq(x.Feed.Seq)
		}
	}
	if !m.Before.IsZero() {
		if err := marks.arrivedBefore(ctx, s, m.Before, chosen); err != nil {
			return Marked{}, err
		}
	}
	if m.Item > 0 {
		if err := marks.oneSide(ctx, s, u, m, chosen); err != nil {
			return Marked{}, err
		}
	} else if m.Feed == 0 {
		return s.markTogether(ctx, u, bar.all, chosen, &marks)
	}
	return s.markEach(ctx, u, chosen, &marks)
}

// markEach marks feeds with a write of each.
func (s *Service) markEach(ctx context.Context, u reader.UserID, chosen []*Subscribed, marks *marking) (Marked, error) {
	var list []mutation
	for _, x := range chosen {
		if limit := marks.limit(x); len(marks.ops(x)) > 0 && marks.touches(x) {
			list = append(list,
				mutation{feed: x.Feed.ID(), sub: x, known: limit,
					edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
						return s.applied(sub, reader.Change{Ops: marks.ops(sub), Counts: true, Remember: true})
					}})
		}
	}
	changed, err := s.updateAll(ctx, u, list)
	if err != nil {
		return Marked{}, err
	}
	return Marked{Feeds: changed, Undo: s.undoToken(changed)}, nil
}

// limits returns the newest seq of each feed that may be marked; nil for no limit.
func (s *Service) limits(ctx context.Context, u reader.UserID, m *Mark) (seqs, error) {
	switch {
	case m.AsOf != "":
		return decodeSeqs(m.AsOf)
	case m.UpTo == 0:
		return nil, nil
	case m.UpTo.Feed() != m.Feed:
		return nil, fault.Coded(fault.Invalid, "bad_item").At("upTo")
	}
	e, _, err := s.Find(ctx, u, m.UpTo)
	return seqs{m.Feed: e.Seq}, err
}

// caughtUp reads feeds again whose rows are older than the list that is marked. Seqs that do not exist even then are
// not marked.
func (s *Service) caughtUp(ctx context.Context, u reader.UserID, list []*Subscribed,
	limits seqs) ([]*Subscribed, error) {
	var later []*Subscribed
	for _, x := range list {
		id := x.Feed.ID()
		if limits[id] <= reader.Seq(x.Feed.Seq) {
			continue
		}
		x, err := s.Latest(ctx, u, id)
		switch {
		case fault.Is(err, fault.NotFound):
			delete(limits, id)
		case err != nil:
			return nil, err
		default:
			limits[id] = min(limits[id], reader.Seq(x.Feed.Seq))
			later = append(later, x)
		}
	}
	return replaced(list, later), nil
}

// marking is a mark of several feeds.
type marking struct {
	limits seqs // nil: no limit
	before seqs // a limit for these feeds too
	some   map[reader.FeedID][]reader.Op
}

// limit is the newest seq of a feed that may be marked.
func (m *marking) limit(sub *Subscribed) reader.Seq {
	limit := reader.Seq(sub.Feed.Seq)
	if m.limits != nil {
		limit = m.limits[sub.Feed.ID()]
	}
	if before, ok := m.before[sub.Feed.ID()]; ok {
		limit = min(limit, before)
	}
	return limit
}

// touches reports whether a feed has unread items that may be marked.
func (m *marking) touches(sub *Subscribed) bool {
	return sub.State.HasUnread(reader.Seq(sub.Feed.Floor), m.limit(sub))
}

// arrivedBefore limits a mark to items that arrived before a time. It reads deltas only of feeds with later commits.
func (m *marking) arrivedBefore(ctx context.Context, s *Service, before time.Time, list []*Subscribed) error {
	left := maxSideCost
	for _, x := range list {
		if reader.Minute(x.Feed.Stamp) < reader.MinuteOf(before) || !m.touches(x) {
			continue
		}
		limit, floor := m.limit(x), max(reader.Seq(x.Feed.Floor), x.State.Upto)
		for found := false; !found && limit > floor; {
			deltas, spent, end, err := s.store.Items.Window(ctx, x.Feed.ID(), limit, true, deltasAtFirst, false)
			if err != nil {
				return err
			}
			if left -= spent; left < 0 {
				return fault.Coded(fault.TooLarge, "mark_too_far")
			}
			for _, d := range deltas {
				if found = d.At < before.UnixMilli(); found {
					break
				}
				limit = min(limit, d.First()-1)
			}
			found = found || end
		}
		m.before[x.Feed.ID()] = limit
	}
	return nil
}

func (m *marking) ops(sub *Subscribed) []reader.Op {
	if m.some != nil {
		return m.some[sub.Feed.ID()]
	}
	return []reader.Op{{Kind: reader.OpReadUpTo, UpTo: m.limit(sub)}}
}

// maxSideCost bounds, in half read units, what may be read to find the items on one side of another.
const maxSideCost = 2000

// oneSide finds the unread items above or below an item. Of each feed it reads what arrived since the item was
// published.
func (m *marking) oneSide(ctx context.Context, s *Service, u reader.UserID, mark Mark, list []*Subscribed) error {
	at, _, err := s.Find(ctx, u, mark.Item)
	if err != nil {
		return err
	}
	newer := mark.Below == mark.Oldest
	m.some = map[reader.FeedID][]reader.Op{}
	left := maxSideCost
	for i := range list {
		q := Query{Filter: Unread}
		x := s.source(list[i], &q)
		x.from = min(m.limit(list[i]), x.last())
		if x.from == 0 || !wants(list[i], &q) {
			continue
		}
		x.next = x.from
		for !x.done && x.bound >= at.Header.Sort {
			spent, err := x.advance(ctx)
			if err != nil {
				return err
			}
			if left -= spent; left < 0 {
				return fault.Coded(fault.TooLarge, "mark_too_far")
			}
		}
		if ops := x.side(&at, newer); len(ops) > 0 {
			m.some[x.sub.Feed.ID()] = ops
		}
	}
	return nil
}

// side returns the operations for what was read of a feed, and for the older rest.
func (x *source) side(at *Entry, newer bool) (ops []reader.Op) {
	var seqs []reader.Seq
	for i := range x.buf {
		if w := &x.buf[i]; w.id != at.ID && x.before(w.spot, at.spot()) == newer && w.seq <= x.from {
			seqs = append(seqs, w.seq)
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

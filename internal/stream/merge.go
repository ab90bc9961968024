package stream

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// merged returns a page over some feeds in the stream's order. A feed is opened only when it may have the next item: newest
// first, its row bounds how new that can be. A story that several feeds have is shown once.
func (s *Service) merged(ctx context.Context, q Query, c cursor, bar sideBar) (Page, error) {
	m := merging{budget: budget(len(bar.chosen), bar.spent), fold: folding{off: q.every || q.Feed > 0 || q.Filter == Hidden, shown: map[string]int{}}}
	if q.every {
		m.budget = math.MaxInt
	}
	m.begin(s, &q, c, bar.chosen)
	all := slices.Clone(m.open)
	heap.Init(&m.open)
	p := Page{}
	for len(m.open) > 0 {
		more, err := m.prepare(ctx, len(p.Items) > 0)
		if err != nil {
			return Page{}, err
		}
		if len(m.open) == 0 {
			break
		}
		if !more || len(p.Items) == q.Limit {
			p.Next = all.cursor(&m.last, c, q.hash())
			break
		}
		if m.last = m.take(); !m.fold.into(p.Items, &m.last) {
			p.Items = append(p.Items, m.last)
		}
	}
	return p, nil
}

// merging is a page that is being made.
type merging struct {
	open   sources
	last   Entry // the one taken last
	budget int   // in half read units
	fold   folding
}

// budget is how many half read units the deltas of a page may cost, after the side bar: a list of 100 feeds is 25 read units at
// most, of 1,000 it is 60, or 150 when the feeds are not in memory. A page that would cost more ends early.
func budget(feeds, spent int) int {
	return max(2*25-spent, 16+40*min(max(feeds-100, 0), 900)/900)
}

func (m *merging) begin(s *Service, q *Query, c cursor, chosen []*Subscribed) {
	m.last = Entry{ID: c.ID, Header: store.Header{Sort: c.Sort}}
	after := m.last
	for i := range chosen {
		x := s.source(chosen[i], q)
		if !x.wants() {
			continue
		}
		if c.ID > 0 {
			from, opened := c.From[x.sub.Feed.ID()]
			if opened && from.seq == 0 {
				continue // shown to its end
			}
			x.after, x.from, x.bound = &after, from.seq, min(x.bound, x.rank(c.Sort)-from.behind)
		}
		m.open = append(m.open, x)
	}
}

// prepare reads until the first source has its next item ready. It returns false when the budget is spent first, which ends a
// page that has items.
func (m *merging) prepare(ctx context.Context, some bool) (bool, error) {
	for len(m.open) > 0 && !m.open[0].ready() {
		if some && m.budget <= 0 {
			return false, nil
		}
		spent, err := m.open[0].advance(ctx)
		if err != nil {
			return false, err
		}
		m.budget -= spent
		m.settle()
	}
	return true, nil
}

func (m *merging) take() Entry {
	e := m.open[0].take()
	m.settle()
	return e
}

// settle restores the heap after the first source changed.
func (m *merging) settle() {
	if m.open[0].empty() {
		heap.Pop(&m.open)
	} else {
		heap.Fix(&m.open, 0)
	}
}

// cursor returns where the next page continues: in each opened feed at the first seq not shown yet, zero for feeds that were
// shown to their end.
func (h sources) cursor(last *Entry, before cursor, mark uint32) string {
	c := cursor{Mark: mark, Sort: last.Header.Sort, ID: last.ID, From: map[reader.FeedID]position{}}
	for f, from := range before.From {
		if from.seq == 0 {
			c.From[f] = position{}
		}
	}
	for _, x := range h {
		if !x.begun && x.from == 0 || len(c.From) == maxOpened {
			continue
		}
		from := x.from
		if x.begun {
			from = x.rest()
		}
		at := position{seq: from}
		if from > 0 && !x.empty() {
			at.behind = max(x.rank(c.Sort)-x.key(), 0)
		}
		c.From[x.sub.Feed.ID()] = at
	}
	return c.encode()
}

// Other is the same story in another feed.
type Other struct {
	Feed  reader.FeedID
	ID    reader.ItemID
	Title string // of the feed
	Read  bool
}

// maxOthers is how many other feeds of a story are named; further ones show it again.
const maxOthers = 20

// folding finds stories that were shown already. Those of one feed are never folded: a feed may link all items to one page.
type folding struct {
	off   bool
	shown map[string]int // place of the story in the page
}

// into adds an item to its story, if that is shown already.
func (f *folding) into(page []Entry, e *Entry) bool {
	if f.off {
		return false
	}
	story := reader.StoryURL(e.Header.Link)
	if story == "" {
		return false
	}
	i, seen := f.shown[story]
	if !seen {
		f.shown[story] = len(page)
		return false
	}
	shown := &page[i]
	isOf := func(o Other) bool { return o.Feed == e.Feed }
	if shown.Feed == e.Feed || len(shown.Also) >= maxOthers || slices.ContainsFunc(shown.Also, isOf) {
		return false
	}
	shown.Also = append(shown.Also, Other{Feed: e.Feed, ID: e.ID, Title: e.FeedTitle, Read: e.Read})
	return true
}

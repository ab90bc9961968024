package stream

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// merged returns a page over several feeds in the stream's order. A feed is opened when it may have the next item, and
// a story that several feeds have is shown once.
func (s *Service) merged(ctx context.Context, u reader.UserID, q Query, c cursor, bar *sideBar) (Page, error) {
	m := merging{
		s: s, q: &q, from: c, order: order{q.Oldest}, rest: byBound(bar.chosen(), &q),
		open:   &heapOf[*source]{before: (*source).comesBefore},
		budget: budgetPerItem * q.Limit,
		last:   spot{c.Sort, c.ID}, fold: Folding{Off: q.every || q.Unfolded || q.Feed > 0 || q.Filter == Hidden},
	}
	if q.every {
		m.budget = math.MaxInt
	}
	p := Page{}
	for {
		more, err := m.prepare(ctx, len(p.Items) > 0)
		if err != nil {
			return Page{}, err
		}
		if more && m.open.Len() == 0 {
			return p, nil
		}
		if !more || len(p.Items) == q.Limit {
			p.Next, p.IsPartial = m.cursor(u, q.hash()), len(p.Items) < q.Limit
			return p, nil
		}
		e := m.open.list[0].take()
		m.settle()
		// Oldest first, what arrived since the page before may be older than what that one showed; the next page begins
		// behind both.
		if at := e.spot(); m.last.id == 0 || m.before(m.last, at) {
			m.last = at
		}
		if !m.fold.Into(p.Items, &e) {
			p.Items = append(p.Items, e)
		}
	}
}

// merging is a page that is being made.
type merging struct {
	order
	s      *Service
	q      *Query
	from   cursor           // the end of the page before
	rest   *heapOf[bounded] // the feeds that were not looked at
	open   *heapOf[*source] // those that may have more
	taken  []*source        // those that were opened
	last   spot             // the last of the items taken, in the stream's order
	budget int              // in half read units
	fold   Folding
}

// budgetPerItem is the most half read units per item of a page. A page that would cost more ends early.
const budgetPerItem = 4

// admit opens the feeds whose next item may come before those of the open ones.
func (m *merging) admit() {
	for m.rest.Len() > 0 && (m.open.Len() == 0 || m.rest.list[0].bound >= m.open.list[0].key()) {
		m.begin(heap.Pop(m.rest).(bounded).sub)
	}
}

// begin opens a feed, unless it has nothing for the stream or was shown to its end.
func (m *merging) begin(sub *Subscribed) {
	if !wants(sub, m.q) {
		return
	}
	from, opened := m.from.From[sub.Feed.ID()]
	if opened && from.seq == 0 {
		return
	}
	x := m.s.source(sub, m.q)
	if m.from.ID > 0 {
		x.after, x.from = &spot{m.from.Sort, m.from.ID}, from.seq
		x.bound = min(x.bound, m.rank(m.from.Sort)-from.behind)
	}
	heap.Push(m.open, x)
	m.taken = append(m.taken, x)
}

// prepare reads until the first source has its next item ready. It returns false when the budget is spent, which ends a
// page that has items.
func (m *merging) prepare(ctx context.Context, some bool) (bool, error) {
	for m.admit(); m.open.Len() > 0 && !m.open.list[0].ready(); m.admit() {
		if some && m.budget <= 0 {
			return false, nil
		}
		spent, err := m.open.list[0].advance(ctx)
		if err != nil {
			return false, err
		}
		m.budget -= spent
		m.settle()
	}
	return true, nil
}

// settle restores the heap after the first source changed.
func (m *merging) settle() {
	if m.open.list[0].empty() {
		heap.Pop(m.open)
	} else {
		heap.Fix(m.open, 0)
	}
}

// cursor returns where the next page continues: the first seq not shown of each opened feed, zero if all was shown.
func (m *merging) cursor(u reader.UserID, mark uint32) string {
	c := cursor{Mark: mark, Sort: m.last.sort, ID: m.last.id, From: make(map[reader.FeedID]position, len(m.taken))}
	for f, from := range m.from.From {
		if from.seq == 0 {
			c.From[f] = position{}
		}
	}
	for _, x := range m.taken {
		if !x.begun && x.from == 0 {
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
	token := c.encode()
	if len(c.From) > maxOpened {
		m.s.cursors.Put(cursorOf{u, token}, c, 50*len(c.From))
	}
	return token
}

// Other is the same story in another feed.
type Other struct {
	Feed  reader.FeedID
	ID    reader.ItemID
	Title string // of the feed
	Read  bool
}

// Other names an item with another of the same story.
func (e *Entry) Other() Other { return Other{Feed: e.Feed, ID: e.ID, Title: e.FeedTitle, Read: e.Read} }

// maxOthers is how many other feeds of a story are named; further ones show it again.
const maxOthers = 20

// Folding finds stories that a page has already. Items of one feed are never folded: a feed may link all to one page.
type Folding struct {
	Off   bool
	shown map[string]int // place of the story in the page
}

// Into adds an item to its story and returns true if the page has that story. Else the item is to be appended.
func (f *Folding) Into(page []Entry, e *Entry) bool {
	if f.Off {
		return false
	}
	story := reader.StoryURL(e.Header.Link)
	if story == "" {
		return false
	}
	i, seen := f.shown[story]
	if !seen {
		if f.shown == nil {
			f.shown = map[string]int{}
		}
		f.shown[story] = len(page)
		return false
	}
	shown := &page[i]
	isOf := func(o Other) bool { return o.Feed == e.Feed }
	if shown.Feed == e.Feed || len(shown.Also) >= maxOthers || slices.ContainsFunc(shown.Also, isOf) {
		return false
	}
	shown.Also = append(shown.Also, e.Other())
	return true
}

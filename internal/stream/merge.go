package stream

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// merged gives a page over some feeds in the stream's order. A feed is opened only when the next item may be
// its: newest first its row says how new that can be. A story that several feeds have is shown once.
func (s *Service) merged(ctx context.Context, q Query, c cursor, bar sideBar) (Page, error) {
	m := merging{budget: budget(len(bar.chosen), bar.spent), fold: folding{off: q.every || q.Feed > 0 || q.Filter == Hidden}}
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
			p.Next = all.cursor(&m.last, c, q.mark())
			break
		}
		if m.last = m.take(); !m.fold.into(p.Items, &m.last) {
			p.Items = append(p.Items, m.last)
		}
	}
	m.fold.tell(p.Items)
	return p, nil
}

// merging is a page in the making.
type merging struct {
	open   sources
	last   Entry // the one taken last
	budget int   // in half read units
	fold   folding
}

// budget is how many half read units the deltas of a page may take, after what the side bar took: with 100 feeds
// a list is 25 read units at most, with 1,000 it is 60, or 150 when the feeds are not in memory. A page that would
// take more ends early.
func budget(feeds, spent int) int {
	return max(2*25-spent, 16+40*min(max(feeds-100, 0), 900)/900)
}

func (m *merging) begin(s *Service, q *Query, c cursor, chosen []Subscribed) {
	m.last = Entry{ID: c.ID, Header: store.Header{Sort: c.Sort}}
	after := m.last
	for i := range chosen {
		x := s.source(&chosen[i], q)
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

// prepare reads until the first source has its next item ready. It gives false when the budget is spent first,
// which ends a page that has something.
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

// settle puts the first source where it belongs now.
func (m *merging) settle() {
	if m.open[0].empty() {
		heap.Pop(&m.open)
	} else {
		heap.Fix(&m.open, 0)
	}
}

// cursor tells where the next page goes on: in each opened feed from the first seq that was not shown yet, zero for
// those that were shown to their end, in this page or before.
func (h sources) cursor(last *Entry, before cursor, mark uint32) string {
	c := cursor{Mark: mark, Sort: last.Header.Sort, ID: last.ID, From: map[reader.FeedID]standing{}}
	for f, from := range before.From {
		if from.seq == 0 {
			c.From[f] = standing{}
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
		at := standing{seq: from}
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

// maxOthers is how many feeds are named beside a story; further ones show it again.
const maxOthers = 20

// folding finds stories that were shown already. Those of one feed are never folded: a feed whose items all link
// to one page has different ones.
type folding struct {
	off    bool
	shown  map[string]int // place of the story in the page
	others map[int][]Entry
}

// into adds an item to the story that it belongs to, if that is shown already.
func (f *folding) into(page []Entry, e *Entry) bool {
	if f.off {
		return false
	}
	story := reader.StoryURL(e.Header.Link)
	if story == "" {
		return false
	}
	i, seen := f.shown[story]
	same := func(o Entry) bool { return o.Feed == e.Feed }
	if !seen {
		if f.shown == nil {
			f.shown, f.others = map[string]int{}, map[int][]Entry{}
		}
		f.shown[story] = len(page)
		return false
	}
	if page[i].Feed == e.Feed || len(f.others[i]) >= maxOthers || slices.ContainsFunc(f.others[i], same) {
		return false
	}
	f.others[i] = append(f.others[i], *e)
	return true
}

// tell names the folded ones in what is shown.
func (f *folding) tell(page []Entry) {
	for i, list := range f.others {
		for _, e := range list {
			page[i].Also = append(page[i].Also, Other{Feed: e.Feed, ID: e.ID, Title: e.FeedTitle, Read: e.Read})
		}
	}
}

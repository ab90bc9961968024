package stream

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// State is a state of items that native clients ask for, beside the filters of our own lists.
type State uint8

// The states.
const (
	AnyState State = iota
	IsUnread
	IsRead
	IsStarred
)

// IDQuery chooses items by arrival, for programs that synchronise. Items that rules hid are left out, except where the
// query is for starred or labelled items.
type IDQuery struct {
	Scope
	// Is: only items in this state; Not: none in this one.
	Is, Not State
	// Above and Below bound the ids, exclusively; zero is no bound.
	Above, Below reader.ItemID
	// From and To bound when items were first listed (see Listed), in Unix seconds, inclusively; zero is no bound.
	From, To int64
	Oldest   bool // ascending ids; else descending
	Limit    int  // at most MaxIDs
}

// MaxIDs is how many ids are returned at once, at most.
const MaxIDs = 50_000

// slack widens From, in seconds: clocks differ a little, and programs round.
const slack = 1

// minutes returns the first and last minute that a query covers; first > last means none. A bound within a minute
// becomes a bound on ids.
func (s *Service) minutes(ctx context.Context, q *IDQuery) (first, last int64) {
	first, last = int64(q.Above.Stamp()), int64(reader.MaxMinute)
	if q.From > 0 {
		first = max(first, s.listedBy(q.From-slack-1)+1)
	}
	if q.To > 0 {
		last = s.listedBy(q.To)
	}
	if q.Below > 0 {
		last = min(last, int64(q.Below.Stamp()))
	}
	if end, ok := s.settled(ctx); ok {
		last = min(last, int64(end.Stamp()))
		if q.Below == 0 || q.Below > end {
			q.Below = end + 1
		}
	}
	return first, last
}

// IDs returns the ids of items in the order of arrival, and whether there are more.
func (s *Service) IDs(ctx context.Context, u reader.UserID, q IDQuery) (ids []reader.ItemID, more bool, err error) {
	q.Limit = min(max(q.Limit, 1), MaxIDs)
	first, last := s.minutes(ctx, &q)
	if q.Label > 0 || q.Is == IsStarred {
		return s.keptIDs(ctx, u, &q, first, last)
	}
	bar, err := s.scope(ctx, u, q.Scope, false, s.keepVerdicts)
	if err != nil || first > last {
		return nil, false, err
	}
	l := idList{s: s, q: &q, first: reader.Minute(first), last: reader.Minute(last)}
	count := 0
	for _, x := range bar.chosen() {
		if int64(x.Feed.Stamp) < first {
			continue
		}
		if wanted := q.wanted(x); len(wanted) > 0 {
			l.feeds = append(l.feeds, &idsOfFeed{feed: x.Feed, id: x.id, wanted: wanted})
			for _, r := range wanted {
				count += int(r.To-r.From) + 1
			}
		}
	}
	ctx, saved := s.withArrivals(ctx, u, &bar)
	if q.Oldest || count <= q.Limit {
		err = s.each(len(l.feeds), func(i int) error {
			x := l.feeds[i]
			return x.read(ctx, s, x.wanted[0].From, l.first)
		})
	}
	if err == nil {
		err = l.run(ctx)
	}
	saved()
	if more = len(l.ids) > q.Limit; more {
		l.ids = l.ids[:q.Limit]
	}
	return l.ids, more, err
}

// wanted returns the items of a feed that are in the query's states.
func (q *IDQuery) wanted(x *Subscribed) []reader.Run {
	if q.Is == IsUnread && x.unread == 0 || x.Feed.Seq <= x.Feed.Floor {
		return nil
	}
	list := []reader.Run{{From: reader.Seq(x.Feed.Floor) + 1, To: reader.Seq(x.Feed.Seq)}}
	read := x.State.ReadRuns()
	switch q.Is {
	case IsUnread:
		list = reader.Subtract(list, read)
	case IsRead:
		list = reader.Subtract(list, reader.Subtract(list, read))
	}
	switch q.Not {
	case IsUnread:
		list = reader.Subtract(list, reader.Subtract(list, read))
	case IsRead:
		list = reader.Subtract(list, read)
	case IsStarred:
		list = reader.Subtract(list, x.State.Stars.Runs())
	}
	return reader.Subtract(list, x.State.Hid.Runs())
}

// idList makes a list of ids. Ids begin with minute and feed, so the list is a merge of all feeds' stretches in that
// order.
type idList struct {
	s           *Service
	q           *IDQuery
	first, last reader.Minute
	feeds       []*idsOfFeed
	ids         []reader.ItemID
}

// idsOfFeed is one feed of an idList.
type idsOfFeed struct {
	feed   *store.FeedRow
	id     reader.FeedID
	wanted []reader.Run // what is left
	atOnce reader.Seq   // how many items to look up next
	arrivals
	next int           // the stretch that comes next, if it is known
	key  reader.ItemID // no remaining id comes before it in the order of the list
}

func (x *idsOfFeed) read(ctx context.Context, s *Service, from reader.Seq, since reader.Minute) (err error) {
	x.arrivals, err = s.arrivalsOf(ctx, x.feed, from, since)
	return err
}

// usualAtOnce is how many items of a feed are looked up first where not all are needed.
const usualAtOnce = 32

// run makes the list, one item longer than the limit if there are more.
func (l *idList) run(ctx context.Context) error {
	h := heapOf[*idsOfFeed]{before: func(a, b *idsOfFeed) bool {
		return a.key < b.key == l.q.Oldest && a.key != b.key
	}}
	for _, x := range l.feeds {
		if l.advance(x) {
			h.list = append(h.list, x)
		}
	}
	for heap.Init(&h); len(h.list) > 0 && len(l.ids) <= l.q.Limit; {
		x := h.list[0]
		if x.next >= 0 {
			l.take(x)
		} else if err := l.look(ctx, x); err != nil {
			return err
		}
		if l.advance(x) {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return nil
}

// look makes the arrivals of a feed's next items known, newest first.
func (l *idList) look(ctx context.Context, x *idsOfFeed) error {
	x.atOnce = max(2*x.atOnce, usualAtOnce)
	left := min(x.atOnce, reader.Seq(l.q.Limit+1-len(l.ids)))
	from := x.wanted[0].From
	for _, r := range slices.Backward(x.wanted) {
		n := r.To - r.From + 1
		if n >= left {
			from = r.To - left + 1
			break
		}
		left -= n
	}
	return x.read(ctx, l.s, from, l.first)
}

// advance finds the next stretch of a feed that has wanted items; false when none is left.
func (l *idList) advance(x *idsOfFeed) bool {
	for len(x.wanted) > 0 {
		seq := x.wanted[len(x.wanted)-1].To
		if l.q.Oldest {
			seq = max(x.wanted[0].From, x.from) // what comes before is older than the first minute
		}
		if seq < x.from || seq > x.arrivals.last() {
			bound := reader.Minute(x.feed.Stamp)
			if len(x.list) > 0 {
				bound = x.list[0].stamp
			}
			x.next, x.key = -1, reader.NewItemID(bound, x.id, 0)
			return bound >= l.first
		}
		x.next = x.at(seq)
		switch stamp := x.list[x.next].stamp; {
		case stamp >= l.first && stamp <= l.last && stamp > 0:
			x.key = reader.NewItemID(stamp, x.id, 0)
			return true
		case stamp > l.last && l.q.Oldest, stamp > 0 && stamp < l.first && !l.q.Oldest:
			return false
		}
		x.drop(x.next, l.q.Oldest)
	}
	return false
}

// drop removes from what is wanted of a feed a stretch, and what precedes it in the order of the list.
func (x *idsOfFeed) drop(i int, oldest bool) {
	first, last := x.first(i), x.list[i].last
	if oldest {
		for len(x.wanted) > 0 && x.wanted[0].To <= last {
			x.wanted = x.wanted[1:]
		}
		if len(x.wanted) > 0 {
			x.wanted[0].From = max(x.wanted[0].From, last+1)
		}
		return
	}
	n := len(x.wanted)
	for n > 0 && x.wanted[n-1].From >= first {
		n--
	}
	if x.wanted = x.wanted[:n]; n > 0 {
		x.wanted[n-1].To = min(x.wanted[n-1].To, first-1)
	}
}

// take appends the ids of the next stretch.
func (l *idList) take(x *idsOfFeed) {
	first, last, stamp := x.first(x.next), x.list[x.next].last, x.list[x.next].stamp
	begin := len(l.ids)
	for _, r := range slices.Backward(x.wanted) {
		if r.To < first {
			break
		}
		for seq := min(r.To, last); seq >= max(r.From, first); seq-- {
			id := reader.NewItemID(stamp, x.id, seq)
			if id > l.q.Above && (l.q.Below == 0 || id < l.q.Below) {
				l.ids = append(l.ids, id)
			}
		}
	}
	if l.q.Oldest || first.Turns(last) {
		l.order(l.ids[begin:])
	}
	x.drop(x.next, l.q.Oldest)
}

func (l *idList) order(ids []reader.ItemID) {
	slices.SortFunc(ids, func(a, b reader.ItemID) int {
		if l.q.Oldest {
			a, b = b, a
		}
		return cmp.Compare(b, a)
	})
}

package stream

import (
	"cmp"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// ranking is the feeds of a side bar in the order in which their next items can come, so that a page opens the first
// few of them however many there are. It is kept from request to request: of a side bar in which some feeds have
// changed, these alone are ranked anew.
type ranking struct {
	list  []*Subscribed // in order of feed number
	bound []int64       // of each: no item of it has a greater rank
	order []int32       // their places in the list, by falling bound
}

// rankedBy tells rankings apart: oldest first, the bound depends on what is unread.
type rankedBy struct {
	user           reader.UserID
	oldest, unread bool
}

// rankingBytes bounds the memory of rankings with the side bars that they are of: these are mostly the one that is in
// memory, but an old ranking holds an old one.
const rankingBytes = viewBytes / 2

// ranked returns the ranking of a side bar for a query.
func (s *Service) ranked(u reader.UserID, bar *sideBar, q *Query) *ranking {
	if q.Feed > 0 || !bar.isLocal {
		return (&ranking{}).next(bar.all, q)
	}
	key := rankedBy{u, q.Oldest, q.Oldest && q.Filter == Unread}
	old, ok := s.rankings.Get(key)
	if !ok {
		old = &ranking{}
	}
	now := old.next(bar.all, q)
	if now != old {
		s.rankings.Put(key, now, (subscribedBytes+20)*len(bar.all))
	}
	return now
}

// next returns the ranking of a later side bar.
func (r *ranking) next(list []*Subscribed, q *Query) *ranking {
	if sameList(r.list, list) {
		return r
	}
	now := &ranking{list: list}
	if !sameFeeds(r.list, list) {
		now.bound = make([]int64, len(list))
		now.order = make([]int32, len(list))
		for i, x := range list {
			now.bound[i], now.order[i] = x.bound(q), int32(i)
		}
		now.sort(now.order)
		return now
	}
	now.bound, now.order = r.bound, r.order
	var moved []int32
	for i, x := range list {
		if x == r.list[i] {
			continue
		}
		if b := x.bound(q); b != r.bound[i] {
			if moved == nil {
				now.bound = slices.Clone(r.bound)
			}
			now.bound[i] = b
			moved = append(moved, int32(i))
		}
	}
	if moved != nil {
		now.order = now.moved(r.order, moved)
	}
	return now
}

// moved returns an order after the bounds of some feeds, given by their places, have changed.
func (r *ranking) moved(order, places []int32) []int32 {
	out := make([]int32, 0, len(order))
	left := slices.Clone(places) // sorted by place, to tell which are left out
	r.sort(places)
	for _, i := range order {
		if _, is := slices.BinarySearch(left, i); is {
			continue
		}
		for len(places) > 0 && r.compare(places[0], i) < 0 {
			out, places = append(out, places[0]), places[1:]
		}
		out = append(out, i)
	}
	return append(out, places...)
}

func (r *ranking) sort(places []int32) { slices.SortFunc(places, r.compare) }

func (r *ranking) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(r.bound[b], r.bound[a]), cmp.Compare(a, b))
}

// bound is the greatest rank that an item of the feed can have in a stream.
func (s *Subscribed) bound(q *Query) int64 {
	if !q.Oldest {
		return s.Feed.NewestAt
	}
	filter := All // what is hidden changes too little to be ranked apart
	if q.Filter == Unread {
		filter = Unread
	}
	x := source{order: order{true}, sub: s, filter: filter, bound: anything}
	x.agesFrom(x.floor() + 1)
	return x.bound
}

// sameList reports that two side bars are one and the same, whose feeds need not be compared.
func sameList(a, b []*Subscribed) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// sameFeeds reports that two side bars have the same feeds.
func sameFeeds(a, b []*Subscribed) bool {
	return slices.EqualFunc(a, b, func(a, b *Subscribed) bool { return a == b || a.Feed.ID() == b.Feed.ID() })
}

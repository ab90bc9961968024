package stream

import (
	"cmp"
	"container/heap"
)

// ranking orders the feeds of a stream by when their next item can come, so that a page opens only the first few.
type ranking struct {
	list  []*Subscribed
	bound []int64 // of each: no item of it has a greater rank
}

// newRanking returns the feeds of a stream, ready to be taken from the heap.
func newRanking(list []*Subscribed, q *Query) *ranking {
	r := &ranking{list: list, bound: make([]int64, len(list))}
	var of source
	for i, x := range list {
		r.bound[i] = x.bound(q, &of)
	}
	heap.Init(r)
	return r
}

// Len is heap.Interface's.
func (r *ranking) Len() int { return len(r.list) }

// Less is heap.Interface's.
func (r *ranking) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(r.bound[j], r.bound[i]), cmp.Compare(r.list[i].id, r.list[j].id)) < 0
}

// Swap is heap.Interface's.
func (r *ranking) Swap(i, j int) {
	r.list[i], r.list[j] = r.list[j], r.list[i]
	r.bound[i], r.bound[j] = r.bound[j], r.bound[i]
}

// Push is heap.Interface's, and is not used: nothing is added.
func (r *ranking) Push(any) {}

// Pop is heap.Interface's.
func (r *ranking) Pop() any {
	last := len(r.list) - 1
	x := r.list[last]
	r.list, r.bound = r.list[:last], r.bound[:last]
	return x
}

// bound is the greatest rank that an item of the feed can have in a stream. x is for its use.
func (s *Subscribed) bound(q *Query, x *source) int64 {
	if !q.Oldest {
		return s.Feed.NewestAt
	}
	filter := All // what is hidden changes too little to be ranked apart
	if q.Filter == Unread {
		filter = Unread
	}
	*x = source{order: order{true}, sub: s, filter: filter, bound: anything}
	x.agesFrom(x.floor() + 1)
	return x.bound
}

package stream

import (
	"cmp"
	"container/heap"
)

// bounded is a feed of a stream that has not been read yet.
type bounded struct {
	sub   *Subscribed
	bound int64 // no item of it has a greater rank
}

// byBound orders the feeds of a stream by when their next item can come, so that a page opens only the first few.
func byBound(list []*Subscribed, q *Query) *heapOf[bounded] {
	h := &heapOf[bounded]{list: make([]bounded, len(list)), before: func(a, b bounded) bool {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.sub.id, b.sub.id)) < 0
	}}
	var of source
	for i, x := range list {
		h.list[i] = bounded{x, x.bound(q, &of)}
	}
	heap.Init(h)
	return h
}

// bound is the greatest rank that an item of the feed can have in a stream.
func (s *Subscribed) bound(q *Query, x *source) int64 {
	if !q.Oldest {
		return s.Feed.NewestAt
	}
	filter := All // what is hidden changes too little to be bounded apart
	if q.Filter == Unread {
		filter = Unread
	}
	*x = source{order: order{true}, sub: s, filter: filter, bound: anything}
	x.agesFrom(x.floor() + 1)
	return x.bound
}

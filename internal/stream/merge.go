package stream

import (
	"container/heap"
	"context"
	"slices"
	"sort"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// merged gives a page over some feeds, newest sort time first. A feed is opened only when the newest
// item it can have is next in line: its row says how new that is. Within a feed an unopened delta
// holds nothing newer than its arrival, since sort times are never after it.
func (s *Service) merged(ctx context.Context, list []Subscribed, f Filter, cur string, limit int) (Page, error) {
	c, err := decodeCursor(cur)
	if err != nil {
		return Page{}, err
	}
	limit = Limit(limit)
	last := Entry{ID: c.ID, Header: store.Header{Sort: c.Sort}}
	var open sources
	for i := range list {
		sub := &list[i]
		if sub.Feed.Seq <= sub.Feed.Floor || f == Unread && sub.Unread() == 0 || f == Hidden && len(sub.State.Hid) == 0 {
			continue
		}
		src := &source{s: s, sub: sub, filter: f, bound: sub.Feed.NewestAt}
		if c.ID > 0 {
			from, opened := c.From[uint32(sub.Feed.ID())]
			if opened && from == 0 {
				continue // shown to its end
			}
			src.after, src.from = &last, reader.Seq(from)
		}
		open = append(open, src)
	}
	all := slices.Clone(open)
	heap.Init(&open)
	var p Page
	for len(open) > 0 && len(p.Items) <= limit {
		top := open[0]
		if !top.ready() {
			if err := top.advance(ctx); err != nil {
				return Page{}, err
			}
			if top.empty() {
				heap.Pop(&open)
			} else {
				heap.Fix(&open, 0)
			}
			continue
		}
		if len(p.Items) == limit {
			p.Next = all.cursor(p.Items[limit-1], c)
			break
		}
		p.Items = append(p.Items, top.take())
		if top.empty() {
			heap.Pop(&open)
		} else {
			heap.Fix(&open, 0)
		}
	}
	return p, nil
}

// source is one feed being merged: items read but not shown, and a bound on those not read.
type source struct {
	s      *Service
	sub    *Subscribed
	filter Filter
	after  *Entry // only items behind this one are wanted
	from   reader.Seq
	buf    []Entry // sorted, newest first
	bound  int64   // no unread delta holds an item with a greater sort time
	next   reader.Seq
	begun  bool
	done   bool
}

// ready reports that the first item of the buffer cannot be preceded by one that is still unread.
func (x *source) ready() bool {
	return len(x.buf) > 0 && (x.done || x.buf[0].Header.Sort >= x.bound)
}

func (x *source) empty() bool { return x.done && len(x.buf) == 0 }

// key is the greatest sort time that the source can still give.
func (x *source) key() int64 {
	k := int64(-1 << 62)
	if !x.done {
		k = x.bound
	}
	if len(x.buf) > 0 && x.buf[0].Header.Sort > k {
		k = x.buf[0].Header.Sort
	}
	return k
}

func (x *source) take() Entry {
	e := x.buf[0]
	x.buf = x.buf[1:]
	return e
}

// deltasAtOnce are read by one query; most feeds need no second.
const deltasAtOnce = 4

// advance reads further deltas, and lowers the bound to the arrival of the last one read.
func (x *source) advance(ctx context.Context) error {
	if !x.begun {
		x.begun = true
		x.next = reader.Seq(x.sub.Feed.Seq)
		if x.from > 0 && x.from < x.next {
			x.next = x.from
		}
	}
	if x.next == 0 || x.next <= reader.Seq(x.sub.Feed.Floor) {
		x.done = true
		return nil
	}
	read := 0
	err := x.s.store.Items.Descend(ctx, x.sub.Feed.ID(), x.next, func(d *store.DeltaRow) (bool, error) {
		if d.First() > reader.Seq(x.sub.Feed.Seq) {
			return true, nil // not committed yet
		}
		read++
		x.next = d.First() - 1
		x.bound = min(x.bound, d.At/1000)
		if err := x.add(d); err != nil {
			return false, err
		}
		return read < deltasAtOnce && x.next > reader.Seq(x.sub.Feed.Floor), nil
	})
	if err != nil {
		return err
	}
	if read == 0 || x.next <= reader.Seq(x.sub.Feed.Floor) {
		x.done = true
	}
	sort.SliceStable(x.buf, func(i, j int) bool { return x.buf[i].before(&x.buf[j]) })
	return nil
}

// add takes the wanted items of a delta into the buffer.
func (x *source) add(d *store.DeltaRow) error {
	if x.filter == Unread && !x.sub.State.HasUnread(d.First()-1, d.Last()) {
		return nil
	}
	if x.filter == Hidden && x.sub.State.Hid.Count(d.First(), d.Last()) == 0 {
		return nil
	}
	list, err := entries(x.sub, d)
	if err != nil {
		return err
	}
	for _, e := range list {
		if x.filter == Unread && e.Read || e.Hidden != (x.filter == Hidden) {
			continue
		}
		if x.after != nil && !x.after.before(&e) {
			continue
		}
		x.buf = append(x.buf, e)
	}
	return nil
}

// sources is a heap: the feed that may hold the newest item is first.
type sources []*source

func (h sources) Len() int { return len(h) }
func (h sources) Less(i, j int) bool {
	a, b := h[i], h[j]
	if ka, kb := a.key(), b.key(); ka != kb {
		return ka > kb
	}
	// At equal times an unread bound goes first, so that nothing newer is passed over; then ids.
	if a.ready() != b.ready() {
		return !a.ready()
	}
	if len(a.buf) > 0 && len(b.buf) > 0 {
		return a.buf[0].before(&b.buf[0])
	}
	return len(a.buf) > len(b.buf)
}
func (h sources) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is heap.Interface's; sources are never added to after the start.
func (h *sources) Push(x any) { *h = append(*h, x.(*source)) }

// Pop is heap.Interface's.
func (h *sources) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// cursor tells where the next page goes on: each opened feed's highest seq not yet shown, zero for those
// that were shown to their end, in this page or before.
func (h sources) cursor(last Entry, before cursor) string {
	c := cursor{Sort: last.Header.Sort, ID: last.ID, From: map[uint32]uint32{}}
	for f, from := range before.From {
		if from == 0 {
			c.From[f] = 0
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
		c.From[uint32(x.sub.Feed.ID())] = uint32(from)
	}
	return c.encode()
}

// rest is the highest seq that was not shown yet, zero when there is none.
func (x *source) rest() (from reader.Seq) {
	if !x.done {
		from = x.next
	}
	for _, e := range x.buf {
		from = max(from, e.Seq)
	}
	return from
}

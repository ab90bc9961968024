package stream

import (
	"context"
	"sort"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// order is the direction of a stream. Ranks are sort times, negated for oldest first: the greatest rank is always next.
type order struct{ oldest bool }

func (o order) rank(sort int64) int64 {
	if o.oldest {
		return -sort
	}
	return sort
}

// before orders a stream: by sort time, then by id.
func (o order) before(a, b *Entry) bool {
	if a.Header.Sort != b.Header.Sort {
		return (a.Header.Sort > b.Header.Sort) != o.oldest
	}
	return a.ID != b.ID && (a.ID > b.ID) != o.oldest
}

const (
	// anything is greater than every rank.
	anything = int64(1) << 62
	// lookAhead is how much earlier than its arrival an item of a later crawl may be published: the crawler allows a day, and
	// a delta that is committed late arrives later.
	lookAhead = 2 * 24 * 60 * 60
	// deltasAtFirst are read by the first query of a feed, which is often enough. Each further query reads twice as many, up to
	// deltasAtMost.
	deltasAtFirst = 4
	deltasAtMost  = 32
)

// source is one feed of a merge: items read but not shown, and a bound on those not read.
type source struct {
	order
	items  *store.Items
	places places
	sub    *Subscribed
	filter Filter
	since  int64
	after  *Entry     // only items behind this one are wanted
	from   reader.Seq // where the page before ended; 0 = nowhere yet
	buf    []Entry    // in the stream's order
	bound  int64      // nothing that is not read yet has a greater rank
	next   reader.Seq // the next one to read
	exact  bool       // next begins a delta
	atOnce int
	begun  bool
	done   bool
}

func (s *Service) source(sub *Subscribed, q *Query) *source {
	x := &source{
		order: order{q.Oldest}, items: s.store.Items, places: s.places, sub: sub, filter: q.Filter, since: q.Since, atOnce: deltasAtFirst,
		bound: anything,
	}
	if !q.Oldest {
		x.bound = sub.Feed.NewestAt
		return x
	}
	if q.Since > 0 {
		x.bound = x.rank(q.Since)
	}
	x.agesFrom(x.floor() + 1)
	return x
}

// agesFrom lowers the bound, oldest first, to what the feed's row records about the ages of the items from a seq on.
func (x *source) agesFrom(seq reader.Seq) {
	if from := x.nearest(seq, x.last()); from > 0 {
		if oldest, known := x.sub.Feed.Ages.Oldest(from, x.last()); known {
			x.bound = min(x.bound, x.rank(oldest))
		}
	}
}

func (x *source) floor() reader.Seq { return reader.Seq(x.sub.Feed.Floor) }
func (x *source) last() reader.Seq  { return reader.Seq(x.sub.Feed.Seq) }

// wants reports whether the feed can have anything for the stream.
func (x *source) wants() bool {
	switch x.filter {
	case Unread:
		return x.sub.State.HasUnread(x.floor(), x.last())
	case Hidden:
		return x.sub.State.Hid.Count(x.floor()+1, x.last()) > 0
	default:
		return x.last() > x.floor() && (x.since == 0 || x.sub.Feed.NewestAt >= x.since)
	}
}

// ready reports that no unread delta can precede the first item of the buffer.
func (x *source) ready() bool {
	return len(x.buf) > 0 && (x.done || x.rank(x.buf[0].Header.Sort) >= x.bound)
}

func (x *source) empty() bool { return x.done && len(x.buf) == 0 }

// key is the greatest rank that the source can still give.
func (x *source) key() int64 {
	k := -anything
	if !x.done {
		k = x.bound
	}
	if len(x.buf) > 0 {
		k = max(k, x.rank(x.buf[0].Header.Sort))
	}
	return k
}

func (x *source) take() Entry {
	e := x.buf[0]
	x.buf = x.buf[1:]
	return e
}

// advance reads further deltas, and lowers the bound accordingly. It returns the cost in half read units.
func (x *source) advance(ctx context.Context) (spent int, err error) {
	if !x.begun {
		x.begun = true
		if x.next = x.from; x.next == 0 {
			if spent, err = x.start(ctx); err != nil {
				return spent, err
			}
		}
	}
	if x.jump(); x.done {
		return spent, nil
	}
	list, cost, end, err := x.window(ctx)
	spent += cost
	if err != nil {
		return spent, err
	}
	for _, d := range list {
		if d.First() > x.last() {
			end = x.oldest // not committed yet
			continue
		}
		if err := x.add(d); err != nil {
			return spent, err
		}
	}
	x.done = x.done || end || len(list) == 0
	x.atOnce = min(2*x.atOnce, deltasAtMost)
	sort.SliceStable(x.buf, func(i, j int) bool { return x.before(&x.buf[i], &x.buf[j]) })
	return spent, nil
}

// start finds where to begin. Oldest first with a bound on the time, what arrived before it is skipped by bisection: nothing
// is published later than it arrives.
func (x *source) start(ctx context.Context) (spent int, err error) {
	x.next = x.last()
	if !x.oldest {
		return 0, nil
	}
	x.next = x.floor() + 1
	if x.since == 0 {
		return 0, nil
	}
	for lo, hi := x.next, x.last(); hi-lo > 64; {
		mid := lo + (hi-lo)/2
		d, err := x.items.At(ctx, x.sub.Feed.ID(), mid)
		if spent++; err != nil {
			if fault.Is(err, fault.NotFound) {
				return spent, nil
			}
			return spent, err
		}
		if d.At/1000 < x.since {
			lo, x.next = d.Last()+1, d.Last()+1
		} else {
			hi = d.First()
		}
	}
	return spent, nil
}

// jump moves next to the nearest item that the stream wants, and ends the source when there is none.
func (x *source) jump() {
	if x.done || x.next == 0 {
		x.done = true
		return
	}
	lo, hi := x.floor()+1, min(x.next, x.last())
	if x.oldest {
		lo, hi = max(x.next, lo), x.last()
	}
	at := x.nearest(lo, hi)
	x.exact = x.exact && at == x.next
	x.next, x.done = at, at == 0
}

// nearest returns the seq from lo to hi that the stream wants first; zero when it wants none.
func (x *source) nearest(lo, hi reader.Seq) reader.Seq {
	state := &x.sub.State
	switch {
	case lo > hi:
		return 0
	case x.filter == Unread && x.oldest:
		return state.FirstUnread(lo-1, hi)
	case x.filter == Unread:
		return state.LastUnread(lo-1, hi)
	case x.filter == Hidden && x.oldest:
		return state.Hid.First(lo, hi)
	case x.filter == Hidden:
		return state.Hid.Last(lo, hi)
	case x.oldest:
		return lo
	}
	return hi
}

// window reads deltas from next on. Oldest first, when next may lie within a delta, that one is read first.
func (x *source) window(ctx context.Context) ([]*store.DeltaRow, int, bool, error) {
	feed := x.sub.Feed.ID()
	if !x.oldest || x.exact {
		return x.items.Window(ctx, feed, x.next, !x.oldest, x.atOnce)
	}
	list, spent, _, err := x.items.Window(ctx, feed, x.next, true, 1)
	if err != nil || len(list) > 0 && list[0].Last() >= x.next {
		x.atOnce = 1 // the list is whole, and the next one reads two
		return list, spent, false, err
	}
	list, more, end, err := x.items.Window(ctx, feed, x.next, false, x.atOnce)
	return list, spent + more, end, err
}

// add puts the wanted items of a delta into the buffer, and moves past it.
func (x *source) add(d *store.DeltaRow) error {
	x.behind(d)
	if x.filter == Unread && !x.sub.State.HasUnread(d.First()-1, d.Last()) ||
		x.filter == Hidden && x.sub.State.Hid.Count(d.First(), d.Last()) == 0 {
		return nil
	}
	list, err := entries(x.sub, d)
	if err != nil {
		return err
	}
	x.places.note(x.sub.Feed.ID(), d)
	for i := range list {
		if e := &list[i]; x.wanted(e) {
			x.buf = append(x.buf, *e)
		}
	}
	return nil
}

func (x *source) wanted(e *Entry) bool {
	switch {
	case e.Hidden != (x.filter == Hidden), x.filter == Unread && e.Read, x.since > 0 && e.Header.Sort < x.since:
		return false
	}
	return x.after == nil || x.before(x.after, e)
}

// behind moves past a delta. Newest first, older deltas have nothing newer than its arrival; oldest first, newer deltas have
// nothing much older than it, except for the first crawl, for which the feed's row records the ages.
func (x *source) behind(d *store.DeltaRow) {
	arrived := d.At / 1000
	if !x.oldest {
		x.next, x.bound = d.First()-1, min(x.bound, arrived)
		x.done = x.next <= x.floor() || x.since > 0 && x.bound < x.since
		return
	}
	x.next, x.exact = d.Last()+1, true
	if d.Last() >= reader.Seq(x.sub.Feed.FirstSeq) {
		x.bound = min(x.bound, x.rank(arrived-lookAhead))
	}
	x.agesFrom(x.next)
	x.done = x.next > x.last()
}

// rest is where the next page continues in the feed, zero at the end. Oldest first there is no end: what arrives meanwhile
// belongs after the last page.
func (x *source) rest() (from reader.Seq) {
	if !x.done {
		from = x.next
	}
	for i := range x.buf {
		if seq := x.buf[i].Seq; from == 0 || (seq > from) != x.oldest {
			from = seq
		}
	}
	if from == 0 && x.oldest {
		from = x.last() + 1
	}
	return from
}

// sources is a heap: the feed that may hold the next item is first.
type sources []*source

func (h sources) Len() int { return len(h) }
func (h sources) Less(i, j int) bool {
	a, b := h[i], h[j]
	if ka, kb := a.key(), b.key(); ka != kb {
		return ka > kb
	}
	// At equal ranks a bound goes first, so that nothing is passed over; then ids.
	if a.ready() != b.ready() {
		return !a.ready()
	}
	if len(a.buf) > 0 && len(b.buf) > 0 {
		return a.before(&a.buf[0], &b.buf[0])
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

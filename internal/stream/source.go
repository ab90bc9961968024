package stream

import (
	"cmp"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// order is the direction of a stream. Ranks are sort times, negated for oldest first: the greatest rank is always next.
type order struct{ oldest bool }

func (o order) rank(sort int64) int64 {
	if o.oldest {
		return -sort
	}
	return sort
}

// spot is an item's place in a stream.
type spot struct {
	sort int64
	id   reader.ItemID
}

func (e *Entry) spot() spot { return spot{e.Header.Sort, e.ID} }

// compare orders a stream: by sort time, then by id.
func (o order) compare(a, b spot) int {
	c := cmp.Or(cmp.Compare(b.sort, a.sort), cmp.Compare(b.id, a.id))
	if o.oldest {
		return -c
	}
	return c
}

func (o order) before(a, b spot) bool { return o.compare(a, b) < 0 }

// waiting is an item that was read and not shown yet.
type waiting struct {
	spot
	seq reader.Seq
	in  *delta
}

const (
	// anything is greater than every rank.
	anything = int64(1) << 62
	// lookAhead is how long before its arrival an item may be published after a feed's first crawl. The crawler allows
	// a day, and late commits arrive later. A clock that was set back adds to it (FeedRow.ClockBack).
	lookAhead = 2 * 24 * 60 * 60
	// deltasAtFirst is the size of a feed's first query. Each further query reads twice as many, up to deltasAtMost.
	deltasAtFirst = 4
	deltasAtMost  = 32
)

// source is one feed of a merge: items read but not shown, and a bound on those not read.
type source struct {
	order
	deltas *deltas
	places places
	sub    *Subscribed
	filter Filter
	since  int64
	skips  *firstPart // of a list by popularity
	after  *spot      // only items behind it are wanted
	from   reader.Seq // where the page before ended; 0 = nowhere yet
	buf    []waiting  // in the stream's order
	bound  int64      // nothing that is not read yet has a greater rank
	next   reader.Seq // the next one to read
	exact  bool       // next begins a delta
	atOnce int
	begun  bool
	done   bool
}

func (s *Service) source(sub *Subscribed, q *Query) *source {
	x := &source{
		order: order{q.Oldest}, deltas: s.deltas, places: s.places, sub: sub, filter: q.Filter, since: q.Since,
		skips: q.first, atOnce: deltasAtFirst,
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

// wants reports whether a feed can have anything for a stream.
func wants(sub *Subscribed, q *Query) bool {
	floor, last := reader.Seq(sub.Feed.Floor), reader.Seq(sub.Feed.Seq)
	switch q.Filter {
	case Unread:
		return sub.unread > 0
	case Hidden:
		return sub.State.Hid.Count(floor+1, last) > 0
	default:
		return last > floor && (q.Since == 0 || sub.Feed.NewestAt >= q.Since)
	}
}

// ready reports that no unread delta can precede the first item of the buffer.
func (x *source) ready() bool {
	return len(x.buf) > 0 && (x.done || x.rank(x.buf[0].sort) >= x.bound)
}

func (x *source) empty() bool { return x.done && len(x.buf) == 0 }

// key is the greatest rank that the source can still give.
func (x *source) key() int64 {
	k := -anything
	if !x.done {
		k = x.bound
	}
	if len(x.buf) > 0 {
		k = max(k, x.rank(x.buf[0].sort))
	}
	return k
}

func (x *source) take() Entry {
	w := x.buf[0]
	x.buf = x.buf[1:]
	return w.in.entry(x.sub, w.seq)
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
	list, cost, end, err := x.deltas.window(ctx, x.sub.Feed, x.next, !x.oldest, x.exact, x.atOnce)
	spent += cost
	if err != nil {
		return spent, err
	}
	for _, d := range list {
		x.add(d)
	}
	x.done = x.done || end || len(list) == 0
	x.atOnce = min(2*max(len(list), 1), deltasAtMost)
	slices.SortFunc(x.buf, func(a, b waiting) int { return x.compare(a.spot, b.spot) })
	return spent, nil
}

// start finds where to begin. Oldest first, items that arrived before the bound on time are skipped by bisection.
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
		d, err := x.deltas.store.Items.At(ctx, x.sub.Feed.ID(), mid)
		if spent++; err != nil {
			if fault.Is(err, fault.NotFound) {
				return spent, nil
			}
			return spent, err
		}
		if d.Arrived()/1000 < x.since {
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

// add puts the wanted items of a delta into the buffer, and moves past it.
func (x *source) add(d *delta) {
	x.behind(d)
	feed := x.sub.Feed.ID()
	x.places.note(feed, d)
	x.buf = slices.Grow(x.buf, d.headers.Len())
	for seq := max(d.first, x.floor()+1); seq <= min(d.last, x.last()); seq++ {
		if at := (spot{d.sort(seq), d.id(feed, seq)}); x.wanted(seq, at) {
			x.buf = append(x.buf, waiting{at, seq, d})
		}
	}
}

func (x *source) wanted(seq reader.Seq, at spot) bool {
	state := &x.sub.State
	if x.since > 0 && at.sort < x.since || x.after != nil && !x.before(*x.after, at) {
		return false
	}
	if x.filter == Unread && state.IsRead(seq) || x.skips.has(x.sub.id, seq) {
		return false
	}
	return state.Hid.Has(seq) == (x.filter == Hidden)
}

// behind moves past a delta. Newest first, older deltas have nothing newer than its arrival; oldest first, newer deltas
// have little that is older, except for the first crawl, whose ages the feed's row records.
func (x *source) behind(d *delta) {
	if !x.oldest {
		x.next, x.bound = d.first-1, min(x.bound, d.arrived)
		x.done = x.next <= x.floor() || x.since > 0 && x.bound < x.since
		return
	}
	x.next, x.exact = d.last+1, true
	if d.last >= reader.Seq(x.sub.Feed.FirstSeq) {
		x.bound = min(x.bound, x.rank(d.arrived-x.sub.Feed.ClockBack-lookAhead))
	}
	x.agesFrom(x.next)
	x.done = x.next > x.last()
}

// rest is where the next page continues in the feed, zero at the end. Oldest first there is no end: what arrives
// meanwhile belongs after the last page.
func (x *source) rest() (from reader.Seq) {
	if !x.done {
		from = x.next
	}
	for i := range x.buf {
		if seq := x.buf[i].seq; from == 0 || (seq > from) != x.oldest {
			from = seq
		}
	}
	if from == 0 && x.oldest {
		from = x.last() + 1
	}
	return from
}

// comesBefore reports whether this feed of a merge, rather than the other, may hold the next item.
func (x *source) comesBefore(y *source) bool {
	if kx, ky := x.key(), y.key(); kx != ky {
		return kx > ky
	}
	// At equal ranks a bound goes first, so that nothing is passed over; then ids.
	if x.ready() != y.ready() {
		return !x.ready()
	}
	if len(x.buf) > 0 && len(y.buf) > 0 {
		return x.before(x.buf[0].spot, y.buf[0].spot)
	}
	return len(x.buf) > len(y.buf)
}

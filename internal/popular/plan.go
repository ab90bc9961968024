package popular

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// class is why items are asked for, in the order in which they are.
type class uint8

const (
	arrived class = iota // for the first time
	again                // they reached an age of the schedule
	older                // they arrived before counting began
)

// ask is items of one delta to ask for.
type ask struct {
	class class
	both  bool // with the other scheme too
	feed  reader.FeedID
	first reader.Seq
	n     int
	// at is the time when the items arrived or, for class again, became due.
	at reader.Minute
}

// asks are packed in messages.
type asks []ask

func (list asks) MarshalBinary() ([]byte, error) {
	var b []byte
	for _, a := range list {
		flags := uint64(a.class) << 1
		if a.both {
			flags |= 1
		}
		for _, n := range [...]uint64{flags, uint64(a.feed), uint64(a.first), uint64(a.n), uint64(a.at)} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b, nil
}

func (list *asks) UnmarshalBinary(b []byte) error {
	d := reader.Decoder{Rest: string(b)}
	for *list = nil; d.More(); {
		flags := d.Uvarint()
		*list = append(*list, ask{
			class(flags >> 1), flags&1 > 0, reader.FeedID(d.Uvarint()), reader.Seq(d.Uvarint()), int(d.Uvarint()),
			reader.Minute(d.Uvarint()),
		})
	}
	if len(b) > 0 && !d.Done() {
		return fault.New(fault.Invalid, "bad_message", "popular: asks", nil)
	}
	return nil
}

func (list asks) items() (n int) {
	for _, a := range list {
		n += a.n
	}
	return n
}

// cut splits a list after so many items.
func (list asks) cut(most int) (kept, left asks) {
	for i, a := range list {
		if a.n > most {
			if most > 0 {
				head := a
				head.n = most
				kept = append(list[:i:i], head)
				a.first, a.n = a.first+reader.Seq(most), a.n-most
				return kept, append(asks{a}, list[i+1:]...)
			}
			return list[:i], list[i:]
		}
		most -= a.n
	}
	return list, nil
}

// firsts are the first of each class.
func (list asks) firsts() (out asks) {
	for _, a := range list {
		if len(out) == 0 || out[len(out)-1].class != a.class {
			out = append(out, a)
		}
	}
	return out
}

// after returns the rest of an ask from a stop on; false if nothing is left.
func (a ask) after(stop store.Stop) (ask, bool) {
	last := a.first + reader.Seq(a.n) - 1
	if stop.Passed(a.feed, last) {
		return a, false
	}
	if stop.Passed(a.feed, a.first) {
		a.first, a.n = stop.Seq, int(last-stop.Seq)+1
	}
	return a, true
}

// planning makes the plan of one cycle.
type planning struct {
	s      *Service
	prev   store.CycleRow // the newest that is done
	stops  store.Stops    // of prev
	upto   reader.Minute
	except map[reader.FeedID]bool // are never asked for
	counts *Counts
	most   int // items that the cycle can ask for
	list   asks
	left   asks // what the next cycle begins with
	shed   int
	// filledTo is up to which feed older items are in the plan.
	filledTo uint32
}

// plan lists the items to ask for up to a minute: new ones, those that reached an age of the schedule, and, if there is
// room, those from before counting began. Items beyond the limit wait for the next cycle.
func (s *Service) plan(ctx context.Context, prev store.CycleRow, upto reader.Minute, feeds, except []reader.FeedID,
	counts *Counts) (*planning, error) {
	p := &planning{
		s: s, prev: prev, stops: prev.Stops(), upto: upto, counts: counts,
		most: s.o.MaxCalls * s.provider.Limits().URLs, except: map[reader.FeedID]bool{},
	}
	for _, f := range except {
		p.except[f] = true
	}
	if err := p.new(ctx, feeds); err != nil {
		return nil, err
	}
	if err := p.again(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.list, func(a, b ask) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.at, b.at), cmp.Compare(a.feed, b.feed),
			cmp.Compare(a.first, b.first))
	})
	if err := p.older(ctx); err != nil {
		return nil, err
	}
	p.list, p.left = p.list.cut(p.most)
	return p, nil
}

// add adds an ask without what was asked for up to a stop, which lies in the minute after one.
func (p *planning) add(a ask, done uint32, stop store.Stop) {
	isLeft := true
	if uint32(a.at) == done+1 {
		a, isLeft = a.after(stop)
	}
	if isLeft {
		p.list = append(p.list, a)
	}
}

// new adds what arrived since the last cycle.
func (p *planning) new(ctx context.Context, feeds []reader.FeedID) error {
	return p.s.store.Feeds.Load(ctx, feeds, func(f *store.FeedRow) error {
		if f.IsUncountable() || f.RemovingSince > 0 {
			return nil
		}
		return p.deltas(ctx, f, reader.Minute(p.prev.Arrived), p.upto, func(d *store.DeltaRow) {
			p.add(ask{arrived, true, f.ID(), d.First(), d.N, reader.Minute(d.Stamp)}, p.prev.Arrived, p.stops.Arrived)
		})
	})
}

// deltas calls each with a feed's committed deltas that arrived after from up to upto, newest first, without those of
// times when the feed was not to be asked for.
func (p *planning) deltas(ctx context.Context, f *store.FeedRow, from, upto reader.Minute,
	each func(*store.DeltaRow)) error {
	from = max(from, reader.Minute(f.CountsFrom))
	return p.s.store.Items.Descend(ctx, f.ID(), reader.Seq(f.Seq), func(d *store.DeltaRow) (bool, error) {
		at := reader.Minute(d.Stamp)
		if at <= from || d.Last() <= reader.Seq(f.Floor) {
			return false, nil
		}
		if at <= upto {
			each(d)
		}
		return true, nil
	})
}

// again adds what reached an age of the schedule since the last cycle.
func (p *planning) again(ctx context.Context) error {
	type key struct {
		feed  reader.FeedID
		first reader.Seq
	}
	seen := map[key]bool{}
	today := schedule.DayOf(schedule.TickOf(p.upto.Time()))
	for day := max(today-store.CycleDays, 0); day <= today; day++ {
		rows, err := p.s.store.Cycles.OfDay(ctx, day, 0)
		if err != nil {
			return err
		}
		for _, r := range rows {
			list, err := r.Asked()
			if err != nil || !r.IsDone {
				continue // a damaged row: its items are not asked for again
			}
			for _, x := range list {
				step, at, shed, isDue := p.s.steps.due(x.Arrived, reader.Minute(p.prev.Due), p.upto)
				k := key{x.Feed, x.First}
				if !isDue || seen[k] || p.except[x.Feed] {
					continue
				}
				seen[k] = true
				p.shed += shed * x.N
				p.step(step, at, x)
			}
		}
	}
	return nil
}

// step adds the items of a delta that reach an age, without those that are asked for seldom.
func (p *planning) step(step step, at reader.Minute, x store.AskedItems) {
	begin := x.First // of a run of items that are asked for
	for seq := x.First; seq <= x.First+reader.Seq(x.N); seq++ {
		isEnd := seq == x.First+reader.Seq(x.N)
		if !isEnd && (step.always || p.hasCount(x.Feed, seq)) {
			continue
		}
		if n := int(seq - begin); n > 0 {
			p.add(ask{again, step.both, x.Feed, begin, n, at}, p.prev.Due, p.stops.Due)
		}
		begin = seq + 1
	}
}

func (p *planning) hasCount(f reader.FeedID, seq reader.Seq) bool {
	c := p.counts.find(f, seq)
	return c != nil && c.count() > 0
}

// older adds what arrived in the days before counting began, feed by feed.
func (p *planning) older(ctx context.Context) error {
	highest, err := p.s.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	p.filledTo = p.prev.Filled
	on := reader.Minute(p.prev.On)
	from := on - min(on, p.s.steps.last())
	for f := reader.FeedID(p.prev.Filled) + 1; int(f) <= highest && p.list.items() < p.most; f++ {
		p.filledTo = uint32(f)
		row, err := p.s.store.Feeds.Get(ctx, f, false)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if row.IsUncountable() || row.RemovingSince > 0 || reader.Minute(row.Stamp) <= from {
			continue
		}
		before := len(p.list)
		err = p.deltas(ctx, row, from, on, func(d *store.DeltaRow) {
			a, isLeft := ask{older, true, f, d.First(), d.N, reader.Minute(d.Stamp)}.after(p.stops.Older)
			if isLeft {
				p.list = append(p.list, a)
			}
		})
		if err != nil {
			return err
		}
		slices.Reverse(p.list[before:]) // in the order of seqs, as stops are
	}
	return nil
}

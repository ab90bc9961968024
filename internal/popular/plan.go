package popular

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/binread"
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
	// at is when they arrived or, of class again, became due.
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
	d := binread.Reader{S: string(b)}
	for *list = nil; d.I < len(d.S); {
		flags := d.Uvarint()
		*list = append(*list, ask{
			class(flags >> 1), flags&1 > 0, reader.FeedID(d.Uvarint()), reader.Seq(d.Uvarint()), int(d.Uvarint()), reader.Minute(d.Uvarint()),
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

// maxPlanned bounds the items of a plan, so that it fits a message; what is left waits for the next cycle.
const maxPlanned = 6000

// planning makes the plan of one cycle.
type planning struct {
	s      *Service
	prev   store.CycleRow // the newest that is done
	upto   reader.Minute
	counts *Counts
	list   asks
	shed   int
	// filledTo is up to which feed older items are in the plan.
	filledTo uint32
}

// plan lists what is to be asked for up to a minute: what arrived in the feeds since the last cycle, what reached an age, and if there
// is room, what arrived before counting began.
func (s *Service) plan(ctx context.Context, prev store.CycleRow, upto reader.Minute, feeds []reader.FeedID, counts *Counts) (*planning, error) {
	p := &planning{s: s, prev: prev, upto: upto, counts: counts}
	if err := p.new(ctx, feeds); err != nil {
		return nil, err
	}
	if err := p.again(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.list, func(a, b ask) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.at, b.at), cmp.Compare(a.feed, b.feed), cmp.Compare(a.first, b.first))
	})
	return p, p.older(ctx)
}

// new adds what arrived since the last cycle.
func (p *planning) new(ctx context.Context, feeds []reader.FeedID) error {
	return p.s.store.Feeds.Load(ctx, feeds, func(f *store.FeedRow) error {
		if isPrivate(f) || f.RemovingSince > 0 {
			return nil
		}
		return p.deltas(ctx, f, reader.Minute(p.prev.Arrived), p.upto, arrived)
	})
}

// deltas adds the committed deltas of a feed that arrived after from up to upto.
func (p *planning) deltas(ctx context.Context, f *store.FeedRow, from, upto reader.Minute, c class) error {
	return p.s.store.Items.Descend(ctx, f.ID(), reader.Seq(f.Seq), func(d *store.DeltaRow) (bool, error) {
		at := reader.Minute(d.Stamp)
		if at <= from || d.Last() <= reader.Seq(f.Floor) {
			return false, nil
		}
		if at <= upto {
			p.list = append(p.list, ask{c, true, f.ID(), d.First(), d.N, at})
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
				if k := (key{x.Feed, x.First}); !isDue || seen[k] {
					continue
				} else {
					seen[k] = true
				}
				p.shed += shed * x.N
				p.step(step, at, x)
			}
		}
	}
	return nil
}

// step adds the items of a delta that reach an age, without those that are asked for seldom.
func (p *planning) step(step step, at reader.Minute, x store.AskedItems) {
	if step.always {
		p.list = append(p.list, ask{again, step.both, x.Feed, x.First, x.N, at})
		return
	}
	next := reader.Seq(0) // after the last one added
	for i := range x.N {
		seq := x.First + reader.Seq(i)
		if c := p.counts.find(x.Feed, seq); c == nil || c.count() == 0 {
			continue
		}
		if seq == next {
			p.list[len(p.list)-1].n++
		} else {
			p.list = append(p.list, ask{again, step.both, x.Feed, seq, 1, at})
		}
		next = seq + 1
	}
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
	for f := reader.FeedID(p.prev.Filled) + 1; int(f) <= highest && p.list.items() < maxPlanned/2; f++ {
		p.filledTo = uint32(f)
		row, err := p.s.store.Feeds.Get(ctx, f, false)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if isPrivate(row) || row.RemovingSince > 0 || reader.Minute(row.Stamp) <= from {
			continue
		}
		if err := p.deltas(ctx, row, from, on, older); err != nil {
			return err
		}
	}
	return nil
}

package reader

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"time"
)

// Positions are the bounds up to which a user's marks over several feeds have read each of them: one value in one row,
// so that marking everything is one write. It is a log: marks and undos have numbers in one order, and a subscription's
// state records in Applied up to which number it includes them. In adds the later ones, and the sum is stored when the
// subscription is written for another reason. Values are never changed in place; nil has no marks.
type Positions struct {
	Number int64 // of the newest mark or undo
	marks  []mark
	steps  []markedFeed // by feed, then by mark
	undone []undone
}

type mark struct{ number, at int64 }

// markedFeed is one mark in one feed.
type markedFeed struct {
	feed FeedID
	mark uint32 // its index in marks
	seq  Seq    // read up to it
	// floor is the feed's floor at the time: what lies below it is not counted as cleared.
	floor Seq
}

// undone says that a mark was undone, as the operation with the number by.
type undone struct{ mark, by, at int64 }

// Position is the bound up to which a mark reads a feed, whose floor is Floor.
type Position struct {
	Feed       FeedID
	Seq, Floor Seq
}

// Holding is the part of the positions that a subscription's row includes.
type Holding struct {
	Feed    FeedID
	Applied int64 // State.Applied of the row
	Mark    int64 // Prev.Mark of the row
}

const (
	// forgetAfter is how long the steps of feeds without a subscription are kept, should one come back that was only
	// not seen.
	forgetAfter = TallyDays * 24 * time.Hour
	// repeatable is how long an undo is kept for writers that began before it.
	repeatable = time.Hour
	// maxSteps bounds the row: about 200 KB.
	maxSteps = 40_000
)

// In returns the state of a subscription with the marks that it does not include yet.
func (p *Positions) In(f FeedID, s State) State {
	if p == nil || s.Applied >= p.Number {
		return s
	}
	for _, x := range p.of(f) {
		m := p.marks[x.mark]
		if m.number <= s.Applied {
			continue
		}
		s = p.undo(s, m.number)
		next, changed := Apply(s, Change{
			Ops: []Op{{Kind: OpReadUpTo, UpTo: x.seq}}, Floor: x.floor, At: m.at, Counts: true,
		})
		if changed {
			next.Prev.Mark = m.number
			s = next
		}
	}
	s = p.undo(s, p.Number+1)
	s.Applied = p.Number
	return s
}

// undo takes back the mark that a state remembers, if it was undone before another operation.
func (p *Positions) undo(s State, before int64) State {
	for _, u := range p.undone {
		if s.Prev.Mark > 0 && u.mark == s.Prev.Mark && u.by < before {
			s, _ = Undo(s, s.Prev.Version, 0)
		}
	}
	return s
}

// of returns the steps of a feed.
func (p *Positions) of(f FeedID) []markedFeed {
	i := sort.Search(len(p.steps), func(i int) bool { return p.steps[i].feed >= f })
	j := i
	for j < len(p.steps) && p.steps[j].feed == f {
		j++
	}
	return p.steps[i:j]
}

// Pending counts the marks of a feed that a subscription does not include.
func (p *Positions) Pending(f FeedID, applied int64) (n int) {
	if p == nil || applied >= p.Number {
		return 0
	}
	for _, x := range p.of(f) {
		if p.marks[x.mark].number > applied {
			n++
		}
	}
	return n
}

// Concern reports whether a state that was derived with older positions is another one with these.
func (p *Positions) Concern(f FeedID, s State) bool {
	if p == nil || s.Applied >= p.Number {
		return false
	}
	return p.Pending(f, s.Applied) > 0 || slices.ContainsFunc(p.undone, func(u undone) bool {
		return s.Prev.Mark > 0 && u.mark == s.Prev.Mark
	})
}

// Follow reports whether these are the positions after one mark or undo more than others.
func (p *Positions) Follow(q *Positions) bool {
	switch {
	case p == nil:
		return q == nil
	case q == nil:
		return p.Number == 1
	}
	return p.Number == q.Number+1
}

// Mark returns the positions after a mark of some feeds, in rising order as the holdings of all subscriptions are.
// Marks that all rows include are dropped. Marks made before settled cannot be undone any more: of those on one day the
// last is enough.
func (p *Positions) Mark(at, settled int64, list []Position, rows []Holding) *Positions {
	next := new(Positions)
	if p != nil {
		*next = *p
	}
	for _, r := range rows { // of positions that were lost, the numbers are not used again
		next.Number = max(next.Number, r.Applied)
	}
	next.Number++
	next.marks = append(slices.Clone(next.marks), mark{next.Number, at})
	all := make([]markedFeed, 0, len(next.steps)+len(list))
	all = append(all, next.steps...)
	for _, x := range list {
		all = append(all, markedFeed{feed: x.Feed, mark: uint32(len(next.marks) - 1), seq: x.Seq, floor: x.Floor})
	}
	slices.SortStableFunc(all, func(a, b markedFeed) int { return cmp.Compare(a.feed, b.feed) })
	next.steps = all
	next.drop(rows, at, settled, false)
	if len(next.steps) > maxSteps {
		next.drop(rows, at, at, true)
	}
	return next
}

// Undo returns the positions after a mark is undone: in the feeds that were not marked again since.
func (p *Positions) Undo(number, at int64) *Positions {
	next := *p
	next.Number++
	next.undone = append(slices.Clone(p.undone), undone{number, next.Number, at})
	return &next
}

// drop removes what no subscription needs. Where there are too many steps, days are not told apart.
func (p *Positions) drop(rows []Holding, at, settled int64, crowded bool) {
	kept := p.steps[:0] // of Mark's own
	i := 0
	for from := 0; from < len(p.steps); {
		to := from + 1
		for to < len(p.steps) && p.steps[to].feed == p.steps[from].feed {
			to++
		}
		list, feed := p.steps[from:to], p.steps[from].feed
		for i < len(rows) && rows[i].Feed < feed {
			i++
		}
		for n, x := range list {
			m := p.marks[x.mark]
			var later *markedFeed
			if n+1 < len(list) {
				later = &list[n+1]
			}
			switch {
			case i < len(rows) && rows[i].Feed == feed && m.number <= rows[i].Applied:
			case (i == len(rows) || rows[i].Feed != feed) && at-m.at > forgetAfter.Milliseconds():
			case later != nil && p.covers(*later, x, settled, crowded):
			case p.isUndone(m.number, later, settled):
			default:
				kept = append(kept, x)
			}
		}
		from = to
	}
	p.steps = slices.Clip(kept)
	p.undone = slices.DeleteFunc(slices.Clone(p.undone), func(u undone) bool {
		return at-u.at > repeatable.Milliseconds() && !slices.ContainsFunc(rows, func(r Holding) bool {
			return r.Mark == u.mark && r.Applied < u.by
		}) && !slices.ContainsFunc(p.steps, func(x markedFeed) bool { return p.marks[x.mark].number == u.mark })
	})
	p.renumber()
}

// covers reports whether a later mark of a feed says all that one before it does.
func (p *Positions) covers(later, x markedFeed, settled int64, crowded bool) bool {
	a, b := p.marks[x.mark], p.marks[later.mark]
	if b.at > settled || slices.ContainsFunc(p.undone, func(u undone) bool {
		return u.mark == a.number || u.mark == b.number
	}) {
		return false
	}
	return crowded || DayOf(a.at) == DayOf(b.at) && x.floor == later.floor
}

// isUndone reports whether a mark was undone in a feed before the feed was marked again.
func (p *Positions) isUndone(number int64, later *markedFeed, settled int64) bool {
	return slices.ContainsFunc(p.undone, func(u undone) bool {
		return u.mark == number && u.at <= settled && (later == nil || p.marks[later.mark].number > u.by)
	})
}

// renumber drops the marks that are of no feed any more.
func (p *Positions) renumber() {
	used := make([]bool, len(p.marks))
	for _, x := range p.steps {
		used[x.mark] = true
	}
	to, kept := make([]uint32, len(p.marks)), []mark{}
	for i, m := range p.marks {
		if to[i] = uint32(len(kept)); used[i] {
			kept = append(kept, m)
		}
	}
	for i := range p.steps {
		p.steps[i].mark = to[p.steps[i].mark]
	}
	p.marks = kept
}

// Encode packs the positions: about five bytes for a feed that was marked once.
func (p *Positions) Encode() []byte {
	b := make([]byte, 0, 32+6*len(p.steps))
	b = binary.AppendUvarint(b, uint64(p.Number))
	b = binary.AppendUvarint(b, uint64(len(p.marks)))
	var last mark
	for _, m := range p.marks {
		b = binary.AppendUvarint(b, uint64(m.number-last.number))
		b = binary.AppendVarint(b, m.at-last.at)
		last = m
	}
	b = binary.AppendUvarint(b, uint64(len(p.undone)))
	for _, u := range p.undone {
		b = binary.AppendUvarint(b, uint64(u.mark))
		b = binary.AppendUvarint(b, uint64(u.by))
		b = binary.AppendVarint(b, u.at)
	}
	b = binary.AppendUvarint(b, uint64(len(p.steps)))
	feed := FeedID(0)
	for _, x := range p.steps {
		b = binary.AppendUvarint(b, uint64(x.feed-feed))
		b = binary.AppendUvarint(b, uint64(uint32(len(p.marks))-1-x.mark)) // most are of the newest
		b = binary.AppendUvarint(b, uint64(x.seq))
		b = binary.AppendUvarint(b, uint64(x.floor))
		feed = x.feed
	}
	return b
}

// DecodePositions unpacks what Encode packed; false for anything else.
func DecodePositions(b []byte) (*Positions, bool) {
	const most = 1 << 62
	d := Decoder{Rest: string(b)}
	p := &Positions{Number: int64(d.AtMost(most))}
	p.marks = make([]mark, d.AtMost(uint64(len(d.Rest))))
	var last mark
	for i := range p.marks {
		last = mark{last.number + int64(d.AtMost(most)), last.at + d.Varint()}
		p.marks[i] = last
	}
	p.undone = make([]undone, d.AtMost(uint64(len(d.Rest))))
	for i := range p.undone {
		p.undone[i] = undone{int64(d.AtMost(most)), int64(d.AtMost(most)), d.Varint()}
	}
	p.steps = make([]markedFeed, d.AtMost(uint64(len(d.Rest))))
	feed := uint64(0)
	for i := range p.steps {
		feed += d.AtMost(uint64(MaxFeedID))
		back := d.AtMost(most)
		if feed > uint64(MaxFeedID) || back >= uint64(len(p.marks)) {
			d.Fail()
			break
		}
		p.steps[i] = markedFeed{
			feed: FeedID(feed), mark: uint32(len(p.marks)) - 1 - uint32(back),
			seq: Seq(d.AtMost(uint64(MaxSeq))), floor: Seq(d.AtMost(uint64(MaxSeq))),
		}
	}
	return p, d.Done()
}

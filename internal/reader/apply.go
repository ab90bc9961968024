package reader

import (
	"bytes"
	"slices"
)

// State is the part of a subscription row that reading changes. Version grows with every change; the
// row is put on the condition that it still has the version that was read, and the change is applied
// anew when it has not: a pure function, so concurrent changes cannot drift.
//
// Hid holds the items that rules hid. A hidden item is read, whatever is done: so it is never counted, and
// lists leave it out. Asking for it to be unread is asking to see it, and shows it again.
type State struct {
	ReadState
	Stars   SeqSet
	Hid     SeqSet
	Labels  LabelSets
	Devices Devices // what each device said last
	Tally   Tally   // what was read by day
	ReadAt  int64   // when the feed as a whole was last marked read, Unix milliseconds; 0 = never
	Version int64
	Prev    Prev
}

// Prev is the reading before the last change that asked to be remembered. It rides in the same row, so
// undo costs nothing to keep.
type Prev struct {
	Version int64 // the version that the change made; 0 = nothing to undo
	Upto    Seq
	Runs    []byte
	ReadAt  int64
	// Read and Unread are the seqs that the change named: together with Upto and Runs they tell which
	// it turned, in a few bytes even for a thousand.
	Read   SeqSet
	Unread SeqSet
	// Counted is what the change added to the tally, as Count.bytes writes it.
	Counted []byte
}

// OpKind is a kind of operation on a state.
type OpKind uint8

// The kinds of operations. All set a wanted state, so that repeating one is harmless.
const (
	OpRead      OpKind = iota + 1 // the Seqs
	OpUnread                      // the Seqs
	OpReadUpTo                    // every seq up to UpTo: the feed as a whole; always remembered
	OpStar                        // the Seqs
	OpUnstar                      // the Seqs
	OpHide                        // the Seqs: they are read too
	OpUnhide                      // the Seqs: they stay read, unless OpUnread is said as well
	OpLabel                       // the Seqs get Label
	OpUnlabel                     // the Seqs lose Label
	OpReadRange                   // every seq from From to UpTo, both inside
)

// Op is one operation. Reading and hiding ignore seqs outside (floor, last]; stars and labels outlive the
// floor.
type Op struct {
	Kind       OpKind
	Seqs       []Seq
	From, UpTo Seq
	Label      LabelID
}

// Change is a batch of operations that becomes one write.
type Change struct {
	Ops         []Op
	Floor, Last Seq   // what exists in the feed; Last 0 = no limit known
	At          int64 // Unix milliseconds, for ReadAt
	Remember    bool  // keep the reading before it, for undo
	Counts      bool  // a person's own doing, which the tally counts; what rules, merges and imports do is not
	// Device and Counter name a flush of a device, which counts its flushes up: said again, it does nothing.
	// Device 0 is nobody.
	Device, Counter uint32
}

// Apply gives the state after a change and whether it differs; when not, there is nothing to write. A
// new state has the next version; a floor that has passed Upto is written along, never for itself. A
// device's new flush is always noted: what changes nothing now would change something when it is repeated
// after somebody else's change.
func Apply(s State, c Change) (State, bool) {
	devices, fresh := s.Devices.Admit(c.Device, c.Counter)
	if !fresh {
		return s, false
	}
	a := applying{
		draft: s.draft(), floor: c.Floor, last: c.Last,
		stars: spans(0, s.Stars), hid: remove(spans(0, s.Hid), 1, c.Floor), labels: s.Labels,
	}
	if a.last == 0 {
		a.last = MaxSeq
	}
	if c.Floor > 0 {
		a.draft.read(1, c.Floor)
	}
	before, hidBefore := a.done(), encode(0, a.hid)
	for _, op := range c.Ops {
		a.op(op)
	}
	next := s
	next.ReadState, next.Stars, next.Hid, next.Labels, next.Devices = a.done(), encode(0, a.stars), encode(0, a.hid), a.labels, devices
	reading := !next.ReadState.Equal(before)
	if !reading && bytes.Equal(next.Stars, s.Stars) && bytes.Equal(next.Hid, hidBefore) &&
		bytes.Equal(next.Labels, s.Labels) && bytes.Equal(next.Devices, s.Devices) {
		return s, false
	}
	next.Version = s.Version + 1
	var counted Count
	if c.Counts {
		a.count.Day = DayOf(c.At)
		next.Tally, counted = s.Tally.Plus(a.count)
	}
	if !reading {
		return next, true
	}
	if a.whole {
		next.ReadAt = c.At
	}
	if a.whole || c.Remember {
		next.Prev = Prev{
			Version: next.Version, Upto: s.Upto, Runs: s.Runs, ReadAt: s.ReadAt,
			Read: encode(0, a.named), Unread: encode(0, a.namedUnread), Counted: Count{
				Day: counted.Day, Read: counted.Read, Cleared: counted.Cleared,
			}.bytes(),
		}
	}
	return next, true
}

// Equal tells whether two canonical states are the same.
func (r ReadState) Equal(o ReadState) bool { return r.Upto == o.Upto && bytes.Equal(r.Runs, o.Runs) }

// applying is a change under way. The named sets hold each seq under the last word about it.
type applying struct {
	draft
	floor, last        Seq
	stars, hid         []span
	labels             LabelSets
	named, namedUnread []span
	whole              bool
	count              Count
}

func (a *applying) op(op Op) {
	switch op.Kind {
	case OpReadUpTo:
		a.whole = true
		a.count.Cleared += a.markRead(1, min(op.UpTo, a.last))
	case OpReadRange:
		a.count.Cleared += a.markRead(op.From, min(op.UpTo, a.last))
	case OpLabel:
		a.labels = a.labels.With(op.Label, a.labels.Of(op.Label).Add(upTo(op.Seqs, a.last)...))
	case OpUnlabel:
		a.labels = a.labels.With(op.Label, a.labels.Of(op.Label).Remove(op.Seqs...))
	default:
		for _, seq := range op.Seqs {
			a.one(op.Kind, seq)
		}
	}
}

func (a *applying) one(kind OpKind, seq Seq) {
	switch kind {
	case OpRead:
		a.count.Read += a.markRead(seq, seq)
	case OpUnread:
		a.markUnread(seq)
	case OpStar:
		if seq > 0 && seq <= a.last {
			a.count.Starred += 1 - within(a.stars, seq, seq)
			a.stars = insert(a.stars, seq, seq)
		}
	case OpUnstar:
		a.count.Starred -= within(a.stars, seq, seq)
		a.stars = remove(a.stars, seq, seq)
	case OpHide:
		if seq > a.floor && seq <= a.last {
			a.hid = insert(a.hid, seq, seq)
			a.read(seq, seq)
		}
	case OpUnhide:
		a.hid = remove(a.hid, seq, seq)
	case OpReadUpTo, OpReadRange, OpLabel, OpUnlabel: // not about single seqs
	}
}

func upTo(seqs []Seq, last Seq) []Seq {
	return slices.DeleteFunc(slices.Clone(seqs), func(q Seq) bool { return q > last })
}

// markRead gives how many it turned.
func (a *applying) markRead(lo, hi Seq) int {
	lo = max(lo, a.floor+1)
	if lo > hi || hi > a.last {
		return 0
	}
	turned := a.unreadIn(lo, hi)
	a.read(lo, hi)
	a.named = insert(a.named, lo, hi)
	a.namedUnread = remove(a.namedUnread, lo, hi)
	return turned
}

func (a *applying) markUnread(seq Seq) {
	if seq <= a.floor || seq > a.last {
		return
	}
	a.count.Read -= 1 - a.unreadIn(seq, seq)
	a.unread(seq, seq)
	a.hid = remove(a.hid, seq, seq)
	a.namedUnread = insert(a.namedUnread, seq, seq)
	a.named = remove(a.named, seq, seq)
}

// Undo takes back the remembered change that made the version; false when that is not the one
// remembered. If nothing happened since, the reading is byte for byte as it was; else exactly the seqs
// that the change turned are turned back, whatever was done to others meanwhile. Items that are hidden by
// now stay read.
func Undo(s State, version int64, floor Seq) (State, bool) {
	p := s.Prev
	if version == 0 || p.Version != version {
		return s, false
	}
	next := s
	next.Version, next.Prev, next.ReadAt = s.Version+1, Prev{}, p.ReadAt
	counted := countOf(p.Counted)
	counted.Read, counted.Cleared = -counted.Read, -counted.Cleared
	next.Tally, _ = s.Tally.Plus(counted)
	if s.Version == version {
		next.ReadState = ReadState{Upto: p.Upto, Runs: p.Runs}
		if len(s.Hid) > 0 {
			d := next.draft()
			d.readAll(s.Hid)
			next.ReadState = d.done()
		}
		return next, true
	}
	was := spans(p.Upto, p.Runs)
	if p.Upto > 0 {
		was = insert(was, 1, p.Upto)
	}
	d := s.draft()
	for _, r := range subtract(spans(0, p.Read), was) {
		d.unread(r.lo, r.hi)
	}
	named := spans(0, p.Unread)
	for _, r := range subtract(named, subtract(named, was)) {
		d.read(r.lo, r.hi)
	}
	if floor > 0 {
		d.read(1, floor)
	}
	d.readAll(s.Hid)
	next.ReadState = d.done()
	return next, true
}

// subtract gives the runs of a without those of b.
func subtract(a, b []span) []span {
	var out []span
	j := 0
	for _, s := range a {
		for j < len(b) && b[j].hi < s.lo {
			j++
		}
		for k := j; k < len(b) && b[k].lo <= s.hi; k++ {
			if b[k].lo > s.lo {
				out = append(out, span{s.lo, b[k].lo - 1})
			}
			s.lo = b[k].hi + 1
		}
		if s.lo <= s.hi {
			out = append(out, s)
		}
	}
	return out
}

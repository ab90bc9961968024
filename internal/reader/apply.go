package reader

import (
	"bytes"
	"slices"
)

// State is the part of a subscription row that reading changes. Version grows with every change; the row is written on
// the condition that it still has the version that was read, and otherwise the change is applied again to the new row.
//
// Hid holds the items that rules hid. A hidden item is always read, so it is never counted, and lists leave it out.
// Marking it unread makes it visible again.
type State struct {
	ReadState
	Stars   SeqSet
	Hid     SeqSet
	Labels  LabelSets
	Devices Devices // the last flush of each device
	Tally   Tally   // what was read by day
	ReadAt  int64   // time when the feed as a whole was last marked read, Unix milliseconds; 0 = never
	Version int64
	Prev    Prev
	// Applied is up to which number the state includes the user's Positions.
	Applied int64
}

// Prev is the read state before the last change with Remember. It is in the same row, so that undo costs no write.
type Prev struct {
	Version int64 // the version that the change made; 0 = nothing to undo
	Upto    Seq
	Runs    []byte
	ReadAt  int64
	// Read and Unread are the seqs that the change named: together with Upto and Runs they determine which it turned.
	Read   SeqSet
	Unread SeqSet
	// Counted is the change of the tally, encoded by Count.bytes.
	Counted []byte
	// Mark is the number of the mark of several feeds that the change was; 0 for any other.
	Mark int64
}

// OpKind is a kind of operation on a state.
type OpKind uint8

// The kinds of operations. All set a state, so that repeating one is harmless.
const (
	OpRead      OpKind = iota + 1 // the Seqs
	OpUnread                      // the Seqs
	OpReadUpTo                    // every seq up to UpTo: the feed as a whole; always remembered
	OpStar                        // the Seqs
	OpUnstar                      // the Seqs
	OpHide                        // the Seqs: they are read too
	OpLabel                       // the Seqs get Label
	OpUnlabel                     // the Seqs lose Label
	OpReadRange                   // every seq from From to UpTo, both inside
)

// Op is one operation. Reading and hiding ignore seqs outside (floor, last]; stars and labels may be below the floor.
type Op struct {
	Kind       OpKind
	Seqs       []Seq
	From, UpTo Seq
	Label      LabelID
}

// Change is a batch of operations that becomes one write.
type Change struct {
	Ops         []Op
	Floor, Last Seq   // bounds of the feed's items; Last 0 = no limit known
	At          int64 // Unix milliseconds, for ReadAt
	Remember    bool  // keep the reading before it, for undo
	Counts      bool  // a person's own doing, which the tally counts; what rules, merges and imports do is not
	// Device and Counter identify a flush of a device, which numbers its flushes: repeated, it does nothing. Device 0
	// means none.
	Device, Counter uint32
}

// Apply returns the state after a change and whether it differs; if not, nothing needs to be written. A new state has
// the next version; raising Upto to the floor alone is no difference. A new flush of a device is always recorded: what
// changes nothing now could change something when it is repeated after another change.
func Apply(s State, c Change) (State, bool) {
	devices, fresh := s.Devices.Admit(c.Device, c.Counter)
	if !fresh {
		return s, false
	}
	a := applying{
		draft: s.draft(), floor: c.Floor, last: c.Last,
		stars: decode(0, s.Stars), hid: remove(decode(0, s.Hid), 1, c.Floor), labels: s.Labels,
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
	next.ReadState, next.Stars, next.Hid, next.Labels, next.Devices = a.done(), encode(0, a.stars), encode(0, a.hid),
		a.labels, devices
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

// Equal reports whether two canonical states are the same.
func (r ReadState) Equal(o ReadState) bool { return r.Upto == o.Upto && bytes.Equal(r.Runs, o.Runs) }

// applying is a change in progress. The named sets hold each seq under the last operation on it.
type applying struct {
	draft
	floor, last        Seq
	stars, hid         []Run
	labels             LabelSets
	named, namedUnread []Run
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
	case OpRead:
		for _, seq := range op.Seqs {
			a.count.Read += a.markRead(seq, seq)
		}
	case OpUnread:
		for _, seq := range op.Seqs {
			a.markUnread(seq)
		}
	case OpStar:
		for _, seq := range op.Seqs {
			if seq > 0 && seq <= a.last {
				a.count.Starred += 1 - within(a.stars, seq, seq)
				a.stars = insert(a.stars, seq, seq)
			}
		}
	case OpUnstar:
		for _, seq := range op.Seqs {
			a.count.Starred -= within(a.stars, seq, seq)
			a.stars = remove(a.stars, seq, seq)
		}
	case OpHide:
		for _, seq := range op.Seqs {
			if seq > a.floor && seq <= a.last {
				a.hid = insert(a.hid, seq, seq)
				a.read(seq, seq)
			}
		}
	}
}

func upTo(seqs []Seq, last Seq) []Seq {
	return slices.DeleteFunc(slices.Clone(seqs), func(q Seq) bool { return q > last })
}

// markRead returns how many seqs it turned.
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

// Undo reverts the remembered change that made the version; false when another one is remembered. Without later changes
// the read state is restored byte for byte; otherwise exactly the seqs that the change turned are turned back. Items
// that are hidden by now stay read.
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
	was := decode(p.Upto, p.Runs)
	if p.Upto > 0 {
		was = insert(was, 1, p.Upto)
	}
	d := s.draft()
	for _, r := range subtract(decode(0, p.Read), was) {
		d.unread(r.From, r.To)
	}
	named := decode(0, p.Unread)
	for _, r := range subtract(named, subtract(named, was)) {
		d.read(r.From, r.To)
	}
	if floor > 0 {
		d.read(1, floor)
	}
	d.readAll(s.Hid)
	next.ReadState = d.done()
	return next, true
}

// subtract returns the runs of a without those of b.
func subtract(a, b []Run) []Run {
	out := slices.Clone(a)
	for _, r := range b {
		out = remove(out, r.From, r.To)
	}
	return out
}

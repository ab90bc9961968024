package reader

import "slices"

// UnreadOnSubscribe is the number of newest items that are unread for a new subscriber.
const UnreadOnSubscribe = 20

// ReadState is the set of items that one user has read in one feed: every seq up to Upto, and the seqs in Runs, which
// are above it; an unread item below read ones means a lower Upto. Canonical: Upto is as high as possible and Runs in
// its one encoding, so that equal states are equal bytes. Values are never changed in place. The zero state has read
// nothing.
//
// A seq exists in (floor, last], between the floor and the newest seq of the feed; only existing seqs count as unread.
type ReadState struct {
	Upto Seq
	Runs []byte
}

// NewReadState returns the state of a new subscriber of a feed whose newest seq is last.
func NewReadState(last Seq) ReadState {
	return ReadState{Upto: last - min(last, UnreadOnSubscribe)}
}

// IsRead reports whether a seq is read.
func (r ReadState) IsRead(seq Seq) bool { return seq <= r.Upto || memberOf(r.Upto, r.Runs, seq) }

// ReadRuns returns the read seqs, in order.
func (r ReadState) ReadRuns() []Run {
	above := decode(r.Upto, r.Runs)
	if r.Upto == 0 {
		return above
	}
	return append([]Run{{1, r.Upto}}, above...)
}

// Unread counts the unread seqs in (floor, last].
func (r ReadState) Unread(floor, last Seq) int {
	from := max(r.Upto, floor)
	if last <= from {
		return 0
	}
	return int(last-from) - countIn(r.Upto, r.Runs, from+1, last)
}

// HasUnread reports whether Unread is not zero, without counting.
func (r ReadState) HasUnread(floor, last Seq) bool { return r.FirstUnread(floor, last) > 0 }

// FirstUnread returns the lowest unread seq in (floor, last]; zero when there is none.
func (r ReadState) FirstUnread(floor, last Seq) Seq {
	read := max(r.Upto, floor)
	it := iterate(r.Upto, r.Runs)
	for s, ok := it.step(); ok && read < last && s.From <= read+1; s, ok = it.step() {
		read = max(read, s.To)
	}
	if read >= last {
		return 0
	}
	return read + 1
}

// LastUnread returns the highest unread seq in (floor, last]; zero when there is none.
func (r ReadState) LastUnread(floor, last Seq) Seq {
	for _, s := range slices.Backward(decode(r.Upto, r.Runs)) {
		if s.From <= last && last <= s.To {
			last = s.From - 1
		}
	}
	if last <= max(r.Upto, floor) {
		return 0
	}
	return last
}

// Run is a range of seqs, both ends inclusive.
type Run struct{ From, To Seq }

// draft is a state decoded for a change.
type draft struct {
	upto Seq
	set  []Run
}

func (r ReadState) draft() draft {
	d := draft{upto: min(r.Upto, MaxSeq), set: decode(r.Upto, r.Runs)}
	d.absorb()
	return d
}

func (d *draft) read(lo, hi Seq) {
	lo, hi = max(lo, d.upto+1), min(hi, MaxSeq)
	if lo > hi {
		return
	}
	d.set = insert(d.set, lo, hi)
	d.absorb()
}

// unreadIn counts the unread seqs from one to another, both inside.
func (d *draft) unreadIn(lo, hi Seq) int {
	lo = max(lo, d.upto+1)
	if lo > hi {
		return 0
	}
	return int(hi-lo+1) - within(d.set, lo, hi)
}

// readAll marks the members of a set read.
func (d *draft) readAll(s SeqSet) {
	for _, r := range decode(0, s) {
		d.read(r.From, r.To)
	}
}

// absorb raises upto over a run that begins right above it.
func (d *draft) absorb() {
	for len(d.set) > 0 && d.set[0].From <= d.upto+1 {
		d.upto = max(d.upto, d.set[0].To)
		d.set = d.set[1:]
	}
}

func (d *draft) unread(lo, hi Seq) {
	lo, hi = max(lo, 1), min(hi, MaxSeq)
	if lo > hi {
		return
	}
	if lo > d.upto {
		d.set = remove(d.set, lo, hi)
		return
	}
	// All of (lo-1, upto] becomes a run of its own, less what is marked.
	d.set = insert(d.set, lo, d.upto)
	d.upto = lo - 1
	d.set = remove(d.set, lo, hi)
}

func (d *draft) done() ReadState { return ReadState{Upto: d.upto, Runs: encode(d.upto, d.set)} }

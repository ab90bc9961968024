package reader

import "iter"

// UnreadOnSubscribe is how many of the newest items are unread for a new subscriber.
const UnreadOnSubscribe = 20

// ReadState is what one user has read of one feed. Every seq up to Upto is read, and so are the seqs in
// Runs, which lie above it; a kept-unread item below others is simply a lower Upto. Canonical: Upto is
// as high as it can be and Runs in its one encoding, so the same state is the same bytes. Values are
// never changed in place. The zero state has read nothing.
//
// A seq exists in (floor, last], the floor and the newest seq of the feed; what counts as unread is
// always within.
type ReadState struct {
	Upto Seq
	Runs []byte
}

// NewReadState is the state of a subscription that begins when the feed's newest seq is last.
func NewReadState(last Seq) ReadState {
	if last <= UnreadOnSubscribe {
		return ReadState{}
	}
	return ReadState{Upto: last - UnreadOnSubscribe}
}

// IsRead tells whether a seq is read.
func (r ReadState) IsRead(seq Seq) bool { return seq <= r.Upto || memberOf(r.Upto, r.Runs, seq) }

// Unread counts the unread seqs in (floor, last]. It is a pure function of the row: it cannot drift.
func (r ReadState) Unread(floor, last Seq) int {
	from := max(r.Upto, floor)
	if last <= from {
		return 0
	}
	return int(last-from) - countIn(r.Upto, r.Runs, from+1, last)
}

// HasUnread reports whether Unread is not zero, looking no further than needed.
func (r ReadState) HasUnread(floor, last Seq) bool {
	from := max(r.Upto, floor)
	if last <= from {
		return false
	}
	it := iterate(r.Upto, r.Runs)
	for s, ok := it.step(); ok && s.lo <= from+1; s, ok = it.step() {
		from = max(from, s.hi)
	}
	return last > from
}

// UnreadSeqs walks the unread seqs in (floor, last], newest first when desc, at most limit of them
// (0 = all).
func (r ReadState) UnreadSeqs(floor, last Seq, desc bool, limit int) iter.Seq[Seq] {
	return func(yield func(Seq) bool) {
		left := limit
		for s := range r.UnreadRuns(floor, last, desc) {
			for seq := range s.seqs(desc) {
				if !yield(seq) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// Run is a stretch of seqs, both ends inside.
type Run struct{ From, To Seq }

func (r Run) seqs(desc bool) iter.Seq[Seq] {
	return func(yield func(Seq) bool) {
		for i := range r.To - r.From + 1 {
			seq := r.From + i
			if desc {
				seq = r.To - i
			}
			if !yield(seq) {
				return
			}
		}
	}
}

// UnreadRuns walks the stretches of unread seqs in (floor, last], so that streams open only what holds
// an unread item.
func (r ReadState) UnreadRuns(floor, last Seq, desc bool) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		from := max(r.Upto, floor)
		if last <= from {
			return
		}
		if !desc {
			it := iterate(r.Upto, r.Runs)
			for s, ok := it.step(); ok && from < last; s, ok = it.step() {
				if s.lo > from+1 && !yield(Run{from + 1, min(s.lo-1, last)}) {
					return
				}
				from = max(from, s.hi)
			}
			if from < last {
				yield(Run{from + 1, last})
			}
			return
		}
		set, to := spans(r.Upto, r.Runs), last
		for i := len(set) - 1; i >= 0 && to > from; i-- {
			if lo := max(set[i].hi, from) + 1; lo <= to && !yield(Run{lo, to}) {
				return
			}
			to = min(to, set[i].lo-1)
		}
		if to > from {
			yield(Run{from + 1, to})
		}
	}
}

// MarkRead gives the state with the seqs read.
func (r ReadState) MarkRead(seqs ...Seq) ReadState {
	d := r.draft()
	for _, seq := range seqs {
		d.read(seq, seq)
	}
	return d.done()
}

// MarkUnread gives the state with the seqs unread.
func (r ReadState) MarkUnread(seqs ...Seq) ReadState {
	d := r.draft()
	for _, seq := range seqs {
		d.unread(seq, seq)
	}
	return d.done()
}

// MarkReadUpTo gives the state with every seq up to seq read.
func (r ReadState) MarkReadUpTo(seq Seq) ReadState { return r.MarkReadRange(1, seq) }

// MarkReadRange gives the state with the seqs from one to another read, both inside.
func (r ReadState) MarkReadRange(from, to Seq) ReadState {
	d := r.draft()
	d.read(from, to)
	return d.done()
}

// MarkUnreadRange gives the state with the seqs from one to another unread, both inside.
func (r ReadState) MarkUnreadRange(from, to Seq) ReadState {
	d := r.draft()
	d.unread(from, to)
	return d.done()
}

// Clamp raises Upto to a floor that has passed it: items that are gone need no bits.
func (r ReadState) Clamp(floor Seq) ReadState {
	if floor <= r.Upto {
		return r
	}
	return r.MarkReadUpTo(floor)
}

// Check verifies a state from outside: canonical, and nothing read beyond last.
func (r ReadState) Check(last Seq) error {
	if err := checkRuns(r.Upto, r.Runs, last); err != nil {
		return err
	}
	if r.Upto > MaxSeq || memberOf(r.Upto, r.Runs, r.Upto+1) {
		return ErrBadRuns
	}
	return nil
}

// draft is a state taken apart for a change.
type draft struct {
	upto Seq
	set  []span
}

func (r ReadState) draft() draft {
	d := draft{upto: min(r.Upto, MaxSeq), set: spans(r.Upto, r.Runs)}
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
	for _, r := range spans(0, s) {
		d.read(r.lo, r.hi)
	}
}

// absorb raises upto over a run that begins right above it.
func (d *draft) absorb() {
	for len(d.set) > 0 && d.set[0].lo <= d.upto+1 {
		d.upto = max(d.upto, d.set[0].hi)
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

package reader

import (
	"iter"
	"slices"
)

// SeqSet is a set of seqs of one feed in its canonical encoding: the starred items, the hidden ones.
// Nil is empty; equal sets are equal bytes. Values are never changed in place.
type SeqSet []byte

// Has tells whether seq is a member.
func (s SeqSet) Has(seq Seq) bool { return memberOf(0, s, seq) }

// Len counts the members.
func (s SeqSet) Len() int { return countIn(0, s, 1, MaxSeq) }

// Count counts the members from one seq to another, both inside.
func (s SeqSet) Count(from, to Seq) int { return countIn(0, s, max(from, 1), to) }

// All walks the members in order.
func (s SeqSet) All() iter.Seq[Seq] {
	return func(yield func(Seq) bool) {
		it := iterate(0, s)
		for r, ok := it.step(); ok; r, ok = it.step() {
			for seq := r.lo; seq <= r.hi; seq++ {
				if !yield(seq) {
					return
				}
			}
		}
	}
}

// Runs walks the stretches of members within [from, to], newest first when desc.
func (s SeqSet) Runs(from, to Seq, desc bool) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		set := spans(0, s)
		if desc {
			slices.Reverse(set)
		}
		for _, r := range set {
			if lo, hi := max(r.lo, from), min(r.hi, to); lo <= hi && !yield(Run{lo, hi}) {
				return
			}
		}
	}
}

// Add gives the set with the seqs in it. Zero and seqs beyond MaxSeq are ignored.
func (s SeqSet) Add(seqs ...Seq) SeqSet {
	set := spans(0, s)
	for _, seq := range seqs {
		if seq > 0 && seq <= MaxSeq {
			set = insert(set, seq, seq)
		}
	}
	return encode(0, set)
}

// AddRange gives the set with all seqs from one to another in it, both inside.
func (s SeqSet) AddRange(from, to Seq) SeqSet {
	from, to = max(from, 1), min(to, MaxSeq)
	if from > to {
		return s
	}
	return encode(0, insert(spans(0, s), from, to))
}

// Remove gives the set without the seqs.
func (s SeqSet) Remove(seqs ...Seq) SeqSet {
	set := spans(0, s)
	for _, seq := range seqs {
		set = remove(set, seq, seq)
	}
	return encode(0, set)
}

// RemoveRange gives the set without the seqs from one to another, both inside.
func (s SeqSet) RemoveRange(from, to Seq) SeqSet {
	if from > to {
		return s
	}
	return encode(0, remove(spans(0, s), from, to))
}

// Check verifies bytes from outside: canonical, and no member beyond last. It costs no more memory than
// a bitmap up to last.
func (s SeqSet) Check(last Seq) error { return checkRuns(0, s, last) }

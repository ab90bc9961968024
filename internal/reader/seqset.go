package reader

import (
	"iter"
	"slices"
)

// SeqSet is a set of seqs of one feed in its canonical encoding: the starred items, the hidden ones.
// Nil is empty; equal sets are equal bytes. Values are never changed in place.
type SeqSet []byte

// Has reports whether seq is a member.
func (s SeqSet) Has(seq Seq) bool { return memberOf(0, s, seq) }

// Len counts the members.
func (s SeqSet) Len() int { return countIn(0, s, 1, MaxSeq) }

// Count counts the members of a range, both ends inclusive.
func (s SeqSet) Count(from, to Seq) int { return countIn(0, s, max(from, 1), to) }

// Runs returns the members, in order.
func (s SeqSet) Runs() []Run { return decode(0, s) }

// All iterates over the members in order.
func (s SeqSet) All() iter.Seq[Seq] {
	return func(yield func(Seq) bool) {
		it := iterate(0, s)
		for r, ok := it.step(); ok; r, ok = it.step() {
			for seq := r.From; seq <= r.To; seq++ {
				if !yield(seq) {
					return
				}
			}
		}
	}
}

// First returns the lowest member within [from, to]; zero when there is none.
func (s SeqSet) First(from, to Seq) Seq {
	for _, r := range decode(0, s) {
		if r.To >= from && r.From <= to {
			return max(r.From, from)
		}
	}
	return 0
}

// Last returns the highest member within [from, to]; zero when there is none.
func (s SeqSet) Last(from, to Seq) Seq {
	for _, r := range slices.Backward(decode(0, s)) {
		if r.To >= from && r.From <= to {
			return min(r.To, to)
		}
	}
	return 0
}

// Add returns the set with the seqs added. Zero and seqs beyond MaxSeq are ignored.
func (s SeqSet) Add(seqs ...Seq) SeqSet {
	set := decode(0, s)
	for _, seq := range seqs {
		if seq > 0 && seq <= MaxSeq {
			set = insert(set, seq, seq)
		}
	}
	return encode(0, set)
}

// Remove returns the set without the seqs.
func (s SeqSet) Remove(seqs ...Seq) SeqSet {
	set := decode(0, s)
	for _, seq := range seqs {
		set = remove(set, seq, seq)
	}
	return encode(0, set)
}

// RemoveRange returns the set without a range of seqs, both ends inclusive.
func (s SeqSet) RemoveRange(from, to Seq) SeqSet {
	if from > to {
		return s
	}
	return encode(0, remove(decode(0, s), from, to))
}

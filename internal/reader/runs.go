package reader

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

// The encoding of a set of seqs above a base, shared by the read runs and the starred bits. Nil is the
// empty set; else the first byte is the form:
//
//	formRuns  pairs of unsigned varints: how many seqs lie before the run, beyond the one that must
//	          (none must before the first run, which may touch the base), and its length less one.
//	formBits  a varint, how many seqs lie between base and first member; then a bitmap, low bit
//	          first, whose bit 0 is the first member and whose last byte is not zero.
//
// It is canonical: the shorter form is taken, formRuns when both are equal, so that one set has one
// encoding and undo can be compared byte for byte.
const (
	formRuns = 1
	formBits = 2
)

// runIter walks the runs of an encoding in order without allocating. Damaged bytes end the walk.
type runIter struct {
	b    []byte
	at   Seq // end of the run before, the base at first
	bits bool
	next uint64 // formBits: the seq of the bitmap's bit 0, widened
	pos  int    // formBits: the next bit to look at
	head bool   // formRuns: the first run is still to come
}

func iterate(base Seq, b []byte) runIter {
	if len(b) < 2 {
		return runIter{}
	}
	it := runIter{b: b[1:], at: base}
	switch b[0] {
	case formRuns:
		it.head = true
	case formBits:
		first, n, ok := bitsStart(base, b)
		if !ok {
			return runIter{}
		}
		it.bits, it.next, it.b = true, uint64(first), b[n:]
	default:
		return runIter{}
	}
	return it
}

// bitsStart reads the head of formBits: the seq of bit 0, and where the bitmap begins.
func bitsStart(base Seq, b []byte) (first Seq, n int, ok bool) {
	gap, k := uvarint(b[1:])
	if k <= 0 || gap >= uint64(MaxSeq) {
		return 0, 0, false
	}
	f := uint64(base) + 1 + gap
	if f > uint64(MaxSeq) {
		return 0, 0, false
	}
	return Seq(f), 1 + k, true
}

// uvarint is binary.Uvarint with its short path inlined.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

func (it *runIter) step() (s Run, ok bool) {
	if it.bits {
		return it.stepBits()
	}
	gap, k := uvarint(it.b)
	if k <= 0 {
		return Run{}, false
	}
	length, l := uvarint(it.b[k:])
	if l <= 0 || gap > uint64(MaxSeq) || length > uint64(MaxSeq) {
		it.b = nil
		return Run{}, false
	}
	lo := uint64(it.at) + 1 + gap
	if !it.head {
		lo++
	}
	hi := lo + length
	if hi > uint64(MaxSeq) {
		it.b = nil
		return Run{}, false
	}
	it.b, it.at, it.head = it.b[k+l:], Seq(hi), false
	return Run{Seq(lo), Seq(hi)}, true
}

func (it *runIter) stepBits() (s Run, ok bool) {
	lo := nextBit(it.b, it.pos, true)
	if lo < 0 || it.next+uint64(lo) > uint64(MaxSeq) {
		it.b = nil
		return Run{}, false
	}
	end := nextBit(it.b, lo, false)
	if end < 0 {
		end = len(it.b) * 8
	}
	it.pos = end
	return Run{Seq(it.next + uint64(lo)), Seq(min(it.next+uint64(end)-1, uint64(MaxSeq)))}, true
}

// nextBit finds the first bit at or after pos that is set (or clear); -1 when there is none.
func nextBit(b []byte, pos int, set bool) int {
	for i := pos >> 3; i < len(b); i++ {
		w := b[i]
		if !set {
			w = ^w
		}
		if i == pos>>3 {
			w &= 0xff << (pos & 7)
		}
		if w != 0 {
			return i*8 + bits.TrailingZeros8(w)
		}
	}
	return -1
}

// countIn counts the members within [from, to].
func countIn(base Seq, b []byte, from, to Seq) int {
	if from > to || len(b) < 2 {
		return 0
	}
	if b[0] == formBits {
		first, n, ok := bitsStart(base, b)
		if !ok || to < first {
			return 0
		}
		return countBits(b[n:], int(max(from, first)-first), int(to-first))
	}
	n, it := 0, iterate(base, b)
	for s, ok := it.step(); ok && s.From <= to; s, ok = it.step() {
		if s.To >= from {
			n += int(min(s.To, to)-max(s.From, from)) + 1
		}
	}
	return n
}

// countBits counts the set bits of [from, to], both inside, eight bytes at a time.
func countBits(b []byte, from, to int) int {
	to = min(to, len(b)*8-1)
	if from > to {
		return 0
	}
	i, j := from>>3, to>>3
	first := b[i] & (0xff << (from & 7))
	if i == j {
		return bits.OnesCount8(first & (0xff >> (7 - to&7)))
	}
	n := bits.OnesCount8(first) + bits.OnesCount8(b[j]&(0xff>>(7-to&7)))
	mid := b[i+1 : j]
	for ; len(mid) >= 8; mid = mid[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(mid))
	}
	for _, w := range mid {
		n += bits.OnesCount8(w)
	}
	return n
}

// memberOf reports whether seq is in the encoded set.
func memberOf(base Seq, b []byte, seq Seq) bool {
	if len(b) < 2 || seq <= base {
		return false
	}
	if b[0] == formBits {
		first, n, ok := bitsStart(base, b)
		if !ok || seq < first || seq > MaxSeq {
			return false
		}
		i := uint64(seq - first)
		return i>>3 < uint64(len(b)-n) && b[uint64(n)+i>>3]>>(i&7)&1 == 1
	}
	it := iterate(base, b)
	for s, ok := it.step(); ok && s.From <= seq; s, ok = it.step() {
		if seq <= s.To {
			return true
		}
	}
	return false
}

// decode returns the sorted, disjoint, non-adjacent runs of a set: neither form can express others.
func decode(base Seq, b []byte) []Run {
	var out []Run
	it := iterate(base, b)
	for s, ok := it.step(); ok; s, ok = it.step() {
		out = append(out, s)
	}
	return out
}

// encode returns the canonical bytes of sorted, disjoint, non-adjacent runs above base; nil when empty.
func encode(base Seq, set []Run) []byte {
	if len(set) == 0 {
		return nil
	}
	first, last := set[0].From, set[len(set)-1].To
	asBits := 1 + varintLen(uint64(first-base-1)) + int(last-first)/8 + 1
	out := append(make([]byte, 0, min(asBits, 1+4*len(set))), formRuns)
	next := base + 1 // where the next run may begin
	for _, s := range set {
		out = binary.AppendUvarint(out, uint64(s.From-next))
		out = binary.AppendUvarint(out, uint64(s.To-s.From))
		if len(out) > asBits {
			return encodeBits(base, set, asBits)
		}
		next = s.To + 2
	}
	return out
}

func encodeBits(base Seq, set []Run, size int) []byte {
	out := append(make([]byte, 0, size), formBits)
	out = binary.AppendUvarint(out, uint64(set[0].From-base-1))
	n := len(out)
	out = out[:size]
	bitmap := out[n:]
	for _, s := range set {
		for i := s.From - set[0].From; i <= s.To-set[0].From; i++ {
			bitmap[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}

func varintLen(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

// search returns the index of the first run that ends at or after seq.
func search(set []Run, seq Seq) int {
	return sort.Search(len(set), func(i int) bool { return set[i].To >= seq })
}

// within counts the members of a set of runs in [lo, hi].
func within(set []Run, lo, hi Seq) (n int) {
	for _, s := range set[search(set, lo):] {
		if s.From > hi {
			break
		}
		n += int(min(s.To, hi)-max(s.From, lo)) + 1
	}
	return n
}

// insert adds [lo, hi] to a set of runs in place.
func insert(set []Run, lo, hi Seq) []Run {
	i := search(set, max(lo, 1)-1) // a run that ends just before lo is joined too
	j := i
	for j < len(set) && set[j].From <= hi+1 {
		j++
	}
	if i < j {
		lo, hi = min(lo, set[i].From), max(hi, set[j-1].To)
	}
	return slices.Replace(set, i, j, Run{lo, hi})
}

// remove removes [lo, hi] from a set of runs in place.
func remove(set []Run, lo, hi Seq) []Run {
	i := search(set, lo)
	j := i
	for j < len(set) && set[j].From <= hi {
		j++
	}
	if i == j {
		return set
	}
	var keep [2]Run
	n := 0
	if set[i].From < lo {
		keep[n], n = Run{set[i].From, lo - 1}, n+1
	}
	if set[j-1].To > hi {
		keep[n], n = Run{hi + 1, set[j-1].To}, n+1
	}
	return slices.Replace(set, i, j, keep[:n]...)
}

// Subtract returns what of some runs is not in others. Both are sorted, and their runs are disjoint.
func Subtract(from, less []Run) (out []Run) {
	for _, r := range from {
		for len(less) > 0 && less[0].To < r.From {
			less = less[1:]
		}
		for _, l := range less {
			if l.From > r.To {
				break
			}
			if l.From > r.From {
				out = append(out, Run{r.From, l.From - 1})
			}
			r.From = l.To + 1
		}
		if r.From <= r.To {
			out = append(out, r)
		}
	}
	return out
}

package reader

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"sort"
)

// The encoding of a set of seqs above a base, shared by the read runs and the starred bits. Nil is the
// empty set; else the first byte tells the form:
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

// ErrBadRuns tells that bytes are not the canonical encoding of a set of seqs.
var ErrBadRuns = errors.New("not a canonical set of seqs")

// span is a run of seqs, both ends inside.
type span struct{ lo, hi Seq }

// runIter walks the runs of an encoding in order without allocating. Damaged bytes end the walk:
// what cannot be read is not in the set.
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

func (it *runIter) step() (s span, ok bool) {
	if it.bits {
		return it.stepBits()
	}
	gap, k := uvarint(it.b)
	if k <= 0 {
		return span{}, false
	}
	length, l := uvarint(it.b[k:])
	if l <= 0 || gap > uint64(MaxSeq) || length > uint64(MaxSeq) {
		it.b = nil
		return span{}, false
	}
	lo := uint64(it.at) + 1 + gap
	if !it.head {
		lo++
	}
	hi := lo + length
	if hi > uint64(MaxSeq) {
		it.b = nil
		return span{}, false
	}
	it.b, it.at, it.head = it.b[k+l:], Seq(hi), false
	return span{Seq(lo), Seq(hi)}, true
}

func (it *runIter) stepBits() (s span, ok bool) {
	lo := nextBit(it.b, it.pos, true)
	if lo < 0 || it.next+uint64(lo) > uint64(MaxSeq) {
		it.b = nil
		return span{}, false
	}
	end := nextBit(it.b, lo, false)
	if end < 0 {
		end = len(it.b) * 8
	}
	it.pos = end
	return span{Seq(it.next + uint64(lo)), Seq(min(it.next+uint64(end)-1, uint64(MaxSeq)))}, true
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
	for s, ok := it.step(); ok && s.lo <= to; s, ok = it.step() {
		if s.hi >= from {
			n += int(min(s.hi, to)-max(s.lo, from)) + 1
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

// memberOf tells whether seq is in the encoded set.
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
	for s, ok := it.step(); ok && s.lo <= seq; s, ok = it.step() {
		if seq <= s.hi {
			return true
		}
	}
	return false
}

// spans decodes a set into sorted, disjoint, non-adjacent runs: neither form can express others.
func spans(base Seq, b []byte) []span {
	var out []span
	it := iterate(base, b)
	for s, ok := it.step(); ok; s, ok = it.step() {
		out = append(out, s)
	}
	return out
}

// encode gives the canonical bytes of sorted, disjoint, non-adjacent runs above base; nil when empty.
func encode(base Seq, set []span) []byte {
	if len(set) == 0 {
		return nil
	}
	first, last := set[0].lo, set[len(set)-1].hi
	head := varintLen(uint64(first - base - 1))
	asBits := 1 + head + int(last-first)/8 + 1
	asRuns := 1
	at := base
	for i, s := range set {
		asRuns += varintLen(uint64(gapBetween(at, s.lo, i == 0))) + varintLen(uint64(s.hi-s.lo))
		if asRuns > asBits {
			return encodeBits(base, set, asBits)
		}
		at = s.hi
	}
	out := append(make([]byte, 0, asRuns), formRuns)
	at = base
	for i, s := range set {
		out = binary.AppendUvarint(out, uint64(gapBetween(at, s.lo, i == 0)))
		out = binary.AppendUvarint(out, uint64(s.hi-s.lo))
		at = s.hi
	}
	return out
}

func gapBetween(at, lo Seq, first bool) Seq {
	if first {
		return lo - at - 1
	}
	return lo - at - 2
}

func encodeBits(base Seq, set []span, size int) []byte {
	out := append(make([]byte, 0, size), formBits)
	out = binary.AppendUvarint(out, uint64(set[0].lo-base-1))
	n := len(out)
	out = out[:size]
	bitmap := out[n:]
	for _, s := range set {
		for i := s.lo - set[0].lo; i <= s.hi-set[0].lo; i++ {
			bitmap[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}

func varintLen(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

// search gives the index of the first run that ends at or after seq.
func search(set []span, seq Seq) int {
	return sort.Search(len(set), func(i int) bool { return set[i].hi >= seq })
}

// within counts the members of a set of runs in [lo, hi].
func within(set []span, lo, hi Seq) (n int) {
	for _, s := range set[search(set, lo):] {
		if s.lo > hi {
			break
		}
		n += int(min(s.hi, hi)-max(s.lo, lo)) + 1
	}
	return n
}

// insert adds [lo, hi] to a set of runs in place.
func insert(set []span, lo, hi Seq) []span {
	i := search(set, max(lo, 1)-1) // a run that ends just before lo is joined too
	j := i
	for j < len(set) && set[j].lo <= hi+1 {
		j++
	}
	if i < j {
		lo, hi = min(lo, set[i].lo), max(hi, set[j-1].hi)
	}
	return slices.Replace(set, i, j, span{lo, hi})
}

// remove takes [lo, hi] out of a set of runs in place.
func remove(set []span, lo, hi Seq) []span {
	i := search(set, lo)
	j := i
	for j < len(set) && set[j].lo <= hi {
		j++
	}
	if i == j {
		return set
	}
	var keep [2]span
	n := 0
	if set[i].lo < lo {
		keep[n], n = span{set[i].lo, lo - 1}, n+1
	}
	if set[j-1].hi > hi {
		keep[n], n = span{hi + 1, set[j-1].hi}, n+1
	}
	return slices.Replace(set, i, j, keep[:n]...)
}

// checkRuns verifies bytes from outside: canonical, and within (base, last].
func checkRuns(base Seq, b []byte, last Seq) error {
	if b == nil {
		return nil
	}
	// The shorter form is never longer than the bitmap of the whole span, which bounds what decoding
	// can cost before anything is decoded.
	if last <= base || len(b) > 7+int(last-base)/8 {
		return ErrBadRuns
	}
	set := spans(base, b)
	if len(set) == 0 || set[len(set)-1].hi > last || !slices.Equal(encode(base, set), b) {
		return ErrBadRuns
	}
	return nil
}

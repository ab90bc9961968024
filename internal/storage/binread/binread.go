// Package binread reads binary records that are held in a string: varints, bytes, and texts with their length. Texts
// share the record's memory.
package binread

import "encoding/binary"

// Reader reads a record step by step. After the first error Bad is set and all values are zero, so callers check once.
type Reader struct {
	S   string
	I   int // index of the next byte
	Bad bool
}

// Done reports whether the whole record was read without an error.
func (r *Reader) Done() bool { return !r.Bad && r.I == len(r.S) }

// More reports whether there is more to read; not after an error, so that loops over damaged records end.
func (r *Reader) More() bool { return !r.Bad && r.I < len(r.S) }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.Bad || r.I >= len(r.S) {
		r.Bad = true
		return 0
	}
	r.I++
	return r.S[r.I-1]
}

// Uvarint reads an unsigned varint.
func (r *Reader) Uvarint() uint64 {
	// The common case: lengths of names and short texts.
	if !r.Bad && r.I < len(r.S) && r.S[r.I] < 0x80 {
		r.I++
		return uint64(r.S[r.I-1])
	}
	var v uint64
	for shift := uint(0); !r.Bad && r.I < len(r.S) && shift < 8*binary.MaxVarintLen64; shift += 7 {
		b := r.S[r.I]
		r.I++
		if shift == 63 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.Bad = true
	return 0
}

// Varint reads a signed varint.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Count reads a number of elements of at least one byte each, so that a damaged record cannot cause a huge allocation.
func (r *Reader) Count() int {
	n := r.Uvarint()
	if n > uint64(len(r.S)-r.I) {
		r.Bad = true
		return 0
	}
	return int(n)
}

// Text reads a text.
func (r *Reader) Text() string {
	n := r.Count()
	if r.Bad {
		return ""
	}
	t := r.S[r.I : r.I+n]
	r.I += n
	return t
}

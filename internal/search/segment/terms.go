package segment

import (
	"encoding/binary"
	"math/bits"
)

// A block of terms begins with the length of its dictionary. The dictionary has for each index term: the key, as the
// difference to the one before; how many documents have it; and then the one document, or the length of their list. The
// lists follow. A list that half of the documents have has a bit for each document number of the segment. Others have
// the differences of document numbers less one, the first counted from -1, in as many bits as their usual size takes
// (Rice's code): the quotient by a power of two as so many ones and a zero, then the rest, the lowest bits first.

// termWriter writes the term blocks of a file.
type termWriter struct {
	file      []byte
	documents int // of the segment
	blocks    []termRef
	first     Key // of the block that is being made
	last      Key
	n         int
	dict      []byte
	lists     []byte
	list      []byte
}

// termRef is a block of terms in the footer.
type termRef struct {
	first Key
	at    int // where it begins in the file
}

// appendKey appends a key as the difference to the one before. Most words end within its first half.
func appendKey(b []byte, k, before Key) []byte {
	delta := (k.hi - before.hi) << 1
	if k.lo == 0 {
		return binary.AppendUvarint(b, delta)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, delta|1), bits.ReverseBytes64(k.lo))
}

// readKey reads a key, and returns its length.
func readKey(b []byte, before Key) (k Key, n int, ok bool) {
	delta, n := binary.Uvarint(b)
	if n <= 0 || delta>>1 > 1<<63-1-before.hi {
		return k, 0, false
	}
	k.hi = before.hi + delta>>1
	if delta&1 != 0 {
		lo, m := binary.Uvarint(b[n:])
		if m <= 0 || lo == 0 {
			return k, 0, false
		}
		k.lo, n = bits.ReverseBytes64(lo), n+m
	}
	return k, n, true
}

// isBits reports whether a list of so many of a segment's documents has a bit for each document.
func isBits(n, documents int) bool { return 2*n >= documents }

// restBits is how many bits the rest of a difference has in a list of so many of a segment's documents.
func restBits(n, documents int) int {
	return max(bits.Len(uint(documents/n*11/16))-1, 0) // 0.69 of the mean
}

// add writes an index term greater than all before, with its documents in order.
func (w *termWriter) add(term Key, docs []uint32) {
	if len(docs) == 1 {
		w.list = binary.AppendUvarint(w.list[:0], uint64(docs[0]))
	} else {
		w.list = appendList(w.list[:0], docs, w.documents)
	}
	alone := len(w.list) > ownBlock
	if alone {
		w.flush()
	}
	if w.n == 0 {
		w.first, w.last = term, Key{}
	}
	w.dict = appendKey(w.dict, term, w.last)
	w.dict = binary.AppendUvarint(w.dict, uint64(len(docs)))
	w.last = term
	w.n++
	if len(docs) == 1 {
		w.dict = append(w.dict, w.list...)
	} else {
		w.dict = binary.AppendUvarint(w.dict, uint64(len(w.list)))
		w.lists = append(w.lists, w.list...)
	}
	if alone || len(w.dict)+len(w.lists) >= termBlock {
		w.flush()
	}
}

func appendList(b []byte, docs []uint32, documents int) []byte {
	if isBits(len(docs), documents) {
		b = append(b, make([]byte, docs[len(docs)-1]/8+1)...)
		for _, d := range docs {
			b[d/8] |= 1 << (d % 8)
		}
		return b
	}
	rest := restBits(len(docs), documents)
	acc, n := uint64(0), 0 // bits not written yet
	put := func(v uint64, size int) {
		acc |= v << n
		for n += size; n >= 8; n -= 8 {
			b = append(b, byte(acc))
			acc >>= 8
		}
	}
	prev := int64(-1)
	for _, d := range docs {
		gap := uint64(int64(d) - prev - 1)
		prev = int64(d)
		q := gap >> rest
		for ; q >= 32; q -= 32 {
			put(1<<32-1, 32)
		}
		put(1<<q-1, int(q)+1)
		put(gap&(1<<rest-1), rest)
	}
	if n > 0 {
		b = append(b, byte(acc))
	}
	return b
}

func (w *termWriter) flush() {
	if w.n == 0 {
		return
	}
	at := len(w.file)
	w.blocks = append(w.blocks, termRef{w.first, at})
	w.file = binary.AppendUvarint(unsealed(w.file), uint64(len(w.dict)))
	w.file = append(append(w.file, w.dict...), w.lists...)
	seal(w.file[at:])
	w.n, w.dict, w.lists = 0, w.dict[:0], w.lists[:0]
}

// Terms is a block of index terms.
type Terms struct{ dict, lists []byte }

// ReadTerms reads a block of terms, as stored. Errors are those that IsDamaged reports.
func ReadTerms(block []byte) (Terms, error) {
	b, err := open(block)
	if err != nil {
		return Terms{}, err
	}
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return Terms{}, damaged("length of a dictionary")
	}
	return Terms{b[k : k+int(n)], b[k+int(n):]}, nil
}

// entry is an index term of a block, and its list.
type entry struct {
	term Key
	n    int    // documents
	list []byte // not decoded
}

// next cuts the next entry off the block, whose terms so far end with last.
func (t *Terms) next(e *entry) error {
	key, a, ok := readKey(t.dict, e.term)
	if !ok || e.n > 0 && key.compare(e.term) <= 0 {
		return damaged("an index term")
	}
	n, b := binary.Uvarint(t.dict[a:])
	if b <= 0 || n == 0 || n > maxDocument {
		return damaged("the documents of an index term")
	}
	length, c := binary.Uvarint(t.dict[a+b:])
	if c <= 0 {
		return damaged("a posting list")
	}
	e.term = key
	e.n = int(n)
	if n == 1 {
		e.list = t.dict[a+b : a+b+c]
	} else {
		if length > uint64(len(t.lists)) {
			return damaged("the length of a posting list")
		}
		e.list, t.lists = t.lists[:length], t.lists[length:]
	}
	t.dict = t.dict[a+b+c:]
	return nil
}

// each calls f for the documents of the entry, in a segment of so many.
func (e *entry) each(documents int, f func(uint32)) error {
	switch {
	case e.n == 1:
		d, n := binary.Uvarint(e.list)
		if n != len(e.list) || d >= uint64(documents) {
			return damaged("a posting")
		}
		f(uint32(d))
		return nil
	case e.n > documents:
		return damaged("a posting list")
	case isBits(e.n, documents):
		return e.eachBit(documents, f)
	}
	rest := restBits(e.n, documents)
	at, list := int64(-1), e.list
	acc, n := uint64(0), 0 // bits read and not used
	for range e.n {
		gap := uint64(0)
		for {
			for n <= 56 && len(list) > 0 {
				acc |= uint64(list[0]) << n
				list, n = list[1:], n+8
			}
			ones := min(bits.TrailingZeros64(^acc), n)
			gap += uint64(ones)
			if acc, n = acc>>ones, n-ones; n > 0 {
				break
			}
			if len(list) == 0 || gap > uint64(documents) {
				return damaged("a posting")
			}
		}
		acc, n = acc>>1, n-1
		for n < rest && len(list) > 0 {
			acc |= uint64(list[0]) << n
			list, n = list[1:], n+8
		}
		if n < rest {
			return damaged("a posting")
		}
		gap = gap<<rest | acc&(1<<rest-1)
		acc, n = acc>>rest, n-rest
		if at += int64(gap) + 1; gap >= uint64(documents) || at >= int64(documents) {
			return damaged("a posting")
		}
		f(uint32(at))
	}
	if len(list) > 0 || n >= 8 {
		return damaged("a posting list")
	}
	return nil
}

// eachBit is each for a list that has a bit for each document.
func (e *entry) eachBit(documents int, f func(uint32)) error {
	n := 0
	for i, b := range e.list {
		for ; b != 0; b &= b - 1 {
			d := 8*i + bits.TrailingZeros8(b)
			if d >= documents {
				return damaged("a posting")
			}
			n++
			f(uint32(d))
		}
	}
	if n != e.n {
		return damaged("a posting list")
	}
	return nil
}

// Set is a set of documents of a segment, as bits.
type Set []uint64

// NewSet makes an empty set for a segment of so many documents.
func NewSet(documents int) Set { return make(Set, (documents+63)/64) }

// Add adds a document.
func (s Set) Add(doc uint32) { s[doc/64] |= 1 << (doc % 64) }

// Collect adds the documents with an index term in a range to a set. Errors are those of IsDamaged.
func (t Terms) Collect(r Range, documents int, set Set) error {
	for e := (entry{}); len(t.dict) > 0; {
		if err := t.next(&e); err != nil {
			return err
		}
		if e.term.compare(r.Hi) > 0 {
			return nil
		}
		if e.term.compare(r.Lo) >= 0 {
			if err := e.each(documents, set.Add); err != nil {
				return err
			}
		}
	}
	return nil
}

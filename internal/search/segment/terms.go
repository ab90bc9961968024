package segment

import (
	"encoding/binary"
	"math/bits"

	"github.com/ruri-reader/ruri/internal/reader"
)

// A block of terms begins with the length of its dictionary. The dictionary has for each index term: the difference to the one
// before; how many documents have it; and then the one document, or the length of their list. The lists follow: each has the
// differences of document numbers less one, the first counted from -1. A list of differences has at least as many bytes as documents.
// One with fewer bytes has a bit for each document number instead, and a frequent word takes an eighth of the space.

// termWriter writes the term blocks of a file.
type termWriter struct {
	file   []byte
	blocks []termRef
	first  uint64 // of the block that is being made
	last   uint64
	n      int
	dict   []byte
	lists  []byte
	list   []byte
}

// termRef is a block of terms in the footer.
type termRef struct {
	first uint64
	at    int // where it begins in the file
}

// add writes an index term greater than all before, with its documents in order.
func (w *termWriter) add(term uint64, docs []uint32) {
	w.list = w.list[:0]
	prev := int64(-1)
	for _, d := range docs {
		w.list = binary.AppendUvarint(w.list, uint64(int64(d)-prev-1))
		prev = int64(d)
	}
	if last := docs[len(docs)-1]; len(docs) > int(last/8+1) {
		w.list = append(w.list[:0], make([]byte, last/8+1)...)
		for _, d := range docs {
			w.list[d/8] |= 1 << (d % 8)
		}
	}
	alone := len(w.list) > ownBlock
	if alone {
		w.flush()
	}
	if w.n == 0 {
		w.first, w.last = term, 0
	}
	w.dict = binary.AppendUvarint(w.dict, term-w.last)
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
	d := reader.Decoder{Rest: b}
	n := d.Uvarint(uint64(len(b)))
	if d.Bad || n > uint64(len(d.Rest)) {
		return Terms{}, damaged("length of a dictionary")
	}
	return Terms{d.Rest[:n], d.Rest[n:]}, nil
}

// entry is an index term of a block, and its list.
type entry struct {
	term uint64
	n    int    // documents
	list []byte // not decoded
}

// next cuts the next entry off the block, whose terms so far end with last.
func (t *Terms) next(e *entry) error {
	delta, a := binary.Uvarint(t.dict)
	if a <= 0 || delta == 0 && e.n > 0 || delta > ^uint64(0)-e.term {
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
	e.term += delta
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

// each calls f for the documents of the entry, of which there are fewer than most in the segment.
func (e *entry) each(most int, f func(uint32)) error {
	if len(e.list) < e.n {
		return e.eachBit(most, f)
	}
	at, list := int64(-1), e.list
	for range e.n {
		var delta uint64
		if len(list) > 0 && list[0] < 0x80 {
			delta, list = uint64(list[0]), list[1:]
		} else {
			var n int
			if delta, n = binary.Uvarint(list); n <= 0 || delta >= uint64(most) {
				return damaged("a posting")
			}
			list = list[n:]
		}
		if at += int64(delta) + 1; at >= int64(most) {
			return damaged("a posting")
		}
		f(uint32(at))
	}
	if len(list) > 0 {
		return damaged("a posting list")
	}
	return nil
}

// eachBit is each for a list that has a bit for each document.
func (e *entry) eachBit(most int, f func(uint32)) error {
	n := 0
	for i, b := range e.list {
		for ; b != 0; b &= b - 1 {
			d := 8*i + bits.TrailingZeros8(b)
			if d >= most {
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

// Collect adds the documents that have an index term of a range to a set, of a segment of so many documents. Errors are those
// that IsDamaged reports.
func (t Terms) Collect(r Range, documents int, set Set) error {
	for e := (entry{}); len(t.dict) > 0; {
		if err := t.next(&e); err != nil {
			return err
		}
		if e.term > r.Hi {
			return nil
		}
		if e.term >= r.Lo {
			if err := e.each(documents, set.Add); err != nil {
				return err
			}
		}
	}
	return nil
}

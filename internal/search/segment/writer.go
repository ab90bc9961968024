package segment

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// writer writes a file in the order of its parts: texts, terms, tail.
type writer struct {
	file   []byte
	blocks []int // lengths of the text blocks
	plain  []byte
	n      int // documents of the block that is being made
	terms  termWriter
}

// text adds a document's record and text, and returns its place.
func (w *writer) text(record []byte, text string) (place uint32) {
	size := len(record) + len(text)
	if w.n == maxInBlock || w.n > 0 && len(w.plain)+size > textBlock {
		w.flush()
	}
	w.plain = append(binary.AppendUvarint(w.plain, uint64(len(record))), record...)
	w.plain = append(binary.AppendUvarint(w.plain, uint64(len(text))), text...)
	w.n++
	return uint32(len(w.blocks))<<placeBits | uint32(w.n-1)
}

func (w *writer) flush() {
	if w.n == 0 {
		return
	}
	at := len(w.file)
	w.file = appendTexts(w.file, w.plain)
	w.blocks = append(w.blocks, len(w.file)-at)
	w.n, w.plain = 0, w.plain[:0]
}

// copied adds a block of texts as another file has it, and returns its number.
func (w *writer) copied(block []byte) int {
	w.flush()
	w.file = append(w.file, block...)
	w.blocks = append(w.blocks, len(block))
	return len(w.blocks) - 1
}

// beginTerms ends the texts.
func (w *writer) beginTerms(documents int) {
	w.flush()
	w.terms.documents = documents
	w.terms.file = w.file
}

// tail ends the terms, and writes the rest. It returns how long the tail is.
func (w *writer) tail(docs []Entry, replaces []query.Ref, covered []Covered) (file []byte, tail int, err error) {
	w.terms.flush()
	file = w.terms.file
	end := len(file)
	if len(w.blocks) >= maxBlocks || len(docs) >= maxDocument {
		return nil, 0, fault.New(fault.TooLarge, "segment_too_large", "segment: write", nil)
	}
	packed := appendDocuments(make([]byte, 0, 12*len(docs)), docs)
	file = binary.AppendUvarint(file, uint64(len(packed)))
	file = append(file, packed...)
	file = binary.AppendUvarint(file, uint64(len(docs)))
	file = binary.AppendUvarint(file, uint64(len(w.blocks)))
	for _, n := range w.blocks {
		file = binary.AppendUvarint(file, uint64(n))
	}
	file = binary.AppendUvarint(file, uint64(len(w.terms.blocks)))
	first := Key{}
	for i, b := range w.terms.blocks {
		next := end
		if i+1 < len(w.terms.blocks) {
			next = w.terms.blocks[i+1].at
		}
		file = appendKey(file, b.first, first)
		file = binary.AppendUvarint(file, uint64(next-b.at))
		first = b.first
	}
	file = appendRefs(file, replaces)
	file = binary.AppendUvarint(file, uint64(len(covered)))
	feed := reader.FeedID(0)
	for _, c := range covered {
		file = binary.AppendUvarint(file, uint64(c.Feed-feed))
		file = binary.AppendUvarint(file, uint64(c.Seq))
		file = binary.AppendUvarint(file, uint64(c.Edits))
		feed = c.Feed
	}
	file = binary.LittleEndian.AppendUint32(file, uint32(len(file)-end))
	file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(file[end:], castagnoli))
	file = append(file, magic...)
	return file, len(file) - end, nil
}

func appendDocuments(b []byte, docs []Entry) []byte {
	var last Entry
	for i := range docs {
		e := &docs[i]
		if i == 0 {
			b = binary.AppendVarint(b, e.Sort)
		} else {
			b = binary.AppendUvarint(b, uint64(last.Sort-e.Sort))
		}
		b = binary.AppendUvarint(b, uint64(e.Feed))
		b = binary.AppendUvarint(b, uint64(e.Seq))
		b = binary.AppendVarint(b, int64(e.Stamp)-int64(last.Stamp))
		b = binary.AppendVarint(b, int64(e.place>>placeBits)-int64(last.place>>placeBits))
		b = binary.AppendUvarint(b, uint64(e.place%maxInBlock))
		last = *e
	}
	return b
}

// appendRefs writes the references sorted, each once.
func appendRefs(b []byte, refs []query.Ref) []byte {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, compareRefs)
	refs = slices.Compact(refs)
	b = binary.AppendUvarint(b, uint64(len(refs)))
	var last query.Ref
	for _, r := range refs {
		b = binary.AppendUvarint(b, uint64(r.Feed-last.Feed))
		if r.Feed != last.Feed {
			last.Seq = 0
		}
		b = binary.AppendUvarint(b, uint64(r.Seq-last.Seq))
		last = r
	}
	return b
}

package segment

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// together is how many documents have their texts in order of feed.
const together = 256

// Build makes the bytes of a segment, and how long its tail is (documents and footer), which is read first.
func Build(p *Part) (file []byte, tail int, err error) {
	docs := make([]*Document, len(p.Documents))
	for i := range p.Documents {
		docs[i] = &p.Documents[i]
	}
	slices.SortFunc(docs, func(a, b *Document) int {
		return cmp.Or(cmp.Compare(b.Sort, a.Sort), cmp.Compare(b.ID(), a.ID()))
	})
	size := 0
	for _, d := range docs {
		size += len(d.Record) + len(d.Item.Text)
	}
	w := writer{file: make([]byte, 0, size)} // what the texts lose by deflation, about, terms and tail take
	c := newCollector(size)
	entries := make([]Entry, len(docs))
	for i, d := range docs {
		entries[i] = Entry{d.Sort, d.Feed, d.Seq, d.Stamp, 0}
		c.begin(uint32(i))
		c.field(d.Item.Title, query.Title)
		c.field(d.Item.Author, query.Author)
		c.field(d.Item.Snippet, query.Any)
		for _, s := range d.Item.Categories {
			c.field(s, query.Any)
		}
		c.field(reader.CutBytes(d.Item.Text, query.MaxText), query.Any)
	}
	// The texts of a feed are alike and compress better together. Texts of one time stay close, as searches read the
	// newest first.
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(a/together, b/together), cmp.Compare(docs[a].Feed, docs[b].Feed))
	})
	for _, i := range order {
		entries[i].place = w.text(docs[i].Record, reader.CutBytes(docs[i].Item.Text, query.MaxText))
	}
	w.beginTerms(len(docs))
	c.write(&w.terms)
	return w.tail(entries, p.Replaces, p.Covered)
}

// collector collects the index terms of documents. Each distinct one has a number; pairs have theirs already.
type collector struct {
	slots  []slot // open addressing, at most half full
	shift  int    // of the hash, so that it is an index of slots
	terms  []Key
	doc    uint32 // number of the document and one
	extra  uint64 // the field whose own terms are collected too
	had    postings
	paired []uint32 // by the number of a pair: the last document that has it, and one
	pairs  postings
	folded []byte // a field
}

type slot struct {
	n    uint32 // number of the term and one; 0 in a free slot
	last uint32 // document that has it, and one
}

// postings are the numbers of the terms that documents have, in order of document.
type postings struct {
	terms  []uint32
	starts []int // where a document's begin
}

// byTerm returns the documents of each term, in order of term, and where those of a term end.
func (p *postings) byTerm(terms int) (docs, ends []uint32) {
	docs, ends = make([]uint32, len(p.terms)), make([]uint32, terms+1)
	for _, t := range p.terms {
		ends[t+1]++
	}
	for i := range terms {
		ends[i+1] += ends[i]
	}
	// As documents are put in, the beginning of a term's becomes their end.
	for doc, from := range p.starts {
		to := len(p.terms)
		if doc+1 < len(p.starts) {
			to = p.starts[doc+1]
		}
		for _, t := range p.terms[from:to] {
			docs[ends[t]] = uint32(doc)
			ends[t]++
		}
	}
	return docs, ends
}

const (
	// termBytes and pairBytes are about how many bytes of text a document has for each index term, and for each pair;
	// distinctBytes are those that all documents have for each distinct term.
	termBytes, pairBytes, distinctBytes = 7, 9, 40
)

// newCollector makes a collector for documents of so many bytes.
func newCollector(size int) *collector {
	distinct := size/distinctBytes + 1
	slotBits := bits.Len(uint(2 * distinct))
	return &collector{slots: make([]slot, 1<<slotBits), shift: 64 - slotBits, terms: make([]Key, 0, distinct),
		had:    postings{terms: make([]uint32, 0, size/termBytes)},
		paired: make([]uint32, pairNumbers), pairs: postings{terms: make([]uint32, 0, size/pairBytes)}}
}

// begin begins a document, whose number is one more than the last one's.
func (c *collector) begin(doc uint32) {
	c.doc = doc + 1
	c.had.starts = append(c.had.starts, len(c.had.terms))
	c.pairs.starts = append(c.pairs.starts, len(c.pairs.terms))
}

func (c *collector) field(s string, f query.Field) {
	if s == "" {
		return
	}
	c.extra = fieldKey(f)
	c.folded = match.Kana.AppendFold(c.folded[:0], s)
	scan(c.folded, c.add)
}

func (c *collector) add(term Key) {
	if term.hi&pairKind != 0 {
		if last := &c.paired[term.hi%pairNumbers]; *last != c.doc {
			*last = c.doc
			c.pairs.terms = append(c.pairs.terms, uint32(term.hi%pairNumbers))
		}
		return
	}
	c.put(term)
	if c.extra != 0 {
		term.hi |= c.extra
		c.put(term)
	}
}

func (c *collector) put(term Key) {
	s := c.find(term)
	if s.last == c.doc {
		return
	}
	if s.n == 0 {
		if 2*len(c.terms) >= len(c.slots) {
			c.grow()
			s = c.find(term)
		}
		c.terms = append(c.terms, term)
		s.n = uint32(len(c.terms))
	}
	s.last = c.doc
	c.had.terms = append(c.had.terms, s.n-1)
}

// find returns the slot of a term, or the free one that it would have.
func (c *collector) find(term Key) *slot {
	for at := (term.hi ^ term.lo*0xbf58476d1ce4e5b9) * 0x9e3779b97f4a7c15 >> c.shift; ; at++ {
		if s := &c.slots[at&uint64(len(c.slots)-1)]; s.n == 0 || c.terms[s.n-1] == term {
			return s
		}
	}
}

func (c *collector) grow() {
	old := c.slots
	c.slots = make([]slot, 2*len(old))
	c.shift--
	for i := range old {
		if old[i].n != 0 {
			*c.find(c.terms[old[i].n-1]) = old[i]
		}
	}
}

// write writes all terms in order.
func (c *collector) write(w *termWriter) {
	c.slots = nil
	order := make([]uint32, len(c.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return c.terms[a].compare(c.terms[b]) })
	behind, _ := slices.BinarySearchFunc(order, Key{hi: pairKind}, func(t uint32, k Key) int {
		return c.terms[t].compare(k)
	})
	docs, ends := c.had.byTerm(len(c.terms))
	add := func(list []uint32) {
		for _, t := range list {
			first := uint32(0)
			if t > 0 {
				first = ends[t-1]
			}
			w.add(c.terms[t], docs[first:ends[t]])
		}
	}
	add(order[:behind])
	paired, pairEnds := c.pairs.byTerm(pairNumbers)
	first := uint32(0)
	for n, end := range pairEnds[:pairNumbers] {
		if end > first {
			w.add(Key{hi: pairKind | uint64(n)}, paired[first:end])
		}
		first = end
	}
	add(order[behind:])
}

package segment

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"sort"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Entry is a document of a segment.
type Entry struct {
	Sort  int64
	Feed  reader.FeedID
	Seq   reader.Seq
	Stamp reader.Minute
	place uint32
}

// ID is the item's number.
func (e *Entry) ID() reader.ItemID { return reader.NewItemID(e.Stamp, e.Feed, e.Seq) }

// Text is the block of texts that has the document, and its place in it.
func (e *Entry) Text() (block, place int) {
	return int(e.place >> placeBits), int(e.place % maxInBlock)
}

// Compare orders documents as a segment has them: by sort time, then by number, the greatest first.
func (e *Entry) Compare(o *Entry) int {
	switch {
	case e.Sort != o.Sort:
		return order(e.Sort > o.Sort)
	case e.ID() != o.ID():
		return order(e.ID() > o.ID())
	}
	return 0
}

func order(first bool) int {
	if first {
		return -1
	}
	return 1
}

// Span is a part of a file.
type Span struct{ At, Size int }

// Tail is the end of a segment: its documents, and where the rest is. It is never changed.
type Tail struct {
	Documents []Entry     // newest first
	Replaces  []query.Ref // items that older segments have too, in order
	Covered   []Covered   // in order of feed

	texts []int // where the blocks begin, and where the last one ends
	terms []termRef
	end   int // of the terms
}

// Open reads the tail of a segment whose file has so many bytes. Errors are those that IsDamaged reports.
func Open(tail []byte, size int) (*Tail, error) {
	body := len(tail) - trailerBytes
	if body < 0 || size < len(tail) || string(tail[body+8:]) != magic {
		return nil, damaged("no trailer")
	}
	if binary.LittleEndian.Uint32(tail[body+4:]) != crc32.Checksum(tail[:body+4], castagnoli) {
		return nil, damaged("checksum of the tail")
	}
	if int64(binary.LittleEndian.Uint32(tail[body:])) != int64(body) {
		return nil, damaged("length of the tail")
	}
	docs, n := binary.Uvarint(tail[:body])
	if n <= 0 || docs > uint64(body-n) {
		return nil, damaged("length of the documents")
	}
	t := &Tail{end: size - len(tail)}
	d := reader.Decoder{Rest: string(tail[n+int(docs) : body])}
	count := readCount(&d, docs, maxDocument)
	t.footer(&d)
	if !d.Done() {
		return nil, damaged("footer")
	}
	d.Rest = string(tail[n : n+int(docs)])
	t.documents(&d, count)
	if !d.Done() {
		return nil, damaged("documents")
	}
	return t, nil
}

// OpenFile reads the tail of a whole file.
func OpenFile(file []byte) (*Tail, error) {
	at := len(file) - trailerBytes
	if at < 0 {
		return nil, damaged("no trailer")
	}
	n := int64(binary.LittleEndian.Uint32(file[at:]))
	if n > int64(at) {
		return nil, damaged("length of the tail")
	}
	return Open(file[at-int(n):], len(file))
}

// Check compares the tail with the list of segments, to find a whole segment in the place of another.
func (t *Tail) Check(documents int, newest, oldest int64) error {
	n := len(t.Documents)
	if n != documents || n > 0 && (t.Documents[0].Sort != newest || t.Documents[n-1].Sort != oldest) {
		return damaged("another segment")
	}
	return nil
}

// readCount reads how many follow of what takes at least a byte each of so many.
func readCount(d *reader.Decoder, bytes uint64, most uint64) int {
	return int(d.AtMost(min(bytes, most)))
}

func (t *Tail) footer(d *reader.Decoder) {
	n := readCount(d, uint64(len(d.Rest)), maxBlocks)
	t.texts = append(make([]int, 0, n+1), 0)
	at := 0
	for range n {
		at += int(d.AtMost(uint64(t.end - at)))
		t.texts = append(t.texts, at)
	}
	n = readCount(d, uint64(len(d.Rest)), maxBlocks)
	t.terms = make([]termRef, 0, n)
	first := Key{}
	for i := range n {
		key, size, ok := readKey([]byte(d.Rest[:min(len(d.Rest), 2*binary.MaxVarintLen64)]), first)
		if !ok || i > 0 && key.compare(first) <= 0 {
			d.Fail()
			return
		}
		first, d.Rest = key, d.Rest[size:]
		t.terms = append(t.terms, termRef{first, at})
		at += int(d.AtMost(uint64(t.end - at)))
	}
	if at != t.end {
		d.Fail()
	}
	n = readCount(d, uint64(len(d.Rest)), math.MaxInt32)
	t.Replaces = make([]query.Ref, 0, n)
	var ref query.Ref
	for range n {
		gap := reader.FeedID(d.AtMost(uint64(reader.MaxFeedID - ref.Feed)))
		if gap > 0 {
			ref.Seq = 0
		}
		ref.Feed += gap
		step := reader.Seq(d.AtMost(uint64(reader.MaxSeq - ref.Seq)))
		if step == 0 {
			d.Fail()
		}
		ref.Seq += step
		t.Replaces = append(t.Replaces, ref)
	}
	n = readCount(d, uint64(len(d.Rest)), math.MaxInt32)
	t.Covered = make([]Covered, 0, n)
	var feed reader.FeedID
	for range n {
		gap := reader.FeedID(d.AtMost(uint64(reader.MaxFeedID - feed)))
		if gap == 0 {
			d.Fail()
		}
		feed += gap
		t.Covered = append(t.Covered, Covered{feed, reader.Seq(d.AtMost(uint64(reader.MaxSeq))),
			uint32(d.AtMost(math.MaxUint32))})
	}
}

// entryBytes is the least size of a document.
const entryBytes = 6

func (t *Tail) documents(d *reader.Decoder, n int) {
	if n > len(d.Rest)/entryBytes {
		d.Fail()
		return
	}
	t.Documents = make([]Entry, n)
	var last Entry
	for i := range t.Documents {
		e := &t.Documents[i]
		if i == 0 {
			e.Sort = d.Varint()
		} else {
			e.Sort = last.Sort - int64(d.AtMost(math.MaxInt64))
		}
		e.Feed = reader.FeedID(d.AtMost(uint64(reader.MaxFeedID)))
		e.Seq = reader.Seq(d.AtMost(uint64(reader.MaxSeq)))
		e.Stamp = reader.Minute(int64(last.Stamp)+d.Varint()) & reader.MaxMinute
		block, place := int64(last.place>>placeBits)+d.Varint(), d.AtMost(maxInBlock-1)
		if e.Sort > last.Sort && i > 0 || block < 0 || block >= int64(len(t.texts)-1) {
			d.Fail()
			return
		}
		e.place = uint32(block)<<placeBits | uint32(place)
		last = *e
	}
}

// Bytes is about how much memory the tail takes.
func (t *Tail) Bytes() int {
	return 24*len(t.Documents) + 8*len(t.Replaces) + 12*len(t.Covered) + 8*len(t.texts) + 24*len(t.terms) + 200
}

// CoveredOf returns how far the index reaches in a feed, if this is its newest segment.
func (t *Tail) CoveredOf(f reader.FeedID) Covered {
	i, ok := slices.BinarySearchFunc(t.Covered, f, func(c Covered, f reader.FeedID) int { return int(c.Feed) - int(f) })
	if !ok {
		return Covered{Feed: f}
	}
	return t.Covered[i]
}

// Replaced reports whether the segment has a newer version of an item that older segments may have.
func (t *Tail) Replaced(f reader.FeedID, seq reader.Seq) bool {
	if len(t.Replaces) == 0 {
		return false
	}
	_, ok := slices.BinarySearchFunc(t.Replaces, query.Ref{Feed: f, Seq: seq}, compareRefs)
	return ok
}

func compareRefs(a, b query.Ref) int {
	if a.Feed != b.Feed {
		return int(a.Feed) - int(b.Feed)
	}
	return int(int64(a.Seq) - int64(b.Seq))
}

// Text is where a block of texts is in the file.
func (t *Tail) Text(block int) Span { return Span{t.texts[block], t.texts[block+1] - t.texts[block]} }

// Terms returns the blocks that have the index terms of a range: from first up to and without last.
func (t *Tail) Terms(r Range) (first, last int) {
	first = sort.Search(len(t.terms), func(i int) bool { return t.terms[i].first.compare(r.Lo) > 0 })
	last = sort.Search(len(t.terms), func(i int) bool { return t.terms[i].first.compare(r.Hi) > 0 })
	return max(first-1, 0), last
}

// Term is where a block of terms is in the file.
func (t *Tail) Term(block int) Span {
	end := t.end
	if block+1 < len(t.terms) {
		end = t.terms[block+1].at
	}
	return Span{t.terms[block].at, end - t.terms[block].at}
}

// Package segment has the format of the index's files. A segment is immutable: it is built from items, or merged from
// older segments, and read in parts.
//
// A file consists of the following, numbers being varints unless their size is said. The documents and the footer are
// its tail, which is read first and whole; of the rest, what a search needs.
//
//	texts      blocks of some 16 KB before they are packed (zstd): for each document its record and its text, each
//	           after its length
//	terms      blocks of some 16 KB, see terms.go
//	documents  newest first: sort time, feed, seq, minute of commit, block of texts, place in the block
//	footer     how many documents, lengths of the text blocks, first terms and lengths of the term blocks, what is
//	           replaced, what is covered
//	trailer    16 bytes: length of documents and footer, CRC-32C of the tail but for itself, "ruriseg2"
//
// Each block begins with a CRC-32C of its own, since parts are read that nothing else checks.
package segment

import (
	"hash/crc32"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Document is an item to be indexed.
type Document struct {
	Feed   reader.FeedID
	Seq    reader.Seq
	Stamp  reader.Minute
	Sort   int64
	Record []byte // the stored header, opaque here; what is found comes back with it
	Item   query.Item
}

// ID is the item's number.
func (d *Document) ID() reader.ItemID { return reader.NewItemID(d.Stamp, d.Feed, d.Seq) }

// Covered is how far the index reaches in a feed: items up to Seq, and the feed's edits up to a count.
type Covered struct {
	Feed  reader.FeedID
	Seq   reader.Seq
	Edits uint32
}

// Part is the input of an index job: documents, the versions that they replace, and how far the index then reaches.
type Part struct {
	Documents []Document
	Replaces  []query.Ref // of older segments
	Covered   []Covered   // in order of feed
}

// Format is the version of the files and of the folding of their texts. An index of another version is made anew.
const Format = 4

const (
	magic        = "ruriseg2"
	trailerBytes = 4 + 4 + len(magic)
	crcBytes     = 4

	textBlock = 16 << 10
	// maxPlain bounds what a block of texts may unpack to: a header of 8 MB does not fit the row of a delta.
	maxPlain  = 9 << 20
	termBlock = 16 << 10
	// ownBlock is how many bytes of a posting list are a block of their own, so that one read is enough for any list.
	ownBlock = 2 << 10

	// A document's place is its block's number and its number in the block.
	placeBits   = 10
	maxInBlock  = 1 << placeBits
	maxBlocks   = 1 << (32 - placeBits)
	maxDocument = 1 << 24 // documents of a segment
)

// castagnoli is the polynomial that processors compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damaged is the error of bytes that no writer of segments wrote.
func damaged(what string) error {
	return &fault.Error{Kind: fault.Internal, Code: "segment_damaged", Op: "segment: read", Message: what}
}

// IsDamaged reports whether an error means that a segment's bytes are not what was written.
func IsDamaged(err error) bool { return fault.CodeOf(err) == "segment_damaged" }

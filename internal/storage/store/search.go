package store

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SearchRow lists the segments of the search index, derived data that jobs make again if it is deleted.
type SearchRow struct {
	rowKey

	Rev      int    `dynamo:"rev"`                // of every write
	At       int64  `dynamo:"at,omitempty"`       // of the last write, in Unix seconds
	Mode     string `dynamo:"mode,omitempty"`     // what of items is indexed
	Format   int    `dynamo:"format,omitempty"`   // of the segments, and how their words are folded; 0: the first one
	Segments []byte `dynamo:"segments,omitempty"` // see List
	Making   string `dynamo:"making,omitempty"`   // the name of the segment that a job is about to put
	Dropped  []byte `dynamo:"dropped,omitempty"`  // see ListDropped
	// Checked is the day, counted as by schedule.DayOf, of the last search of segments for documents that are gone.
	Checked int32 `dynamo:"checked,omitempty"`
}

// Segment is one file of the index.
type Segment struct {
	Name           string // 16 hexadecimal digits
	Size, Tail     int    // bytes of the file, and of its end that is read first
	Documents      int
	Newest, Oldest int64 // bounds of the sort times of its documents, in Unix seconds
	// Made and Checked are the days (schedule.DayOf) when it was written and last checked for removed documents.
	Made, Checked int32
}

// DroppedSegment is a file that is no longer part of the index.
type DroppedSegment struct {
	Name string
	At   int64 // Unix seconds
}

// SegmentKey returns the key of a segment's blob.
func SegmentKey(name string) string { return segmentFolder + name + segmentExt }

// ParseSegmentKey returns the name in the key of a segment's blob.
func ParseSegmentKey(key string) (name string, ok bool) {
	name, ok = strings.CutPrefix(key, segmentFolder)
	if ok {
		name, ok = strings.CutSuffix(name, segmentExt)
	}
	return name, ok
}

const (
	// segmentFolder has the number of the one part of the index, so that more can follow.
	segmentFolder = SearchPrefix + "0/"
	segmentExt    = ".seg"
	segmentName   = 8 // bytes of a name
	maxSegments   = 10_000
)

// List unpacks the segments, in order of creation.
func (r *SearchRow) List() ([]Segment, error) {
	d := reader.Decoder{Rest: string(r.Segments)}
	var list []Segment
	for d.More() && len(list) < maxSegments {
		s := Segment{Name: segmentNameFrom(&d), Size: int(d.Uvarint()), Tail: int(d.Uvarint()),
			Documents: int(d.Uvarint())}
		s.Newest = d.Varint()
		s.Oldest = s.Newest - d.Varint()
		s.Made = int32(d.Varint())
		s.Checked = s.Made + int32(d.Varint())
		list = append(list, s)
	}
	if !d.Done() {
		return nil, badSearchRow()
	}
	return list, nil
}

// SetList packs the segments.
func (r *SearchRow) SetList(list []Segment) {
	r.Segments = nil
	for _, s := range list {
		r.Segments = appendSegmentName(r.Segments, s.Name)
		for _, n := range [...]int{s.Size, s.Tail, s.Documents} {
			r.Segments = binary.AppendUvarint(r.Segments, uint64(n))
		}
		for _, n := range [...]int64{s.Newest, s.Newest - s.Oldest, int64(s.Made), int64(s.Checked - s.Made)} {
			r.Segments = binary.AppendVarint(r.Segments, n)
		}
	}
}

// ListDropped unpacks the files whose blobs are still to be deleted.
func (r *SearchRow) ListDropped() ([]DroppedSegment, error) {
	d := reader.Decoder{Rest: string(r.Dropped)}
	var list []DroppedSegment
	for d.More() && len(list) < maxSegments {
		list = append(list, DroppedSegment{Name: segmentNameFrom(&d), At: d.Varint()})
	}
	if !d.Done() {
		return nil, badSearchRow()
	}
	return list, nil
}

// SetDropped packs them.
func (r *SearchRow) SetDropped(list []DroppedSegment) {
	r.Dropped = nil
	for _, s := range list {
		r.Dropped = binary.AppendVarint(appendSegmentName(r.Dropped, s.Name), s.At)
	}
}

// appendSegmentName appends a name's bytes; a name that is none becomes zeros.
func appendSegmentName(b []byte, name string) []byte {
	var raw [segmentName]byte
	_, _ = hex.Decode(raw[:], []byte(name)[:min(len(name), 2*segmentName)])
	return append(b, raw[:]...)
}

func segmentNameFrom(d *reader.Decoder) string {
	var raw [segmentName]byte
	for i := range raw {
		raw[i] = d.Byte()
	}
	return hex.EncodeToString(raw[:])
}

func badSearchRow() error { return fault.New(fault.Internal, "bad_search_row", "store: search", nil) }

// Search reads and writes the row of the index.
type Search struct{ t *table.Table }

// Get reads the row; the zero row where there is no index yet.
func (s *Search) Get(ctx context.Context, consistent bool) (*SearchRow, error) {
	var opts []table.ReadOption
	if consistent {
		opts = append(opts, table.Consistent())
	}
	row, err := getOrZero[SearchRow](ctx, s.t, searchKey(), opts...)
	return &row, err
}

// Exists reports whether the row was read, and is not the zero value for a missing one.
func (r *SearchRow) Exists() bool { return r.isStored() }

// Replace replaces the row that was read and returns the next revision; Conflict if another is stored.
func (s *Search) Replace(ctx context.Context, read, next *SearchRow) (*SearchRow, error) {
	row := *next
	row.Rev = read.Rev + 1
	return &row, put(ctx, s.t, searchKey(), &row, table.IfEqual("rev", read.Rev))
}

// Remove deletes the row.
func (s *Search) Remove(ctx context.Context) error { return s.t.Delete(ctx, searchKey()) }

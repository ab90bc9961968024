package store

import (
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

func TestSearchRowPacksItsSegments(t *testing.T) {
	t.Parallel()
	segments := []Segment{
		{Name: "00112233445566ff", Size: 30 << 20, Tail: 70_000, Documents: 33_000, Newest: 1_800_000_000, Oldest: -5,
			Made: 300, Checked: 320},
		{Name: "ffffffffffffffff", Size: 1, Tail: 1, Documents: 1, Newest: 7, Oldest: 7, Made: 1, Checked: 1},
	}
	dropped := []DroppedSegment{{"0123456789abcdef", 1_800_000_000}, {"fedcba9876543210", 0}}
	var row SearchRow
	row.SetList(segments)
	row.SetDropped(dropped)
	if got, err := row.List(); err != nil || !slices.Equal(got, segments) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := row.ListDropped(); err != nil || !slices.Equal(got, dropped) {
		t.Errorf("%+v, %v", got, err)
	}
	if n := len(row.Segments) / 2; n > 35 {
		t.Errorf("%d bytes for a segment", n)
	}
	for cut := 1; cut < len(row.Segments); cut++ {
		short := SearchRow{Segments: row.Segments[:cut], Dropped: row.Segments[:cut]}
		if list, err := short.List(); err == nil && len(list) != 1 {
			t.Errorf("cut at %d: %+v", cut, list)
		}
		_, _ = short.ListDropped()
	}
}

func TestSearchRowIsReplacedByRevision(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	read, err := s.Search.Get(ctx, true)
	ok(t, err)
	if read.Exists() {
		t.Error("there is no index yet")
	}
	first, err := s.Search.Replace(ctx, read, &SearchRow{Making: "0123456789abcdef"})
	ok(t, err)
	if _, err := s.Search.Replace(ctx, read, &SearchRow{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second first job: %v", err)
	}
	_, err = s.Search.Replace(ctx, first, &SearchRow{Mode: "titles"})
	ok(t, err)
	now, err := s.Search.Get(ctx, true)
	ok(t, err)
	if now.Rev != 2 || now.Making != "" || now.Mode != "titles" || Kind(now.key()) != "search" {
		t.Errorf("%+v", now)
	}
	ok(t, s.Search.Remove(ctx))
	if now, err = s.Search.Get(ctx, true); err != nil || now.Exists() {
		t.Errorf("%+v, %v", now, err)
	}
	name, isOne := ParseSegmentKey(SegmentKey("0123456789abcdef"))
	if !isOne || name != "0123456789abcdef" {
		t.Error(name)
	}
	if _, isOne := ParseSegmentKey("search/0/x.tmp"); isOne {
		t.Error("another blob is taken for a segment")
	}
}

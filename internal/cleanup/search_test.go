package cleanup_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Once a month, segments that the index does not name are removed; those that it names, makes or is about to delete
// stay, and so do new ones, which a job may be about to name.
func TestSegmentsThatTheIndexDoesNotNameGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.clock.Set(time.Date(2027, 1, 30, 1, 0, 0, 0, time.UTC)) // the 394th day
	w.run()
	put := func(name string) string {
		w.Helper()
		if err := w.blobs.Put(t.Context(), store.SegmentKey(name), []byte("segment"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		return store.SegmentKey(name)
	}
	named, making, dropped, orphan := put("0000000000000001"), put("0000000000000002"), put("0000000000000003"),
		put("0000000000000004")
	row := store.SearchRow{Making: "0000000000000002"}
	row.SetList([]store.Segment{{Name: "0000000000000001", Size: 7}})
	row.SetDropped([]store.DroppedSegment{{Name: "0000000000000003"}})
	if _, err := w.store.Search.Replace(t.Context(), &store.SearchRow{}, &row); err != nil {
		t.Fatal(err)
	}
	gone := time.Time{}
	for day := range 31 {
		w.clock.Add(24 * time.Hour)
		young := put("000000000000ffff")
		w.run()
		keys := w.keys()
		for _, key := range []string{named, making, dropped, young} {
			if !slices.Contains(keys, key) {
				t.Fatalf("day %d: %s is gone", day, key)
			}
		}
		if gone.IsZero() && !slices.Contains(keys, orphan) {
			gone = w.clock.Now()
		}
	}
	if gone.IsZero() {
		t.Error("the orphan is left")
	}
}

// Where searches are off, no index is kept: its segments go the next night, and then its row.
func TestAnIndexThatIsOffGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	row := store.SearchRow{Mode: "titles"}
	row.SetList([]store.Segment{{Name: "0000000000000001", Size: 7}})
	if _, err := w.store.Search.Replace(t.Context(), &store.SearchRow{}, &row); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"0000000000000001", "0000000000000002"} {
		if err := w.blobs.Put(t.Context(), store.SegmentKey(name), []byte("segment"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
	}
	on := w.tidy
	w.tidy = cleanup.New(w.store, w.blobs, w, w.clock, slog.New(slog.DiscardHandler),
		cleanup.Options{NoSearch: true, Recount: noRecount})
	w.run()
	if keys := w.keys(); len(keys) > 0 {
		t.Errorf("left: %v", keys)
	}
	if now, err := w.store.Search.Get(t.Context(), true); err != nil || now.Exists() {
		t.Errorf("the row is left: %+v, %v", now, err)
	}
	// From then on it costs nothing.
	night := func() int64 {
		w.clock.Add(24 * time.Hour)
		before := w.blobs.Meter().Snapshot().Lists
		w.run()
		return w.blobs.Meter().Snapshot().Lists - before
	}
	off := night()
	w.tidy = on
	if usual := night(); off != usual {
		t.Errorf("%d listings where searches are off, else %d", off, usual)
	}
}

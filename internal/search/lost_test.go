package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A search that finds a segment missing reports it, but not each time.
func TestALostSegmentIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	f := w.feed()
	w.commit(f, []string{"text"}, store.Header{Identity: 1, Title: "needle", Sort: 1})
	w.indexAll(0, f)
	w.fresh()
	reports := 0
	w.s.OnLost(func(context.Context, error) { reports++ })
	row, err := w.store.Search.Get(t.Context(), true)
	w.ok(err)
	list, err := row.List()
	w.ok(err)
	for _, x := range list {
		w.ok(w.blobs.Delete(t.Context(), store.SegmentKey(x.Name)))
	}
	q, err := query.Parse("needle", query.Options{})
	w.ok(err)
	feed, err := w.store.Feeds.Get(t.Context(), 1, true)
	w.ok(err)
	look := func() error {
		_, err := w.s.Search(t.Context(),
			search.Request{Query: q, Limit: 10, Feeds: []search.Feed{{Row: feed, Wants: func(reader.Seq) bool {
				return true
			}}}})
		return err
	}
	for _, want := range []int{1, 1} {
		if err := look(); fault.CodeOf(err) != "search_damaged" || reports != want {
			t.Errorf("%v, %d reports", err, reports)
		}
	}
	w.clk.Add(time.Hour)
	if _ = look(); reports != 2 {
		t.Errorf("%d reports", reports)
	}
}

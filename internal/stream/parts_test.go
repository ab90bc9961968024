package stream_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestLargeSideBarIsComplete: one that is read in parts has all subscriptions in order, but for those whose feed has no
// row.
func TestLargeSideBarIsComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	var want []reader.FeedID
	for i := range 600 {
		f, err := w.store.Feeds.Ensure(t.Context(), fmt.Sprintf("https://%d.example.org/", i),
			func(reader.FeedID) store.FeedRow {
				return store.FeedRow{Seq: 5}
			})
		w.ok(err)
		if i%7 == 3 || i > 270 && i < 515 && i != 400 {
			continue
		}
		want = append(want, f.ID())
		w.ok(w.store.Subscriptions.Add(t.Context(), user, f.ID(), store.SubscriptionRow{Rev: 1, Upto: 3}))
	}
	for _, absent := range []reader.FeedID{601, 767, 768, 2000} {
		w.ok(w.store.Subscriptions.Add(t.Context(), user, absent, store.SubscriptionRow{}))
	}
	list, err := w.s.Feeds(t.Context(), user)
	w.ok(err)
	var got []reader.FeedID
	for _, x := range list {
		got = append(got, x.Feed.ID())
		if x.Sub.Feed() != x.Feed.ID() || x.Host != fmt.Sprintf("%d.example.org", x.Feed.ID()-1) || x.Unread() != 2 {
			t.Errorf("feed %d: subscription to %d, host %q, %d unread", x.Feed.ID(), x.Sub.Feed(), x.Host, x.Unread())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	totals, err := w.s.Totals(t.Context(), user)
	w.ok(err)
	if want := (stream.Totals{Feeds: len(want), Unread: 2 * len(want)}); totals != want {
		t.Errorf("totals %+v, want %+v", totals, want)
	}
}

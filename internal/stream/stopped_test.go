package stream_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestContinued: Today offers the two items that were begun last, also read ones, as long as they are there.
func TestContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	a, muted, left := w.feed(), w.feed(), w.feed()
	w.settings(muted, func(row *store.SubscriptionRow) { row.Mute = true })
	ids := map[string]reader.ItemID{"gone": reader.NewItemID(77, a, 700)}
	for _, title := range []string{"first", "second", "third", "finished", "old"} {
		w.items(a, store.Header{Title: title, Sort: w.clk.Now().Unix()})
		ids[title] = w.itemID(a, title)
	}
	for f, title := range map[reader.FeedID]string{muted: "muted", left: "left"} {
		w.items(f, store.Header{Title: title, Sort: w.clk.Now().Unix()})
		ids[title] = w.itemID(f, title)
	}
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, left))
	w.markFeed(a, 0)
	w.clk.Add(20 * 24 * time.Hour)
	days := func(title string, n int, part float64) library.Place {
		return library.Place{Item: ids[title], At: w.clk.Now().Unix() - int64(86_400*n), Part: part}
	}
	offered := func(want ...string) {
		t.Helper()
		day, err := w.s.Today(t.Context(), user, stream.TodayQuery{})
		w.ok(err)
		var got []string
		for _, x := range day.Continued {
			got = append(got, x.Header.Title)
			if x.Place.Item != x.ID {
				t.Errorf("%q has the place %v", x.Header.Title, x.Place)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("to be continued are %q, want %q", got, want)
		}
	}
	offered()
	_, isStored, err := w.s.Stop(t.Context(), user, library.Places{days("first", 13, 0.1), days("old", 15, 0.5),
		days("finished", 1, 1), days("muted", 1, 0.2), days("left", 1, 0.3), days("gone", 1, 0.3)})
	if w.ok(err); !isStored {
		t.Error("not stored")
	}
	offered("first")
	// Another device of this process finds at once what is stored later.
	w.clk.Add(time.Minute)
	all, isStored, err := w.s.Stop(t.Context(), user, library.Places{days("second", 0, 0.4)})
	if w.ok(err); isStored || len(all) != 7 {
		t.Errorf("a minute later: %d places, stored: %v", len(all), isStored)
	}
	offered("second", "first")
	w.clk.Add(time.Hour)
	_, isStored, err = w.s.Stop(t.Context(), user, library.Places{days("third", 0, 0.4)})
	if w.ok(err); !isStored {
		t.Error("not stored an hour later")
	}
	offered("third", "second")
	stored, err := w.store.Places.Get(t.Context(), user)
	if w.ok(err); len(stored) != 8 {
		t.Errorf("stored are %v", stored)
	}
}

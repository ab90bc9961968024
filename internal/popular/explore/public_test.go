package explore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// public adds a feed of a public folder.
func (w *world) public(folder reader.FolderID, change func(*store.FeedRow)) *feed {
	f := w.addFeed(false, false)
	row, err := w.store.Subscriptions.Get(bg, user, f.id)
	w.must(err)
	next := *row
	next.Folders = []reader.FolderID{folder}
	_, err = w.store.Subscriptions.Change(bg, user, row, &next)
	w.must(err)
	_, err = w.store.Feeds.Modify(bg, f.id, change)
	w.must(err)
	return f
}

// TestPublicLists: what everybody sees is of public folders, from the owner's threshold on, and never of a feed that
// somebody keeps from providers of counts.
func TestPublicLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	plain := func(*store.FeedRow) {}
	open := w.public(1, plain)
	private := w.public(2, plain)
	never := w.public(1, func(f *store.FeedRow) { f.NoCounts = true })
	counts := map[*item]int{}
	add := func(f *feed, topic string, n int) {
		for i := range 3 { // fewer entries make no tag
			it := w.titled(f, time.Hour, fmt.Sprintf("https://site.org/%s/%d", topic, i), "About "+topic, topic)
			counts[it] = n
		}
	}
	add(open, "Chess", 10)
	add(open, "Jazz", 9)
	add(private, "Mars", 50)
	add(never, "Rust", 50)
	w.count(counts)
	w.nightly()
	w.restart()
	p := &explore.Published{User: user, Folders: []reader.FolderID{1}, Threshold: 10}
	var names []string
	sums, err := w.s.PublicTags(bg, p)
	w.must(err)
	for _, x := range sums {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{"Chess"}) {
		t.Errorf("public tags are %v", names)
	}
	for _, q := range []explore.Query{{Threshold: p.Threshold}, {Threshold: p.Threshold, Tag: "Chess"},
		{Threshold: p.Threshold, Tag: "Rust"}, {Threshold: p.Threshold, Tag: "Mars"}} {
		q.Order, q.Period = explore.Hot, explore.Month
		entries, err := w.s.Public(bg, p, q)
		w.must(err)
		want := 3
		if q.Tag == "Rust" || q.Tag == "Mars" {
			want = 0
		}
		for _, e := range entries {
			if e.Title != "About Chess" {
				t.Errorf("tag %q: %q of %d is public", q.Tag, e.Title, e.N)
			}
		}
		if len(entries) != want {
			t.Errorf("tag %q: %d entries, want %d", q.Tag, len(entries), want)
		}
	}
}

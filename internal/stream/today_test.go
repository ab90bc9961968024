package stream_test

import (
	"fmt"
	"iter"
	"reflect"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// counted are bookmark counts.
type counted []reader.BookmarkCount

func (c counted) InFeed(f reader.FeedID, above reader.Seq) iter.Seq[reader.BookmarkCount] {
	return func(yield func(reader.BookmarkCount) bool) {
		for _, x := range c {
			if x.Feed == f && x.Seq > above && !yield(x) {
				return
			}
		}
	}
}

// day returns Today as titles.
func (w *world) day(q stream.TodayQuery) map[string]any {
	w.t.Helper()
	t, err := w.s.Today(w.t.Context(), user, q)
	w.ok(err)
	out := map[string]any{"new": t.New, "seen": t.Seen}
	titles := func(name string, list []stream.Entry) {
		var text []string
		for _, e := range list {
			text = append(text, e.Header.Title)
		}
		if text != nil {
			out[name] = text
		}
	}
	for _, f := range t.Folders {
		out[fmt.Sprint("count ", f.ID)] = f.Count
		titles(fmt.Sprint("folder ", f.ID), f.Newest)
	}
	titles("long", t.LongReads)
	titles("episodes", t.Episodes)
	titles("drops", t.Drops)
	titles("popular", t.Popular)
	feeds := func(name string, list []*stream.Subscribed) {
		var ids []reader.FeedID
		for _, x := range list {
			ids = append(ids, x.Feed.ID())
		}
		if ids != nil {
			out[name] = ids
		}
	}
	feeds("broken", t.Broken)
	feeds("quiet", t.Quiet)
	if t.Week != (reader.Count{}) {
		out["week"] = t.Week
	}
	if t.IsPartial {
		out["partial"] = true
	}
	return out
}

func TestToday(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	var news, inner, tech reader.FolderID
	_, err := w.store.Trees.Change(t.Context(), user, func(tree *library.Tree) error {
		news, tech = tree.Ensure([]string{"News"}), tree.Ensure([]string{"Tech"})
		inner = tree.Ensure([]string{"Tech", "Go"})
		return nil
	})
	w.ok(err)
	in := func(folders ...reader.FolderID) reader.FeedID {
		id := w.feed()
		w.settings(id, func(row *store.SubscriptionRow) { row.Folders = folders })
		return id
	}
	a, b, loose, muted, watched := in(inner), in(news, tech), in(), in(), in()
	w.settings(muted, func(row *store.SubscriptionRow) { row.Mute = true })
	item := func(title string, edit func(*store.Header)) store.Header {
		h := store.Header{Title: title, Identity: w.rng.Uint64(), Lang: "en", Sort: w.clk.Now().Unix(),
			Link: "https://example.org/" + title}
		if edit != nil {
			edit(&h)
		}
		return h
	}
	// Archives of before the last visit and of a new feed: of that one the newest items are new, which begin as unread.
	w.clk.Add(20 * 24 * time.Hour)
	w.items(a, item("ancient", func(h *store.Header) { h.Length = 20_000 }))
	w.clk.Add(12 * 24 * time.Hour)
	w.items(a, item("old long", func(h *store.Header) { h.Length = 20_000 }))
	w.clk.Add(24 * time.Hour)
	since := w.clk.Now().Add(time.Minute)
	w.clk.Add(time.Hour)
	archive := make([]store.Header, 21)
	for i := range archive {
		archive[i] = item(fmt.Sprint("archived", i), func(h *store.Header) { h.Sort -= int64(100_000 * (21 - i)) })
	}
	w.items(loose, archive...)
	_, err = w.store.Feeds.Modify(t.Context(), loose, func(f *store.FeedRow) { f.FirstSeq = f.Seq })
	w.ok(err)
	for i := range 4 {
		w.clk.Add(time.Minute)
		w.items(a, item(fmt.Sprint("a", i), nil))
	}
	w.clk.Add(time.Minute)
	w.items(b, item("story", func(h *store.Header) { h.Length = 9600 }),
		item("長い", func(h *store.Header) { h.Lang, h.Length, h.Sort = "ja", 4000, h.Sort+1 }),
		item("short", func(h *store.Header) { h.Length, h.Sort = 8000, h.Sort-5 }),
		item("talk", func(h *store.Header) {
			h.Sort, h.Length, h.Enclosures = h.Sort-7, 20_000, []store.Enclosure{{Type: "audio/mpeg"}}
		}))
	w.items(loose, item("story", nil)) // the same as in b
	w.items(muted, item("unheard", nil))
	_, err = w.store.Feeds.Modify(t.Context(), watched, func(f *store.FeedRow) { f.Kind = store.KindWatch })
	w.ok(err)
	w.items(watched, item("teapot", func(h *store.Header) { h.Offer = &store.Offer{Event: "dropped"} }),
		item("camera", func(h *store.Header) { h.Offer = &store.Offer{Event: "new"} }))
	w.markFeed(a, w.itemID(a, "a0"))
	_, err = w.store.Feeds.Modify(t.Context(), b, func(f *store.FeedRow) { f.Status, f.ErrCode = "error", "http_500" })
	w.ok(err)

	q := stream.TodayQuery{Since: since, Counts: counted{
		{Feed: a, Seq: 4, N: 12, Sort: since.Unix(), Story: 1}, {Feed: b, Seq: 1, N: 40, Sort: since.Unix(), Story: 2},
		{Feed: a, Seq: 3, N: 90, Sort: since.Unix(), Story: 3}, // is read
		{Feed: a, Seq: 5, N: 9, Sort: since.Unix(), Story: 4}, {Feed: b, Seq: 2, N: 99, Sort: 1, Story: 5},
	}, CountedSince: since.Unix() - 100}
	want := map[string]any{
		"new": 29, "seen": 1,
		"count 1": 4, "folder 1": []string{"長い", "story", "short"},
		"count 2": 3, "folder 2": []string{"a3", "a2", "a1"},
		"count 0": 21, "folder 0": []string{"story", "archived20", "archived19"},
		"long": []string{"長い", "story"}, "episodes": []string{"talk"}, "drops": []string{"teapot"},
		"popular": []string{"story", "a1"}, "broken": []reader.FeedID{b}, "week": reader.Count{Cleared: 3},
	}
	if got := w.day(q); !reflect.DeepEqual(got, want) {
		t.Errorf("today is\n%v, want\n%v", got, want)
	}
	// Nothing new since: what is unread of the last two weeks is still offered.
	got := w.day(stream.TodayQuery{Since: w.clk.Now().Add(time.Minute)})
	if got["new"] != 0 || got["count 1"] != nil || !reflect.DeepEqual(got["long"], want["long"]) {
		t.Errorf("later it is %v", got)
	}
	w.clk.Add(15 * 24 * time.Hour)
	if got := w.day(stream.TodayQuery{}); got["long"] != nil || got["drops"] != nil || got["new"] != 0 {
		t.Errorf("two weeks later it is %v", got)
	}
}

// itemID finds an item by its title.
func (w *world) itemID(f reader.FeedID, title string) reader.ItemID {
	w.t.Helper()
	p, err := w.s.List(w.t.Context(), user, stream.Query{Scope: stream.Scope{Feed: f}, Limit: stream.MaxLimit})
	w.ok(err)
	for _, e := range p.Items {
		if e.Header.Title == title {
			return e.ID
		}
	}
	w.t.Fatalf("there is no %q", title)
	return 0
}

// TestTodayIsBounded: after a long time away the feeds are not read to the end, and Today says so.
func TestTodayIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	id, since := w.feed(), w.clk.Now()
	for range 100 {
		w.clk.Add(time.Hour)
		w.items(id, store.Header{Title: "x", Sort: w.clk.Now().Unix()})
	}
	if got := w.day(stream.TodayQuery{Since: since}); got["new"] != 64 || got["partial"] != true {
		t.Errorf("today is %v", got)
	}
}

// TestReadUnitsOfToday bounds what Today costs where each row read has its price, for 100 feeds which all have news: a
// query for each, and nothing that a list of items which follows has to read again. It writes nothing.
func TestReadUnitsOfToday(t *testing.T) {
	t.Parallel()
	w := manyFeeds(t, 100)
	w.clk.Add(10 * time.Minute)
	far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
	s := stream.New(store.New(far, w.clk), w.blobs, w.clk)
	spent := func(what string, most float64, do func() error) {
		t.Helper()
		before := far.Meter().Snapshot()
		w.ok(do())
		after := far.Meter().Snapshot()
		n := after.TotalReads() - before.TotalReads()
		t.Logf("%-12s %5.1f read units", what, n)
		if n > most || after.TotalWrites() != before.TotalWrites() {
			t.Errorf("%s: %.1f read units, at most %.0f; %.1f written", what, n, most,
				after.TotalWrites()-before.TotalWrites())
		}
	}
	today := func() error {
		day, err := s.Today(t.Context(), user, stream.TodayQuery{Since: w.clk.Now().Add(-12 * time.Hour)})
		if day.New < 100 || day.IsPartial {
			t.Errorf("%d new, partial: %v", day.New, day.IsPartial)
		}
		return err
	}
	spent("today, cold", 75, today)
	spent("today, warm", 3, today)
	spent("list", 3, func() error {
		_, err := s.List(t.Context(), user, stream.Query{Filter: stream.Unread})
		return err
	})
}

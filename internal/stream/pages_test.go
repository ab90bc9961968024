package stream_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// firstCrawls fills a user's feeds with what their first crawls found: 24 unread items each, of the last thirty days.
func firstCrawls(t *testing.T, feeds int, snippet string) *world {
	t.Helper()
	w := newWorld(t, uint64(feeds))
	for i := range feeds {
		id, hs := w.feed(), make([]store.Header, 24)
		for k := range hs {
			hs[k] = store.Header{
				Identity: uint64(k), Title: "title", Snippet: snippet,
				Link: fmt.Sprintf("https://example.org/%d/%d", i, k),
				Sort: w.clk.Now().Unix() - int64(w.rng.IntN(30*24*3600)),
			}
		}
		w.items(id, hs...)
	}
	return w
}

// perRun returns how many allocations of how many bytes a call takes.
func perRun(call func()) (allocs, bytes float64) {
	const runs = 20
	var before, after runtime.MemStats
	call()
	runtime.ReadMemStats(&before)
	for range runs {
		call()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / runs, float64(after.TotalAlloc-before.TotalAlloc) / runs
}

// TestPagesDoNotGrow: a full page reads as many rows of five times as many feeds, when its deltas are in memory and
// when they are not. It looks at every feed, and allocates little for each.
func TestPagesDoNotGrow(t *testing.T) {
	few := 1000
	if testing.Short() {
		few = 200
	}
	type cost struct{ rows, allocs float64 }
	for _, q := range []stream.Query{{Filter: stream.Unread}, {Filter: stream.Unread, Oldest: true}, {}} {
		var costs []cost
		for _, feeds := range []int{few, 5 * few} {
			w := firstCrawls(t, feeds, "snippet")
			list := func() (p stream.Page) {
				p, err := w.s.List(t.Context(), user, q)
				w.ok(err)
				if len(p.Items) != stream.DefaultLimit || p.IsPartial || p.Next == "" {
					t.Errorf("%d feeds: a page of %d items, partial: %v", feeds, len(p.Items), p.IsPartial)
				}
				return p
			}
			_, err := w.s.Feeds(t.Context(), user)
			w.ok(err)
			var c cost
			before := w.meter.Snapshot().RowsRead
			list()
			c.rows = float64(w.meter.Snapshot().RowsRead - before)
			before = w.meter.Snapshot().RowsRead
			c.allocs, _ = perRun(func() { list() })
			if n := w.meter.Snapshot().RowsRead - before; n > 0 {
				t.Errorf("%d feeds: a page that was shown reads %d rows", feeds, n)
			}
			costs = append(costs, c)
		}
		a, b := costs[0], costs[1]
		t.Logf("%v, oldest first %v: of %d feeds %+v, of %d %+v", q.Filter, q.Oldest, few, a, 5*few, b)
		if b.rows > 1.5*a.rows || b.allocs > 1.5*a.allocs+2*4*float64(few) || a.rows > 80 {
			t.Errorf("%v, oldest first %v: of %d feeds %+v, of %d %+v", q.Filter, q.Oldest, few, a, 5*few, b)
		}
	}
}

// TestDeepPagesReadWhatIsNext: a page far down opens the feeds that it shows, however many were opened before it and
// whether or not memory has room for their deltas; another process continues it alike.
func TestDeepPagesReadWhatIsNext(t *testing.T) {
	t.Parallel()
	w := firstCrawls(t, 700, strings.Repeat("snippet ", 80))
	q, other := stream.Query{Filter: stream.Unread}, stream.New(w.store, w.blobs, w.clk)
	_, err := w.s.Feeds(t.Context(), user)
	w.ok(err)
	for page := range 40 {
		before := w.meter.Snapshot().RowsRead
		p, err := w.s.List(t.Context(), user, q)
		w.ok(err)
		if n := w.meter.Snapshot().RowsRead - before; n > 80 {
			t.Errorf("page %d reads %d rows", page, n)
		}
		if page%13 == 12 {
			elsewhere, err := other.List(t.Context(), user, q)
			w.ok(err)
			for rest := q; elsewhere.IsPartial && len(elsewhere.Items) < len(p.Items); {
				rest.Cursor, rest.Limit = elsewhere.Next, len(p.Items)-len(elsewhere.Items)
				more, err := other.List(t.Context(), user, rest)
				w.ok(err)
				more.Items = append(elsewhere.Items, more.Items...)
				elsewhere = more
			}
			compare(t, 0, fmt.Sprintf("page %d of another process", page), elsewhere.Items, p.Items)
		}
		q.Cursor = p.Next
	}
}

// TestPagesWhileThingsChange: whatever is marked and crawled between two pages, an item that the stream has all the
// time is shown once and in order, nothing is shown that it did not have, and pages are full; on tables of both kinds,
// where the remote one may end a page early and says so.
func TestPagesWhileThingsChange(t *testing.T) {
	t.Parallel()
	partial := 0
	for seed := range uint64(24) {
		w := newWorld(t, 4000+seed)
		// Few feeds with many items and small pages, or many feeds, of which a page has one item each.
		remote, feeds, news, largest := seed%2 == 1, 30, 30, 40
		if seed%3 == 1 {
			feeds, news, largest = 200, 6, stream.MaxLimit
		}
		var ids []reader.FeedID
		for range 3 + w.rng.IntN(feeds) {
			ids = append(ids, w.feed())
		}
		crawl := func() {
			w.news(ids[w.rng.IntN(len(ids))], 1+w.rng.IntN(news))
			w.clk.Add(time.Duration(w.rng.IntN(90)) * time.Minute)
		}
		for range 2 * len(ids) {
			crawl()
		}
		for _, q := range []stream.Query{{}, {Oldest: true}, {Filter: stream.Unread},
			{Filter: stream.Unread, Oldest: true}} {
			partial += w.changing(fmt.Sprintf("seed %d, %+v", seed, q), q, largest, remote, crawl)
		}
	}
	if partial == 0 {
		t.Error("no page ended early")
	}
}

// changing pages through a stream that changes between the pages, and returns how many of the pages ended early.
func (w *world) changing(what string, q stream.Query, largest int, remote bool, crawl func()) (partial int) {
	w.t.Helper()
	every := w.pages(stream.Query{Fresh: true, Filter: q.Filter, Oldest: q.Oldest}, func() int { return 200 })
	always := map[reader.ItemID]bool{} // in the stream all the time
	for _, e := range every {
		always[e.ID] = true
	}
	var shown []stream.Entry
	for page := 0; ; page++ {
		q.Limit = 1 + w.rng.IntN(largest)
		if remote && w.rng.IntN(2) == 0 { // another instance, with nothing in memory
			far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
			w.s = stream.New(store.New(far, w.clk), w.blobs, w.clk)
		}
		p, err := w.s.List(w.t.Context(), user, q)
		w.ok(err)
		for _, e := range p.Items {
			if q.Filter == stream.Unread && e.Read {
				w.t.Fatalf("%s: page %d shows %s, which is read", what, page, e.Header.Title)
			}
		}
		if short := len(p.Items) < q.Limit && p.Next != ""; short != p.IsPartial || short &&
			(!remote || len(p.Items) == 0) {
			w.t.Fatalf("%s: page %d has %d of %d items, partial: %v", what, page, len(p.Items), q.Limit, p.IsPartial)
		}
		if p.IsPartial {
			partial++
		}
		shown = append(shown, p.Items...)
		if q.Cursor = p.Next; q.Cursor == "" || page > 1000 {
			break
		}
		for range w.rng.IntN(4) {
			read := w.rng.IntN(2) == 0
			e := every[w.rng.IntN(len(every))]
			_, _, err := w.s.SetState(w.t.Context(), user, e.ID, stream.Change{Read: &read})
			w.ok(err)
			if read && q.Filter == stream.Unread {
				delete(always, e.ID)
			}
		}
		if w.rng.IntN(4) == 0 {
			crawl()
		}
	}
	seen, from := map[reader.ItemID]bool{}, 0
	for _, e := range shown {
		if seen[e.ID] {
			w.t.Fatalf("%s: %s is shown twice", what, e.Header.Title)
		}
		seen[e.ID] = true
		// What arrived meanwhile may be older than what was shown already.
		if at := slices.IndexFunc(every, func(x stream.Entry) bool { return x.ID == e.ID }); at >= 0 && at < from {
			w.t.Fatalf("%s: %s is out of order", what, e.Header.Title)
		} else if at >= 0 {
			from = at
		}
	}
	for _, e := range every {
		if always[e.ID] && !seen[e.ID] {
			w.t.Fatalf("%s: %s is left out", what, e.Header.Title)
		}
	}
	return partial
}

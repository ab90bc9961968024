package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

const user = reader.UserID("u1")

// world is a user with feeds whose deltas are written as the crawler would.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	clk    *clock.Manual
	store  *store.Store
	driver blob.Driver
	blobs  *blob.Bucket
	s      *stream.Service
	feeds  int
	meter  *table.Meter
	// ancient has feeds' first crawls bring items from before 1970.
	ancient bool
	// steps are by how much the clock is set back now and then; noted is false for feeds whose rows do not have it
	// noted.
	steps []time.Duration
	noted bool
}

// pass lets time pass, up to so many minutes; now and then the clock is set back, and some of it forward again.
func (w *world) pass(most int) {
	w.clk.Add(time.Duration(w.rng.IntN(most)) * time.Minute)
	if len(w.steps) > 0 && w.rng.IntN(3) == 0 {
		step := w.steps[w.rng.IntN(len(w.steps))]
		if w.rng.IntN(2) == 0 {
			step = -step
		}
		w.clk.Add(step)
	}
}

func newWorld(t *testing.T, seed uint64) *world { return newWorldOver(t, seed, memtable.New()) }

func newWorldOver(t *testing.T, seed uint64, rows table.Driver) *world {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	tb := table.New(rows, table.Options{Clock: clk, Kind: store.Kind})
	st := store.New(tb, clk)
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	blobs := blob.New(files)
	return &world{
		t: t, rng: rand.New(rand.NewPCG(seed, 3)), clk: clk, store: st, driver: files, blobs: blobs,
		s: stream.New(st, blobs, clk), meter: tb.Meter(),
	}
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) feed() reader.FeedID {
	w.feeds++
	f, err := w.store.Feeds.Ensure(context.Background(), fmt.Sprint("https://example.org/", w.feeds),
		func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Subs: 1}
		})
	w.ok(err)
	w.ok(w.store.Subscriptions.Add(context.Background(), user, f.ID(), store.SubscriptionRow{Since: 1}))
	return f.ID()
}

// markFeed marks a feed read up to an item, or all of it when that is zero, and returns it with the undo token.
func (w *world) markFeed(id reader.FeedID, upTo reader.ItemID) (*stream.Subscribed, string) {
	w.t.Helper()
	done, err := w.s.MarkRead(w.t.Context(), user, stream.Mark{Scope: stream.Scope{Feed: id}, UpTo: upTo})
	w.ok(err)
	sub, err := w.s.Get(w.t.Context(), user, id)
	w.ok(err)
	return sub, done.Undo
}

// news commits a delta of n items to a feed: on a first crawl with any dates, later within a day.
func (w *world) news(id reader.FeedID, n int) {
	ctx := context.Background()
	f, err := w.store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now := w.clk.Now()
	hs, sorts := make([]store.Header, n), make([]int64, n)
	newest := f.NewestAt
	for i := range hs {
		back := time.Duration(w.rng.IntN(24*60)) * time.Minute
		if f.Seq == 0 {
			back *= 30
		}
		switch {
		case w.rng.IntN(4) == 0:
			back = 0 // many at the very same second
		case w.ancient && f.Seq == 0 && w.rng.IntN(8) == 0:
			back += 70 * 365 * 24 * time.Hour // before 1970: archives and mistaken dates
		}
		hs[i] = store.Header{Identity: uint64(f.Seq)<<16 | uint64(i), Title: fmt.Sprint(id, "/", int(f.Seq)+i+1),
			Sort: now.Add(-back).Unix()}
		newest, sorts[i] = max(newest, hs[i].Sort), hs[i].Sort
	}
	stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(ctx, d))
	_, err = w.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Take(d)
		if !w.noted {
			row.ClockBack = 0
		}
		row.NewestAt = newest
		row.Hash = []byte{1}
		if id%3 > 0 { // the others are as rows were before they knew of it
			row.Ages = f.Ages.Add(reader.Seq(f.Floor), d.First(), sorts)
		}
	})
	w.ok(err)
}

// all reads a whole stream page by page.
func (w *world) all(f stream.Filter, limit func() int) []stream.Entry {
	w.t.Helper()
	var out []stream.Entry
	cursor := ""
	for range 10_000 {
		p, err := w.s.List(context.Background(), user, stream.Query{Filter: f, Cursor: cursor, Limit: limit()})
		w.ok(err)
		out = append(out, p.Items...)
		if p.Next == "" {
			return out
		}
		cursor = p.Next
	}
	w.t.Fatal("the stream does not end")
	return nil
}

// TestMergedStreamAgainstASort compares pages of random sizes over random feeds with a plain sort of
// everything: each item once, in order, whatever the filter.
func TestMergedStreamAgainstASort(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		w := newWorld(t, seed)
		w.ancient = seed%2 == 1
		var ids []reader.FeedID
		for range 1 + w.rng.IntN(6) {
			ids = append(ids, w.feed())
		}
		for range 40 {
			w.news(ids[w.rng.IntN(len(ids))], 1+w.rng.IntN(6))
			w.clk.Add(time.Duration(w.rng.IntN(300)) * time.Minute)
		}
		everything := w.all(stream.All, func() int { return 200 })
		want := append([]stream.Entry(nil), everything...)
		sort.SliceStable(want, func(i, j int) bool {
			if want[i].Header.Sort != want[j].Header.Sort {
				return want[i].Header.Sort > want[j].Header.Sort
			}
			return want[i].ID > want[j].ID
		})
		total := 0
		for _, id := range ids {
			f, err := w.store.Feeds.Get(context.Background(), id, true)
			w.ok(err)
			total += int(f.Seq)
		}
		if len(everything) != total {
			t.Fatalf("seed %d: %d items in one page run, want %d", seed, len(everything), total)
		}
		got := w.all(stream.All, func() int { return 1 + w.rng.IntN(9) })
		compare(t, seed, "all", got, want)
		// Some are read; the unread stream is the rest, in the same order.
		var unread []stream.Entry
		for _, e := range want {
			if w.rng.IntN(2) == 0 {
				yes := true
				_, _, err := w.s.SetState(context.Background(), user, e.ID, stream.Change{Read: &yes})
				w.ok(err)
				continue
			}
			unread = append(unread, e)
		}
		compare(t, seed, "unread", w.all(stream.Unread, func() int { return 1 + w.rng.IntN(9) }), unread)
		totals, err := w.s.Totals(context.Background(), user)
		w.ok(err)
		if totals.Unread != len(unread) {
			t.Errorf("seed %d: the count says %d, the stream has %d", seed, totals.Unread, len(unread))
		}
	}
}

func compare(t *testing.T, seed uint64, what string, got, want []stream.Entry) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("seed %d, %s: %d items, want %d", seed, what, len(got), len(want))
	}
	for i := range got {
		if got[i].ID != want[i].ID {
			t.Fatalf("seed %d, %s: item %d is %s, want %s", seed, what, i, got[i].Header.Title, want[i].Header.Title)
		}
	}
}

// TestPagesStayWholeWhileItemsArrive reads on while feeds change: nothing that was there comes twice or
// is passed over.
// G-53
func TestPagesStayWholeWhileItemsArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 99)
	ids := []reader.FeedID{w.feed(), w.feed(), w.feed()}
	for range 30 {
		w.news(ids[w.rng.IntN(3)], 1+w.rng.IntN(5))
		w.clk.Add(3 * time.Hour)
	}
	before := w.all(stream.All, func() int { return 50 })
	seen := map[reader.ItemID]int{}
	cursor := ""
	for {
		p, err := w.s.List(t.Context(), user, stream.Query{Filter: stream.All, Cursor: cursor, Limit: 7})
		w.ok(err)
		for _, e := range p.Items {
			seen[e.ID]++
		}
		if cursor = p.Next; cursor == "" {
			break
		}
		w.clk.Add(time.Hour)
		w.news(ids[w.rng.IntN(3)], 2)
	}
	for _, e := range before {
		if seen[e.ID] != 1 {
			t.Errorf("%s came %d times", e.Header.Title, seen[e.ID])
		}
	}
}

// TestIDsResolve finds every item by its id, also when many share the low bits of their seq.
func TestIDsResolve(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	id := w.feed()
	for range 30 {
		w.news(id, 100)
		w.clk.Add(time.Hour)
	}
	for _, e := range w.all(stream.All, func() int { return 200 }) {
		if e.Seq%97 != 0 {
			continue
		}
		found, _, err := w.s.Find(t.Context(), user, e.ID)
		if err != nil || found.Seq != e.Seq || found.Header.Title != e.Header.Title {
			t.Fatalf("id %s of seq %d leads to seq %d, %v", e.ID, e.Seq, found.Seq, err)
		}
	}
	_, _, err := w.s.Find(t.Context(), user, reader.NewItemID(1, id, 5))
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("an id that never was gives %v", err)
	}
}

// TestMarkingAFeedIsOneWrite checks gate P10: one write, whatever the number of items.
//
func TestMarkingAFeedIsOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	id := w.feed()
	for range 20 {
		w.news(id, 100)
		w.clk.Add(time.Hour)
	}
	before := w.meter.Snapshot().Writes["subscription"]
	_, undo := w.markFeed(id, 0)
	if n := w.meter.Snapshot().Writes["subscription"] - before; n != 1 {
		t.Errorf("marking 2,000 items cost %v write units", n)
	}
	if _, err := w.s.Undo(t.Context(), user, id, undo); err != nil {
		t.Fatal(err)
	}
	totals, err := w.s.Totals(t.Context(), user)
	w.ok(err)
	if totals.Unread != 2000 {
		t.Errorf("after undo %d are unread", totals.Unread)
	}
}

// TestMarkingLeavesWhatWasNotShown marks up to an item: what arrived since stays unread.
func TestMarkingLeavesWhatWasNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	id := w.feed()
	w.news(id, 5)
	shown := w.all(stream.All, func() int { return 50 })
	highest := shown[0].ID
	for _, e := range shown {
		highest = max(highest, e.ID)
	}
	w.clk.Add(time.Hour)
	w.news(id, 3)
	sub, _ := w.markFeed(id, highest)
	if sub.Unread() != 3 {
		t.Errorf("%d are unread, want the 3 that came later", sub.Unread())
	}
}

// TestAStarOutlivesTheFeed keeps the item readable after unsubscribing.
func TestAStarOutlivesTheFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	id := w.feed()
	w.news(id, 3)
	e := w.all(stream.All, func() int { return 50 })[1]
	yes, no := true, false
	_, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Starred: &yes})
	w.ok(err)
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, id))
	stars := w.all(stream.Starred, func() int { return 1 })
	if len(stars) != 1 || stars[0].Header.Title != e.Header.Title {
		t.Fatalf("stars are %+v", stars)
	}
	found, _, err := w.s.Find(t.Context(), user, e.ID)
	if err != nil || !found.Starred {
		t.Errorf("the starred item is not found: %v", err)
	}
	if _, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Starred: &no}); err != nil {
		t.Errorf("a star whose feed is gone cannot be taken away: %v", err)
	}
	if left := w.all(stream.Starred, func() int { return 10 }); len(left) != 0 {
		t.Errorf("%d stars are left", len(left))
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("")
	f.Add("AQAAAAACewEFAA")
	f.Add("%%%")
	w := newWorld(&testing.T{}, 1)
	f.Fuzz(func(t *testing.T, cursor string) {
		_, err := w.s.List(context.Background(), user, stream.Query{Filter: stream.All, Cursor: cursor, Limit: 5})
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("a cursor gives %v", err)
		}
	})
}

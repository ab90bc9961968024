package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

type world struct {
	*testing.T
	clock *clock.Manual
	store *store.Store
	blobs *blob.Bucket
	tidy  *cleanup.Service
	sent  []job.Job
	folds int // of watches
}

func (w *world) fold(context.Context, *store.FeedRow) error {
	w.folds++
	return errors.New("the settings are damaged")
}

func (w *world) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		w.sent = append(w.sent, j)
	}
	return nil
}

func newWorld(t *testing.T, expire bool) *world {
	w := &world{T: t, clock: clock.NewManual(time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC))}
	w.store = store.New(table.New(memtable.New(), table.Options{Clock: w.clock, Kind: store.Kind}), w.clock)
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	w.blobs = blob.New(files)
	w.tidy = cleanup.New(w.store, w.blobs, w, w.clock, slog.New(slog.DiscardHandler),
		cleanup.Options{Expire: expire, Recount: noRecount, FoldWatch: w.fold})
	return w
}

func noRecount(context.Context, reader.FeedID) error { return nil }

// feed makes a feed.
func (w *world) feed(url string) reader.FeedID {
	w.Helper()
	f, err := w.store.Feeds.Ensure(w.Context(), url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1}
	})
	if err == nil {
		err = w.store.Subscriptions.PutSubscriber(w.Context(), f.ID(), store.Subscriber{User: "u1"})
	}
	if err == nil {
		err = w.store.Subscriptions.Add(w.Context(), "u1", f.ID(), store.SubscriptionRow{})
	}
	if err != nil && !fault.Is(err, fault.Conflict) {
		w.Fatal(err)
	}
	return f.ID()
}

// raw puts a body as the crawler does.
func (w *world) raw(id reader.FeedID, url string, n byte) string {
	w.Helper()
	key := store.RawKey(w.clock.Now(), url, []byte{n}, "gz")
	meta := blob.Meta{User: map[string]string{"feedid": id.String()}}
	if err := w.blobs.Put(w.Context(), key, []byte("body"), meta); err != nil {
		w.Fatal(err)
	}
	return key
}

// delta names bodies: one as its own, the others in headers that were edited.
func (w *world) delta(id reader.FeedID, first reader.Seq, raw string, edited ...string) {
	w.Helper()
	hs := []store.Header{{Identity: uint64(first), Title: "a"}}
	for i, r := range edited {
		hs = append(hs, store.Header{Identity: uint64(first) + uint64(i) + 1, Raw: r})
	}
	d, err := store.NewDelta(id, first, 1, w.clock.Now().UnixMilli(), raw, hs)
	if err == nil {
		err = w.store.Items.Put(w.Context(), d)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) keys() []string {
	w.Helper()
	page, _, err := w.blobs.List(w.Context(), "", "", 0)
	if err != nil {
		w.Fatal(err)
	}
	var out []string
	for _, o := range page {
		out = append(out, o.Key)
	}
	return out
}

func (w *world) run() cleanup.Report {
	w.Helper()
	r, err := w.tidy.Run(w.Context(), job.Job{Kind: job.Cleanup})
	if err != nil {
		w.Fatal(err)
	}
	return r
}

const a, b = "https://a.example/feed", "https://b.example/feed"

func TestBodiesThatNoRowNamesGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	fa, fb := w.feed(a), w.feed(b)
	named, edit, orphan := w.raw(fa, a, 1), w.raw(fa, a, 2), w.raw(fa, a, 3)
	w.delta(fa, 1, named, edit)
	newest := w.raw(fb, b, 1)
	if _, err := w.store.Feeds.Modify(t.Context(), fb, func(f *store.FeedRow) { f.Raw = newest }); err != nil {
		t.Fatal(err)
	}
	uncommitted := w.raw(fb, b, 2)
	w.delta(fb, 7, uncommitted) // above the feed's seq: whoever finds it rolls it forward
	// A feed that has another address since: its bodies lie under the old one.
	moved := w.raw(fb, "https://old.example/feed", 1)
	w.delta(fb, 2, moved)
	movedOrphan := w.raw(fb, "https://old.example/feed", 2)
	unknown := store.RawKey(w.clock.Now(), "https://c.example/", []byte{1}, "gz") // says not whose it is
	if err := w.blobs.Put(t.Context(), unknown, nil, blob.Meta{}); err != nil {
		t.Fatal(err)
	}

	if r := w.run(); r.Orphans != 0 || !r.Done {
		t.Errorf("on the day itself: %+v", r)
	}
	w.clock.Set(time.Date(2026, 11, 22, 0, 20, 0, 0, time.UTC))
	if r := w.run(); r.Orphans != 2 || !r.Done {
		t.Errorf("the day after: %+v", r)
	}
	left := w.keys()
	for key, want := range map[string]bool{
		named: true, edit: true, orphan: false, newest: true, uncommitted: true, moved: true,
		movedOrphan: false, unknown: true,
	} {
		if slices.Contains(left, key) != want {
			t.Errorf("%s is kept: %v", key, !want)
		}
	}
	if r := w.run(); r.Judged != 0 || !r.Done {
		t.Errorf("a second run of the day works again: %+v", r)
	}
}

// A body put at the end of a day may not be named yet when the next begins.
func TestWhatMayStillBeNamedIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	f := w.feed(a)
	w.clock.Set(time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC))
	w.raw(f, a, 1)
	w.clock.Set(time.Date(2026, 11, 22, 0, 15, 0, 0, time.UTC))
	if r := w.run(); r.Orphans != 0 {
		t.Errorf("a body of a quarter of an hour is judged: %+v", r)
	}
	w.clock.Set(time.Date(2026, 11, 23, 0, 15, 0, 0, time.UTC))
	if r := w.run(); r.Orphans != 1 {
		t.Errorf("the next day it is not: %+v", r)
	}
}

func TestStarsWithoutARowGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.feed(a)
	id := reader.NewItemID(5, 1, 1)
	put := func(ms int) string {
		key := store.SnapshotBlobKey("u1", store.Star, id, w.clock.Now().Add(time.Duration(ms)*time.Millisecond))
		if err := w.blobs.Put(t.Context(), key, []byte("x"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		return key
	}
	old, kept := put(0), put(1)
	if err := w.store.Snapshots.Put(t.Context(), "u1", store.Star, id, store.SnapshotRow{Feed: 1, Blob: kept}); err !=
		nil {
		t.Fatal(err)
	}
	label := func(ms int) string {
		key := store.SnapshotBlobKey("u1", 7, id, w.clock.Now().Add(time.Duration(ms)*time.Millisecond))
		if err := w.blobs.Put(t.Context(), key, []byte("x"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		return key
	}
	oldLabel, keptLabel := label(0), label(1)
	if err := w.store.Snapshots.Put(t.Context(), "u1", 7, id, store.SnapshotRow{Feed: 1, Blob: keptLabel}); err != nil {
		t.Fatal(err)
	}
	foreign := "stars/5f2b/17" // of a shape that we do not know
	if err := w.blobs.Put(t.Context(), foreign, nil, blob.Meta{}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(2 * time.Hour)
	young := put(2)
	w.run()
	left := w.keys()
	if slices.Contains(left, old) || !slices.Contains(left, kept) || !slices.Contains(left, foreign) ||
		!slices.Contains(left, young) ||
		slices.Contains(left, oldLabel) || !slices.Contains(left, keptLabel) {
		t.Errorf("left are %v", left)
	}
}

//
func TestRawBodiesExpireWhereNoLifecycleDoes(t *testing.T) {
	t.Parallel()
	for _, expire := range []bool{true, false} {
		w := newWorld(t, expire)
		f := w.feed(a)
		old := w.raw(f, a, 1)
		w.delta(f, 1, old)
		w.clock.Add((cleanup.RawDays - 1) * 24 * time.Hour)
		recent := w.raw(f, a, 2)
		w.delta(f, 2, recent)
		if w.run(); len(w.keys()) != 2 {
			t.Errorf("after %d days there are %v", cleanup.RawDays-1, w.keys())
		}
		w.clock.Add(3 * 24 * time.Hour)
		w.run()
		if got := w.keys(); slices.Contains(got, old) == expire || !slices.Contains(got, recent) {
			t.Errorf("expiring %v: left are %v", expire, got)
		}
	}
}

// An edit of an item that was edited before leaves the earlier edit's body to nobody, however old it is.
func TestBodiesOfEarlierEditsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	f := w.feed(a)
	first, second, shared := w.raw(f, a, 1), w.raw(f, a, 2), w.raw(f, a, 3)
	w.delta(f, 1, first, second, shared)
	w.delta(f, 9, shared)
	w.clock.Add(26 * time.Hour)
	w.run()
	w.clock.Add(10 * 24 * time.Hour) // far behind what is listed
	third := w.raw(f, a, 4)
	edit := func(raw string) {
		d, err := w.store.Items.Get(t.Context(), f, 1)
		if err != nil {
			t.Fatal(err)
		}
		hs, err := d.Headers()
		if err != nil {
			t.Fatal(err)
		}
		hs[1].Raw, hs[2].Raw = raw, raw
		if err := w.store.Items.Edit(t.Context(), d, hs); err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Feeds.Modify(t.Context(), f, func(f *store.FeedRow) {
			f.Loose = w.clock.Now().UnixMilli()
		}); err != nil {
			t.Fatal(err)
		}
	}
	edit(third)
	fourth := w.raw(f, a, 5)
	edit(fourth)
	w.run()
	want := func(when string, loose int64, keys ...string) {
		t.Helper()
		slices.Sort(keys)
		if got := w.keys(); !slices.Equal(got, keys) {
			t.Errorf("%s: left are %v, want %v", when, got, keys)
		}
		row, err := w.store.Feeds.Get(t.Context(), f, true)
		if err != nil || (row.Loose > 0) != (loose > 0) {
			t.Errorf("%s: the feed is marked %d, %v", when, row.Loose, err)
		}
	}
	want("on the day itself", 1, first, shared, third, fourth)
	w.clock.Add(24 * time.Hour)
	w.run()
	want("the day after", 0, first, shared, fourth)
}

// What one message has no time for goes on with another, behind what was judged.
func TestLongWorkGoesOnWithAnotherMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	f := w.feed(a)
	for i := range 1500 {
		key := store.RawKey(w.clock.Now(), a, fmt.Append(nil, i), "gz")
		if err := w.blobs.Put(t.Context(), key, nil, blob.Meta{User: map[string]string{"feedid": f.String()}}); err !=
			nil {
			t.Fatal(err)
		}
	}
	w.clock.Add(25 * time.Hour)
	slow := cleanup.New(w.store, w.blobs, w, ticking{w.clock}, slog.New(slog.DiscardHandler),
		cleanup.Options{Recount: noRecount})
	j, runs := job.Job{Kind: job.Cleanup, Tick: 9}, 0
	for done := false; !done; runs++ {
		w.sent = nil
		r, err := slow.Run(t.Context(), j)
		if err != nil || runs > 5 {
			t.Fatalf("run %d: %+v, %v", runs, r, err)
		}
		if done = r.Done; !done {
			if len(w.sent) != 1 || w.sent[0].After == "" || w.sent[0].Tick != 9 {
				t.Fatalf("sent %+v", w.sent)
			}
			j = w.sent[0]
		}
	}
	if runs != 2 || len(w.keys()) != 0 {
		t.Errorf("%d runs, %d blobs left", runs, len(w.keys()))
	}
}

// ticking is a clock on which every look takes a minute.
type ticking struct{ *clock.Manual }

func (c ticking) Now() time.Time { return c.Add(61 * time.Second) }

// TestWatchesAreFolded: once a week, whether their pages are read or not; one that cannot be folded holds nothing up.
func TestWatchesAreFolded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	f, err := w.store.Feeds.Make(t.Context(), "https://shop.example/", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Kind: store.KindWatch, Period: 5, Status: "active", Subs: 1, Paused: true}
	})
	if err == nil {
		err = w.store.Subscriptions.PutSubscriber(t.Context(), f.ID(), store.Subscriber{User: "u1"})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.feed("https://a.example/feed")
	w.run()
	w.folds = 0 // the first run visits all
	for range 14 {
		w.clock.Add(24 * time.Hour)
		w.run()
	}
	if w.folds != 2 {
		t.Errorf("folded %d times in two weeks", w.folds)
	}
}

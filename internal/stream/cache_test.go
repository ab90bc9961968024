package stream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestAnOpenedFeedIsKeptInMemory: its next item reads no blob, and opening items of a small feed writes nothing.
func TestAnOpenedFeedIsKeptInMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 71)
	id := w.item(w.feed(), "feeds/raw.gz", w.raw("feeds/raw.gz", "<p>x</p>"))
	found := map[bool]int{}
	open := func() stream.ContentState {
		t.Helper()
		b, err := w.body(id)
		w.ok(err)
		return b.State
	}
	fresh := func() { // with nothing in memory
		w.s = stream.New(w.store, w.blobs, w.clk).OnBody(func(inMemory bool) { found[inMemory]++ })
	}
	fresh()
	writes := w.store.Table().Meter().Snapshot().RowsWritten
	if got := open(); got != stream.ContentFull || found[false] != 1 {
		t.Fatalf("first: %q, %v", got, found)
	}
	w.ok(w.blobs.Delete(t.Context(), "feeds/raw.gz"))
	if got := open(); got != stream.ContentFull || found[true] != 1 {
		t.Errorf("again: %q, %v", got, found)
	}
	fresh()
	if got := open(); got != stream.ContentGone {
		t.Errorf("in another process, without the raw feed: %q", got)
	}
	if n := w.store.Table().Meter().Snapshot().RowsWritten - writes; n != 0 {
		t.Errorf("opening items wrote %d rows", n)
	}
}

// TestAnOpenedItemIsReadFromTheTable: the body of an opened item of a large feed is cached in the table for an hour, so
// that another instance needs no feed for it., K-2
func TestAnOpenedItemIsReadFromTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 74)
	feed := w.feed()
	id := w.item(feed, "feeds/raw.gz", w.raw("feeds/raw.gz", "<!--"+strings.Repeat("x", 256<<10)+"--><p>x</p>"))
	far := table.New(w.store.Table().Driver(), table.Options{Clock: w.clk, Kind: store.Kind})
	open := func() stream.Body {
		t.Helper()
		s := stream.New(store.New(far, w.clk), w.blobs, w.clk) // another instance, with nothing in memory
		e, sub, err := s.Find(t.Context(), user, id)
		w.ok(err)
		b, err := s.Body(t.Context(), user, e, sub)
		w.ok(err)
		return b
	}
	writes, gets := func() float64 {
		return far.Meter().Snapshot().Writes["cache"]
	}, func() int64 { return w.blobs.Meter().Snapshot().Gets }
	first := open()
	if first.State != stream.ContentFull || writes() != 1 || gets() != 1 {
		t.Fatalf("first: %+v, %v units written, %d raw feeds read", first, writes(), gets())
	}
	w.ok(w.blobs.Delete(t.Context(), "feeds/raw.gz"))
	if again := open(); again != first || writes() != 1 || gets() != 1 {
		t.Errorf("again: %+v, %v units written, %d raw feeds read", again, writes(), gets())
	}
	w.clk.Add(time.Hour)
	if got := open(); got.State != stream.ContentGone {
		t.Errorf("after an hour: %+v", got)
	}
}

// TestTwoHundredItemsOfABodyAreParsed: as many as the crawler keeps of it.
//
func TestTwoHundredItemsOfABodyAreParsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 72)
	var body strings.Builder
	body.WriteString(`<rss version="2.0"><channel><title>T</title>`)
	for i := range 201 {
		fmt.Fprintf(&body, `<item><guid>g%d</guid><title>t</title><description>text %d</description></item>`, i, i)
	}
	body.WriteString(`</channel></rss>`)
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(body.String()))
	w.ok(err)
	w.ok(z.Close())
	w.ok(w.blobs.Put(t.Context(), "feeds/raw.gz", []byte(packed.String()),
		blob.Meta{ContentType: "application/rss+xml"}))
	feed := w.feed()
	for i, want := range map[int]stream.ContentState{0: stream.ContentFull, 199: stream.ContentFull,
		200: stream.ContentSummary} {
		e := stream.Entry{Feed: feed, Raw: "feeds/raw.gz",
			Header: store.Header{Identity: extract.Identity(fmt.Sprint("g", i), "", "", "", "")}}
		if b, err := w.s.Body(t.Context(), user, e, nil); err != nil || b.State != want {
			t.Errorf("item %d: %q, %v, want %q", i, b.State, err, want)
		}
	}
}

// TestPageSizes: 50 items by default, and at most 200.
// G-16, C-24
func TestPageSizes(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int]int{0: 50, -1: 50, 1: 1, 50: 50, 200: 200, 201: 200, 1 << 30: 200} {
		if got := stream.Limit(asked); got != want {
			t.Errorf("asked for %d: %d", asked, got)
		}
	}
	w := newWorld(t, 73)
	feed := w.feed()
	w.fill(feed, 230)
	for asked, want := range map[int]int{0: 50, 10: 10, 500: 200} {
		p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: feed}, Limit: asked})
		if err != nil || len(p.Items) != want || p.Next == "" {
			t.Errorf("asked for %d: %d items, %v", asked, len(p.Items), err)
		}
	}
}

// fill commits n items in one delta row for each hundred.
func (w *world) fill(id reader.FeedID, n int) {
	w.t.Helper()
	for n > 0 {
		f, err := w.store.Feeds.Get(w.t.Context(), id, true)
		w.ok(err)
		now := w.clk.Now()
		stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
		hs := make([]store.Header, min(n, 100))
		for i := range hs {
			hs[i] = store.Header{Identity: uint64(int(f.Seq) + i + 1), Title: "t", Sort: now.Unix()}
		}
		d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), "", hs)
		w.ok(err)
		w.ok(w.store.Items.Put(w.t.Context(), d))
		_, err = w.store.Feeds.Modify(w.t.Context(), id, func(f *store.FeedRow) {
			f.Seq = uint32(d.Last())
			f.Stamp = uint32(stamp)
			f.NewestAt = now.Unix()
			f.Hash = []byte{1}
		})
		w.ok(err)
		n -= len(hs)
	}
}

// TestAListedItemIsFoundInTwoRows: the subscription and the feed; its header is the one that the list unpacked.
func TestAListedItemIsFoundInTwoRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 74)
	feed := w.feed()
	w.fill(feed, 230)
	p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: feed}, Limit: 50})
	w.ok(err)
	for _, listed := range p.Items {
		before := w.store.Table().Meter().Snapshot().RowsRead
		e, _, err := w.s.Find(t.Context(), user, listed.ID)
		if err != nil || e.ID != listed.ID || e.Seq != listed.Seq {
			t.Fatalf("item %v: %+v, %v", listed.ID, e, err)
		}
		if n := w.store.Table().Meter().Snapshot().RowsRead - before; n != 2 {
			t.Fatalf("item %v: %d rows were read", listed.ID, n)
		}
	}
}

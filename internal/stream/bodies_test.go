package stream_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// several commits n items of one raw body, in deltas of two, and returns their ids, the oldest first.
func (w *world) several(id reader.FeedID, key string, n int) (ids []reader.ItemID) {
	w.t.Helper()
	var body, packed strings.Builder
	body.WriteString(`<rss version="2.0"><channel><title>T</title>`)
	for i := range n {
		fmt.Fprintf(&body,
			`<item><guid>%s%d</guid><title>t</title><description>&lt;p&gt;%[1]s %d&lt;/p&gt;</description></item>`, key,
			i, i)
	}
	body.WriteString(`</channel></rss>`)
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(body.String()))
	w.ok(err)
	w.ok(z.Close())
	w.ok(w.blobs.Put(w.t.Context(), key, []byte(packed.String()), blob.Meta{ContentType: "application/rss+xml"}))
	for i := 0; i < n; i += 2 {
		f, err := w.store.Feeds.Get(w.t.Context(), id, true)
		w.ok(err)
		now := w.clk.Now()
		stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
		hs := make([]store.Header, min(2, n-i))
		for j := range hs {
			hs[j] = store.Header{Identity: extract.Identity(fmt.Sprint(key, i+j), "", "", "", ""), Title: "t",
				Sort: now.Unix()}
			ids = append(ids, reader.NewItemID(stamp, id, reader.Seq(f.Seq)+reader.Seq(j)+1))
		}
		d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), key, hs)
		w.ok(err)
		w.ok(w.store.Items.Put(w.t.Context(), d))
		_, err = w.store.Feeds.Modify(w.t.Context(), id, func(f *store.FeedRow) {
			f.Seq, f.Stamp, f.NewestAt, f.Hash = uint32(d.Last()), uint32(stamp), now.Unix(), []byte{1}
		})
		w.ok(err)
	}
	return ids
}

// TestABatchOfBodiesCostsFewReads: 50 items of five feeds take one request for each raw body, a read for each delta,
// one side bar, and no write, in any order.
func TestABatchOfBodiesCostsFewReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 81)
	var ids []reader.ItemID
	for i := range 5 {
		ids = append(ids, w.several(w.feed(), fmt.Sprintf("feeds/raw%d.gz", i), 10)...)
	}
	w.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	w.clk.Add(10 * time.Minute)
	far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
	s := stream.New(store.New(far, w.clk), w.blobs, w.clk)
	before, gets := far.Meter().Snapshot(), w.blobs.Meter().Snapshot().Gets
	found, err := s.FindAll(t.Context(), user, ids)
	w.ok(err)
	bodies := make([]string, len(ids))
	w.ok(s.Bodies(t.Context(), user, found, func(i int, b stream.Body) (bool, error) {
		bodies[i] = b.HTML
		return true, nil
	}))
	after := far.Meter().Snapshot()
	if n := after.TotalReads() - before.TotalReads(); n > 14 {
		t.Errorf("50 items took %v read units: %v", n, after.Reads)
	}
	if n := after.ReadOps - before.ReadOps; n > 25+3 {
		t.Errorf("50 items took %d requests of the table", n)
	}
	if n := after.TotalWrites() - before.TotalWrites(); n != 0 {
		t.Errorf("50 items took %v write units: %v", n, after.Writes)
	}
	if n := w.blobs.Meter().Snapshot().Gets - gets; n != 5 {
		t.Errorf("5 raw bodies were read %d times", n)
	}
	for i, id := range ids {
		if b, err := w.body(id); err != nil || b.HTML != bodies[i] || b.HTML == "" {
			t.Errorf("item %d: %q in the batch, %q alone, %v", i, bodies[i], b.HTML, err)
		}
	}
}

// TestFindAllIsFindForEach, for items of several deltas and commits, of a feed that is not subscribed to any more,
// starred and labelled ones, below the floor, newer than the side bar, of nobody.
func TestFindAllIsFindForEach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 82)
	a, left, short := w.feed(), w.feed(), w.feed()
	ids := w.several(a, "feeds/a.gz", 9)
	w.clk.Add(time.Hour)
	w.fill(a, 1100) // seqs whose low bits come again
	w.clk.Add(time.Hour)
	ids = append(ids, w.several(a, "feeds/b.gz", 3)...)
	gone := w.several(left, "feeds/c.gz", 4)
	floored := w.several(short, "feeds/d.gz", 4)
	yes := true
	for _, id := range []reader.ItemID{ids[0], gone[1], floored[0]} {
		_, _, err := w.s.SetState(t.Context(), user, id, stream.Change{Starred: &yes})
		w.ok(err)
	}
	label := w.labelDefined("L")
	_, _, err := w.s.SetLabels(t.Context(), user, gone[2], []reader.LabelID{label})
	w.ok(err)
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, left))
	_, err = w.store.Feeds.Modify(t.Context(), short, func(f *store.FeedRow) { f.Floor = 2 })
	w.ok(err)
	ids = append(append(append(ids, gone...), floored...), 0, reader.NewItemID(5, 77, 1),
		reader.NewItemID(reader.MaxMinute, a, 1))
	far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
	s := stream.New(store.New(far, w.clk), w.blobs, w.clk)
	_, err = s.List(t.Context(), user, stream.Query{}) // holds the feeds' rows
	w.ok(err)
	ids = append(ids, w.several(a, "feeds/e.gz", 2)...)
	found, err := s.FindAll(t.Context(), user, ids)
	w.ok(err)
	missing := 0
	for i, id := range ids {
		want, _, err := s.Find(t.Context(), user, id)
		switch {
		case fault.Is(err, fault.NotFound):
			missing++
			if found[i] != nil {
				t.Errorf("item %d: found %+v", i, found[i].Entry)
			}
		case err != nil:
			t.Fatal(err)
		case found[i] == nil || !reflect.DeepEqual(found[i].Entry, want):
			t.Errorf("item %d: %+v, want %+v", i, found[i], want)
		}
	}
	if missing != 2+1+3 {
		t.Errorf("%d are missing", missing)
	}
}

// TestBodiesEndWhenToldTo, and have those of stars whose raw feed is gone.
func TestBodiesEndWhenToldTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 83)
	ids := w.several(w.feed(), "feeds/a.gz", 3)
	yes := true
	_, _, err := w.s.SetState(t.Context(), user, ids[2], stream.Change{Starred: &yes})
	w.ok(err)
	w.ok(w.blobs.Delete(t.Context(), "feeds/a.gz"))
	s := stream.New(w.store, w.blobs, w.clk)
	found, err := s.FindAll(t.Context(), user, append([]reader.ItemID{3}, ids...))
	w.ok(err)
	var states []stream.ContentState
	calls := 0
	w.ok(s.Bodies(t.Context(), user, found, func(_ int, b stream.Body) (bool, error) {
		states = append(states, b.State)
		return true, nil
	}))
	w.ok(s.Bodies(t.Context(), user, found, func(int, stream.Body) (bool, error) {
		calls++
		return calls < 2, nil
	}))
	if want := []stream.ContentState{stream.ContentGone, stream.ContentGone, stream.ContentFull}; !reflect.DeepEqual(
		states, want) || calls != 2 {
		t.Errorf("%v, want %v; %d calls", states, want, calls)
	}
}

// damaged is a blob store one of whose blobs is damaged.
type damaged struct {
	blob.Driver
	key string
}

func (d damaged) Get(ctx context.Context, key string, limit int64) ([]byte, blob.Meta, error) {
	if key == d.key {
		return nil, blob.Meta{}, fault.New(fault.Internal, "blob_corrupt", "test", nil)
	}
	return d.Driver.Get(ctx, key, limit)
}

// TestADamagedFeedOfABatch fails its own items alone, and is reported once.
func TestADamagedFeedOfABatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 84)
	ids := append(w.several(w.feed(), "feeds/a.gz", 2), w.several(w.feed(), "feeds/b.gz", 2)...)
	var reported []string
	s := stream.New(w.store, blob.New(damaged{w.driver, "feeds/a.gz"}), w.clk).OnDamage(func(raw string, _ error) {
		reported = append(reported, raw)
	})
	found, err := s.FindAll(t.Context(), user, ids)
	w.ok(err)
	states := make([]stream.ContentState, len(ids))
	w.ok(s.Bodies(t.Context(), user, found, func(i int, b stream.Body) (bool, error) {
		states[i] = b.State
		return true, nil
	}))
	if want := []stream.ContentState{stream.ContentFailed, stream.ContentFailed, stream.ContentFull,
		stream.ContentFull}; !reflect.DeepEqual(states, want) {
		t.Errorf("%v, want %v", states, want)
	}
	if want := []string{"feeds/a.gz"}; !reflect.DeepEqual(reported, want) {
		t.Errorf("reported are %q", reported)
	}
}

package main

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/repository"
)

// startTestFarm builds and starts the feed farm, or skips.
func startTestFarm(t *testing.T, n int) *farm {
	t.Helper()
	root, err := repository.Root()
	must(t, err)
	dir := farmFolder(root)
	if dir == "" {
		t.Skip("feed farm not present: skipped (RURI_FEEDFARM names its folder)")
	}
	program := filepath.Join(t.TempDir(), "feedfarm")
	must(t, goBuild(t.Context(), dir, program, "."))
	f, err := startFarm(context.Background(), program, n, 20)
	must(t, err)
	t.Cleanup(f.stop)
	return f
}

// counted is one crawl of everything, with what it cost in counts.
type counted struct {
	crawl.Report
	rows  int64
	kinds map[string]float64 // write units
	farm  farmStats
}

func (w *env) crawlAll(f *farm) counted {
	w.tb.Helper()
	ctx := w.tb.Context()
	must(w.tb, f.reset())
	before := w.table.Meter().Snapshot()
	parts, err := w.app.Parts(ctx)
	must(w.tb, err)
	r, err := w.app.Crawler.All(ctx, parts)
	must(w.tb, err)
	after := w.table.Meter().Snapshot()
	c := counted{Report: r, rows: after.RowsWritten - before.RowsWritten, kinds: map[string]float64{}}
	for kind, units := range after.Writes {
		if n := units - before.Writes[kind]; n > 0 {
			c.kinds[kind] = n
		}
	}
	c.farm, err = f.stats()
	must(w.tb, err)
	return c
}

// once checks that each feed was asked exactly once, and no host twice at a time.
func (c *counted) once(t *testing.T, n int) {
	t.Helper()
	if s := c.farm; s.Feeds != n || s.Requests != n || s.MaxPerFeed != 1 || s.Other != 0 || s.MaxPerHost > 1 {
		t.Errorf("the farm saw %d requests for %d of %d feeds, at most %d for one and %d at once to a host, %d "+
			"answered otherwise",
			s.Requests, s.Feeds, n, s.MaxPerFeed, s.MaxPerHost, s.Other)
	}
	if c.Polled != n || c.Failed > 0 || c.Deferred > 0 || c.Skipped > 0 {
		t.Errorf("polled %d of %d, failed %d, deferred %d, skipped %d", c.Polled, n, c.Failed, c.Deferred, c.Skipped)
	}
}

// The costs of a crawl in counts, which are the same on every machine: rows written, blobs put, requests
// made, and no item lost or doubled (P21).
//
func TestCrawlCounts(t *testing.T) {
	t.Parallel()
	const n = 200
	f := startTestFarm(t, n)
	urls, err := f.addresses()
	must(t, err)
	began, err := f.items(urls)
	must(t, err)
	w := newEnv(t, map[string]string{"RURI_ALLOW_NETS": netip.MustParsePrefix("127.0.0.0/8").String(),
		"RURI_PARALLEL": "64"})
	subscribe(t, w, urls)

	// The run's own: its lease's row is taken, marked before and after, and given back; one row records the run.
	const runRows = 5
	t.Run("first", func(t *testing.T) {
		c := w.crawlAll(f)
		c.once(t, n)
		deltas := int64(0)
		for i := range urls {
			deltas += int64(began[i].last-began[i].first+100) / 100 // rows of at most 100 items
		}
		// A claim before the request, since a first poll is off turn; then the rows of items, each
		// committed by one update of the feed's row.
		if most := n + 2*deltas + runRows; c.rows > most {
			t.Errorf("a first crawl wrote %d rows, want at most %d", c.rows, most)
		}
		if c.Changed != n || c.BlobPuts != n {
			t.Errorf("%d feeds changed, %d blobs put, want %d", c.Changed, c.BlobPuts, n)
		}
		wantItems(t, w, f, urls, began)
	})
	t.Run("unchanged", func(t *testing.T) {
		c := w.crawlAll(f)
		c.once(t, n)
		if c.rows > runRows || c.BlobPuts > 0 || c.NotModified != n {
			t.Errorf("%d not modified; %d rows written, want at most %d for the run alone; %d blobs", c.NotModified,
				c.rows, runRows, c.BlobPuts)
		}
		for kind := range c.kinds {
			if kind != "lease" && kind != "run" {
				t.Errorf("an unchanged poll wrote a row of kind %q: %v", kind, c.kinds)
			}
		}
	})
	for range 3 {
		t.Run("changed", func(t *testing.T) {
			must(t, f.tick(10))
			c := w.crawlAll(f)
			c.once(t, n)
			if c.Changed != c.farm.OK || c.BlobPuts != c.farm.OK || c.NotModified != n-c.farm.OK {
				t.Errorf("%d changed, %d blobs, %d not modified; the farm gave %d bodies", c.Changed, c.BlobPuts,
					c.NotModified, c.farm.OK)
			}
			// One row of items and one update of the feed's row for each changed feed.
			if most := int64(2*c.farm.OK + runRows); c.rows > most {
				t.Errorf("%d changed feeds wrote %d rows, want at most %d", c.Changed, c.rows, most)
			}
			wantItems(t, w, f, urls, began)
		})
	}
}

func subscribe(t *testing.T, w *env, urls []string) {
	t.Helper()
	doc := opml.Document{}
	for _, u := range urls {
		doc.Feeds = append(doc.Feeds, opml.Feed{XMLURL: u})
	}
	done, err := w.app.Subscribe.Import(t.Context(), w.owner, doc)
	must(t, err)
	if len(done.Feeds) != len(urls) {
		t.Fatalf("%d of %d feeds imported: %v", len(done.Feeds), len(urls), done.Failed)
	}
}

// wantItems compares every feed's number of items with the farm's, and reads them: as many headers, no
// seq twice and none left out.
func wantItems(t *testing.T, w *env, f *farm, urls []string, began []span) {
	t.Helper()
	now, err := f.items(urls)
	must(t, err)
	want := map[string]int{}
	for i, u := range urls {
		want[u] = now[i].last - began[i].first + 1
	}
	must(t, w.app.Store.Feeds.Each(t.Context(), func(row *store.FeedRow) error {
		got := 0
		identities := map[uint64]bool{}
		err := w.app.Store.Items.Descend(t.Context(), row.ID(), reader.Seq(row.Seq),
			func(d *store.DeltaRow) (bool, error) {
				hs, err := d.Headers()
				got += len(hs)
				for _, h := range hs {
					identities[h.Identity] = true
				}
				return true, err
			})
		if err != nil {
			return err
		}
		if got != want[row.URL] || len(identities) != got || int(row.Seq-row.Floor) != got {
			t.Errorf("%s has %d items, %d of them different, and counts %d; the farm listed %d", row.URL, got,
				len(identities), row.Seq-row.Floor, want[row.URL])
		}
		return nil
	}))
}

// The program itself works on a small farm: what make bench prints is not found broken after an hour.
func TestQuickTable(t *testing.T) {
	t.Parallel()
	root, err := repository.Root()
	must(t, err)
	if farmFolder(root) == "" {
		t.Skip("feed farm not present: skipped (RURI_FEEDFARM names its folder)")
	}
	var out strings.Builder
	b := &bench{rounds: 1, span: 10 * time.Millisecond, root: root, work: t.TempDir(), out: &out}
	b.ruri, b.farm = filepath.Join(b.work, "ruri"), filepath.Join(b.work, "feedfarm")
	must(t, goBuild(t.Context(), root, b.ruri, "./cmd/ruri"))
	must(t, goBuild(t.Context(), farmFolder(root), b.farm, "."))
	must(t, b.crawls(t.Context(), 50))
	must(t, b.serve(t.Context(), []int{50}))
	for _, gate := range []string{"P1", "P2", "P3", "P5", "P7", "P8", "P9", "P10", "P12", "P18", "P21"} {
		if !strings.Contains(out.String(), gate+" ") {
			t.Errorf("the table lacks %s:\n%s", gate, &out)
		}
	}
	if _, err := os.Stat(filepath.Join(b.work, "data-50-0")); err == nil {
		t.Error("the data folder was left behind")
	}
}

package greader_test

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// fill gives a user feeds with items in one delta each, without publishers.
func (w *world) fill(p person, feeds, each int) {
	w.t.Helper()
	stamp := reader.MinuteOf(w.clock.Now())
	hs := make([]store.Header, each)
	for i := range hs {
		hs[i] = store.Header{Identity: uint64(i + 1), Title: "An item", Link: "https://example.org/",
			Sort: w.clock.Now().Unix()}
	}
	about := strings.Repeat("About. ", 80) // so that a row has the 680 bytes of most
	var g errgroup.Group
	g.SetLimit(64)
	for i := range feeds {
		g.Go(func() error {
			ctx := context.Background()
			f, err := w.app.Store.Feeds.Ensure(ctx, fmt.Sprintf("https://host%d.example/%d", i%50, i),
				func(reader.FeedID) store.FeedRow {
					return store.FeedRow{
						Period: 5, Status: "active", Subs: 1, Title: fmt.Sprint("Feed ", i), About: about,
						Seq: uint32(each), FirstSeq: uint32(each), Stamp: uint32(stamp), NewestAt: w.clock.Now().Unix(),
					}
				})
			if err == nil {
				err = w.app.Store.Subscriptions.Add(ctx, p.id, f.ID(), store.SubscriptionRow{Since: 1})
			}
			if err != nil {
				return err
			}
			d, err := store.NewDelta(f.ID(), 1, stamp, w.clock.Now().UnixMilli(), "", hs)
			if err != nil {
				return err
			}
			return w.app.Store.Items.Put(ctx, d)
		})
	}
	w.must(g.Wait())
}

// TestSyncOfNothingNewIsCheap: a program that finds nothing new in 100 feeds makes four requests, which write nothing
// and read at most 12 units of a table that is paid by them.
func TestSyncOfNothingNewIsCheap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	w.fill(w.owner, 100, 3)
	w.clock.Add(time.Hour)
	a := w.program(programs[3], w.owner)
	a.sync()
	a.markRead(a.some(200, isUnread)...)
	w.clock.Add(time.Hour)
	a.sync()
	w.clock.Add(30 * time.Minute)
	before := w.app.Store.Table().Meter().Snapshot()
	a.structure()
	for _, form := range []url.Values{{"s": {allItems}, "xt": {read}}, {"s": {starred}}} {
		form.Set("n", "1000")
		if status, _ := a.do("GET", api+"stream/items/ids", form); status != 200 {
			t.Fatalf("ids answers %d", status)
		}
	}
	after := w.app.Store.Table().Meter().Snapshot()
	reads, writes := 0.0, 0.0
	for kind, n := range after.Reads {
		reads += n - before.Reads[kind]
	}
	for kind, n := range after.Writes {
		// That the password was used is written at most hourly, whatever is asked.
		if kind != "token" {
			writes += n - before.Writes[kind]
		}
	}
	if reads > 12 || writes > 0 {
		t.Errorf("%.1f units were read, and %.1f written: %v, %v", reads, writes, after.Reads,
			maps.Collect(maps.All(after.Writes)))
	}
	t.Logf("%.1f units read", reads)
}

// BenchmarkItemIDs answers 50,000 ids of 500 feeds on one machine, warm.
func BenchmarkItemIDs(b *testing.B) {
	w := newWorld(b, false)
	w.fill(w.owner, 500, 100)
	c := w.client("").logIn(w.owner)
	r := httptest.NewRequest("GET", api+"stream/items/ids?n=50000&s="+allItems, nil)
	r.Header.Set("Authorization", "GoogleLogin auth="+c.auth)
	for _, encoding := range []string{"", "gzip"} {
		r.Header.Set("Accept-Encoding", encoding)
		b.Run("encoding="+encoding, func(b *testing.B) {
			for b.Loop() {
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				if rec.Code != 200 || rec.Body.Len() < 100_000 {
					b.Fatal(rec.Code, rec.Body.Len())
				}
			}
		})
	}
}

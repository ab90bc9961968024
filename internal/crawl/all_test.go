package crawl

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

type fetchFunc func(fetch.Request) (*fetch.Response, error)

func (f fetchFunc) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) { return f(r) }

// The memory of a crawl of everything: of the feeds of a host at most the one that is polled is decoded, those that are
// done are not kept, nor is any part of their rows in the report.
func TestAllHoldsPackedRows(t *testing.T) {
	t.Parallel()
	const feeds = 12
	ctx := t.Context()
	clk := clock.NewManual(time.Date(2026, 4, 1, 8, 0, 10, 0, time.UTC))
	st := store.New(table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), clk)
	for i := range feeds {
		_, err := st.Feeds.Ensure(ctx, fmt.Sprintf("https://host.example/%d", i), func(reader.FeedID) store.FeedRow {
			return store.FeedRow{First: int32(schedule.TickOf(clk.Now())), Period: 5, Subs: 1,
				Status: string(reader.StatusWaiting)}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var hosts [][]task
	polled := 0
	c := New(st, blob.New(memblob.New()), fetchFunc(func(q fetch.Request) (*fetch.Response, error) {
		polled++
		for i, k := range hosts[0] {
			if done := i < polled; k.row != nil || done != (k == task{}) {
				t.Errorf("at request %d for %s, task %d is %+v", polled, q.URL, i, k)
			}
		}
		return &fetch.Response{Status: 404, FinalURL: q.URL}, nil
	}), clk, Options{})
	ctx, r := c.newRun(ctx, store.RunAll, schedule.TickOf(clk.Now()))
	tasks, err := r.allTasks(ctx, 1)
	if err != nil || len(tasks) != feeds {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	hosts = byHost(tasks, 0)
	r.slots = make(chan struct{}, 1)
	r.host(ctx, hosts[0])
	if polled != feeds || r.report.Polled != feeds {
		t.Errorf("polled %d of %d feeds: %+v", polled, feeds, r.report.RunSums)
	}
	for _, o := range r.report.Feeds {
		if o.Host != "" {
			t.Errorf("the report keeps the address of feed %d", o.Feed)
		}
	}
}

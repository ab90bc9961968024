package store

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
)

// A feed's last fetches come from the rows of runs: the newest of every kind, older ones by its turns; what that
// reads is bounded.
func TestFetchesOfAFeed(t *testing.T) {
	t.Parallel()
	st, clk := newStore()
	now := clk.Now()
	f := &FeedRow{rowKey: keyed(feedKey(7)), First: int32(schedule.TickOf(now)) - 40*96, Period: 96}
	put := func(tick schedule.Tick, job, kind string, at time.Time, feeds ...FeedOutcome) {
		t.Helper()
		r, err := NewRun(tick, 0, job, kind, RunDone, at, RunSums{}, feeds)
		ok(t, err)
		ok(t, st.Runs.Put(ctx, r))
	}
	// Thirty days of runs of other feeds, with this one's turn once a day.
	for i := range schedule.Tick(29 * 96) {
		tick := schedule.TickOf(now) - i
		list := []FeedOutcome{{Feed: 8, Outcome: "unchanged"}}
		if f.Turns().HasTurn(tick) {
			list = append(list, FeedOutcome{Feed: 7, Outcome: "notModified", Status: 304})
		}
		put(tick, "", RunScheduled, tick.Start(), list...)
	}
	off := now.Add(-20 * time.Minute)
	put(schedule.TickOf(off), JobName(RunRefresh, off), RunRefresh, off,
		FeedOutcome{Feed: 7, Outcome: "changed", Status: 200, New: 3})
	before := st.Table().Meter().Snapshot().TotalReads()
	list, err := st.Runs.OfFeed(ctx, now, f, 0, 20)
	ok(t, err)
	if n := st.Table().Meter().Snapshot().TotalReads() - before; n > 40 {
		t.Errorf("it read %v units", n)
	}
	if len(list) != 20 {
		t.Fatalf("%d fetches", len(list))
	}
	refreshes := 0
	for i, x := range list {
		if x.Kind == RunRefresh {
			if refreshes++; x.New != 3 || x.Status != 200 || x.Run == "" {
				t.Errorf("%+v", x)
			}
		}
		if i > 0 && x.At.After(list[i-1].At) {
			t.Errorf("fetch %d is newer than the one before", i)
		}
	}
	if refreshes != 1 {
		t.Errorf("%d refreshes", refreshes)
	}
	if few, err := st.Runs.OfFeed(ctx, now, f, 0, 2); err != nil || len(few) != 2 {
		t.Errorf("%d, %v", len(few), err)
	}
}

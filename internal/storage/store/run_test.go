package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// putRun leaves the row of a scheduled run of part 0, or of another job when it is named.
func putRun(t *testing.T, s *Store, at time.Time, job string, feeds ...FeedOutcome) *RunRow {
	t.Helper()
	r, err := NewRun(schedule.TickOf(at), 0, job, RunScheduled, RunDone, at,
		RunSums{Due: len(feeds), Millis: 2500}, feeds)
	ok(t, err)
	ok(t, s.Runs.Put(t.Context(), r))
	return r
}

func runIDs(t *testing.T, s *Store, now time.Time, before string, limit int) (ids []string) {
	t.Helper()
	ok(t, s.Runs.Descend(t.Context(), now, before, func(r *RunRow) (bool, error) {
		ids = append(ids, r.ID())
		return len(ids) < limit, nil
	}))
	return ids
}

func TestRunsDescendOverDays(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	var want []string
	for i := range 200 { // more than a query's page in some days
		at := start.Add(time.Duration(i) * 15 * time.Minute)
		if i > 100 && i < 110 {
			continue
		}
		want = append(want, putRun(t, s, at, "").ID())
		if i%10 == 0 {
			want = append(want, putRun(t, s, at, JobName(RunRefresh, at)).ID())
		}
	}
	slices.Reverse(want)
	clk.Set(start.Add(200 * 15 * time.Minute))
	now := clk.Now()
	if got := runIDs(t, s, now, "", 1000); !slices.Equal(got, want) {
		t.Fatalf("%d runs came, want %d", len(got), len(want))
	}
	var paged []string
	for cursor := ""; ; cursor = paged[len(paged)-1] {
		page := runIDs(t, s, now, cursor, 7)
		if paged = append(paged, page...); len(page) < 7 {
			break
		}
	}
	if !slices.Equal(paged, want) {
		t.Errorf("by pages %d runs came, want %d", len(paged), len(want))
	}
	clk.Set(now.Add(RunDays * 24 * time.Hour))
	if got := runIDs(t, s, clk.Now(), "", 1000); len(got) != 0 {
		t.Errorf("after a month %d runs are listed", len(got))
	}
}

// TestRunCursorsAreBounded: a cursor is a stranger's word.
func TestRunCursorsAreBounded(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	id := putRun(t, s, start, "").ID()
	for cursor, want := range map[string]int{
		"9999-12-31.x": 1, "2020-01-01.x": 0, start.AddDate(0, 0, 1).Format(time.DateOnly) + ".x": 1, id: 0,
	} {
		before := s.table.Meter().Snapshot().ReadOps
		if got := runIDs(t, s, clk.Now(), cursor, 10); len(got) != want {
			t.Errorf("below %s there are %v", cursor, got)
		}
		if n := s.table.Meter().Snapshot().ReadOps - before; n > RunDays+3 {
			t.Errorf("%s cost %v queries", cursor, n)
		}
	}
	for _, cursor := range []string{"x", "2026-04-01", "2026-04-01.", "2026-13-01.x", ".x", "2026-04-01." +
		strings.Repeat("x", 200)} {
		err := s.Runs.Descend(t.Context(), clk.Now(), cursor, func(*RunRow) (bool, error) { return true, nil })
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("cursor %.30q gives %v", cursor, err)
		}
		if _, err := s.Runs.ByID(t.Context(), cursor); !fault.Is(err, fault.NotFound) {
			t.Errorf("a run named %.30q gives %v", cursor, err)
		}
	}
}

func TestRunsByID(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	outcomes := []FeedOutcome{{Feed: 1, Outcome: "notModified"},
		{Feed: 2, Outcome: "failed", Status: 503, Err: "http_503"}}
	for _, job := range []string{"", JobName(RunAll, start)} {
		want := putRun(t, s, start, job, outcomes...)
		got, err := s.Runs.ByID(t.Context(), want.ID())
		ok(t, err)
		feeds, err := got.Outcomes()
		if err != nil || !slices.Equal(feeds, outcomes) || got.Millis != 2500 {
			t.Errorf("%s is %+v with %+v, %v", want.ID(), got, feeds, err)
		}
	}
	if _, err := s.Runs.ByID(t.Context(), "2026-04-01.0000001.000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a run that never was gives %v", err)
	}
}

func TestALostRunNeverCoversARealOne(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	putRun(t, s, start, "")
	lost, err := NewRun(schedule.TickOf(start), 0, "", RunScheduled, RunLost, start, RunSums{}, nil)
	ok(t, err)
	ok(t, s.Runs.PutLost(t.Context(), lost))
	got, err := s.Runs.Get(t.Context(), schedule.TickOf(start), 0)
	if err != nil || got.State != RunDone {
		t.Errorf("the run is %+v, %v", got, err)
	}
}

// TestChecks asks for the last poll of feeds in every way that it can be known.
func TestChecks(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	now := schedule.TickOf(start)
	turn := FeedRow{First: int32(now) - 20, Period: 10, Hash: []byte{1}}
	at := func(f FeedRow) time.Time {
		t.Helper()
		last, err := s.Checks.Last(t.Context(), &f, 0)
		ok(t, err)
		return last
	}
	if got := at(FeedRow{First: turn.First, Period: 10}); !got.IsZero() {
		t.Errorf("a feed never polled was checked at %v", got)
	}
	if got := at(turn); !got.IsZero() {
		t.Errorf("a turn that nobody took was checked at %v", got)
	}
	// The lost run's row is written by the next run, and is not hidden by what was found before.
	lost, err := NewRun(now, 0, "", RunScheduled, RunLost, now.Start(), RunSums{}, nil)
	ok(t, err)
	ok(t, s.Runs.PutLost(t.Context(), lost))
	clk.Add(absentMemory)
	if got := at(turn); !got.Equal(now.Spent()) {
		t.Errorf("a lost turn was checked at %v, want %v", got, now.Spent())
	}
	claimed := turn
	claimed.Polled = now.Spent().Add(time.Minute).Unix()
	if got := at(claimed); got.Unix() != claimed.Polled {
		t.Errorf("a claimed feed was checked at %v", got)
	}
	all := start.Add(10 * time.Hour)
	clk.Set(all)
	ok(t, s.Leases.MarkAll(t.Context(), 0, all))
	if got := at(turn); !got.Equal(all) {
		t.Errorf("after a crawl of everything it was checked at %v", got)
	}
}

func TestChecksOfManyFeedsAreOneRead(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	now := schedule.TickOf(start)
	var feeds []PolledFeed
	for i := range 90 {
		f := &FeedRow{First: int32(now) - int32(i), Period: 1000, Hash: []byte{1}}
		feeds = append(feeds, PolledFeed{f, 0})
		if i%3 > 0 {
			putRun(t, s, (now - schedule.Tick(i)).Start(), "")
		}
	}
	ops := func() float64 { return float64(s.table.Meter().Snapshot().ReadOps) }
	before := ops()
	ok(t, s.Checks.Prepare(t.Context(), feeds))
	for i, f := range feeds {
		last, err := s.Checks.Last(t.Context(), f.FeedRow, 0)
		ok(t, err)
		want := time.Time{}
		if i%3 > 0 {
			want = (now - schedule.Tick(i)).Start().Add(2500 * time.Millisecond)
		}
		if !last.Equal(want) {
			t.Errorf("feed %d was checked at %v, want %v", i, last, want)
		}
	}
	if n := ops() - before; n != 2 { // the runs, and the lease
		t.Errorf("90 ticks took %v reads", n)
	}
	clk.Add(time.Second)
	ok(t, s.Checks.Prepare(t.Context(), feeds))
	if n := ops() - before; n != 2 {
		t.Errorf("the second time took %v reads", n-2)
	}
}

// R-43, K-2
func TestCacheLastsAsLongAsAsked(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	ok(t, s.Cache.PutFor(t.Context(), "a", []byte("body"), time.Hour))
	if b, err := s.Cache.Get(t.Context(), "a"); err != nil || string(b) != "body" {
		t.Errorf("the cache has %q, %v", b, err)
	}
	clk.Add(time.Hour - time.Second)
	if _, err := s.Cache.Get(t.Context(), "a"); err != nil {
		t.Errorf("before the hour is over: %v", err)
	}
	clk.Add(time.Second)
	if _, err := s.Cache.Get(t.Context(), "a"); !fault.Is(err, fault.NotFound) {
		t.Errorf("after an hour: %v", err)
	}
	ok(t, s.Cache.PutFor(t.Context(), "a", []byte("again"), time.Hour))
	if b, err := s.Cache.Get(t.Context(), "a"); err != nil || string(b) != "again" {
		t.Errorf("put again, the cache has %q, %v", b, err)
	}
	ok(t, s.Cache.PutFor(t.Context(), "big", make([]byte, MaxFetchedRow+1), time.Hour))
	if _, err := s.Cache.Get(t.Context(), "big"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a body too large for a row: %v", err)
	}
}

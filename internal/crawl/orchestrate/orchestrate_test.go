package orchestrate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var bg = context.Background()

type outbox struct {
	bodies [][]byte
	err    error
}

func (o *outbox) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	o.bodies = append(o.bodies, bodies...)
	return o.err
}

const now = schedule.Tick(20_000)

func world(t *testing.T, n int, row func(i int) store.FeedRow) *store.Store {
	t.Helper()
	c := clock.NewManual(now.Start())
	s := store.New(table.New(memtable.New(), table.Options{Clock: c, Kind: store.Kind}), c)
	for i := range n {
		_, err := s.Feeds.Ensure(bg, fmt.Sprintf("https://host%d.example/%d", i%50, i),
			func(reader.FeedID) store.FeedRow {
				return row(i)
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Leases.MarkCleaned(bg, schedule.DayOf(now), 180); err != nil {
		t.Fatal(err)
	}
	return s
}

func live(first schedule.Tick) store.FeedRow {
	return store.FeedRow{
		First: int32(first), Period: 5, Subs: 1, Status: string(reader.StatusActive), Polled: 1,
		Hash: []byte("12345678"), Seq: 3,
		Known: make([]byte, 25*11), Title: "A feed of some length", Site: "https://example.org/",
		ETag: `"0123456789abcdef"`,
		Raw: "feeds/2026/01/01/0123456789012345678901234567890123456789012345678901234567890123/" +
			"01234567890123456789.gz",
	}
}

// Only feeds that somebody reads and that are sound have turns; what was never polled is late.
// R-7, G-23
func TestPlanTakesWhoIsDue(t *testing.T) {
	t.Parallel()
	kinds := []struct {
		name       string
		change     func(*store.FeedRow)
		feeds, due bool
	}{
		{"its turn", func(*store.FeedRow) {}, true, true},
		{"another's turn", func(f *store.FeedRow) { f.First++ }, false, false},
		{"nobody reads it", func(f *store.FeedRow) { f.Subs = 0 }, false, false},
		{"stopped", func(f *store.FeedRow) { f.Status = string(reader.StatusStopped) }, false, false},
		{"failing", func(f *store.FeedRow) { f.Status = string(reader.StatusError) }, true, true},
		{"merged", func(f *store.FeedRow) { f.MergedInto, f.Subs = 1, 0 }, false, false},
		{"merged by half", func(f *store.FeedRow) { f.MergedInto = 1 }, false, true},
		{"never polled", func(f *store.FeedRow) {
			f.Polled, f.Hash, f.Seq, f.First = 0, nil, 0, int32(now+3)
		}, false, true},
		{"missed its turn", func(f *store.FeedRow) { f.First = int32(now - 2) }, false, true},
		{"had its turn before the last run", func(f *store.FeedRow) { f.First = int32(now - 3) }, false, false},
	}
	s := world(t, len(kinds), func(i int) store.FeedRow {
		f := live(now)
		kinds[i].change(&f)
		return f
	})
	if _, err := s.Leases.ClaimTick(bg, 0, 1, 0, now-3, (now - 3).Start(), (now - 3).Start().Add(time.Minute)); err !=
		nil {
		t.Fatal(err)
	}
	before := s.Table().Meter().Snapshot()
	jobs, err := orchestrate.New(s, &outbox{}, 1, false, nil).Plan(bg, now)
	if err != nil || len(jobs) != 1 || jobs[0].Tick != now || jobs[0].Kind != job.Scheduled {
		t.Fatalf("planned %+v, %v", jobs, err)
	}
	if after := s.Table().Meter().Snapshot(); after.TotalWrites() != before.TotalWrites() {
		t.Error("planning writes")
	}
	turn, late := map[reader.FeedID]bool{}, map[reader.FeedID]bool{}
	for _, f := range jobs[0].Feeds {
		turn[f] = true
	}
	for _, f := range jobs[0].Late {
		late[f] = true
	}
	for i, k := range kinds {
		id := reader.FeedID(i + 1)
		if turn[id] != k.feeds || late[id] != (k.due && !k.feeds) {
			t.Errorf("%s: on turn %v, late %v", k.name, turn[id], late[id])
		}
	}
}

// A tick of a hundred feeds costs its block, one lease and the counter.
func TestPlanReadsTheBlock(t *testing.T) {
	t.Parallel()
	s := world(t, 100, func(i int) store.FeedRow { return live(now + schedule.Tick(i%5)) })
	before := s.Table().Meter().Snapshot().TotalReads()
	out := &outbox{}
	jobs, err := orchestrate.New(s, out, 0, false, nil).Run(bg, now.Start().Add(20*time.Second))
	if err != nil || len(jobs) != 1 || len(jobs[0].Feeds) != 20 || len(out.bodies) != 1 {
		t.Fatalf("planned %+v, %d messages, %v", jobs, len(out.bodies), err)
	}
	units := s.Table().Meter().Snapshot().TotalReads() - before
	t.Logf("a tick of 100 feeds: %.1f read units", units)
	if units > 14 {
		t.Errorf("%.1f read units", units)
	}
}

// All feeds of a host go to one part; parts without work get no message; a queue that fails is told.
//
func TestPlanByParts(t *testing.T) {
	t.Parallel()
	s := world(t, 200, func(i int) store.FeedRow { return live(now + schedule.Tick(i%2)) })
	out := &outbox{}
	jobs, err := orchestrate.New(s, out, 64, false, nil).Run(bg, now.Start())
	if err != nil {
		t.Fatal(err)
	}
	feeds, parts := 0, map[int]bool{}
	for _, j := range jobs {
		if len(j.Feeds) == 0 || parts[j.Part] {
			t.Errorf("message %+v", j)
		}
		parts[j.Part] = true
		for _, id := range j.Feeds {
			f, err := s.Feeds.Get(bg, id, false)
			if err != nil || job.PartOf(f.URL, 64) != j.Part {
				t.Errorf("feed %d in part %d: %v", id, j.Part, err)
			}
			feeds++
		}
	}
	if feeds != 100 || len(jobs) != len(out.bodies) || len(jobs) > 25 {
		t.Errorf("%d feeds in %d messages", feeds, len(jobs))
	}
	out.err = errors.New("full")
	if _, err := orchestrate.New(s, out, 64, false, nil).Run(bg, now.Start()); err == nil {
		t.Error("a queue that fails goes unnoticed")
	}
}

// The day's tidying is asked for from the day's second tick on, in each tick until it is noted as done.
func TestTidyingIsAskedForOnceADay(t *testing.T) {
	t.Parallel()
	s := world(t, 1, func(int) store.FeedRow { return live(1 << 20) })
	today := schedule.DayOf(now)
	next := schedule.Tick(today+1) * schedule.TicksPerDay
	asked := func(tick schedule.Tick) bool {
		out := &outbox{}
		jobs, err := orchestrate.New(s, out, 0, false, nil).Run(bg, tick.Start())
		if err != nil || len(jobs) != 0 || len(out.bodies) > 1 {
			t.Fatalf("tick %d: %+v, %d messages, %v", tick, jobs, len(out.bodies), err)
		}
		if len(out.bodies) == 0 {
			return false
		}
		j, err := job.Decode(out.bodies[0])
		if err != nil || j.Kind != job.Cleanup || j.Tick != tick {
			t.Fatalf("sent %+v, %v", j, err)
		}
		return true
	}
	for tick, want := range map[schedule.Tick]bool{now: false, next - 1: false, next: false, next + 1: true,
		next + 2: true, next + 95: true} {
		if asked(tick) != want {
			t.Errorf("tick %d of its day is asked to tidy: %v", tick%schedule.TicksPerDay, !want)
		}
	}
	if err := s.Leases.MarkCleaned(bg, today+1, 180); err != nil {
		t.Fatal(err)
	}
	if asked(next+2) || !asked(next+schedule.TicksPerDay+1) {
		t.Error("what is done is asked for again, or the day after is forgotten")
	}
}

// The index is asked for once a day, four times with 500 feeds, and hourly with 2,000; not where it is off.
func TestIndexingIsAskedForByTheNumberOfFeeds(t *testing.T) {
	t.Parallel()
	day := schedule.Tick(schedule.DayOf(now)+1) * schedule.TicksPerDay
	for _, c := range []struct {
		feeds, jobs int
		indexes     bool
	}{{1, 1, true}, {499, 1, true}, {500, 4, true}, {1999, 4, true}, {2000, 24, true}, {1, 0, false}} {
		s := world(t, c.feeds, func(int) store.FeedRow { return live(1 << 20) })
		if err := s.Leases.MarkCleaned(bg, schedule.DayOf(day), 180); err != nil {
			t.Fatal(err)
		}
		out := &outbox{}
		o := orchestrate.New(s, out, 0, c.indexes, nil)
		for tick := day; tick < day+schedule.TicksPerDay; tick++ {
			if _, err := o.Run(bg, tick.Start()); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range out.bodies {
			if j, err := job.Decode(b); err != nil || j.Kind != job.Index {
				t.Errorf("%d feeds: sent %+v, %v", c.feeds, j, err)
			}
		}
		if len(out.bodies) != c.jobs {
			t.Errorf("%d feeds: %d jobs a day", c.feeds, len(out.bodies))
		}
	}
}

// The month's bill is compared with its limit every six hours, and without one there is no message.
// C-4
func TestTheBillIsAskedForWhereItHasALimit(t *testing.T) {
	t.Parallel()
	day := schedule.Tick(schedule.DayOf(now)+1) * schedule.TicksPerDay
	for isLimited, want := range map[bool]int{true: 4, false: 0} {
		s := world(t, 1, func(int) store.FeedRow { return live(1 << 20) })
		if err := s.Leases.MarkCleaned(bg, schedule.DayOf(day), 180); err != nil {
			t.Fatal(err)
		}
		out := &outbox{}
		o := orchestrate.New(s, out, 0, false, nil)
		o.Limited = isLimited
		for tick := day; tick < day+schedule.TicksPerDay; tick++ {
			if _, err := o.Run(bg, tick.Start()); err != nil {
				t.Fatal(err)
			}
		}
		if len(out.bodies) != want {
			t.Errorf("limited %v: %d messages a day", isLimited, len(out.bodies))
		}
	}
}

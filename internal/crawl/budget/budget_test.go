package budget_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl/budget"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var bg = context.Background()

type world struct {
	t     *testing.T
	mem   *memtable.Driver
	clock *clock.Manual
	store *store.Store
	told  int
	fails error
}

func newWorld(t *testing.T, now time.Time) *world {
	w := &world{t: t, mem: memtable.New(), clock: clock.NewManual(now)}
	w.store = store.New(table.New(w.mem, table.Options{Clock: w.clock, Kind: store.Kind}), w.clock)
	_, err := w.store.Feeds.Ensure(bg, "https://example.org/feed", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Subs: 1}
	})
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// guard is one of a new process.
func (w *world) guard(limit float64) *budget.Guard {
	return budget.New(w.store, w.clock, budget.Options{Limit: limit, OnDemand: true, Region: "nowhere-1",
		Log: slog.New(slog.DiscardHandler), Tell: func(context.Context) error {
			w.told++
			return w.fails
		}})
}

// run leaves the row of a run that used so many write units.
func (w *world) run(units float64) {
	w.t.Helper()
	now := w.clock.Now()
	row, err := store.NewRun(schedule.TickOf(now), 0, "", store.RunScheduled, store.RunDone, now,
		store.RunSums{Polled: 10, TableWrites: units}, nil)
	w.must(err)
	w.must(w.store.Runs.Put(bg, row))
}

func (w *world) spent() float64 {
	w.t.Helper()
	st, err := w.guard(1).Status(bg)
	w.must(err)
	return st.Spent
}

func (w *world) slow(limit float64) int32 {
	w.t.Helper()
	n, err := w.guard(limit).Slow(bg)
	w.must(err)
	return n
}

func (w *world) writes() float64 { return w.store.Table().Meter().Snapshot().TotalWrites() }

var tenth = time.Date(2026, 10, 10, 12, 0, 0, 0, time.UTC)

// The steps of a month, each of which is written and told once.
// C-4
func TestSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenth)
	w.run(1_000_000)
	spent := w.spent()
	for _, tt := range []struct {
		percent float64
		slow    int32
	}{{69.9, 1}, {70.1, 2}, {84.9, 2}, {85.1, 4}, {94.9, 4}, {95.1, 8}, {500, 8}} {
		w := newWorld(t, tenth)
		w.run(1_000_000)
		limit := 100 * spent / tt.percent
		before := w.writes()
		for range 3 {
			w.must(w.guard(limit).Check(bg))
		}
		changed := 0
		if tt.slow > 1 {
			changed = 1
		}
		if got := w.slow(limit); got != tt.slow || w.told != changed || w.writes()-before != float64(changed) {
			t.Errorf("%v %%: periods are times %d, want %d; told %d times, %v write units", tt.percent, got, tt.slow, w.told,
				w.writes()-before)
		}
	}
}

// Within a month periods never become shorter by themselves; a higher limit makes them, and so does the next month.
// C-4
func TestMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenth)
	w.run(1_000_000)
	limit := w.spent() / 0.9
	w.must(w.guard(limit).Check(bg))
	if got := w.slow(limit); got != 4 {
		t.Fatalf("at 90 %%: times %d", got)
	}
	// A bill that is corrected a little does not flap.
	row, err := w.store.Budget.Get(bg)
	w.must(err)
	row.Slow = 8
	w.must(w.store.Budget.Put(bg, row))
	before, told := w.writes(), w.told
	w.must(w.guard(limit).Check(bg))
	if got := w.slow(limit); got != 8 || w.writes() != before {
		t.Errorf("the same limit: times %d, %v write units", got, w.writes()-before)
	}
	w.must(w.guard(2 * limit).Check(bg))
	if got := w.slow(2 * limit); got != 1 || w.told != told {
		t.Errorf("twice the limit: times %d, told %d times more", got, w.told-told)
	}
	w.must(w.guard(limit).Check(bg))
	if got := w.slow(limit); got != 4 {
		t.Errorf("the limit again: times %d", got)
	}
	if got := w.slow(0); got != 1 {
		t.Errorf("without a limit: times %d", got)
	}
	w.clock.Set(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	before = w.writes()
	w.must(w.guard(limit).Check(bg))
	if got := w.slow(limit); got != 1 || w.writes() != before {
		t.Errorf("the next month: times %d, %v write units", got, w.writes()-before)
	}
	if st, err := w.guard(limit).Status(bg); err != nil || st.Spent != 0 || st.Ends.Month() != time.December {
		t.Errorf("the next month: %+v, %v", st, err)
	}
}

// A day with more runs than are read at a time costs what its last runs did, over all its ticks. C-4
func TestManyRuns(t *testing.T) {
	t.Parallel()
	spent := func(parts int, units float64) float64 {
		w := newWorld(t, time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC))
		for tick := schedule.TickOf(w.clock.Now()) - 48 - 96; tick <= schedule.TickOf(w.clock.Now()); tick++ {
			for part := range parts {
				row, err := store.NewRun(tick, part, "", store.RunScheduled, store.RunDone, tick.Start(),
					store.RunSums{Polled: 1, TableWrites: units}, nil)
				w.must(err)
				w.must(w.store.Runs.Put(bg, row))
			}
		}
		return w.spent()
	}
	if few, many := spent(3, 800), spent(24, 100); many < few || many > 1.05*few {
		t.Errorf("3 runs a tick cost %.4f, 24 of an eighth %.4f", few, many)
	}
}

// What has been used so far is what counts, from the first day of the month to the last, whose first rows are gone.
func TestSpentGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Date(2026, 10, 1, 0, 10, 0, 0, time.UTC))
	last := 0.0
	for day := 1; day <= 31; day++ {
		w.run(100_000)
		w.clock.Set(time.Date(2026, 10, day, 23, 50, 0, 0, time.UTC))
		spent := w.spent()
		if spent <= last || day > 2 && spent > last*float64(day)/float64(day-1)*1.3 {
			t.Errorf("day %d: %v after %v", day, spent, last)
		}
		last = spent
		w.clock.Set(time.Date(2026, 10, day+1, 0, 10, 0, 0, time.UTC))
	}
}

// A row that is missing or damaged changes nothing, and the next look replaces it.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenth)
	w.run(1_000_000)
	limit := w.spent()
	w.must(w.store.Table().Put(bg, &struct {
		PK    string `dynamo:"pk"`
		SK    string `dynamo:"sk"`
		Month []int  `dynamo:"month"`
		Slow  string `dynamo:"slow"`
	}{"SYS", "budget", []int{1}, "often"}))
	if got := w.slow(limit); got != 1 {
		t.Errorf("a damaged row: times %d", got)
	}
	w.must(w.guard(limit).Check(bg))
	if got := w.slow(limit); got != 8 {
		t.Errorf("after a look: times %d", got)
	}
}

// What could not be told is looked at again: nothing is written.
func TestNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenth)
	w.run(1_000_000)
	limit := w.spent()
	w.fails = errors.New("no queue")
	if err := w.guard(limit).Check(bg); err == nil || w.slow(limit) != 1 {
		t.Errorf("error %v, times %d", err, w.slow(limit))
	}
}

// Without a limit there is no read and no write.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenth)
	w.run(1_000_000)
	before := w.store.Table().Meter().Snapshot()
	g := w.guard(0)
	w.must(g.Check(bg))
	if n, err := g.Slow(bg); n != 1 || err != nil {
		t.Errorf("times %d, %v", n, err)
	}
	if after := w.store.Table().Meter().Snapshot(); after.TotalReads() != before.TotalReads() ||
		after.TotalWrites() != before.TotalWrites() {
		t.Errorf("%v read units, %v write units", after.TotalReads()-before.TotalReads(),
			after.TotalWrites()-before.TotalWrites())
	}
}

// A month that would cost up to 1.7 times its limit stays within it; one that would cost more is slower in its last
// days, and goes on.
// C-4
func TestMonthStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	const perTick = 5000 // write units of a run, while periods are as chosen
	month := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	live := func(limit float64) (spent float64, slow int32, least float64) {
		w := newWorld(t, month)
		g := w.guard(limit)
		least = perTick
		for tick := schedule.TickOf(month); tick.Start().Month() == month.Month(); tick++ {
			w.clock.Set(tick.Start())
			var err error
			slow, err = g.Slow(bg)
			w.must(err)
			units := perTick / float64(slow)
			least = min(least, units)
			w.run(units)
			if tick%(schedule.TicksPerDay/4) == 0 {
				w.must(g.Check(bg))
			}
		}
		st, err := g.Status(bg)
		w.must(err)
		return st.Spent, slow, least
	}
	whole, _, _ := live(1e9)
	for _, tt := range []struct {
		times  float64 // the whole month is of the limit
		slow   int32
		within float64
	}{{0.6, 1, 0.61}, {1.7, 8, 1}, {3, 8, 1.2}} {
		limit := whole / tt.times
		spent, slow, least := live(limit)
		t.Logf("%.1f times the limit: %.0f %% of it, periods times %d", tt.times, 100*spent/limit, slow)
		if spent > tt.within*limit || slow != tt.slow || least < perTick/8 {
			t.Errorf("%v times the limit: %v of %v USD, periods times %d", tt.times, spent, limit, slow)
		}
	}
}

// Package budget keeps the bill of a month near the owner's limit. Every six hours it computes what the month has cost
// so far, from the rows of the runs, and from 70 % of the limit on it makes polling periods longer (C-4). Without a
// limit it reads and writes nothing.
package budget

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// steps are the parts of the limit from which periods are so many times as long.
var steps = [...]struct {
	part float64
	slow int32
}{{0.95, 8}, {0.85, 4}, {0.70, 2}}

func slowAt(spent, limit float64) int32 {
	for _, s := range steps {
		if spent >= s.part*limit {
			return s.slow
		}
	}
	return 1
}

// Options of a guard.
type Options struct {
	Limit    float64 // USD a month; 0: none
	Region   string  // whose prices apply; where there are none, those of cost.UsualRegion
	OnDemand bool    // the table is paid for by request
	Log      *slog.Logger
	// Tell sends word that periods are longer from now on. The row about it is written a moment later.
	Tell func(context.Context) error
}

// Guard compares the month with the limit. It is safe for concurrent use.
type Guard struct {
	Options
	store *store.Store
	clock clock.Clock

	mu   sync.Mutex
	row  store.BudgetRow
	read time.Time
}

// memory is for how long the row is remembered.
const memory = time.Minute

// New makes a guard.
func New(s *store.Store, c clock.Clock, o Options) *Guard {
	if !slices.Contains(cost.Embedded().Regions(), o.Region) {
		o.Region = cost.UsualRegion
	}
	return &Guard{Options: o, store: s, clock: c}
}

func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// slowOf is what a row says at a time: nothing after its month.
func slowOf(row store.BudgetRow, now time.Time) int32 {
	if row.Month != monthOf(now) {
		return 1
	}
	return max(row.Slow, 1)
}

// Slow returns by what polling periods are multiplied now.
func (g *Guard) Slow(ctx context.Context) (int32, error) {
	if g.Limit <= 0 {
		return 1, nil
	}
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if age := now.Sub(g.read); age < 0 || age >= memory {
		row, err := g.store.Budget.Get(ctx)
		if err != nil {
			return 1, err
		}
		g.row, g.read = row, now
	}
	return slowOf(g.row, now), nil
}

// Status is the month so far.
type Status struct {
	Limit, Spent float64 // USD
	Slow         int32   // by what periods are multiplied
	Ends         time.Time
}

// Status computes what the month has cost until now.
func (g *Guard) Status(ctx context.Context) (st Status, err error) {
	if st.Slow, err = g.Slow(ctx); err != nil {
		return st, err
	}
	now := g.clock.Now().UTC()
	month := now.Truncate(24*time.Hour).AddDate(0, 0, 1-now.Day())
	st.Limit, st.Ends = g.Limit, month.AddDate(0, 1, 0)
	days, err := g.store.Runs.Days(ctx, min(now.Day(), store.RunDays))
	if err != nil {
		return st, err
	}
	began := slices.IndexFunc(days, func(d store.RunDay) bool { return d.Runs > 0 })
	if began < 0 {
		return st, nil
	}
	if began > 0 { // the reader is younger than the month
		month = days[began].Day
	}
	// Rows of the month's first day may have expired.
	o := cost.Observed{Users: 1, Days: sinceDays(days[began].Day, now)}
	for _, d := range days[began:] {
		Add(&o, d)
	}
	if o.Feeds, err = g.store.Feeds.Count(ctx); err != nil {
		return st, err
	}
	prices := cost.Embedded()
	bill, err := prices.ToDate(cost.Options{Feeds: o.Feeds, Users: o.Users, OnDemand: g.OnDemand}, prices.Project(o),
		g.Region, sinceDays(month, now))
	if err == nil {
		st.Spent = bill.Total.Always
	}
	return st, err
}

// sinceDays is at least an hour, so that a first run is no rate.
func sinceDays(from, to time.Time) float64 { return max(to.Sub(from), time.Hour).Hours() / 24 }

// Check compares the month with the limit, and writes a row if periods are to be longer. Within a month they become
// shorter only after a change of the limit.
func (g *Guard) Check(ctx context.Context) error {
	if g.Limit <= 0 {
		return nil
	}
	row, err := g.store.Budget.Get(ctx)
	if err != nil {
		return err
	}
	st, err := g.Status(ctx)
	if err != nil {
		return err
	}
	now := g.clock.Now()
	was, slow := slowOf(row, now), slowAt(st.Spent, g.Limit)
	if slow == was || slow < was && row.Limit == g.Limit {
		return nil
	}
	if slow > was && g.Tell != nil {
		if err := g.Tell(ctx); err != nil {
			return err
		}
	}
	row = store.BudgetRow{Month: monthOf(now), Slow: slow, Spent: st.Spent, Limit: g.Limit, At: now.Unix()}
	if err := g.store.Budget.Put(ctx, row); err != nil {
		return err
	}
	g.mu.Lock()
	g.row, g.read = row, now
	g.mu.Unlock()
	g.Log.Info("the month's bill changes how often feeds are polled", "spent", st.Spent, "limit", g.Limit,
		"slow", slow)
	return nil
}

// Add adds the runs of a day to what was observed; where not all of them were read, those that were stand for all.
func Add(o *cost.Observed, d store.RunDay) {
	times := 1 / d.Share
	o.Runs += times * float64(d.Runs)
	o.Polled += times * float64(d.Polled)
	o.NotModified += times * float64(d.NotModified)
	o.Changed += times * float64(d.Changed)
	o.Failed += times * float64(d.Failed)
	o.Answered += times * float64(d.Changed+d.Unchanged)
	o.Bytes += times * float64(d.Bytes)
	o.NewItems += times * float64(d.NewItems)
	o.Reads += times * d.TableReads
	o.Writes += times * d.TableWrites
	o.BlobPuts += times * float64(d.BlobPuts)
	o.Seconds += times * float64(d.Millis) / 1000
}

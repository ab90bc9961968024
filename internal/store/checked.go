package store

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/table"
)

// Checks answers when a feed was last polled, although an unchanged poll writes nothing: it is the
// latest of the off-turn claim in its row, the owner's last crawl of everything, and the last turn
// whose run left its row. What is found of a run is remembered, since it never changes.
type Checks struct {
	t      *table.Table
	leases *Leases
	runs   *Runs
	clock  clock.Clock

	mu    sync.Mutex
	ended map[runKeyOf]ending
	allAt map[int]allAt
}

type runKeyOf struct {
	tick schedule.Tick
	part int
}

// ending is when a run was over, zero when it left no row; that is believed for a while only, for the
// row of a lost run is written by the next one.
type ending struct {
	at      time.Time
	believe time.Time // zero: for good
}

type allAt struct {
	at   int64
	read time.Time
}

const (
	maxChecks = 4096
	// allMemory is how long a part's last crawl of everything is believed.
	allMemory = 10 * time.Second
	// absentMemory is how long the absence of a run's row is believed.
	absentMemory = time.Minute
)

func newChecks(t *table.Table, l *Leases, r *Runs, c clock.Clock) *Checks {
	return &Checks{t: t, leases: l, runs: r, clock: c, ended: map[runKeyOf]ending{}, allAt: map[int]allAt{}}
}

// PolledFeed is a feed with the part of hosts that polls it.
type PolledFeed struct {
	*FeedRow
	Part int
}

// Prepare reads at once what Last needs of several feeds: one round trip instead of one for each tick
// that they had their turns in.
func (c *Checks) Prepare(ctx context.Context, feeds []PolledFeed) error {
	now := c.clock.Now()
	wanted := map[table.Key]runKeyOf{}
	for _, f := range feeds {
		k := runKeyOf{c.turn(f.FeedRow, now), f.Part}
		if _, ok := c.remembered(k, now); !ok && k.tick > 0 && !f.Fresh() {
			wanted[runKey(k.tick, k.part, "")] = k
		}
	}
	if len(wanted) < 2 {
		return nil
	}
	keys := make([]table.Key, 0, len(wanted))
	for k := range wanted {
		keys = append(keys, k)
	}
	err := c.t.BatchGetRows(ctx, keys, func(row table.Row) error {
		var r RunRow
		if err := row.Decode(&r); err != nil {
			return err
		}
		key := table.Key{PK: r.PK, SK: r.SK}
		c.remember(wanted[key], ending{at: r.ended()})
		delete(wanted, key)
		return nil
	})
	for _, k := range wanted {
		if err == nil {
			c.remember(k, ending{believe: now.Add(absentMemory)})
		}
	}
	return err
}

// Last gives the time; zero when the feed was never polled.
func (c *Checks) Last(ctx context.Context, f *FeedRow, part int) (time.Time, error) {
	if f.Fresh() {
		return time.Time{}, nil
	}
	var last time.Time
	if f.Polled > 0 {
		last = time.Unix(f.Polled, 0).UTC()
	}
	all, err := c.all(ctx, part)
	if err != nil {
		return last, err
	}
	if at := time.Unix(all, 0).UTC(); all > 0 && at.After(last) {
		last = at
	}
	turn := c.turn(f, c.clock.Now())
	if turn <= 0 || turn.Start().Before(last) {
		return last, nil
	}
	end, err := c.run(ctx, runKeyOf{turn, part})
	if err != nil {
		return last, err
	}
	if end.After(last) {
		last = end
	}
	return last, nil
}

// turn is the feed's last turn.
func (c *Checks) turn(f *FeedRow, now time.Time) schedule.Tick {
	return f.Turns().LastTurn(schedule.TickOf(now))
}

func (c *Checks) all(ctx context.Context, part int) (int64, error) {
	now := c.clock.Now()
	c.mu.Lock()
	a, ok := c.allAt[part]
	c.mu.Unlock()
	if d := now.Sub(a.read); ok && d >= 0 && d < allMemory {
		return a.at, nil
	}
	lease, err := c.leases.Get(ctx, part)
	if err != nil {
		return 0, err
	}
	c.mu.Lock()
	c.allAt[part] = allAt{lease.AllAt, now}
	c.mu.Unlock()
	return lease.AllAt, nil
}

// run gives when the scheduled run of a tick ended; zero when it left no row.
func (c *Checks) run(ctx context.Context, k runKeyOf) (time.Time, error) {
	now := c.clock.Now()
	if at, ok := c.remembered(k, now); ok {
		return at, nil
	}
	row, err := c.runs.Get(ctx, k.tick, k.part)
	switch {
	case fault.Is(err, fault.NotFound):
		c.remember(k, ending{believe: now.Add(absentMemory)})
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	}
	c.remember(k, ending{at: row.ended()})
	return row.ended(), nil
}

func (c *Checks) remembered(k runKeyOf, now time.Time) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.ended[k]
	return e.at, ok && (e.believe.IsZero() || now.Before(e.believe))
}

func (c *Checks) remember(k runKeyOf, e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ended) >= maxChecks {
		clear(c.ended)
	}
	c.ended[k] = e
}

// ended is when the run was over. A lost one may have polled: it counts, at its latest.
func (r *RunRow) ended() time.Time {
	if r.State == RunLost {
		return schedule.Tick(r.Tick).Spent()
	}
	return time.UnixMilli(r.Started + r.Millis).UTC()
}

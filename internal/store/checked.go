package store

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Checks answers when a feed was last polled, although an unchanged poll writes nothing: it is the
// latest of the off-turn claim in its row, the owner's last crawl of everything, and the last turn
// whose run left its row. What is found of a run is remembered, since it never changes.
type Checks struct {
	leases *Leases
	runs   *Runs
	clock  clock.Clock

	mu    sync.Mutex
	ended map[runKeyOf]time.Time
	allAt map[int]allAt
}

type runKeyOf struct {
	tick schedule.Tick
	part int
}

type allAt struct {
	at   int64
	read time.Time
}

const (
	maxChecks = 4096
	// allMemory is how long a part's last crawl of everything is believed.
	allMemory = 10 * time.Second
)

func newChecks(l *Leases, r *Runs, c clock.Clock) *Checks {
	return &Checks{leases: l, runs: r, clock: c, ended: map[runKeyOf]time.Time{}, allAt: map[int]allAt{}}
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
	turn := f.Turns().LastTurn(schedule.TickOf(c.clock.Now()))
	if turn <= 0 || turn.Start().Before(last) {
		return last, nil
	}
	end, err := c.run(ctx, turn, part)
	if err != nil {
		return last, err
	}
	if end.After(last) {
		last = end
	}
	return last, nil
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

// run gives when the scheduled run of a tick ended; zero when it left no row. A lost run may have
// polled: it counts, at its latest.
func (c *Checks) run(ctx context.Context, t schedule.Tick, part int) (time.Time, error) {
	k := runKeyOf{t, part}
	c.mu.Lock()
	end, ok := c.ended[k]
	c.mu.Unlock()
	if ok {
		return end, nil
	}
	row, err := c.runs.Get(ctx, t, part)
	switch {
	case fault.Is(err, fault.NotFound):
		if c.clock.Now().Before(t.Start().Add(schedule.TickLength)) {
			return time.Time{}, nil // it may still be running: not remembered
		}
	case err != nil:
		return time.Time{}, err
	case row.State == RunLost:
		end = t.Start().Add(schedule.EndWindow)
	default:
		end = time.UnixMilli(row.Started + row.Millis).UTC()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ended) >= maxChecks {
		clear(c.ended)
	}
	c.ended[k] = end
	return end, nil
}

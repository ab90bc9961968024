package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Checks computes when a feed was last polled, since unchanged polls write nothing: the latest of the off-turn claim in
// its row, the owner's crawl of everything, requested runs, and the last turn whose run left a row.
type Checks struct {
	t      *table.Table
	leases *Leases
	runs   *Runs
	clock  clock.Clock

	mu       sync.Mutex
	ended    map[runKeyOf]ending
	parts    map[int]partMemory
	reading  map[int]*sync.Mutex // by part: parts of a list that are made at the same time read a row once
	revision uint64              // counts the changes that leases showed
}

// Check says when a feed was last polled.
type Check struct {
	At      time.Time // zero: never
	OffTurn time.Time // the last poll that was not one of the feed's turns
	// Until is when to look again for a run without a row. Zero: the answer holds for this tick and Revision.
	Until time.Time
}

type runKeyOf struct {
	tick schedule.Tick
	part int
}

// ending is the end of a run, zero without a row. Absence is cached briefly, as the next run writes a lost one's row.
type ending struct {
	at      time.Time
	believe time.Time // until then; zero: for ever
}

// partMemory caches a part's lease: the owner's last crawl of everything, and the feeds that were polled on request.
type partMemory struct {
	allAt int64
	names []string
	asked PolledFeeds
	read  time.Time
	marks uint64 // of Leases then
}

const (
	maxChecks = 4096
	// A lease is cached for leaseMemory.
	leaseMemory = 10 * time.Second
	// The absence of a run's row is cached for absentMemory.
	absentMemory = time.Minute
)

func newChecks(t *table.Table, l *Leases, r *Runs, c clock.Clock) *Checks {
	return &Checks{t: t, leases: l, runs: r, clock: c, ended: map[runKeyOf]ending{}, parts: map[int]partMemory{},
		reading: map[int]*sync.Mutex{}}
}

// PolledFeed is a feed with the part of hosts that polls it.
type PolledFeed struct {
	*FeedRow
	Part int
}

// Prepare reads the rows that Last needs for several feeds in one batch, instead of one row for each tick.
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
	found, err := batch[RunRow](ctx, c.t, slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	for _, r := range found {
		c.remember(wanted[r.key()], ending{at: r.ended()})
		delete(wanted, r.key())
	}
	for _, k := range wanted {
		c.remember(k, ending{believe: now.Add(absentMemory)})
	}
	return nil
}

// Last returns the time; zero when the feed was never polled.
func (c *Checks) Last(ctx context.Context, f *FeedRow, part int) (time.Time, error) {
	last, err := c.Check(ctx, f, part)
	return last.At, err
}

// Check returns the time, and how long the answer holds.
func (c *Checks) Check(ctx context.Context, f *FeedRow, part int) (last Check, err error) {
	if f.Fresh() {
		return last, nil
	}
	if f.Polled > 0 {
		last.OffTurn = time.Unix(f.Polled, 0).UTC()
	}
	p, err := c.part(ctx, part)
	if err != nil {
		return last, err
	}
	if at := time.Unix(p.allAt, 0).UTC(); p.allAt > 0 && at.After(last.OffTurn) {
		last.OffTurn = at
	}
	if at := p.asked[f.ID()]; at.After(last.OffTurn) {
		last.OffTurn = at
	}
	last.At = last.OffTurn
	turn := c.turn(f, c.clock.Now())
	if turn <= 0 || turn.Start().Before(last.At) {
		return last, nil
	}
	end, err := c.run(ctx, runKeyOf{turn, part})
	if err != nil {
		return last, err
	}
	if end.at.After(last.At) {
		last.At = end.at
	}
	last.Until = end.believe
	return last, nil
}

// Revision changes when the leases that Check uses show new off-turn polls. It reads leases again after some seconds.
func (c *Checks) Revision(ctx context.Context) (uint64, error) {
	c.mu.Lock()
	parts := slices.Collect(maps.Keys(c.parts))
	c.mu.Unlock()
	for _, p := range parts {
		if _, err := c.part(ctx, p); err != nil {
			return 0, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision, nil
}

// turn is the feed's last turn.
func (c *Checks) turn(f *FeedRow, now time.Time) schedule.Tick {
	return f.Turns().LastTurn(schedule.TickOf(now))
}

func (c *Checks) part(ctx context.Context, part int) (partMemory, error) {
	now := c.clock.Now()
	p, _, isNew := c.partNow(part, now)
	if isNew {
		return p, nil
	}
	defer c.alone(part)()
	p, known, isNew := c.partNow(part, now)
	if isNew {
		return p, nil
	}
	marks := c.leases.marks.Load()
	lease, err := c.leases.Get(ctx, part)
	if err != nil {
		return p, err
	}
	renamed := !slices.Equal(lease.Asked, p.names)
	if renamed {
		if p.asked, err = c.runs.Asked(ctx, part, lease.Asked); err != nil {
			return p, err
		}
	}
	next := partMemory{lease.AllAt, lease.Asked, p.asked, now, marks}
	c.mu.Lock()
	if known && (next.allAt != p.allAt || renamed) {
		c.revision++
	}
	c.parts[part] = next
	c.mu.Unlock()
	return next, nil
}

// partNow returns the cached lease of a part, whether there is one, and whether it is recent.
func (c *Checks) partNow(part int, now time.Time) (p partMemory, known, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, known = c.parts[part]
	d := now.Sub(p.read)
	return p, known, known && d >= 0 && d < leaseMemory && p.marks == c.leases.marks.Load()
}

// alone locks the reading of a part's rows; the caller calls the returned function when it has read them.
func (c *Checks) alone(part int) (done func()) {
	c.mu.Lock()
	m := c.reading[part]
	if m == nil {
		m = &sync.Mutex{}
		c.reading[part] = m
	}
	c.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// run returns when the scheduled run of a tick ended.
func (c *Checks) run(ctx context.Context, k runKeyOf) (ending, error) {
	now := c.clock.Now()
	if e, ok := c.remembered(k, now); ok {
		return e, nil
	}
	defer c.alone(k.part)()
	if e, ok := c.remembered(k, now); ok {
		return e, nil
	}
	var e ending
	row, err := c.runs.Get(ctx, k.tick, k.part)
	switch {
	case fault.Is(err, fault.NotFound):
		e.believe = now.Add(absentMemory)
	case err != nil:
		return e, err
	default:
		e.at = row.ended()
	}
	c.remember(k, e)
	return e, nil
}

func (c *Checks) remembered(k runKeyOf, now time.Time) (ending, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.ended[k]
	return e, ok && (e.believe.IsZero() || now.Before(e.believe))
}

func (c *Checks) remember(k runKeyOf, e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ended) >= maxChecks {
		clear(c.ended)
	}
	c.ended[k] = e
}

// ended returns when the run ended. A lost one may have polled until its deadline.
func (r *RunRow) ended() time.Time {
	if r.State == RunLost {
		return schedule.Tick(r.Tick).Spent()
	}
	return time.UnixMilli(r.Started + r.Millis).UTC()
}

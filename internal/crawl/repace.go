package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Repace changes the plan in a row that is about to be stored with another interval of its subscribers, so that the
// interval applies at once: the next poll is at least that long after the last.
func (c *Crawler) Repace(ctx context.Context, f *store.FeedRow) error {
	in := inputs(f.Turns(), f, c.clock.Now())
	var err error
	if in.Slow, err = c.slow(ctx); err != nil {
		return err
	}
	period, why := schedule.Pace(in)
	if f.Fresh() || period == f.Period {
		return nil
	}
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	p, err := c.past(ctx, partOf(f, job.Parts(c.o.Parts, n)))
	if err != nil {
		return err
	}
	last, err := p.last(ctx, f, schedule.Deadline)
	if err != nil || last.IsZero() {
		return err
	}
	plan, now := f.Turns(), c.clock.Now()
	if f.Errors == 0 && f.NotBefore <= now.Unix() {
		// The first turn was moved only to spread an import.
		plan.First = min(plan.First, schedule.TickOf(last))
	}
	plan = plan.Repace(schedule.TickOf(last), schedule.TickOf(now), period)
	f.First, f.Period, f.Why = int32(plan.First), plan.Period, why
	// A plan whose first turn moved does not contain earlier turns.
	f.Polled = max(f.Polled, last.Add(-schedule.Deadline).Unix())
	return nil
}

package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Repaced gives what changes of a feed's plan when its subscribers ask for another interval, for the row as it is to
// be: the wish holds at once, and not from the poll after the next on. Nil when nothing changes. The next poll is
// never nearer to the last than the new interval.
func (c *Crawler) Repaced(ctx context.Context, f *store.FeedRow) (store.Patch, error) {
	period, why := schedule.Pace((&run{c: c}).inputs(task{row: f}, f))
	if f.Fresh() || period == f.Period {
		return nil, nil
	}
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	p, err := c.past(ctx, partOf(f, job.Parts(c.o.Parts, n)))
	if err != nil {
		return nil, err
	}
	last, err := p.last(ctx, f, schedule.Deadline)
	if err != nil || last.IsZero() {
		return nil, err
	}
	plan, now := f.Turns(), c.clock.Now()
	if f.Errors == 0 && f.NotBefore <= now.Unix() {
		// Nobody pushed the first turn out but we ourselves, to spread an import: that need not hold.
		plan.First = min(plan.First, schedule.TickOf(last))
	}
	plan = plan.Repace(schedule.TickOf(last), schedule.TickOf(now), period)
	// A plan whose first turn moved has forgotten the turns before: they are noted in the row.
	return store.Patch{
		"first": int32(plan.First), "period": plan.Period, "why": why,
		"polled": max(f.Polled, last.Add(-schedule.Deadline).Unix()),
	}, nil
}

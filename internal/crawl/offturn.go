package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// offTurn polls feeds outside the wheel: first crawls, and refreshes that a person asked for. It holds
// the part's lease without a tick, so that a host never meets two crawlers.
func (c *Crawler) offTurn(ctx context.Context, j job.Job) (Report, error) {
	if j.Kind == job.Refresh && j.List != "" {
		return c.requested(ctx, j)
	}
	kind := store.RunFirst
	if j.Kind == job.Refresh {
		kind = store.RunRefresh
	}
	r := c.newRun(ctx, kind, schedule.TickOf(c.clock.Now()))
	ctx = table.WithMeter(ctx, r.meter)
	mine, err := r.take(ctx, j.Part)
	if err != nil {
		return Report{}, err
	}
	defer c.release(ctx, j.Part, &mine)
	r.tick = schedule.TickOf(r.started)
	lease, err := c.store.Leases.Get(ctx, j.Part)
	if err != nil {
		return Report{}, err
	}
	r.know(lease)
	tasks, err := r.wished(ctx, j)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	r.passOn(ctx, j.Part, 1)
	return r.report, r.finish(ctx, j.Part, store.JobName(kind, r.started))
}

// take waits for the part and holds it. The run begins when it has the part; its deadline includes the wait.
func (r *run) take(ctx context.Context, part int) (mine time.Time, err error) {
	r.deadline = r.started.Add(r.c.o.Deadline)
	err = r.c.await(ctx, part, func() (err error) {
		r.started = r.c.clock.Now()
		mine, err = r.c.hold(ctx, part, r.started)
		return err
	})
	return mine, err
}

// hold takes a part's lease. A hold whose scheduled run has already left its row is over, although it
// has not lapsed: it is taken over, so that a person need not wait two minutes after each tick.
func (c *Crawler) hold(ctx context.Context, part int, now time.Time) (time.Time, error) {
	until := c.until(now)
	err := c.store.Leases.Take(ctx, part, now, until)
	if !fault.Is(err, fault.Conflict) {
		return until, err
	}
	lease, err := c.store.Leases.Get(ctx, part)
	if err != nil {
		return until, err
	}
	run, err := c.store.Runs.Get(ctx, schedule.Tick(lease.Tick), part)
	if fault.Is(err, fault.NotFound) {
		return until, ErrBusy
	}
	if err != nil {
		return until, err
	}
	if c.until(time.UnixMilli(run.Started)).UnixMilli() != lease.Until {
		return until, ErrBusy // held by somebody else since
	}
	err = c.store.Leases.TakeOver(ctx, part, lease.Until, until)
	if fault.Is(err, fault.Conflict) {
		return until, ErrBusy
	}
	return until, err
}

// release lets go of a part, unless that is done already.
func (c *Crawler) release(ctx context.Context, part int, mine *time.Time) {
	if mine.IsZero() {
		return
	}
	defer c.waiters.wake()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := c.store.Leases.Release(ctx, part, *mine); err != nil {
		c.o.Log.Warn("a lease was not released; it lapses by itself", "part", part, "error", err)
	}
}

// wished loads the feeds of an off-turn message and claims those to be refreshed by moving them. A first crawl that
// somebody else began is left alone; a refresh that comes too soon is refused.
func (r *run) wished(ctx context.Context, j job.Job) ([]task, error) {
	var rows []*store.FeedRow
	err := r.c.store.Feeds.Load(ctx, j.Feeds, func(f *store.FeedRow) error {
		rows = append(rows, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var past *past
	if j.Kind == job.Refresh {
		if past, err = r.c.past(ctx, j.Part); err != nil {
			return nil, err
		}
	}
	var tasks []task
	for _, f := range rows {
		skip := ""
		switch {
		case !f.Live():
			skip = "not_live"
		case j.Kind == job.First && !f.Fresh():
			skip = "already_crawled"
		case j.Kind == job.First && !r.quietUntil(f).IsZero():
			skip = "too_soon" // the next tick that may takes it up
		case j.Kind == job.Refresh:
			at, err := past.refreshAt(ctx, f)
			if err != nil {
				return nil, err
			}
			if at.After(r.started) {
				skip = "too_soon"
			}
		}
		if skip != "" {
			r.skip(f, skip)
			continue
		}
		if j.Kind == job.First {
			// Claimed each in its turn: when this process is killed, those that it had not come to are still to do.
			tasks = append(tasks, task{row: f, unclaimed: true})
			continue
		}
		if tasks, err = r.claimInto(ctx, tasks, f); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// First crawls feeds of one part that nobody has crawled.
func (c *Crawler) First(ctx context.Context, j job.Job) error {
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	_, err = c.Run(ctx, j, job.Parts(c.o.Parts, n))
	return err
}

package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// offTurn polls feeds outside the schedule: first crawls, and refreshes by users. It holds the part's lease without a
// tick, so that a host never meets two crawlers.
func (c *Crawler) offTurn(ctx context.Context, j job.Job, parts int) (Report, error) {
	if j.Kind == job.Refresh && j.List != "" {
		return c.requested(ctx, j, parts)
	}
	kind := store.RunFirst
	if j.Kind == job.Refresh {
		kind = store.RunRefresh
	}
	ctx, r := c.newRun(ctx, kind, schedule.TickOf(c.clock.Now()))
	mine, err := r.take(ctx, j.Part, parts)
	if err != nil {
		return Report{}, err
	}
	defer c.release(ctx, j.Part, &mine)
	r.tick = schedule.TickOf(r.started)
	past, err := c.past(ctx, j.Part)
	if err != nil {
		return Report{}, err
	}
	tasks, err := r.offTurnTasks(ctx, j, past, parts)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	return r.report, r.finish(ctx, j.Part, 1, store.JobName(kind, r.started))
}

// take waits for the part and holds it. The run begins when it has the part; its deadline includes the wait.
func (r *run) take(ctx context.Context, part, parts int) (mine time.Time, err error) {
	r.deadline = r.started.Add(r.c.o.Deadline)
	err = r.c.await(ctx, part, func() (err error) {
		r.started = r.c.clock.Now()
		mine, err = r.c.holdAlone(ctx, part, parts, r.started)
		return err
	})
	return mine, err
}

// hold takes a part's lease. The lease of a scheduled run that has already written its row is taken over, although it
// has not expired, so that users need not wait two minutes after each tick.
func (c *Crawler) hold(ctx context.Context, part, parts int, now time.Time) (lease store.LeaseRow,
	until time.Time, err error) {
	until = c.until(now)
	lease, err = c.store.Leases.Take(ctx, part, parts, now, until)
	if fault.Is(err, fault.Conflict) {
		lease, err = c.takeOver(ctx, part, parts, until)
	}
	return lease, until, err
}

// holdAlone is hold for a part of so many, while no run of another number of parts has its hosts.
func (c *Crawler) holdAlone(ctx context.Context, part, parts int, now time.Time) (time.Time, error) {
	lease, until, err := c.hold(ctx, part, parts, now)
	if err != nil || int(lease.Parts) == parts {
		return until, err
	}
	if err = c.awaitOthers(ctx, part, int(lease.Parts), parts, now); err != nil {
		c.drop(ctx, part, until) // without waking those who wait, this run among them: it would try again at once
	}
	return until, err
}

func (c *Crawler) takeOver(ctx context.Context, part, parts int, until time.Time) (store.LeaseRow, error) {
	lease, err := c.store.Leases.Get(ctx, part)
	if err != nil {
		return lease, err
	}
	isOver, err := c.isOver(ctx, part, lease)
	if err != nil {
		return lease, err
	}
	if !isOver {
		return lease, ErrBusy
	}
	err = c.store.Leases.TakeOver(ctx, part, parts, lease.Until, until)
	if fault.Is(err, fault.Conflict) {
		return lease, ErrBusy
	}
	return lease, err
}

// release releases a part, unless mine is zero.
func (c *Crawler) release(ctx context.Context, part int, mine *time.Time) {
	if mine.IsZero() {
		return
	}
	defer c.waiters.wake()
	c.drop(ctx, part, *mine)
}

// drop gives a part's lease back.
func (c *Crawler) drop(ctx context.Context, part int, mine time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := c.store.Leases.Release(ctx, part, mine); err != nil {
		c.o.Log.Warn("a lease was not released; it lapses by itself", "part", part, "error", err)
	}
}

// offTurnTasks loads the feeds of an off-turn message and keeps those that may be polled now. Feeds are claimed when
// they are reached, so that after a crash the others are still to be polled. The feeds of a requested list keep their
// turns; only those that were never polled, or that have a long hint, are claimed.
func (r *run) offTurnTasks(ctx context.Context, j job.Job, past *past, parts int) ([]task, error) {
	r.addHostWaits(past.lease)
	rows, err := r.c.load(ctx, j.Feeds)
	if err != nil {
		return nil, err
	}
	var tasks []task
	moved := map[reader.FeedID]string{}
	for _, f := range rows {
		at, err := past.refreshAt(ctx, f)
		switch {
		case err != nil:
			return nil, err
		case !f.Live():
			r.skip(f, "not_live")
		case partOf(f, parts) != j.Part:
			r.skip(f, "moved") // to a host that another lease guards
			if !r.requested {
				moved[f.ID()] = f.URL
			}
		case j.Kind == job.First && !f.Fresh():
			r.skip(f, "already_crawled")
		case at.After(r.started):
			r.skip(f, "too_soon") // a first crawl is made up for in a later tick
		default:
			tasks = append(tasks, newTask(f, !r.requested || f.Fresh() || hintOf(f) > longHint))
		}
	}
	return tasks, r.sendOn(ctx, j.Kind, moved, parts)
}

// First crawls feeds of one part that were never polled.
func (c *Crawler) First(ctx context.Context, j job.Job) error {
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	_, err = c.Run(ctx, j, job.Parts(c.o.Parts, n))
	return err
}

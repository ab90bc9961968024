package crawl

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// ErrBusy means that another run holds the part: retry after BusyRetry.
var ErrBusy = fault.New(fault.Unavailable, "part_busy", "crawl", nil)

// BusyRetry is the pause after ErrBusy.
const BusyRetry = 30 * time.Second

// Run handles one message. parts is the current number of parts of the hosts.
func (c *Crawler) Run(ctx context.Context, j job.Job, parts int) (Report, error) {
	if j.Kind == job.Scheduled {
		return c.scheduled(ctx, j, parts)
	}
	return c.offTurn(ctx, j, parts)
}

// scheduled polls one part in one tick. A duplicate never polls, because a tick is claimed only once.
func (c *Crawler) scheduled(ctx context.Context, j job.Job, parts int) (Report, error) {
	ctx, r := c.newRun(ctx, store.RunScheduled, j.Tick)
	r.deadline = r.started.Add(c.o.Deadline) // waiting for the part included
	var old store.LeaseRow
	var dropped string
	err := c.await(ctx, j.Part, func() (err error) {
		r.started = c.clock.Now()
		old, dropped, err = c.claimTick(ctx, j, cmp.Or(j.Parts, parts), r.started)
		return err
	})
	if err != nil || dropped != "" {
		return Report{Dropped: dropped}, err
	}
	defer c.waiters.wake() // the lease stays, but the run's row shows that it has ended
	r.addHostWaits(old)
	if old.Tick > 0 {
		// With the number of parts at that time: under another number the part had other feeds.
		if err := c.closeLostRun(ctx, j.Part, cmp.Or(int(old.Parts), parts), schedule.Tick(old.Tick),
			j.Tick); err != nil {
			return Report{}, err
		}
	}
	if schedule.Tick(old.Tick) < j.Since {
		// The lease is of another number of parts: it does not say what these feeds missed, nor when all were crawled.
		old.Tick = 0
		first, err := c.store.Leases.Get(ctx, 0)
		if err != nil {
			return Report{}, err
		}
		old.AllAt = max(old.AllAt, first.AllAt)
	}
	tasks, err := r.scheduledTasks(ctx, j, old, parts)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	return r.report, r.finish(ctx, j.Part, 1, "")
}

// claimTick takes the part for the message's tick and returns the lease as it was before. dropped is the reason why the
// message is not to be handled. ErrBusy when another run holds the part.
func (c *Crawler) claimTick(ctx context.Context, j job.Job, parts int, now time.Time) (old store.LeaseRow,
	dropped string, err error) {
	if !j.Tick.MayStart(now) {
		return old, "stale", nil
	}
	if j.Tick <= j.Since+1 { // there are so many parts only now
		was, err := c.store.Leases.Get(ctx, j.Part)
		if err == nil {
			err = c.awaitOthers(ctx, j.Part, int(was.Parts), parts, now)
		}
		if err != nil {
			return old, "", err
		}
	}
	old, err = c.store.Leases.ClaimTick(ctx, j.Part, parts, j.Since, j.Tick, now, c.until(now))
	if !fault.Is(err, fault.Conflict) {
		return old, "", err
	}
	lease, err := c.store.Leases.Get(ctx, j.Part)
	switch {
	case err != nil:
		return old, "", err
	case lease.Tick < int32(j.Tick):
		return old, "", ErrBusy
	case lease.Tick > int32(schedule.TickOf(now)):
		// Nothing is polled until the clock has caught up, so that intervals are kept.
		c.o.Log.Error("the clock went back", "part", j.Part, "tick", int(j.Tick), "claimed", int(lease.Tick))
	}
	return old, "duplicate", nil
}

// scheduledTasks loads the feeds of a scheduled message and keeps those that are still to be polled. The turns are
// decided again from the current rows and the tick that the part claimed before, because the message may be old: a feed
// may have been polled, moved or stopped since.
func (r *run) scheduledTasks(ctx context.Context, j job.Job, old store.LeaseRow, parts int) ([]task, error) {
	asked, err := r.c.store.Runs.Asked(ctx, j.Part, old.Asked)
	if err != nil {
		return nil, err
	}
	rows, err := r.c.load(ctx, slices.Concat(j.Feeds, j.Late))
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, f := range rows {
		switch turn := job.TurnOf(f.Turns(), f.Fresh(), schedule.Tick(old.Tick), j.Tick); {
		case f.HalfMerged():
			r.resumeMerge(ctx, f)
		case !f.HasTurns():
			r.skip(f, "not_live")
		case partOf(f, parts) != j.Part:
			r.skip(f, "moved") // to a host that another lease guards
		case r.barred(f, old.AllAt), r.askedLately(f, asked):
			r.skip(f, "too_soon")
		case turn == job.NoTurn:
			r.skip(f, "moved")
		case turn == job.Late && f.Fresh() && !r.waitUntil(f).IsZero():
			r.skip(f, "too_soon") // late in each tick until it is polled
		default:
			tasks = append(tasks, newTask(f, turn == job.Late))
		}
	}
	return tasks, nil
}

// load reads feeds; those that do not exist are left out.
func (c *Crawler) load(ctx context.Context, ids []reader.FeedID) (rows []*store.FeedRow, err error) {
	err = c.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		rows = append(rows, f)
		return nil
	})
	return rows, err
}

func (r *run) resumeMerge(ctx context.Context, f *store.FeedRow) {
	o := outcome(f, reader.OutcomeSkipped)
	o.Err = "merged"
	if r.c.o.Mover != nil {
		if err := r.c.o.Mover.MoveFeed(ctx, f, f.MovedTo); err != nil {
			r.storageFailed(err, &o)
		}
	}
	r.note(o)
}

// skip notes a feed that is not polled, and why.
func (r *run) skip(f *store.FeedRow, why string) {
	o := outcome(f, reader.OutcomeSkipped)
	o.Err = why
	r.note(o)
}

// barred reports whether a publisher's Retry-After has not passed, or the owner's crawl of everything was less than the
// feed's interval ago.
func (r *run) barred(f *store.FeedRow, allAt int64) bool {
	return f.NotBefore > r.started.Unix() ||
		allAt > 0 && r.started.Before(allSpent(allAt).Add(schedule.IntervalOf(f.Period)))
}

// A first crawl that died is repeated after firstRetry ticks: it may have reached the publisher, so the default
// interval applies.
const firstRetry = schedule.Tick(schedule.DefaultInterval/schedule.TickLength) + 1

// claimOffTurn moves a feed's next turn before it is polled; nil when another run did so first. A first crawl that dies
// is repeated in an hour: the one exception to the rule that a feed gets one unconditional request.
func (r *run) claimOffTurn(ctx context.Context, f *store.FeedRow) (*store.FeedRow, error) {
	// Not the current tick: near its end the request is sent in the next one, and a turn counted from this one would
	// come too early. Not the start of the run either, because a crawl of everything takes long.
	now := r.c.clock.Now()
	t := schedule.ClaimTick(now)
	next := schedule.OffTurn(t, f.Period)
	if f.Fresh() {
		next = t + firstRetry
	}
	row, err := r.c.store.Feeds.ClaimOffTurn(ctx, f, next, now)
	if fault.Is(err, fault.Conflict) {
		r.skip(f, "claimed_elsewhere")
		return nil, nil
	}
	return row, err
}

package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/table"
)

// ErrBusy means that another run holds the part: try again in half a minute.
var ErrBusy = fault.New(fault.Unavailable, "part_busy", "crawl", nil)

// BusyRetry is when to try again after ErrBusy.
const BusyRetry = 30 * time.Second

// Run works through one message.
func (c *Crawler) Run(ctx context.Context, j job.Job, parts int) (Report, error) {
	if j.Kind == job.Scheduled {
		return c.scheduled(ctx, j, parts)
	}
	return c.offTurn(ctx, j)
}

// scheduled runs one part's turn in one tick. A duplicate never polls: the lease lets a tick pass once.
func (c *Crawler) scheduled(ctx context.Context, j job.Job, parts int) (Report, error) {
	r := c.newRun(ctx, store.RunScheduled, j.Tick)
	ctx = table.WithMeter(ctx, r.meter)
	if !j.Tick.MayStart(r.started) {
		return Report{Dropped: "stale"}, nil
	}
	old, err := c.store.Leases.ClaimTick(ctx, j.Part, j.Tick, r.started, c.until(r.started))
	if fault.Is(err, fault.Conflict) {
		lease, err := c.store.Leases.Get(ctx, j.Part)
		if err != nil {
			return Report{}, err
		}
		if lease.Tick >= int32(j.Tick) {
			if lease.Tick > int32(schedule.TickOf(r.started)) {
				// Nothing is polled until time has caught up, or a gap promised before would not be kept.
				c.o.Log.Error("the clock went back", "part", j.Part, "tick", int(j.Tick), "claimed", int(lease.Tick))
			}
			return Report{Dropped: "duplicate"}, nil
		}
		return Report{}, ErrBusy
	}
	if err != nil {
		return Report{}, err
	}
	if old.Tick > 0 {
		if err := c.lost(ctx, j.Part, parts, schedule.Tick(old.Tick), j.Tick); err != nil {
			return Report{}, err
		}
	}
	r.deadline = r.started.Add(c.o.Deadline)
	tasks, err := r.claimed(ctx, j, old, parts)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	return r.report, r.finish(ctx, j.Part, "")
}

// claimed loads the feeds of a scheduled message and keeps those that are still to be polled. Rows are
// read now, and whose turn it is is asked again with them and with the tick that the part claimed before:
// what a message says is as old as the queue, and a feed may have been polled, moved or stopped since.
func (r *run) claimed(ctx context.Context, j job.Job, old store.LeaseRow, parts int) ([]task, error) {
	ids := slices.Concat(j.Feeds, j.Late)
	asked, err := r.c.store.Runs.Asked(ctx, j.Part, old.Asked)
	if err != nil {
		return nil, err
	}
	var tasks []task
	var claims, merges []*store.FeedRow
	err = r.c.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		switch turn := job.TurnOf(f.Turns(), f.Fresh(), schedule.Tick(old.Tick), j.Tick); {
		case halfMerged(f):
			merges = append(merges, f)
		case !f.Live():
			r.skip(f, "not_live")
		case partOf(f, parts) != j.Part:
			r.skip(f, "moved") // to a host that another lease guards
		case r.barred(f, old.AllAt), r.askedLately(f, asked):
			r.skip(f, "too_soon")
		case turn == job.Late:
			claims = append(claims, f)
		case turn == job.OnTurn:
			tasks = append(tasks, task{row: f})
		default:
			r.skip(f, "moved")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range claims {
		if tasks, err = r.claimInto(ctx, tasks, f); err != nil {
			return nil, err
		}
	}
	for _, f := range merges {
		r.resumeMerge(ctx, f)
	}
	return tasks, nil
}

// halfMerged tells a feed whose merge into another was begun and broke off: its subscribers have to be
// carried over, or they would wait for ever at a feed that is not polled.
func halfMerged(f *store.FeedRow) bool { return f.MergedInto > 0 && f.Subs > 0 }

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

// barred reports that a publisher's Retry-After is still running, or that the owner's crawl of
// everything was within the feed's gap.
func (r *run) barred(f *store.FeedRow, allAt int64) bool {
	now := r.started.Unix()
	if f.NotBefore > now {
		return true
	}
	return allAt > 0 && r.started.Before(allSpent(allAt).Add(gap(f)))
}

// firstRetry is in how many ticks a first crawl that died is tried again: it may have reached the
// publisher, so not before the default interval is over.
const firstRetry = schedule.Tick(schedule.DefaultInterval/schedule.TickLength) + 1

// claimInto claims a feed off its turn and adds it to the tasks, unless somebody else moved it first.
func (r *run) claimInto(ctx context.Context, tasks []task, f *store.FeedRow) ([]task, error) {
	t, err := r.claimOffTurn(ctx, f)
	if t != nil {
		tasks = append(tasks, *t)
	}
	return tasks, err
}

// claimOffTurn moves the feed before it is polled; nil when somebody else moved it first. A first crawl
// that dies is tried again in an hour: the one documented exception to one unconditional request.
func (r *run) claimOffTurn(ctx context.Context, f *store.FeedRow) (*task, error) {
	// Not from the present tick: near its end the request goes out in the next, and a turn counted from
	// this one would come too early.
	t := schedule.ClaimTick(r.started)
	next := schedule.OffTurn(t, f.Period)
	if f.Fresh() {
		next = t + firstRetry
	}
	row, err := r.c.store.Feeds.ClaimOffTurn(ctx, f, next, r.started)
	if fault.Is(err, fault.Conflict) {
		r.skip(f, "claimed_elsewhere")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &task{row: row, offTurn: true}, nil
}

// gap is the least time between two polls of a feed: its interval, which a period exceeds by a tick.
func gap(f *store.FeedRow) time.Duration {
	return schedule.IntervalOf(f.Period)
}

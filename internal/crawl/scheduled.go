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
	"github.com/ruri-reader/ruri/internal/storage/table"
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
	defer c.waiters.wake() // the lease stays, but the run's row says that it is over
	r.know(old)
	if old.Tick > 0 {
		// By the parts of its own time: under another number the part had other feeds.
		if err := c.lost(ctx, j.Part, cmp.Or(int(old.Parts), parts), schedule.Tick(old.Tick), j.Tick); err != nil {
			return Report{}, err
		}
	}
	if schedule.Tick(old.Tick) < j.Since {
		// The lease is of another split of the hosts: it does not say what these feeds missed, nor when all were crawled.
		old.Tick = 0
		first, err := c.store.Leases.Get(ctx, 0)
		if err != nil {
			return Report{}, err
		}
		old.AllAt = max(old.AllAt, first.AllAt)
	}
	tasks, err := r.claimed(ctx, j, old, parts)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	r.passOn(ctx, j.Part, 1)
	return r.report, r.finish(ctx, j.Part, "")
}

// claimTick takes the part for the message's tick, or tells why that is not to be; ErrBusy when another has it. The
// lease as it was before comes back.
func (c *Crawler) claimTick(ctx context.Context, j job.Job, parts int, now time.Time) (old store.LeaseRow, dropped string, err error) {
	if !j.Tick.MayStart(now) {
		return old, "stale", nil
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
		// Nothing is polled until time has caught up, or a gap promised before would not be kept.
		c.o.Log.Error("the clock went back", "part", j.Part, "tick", int(j.Tick), "claimed", int(lease.Tick))
	}
	return old, "duplicate", nil
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
		case turn == job.Late && f.Fresh() && !r.quietUntil(f).IsZero():
			r.skip(f, "too_soon") // late in each tick until it is polled
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
		if until := r.quietUntil(f); !until.IsZero() {
			tasks = append(tasks, task{row: f}) // work puts it off
			continue
		}
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
	now := r.c.clock.Now() // a crawl of everything may have begun long ago
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
	if err != nil {
		return nil, err
	}
	return &task{row: row, offTurn: true}, nil
}

// gap is the least time between two polls of a feed: its interval, which a period exceeds by a tick.
func gap(f *store.FeedRow) time.Duration {
	return schedule.IntervalOf(f.Period)
}

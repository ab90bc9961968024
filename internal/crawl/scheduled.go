package crawl

import (
	"context"
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
	r := c.newRun(store.RunScheduled, j.Tick)
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
	tasks, err := r.claimed(ctx, j, old.AllAt)
	if err != nil {
		return Report{}, err
	}
	r.work(ctx, tasks)
	return r.report, r.finish(ctx, j.Part, "")
}

// claimed loads the feeds of a scheduled message and keeps those that are still to be polled. Rows are
// read now: what a message carries is as old as the queue.
func (r *run) claimed(ctx context.Context, j job.Job, allAt int64) ([]task, error) {
	late := make(map[reader.FeedID]bool, len(j.Late))
	for _, f := range j.Late {
		late[f] = true
	}
	ids := append(append([]reader.FeedID(nil), j.Feeds...), j.Late...)
	var tasks []task
	var claims []*store.FeedRow
	err := r.c.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		switch {
		case !f.Live():
			r.note(store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeSkipped), Err: "not_live"})
		case r.barred(f, allAt):
			r.note(store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeSkipped), Err: "too_soon"})
		case late[f.ID()] || f.Fresh():
			claims = append(claims, f)
		case f.Turns().HasTurn(j.Tick):
			tasks = append(tasks, task{row: f})
		default:
			r.note(store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeSkipped), Err: "moved"})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range claims {
		t, err := r.claimOffTurn(ctx, f)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tasks = append(tasks, *t)
		}
	}
	return tasks, nil
}

// barred reports that a publisher's Retry-After is still running, or that the owner's crawl of
// everything was within the feed's gap.
func (r *run) barred(f *store.FeedRow, allAt int64) bool {
	now := r.started.Unix()
	if f.NotBefore > now {
		return true
	}
	return allAt > 0 && now < allAt+int64(gap(f)/time.Second)
}

// firstRetry is in how many ticks a first crawl that died is tried again.
const firstRetry = 4

// claimOffTurn moves the feed before it is polled; nil when somebody else moved it first. A first crawl
// that dies is tried again in an hour: the one documented exception to one unconditional request.
func (r *run) claimOffTurn(ctx context.Context, f *store.FeedRow) (*task, error) {
	ahead := schedule.Tick(f.Period)
	if f.Fresh() {
		ahead = firstRetry
	}
	row, err := r.c.store.Feeds.ClaimOffTurn(ctx, f, schedule.TickOf(r.started)+ahead, r.started)
	if fault.Is(err, fault.Conflict) {
		r.note(store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeSkipped), Err: "claimed_elsewhere"})
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

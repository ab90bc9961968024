package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// requested polls the feeds of a list that a user refreshed. Nothing is written for a feed without news: the run's row
// lists who was polled, and the part's lease names that row. The row is written when the run begins, so that a message
// delivered twice polls once, and a few times after, so that the user sees the progress.
func (c *Crawler) requested(ctx context.Context, j job.Job, parts int) (Report, error) {
	at, ok := store.RefreshAt(j.List)
	if !ok {
		return Report{}, fault.New(fault.Invalid, "bad_message", "crawl: refresh", nil)
	}
	ctx, r := c.newRun(ctx, store.RunRefresh, schedule.TickOf(at))
	r.requested = true
	if r.started.Sub(at) > store.RefreshLife {
		return Report{Dropped: "stale"}, nil
	}
	mine, err := r.take(ctx, j.Part, parts)
	if err != nil {
		return Report{}, err
	}
	defer c.release(ctx, j.Part, &mine)
	row, err := r.row(j.Part, j.List, store.RunRunning)
	if err != nil {
		return Report{}, err
	}
	was, err := c.store.Runs.Begin(ctx, row)
	if fault.Is(err, fault.Conflict) {
		return Report{Dropped: "duplicate"}, c.closeDeadRun(ctx, was)
	}
	if err != nil {
		return Report{}, err
	}
	past, err := c.past(ctx, j.Part)
	if err != nil {
		return Report{}, err
	}
	tasks, err := r.offTurnTasks(ctx, j, past, parts)
	if err != nil {
		return Report{}, err
	}
	r.progress = r.progressWriter(ctx, j.Part, j.List)
	r.work(ctx, tasks)
	if err := r.finish(ctx, j.Part, 1, j.List); err != nil {
		return r.report, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = c.store.Leases.ReleaseAsked(ctx, j.Part, mine, past.lease.WithAsked(j.List, r.started))
	if err == nil {
		mine = time.Time{}
		c.waiters.wake()
	}
	return r.report, err
}

// closeDeadRun closes the row of a requested run whose process died: it does not run, since this delivery holds the
// part.
func (c *Crawler) closeDeadRun(ctx context.Context, was *store.RunRow) error {
	if was.State != store.RunRunning {
		return nil
	}
	was.State = store.RunLost
	return c.store.Runs.Put(ctx, was)
}

// longHint is the longest hint of a publisher for which the run's row alone remembers a requested poll
// (store.askedMemory is longer); the few feeds with longer hints are claimed.
const longHint = 6 * time.Hour

// hintOf returns for how long a publisher asks not to be polled again after an answer.
func hintOf(f *store.FeedRow) time.Duration {
	return min(time.Duration(max(f.MaxAge, f.TTL))*time.Second, schedule.MaxHint)
}

// A requested run writes its progress after firstProgress; each further pause is twice as long, so that a run of any
// size writes at most six times.
const firstProgress = time.Second

// progressWriter returns a function that writes the run's sums so far when they are due. Concurrent calls skip.
func (r *run) progressWriter(ctx context.Context, part int, name string) func() {
	ctx = context.WithoutCancel(ctx)
	var mu sync.Mutex
	pause := firstProgress
	due := r.started.Add(pause)
	return func() {
		if !mu.TryLock() {
			return
		}
		defer mu.Unlock()
		if r.c.clock.Now().Before(due) {
			return
		}
		pause *= 2
		due = r.c.clock.Now().Add(pause)
		row, err := r.row(part, name, store.RunRunning)
		if err == nil {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			err = r.c.store.Runs.Put(ctx, row)
		}
		if err != nil {
			r.c.o.Log.Warn("the progress of a refresh was not written", "part", part, "error", err)
		}
	}
}

// row returns the run's row with the sums so far, without outcomes.
func (r *run) row(part int, name, state string) (*store.RunRow, error) {
	r.mu.Lock()
	sums := r.report.RunSums
	sums.Due = len(r.report.Feeds)
	r.mu.Unlock()
	sums.Millis = r.c.clock.Now().Sub(r.started).Milliseconds()
	return store.NewRun(r.tick, part, name, r.kind, state, r.started, sums, nil)
}

// shortPeriod, in ticks, is the longest period with which a feed skips its turn after a requested poll.
const shortPeriod = 16

// askedLately reports whether a requested poll was so recent that the feed's turn is skipped: within its publisher's
// hint, and for feeds with short periods within their interval. Others are polled again rather than wait a long period.
func (r *run) askedLately(f *store.FeedRow, asked store.PolledFeeds) bool {
	at, ok := asked[f.ID()]
	if !ok {
		return false
	}
	wait := hintOf(f)
	if f.Period <= shortPeriod {
		wait = max(wait, schedule.IntervalOf(f.Period))
	}
	return r.started.Before(at.Add(wait))
}

// keepsTurns reports whether the run leaves the turns of its feeds unchanged.
func (r *run) keepsTurns() bool { return r.requested || r.kind == store.RunAll }

package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// requested polls the feeds of a list that a person asked for. Nothing is written for a feed without news: the
// run's row says who was polled, and the part's lease names that row. The row is put when the run begins, so a
// message that comes twice polls once, and again now and then, so that the person sees how far it is.
func (c *Crawler) requested(ctx context.Context, j job.Job) (Report, error) {
	at, ok := store.RefreshAt(j.List)
	if !ok {
		return Report{}, fault.New(fault.Invalid, "bad_message", "crawl: refresh", nil)
	}
	r := c.newRun(ctx, store.RunRefresh, schedule.TickOf(at))
	r.requested = true
	ctx = table.WithMeter(ctx, r.meter)
	if r.started.Sub(at) > store.RefreshLife {
		return Report{Dropped: "stale"}, nil
	}
	mine, err := r.take(ctx, j.Part)
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
		return Report{Dropped: "duplicate"}, c.endDead(ctx, was)
	}
	if err != nil {
		return Report{}, err
	}
	past, err := c.past(ctx, j.Part)
	if err != nil {
		return Report{}, err
	}
	r.know(past.lease)
	tasks, err := r.askedFor(ctx, j, past)
	if err != nil {
		return Report{}, err
	}
	r.tell = r.progress(ctx, j.Part, j.List)
	r.work(ctx, tasks)
	r.passOn(ctx, j.Part, 1)
	if err := r.finish(ctx, j.Part, j.List); err != nil {
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

// endDead closes the row of a requested run whose process died: this delivery has the part, so nobody works on it.
func (c *Crawler) endDead(ctx context.Context, was *store.RunRow) error {
	if was.State != store.RunRunning {
		return nil
	}
	was.State = store.RunLost
	return c.store.Runs.Put(ctx, was)
}

// longHint is up to which hint of a publisher a poll on request is remembered by its run alone (store.askedMemory is
// longer): feeds with longer ones, which are few, are moved.
const longHint = 6 * time.Hour

// hintOf is how long a publisher asks to be left alone after an answer.
func hintOf(f *store.FeedRow) time.Duration {
	return min(time.Duration(max(f.MaxAge, f.TTL))*time.Second, schedule.MaxHint)
}

// askedFor loads the feeds of a request and keeps those that may be polled now. Feeds keep their turns; one that was
// never polled is claimed, as for any first crawl, and so is one with a long hint.
func (r *run) askedFor(ctx context.Context, j job.Job, past *past) ([]task, error) {
	var rows []*store.FeedRow
	err := r.c.store.Feeds.Load(ctx, j.Feeds, func(f *store.FeedRow) error {
		rows = append(rows, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n, err := r.c.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	parts := job.Parts(r.c.o.Parts, n)
	var tasks []task
	for _, f := range rows {
		at, err := past.refreshAt(ctx, f)
		if err != nil {
			return nil, err
		}
		switch {
		case !f.Live():
			r.skip(f, "not_live")
		case partOf(f, parts) != j.Part:
			r.skip(f, "moved") // to a host that another lease guards
		case at.After(r.started):
			r.skip(f, "too_soon")
		case f.Fresh(), hintOf(f) > longHint:
			tasks = append(tasks, task{row: f, unclaimed: true}) // when it is reached: one that is put off keeps its turn
		default:
			tasks = append(tasks, task{row: f})
		}
	}
	return tasks, nil
}

// firstProgress is when a requested run first writes how far it is; each time after takes twice as long, so that
// a run of any size writes at most six times.
const firstProgress = time.Second

// progress writes the run's sums so far, without outcomes: what is not written now comes with the next or the last.
func (r *run) progress(ctx context.Context, part int, name string) func() {
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

// row makes the run's row as things are, without the outcomes.
func (r *run) row(part int, name, state string) (*store.RunRow, error) {
	r.mu.Lock()
	sums := r.report.RunSums
	sums.Due = len(r.report.Feeds)
	r.mu.Unlock()
	sums.Millis = r.c.clock.Now().Sub(r.started).Milliseconds()
	return store.NewRun(r.tick, part, name, r.kind, state, r.started, sums, nil)
}

// shortPeriod, in ticks, is up to which a feed lets its turn pass after a poll on request: the next one comes soon.
const shortPeriod = 16

// askedLately reports that a feed was polled on request so lately that its turn is left out: inside what its
// publisher asks for, and for feeds with short periods inside their interval. Others are polled once more rather
// than to wait a long period again.
func (r *run) askedLately(f *store.FeedRow, asked store.PolledFeeds) bool {
	at, ok := asked[f.ID()]
	if !ok {
		return false
	}
	wait := hintOf(f)
	if f.Period <= shortPeriod {
		wait = max(wait, gap(f))
	}
	return r.started.Before(at.Add(wait))
}

// keepsTurns reports that the run moves nobody's turn: its feeds come when they would have come without it.
func (r *run) keepsTurns() bool { return r.requested || r.kind == store.RunAll }

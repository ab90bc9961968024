package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A long run extends its leases every leaseRenewal: a third of their duration.
const leaseRenewal = 40 * time.Second

// All polls every active feed at once, conditionally, for the owner. The schedule and the least interval are ignored, a
// publisher's Retry-After and max-age are not. Feeds keep their turns; a mark on each part makes them skip those within
// their interval.
func (c *Crawler) All(ctx context.Context, parts int) (Report, error) {
	ctx, r := c.newRun(ctx, store.RunAll, schedule.TickOf(c.clock.Now()))
	holds := make([]time.Time, parts)
	for p := range parts {
		_, mine, err := c.hold(ctx, p, parts, r.started)
		if err != nil {
			return Report{}, err
		}
		holds[p] = mine
		defer c.release(ctx, p, &holds[p])
	}
	// Before the parts are marked: a publisher's max-age counts from the poll before this one.
	tasks, err := r.allTasks(ctx, parts)
	if err != nil {
		return Report{}, err
	}
	if err := r.markAll(ctx, parts); err != nil {
		return Report{}, err
	}
	working, stop := r.renew(ctx, holds)
	r.work(working, tasks)
	stop()
	at := r.c.clock.Now()
	err = r.finish(ctx, 0, parts, store.JobName(store.RunAll, r.started))
	return r.report, errors.Join(err, r.leave(ctx, holds, at))
}

// leave marks each part again, because intervals count from the last request, and releases it in the same write. After
// a crash the mark of the last renewal remains, for which allSpent allows.
func (r *run) leave(ctx context.Context, holds []time.Time, at time.Time) (err error) {
	ctx = context.WithoutCancel(ctx)
	for p := range holds {
		if e := r.c.store.Leases.ReleaseMarked(ctx, p, holds[p], at); e != nil {
			err = errors.Join(err, e) // it lapses by itself
			continue
		}
		holds[p] = time.Time{}
	}
	r.c.waiters.wake()
	return err
}

// markAll records on each part that everything is being polled now.
func (r *run) markAll(ctx context.Context, parts int) error {
	for p := range parts {
		if err := r.c.store.Leases.MarkAll(ctx, p, r.c.clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

// allSpent returns by when all polls of the crawl of everything that wrote a mark had begun: marks are renewed with the
// leases, and at the end. Zero for none.
func allSpent(mark int64) time.Time {
	if mark == 0 {
		return time.Time{}
	}
	return time.Unix(mark, 0).UTC().Add(leaseRenewal)
}

// renew extends leases and renews their marks until stop is called. The returned context ends when a lease was lost,
// for example while the machine slept: another run may poll those hosts then.
func (r *run) renew(ctx context.Context, holds []time.Time) (working context.Context, stop func()) {
	working, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(leaseRenewal)
		defer tick.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-tick.C:
			}
			if r.prolong(ctx, holds) {
				cancel()
				return
			}
		}
	})
	return working, func() {
		cancel()
		wg.Wait()
	}
}

// prolong renews each lease once and reports whether one was lost. A temporary failure of the store does no harm:
// leases last for several renewals.
func (r *run) prolong(ctx context.Context, holds []time.Time) (lost bool) {
	until := r.c.until(r.c.clock.Now())
	for p := range holds {
		err := r.c.store.Leases.ExtendMarked(ctx, p, holds[p], until, r.c.clock.Now())
		if err == nil {
			holds[p] = until
		} else {
			r.c.o.Log.Warn("a lease was not prolonged", "part", p, "error", err)
		}
		lost = lost || fault.Is(err, fault.Conflict)
	}
	return lost
}

// allTasks lists the active feeds, except those whose publisher asked to wait. Feeds that were never polled are
// claimed, so that after a crash they are repeated in an hour and not at once.
func (r *run) allTasks(ctx context.Context, parts int) ([]task, error) {
	pasts := make([]*past, parts)
	for p := range pasts {
		var err error
		if pasts[p], err = r.c.past(ctx, p); err != nil {
			return nil, err
		}
		r.addHostWaits(pasts[p].lease)
	}
	var tasks []task
	err := r.c.store.Feeds.EachPacked(ctx, func(f *store.FeedRow, packed *store.PackedFeed) error {
		if !f.Live() {
			return nil
		}
		at, err := pasts[partOf(f, parts)].next(ctx, f, time.Duration(f.MaxAge)*time.Second)
		if err != nil {
			return err
		}
		if !r.waitUntil(f).IsZero() || at.After(r.started) && (f.MaxAge > 0 || f.NotBefore > r.started.Unix()) {
			r.skip(f, "too_soon")
			return nil
		}
		k := newTask(f, f.Fresh())
		k.row, k.packed = nil, packed // all feeds at once: their rows are most of the memory that grows with them
		tasks = append(tasks, k)
		return nil
	})
	return tasks, err
}

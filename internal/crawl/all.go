package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// leaseRenewal is how often a long run prolongs its leases; a third of what it holds them for.
const leaseRenewal = 40 * time.Second

// All polls every active feed at once, conditionally: the owner's override. The wheel and the minimum
// gap are set aside, a publisher's Retry-After and max-age are not. Feeds keep their turns; those
// inside a feed's gap after this are skipped, by one mark on each part.
func (c *Crawler) All(ctx context.Context, parts int) (Report, error) {
	r := c.newRun(ctx, store.RunAll, schedule.TickOf(c.clock.Now()))
	ctx = table.WithMeter(ctx, r.meter)
	holds := make([]time.Time, parts)
	for p := range parts {
		mine, err := c.hold(ctx, p, r.started)
		if err != nil {
			return Report{}, err
		}
		holds[p] = mine
		defer c.release(ctx, p, &holds[p])
	}
	// What a publisher's max-age runs from is read before this crawl leaves its own mark.
	tasks, err := r.everything(ctx, parts)
	if err != nil {
		return Report{}, err
	}
	if err := r.markAll(ctx, parts); err != nil {
		return Report{}, err
	}
	working, stop := r.renew(ctx, holds)
	r.work(working, tasks)
	stop()
	r.passOn(ctx, 0, parts)
	at := r.c.clock.Now()
	err = r.finish(ctx, 0, store.JobName(store.RunAll, r.started))
	return r.report, errors.Join(err, r.leave(ctx, holds, at))
}

// leave marks each part again, for the gap counts from the last request, and lets go of it in the same write. A
// crash before leaves the mark of the last renewal, which allSpent makes up for.
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

// allSpent is when the polls of a crawl of everything that left this mark had begun for certain: it is
// renewed with the leases, and at the end. Zero for none.
func allSpent(mark int64) time.Time {
	if mark == 0 {
		return time.Time{}
	}
	return time.Unix(mark, 0).UTC().Add(leaseRenewal)
}

// renew prolongs leases, and moves the mark on, until the function it returns is called. The context it
// returns ends when a lease was lost, as when the machine slept: then somebody else polls those hosts.
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

// prolong renews each lease once and reports whether one was lost. A store that fails for a moment is
// no loss: the next try comes long before the lease lapses.
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

// everything lists the active feeds but those whose publisher said to wait. Feeds that were never polled
// are claimed, so that a crash leaves them to be tried again in an hour and not at once.
func (r *run) everything(ctx context.Context, parts int) ([]task, error) {
	pasts := make([]*past, parts)
	for p := range pasts {
		var err error
		if pasts[p], err = r.c.past(ctx, p); err != nil {
			return nil, err
		}
		r.know(pasts[p].lease)
	}
	var rows []*store.FeedRow
	err := r.c.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.Live() {
			rows = append(rows, f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, f := range rows {
		at, err := pasts[partOf(f, parts)].next(ctx, f, time.Duration(f.MaxAge)*time.Second)
		if err != nil {
			return nil, err
		}
		switch {
		case !r.quietUntil(f).IsZero(), at.After(r.started) && (f.MaxAge > 0 || f.NotBefore > r.started.Unix()):
			r.skip(f, "too_soon")
		case f.Fresh():
			tasks = append(tasks, task{row: f, unclaimed: true})
		default:
			tasks = append(tasks, task{row: f})
		}
	}
	return tasks, nil
}

package crawl

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/table"
)

// leaseRenewal is how often a long run prolongs its leases; a third of what it holds them for.
const leaseRenewal = 40 * time.Second

// All polls every active feed at once, conditionally: the owner's override. The wheel and the minimum
// gap are set aside, a publisher's Retry-After and max-age are not. Feeds keep their turns; those
// inside a feed's gap after this are skipped, by one mark on each part.
func (c *Crawler) All(ctx context.Context, parts int) (Report, error) {
	r := c.newRun(store.RunAll, schedule.TickOf(c.clock.Now()))
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
	stop := c.renew(ctx, holds)
	defer stop()
	// What a publisher's max-age runs from is read before this crawl leaves its own mark.
	tasks, err := r.everything(ctx, parts)
	if err != nil {
		return Report{}, err
	}
	for p := range parts {
		if err := c.store.Leases.MarkAll(ctx, p, r.started); err != nil {
			return Report{}, err
		}
	}
	r.work(ctx, tasks)
	return r.report, r.finish(ctx, 0, store.JobName(store.RunAll, r.started))
}

// renew prolongs leases until the function it returns is called.
func (c *Crawler) renew(ctx context.Context, holds []time.Time) func() {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(leaseRenewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			until := c.until(c.clock.Now())
			for p := range holds {
				if err := c.store.Leases.Extend(ctx, p, holds[p], until); err != nil {
					c.o.Log.Warn("a lease was not prolonged", "part", p, "error", err)
					continue
				}
				holds[p] = until
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// everything lists the active feeds but those whose publisher said to wait.
func (r *run) everything(ctx context.Context, parts int) ([]task, error) {
	var tasks []task
	err := r.c.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.Live() {
			return nil
		}
		early := f.NotBefore > r.started.Unix()
		if f.MaxAge > 0 && !early {
			last, err := r.c.store.Checks.Last(ctx, f, partOf(f, parts))
			if err != nil {
				return err
			}
			early = r.started.Before(last.Add(time.Duration(f.MaxAge) * time.Second))
		}
		if early {
			r.note(store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeSkipped), Err: "too_soon"})
			return nil
		}
		tasks = append(tasks, task{row: f})
		return nil
	})
	return tasks, err
}

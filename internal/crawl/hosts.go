package crawl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func partOf(f *store.FeedRow, parts int) int {
	return job.PartOf(f.URL, parts)
}

// After maxTimeouts in a row a host's other feeds are deferred by a tick.
const maxTimeouts = 2

// byHost groups tasks by host, the host with most feeds first, because it bounds the duration of the run. The first
// feed of a host changes with the tick, so that the same feeds are not always last.
func byHost(tasks []task, t schedule.Tick) [][]task {
	groups := map[string][]task{}
	for _, k := range tasks {
		groups[k.host] = append(groups[k.host], k)
	}
	hosts := make([][]task, 0, len(groups))
	for _, g := range groups {
		slices.SortFunc(g, func(a, b task) int { return int(a.id) - int(b.id) })
		if n := len(g); n > 1 && t > 0 {
			at := int(t) % n
			g = append(slices.Clone(g[at:]), g[:at]...)
		}
		hosts = append(hosts, g)
	}
	slices.SortFunc(hosts, func(a, b []task) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return int(a[0].id) - int(b[0].id)
	})
	return hosts
}

// work polls all tasks: hosts in parallel, one request at a time to each.
func (r *run) work(ctx context.Context, tasks []task) {
	r.c.runs.Add(1)
	defer r.c.runs.Add(-1)
	r.total = len(r.report.Feeds) + len(tasks)
	r.report.Feeds = slices.Grow(r.report.Feeds, len(tasks))
	r.beginPages()
	hosts := byHost(tasks, r.tick)
	r.slots = make(chan struct{}, r.c.o.Parallel)
	var wg sync.WaitGroup
	for _, h := range hosts {
		r.slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-r.slots }()
			r.host(ctx, h)
		})
	}
	wg.Wait()
}

// idle lets another host use this one's slot while it waits.
func (r *run) idle(wait func() error) error {
	<-r.slots
	defer func() { r.slots <- struct{}{} }()
	return wait()
}

// host polls the feeds of one host in sequence, until time runs out or the host stops answering.
func (r *run) host(ctx context.Context, tasks []task) {
	timeouts, idle := 0, r.idle
	for i := range tasks {
		f := tasks[i].open()
		until := r.waitUntil(f)
		if timeouts >= maxTimeouts || r.over(ctx) || !until.IsZero() {
			r.deferAll(ctx, tasks[i:], until)
			return
		}
		if f.IsWatch() && r.pages.Postpone(f, tasks[i].unclaimed) {
			o := outcome(f, reader.OutcomeDeferred)
			o.Err = "paced"
			r.note(o)
			continue
		}
		if tasks[i].unclaimed {
			row, err := r.claimOffTurn(ctx, f)
			if err != nil {
				r.c.o.Log.Warn("a feed was not claimed", "feed_id", uint32(f.ID()), "error", err)
				r.deferAll(ctx, tasks[i:], until)
				return
			}
			if row == nil { // claimed by another run
				continue
			}
			f = row
		}
		tasks[i] = task{} // its memory is free from here on
		again := idle
		if f.IsStopped() {
			again = nil // a probe is one request
		}
		o, timedOut := r.poll(ctx, f, again)
		r.note(o)
		if o.Status >= 500 && o.Faults[0] > 0 {
			idle = nil // the server keeps failing: its other feeds are not retried
		}
		if timedOut {
			timeouts++
		} else {
			timeouts = 0
		}
	}
}

func (r *run) over(ctx context.Context) bool {
	return ctx.Err() != nil || !r.deadline.IsZero() && !r.c.clock.Now().Before(r.deadline)
}

// deferAll gives feeds that were not reached a turn in the next tick, or when their host may be polled again, unless
// the run keeps their turns.
func (r *run) deferAll(ctx context.Context, tasks []task, until time.Time) {
	ctx = context.WithoutCancel(ctx)
	for _, k := range tasks {
		f := k.open()
		o := outcome(f, reader.OutcomeDeferred)
		if !r.keepsTurns() {
			plan := f.Turns().Defer(max(schedule.TickOf(r.c.clock.Now())+1, schedule.CeilTick(until)))
			moved := *f
			moved.First = int32(plan.First)
			_, err := r.c.store.Feeds.Change(ctx, f, &moved, store.SameFirst)
			if err != nil && !fault.Is(err, fault.Conflict) {
				o.Err = fault.CodeOf(err)
			}
		}
		r.note(o)
	}
}

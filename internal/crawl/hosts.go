package crawl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func partOf(f *store.FeedRow, parts int) int {
	return job.PartOf(f.URL, parts)
}

// maxTimeouts in a row end a host's turn: its other feeds are deferred by a tick.
const maxTimeouts = 2

// byHost groups tasks, the host with most feeds first: it bounds how long the run takes. Within a host
// the start moves with the tick, so that the same feeds are not always last.
func byHost(tasks []task, t schedule.Tick) [][]task {
	groups := map[string][]task{}
	for _, k := range tasks {
		h := fetch.HostOf(k.row.URL)
		groups[h] = append(groups[h], k)
	}
	hosts := make([][]task, 0, len(groups))
	for _, g := range groups {
		slices.SortFunc(g, func(a, b task) int { return int(a.row.ID()) - int(b.row.ID()) })
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
		return int(a[0].row.ID()) - int(b[0].row.ID())
	})
	return hosts
}

// work polls all tasks: hosts in parallel, one request at a time to each.
func (r *run) work(ctx context.Context, tasks []task) {
	r.total = len(r.report.Feeds) + len(tasks)
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

// idle gives the place of a host that has to be waited for to others meanwhile.
func (r *run) idle(wait func() error) error {
	<-r.slots
	defer func() { r.slots <- struct{}{} }()
	return wait()
}

// host polls the feeds of one host in sequence, until time runs out or the host stops answering.
func (r *run) host(ctx context.Context, tasks []task) {
	timeouts, idle := 0, r.idle
	for i, k := range tasks {
		until := r.quietUntil(k.row)
		if timeouts >= maxTimeouts || r.over(ctx) || !until.IsZero() {
			r.deferAll(ctx, tasks[i:], until)
			return
		}
		if k.unclaimed {
			t, err := r.claimOffTurn(ctx, k.row)
			if err != nil {
				r.c.o.Log.Warn("a feed was not claimed", "feed_id", uint32(k.row.ID()), "error", err)
				r.deferAll(ctx, tasks[i:], until)
				return
			}
			if t == nil { // somebody else did
				continue
			}
			k = *t
		}
		o, timedOut := r.poll(ctx, k, idle)
		r.note(o)
		if o.Status >= 500 && o.Faults[0] > 0 {
			idle = nil // the server's fault does not pass: its other feeds are asked for once
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

// deferAll gives feeds that were not reached a turn in the next tick, or when their host may be asked again. The owner's
// override and a requested run move nothing: those feeds keep the turns they have.
func (r *run) deferAll(ctx context.Context, tasks []task, until time.Time) {
	ctx = context.WithoutCancel(ctx)
	for _, k := range tasks {
		o := outcome(k.row, reader.OutcomeDeferred)
		if !r.keepsTurns() {
			next := max(schedule.TickOf(r.c.clock.Now())+1, schedule.CeilTick(until))
			_, err := r.c.store.Feeds.Update(ctx, k.row.ID(), store.Patch{"first": int32(next)},
				table.IfEqual("first", k.row.First))
			if err != nil && !fault.Is(err, fault.Conflict) {
				o.Err = fault.CodeOf(err)
			}
		}
		r.note(o)
	}
}

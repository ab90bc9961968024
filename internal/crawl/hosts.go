package crawl

import (
	"context"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/table"
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
	queue := make(chan []task)
	var wg sync.WaitGroup
	for range min(r.c.o.Parallel, len(hosts)) {
		wg.Go(func() {
			for host := range queue {
				r.host(ctx, host)
			}
		})
	}
	for _, h := range hosts {
		queue <- h
	}
	close(queue)
	wg.Wait()
}

// host polls the feeds of one host in sequence, until time runs out or the host stops answering.
func (r *run) host(ctx context.Context, tasks []task) {
	timeouts := 0
	for i, k := range tasks {
		if timeouts >= maxTimeouts || r.over(ctx) {
			r.deferAll(ctx, tasks[i:])
			return
		}
		o, timedOut := r.poll(ctx, k)
		r.note(o)
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

// deferAll gives feeds that were not reached a turn in the next tick. The owner's override and a
// requested run move nothing: those feeds keep the turns they have.
func (r *run) deferAll(ctx context.Context, tasks []task) {
	ctx = context.WithoutCancel(ctx)
	for _, k := range tasks {
		o := outcome(k.row, reader.OutcomeDeferred)
		if !r.keepsTurns() {
			next := schedule.TickOf(r.c.clock.Now()) + 1
			_, err := r.c.store.Feeds.Update(ctx, k.row.ID(), store.Patch{"first": int32(next)},
				table.IfEqual("first", k.row.First))
			if err != nil && !fault.Is(err, fault.Conflict) {
				o.Err = fault.CodeOf(err)
			}
		}
		r.note(o)
	}
}

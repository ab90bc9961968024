package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/search/indexing"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// How many seconds the commands wait for the run of another process.
const (
	crawlPatience  = 30
	replayPatience = 150
)

func crawlFlags(i *invocation) {
	workFlags(i)
	i.flags.BoolVar(&i.all, "all", false, "every active feed at once; Retry-After and max-age are still respected")
	jsonFlag("one JSON object")(i)
	parallelFlag(i)
}

func parallelFlag(i *invocation) {
	i.flags.IntVar(&i.config.Parallel, "parallel", i.config.Parallel, "hosts polled at once")
}

func crawlCmd(ctx context.Context, i *invocation) error {
	if !i.choosesGC() {
		debug.SetGCPercent(thriftyGC)
	}
	bar := newMeter(i.Stderr)
	app, err := i.openHome(ctx, backend.Options{Progress: bar.showCrawl, NoIndexJobs: true})
	if err != nil {
		return err
	}
	defer app.Close()
	report, err := doCrawl(ctx, app.App, i.all)
	bar.end()
	if err != nil {
		return err
	}
	if !i.choosesGC() {
		debug.SetGCPercent(indexGC)
	}
	indexCrawled(ctx, app.App)
	if i.json {
		err = json.NewEncoder(i.Stdout).Encode(report.RunSums)
	} else {
		err = printSums(i.Stdout, report)
	}
	if err == nil && ctx.Err() != nil {
		return fault.Newf(fault.Cancelled, "stopped", "The crawl was stopped. The remaining feeds are polled later.")
	}
	return err
}

// indexCrawled makes what a crawl has brought findable. Titles are found without it, and the next job does what was
// left out, so that a crawl does not fail for it.
func indexCrawled(ctx context.Context, app *wire.App) {
	debug.FreeOSMemory() // what the crawl took is not needed any more
	if _, err := app.Indexing.All(ctx, false, func(indexing.Report) {}); err != nil && ctx.Err() == nil {
		app.Log.Warn("the index of searches is not up to date", "error", err)
	}
}

// doCrawl polls everything, or what is due in this tick, under the same leases as the server, so that the two never
// poll a host at once.
func doCrawl(ctx context.Context, app *wire.App, all bool) (crawl.Report, error) {
	parts, err := app.Parts(ctx)
	if err != nil {
		return crawl.Report{}, err
	}
	if all {
		return whileBusy(ctx, crawlPatience, func() (crawl.Report, error) { return app.Crawler.All(ctx, parts) })
	}
	jobs, err := app.Orchestrator.Plan(ctx, schedule.TickOf(app.Clock.Now()))
	if err != nil {
		return crawl.Report{}, err
	}
	var sum crawl.Report
	for _, j := range jobs {
		r, err := crawlPart(ctx, app, j, parts)
		if err != nil {
			return sum, err
		}
		sum.Add(r.RunSums)
		sum.Feeds = append(sum.Feeds, r.Feeds...)
		if r.Dropped != "" {
			sum.Dropped = r.Dropped
		}
	}
	// Where no server runs, nothing else cleans up.
	_, err = app.Cleanup.Run(ctx, job.Job{Kind: job.Cleanup})
	return sum, err
}

// crawlPart polls a part's feeds that are due in this tick. If the tick's run was done already, or too little of the
// tick is left for one, new feeds are polled all the same, and in the second case all that are due.
func crawlPart(ctx context.Context, app *wire.App, j job.Job, parts int) (crawl.Report, error) {
	run := func(j job.Job) (crawl.Report, error) {
		return whileBusy(ctx, crawlPatience, func() (crawl.Report, error) { return app.Crawler.Run(ctx, j, parts) })
	}
	sum, err := run(j)
	if err != nil || sum.Dropped == "" {
		return sum, err
	}
	fresh, others := job.Job{Kind: job.First, Part: j.Part}, job.Job{Kind: job.Refresh, Part: j.Part}
	err = app.Store.Feeds.Load(ctx, slices.Concat(j.Feeds, j.Late), func(f *store.FeedRow) error {
		switch {
		case f.Fresh():
			fresh.Feeds = append(fresh.Feeds, f.ID())
		case sum.Dropped == "stale":
			others.Feeds = append(others.Feeds, f.ID())
		}
		return nil
	})
	for _, more := range []job.Job{fresh, others} {
		if err != nil || len(more.Feeds) == 0 {
			continue
		}
		var r crawl.Report
		r, err = run(more)
		sum.Add(r.RunSums)
		sum.Feeds = append(sum.Feeds, r.Feeds...)
		sum.Dropped = ""
	}
	return sum, err
}

// whileBusy calls f again each second while another run holds the hosts.
func whileBusy[T any](ctx context.Context, seconds int, f func() (T, error)) (T, error) {
	for try := 0; ; try++ {
		r, err := f()
		if !errors.Is(err, crawl.ErrBusy) {
			return r, err
		}
		if try == seconds {
			return r,
				fault.Newf(fault.Unavailable, "part_busy", "Another crawl is under way. Try again in two minutes.")
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func printSums(w io.Writer, r crawl.Report) error {
	if r.Dropped == "duplicate" && r.Polled == 0 {
		_, err := fmt.Fprintln(w, "Nothing to do: this quarter of an hour was crawled already.")
		return err
	}
	if r.Due == 0 {
		_, err := fmt.Fprintln(w, "Nothing is due now.")
		return err
	}
	_, err := fmt.Fprintf(w, "%d feeds polled of %d due: %d changed with %d new items, %d unchanged, %d not "+
		"modified, %d failed, %d deferred, %d skipped.\n"+
		"%.1f table writes, %.1f table reads, %d blobs, %d KB, %s.\n",
		r.Polled, r.Due, r.Changed, r.NewItems, r.Unchanged, r.NotModified, r.Failed, r.Deferred, r.Skipped,
		r.TableWrites, r.TableReads, r.BlobPuts, r.Bytes>>10, time.Duration(r.Millis)*time.Millisecond)
	return err
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// busyTries bounds how long the command waits for a run that another process has under way.
const busyTries = 30

// crawlGC is how much garbage a crawl lets lie, in percent of what it uses: bodies come and go in bursts,
// and memory is dearer to the small machines that this runs on than the few percent of processor time.
const crawlGC = 50

func crawlCmd(ctx context.Context, i *invocation) error {
	all := i.flags.Bool("all", false, "every active feed at once; Retry-After and max-age still bind")
	asJSON := i.flags.Bool("json", false, "print one JSON object")
	i.flags.IntVar(&i.config.Parallel, "parallel", i.config.Parallel, "hosts polled at once")
	if _, err := i.parse(0); err != nil {
		return err
	}
	if _, set := i.Lookup("GOGC"); !set {
		debug.SetGCPercent(crawlGC)
	}
	bar := newBar(i.Stderr)
	home, err := i.open(ctx, localwire.Options{Progress: bar.show})
	if err != nil {
		return err
	}
	defer home.Close()
	report, err := doCrawl(ctx, home, *all)
	bar.clear()
	if err != nil {
		return err
	}
	if *asJSON {
		err = json.NewEncoder(i.Stdout).Encode(report.RunSums)
	} else {
		err = printSums(i.Stdout, report)
	}
	if err == nil && ctx.Err() != nil {
		return fault.Newf(fault.Cancelled, "stopped", "The crawl was stopped. What it did not get to is polled later.")
	}
	return err
}

// doCrawl polls everything, or what is due in this tick through the same leases as the server, so that
// the two never meet at a host.
func doCrawl(ctx context.Context, home *localwire.Home, all bool) (crawl.Report, error) {
	parts, err := home.Parts(ctx)
	if err != nil {
		return crawl.Report{}, err
	}
	if all {
		return patiently(ctx, func() (crawl.Report, error) { return home.Crawler.All(ctx, parts) })
	}
	jobs, err := home.Orchestrator.Plan(ctx, schedule.TickOf(home.Clock.Now()))
	if err != nil {
		return crawl.Report{}, err
	}
	var sum crawl.Report
	for _, j := range jobs {
		r, err := crawlPart(ctx, home, j, parts)
		if err != nil {
			return sum, err
		}
		sum.Add(r.RunSums)
		sum.Feeds = append(sum.Feeds, r.Feeds...)
		if r.Dropped != "" {
			sum.Dropped = r.Dropped
		}
	}
	// Where no server runs, the crawl is the day's one occasion.
	_, err = home.Tidy.Run(ctx, job.Job{Kind: job.Tidy})
	return sum, err
}

// crawlPart works through one part's turn in this tick. When the tick was taken already, or has no time
// left for a run, what is due is polled off turn: first crawls, and late in a tick each feed that may be.
func crawlPart(ctx context.Context, home *localwire.Home, j job.Job, parts int) (crawl.Report, error) {
	run := func(j job.Job) (crawl.Report, error) {
		return patiently(ctx, func() (crawl.Report, error) { return home.Crawler.Run(ctx, j, parts) })
	}
	sum, err := run(j)
	if err != nil || sum.Dropped == "" {
		return sum, err
	}
	fresh, others := job.Job{Kind: job.First, Part: j.Part}, job.Job{Kind: job.Refresh, Part: j.Part}
	err = home.Store.Feeds.Load(ctx, slices.Concat(j.Feeds, j.Late), func(f *store.FeedRow) error {
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

// patiently tries again while another run holds a part.
func patiently(ctx context.Context, f func() (crawl.Report, error)) (crawl.Report, error) {
	for try := 0; ; try++ {
		r, err := f()
		if !errors.Is(err, crawl.ErrBusy) {
			return r, err
		}
		if try == busyTries {
			return r, fault.Newf(fault.Unavailable, "part_busy", "Another crawl is under way. Try again in two minutes.")
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
	_, err := fmt.Fprintf(w, "%d feeds polled of %d due: %d changed with %d new items, %d unchanged, %d not modified, %d failed, %d deferred, %d skipped.\n"+
		"%.1f table writes, %.1f table reads, %d blobs, %d KB, %s.\n",
		r.Polled, r.Due, r.Changed, r.NewItems, r.Unchanged, r.NotModified, r.Failed, r.Deferred, r.Skipped,
		r.TableWrites, r.TableReads, r.BlobPuts, r.Bytes>>10, time.Duration(r.Millis)*time.Millisecond)
	return err
}

// bar is a progress line on a terminal, and nothing elsewhere.
type bar struct {
	w  io.Writer
	mu sync.Mutex
	on bool
}

func newBar(w io.Writer) *bar {
	f, ok := w.(*os.File)
	return &bar{w: w, on: ok && term.IsTerminal(int(f.Fd()))}
}

func (b *bar) show(p crawl.Progress) {
	if !b.on || p.Total == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	const width = 30
	done := width * p.Done / p.Total
	fmt.Fprintf(b.w, "\r[%-*s] %d/%d", width, "##############################"[:done], p.Done, p.Total)
}

func (b *bar) clear() {
	if b.on {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

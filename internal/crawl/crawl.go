// Package crawl polls feeds: one conditional GET each, then usually nothing, else a commit that survives crashes,
// duplicates and races. A run takes the lease of a part of the hosts, polls its feeds with one request at a time to a
// host, and writes one run row.
//
// A run lists its tasks (scheduled.go, offturn.go, requested.go, all.go), polls them host by host (hosts.go), and for
// each feed:
//
//	poll.go     fetches it, and does what follows from the outcome
//	observe.go  reads the response: an observation
//	judge.go    decides what the observation means for the feed's row: a verdict, by a pure function
//	commit.go   writes the verdict, and judges again after a lost race; nothing else writes items
//
// The page of a watch (package watch) is visited, read and committed by package pages; watch.go is the seam.
//
// A push of a hub (push.go) takes the last two steps. Where a feed's row does not suffice to distinguish new items from
// old ones, lookup.go, renamed.go and shared.go compare them with the stored ones.
//
// Package orchestrate decides what is due, package schedule the intervals, package fetch which addresses are allowed.
// HTTP failures are outcomes in rows, never failed messages; only a failure of table, blobs or queue fails a run.
package crawl

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Mover follows a permanent redirect that was seen often and for days: the feed takes the new address, or merges with
// the feed that has it. For a half-merged feed it continues the merge and ignores `to`.
type Mover interface {
	MoveFeed(ctx context.Context, row *store.FeedRow, to string) error
}

// Options of a crawler; zero values mean the defaults named.
type Options struct {
	Parallel int           // hosts at once; 10
	Deadline time.Duration // of one run; 90 s, as a Lambda function has it
	Parts    int           // parts of hosts; 0 follows the number of feeds
	Patience time.Duration // how long a run waits for another that holds its part; 0: ErrBusy at once
	Keep     int           // days that items are kept; store.KeepDays
	Log      *slog.Logger  // discarded when nil
	Mover    Mover         // nil: permanent redirects are followed, but the feed keeps its address
	// Progress is called after each feed of a run, possibly from several goroutines; may be nil.
	Progress func(done, total int)
	// News is called before each commit of new items, which an error prevents; may be nil.
	News     func(context.Context, *store.FeedRow, *store.DeltaRow) error
	Observer Observer // of every poll and run; may be nil
	// takes the jobs that follow from a run: icons, and new addresses of feeds that stopped; may be nil
	Queue job.Sender
	// IndexFrom is the number of new or edited items after which a run asks for a job that indexes them for searches;
	// 0: never.
	IndexFrom int
	// IndexAfter is the time between the run and that job.
	IndexAfter time.Duration
	// Text gets the whole text of each new or edited item once its raw body is stored, so that the index needs not
	// read it again. It must not wait; may be nil.
	Text  func(raw string, identity uint64, text string)
	Probe bool // probe feeds that stop for their status (schedule.Probes)
	// Slow multiplies periods (schedule.Inputs); nil: never.
	Slow func(context.Context) (int32, error)
}

// Crawler polls feeds. It is safe for concurrent use: leases separate its runs.
type Crawler struct {
	store *store.Store
	blobs *blob.Bucket
	fetch fetch.Fetcher
	clock clock.Clock
	o     Options

	pages   *pages.Pages
	waiters waiters
	runs    atomic.Int32 // under way
	asked   atomic.Int64 // when the job that was asked for last is due, in Unix seconds
}

// slow returns by what periods are multiplied.
func (c *Crawler) slow(ctx context.Context) (int32, error) {
	if c.o.Slow == nil {
		return 1, nil
	}
	return c.o.Slow(ctx)
}

// IsCrawling reports whether this process polls feeds.
func (c *Crawler) IsCrawling() bool { return c.runs.Load() > 0 }

const (
	defaultParallel = 10
	defaultDeadline = 90 * time.Second
	// A run holds its part for leaseSlack longer than its deadline.
	leaseSlack = 30 * time.Second
)

// New returns a crawler.
func New(s *store.Store, b *blob.Bucket, f fetch.Fetcher, c clock.Clock, o Options) *Crawler {
	if o.Parallel <= 0 {
		o.Parallel = defaultParallel
	}
	if o.Deadline <= 0 {
		o.Deadline = defaultDeadline
	}
	if o.Keep <= 0 {
		o.Keep = store.KeepDays
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Observer == nil {
		o.Observer = unobserved{}
	}
	return &Crawler{
		store: s, blobs: b, fetch: f, clock: c, o: o,
		pages: &pages.Pages{Store: s, Fetch: f, Clock: c, Log: o.Log, Queue: o.Queue},
	}
}

// Package crawl polls feeds: one conditional GET each, then either nothing (the rule) or a commit that
// no crash, duplicate or race can break. It takes the lease of a part of the hosts, works through its
// feeds with one request at a time to a host, and leaves one run row.
//
// What is due is decided by package orchestrate, what an interval is by package schedule, what an
// address may be by package fetch. HTTP outcomes are rows, never failed messages; only a fault of
// table, blob or queue fails a run.
package crawl

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Fetcher is the guarded client.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Mover carries out a permanent redirect that was seen often and for days: the feed
// takes the new address, or merges with the feed that has it. For a feed whose merge was begun and not
// ended (MergedInto is set and it still has subscribers) it goes on with that, wherever `to` leads.
type Mover interface {
	MoveFeed(ctx context.Context, row *store.FeedRow, to string) error
}

// Options of a crawler. Zero values mean the defaults named.
type Options struct {
	Parallel int            // hosts at once; 10
	Deadline time.Duration  // of one run; 90 s, as a Lambda function has it
	Parts    int            // parts of hosts; 0 follows the number of feeds
	Patience time.Duration  // how long a run waits for another that has its part; 0: ErrBusy at once
	Keep     int            // days that items are kept; store.KeepDays
	Log      *slog.Logger   // discarded when nil
	Mover    Mover          // none: permanent redirects are followed but never kept
	Progress func(Progress) // called after each feed, possibly from several goroutines
	// News is called after a commit of new items; may be nil.
	News   func(context.Context, *store.FeedRow)
	Watch  Watcher     // hears of every poll and run; nobody when nil
	Icons  Illustrator // none: icons are not looked for
	Finder Finder      // none: feeds that stop are not looked for anew
	Probe  bool        // try feeds that were stopped for their status once a day, for a week
}

// Finder looks for feeds that have stopped, later and elsewhere.
type Finder interface {
	WantFind(ctx context.Context, feeds []reader.FeedID) error
}

// Illustrator looks for the icons of feeds, later and elsewhere.
type Illustrator interface {
	Want(ctx context.Context, feeds []reader.FeedID) error
}

// Progress tells how far a run is.
type Progress struct {
	Done, Total int
	Outcome     store.FeedOutcome
}

// Crawler polls feeds. It is safe for concurrent use; the leases keep its runs apart.
type Crawler struct {
	store *store.Store
	blobs *blob.Bucket
	fetch Fetcher
	clock clock.Clock
	o     Options

	waiters waiters
}

const (
	defaultParallel = 10
	defaultDeadline = 90 * time.Second
	// leaseSlack is how much longer than its deadline a run holds its part.
	leaseSlack = 30 * time.Second
)

// New makes a crawler over its seams.
func New(s *store.Store, b *blob.Bucket, f Fetcher, c clock.Clock, o Options) *Crawler {
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
	if o.Watch == nil {
		o.Watch = unwatched{}
	}
	return &Crawler{store: s, blobs: b, fetch: f, clock: c, o: o}
}

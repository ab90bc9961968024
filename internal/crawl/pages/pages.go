// Package pages crawls the pages of watches (package watch). Package crawl polls a watch as it polls a feed and calls
// this package for what differs:
//
//	visit.go    decides how much of a watch is read, asks robots.txt, and reads a page: a snapshot
//	commit.go   stores what a snapshot means; anew.go looks for the results of a page that was rebuilt
//	offers.go   makes items of events
//	fold.go     folds old changes
//	chain.go    makes further requests to the host, each in a message of its own
//
// What a commit has in common with that of a feed is behind Commit, and what a run has in common is behind Crawl.
package pages

import (
	"log/slog"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Pages crawls pages of watches. It is safe for concurrent use.
type Pages struct {
	Store *store.Store
	Fetch fetch.Fetcher
	Clock clock.Clock
	Log   *slog.Logger
	Queue job.Sender // takes further requests

	paces paces
}

// ErrTooManyRaces means that a commit keeps losing races.
var ErrTooManyRaces = fault.New(fault.Unavailable, "commit_contended", "crawl: commit", nil)

// MaxRounds bounds the retries of a commit that keeps losing races.
const MaxRounds = 40

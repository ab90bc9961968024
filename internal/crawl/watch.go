package crawl

import (
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Watcher hears of what a crawler does, for logs and metrics. It is called from several goroutines and must not
// take long.
type Watcher interface {
	// Polled hears of each feed of a run, skipped and deferred ones included.
	Polled(p Poll)
	// Ran hears of each run that took place, when it is over.
	Ran(r Ran)
}

// Poll is what a run did with one feed.
type Poll struct {
	store.FeedOutcome
	Request string // what the run was for: a message's or a request's id
	Kind    string
	Tick    schedule.Tick
}

// Ran is a run that is over. Err is why its row could not be written.
type Ran struct {
	store.RunSums
	Request string
	Kind    string
	Tick    schedule.Tick
	Part    int
	Err     error
}

type unwatched struct{}

func (unwatched) Polled(Poll) {}
func (unwatched) Ran(Ran)     {}

// outcome begins to tell what a run did with a feed.
func outcome(f *store.FeedRow, o reader.Outcome) store.FeedOutcome {
	return store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(o), Host: fetch.HostOf(f.URL)}
}

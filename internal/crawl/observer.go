package crawl

import (
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Observer observes what a crawler does, for logs and metrics. It is called from several goroutines and must be quick.
type Observer interface {
	// Polled is called for each feed of a run, also for skipped and deferred ones.
	Polled(p Poll)
	// Ran is called at the end of each run that took place.
	Ran(r Ran)
}

// Poll is the outcome of a run for one feed.
type Poll struct {
	store.FeedOutcome
	Request string // the id of the message or request
	Kind    string
	Tick    schedule.Tick
}

// Ran is a run that has ended. Err is why its row could not be written.
type Ran struct {
	store.RunSums
	Request string
	Kind    string
	Tick    schedule.Tick
	Part    int
	Err     error
}

type unobserved struct{}

func (unobserved) Polled(Poll) {}
func (unobserved) Ran(Ran)     {}

// outcome returns what a run did with a feed, to be completed.
func outcome(f *store.FeedRow, o reader.Outcome) store.FeedOutcome {
	return store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(o), Host: fetch.HostOf(f.URL)}
}

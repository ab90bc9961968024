// Package popular asks providers how often items were bookmarked, stores the counts, and gives them to readers.
//
// Counts are a log: each cycle, a chain of calls to the provider, writes one row with what it found changed, and each
// night all counts are put together in one blob. When an item is asked for follows from its age alone (steps.go), so
// that asking again and finding nothing new writes nothing of the item.
package popular

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Limits bound a Counter's calls.
type Limits struct {
	URLs, Bytes int
	// Size is how many of the bytes a URL takes as it is sent.
	Size func(url string) int
}

// Counter is a provider asked by URL. Errors are RateLimitedError, ErrTooLong, or others for bad answers.
type Counter interface {
	// Limits are the limits of one call.
	Limits() Limits
	// Ask returns the counts of URLs. A URL that the provider does not mention has the count 0.
	Ask(ctx context.Context, urls []string) (map[string]int, error)
}

// Options of the service; zero values mean the defaults named.
type Options struct {
	// Day is the length of a day in the schedule of refreshes; 24 h.
	Day time.Duration
	// Interval is the least time between two calls; 5 s.
	Interval time.Duration
	// MaxCalls bounds the calls of a cycle; 100.
	MaxCalls int
	// Wait is how long an item waits for others to be asked for with it; 1 h.
	Wait time.Duration
}

// The defaults, as the provider asks for them.
const (
	Day      = 24 * time.Hour
	Interval = 5 * time.Second
	MaxCalls = 100
	Wait     = time.Hour
)

// Service asks providers and reads counts. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	blobs    *blob.Bucket
	queue    job.Sender
	clock    clock.Clock
	log      *slog.Logger
	provider Counter
	o        Options
	steps    steps
	kept     kept
}

// New makes a service.
func New(s *store.Store, b *blob.Bucket, q job.Sender, c clock.Clock, log *slog.Logger, p Counter, o Options) *Service {
	if o.Day <= 0 {
		o.Day = Day
	}
	if o.Interval <= 0 {
		o.Interval = Interval
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = MaxCalls
	}
	if o.Wait <= 0 {
		o.Wait = Wait
	}
	return &Service{store: s, blobs: b, queue: q, clock: c, log: log, provider: p, o: o, steps: newSteps(o.Day)}
}

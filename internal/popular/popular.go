// Package popular asks providers how often items were bookmarked, stores the counts, and gives them to readers.
package popular

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Provider is a service that supplies counts. Counts of two providers are never added together.
type Provider string

// The providers.
const (
	Hatena     Provider = "hatena"
	HackerNews Provider = "hackernews"
)

// Limits bound the calls of a Counter.
type Limits struct {
	URLs, Bytes int           // of one call
	Interval    time.Duration // between two calls
}

// Counter is a provider that is asked by URL. Errors are RateLimitedError, UnavailableError and TooLongError.
type Counter interface {
	Limits() Limits
	// Ask returns the counts of urls by the URL that was asked. A URL that the provider does not mention has the count 0.
	Ask(ctx context.Context, urls []string) (map[string]int, error)
}

// Lister is a provider that lists pages with their counts; nothing is disclosed to it.
type Lister interface {
	// Since lists what was posted since a time.
	Since(ctx context.Context, t time.Time) ([]Listed, error)
}

// Listed is one page of a list.
type Listed struct {
	URL   string
	Count int
}

// Service asks providers and reads counts. It is safe for concurrent use.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	queue job.Sender
	clock clock.Clock
}

// New makes a service.
func New(s *store.Store, b *blob.Bucket, q job.Sender, c clock.Clock) *Service {
	return &Service{store: s, blobs: b, queue: q, clock: c}
}

// Run handles a message of kind job.Counts: one step of a cycle.
func (s *Service) Run(ctx context.Context, j job.Job) error { return nil }

// Nightly handles a message of kind job.Popular: it writes the counts of all items as one blob.
func (s *Service) Nightly(ctx context.Context, j job.Job) error { return nil }

// Counts returns the counts of all items, at most a minute old.
func (s *Service) Counts(ctx context.Context) (*Counts, error) { return nil, nil }

// Counts are the counts of all items. They never change: newer ones replace them. A nil *Counts has none.
type Counts struct{}

// Count is the count of one item.
type Count struct {
	Feed reader.FeedID
	Seq  reader.Seq
	N    int
	Sort int64 // of the item, in Unix seconds
}

// IsOn reports whether a provider is asked.
func (c *Counts) IsOn(p Provider) bool { return false }

// Of returns an item's count, and whether it is known: a count that was asked for and found nothing is a known 0.
func (c *Counts) Of(p Provider, f *store.FeedRow, seq reader.Seq, arrived reader.Minute, link string) (n int, isKnown bool) {
	return 0, false
}

// All returns the items with a count above 0, in no order.
func (c *Counts) All(p Provider) []Count { return nil }

// Grown returns by how much counts grew since a time.
func (c *Counts) Grown(p Provider, since time.Time) []Count { return nil }

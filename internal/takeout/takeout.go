// Package takeout knows what is one user's: it takes all of it away (Remove), packs it into one archive (Export)
// and brings it into another installation (Import). Feeds and items are shared and stay (G-42, G-43, G-60, C-12).
package takeout

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Feeds subscribes and counts; package subscribe does.
type Feeds interface {
	// Recount derives what a feed's row says of its subscribers.
	Recount(ctx context.Context, id reader.FeedID) error
	// Export gives a user's subscriptions for an OPML document.
	Export(ctx context.Context, u reader.UserID) ([]opml.Feed, error)
	// Adopt subscribes without asking the publisher now, FirstCrawls leaves that to the queue.
	Adopt(ctx context.Context, u reader.UserID, url, title, site string, folders []int32, interval int32) (f *store.FeedRow, made bool, err error)
	FirstCrawls(ctx context.Context, urls map[reader.FeedID]string) error
}

// Doors end what lets a user in, in this process at once; package auth does.
type Doors interface {
	EndAll(ctx context.Context, u reader.UserID, except string) (ended int, err error)
	EndTokens(ctx context.Context, u reader.UserID, except string) (ended int, err error)
}

// Service is safe for concurrent use.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	feeds Feeds
	doors Doors
	clock clock.Clock
}

// New binds the service to its seams.
func New(s *store.Store, b *blob.Bucket, f Feeds, d Doors, c clock.Clock) *Service {
	return &Service{store: s, blobs: b, feeds: f, doors: d, clock: c}
}

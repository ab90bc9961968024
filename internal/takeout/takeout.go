// Package takeout removes all data of a user (Remove), exports it as one archive (Export) and imports that into another
// installation (Import). Feeds and items are shared and stay (G-42, G-43, G-60, C-12).
package takeout

import (
	"context"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Feeds is package subscribe.
type Feeds interface {
	// LeaveAll removes all subscriptions of a user.
	LeaveAll(ctx context.Context, u reader.UserID) error
	// Export returns a user's subscriptions for an OPML document.
	Export(ctx context.Context, u reader.UserID) ([]opml.Feed, error)
	// Adopt subscribes without a request to the publisher; FirstCrawls leaves that to the queue.
	Adopt(ctx context.Context, u reader.UserID, url, title, site string, folders []reader.FolderID, interval int32,
		neverCount bool) (f *store.FeedRow, made bool, err error)
	// AdoptWatch makes a watch, paused, unless there is one with the same settings.
	AdoptWatch(ctx context.Context, u reader.UserID, set *watch.Settings, accepted int64, folders []reader.FolderID,
		interval int32) (f *store.FeedRow, made bool, err error)
	FirstCrawls(ctx context.Context, urls map[reader.FeedID]string) error
	// Subscribed returns the feed of an address that a user is subscribed to; nil if there is none.
	Subscribed(ctx context.Context, u reader.UserID, url string) (*store.FeedRow, error)
	// Watches returns the feeds of a user's watches.
	Watches(ctx context.Context, u reader.UserID) ([]*store.FeedRow, error)
	// RemoveImport deletes an import with its file.
	RemoveImport(ctx context.Context, u reader.UserID, id string) error
}

// Sessions ends a user's sessions and tokens, in this process at once; package auth implements it.
type Sessions interface {
	EndAll(ctx context.Context, u reader.UserID, except string) (ended int, err error)
	RemoveTokens(ctx context.Context, u reader.UserID) error
}

// Service is safe for concurrent use.
type Service struct {
	store    *store.Store
	blobs    *blob.Bucket
	feeds    Feeds
	sessions Sessions
	queue    job.Sender
	clock    clock.Clock
}

// New makes a service.
func New(s *store.Store, b *blob.Bucket, f Feeds, d Sessions, q job.Sender, c clock.Clock) *Service {
	return &Service{store: s, blobs: b, feeds: f, sessions: d, queue: q, clock: c}
}

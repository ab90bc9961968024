// Package watching is what users do with watches: pages that list things, such as the results of a shop's search. A
// watch is a feed of its own with one subscriber, whose items are the events that package watch finds. This package
// makes, changes and removes watches, tries out how a page can be read, and shows what was found: results, prices,
// trends.
//
// Reading pages is package listing, comparing them package watch; requests and commits are those of package crawl.
package watching

import (
	"context"
	"log/slog"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Crawler reads pages: a crawl.Crawler.
type Crawler interface {
	// Hold takes the lease of the part of a URL's host; the function gives it back.
	Hold(ctx context.Context, url string) (release func(), err error)
	// RunWatch looks at the page of a watch now, within the rules of refreshes. With inspect, results that do not fit
	// the settings are removed.
	RunWatch(ctx context.Context, f *store.FeedRow, inspect bool) (store.FeedOutcome, error)
}

// Deps are the dependencies of a service.
type Deps struct {
	Store     *store.Store
	Streams   *stream.Service
	Subscribe *subscribe.Service
	Crawler   Crawler
	Fetch     fetch.Fetcher
	Blobs     *blob.Bucket // pages that were previewed
	Clock     clock.Clock
	Log       *slog.Logger
}

// Service is safe for concurrent use.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// Watch is a watch of a user.
type Watch struct {
	*stream.Subscribed
	Settings *watch.Settings
	// Accepted is when the user confirmed that the site permits it, in Unix seconds.
	Accepted int64
	row      *store.WatchRow
}

// ID is the watch's number, which is that of its feed.
func (w *Watch) ID() reader.FeedID { return w.Feed.ID() }

// Get returns one of the user's watches.
func (s *Service) Get(ctx context.Context, u reader.UserID, id reader.FeedID) (*Watch, error) {
	return s.get(ctx, u, id, s.Streams.Get)
}

// Latest is Get that sees every acknowledged write.
func (s *Service) Latest(ctx context.Context, u reader.UserID, id reader.FeedID) (*Watch, error) {
	return s.get(ctx, u, id, s.Streams.Latest)
}

func (s *Service) get(ctx context.Context, u reader.UserID, id reader.FeedID,
	read func(context.Context, reader.UserID, reader.FeedID) (*stream.Subscribed, error)) (*Watch, error) {
	x, err := read(ctx, u, id)
	if fault.Is(err, fault.NotFound) || err == nil && !x.Feed.IsWatch() {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	return s.withSettings(ctx, u, x)
}

// withSettings reads the settings of a watch; those of another user's are not found.
func (s *Service) withSettings(ctx context.Context, u reader.UserID, x *stream.Subscribed) (*Watch, error) {
	row, err := s.Store.Watches.Settings(ctx, x.Feed.ID())
	if err == nil && row.Owner != string(u) {
		err = notFound()
	}
	if err != nil {
		return nil, err
	}
	set, err := row.Decode()
	return &Watch{Subscribed: x, Settings: set, Accepted: row.Accepted, row: row}, err
}

func notFound() error { return fault.Coded(fault.NotFound, "watch_not_found") }

package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Adopt subscribes a user to the feed at an address that another installation knows it by, without asking for it now:
// its first crawl is the queue's (FirstCrawls). Adopting twice is harmless; made tells whether the subscription is new.
func (s *Service) Adopt(ctx context.Context, u reader.UserID, raw, title, site string, folders []int32, interval int32) (f *store.FeedRow, made bool, err error) {
	address, err := Normalise(raw)
	if err != nil {
		return nil, false, err
	}
	// A feed that nobody knows is not made for an account that is full: a long list would leave rows of nobody.
	if _, err := s.store.Feeds.FindURL(ctx, address); fault.Is(err, fault.NotFound) {
		if _, err := s.room(ctx, u); err != nil {
			return nil, false, err
		}
	}
	for range 3 { // a feed that is just being removed is made anew
		if f, err = s.store.Feeds.Ensure(ctx, address, s.fresh(title, site)); err == nil {
			f, err = s.merged(ctx, f)
		}
		if err == nil {
			made, err = s.Attach(ctx, u, f, Wish{Folders: folders, Interval: interval})
		}
		if !isGone(err) {
			return f, made, err
		}
	}
	return nil, false, fault.New(fault.Unavailable, "subscribers_contended", "subscribe: adopt", err)
}

// FirstCrawls sends feeds that were never crawled to the queue.
func (s *Service) FirstCrawls(ctx context.Context, urls map[reader.FeedID]string) error {
	return s.sendFirst(ctx, urls)
}

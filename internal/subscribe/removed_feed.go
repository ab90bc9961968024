package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A feed without subscribers is removed after a while (package cleanup). The removal first marks the row, if it counts
// no subscriber, and updateFeed refuses a marked row. So of a concurrent removal and subscription one sees the other,
// and a subscriber who comes too late gets a new feed, under another number.

func isFeedGone(err error) bool {
	return fault.Is(err, fault.NotFound) && fault.CodeOf(err) == "feed_not_found"
}

// Recount updates what a feed's row says of its subscribers, if the feed exists.
func (s *Service) Recount(ctx context.Context, id reader.FeedID) error {
	_, err := s.recount(ctx, id)
	return err
}

func (s *Service) recount(ctx context.Context, id reader.FeedID) (began bool, err error) {
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if err == nil {
		began, err = s.updateFeed(ctx, f)
	}
	if isFeedGone(err) || store.IsDamaged(err) {
		return false, nil
	}
	return began, err
}

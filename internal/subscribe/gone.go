package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A feed without subscribers is removed after a while (package tidy): its row is marked first, if it counts no
// subscriber, and derive counts nobody in a row that is marked. So of a removal and a subscription that meet, one
// sees the other, and a person who comes too late is given the feed anew, under another number.

// gone says that a feed is being removed, or was: for all who come it is not there.
func gone() error { return fault.New(fault.NotFound, "feed_not_found", "subscribe: removed", nil) }

func isGone(err error) bool {
	return fault.Is(err, fault.NotFound) && fault.CodeOf(err) == "feed_not_found"
}

// ensure finds or makes the feed of an address and counts the user among its subscribers.
func (s *Service) ensure(ctx context.Context, u reader.UserID, address string, w Wish) (f *store.FeedRow, err error) {
	for range 3 {
		f, err = s.store.Feeds.Ensure(ctx, address, s.fresh("", ""))
		if err == nil {
			f, err = s.merged(ctx, f)
		}
		if err == nil {
			_, err = s.count(ctx, u, f, w)
		}
		if !isGone(err) {
			return f, err
		}
	}
	return nil, err
}

// Recount derives what a feed's row says of its subscribers; of a feed that is not there nothing is said.
func (s *Service) Recount(ctx context.Context, id reader.FeedID) error { return s.recount(ctx, id) }

// recount is derive for a feed that may not exist.
func (s *Service) recount(ctx context.Context, id reader.FeedID) error {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err == nil {
		err = s.derive(ctx, f)
	}
	if isGone(err) {
		return nil
	}
	return err
}

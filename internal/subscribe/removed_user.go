package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// A user may be removed (package takeout) while a feed is being added or a list imported. The removal deletes the
// account row and then looks for subscriptions once more; subscribing looks for the account once more when it is done.
// So one of the two sees what the other has written, and no feed is polled for a deleted user.

// checkAccount returns nil when the account still exists. Otherwise it removes what was written since and returns the
// account's NotFound.
func (s *Service) checkAccount(ctx context.Context, u reader.UserID) error {
	_, gone := s.Store.Accounts.Get(ctx, u, table.Consistent())
	if !fault.Is(gone, fault.NotFound) {
		return gone
	}
	if err := s.LeaveAll(ctx, u); err != nil {
		return err
	}
	if err := s.Store.Accounts.SweepUser(ctx, u); err != nil {
		return err
	}
	return gone
}

// LeaveAll removes all subscriptions of a user who is being removed. Their rows go last, because only they name the
// feeds.
func (s *Service) LeaveAll(ctx context.Context, u reader.UserID) error {
	var feeds []reader.FeedID
	err := s.Store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		feeds = append(feeds, row.Feed())
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, s, feeds, func(ctx context.Context, f reader.FeedID) error {
		if err := s.Store.Subscriptions.RemoveSubscriber(ctx, f, u); err != nil {
			return err
		}
		if err := s.Recount(ctx, f); err != nil {
			return err
		}
		if err := s.Store.Watches.Forget(ctx, f); err != nil {
			return err
		}
		return s.Store.Subscriptions.Remove(ctx, u, f)
	})
}

func isUserGone(err error) bool {
	return fault.Is(err, fault.NotFound) && fault.CodeOf(err) == "user_not_found"
}

package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// A user may be removed (package takeout) while a feed is being added for them, or a list is being worked through.
// The removal takes the account's row away and then looks for subscriptions once more; whoever subscribes looks for
// the account once more when that is done. So one of the two sees what the other has written, and no feed is polled
// for a person who is not there.

// settled is nil when the user is still there. Of one who is not, what was written meanwhile is taken away, and the
// account's own error says so.
func (s *Service) settled(ctx context.Context, u reader.UserID) error {
	_, gone := s.store.Accounts.Get(ctx, u, table.Consistent())
	if !fault.Is(gone, fault.NotFound) {
		return gone
	}
	var feeds []reader.FeedID
	err := s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		feeds = append(feeds, row.Feed())
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range feeds {
		if err := s.Leave(ctx, u, f); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	if err := s.store.Accounts.SweepUser(ctx, u); err != nil {
		return err
	}
	return gone
}

func isUserGone(err error) bool {
	return fault.Is(err, fault.NotFound) && fault.CodeOf(err) == "user_not_found"
}

package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// MaxBulk limits the changes in one call.
const MaxBulk = 1000

// BulkChange is one of many: leaving a feed, or other settings.
type BulkChange struct {
	Feed  reader.FeedID
	Leave bool
	Settings
}

// Bulk applies many changes independently and returns an error or nil for each. Of changes of one feed, later ones win.
// The rows are read in one query, so that each change costs only its write.
func (s *Service) Bulk(ctx context.Context, u reader.UserID, changes []BulkChange) ([]error, error) {
	if len(changes) > MaxBulk {
		return nil, fault.Coded(fault.TooLarge, "too_many_changes", MaxBulk)
	}
	rows := map[reader.FeedID]*store.SubscriptionRow{}
	err := s.Store.Subscriptions.EachLatest(ctx, u, func(r *store.SubscriptionRow) error {
		rows[r.Feed()] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	tree, err := s.Store.Trees.Get(ctx, u, table.Consistent())
	if err != nil {
		return nil, err
	}
	out := make([]error, len(changes))
	byFeed, order := map[reader.FeedID][]int{}, []reader.FeedID{}
	for i, c := range changes {
		if byFeed[c.Feed] == nil {
			order = append(order, c.Feed)
		}
		byFeed[c.Feed] = append(byFeed[c.Feed], i)
	}
	return out, each(ctx, s, order, func(ctx context.Context, id reader.FeedID) error {
		row := rows[id]
		for _, i := range byFeed[id] {
			row, out[i] = s.one(ctx, u, row, changes[i], &tree)
		}
		return ctx.Err()
	})
}

// one applies one change, and returns the row for the next change of the same feed; nil when the subscription is gone.
func (s *Service) one(ctx context.Context, u reader.UserID, row *store.SubscriptionRow, c BulkChange,
	tree *library.Tree) (*store.SubscriptionRow, error) {
	switch {
	case c.Leave:
		return nil, s.Leave(ctx, u, c.Feed)
	case row == nil:
		return nil, fault.Coded(fault.NotFound, "feed_not_found")
	}
	if err := c.Settings.check(); err != nil {
		return row, err
	}
	now, err := s.set(ctx, u, row, c.Settings, tree)
	if err != nil {
		return row, err
	}
	return now, nil
}

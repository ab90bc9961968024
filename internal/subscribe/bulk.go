package subscribe

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// MaxBulk is how many changes one call takes.
const MaxBulk = 1000

// BulkChange is one of many: leaving a feed, or other settings.
type BulkChange struct {
	Feed  reader.FeedID
	Leave bool
	Settings
}

// bulkAtOnce are changed at the same time: writes of one machine share a commit.
const bulkAtOnce = 8

// Bulk carries out many changes, each by itself; one that fails says why and the others stand. Of changes of one
// feed, those that come later win. The rows are read in one query, so that each change costs its write alone.
func (s *Service) Bulk(ctx context.Context, u reader.UserID, changes []BulkChange) ([]error, error) {
	if len(changes) > MaxBulk {
		return nil, fault.Newf(fault.TooLarge, "too_many_changes", "One call takes at most %d changes.", MaxBulk)
	}
	rows := map[reader.FeedID]*store.SubscriptionRow{}
	err := s.store.Subscriptions.EachLatest(ctx, u, func(r *store.SubscriptionRow) error {
		rows[r.Feed()] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	tree, err := s.store.Trees.Get(ctx, u, table.Consistent())
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
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(min(bulkAtOnce, s.atOnce))
	for _, id := range order {
		g.Go(func() error {
			row := rows[id]
			for _, i := range byFeed[id] {
				row, out[i] = s.one(gctx, u, row, changes[i], &tree)
			}
			return gctx.Err()
		})
	}
	return out, g.Wait()
}

// one carries out one change, and gives the row for the next of the same feed: nil when there is none any more.
func (s *Service) one(ctx context.Context, u reader.UserID, row *store.SubscriptionRow, c BulkChange, tree *reader.Tree) (*store.SubscriptionRow, error) {
	switch {
	case c.Leave:
		return nil, s.Leave(ctx, u, c.Feed)
	case row == nil:
		return nil, fault.Newf(fault.NotFound, "feed_not_found", "There is no such feed among your subscriptions.")
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

package webhook

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Each subscriber row says whether that user's webhooks want the feed's items, and whether the user has devices, which
// may be notified of them (package push). A user has up to a thousand feeds, so the rows are updated by messages, some
// at a time. Items that arrive before a feed's row is updated are delivered as well, because a webhook remembers since
// when it wants items.

// UpdateFeeds sends the message for markFeeds, and a second, delayed one: a subscription that was being added may have
// read the webhooks before the change and written its rows after markFeeds was there.
func (s *Service) UpdateFeeds(ctx context.Context, u reader.UserID) error {
	j := job.Job{Kind: job.Hooks, User: u}
	if err := s.send(ctx, j, settleAfter); err != nil {
		return err
	}
	return s.send(ctx, j, 0)
}

// markFeeds writes into the subscriber rows of a user's feeds above one whether webhooks want their items. Repeating it
// costs only reads.
//
// Two runs at the same time may have read different webhooks. Each reads them again after writing and starts another
// run if they have changed.
func (s *Service) markFeeds(ctx context.Context, u reader.UserID, after reader.FeedID) error {
	want, err := s.store.Webhooks.Wanted(ctx, u)
	if err != nil {
		return err
	}
	var ids []reader.FeedID
	err = s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		if id := row.Feed(); id > after {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	until := s.clock.Now().Add(budget)
	for i, id := range ids {
		if err := s.markFeed(ctx, u, id, want); err != nil {
			return err
		}
		if i+1 < len(ids) && s.clock.Now().After(until) {
			if err := s.send(ctx, job.Job{Kind: job.Hooks, User: u, After: id.String()}, 0); err != nil {
				return err
			}
			break
		}
	}
	return s.recheck(ctx, u, want)
}

// recheck starts another run if what was written is no longer wanted.
func (s *Service) recheck(ctx context.Context, u reader.UserID, wanted store.Wanted) error {
	want, err := s.store.Webhooks.Wanted(ctx, u)
	if err != nil || want.New == wanted.New && want.Notices == wanted.Notices {
		return err
	}
	return s.UpdateFeeds(ctx, u)
}

// markFeed marks one feed. A run that dies at any step is continued by the next one, of the same message.
func (s *Service) markFeed(ctx context.Context, u reader.UserID, id reader.FeedID, want store.Wanted) error {
	sub, err := s.store.Subscriptions.Subscriber(ctx, id, u)
	if err != nil {
		return fault.Ignore(err, fault.NotFound) // subscribing or unsubscribing is under way
	}
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	if sub.Noted == want.Notices && (sub.Hooked > 0 && want.New || sub.Hooked == 0 && !want.New) &&
		(f.Hooked || !want.New && !want.Notices) {
		return nil
	}
	if sub.Noted != want.Notices {
		if err := s.store.Subscriptions.SetNoted(ctx, id, u, want.Notices); err != nil {
			return err
		}
	}
	since := max(want.Since, 1)
	switch {
	case !want.New:
		err = s.store.Subscriptions.SetHooked(ctx, id, u, 0)
	case sub.Hooked == 0:
		err = s.store.Subscriptions.SetHooked(ctx, id, u, -since)
	}
	if err != nil {
		return err
	}
	if !want.New || sub.Hooked > 0 {
		return s.count.Recount(ctx, id)
	}
	if err := s.count.Hook(ctx, id, u, since); err != nil {
		return err
	}
	return s.store.Subscriptions.SetHooked(ctx, id, u, since)
}

package takeout

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// atOnce is how many subscriptions are left at a time.
const atOnce = 8

// Remove takes away all that is a user's. Each step may be the last that happens; asked again it goes on. The session
// that asked goes last: as long as it is there the user can ask again.
//
//  1. the other sessions and tokens, so that nobody else goes on writing
//  2. subscriptions: the mirror beside the feed, the feed's counts, then the row
//  3. identities: what opens, then what is listed
//  4. stars, labels, passkeys, settings, webhooks, imports; then their blobs
//  5. the claim of the address, the mark of the owner, the account
//  6. steps 2 and 4 once more: what was under way at the same moment, an import or a feed just added, has looked for
//     the account when it was done, and has taken back what it wrote, or has written it before this step
//  7. the session that asked
//
// Another instance believes an ended session for up to a minute: a setting that it wrote meanwhile, after step 6 went
// by, would stay; nothing leads to it.
func (s *Service) Remove(ctx context.Context, u reader.UserID, session string) error {
	accounts := s.store.Accounts
	for _, step := range []func() error{
		func() error { return s.endSessions(ctx, u, session) },
		func() error { return s.endTokens(ctx, u) },
		func() error { return s.leaveAll(ctx, u) },
		func() error { return accounts.EndIdentities(ctx, u) },
		func() error { return s.sweep(ctx, u) },
		func() error { return accounts.RemoveAccount(ctx, u) },
		func() error { return s.leaveAll(ctx, u) },
		func() error { return accounts.EndIdentities(ctx, u) },
		func() error { return s.sweep(ctx, u) },
		func() error { return s.endTokens(ctx, u) },
		func() error { return s.endSessions(ctx, u, "") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sweep takes away the rows that nobody else knows of, and the blobs that they name.
func (s *Service) sweep(ctx context.Context, u reader.UserID) error {
	if err := s.store.Accounts.SweepUser(ctx, u); err != nil {
		return err
	}
	if err := s.removeBlobs(ctx, store.StarPrefix+string(u)+"/"); err != nil {
		return err
	}
	return s.removeBlobs(ctx, store.ImportPrefix+string(u)+"/")
}

func (s *Service) endSessions(ctx context.Context, u reader.UserID, except string) error {
	_, err := s.doors.EndAll(ctx, u, except)
	return err
}

func (s *Service) endTokens(ctx context.Context, u reader.UserID) error {
	_, err := s.doors.EndTokens(ctx, u, "")
	return err
}

// leaveAll leaves every feed. Unlike one who unsubscribes, who may ask for the same feed again, it has nothing but
// the rows to know the feeds by: so each goes last.
func (s *Service) leaveAll(ctx context.Context, u reader.UserID) error {
	var feeds []reader.FeedID
	err := s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		feeds = append(feeds, row.Feed())
		return nil
	})
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, f := range feeds {
		g.Go(func() error {
			if err := s.store.Subscriptions.RemoveSubscriber(ctx, f, u); err != nil {
				return err
			}
			if err := s.feeds.Recount(ctx, f); err != nil {
				return err
			}
			return s.store.Subscriptions.Remove(ctx, u, f)
		})
	}
	return g.Wait()
}

func (s *Service) removeBlobs(ctx context.Context, prefix string) error {
	for {
		page, next, err := s.blobs.List(ctx, prefix, "", 0)
		if err != nil {
			return err
		}
		for _, o := range page {
			if err := s.blobs.Delete(ctx, o.Key); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
	}
}

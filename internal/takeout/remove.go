package takeout

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Remove removes all data of a user. It can crash after any step and be repeated. The session that asked goes last: as
// long as it exists the user can ask again.
//
//  1. the other sessions and tokens, so that none of them goes on writing
//  2. subscriptions: the subscriber row of the feed, the feed's counts, then the subscription
//  3. identities
//  4. stars, labels, passkeys, settings, webhooks, imports; then their blobs
//  5. the address, the owner's mark, the account
//  6. steps 2 and 4 once more: a concurrent import or subscription looks for the account when it is done and takes back
//     what it wrote, or has written it before this step
//  7. the session that asked
//
// Another instance accepts an ended session for up to a minute: a setting that it writes after step 6 stays; nothing
// refers to it.
func (s *Service) Remove(ctx context.Context, u reader.UserID, session string) error {
	accounts := s.store.Accounts
	endSessions := func(except string) func() error {
		return func() error { _, err := s.sessions.EndAll(ctx, u, except); return err }
	}
	endTokens := func() error { return s.sessions.RemoveTokens(ctx, u) }
	leave := func() error { return s.feeds.LeaveAll(ctx, u) }
	endIdentities := func() error { return accounts.EndIdentities(ctx, u) }
	sweep := func() error { return s.sweep(ctx, u) }
	removeAccount := func() error { return accounts.RemoveAccount(ctx, u) }
	for _, step := range []func() error{
		endSessions(session), endTokens, leave, endIdentities, sweep, removeAccount, leave, endIdentities, sweep,
		endTokens, endSessions(""),
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the rows that only the user has, and their blobs.
func (s *Service) sweep(ctx context.Context, u reader.UserID) error {
	if err := s.store.Accounts.SweepUser(ctx, u); err != nil {
		return err
	}
	for _, prefix := range []string{store.StarPrefix, store.ImportPrefix, store.PreviewPrefix} {
		if err := s.blobs.DeleteAll(ctx, prefix+string(u)+"/"); err != nil {
			return err
		}
	}
	return nil
}

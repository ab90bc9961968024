package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Repoint changes the address of one user's subscription (C-30); the feed itself stays for its other readers. The feed
// there is found or created as in Add, and takes the user's settings, saved searches, read state, stars and labels, by
// item identity; if the user reads it already the two subscriptions are merged. The old subscription is removed last: a
// crash before that leaves both, and repeating the call continues.
func (s *Service) Repoint(ctx context.Context, u reader.UserID, id reader.FeedID, raw string) (*store.FeedRow, error) {
	row, err := s.Store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	old, err := s.Store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	for _, known := range []string{old.URL, old.Proposed} {
		if raw == reader.ShownURL(known) { // a form sends back the address as shown, without its secrets
			raw = known
		}
	}
	if address, err := Normalise(raw); err != nil || address == old.URL {
		return old, err
	}
	if old.IsWatch() {
		return nil, errWatch
	}
	roomy := *s
	roomy.spare = 1 // the new subscription takes the place of the old one
	target, made, err := roomy.Add(ctx, u, raw, Options{
		Title: row.Title, Folders: row.Folders, Interval: row.Interval, Sample: row.Sample, NeverCount: row.NeverCount,
	})
	if err != nil || target.ID() == id {
		return target, err
	}
	if len(target.Hash) == 0 {
		// Before its first crawl its items are not known.
		return nil, fault.Coded(fault.Conflict, "feed_waiting")
	}
	places, err := s.Store.Items.Places(ctx, target)
	if err != nil {
		return nil, err
	}
	state, err := s.stateIn(ctx, u, old, target, row, places)
	if err != nil {
		return nil, err
	}
	there, err := s.Store.Subscriptions.Get(ctx, u, target.ID())
	if err != nil {
		return nil, err
	}
	if made || there.Untouched() {
		// Nobody has read there since it was made, by this call or by one that crashed.
		if there, err = s.takeOver(ctx, u, there, row); err != nil {
			return nil, err
		}
	} else {
		state.unread = nil
	}
	if err := s.copySnapshots(ctx, u, target.ID(), state.kept); err != nil {
		return nil, err
	}
	if err := s.moveState(ctx, u, old, target, state); err != nil {
		return nil, err
	}
	if err := s.moveSearches(ctx, u, id, target.ID()); err != nil {
		return nil, err
	}
	if err := s.Leave(ctx, u, id); err != nil {
		return nil, err
	}
	s.Log.Info("subscription moved", "feed_id", uint32(id), "into", uint32(target.ID()), "muted", there.Mute)
	return target, nil
}

// takeOver copies the user's settings from the old subscription to the new one.
func (s *Service) takeOver(ctx context.Context, u reader.UserID, there,
	from *store.SubscriptionRow) (*store.SubscriptionRow, error) {
	next := *there
	next.Position, next.Since = from.Position, min(from.Since, there.Since)
	next.Mute = there.Mute || from.Mute
	next.FullText = there.FullText || from.FullText
	next.Notify = there.Notify || from.Notify
	now, err := s.Store.Subscriptions.Change(ctx, u, there, &next)
	if fault.Is(err, fault.Conflict) {
		return there, nil // a concurrent change of the settings is newer
	}
	return now, err
}

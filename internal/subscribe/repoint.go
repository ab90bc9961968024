package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Repoint gives one user's subscription another address (C-30); the feed itself, which others read, stays as it is.
// The feed there is found or made as in Add, and takes what the user had set, read, starred and labelled, by item
// identity; where the user reads it already the two become one. The old subscription goes last: a crash before
// leaves both, and asking again goes on.
func (s *Service) Repoint(ctx context.Context, u reader.UserID, id reader.FeedID, raw string) (*store.FeedRow, error) {
	row, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	old, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	for _, known := range []string{old.URL, old.Proposed} {
		if raw == reader.ShownURL(known) { // a form that sends back what it was shown means the address behind it
			raw = known
		}
	}
	if address, err := Normalise(raw); err != nil || address == old.URL {
		return old, err
	}
	roomy := *s
	roomy.spare = 1 // the new subscription takes the place of the old one
	target, made, err := roomy.Add(ctx, u, raw, Wish{
		Title: row.Title, Folders: row.Folders, Interval: row.Interval, Sample: row.Sample,
	})
	if err != nil || target.ID() == id {
		return target, err
	}
	if len(target.Hash) == 0 {
		// Its first crawl is still to come, and what is read could not be told from what is not.
		return nil, fault.Newf(fault.Conflict, "feed_waiting", "The feed there has not been fetched yet.")
	}
	places, err := s.places(ctx, target)
	if err != nil {
		return nil, err
	}
	kept, marks, err := s.movingTo(ctx, u, id, target.ID(), places)
	if err != nil {
		return nil, err
	}
	state, err := s.stateIn(ctx, old, row, places)
	if err != nil {
		return nil, err
	}
	state.marks = marks
	there, err := s.store.Subscriptions.Get(ctx, u, target.ID())
	if err != nil {
		return nil, err
	}
	if made || there.Rev == 0 {
		// It was just made, by this call or by one that broke off: nobody has read there since.
		if there, err = s.takeOver(ctx, u, there, row); err != nil {
			return nil, err
		}
	} else {
		state.unread = nil
	}
	if err := s.bring(ctx, u, target.ID(), kept); err != nil {
		return nil, err
	}
	if err := s.learn(ctx, target, u, state); err != nil {
		return nil, err
	}
	if err := s.letGo(ctx, u, old, kept); err != nil {
		return nil, err
	}
	if err := s.Leave(ctx, u, id); err != nil {
		return nil, err
	}
	s.log.Info("subscription moved", "feed_id", uint32(id), "into", uint32(target.ID()), "muted", there.Mute)
	return target, nil
}

// takeOver gives a new subscription what the user had set for the old one.
func (s *Service) takeOver(ctx context.Context, u reader.UserID, there, from *store.SubscriptionRow) (*store.SubscriptionRow, error) {
	p := store.Patch{}
	if from.Position != there.Position {
		p["position"] = from.Position
	}
	if from.Since < there.Since {
		p["since"] = from.Since
	}
	if from.Mute {
		p["mute"] = true
	}
	if from.FullText {
		p["fullText"] = true
	}
	if from.Notify {
		p["notify"] = true
	}
	if len(p) == 0 {
		return there, nil
	}
	now, err := s.store.Subscriptions.Change(ctx, u, there, p)
	if fault.Is(err, fault.Conflict) {
		return there, nil // somebody sets it otherwise at this moment: theirs is newer
	}
	return now, err
}

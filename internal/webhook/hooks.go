package webhook

import (
	"context"
	"errors"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Wish is how a person wants a webhook; nil leaves a side as it is.
type Wish struct {
	URL     *string
	New     *bool
	Starred *bool
	Notify  *bool // new items only of feeds that notify
	On      *bool
	Renew   bool // another secret
}

// maxURL bounds an address.
const maxURL = 2000

func (s *Service) check(w Wish) error {
	if w.URL == nil {
		return nil
	}
	if len(*w.URL) > maxURL {
		return fault.Newf(fault.Invalid, "bad_webhook_url", "This is not an address that can be told of things.").At("url")
	}
	err := s.permits(*w.URL)
	var fe *fetch.Error
	if errors.As(err, &fe) && (fe.Code == fetch.CodeBlockedAddress || fe.Code == fetch.CodeBlockedPort) {
		return fault.Newf(fault.Invalid, "webhook_address_refused", "This address is not public, or at a port that is not opened.").At("url")
	}
	if err != nil {
		return fault.Newf(fault.Invalid, "bad_webhook_url", "This is not an address that can be told of things.").At("url")
	}
	return nil
}

// List gives a user's webhooks.
func (s *Service) List(ctx context.Context, u reader.UserID) ([]*store.WebhookRow, error) {
	return s.store.Webhooks.List(ctx, u)
}

// Create makes a webhook with a fresh secret. Its row first, then the message by which its feeds hear of it: who dies
// between has told nobody the secret.
func (s *Service) Create(ctx context.Context, u reader.UserID, w Wish) (*store.WebhookRow, error) {
	if w.URL == nil {
		w.URL = new(string)
	}
	if err := s.check(w); err != nil {
		return nil, err
	}
	row := store.WebhookRow{Created: s.now(), Secret: "ruri_hook_" + random(24)}
	apply(&row, w, s.now())
	if !row.New && !row.Starred {
		return nil, noEvents()
	}
	if err := s.room(ctx, u, MaxHooks-1); err != nil {
		return nil, err
	}
	made, err := s.store.Webhooks.Add(ctx, u, random(6), row)
	if err != nil {
		return nil, err
	}
	// Counted once more, for others may have been made meanwhile: of those that are too many none stays.
	if err = s.room(ctx, u, MaxHooks); err == nil && made.New && made.On() {
		err = s.askSettle(ctx, u)
	}
	if err != nil {
		return nil, errors.Join(err, s.store.Webhooks.Remove(ctx, u, made.Hook()))
	}
	return made, nil
}

// room tells that a user has at most so many webhooks.
func (s *Service) room(ctx context.Context, u reader.UserID, most int) error {
	list, err := s.List(ctx, u)
	if err == nil && len(list) > most {
		err = fault.Newf(fault.Conflict, "webhook_limit", "There are %d webhooks, the most there may be.", MaxHooks)
	}
	return err
}

func noEvents() error {
	return fault.Newf(fault.Invalid, "webhook_no_events", "A webhook is told of new items, of starred ones, or of both.").At("events")
}

// apply changes a row as wished. What arrived while it did not want new items, or was off, is not told later.
func apply(row *store.WebhookRow, w Wish, now int64) {
	wanted := row.New && row.On() && row.Since > 0
	if w.URL != nil && *w.URL != row.URL {
		row.URL, row.Failing = *w.URL, 0
	}
	set := func(field *bool, to *bool) {
		if to != nil {
			*field = *to
		}
	}
	set(&row.New, w.New)
	set(&row.Starred, w.Starred)
	set(&row.Notify, w.Notify)
	switch {
	case w.On == nil:
	case *w.On:
		if !row.On() {
			row.Off, row.OffAt, row.Failing = "", 0, 0
		}
	case row.On():
		row.Off, row.OffAt = OffByUser, now
	}
	if w.Renew {
		row.Secret = "ruri_hook_" + random(24)
	}
	if row.New && row.On() && !wanted {
		row.Since = now
	}
}

// Update changes a webhook, and lets the feeds hear of it.
func (s *Service) Update(ctx context.Context, u reader.UserID, id string, w Wish) (*store.WebhookRow, error) {
	was, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	if w.URL != nil && *w.URL == reader.ShownURL(was.URL) {
		w.URL = nil // as it was shown, and not changed
	}
	if err := s.check(w); err != nil {
		return nil, err
	}
	next := *was
	if apply(&next, w, s.now()); !next.New && !next.Starred {
		return nil, noEvents()
	}
	row, err := s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) bool {
		apply(row, w, s.now())
		return true
	})
	if err == nil && (w.New != nil || w.On != nil) {
		err = s.askSettle(ctx, u)
	}
	return row, err
}

// Delete takes a webhook away, with what it was still to be told.
func (s *Service) Delete(ctx context.Context, u reader.UserID, id string) error {
	if _, err := s.store.Webhooks.Get(ctx, u, id); err != nil {
		return err
	}
	if err := s.store.Webhooks.Remove(ctx, u, id); err != nil {
		return err
	}
	return s.askSettle(ctx, u)
}

// Test makes one delivery without items, once, and tells how it ended.
func (s *Service) Test(ctx context.Context, u reader.UserID, id string) (store.HookOutcome, error) {
	hook, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return store.HookOutcome{}, err
	}
	out, err := s.post(ctx, hook, &Body{Event: EventTest, Delivery: random(16), Items: []Item{}})
	if err != nil {
		return out, err
	}
	_, err = s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) bool {
		seen := append([]store.HookOutcome{out}, row.Seen()...)
		row.SetSeen(seen[:min(len(seen), keptOutcomes)])
		return true
	})
	return out, err
}

// Resend makes a delivery that was given up again, under its id. The message goes first, then it leaves the list.
func (s *Service) Resend(ctx context.Context, u reader.UserID, id, delivery string) (*store.WebhookRow, error) {
	hook, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	if !hook.On() {
		return nil, fault.Newf(fault.Conflict, "webhook_off", "This webhook is switched off.")
	}
	is := func(d store.DeadDelivery) bool { return d.Delivery == delivery }
	i := slices.IndexFunc(hook.GivenUp(), is)
	if i < 0 {
		return nil, fault.Newf(fault.NotFound, "delivery_not_found", "This delivery is not among those given up.")
	}
	d := hook.GivenUp()[i]
	j := job.Job{Kind: job.Hook, User: u, Hook: id, First: d.First, Item: d.Item}
	if d.Feed != 0 {
		j.Feeds = []reader.FeedID{d.Feed}
	}
	if err := s.send(ctx, j, 0); err != nil {
		return nil, err
	}
	return s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) bool {
		row.SetGivenUp(slices.DeleteFunc(row.GivenUp(), is))
		return true
	})
}

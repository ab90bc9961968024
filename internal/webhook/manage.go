package webhook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Change has the settings of a webhook that a user changes; nil keeps a setting.
type Change struct {
	URL    *string
	Events *[]string // all that it wants, of Events
	Notify *bool     // new items only of feeds that notify
	// Format, and the template and headers of FormatOwn; Key is the name of a key among the owner's settings.
	Format, Template, Key *string
	Headers               *map[string]string
	Search                *reader.SearchID // only matches of a saved search; 0: everything
	On                    *bool
	Renew                 bool // replace the secret
}

// flag returns the field of a row that says whether a webhook wants an event; nil for an unknown event.
func flag(row *store.WebhookRow, event string) *bool {
	return map[string]*bool{
		EventNew: &row.New, EventStarred: &row.Starred, EventStopped: &row.Stopped, EventProblem: &row.Problem,
		EventServer: &row.Server, EventBudget: &row.Budget, EventSent: &row.Sent,
	}[event]
}

// EventsOf lists the events that a webhook wants.
func EventsOf(row *store.WebhookRow) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return !*flag(row, e) })
}

func (s *Service) check(w Change) error {
	if w.Events != nil && (len(*w.Events) == 0 ||
		slices.ContainsFunc(*w.Events, func(e string) bool { return !slices.Contains(events, e) })) {
		return fault.Coded(fault.Invalid, "webhook_no_events").At("events")
	}
	if w.URL == nil {
		return nil
	}
	address := strings.ReplaceAll(*w.URL, keyMark, "key")
	err := s.permits(address)
	var fe *fetch.Error
	switch {
	case errors.As(err, &fe) && (fe.Code == fetch.CodeBlockedAddress || fe.Code == fetch.CodeBlockedPort):
		return fault.Coded(fault.Invalid, "webhook_address_refused").At("url")
	case err != nil || len(*w.URL) > reader.MaxURL || // the key chooses no host
		fetch.HostOf(address) != fetch.HostOf(strings.ReplaceAll(*w.URL, keyMark, "other")):
		return fault.Coded(fault.Invalid, "bad_webhook_url").At("url")
	}
	return nil
}

// List returns a user's webhooks.
func (s *Service) List(ctx context.Context, u reader.UserID) ([]*store.WebhookRow, error) {
	return s.store.Webhooks.List(ctx, u)
}

// Create adds a webhook with a new secret. Its row is written before the message that marks its feeds: after a crash in
// between, the secret is unknown to the user.
func (s *Service) Create(ctx context.Context, u reader.UserID, w Change) (*store.WebhookRow, error) {
	w.URL, w.Events = cmp.Or(w.URL, new(string)), cmp.Or(w.Events, &[]string{})
	if err := s.check(w); err != nil {
		return nil, err
	}
	row := store.WebhookRow{Created: s.now(), Secret: newSecret()}
	apply(&row, w, s.now())
	for _, check := range []func() error{
		func() error { return s.checkBudget(ctx, u, &row) },
		func() error { return s.checkFormat(ctx, u, &row) },
		func() error { return s.checkSearch(ctx, u, reader.SearchID(row.Search)) },
		func() error { return s.checkCount(ctx, u, MaxHooks-1) },
	} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	made, err := s.store.Webhooks.Add(ctx, u, random(6), row)
	if err != nil {
		return nil, err
	}
	// Counted again, because others may have been added at the same time: those above the limit are removed.
	if err = s.checkCount(ctx, u, MaxHooks); err == nil && made.New && made.On() {
		err = s.UpdateFeeds(ctx, u)
	}
	if err != nil {
		return nil, errors.Join(err, s.store.Webhooks.Remove(ctx, u, made.Hook()))
	}
	return made, nil
}

// checkFormat returns an error if a webhook cannot be sent to in its format.
func (s *Service) checkFormat(ctx context.Context, u reader.UserID, row *store.WebhookRow) error {
	f, known := formats[row.Form]
	if !known && row.Form != "" {
		return fault.Coded(fault.Invalid, "webhook_bad_format").At("format")
	}
	if row.Form == FormatOwn {
		if _, err := templateType(row.Template); err != nil {
			return err
		}
		if err := checkHeaders(row.ShownHeaders()); err != nil {
			return err
		}
	}
	inPath := strings.Contains(row.URL, keyMark)
	if row.Key == "" && (f.needsKey || inPath) || f.inPath && !inPath || row.Form == "" && row.Key != "" {
		return fault.Coded(fault.Invalid, "webhook_needs_key").At("key")
	}
	_, err := s.key(ctx, u, row.Key, row.URL)
	return err
}

// checkBudget returns an error if a webhook tells others than the owner of the bill.
func (s *Service) checkBudget(ctx context.Context, u reader.UserID, row *store.WebhookRow) error {
	if !row.Budget {
		return nil
	}
	a, err := s.store.Accounts.Get(ctx, u)
	if err == nil && !a.Owner {
		err = fault.Coded(fault.Forbidden, "owner_only").At("events")
	}
	return err
}

// checkSearch returns an error if a webhook cannot be for a saved search.
func (s *Service) checkSearch(ctx context.Context, u reader.UserID, id reader.SearchID) error {
	if id == 0 {
		return nil
	}
	_, err := s.Find(ctx, u, id)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.NotFound {
		err = e.At("searchId")
	}
	return err
}

// checkCount returns an error if a user has more than so many webhooks.
func (s *Service) checkCount(ctx context.Context, u reader.UserID, most int) error {
	list, err := s.List(ctx, u)
	if err == nil && len(list) > most {
		err = fault.Coded(fault.Conflict, "webhook_limit", MaxHooks)
	}
	return err
}

func newSecret() string { return "ruri_hook_" + random(24) }

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// apply changes a row. Items that arrived while the webhook was off or did not want new items are not delivered later.
func apply(row *store.WebhookRow, w Change, now int64) {
	wanted := row.New && row.On() && row.Since > 0
	if w.URL != nil && *w.URL != row.URL {
		row.URL, row.Failing = *w.URL, 0
	}
	if w.Events != nil {
		for _, e := range events {
			*flag(row, e) = slices.Contains(*w.Events, e)
		}
	}
	set(&row.Form, w.Format)
	set(&row.Template, w.Template)
	set(&row.Key, w.Key)
	if w.Headers != nil {
		row.SetHeaders(*w.Headers)
	}
	if row.Form == FormatRuri {
		row.Form = ""
	}
	if row.Form != FormatOwn {
		row.Template, row.Headers = "", nil
	}
	set(&row.Notify, w.Notify)
	if w.Search != nil {
		row.Search = int32(*w.Search)
	}
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
		row.Secret = newSecret()
	}
	if row.New && row.On() && !wanted {
		row.Since = now
	}
}

// Update changes a webhook and marks the user's feeds accordingly.
func (s *Service) Update(ctx context.Context, u reader.UserID, id string, w Change) (*store.WebhookRow, error) {
	was, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	if w.URL != nil && *w.URL == reader.ShownURL(was.URL) {
		w.URL = nil // as it was displayed: not changed
	}
	if err := s.check(w); err != nil {
		return nil, err
	}
	next := *was
	apply(&next, w, s.now())
	if err := s.checkBudget(ctx, u, &next); err != nil {
		return nil, err
	}
	if w.URL != nil || w.Format != nil || w.Template != nil || w.Key != nil || w.Headers != nil {
		if err := s.checkFormat(ctx, u, &next); err != nil {
			return nil, err
		}
	}
	if w.Search != nil || w.On != nil && *w.On {
		if err := s.checkSearch(ctx, u, reader.SearchID(next.Search)); err != nil {
			return nil, err
		}
	}
	row, err := s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) { apply(row, w, s.now()) })
	if err == nil && (w.Events != nil || w.On != nil) {
		err = s.UpdateFeeds(ctx, u)
	}
	return row, err
}

// Delete removes a webhook with its pending deliveries.
func (s *Service) Delete(ctx context.Context, u reader.UserID, id string) error {
	if _, err := s.store.Webhooks.Get(ctx, u, id); err != nil {
		return err
	}
	if err := s.store.Webhooks.Remove(ctx, u, id); err != nil {
		return err
	}
	return s.UpdateFeeds(ctx, u)
}

// Test makes one delivery without items, without retries, and returns its outcome.
func (s *Service) Test(ctx context.Context, u reader.UserID, id string) (store.HookOutcome, error) {
	hook, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return store.HookOutcome{}, err
	}
	out, _, err := s.post(ctx, u, hook, &Body{Event: EventTest, Delivery: random(16), Items: []Item{}})
	if err != nil {
		return out, err
	}
	_, err = s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) { addOutcome(row, out) })
	return out, err
}

// Resend repeats a delivery that was given up, under its id. The message is sent before the delivery leaves the list.
func (s *Service) Resend(ctx context.Context, u reader.UserID, id, delivery string) (*store.WebhookRow, error) {
	hook, err := s.store.Webhooks.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	if !hook.On() {
		return nil, fault.Coded(fault.Conflict, "webhook_off")
	}
	is := func(d store.DeadDelivery) bool { return d.Delivery == delivery }
	i := slices.IndexFunc(hook.GivenUp(), is)
	if i < 0 {
		return nil, fault.Coded(fault.NotFound, "delivery_not_found")
	}
	d := hook.GivenUp()[i]
	j := job.Job{Kind: job.Hook, User: u, Hook: id, First: d.First, Item: d.Item}
	if d.Item != 0 && d.Event != EventStarred || d.Event == EventServer || d.Event == EventBudget {
		j.Event = d.Event
	}
	if d.Feed != 0 {
		j.Feeds = []reader.FeedID{d.Feed}
	}
	if err := s.send(ctx, j, 0); err != nil {
		return nil, err
	}
	return s.store.Webhooks.Change(ctx, u, id, func(row *store.WebhookRow) {
		row.SetGivenUp(slices.DeleteFunc(row.GivenUp(), is))
	})
}

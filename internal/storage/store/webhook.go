package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// WebhookRow is a user's webhook, a URL that is notified of new or starred items, with the state of its deliveries.
type WebhookRow struct {
	rowKey

	URL     string `dynamo:"url"`
	Secret  string `dynamo:"secret"` // signs deliveries
	New     bool   `dynamo:"new,omitempty"`
	Starred bool   `dynamo:"starred,omitempty"`
	Stopped bool   `dynamo:"stopped,omitempty"` // a feed stops
	Problem bool   `dynamo:"problem,omitempty"` // a watch stops, or its page cannot be read
	Budget  bool   `dynamo:"budget,omitempty"`  // the owner's: the month's bill comes near its limit
	Notify  bool   `dynamo:"notify,omitempty"`  // new items only of feeds whose user wants to be notified
	Server  bool   `dynamo:"server,omitempty"`  // the owner's server has a problem
	Sent    bool   `dynamo:"sent,omitempty"`    // a person or a rule sends single items to it
	// Form is the format of what is sent, empty for our own; Template and Headers (JSON) are those of a user's own.
	Form     string `dynamo:"form,omitempty"`
	Template string `dynamo:"template,omitempty"`
	Headers  []byte `dynamo:"headers,omitempty"`
	// Key is the name of a key that the settings hold; the key itself is in no row.
	Key string `dynamo:"key,omitempty"`
	// Search is a saved search (reader.SearchID) whose matches alone are delivered; 0 for none.
	Search  int32 `dynamo:"search,omitempty"`
	Created int64 `dynamo:"created"` // Unix milliseconds, as all below
	// Since is the arrival time from which items are delivered: when it was made, or last enabled.
	Since int64 `dynamo:"since,omitempty"`
	// Off is the reason why it is disabled, empty while it is enabled.
	Off   string `dynamo:"off,omitempty"`
	OffAt int64  `dynamo:"offAt,omitempty"`

	// Failing is since when no delivery succeeded, 0 when the last one did; Okay is the last success, written at most
	// every six hours.
	Failing int64 `dynamo:"failing,omitempty"`
	Okay    int64 `dynamo:"okay,omitempty"`
	// JSON: the last deliveries that failed, or were the first to succeed again, newest first
	Outcomes []byte `dynamo:"outcomes,omitempty"`
	Dead     []byte `dynamo:"dead,omitempty"` // JSON: abandoned deliveries, newest first
	Rev      int64  `dynamo:"rev,omitempty"`
}

// HookOutcome is the outcome of one attempt at a delivery.
type HookOutcome struct {
	Delivery string `json:"id"`
	Event    string `json:"event"`
	At       int64  `json:"at"`
	Status   int    `json:"status,omitempty"`
	Code     string `json:"code,omitempty"` // empty on success
	Millis   int64  `json:"ms,omitempty"`
}

// DeadDelivery is an abandoned delivery; First or Item tell what to deliver on a retry.
type DeadDelivery struct {
	HookOutcome
	Feed  reader.FeedID `json:"feed,omitempty"`
	First reader.Seq    `json:"first,omitempty"` // of the items' delta
	Item  reader.ItemID `json:"item,omitempty"`
	Tries int           `json:"tries"`
}

// Hook returns the webhook's id, from the row's key.
func (r *WebhookRow) Hook() string { return strings.TrimPrefix(r.SK, "H#") }

// On reports whether the webhook is enabled.
func (r *WebhookRow) On() bool { return r.Off == "" }

// Seen returns the last outcomes; none when they cannot be decoded.
func (r *WebhookRow) Seen() (list []HookOutcome) {
	_ = json.Unmarshal(r.Outcomes, &list)
	return list
}

// GivenUp returns the abandoned deliveries; none when they cannot be decoded.
func (r *WebhookRow) GivenUp() (list []DeadDelivery) {
	_ = json.Unmarshal(r.Dead, &list)
	return list
}

// SetHeaders replaces the headers of a user's own format.
func (r *WebhookRow) SetHeaders(headers map[string]string) {
	r.Headers = nil
	if len(headers) > 0 {
		r.Headers, _ = json.Marshal(headers)
	}
}

// ShownHeaders returns the headers of a user's own format; none when they cannot be decoded.
func (r *WebhookRow) ShownHeaders() (headers map[string]string) {
	_ = json.Unmarshal(r.Headers, &headers)
	return headers
}

// SetSeen replaces the last outcomes.
func (r *WebhookRow) SetSeen(list []HookOutcome) { r.Outcomes, _ = json.Marshal(list) }

// SetGivenUp replaces the abandoned deliveries.
func (r *WebhookRow) SetGivenUp(list []DeadDelivery) {
	r.Dead = nil
	if len(list) > 0 {
		r.Dead, _ = json.Marshal(list)
	}
}

// Webhooks reads and writes users' webhooks.
type Webhooks struct{ t *table.Table }

// List returns a user's webhooks, in order of id. It reads consistently: an item is never delivered to a webhook that
// was not seen when the item arrived.
func (s *Webhooks) List(ctx context.Context, u reader.UserID) ([]*WebhookRow, error) {
	return list[WebhookRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: "H#", Consistent: true})
}

// Get reads a webhook consistently: NotFound "webhook_not_found".
func (s *Webhooks) Get(ctx context.Context, u reader.UserID, id string) (*WebhookRow, error) {
	return get[WebhookRow](ctx, s.t, webhookKey(u, id), "webhook_not_found", table.Consistent())
}

// Add writes a new webhook.
func (s *Webhooks) Add(ctx context.Context, u reader.UserID, id string, row WebhookRow) (*WebhookRow, error) {
	return &row, put(ctx, s.t, webhookKey(u, id), &row, table.IfAbsent())
}

// Change changes a webhook in one write and returns the changed row. change may run more than once.
func (s *Webhooks) Change(ctx context.Context, u reader.UserID, id string, change func(*WebhookRow)) (row *WebhookRow,
	err error) {
	err = Retry("webhook_contended", func() error {
		if row, err = s.Get(ctx, u, id); err != nil {
			return err
		}
		read := row.Rev
		change(row)
		row.Rev = read + 1
		return s.t.Put(ctx, row, table.IfPresent(), table.IfEqual("rev", read))
	})
	return row, err
}

// Remove deletes a webhook; an absent one is no error.
func (s *Webhooks) Remove(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, webhookKey(u, id))
}

// SetHooked sets Subscriber.Hooked; a subscriber that has unsubscribed is ignored.
func (s *Subscriptions) SetHooked(ctx context.Context, f reader.FeedID, u reader.UserID, since int64) error {
	upd := table.Update{If: []table.Cond{table.IfPresent()}, Set: map[string]any{"hooked": since}}
	if since == 0 {
		upd.Set, upd.Remove = nil, []string{"hooked"}
	}
	return ignoreConflict(s.t.Update(ctx, subscriberKey(f, u), upd))
}

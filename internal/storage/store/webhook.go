package store

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// WebhookRow is one address of a user's that is told of new or starred items, and how that goes.
type WebhookRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	URL     string `dynamo:"url"`
	Secret  string `dynamo:"secret"` // signs deliveries
	New     bool   `dynamo:"new,omitempty"`
	Starred bool   `dynamo:"starred,omitempty"`
	Notify  bool   `dynamo:"notify,omitempty"` // new items only of feeds whose user wants to be notified
	Created int64  `dynamo:"created"`          // Unix milliseconds, as all below
	// Since is from when on what arrives is told: when it was made, or last switched on.
	Since int64 `dynamo:"since,omitempty"`
	// Off is why it is switched off, empty while it is on.
	Off   string `dynamo:"off,omitempty"`
	OffAt int64  `dynamo:"offAt,omitempty"`

	// Failing is since when no delivery got through, 0 when the last one did; Okay is when one last did, written
	// at most hourly.
	Failing  int64  `dynamo:"failing,omitempty"`
	Okay     int64  `dynamo:"okay,omitempty"`
	Outcomes []byte `dynamo:"outcomes,omitempty"` // JSON: of the last deliveries that failed or healed, newest first
	Dead     []byte `dynamo:"dead,omitempty"`     // JSON: deliveries given up, newest first
	Rev      int64  `dynamo:"rev,omitempty"`
}

// HookOutcome is how one try of one delivery ended.
type HookOutcome struct {
	Delivery string `json:"id"`
	Event    string `json:"event"`
	At       int64  `json:"at"`
	Status   int    `json:"status,omitempty"`
	Code     string `json:"code,omitempty"` // empty when it got through
	Millis   int64  `json:"ms,omitempty"`
}

// DeadDelivery is one that was given up; with First or Item it can be made again.
type DeadDelivery struct {
	HookOutcome
	Feed  reader.FeedID `json:"feed,omitempty"`
	First reader.Seq    `json:"first,omitempty"` // of the items' delta
	Item  reader.ItemID `json:"item,omitempty"`
	Tries int           `json:"tries"`
}

// Hook is the row's id, from its key.
func (r *WebhookRow) Hook() string { return strings.TrimPrefix(r.SK, "H#") }

// On tells that it is told of things.
func (r *WebhookRow) On() bool { return r.Off == "" }

// Seen gives the last outcomes, GivenUp the deliveries given up; damaged ones are none.
func (r *WebhookRow) Seen() (list []HookOutcome) {
	_ = json.Unmarshal(r.Outcomes, &list)
	return list
}

// GivenUp gives the deliveries that were given up.
func (r *WebhookRow) GivenUp() (list []DeadDelivery) {
	_ = json.Unmarshal(r.Dead, &list)
	return list
}

// SetSeen and SetGivenUp replace the lists.
func (r *WebhookRow) SetSeen(list []HookOutcome) { r.Outcomes, _ = json.Marshal(list) }

// SetGivenUp replaces the deliveries given up.
func (r *WebhookRow) SetGivenUp(list []DeadDelivery) {
	r.Dead = nil
	if len(list) > 0 {
		r.Dead, _ = json.Marshal(list)
	}
}

// Webhooks reads and writes users' webhooks.
type Webhooks struct{ t *table.Table }

// List gives a user's webhooks, in order of id. It sees every acknowledged write: what a webhook is not seen for, it
// is never told.
func (s *Webhooks) List(ctx context.Context, u reader.UserID) ([]*WebhookRow, error) {
	var list []*WebhookRow
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "H#", Consistent: true}, func(it table.Row) error {
		row := new(WebhookRow)
		if err := it.Decode(row); err != nil {
			return err
		}
		list = append(list, row)
		return nil
	})
	return list, err
}

// WantNew tells whether a webhook of the user, that is on, wants new items.
func (s *Webhooks) WantNew(ctx context.Context, u reader.UserID) (bool, error) {
	wants, _, err := s.WantNewSince(ctx, u)
	return wants, err
}

// WantNewSince is WantNew, and from when on what arrives is to be told to the first of them, in Unix milliseconds.
func (s *Webhooks) WantNewSince(ctx context.Context, u reader.UserID) (wants bool, since int64, err error) {
	list, err := s.List(ctx, u)
	for _, r := range list {
		if r.New && r.On() && (!wants || r.Since < since) {
			wants, since = true, r.Since
		}
	}
	return wants, since, err
}

// Get reads one webhook consistently: it is read to be changed.
func (s *Webhooks) Get(ctx context.Context, u reader.UserID, id string) (*WebhookRow, error) {
	var row WebhookRow
	err := s.t.Get(ctx, webhookKey(u, id), &row, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil, fault.Newf(fault.NotFound, "webhook_not_found", "There is no such webhook.")
	}
	return &row, err
}

// Add writes a new webhook.
func (s *Webhooks) Add(ctx context.Context, u reader.UserID, id string, row WebhookRow) (*WebhookRow, error) {
	k := webhookKey(u, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return &row, s.t.Put(ctx, row, table.IfAbsent())
}

// webhookTries bounds how often a change is tried again after another one came between.
const webhookTries = 8

// Change changes a webhook as one write and gives it as it then is. The function may run more than once; when it
// says false, nothing is written.
func (s *Webhooks) Change(ctx context.Context, u reader.UserID, id string, change func(*WebhookRow) bool) (*WebhookRow, error) {
	for range webhookTries {
		row, err := s.Get(ctx, u, id)
		if err != nil {
			return nil, err
		}
		read := row.Rev
		if !change(row) {
			return row, nil
		}
		row.Rev = read + 1
		err = s.t.Put(ctx, *row, table.IfPresent(), table.IfEqual("rev", read))
		if !fault.Is(err, fault.Conflict) {
			return row, err
		}
	}
	return nil, fault.New(fault.Unavailable, "webhook_contended", "store: webhook", nil)
}

// Remove deletes a webhook; absent is success.
func (s *Webhooks) Remove(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, webhookKey(u, id))
}

// SetHooked notes that webhooks of a subscriber want a feed's new items from now on, or with 0 that none does any
// more. One that does already keeps what it was told. Who has left is left alone.
func (s *Subscriptions) SetHooked(ctx context.Context, f reader.FeedID, u reader.UserID, since int64, told uint32) error {
	upd := table.Update{If: []table.Cond{table.IfPresent(), table.IfEqual("hooked", int64(0))}, Set: map[string]any{"hooked": since, "told": told}}
	if since == 0 {
		upd = table.Update{If: []table.Cond{table.IfPresent()}, Remove: []string{"hooked", "told"}}
	}
	err := s.t.Update(ctx, subscriberKey(f, u), upd)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// SetTold moves what a subscriber's webhooks were told of, if it is still what was read; Conflict when not.
func (s *Subscriptions) SetTold(ctx context.Context, f reader.FeedID, sub Subscriber, told uint32) error {
	return s.t.Update(ctx, subscriberKey(f, sub.User), table.Update{
		Set: map[string]any{"told": told}, If: []table.Cond{table.IfPresent(), table.IfEqual("hooked", sub.Hooked), table.IfEqual("told", sub.Told)},
	})
}

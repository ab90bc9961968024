package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// States of the subscription at a hub.
const (
	HubAsked    = "asked"    // requested, not verified yet
	HubVerified = "verified" // pushes come until Lease
	HubSilent   = "silent"   // verified, but a poll found items that were not pushed
	HubDenied   = "denied"   // the hub refused
	HubLeaving  = "leaving"  // being unsubscribed: the feed has no subscribers
)

// HubRow is the subscription to a feed at its WebSub hub. Times are Unix seconds.
type HubRow struct {
	rowKey

	Hub    string `dynamo:"hub"`
	Topic  string `dynamo:"topic"`
	Secret string `dynamo:"secret"` // the hub signs its pushes with it
	Token  string `dynamo:"token"`  // part of the callback URL
	State  string `dynamo:"state"`
	Asked  int64  `dynamo:"asked,omitempty"` // the last request
	Tries  int32  `dynamo:"tries,omitempty"` // requests in a row that were not verified
	Lease  int64  `dynamo:"lease,omitempty"` // verified until then
}

// Feed returns the feed's number, from the row's key.
func (h *HubRow) Feed() reader.FeedID { return feedOf(h.PK) }

// Hubs reads and writes subscriptions at hubs.
type Hubs struct{ t *table.Table }

// Get reads a feed's row consistently; nil when there is none.
func (s *Hubs) Get(ctx context.Context, f reader.FeedID) (*HubRow, error) {
	row, err := getOrZero[HubRow](ctx, s.t, hubKey(f), table.Consistent())
	if err != nil || !row.isStored() {
		return nil, err
	}
	return &row, nil
}

// Put writes a row if the stored one is unchanged since it was read (nil: there was none); else Conflict.
func (s *Hubs) Put(ctx context.Context, f reader.FeedID, row HubRow, read *HubRow) error {
	if read == nil {
		return put(ctx, s.t, hubKey(f), &row, table.IfAbsent())
	}
	return put(ctx, s.t, hubKey(f), &row, table.IfPresent(), table.IfEqual("token", read.Token),
		table.IfEqual("state", read.State),
		table.IfEqual("asked", read.Asked), table.IfEqual("lease", read.Lease))
}

// Remove deletes a row if it still has this token.
func (s *Hubs) Remove(ctx context.Context, f reader.FeedID, token string) error {
	return ignoreConflict(s.t.Delete(ctx, hubKey(f), table.IfEqual("token", token)))
}

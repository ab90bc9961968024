package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// States of what is agreed with a hub.
const (
	HubAsked    = "asked"    // a request is under way, or was not answered
	HubVerified = "verified" // pushes come until Lease
	HubSilent   = "silent"   // verified, but a poll found news that were not pushed
	HubDenied   = "denied"   // the hub refused
	HubLeaving  = "leaving"  // nobody reads the feed any more
)

// HubRow is what is agreed with a feed's WebSub hub. Times are Unix seconds.
type HubRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Hub    string `dynamo:"hub"`
	Topic  string `dynamo:"topic"`
	Secret string `dynamo:"secret"` // signs what the hub pushes
	Token  string `dynamo:"token"`  // in the address that the hub calls
	State  string `dynamo:"state"`
	Asked  int64  `dynamo:"asked,omitempty"` // the last request
	Tries  int32  `dynamo:"tries,omitempty"` // requests in a row that were not verified
	Lease  int64  `dynamo:"lease,omitempty"` // verified until then
}

// Feed is the feed's number, from the row's key.
func (h *HubRow) Feed() reader.FeedID { return (&DeltaRow{PK: h.PK}).Feed() }

// Hubs reads and writes what is agreed with hubs.
type Hubs struct{ t *table.Table }

// Get reads a row consistently; nil when there is none.
func (s *Hubs) Get(ctx context.Context, f reader.FeedID) (*HubRow, error) {
	var row HubRow
	err := s.t.Get(ctx, hubKey(f), &row, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &row, nil
}

// Put writes a row if what is there is still what was read, nil being nothing.
func (s *Hubs) Put(ctx context.Context, f reader.FeedID, row HubRow, read *HubRow) error {
	k := hubKey(f)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	if read == nil {
		return s.t.Put(ctx, row, table.IfAbsent())
	}
	return s.t.Put(ctx, row, table.IfPresent(), table.IfEqual("token", read.Token), table.IfEqual("state", read.State),
		table.IfEqual("asked", read.Asked), table.IfEqual("lease", read.Lease))
}

// Remove deletes a row, if its token is still this.
func (s *Hubs) Remove(ctx context.Context, f reader.FeedID, token string) error {
	err := s.t.Delete(ctx, hubKey(f), table.IfEqual("token", token))
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// LeftFor is how long the reading of a feed that a user left is kept for their coming back.
const LeftFor = 24 * time.Hour

// leftRow is what a user had read of a feed that they left. What they starred and labelled is in rows of its own, and
// what they set they set anew.
type leftRow struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	V      int    `dynamo:"v"`
	Rev    int64  `dynamo:"rev,omitempty"`
	Upto   uint32 `dynamo:"upto,omitempty"`
	Runs   []byte `dynamo:"runs,omitempty"`
	Hid    []byte `dynamo:"hid,omitempty"`
	Ruled  uint32 `dynamo:"ruled,omitempty"`
	Shown  []byte `dynamo:"shown,omitempty"`
	Ops    []byte `dynamo:"ops,omitempty"`
	Tally  []byte `dynamo:"tally,omitempty"`
	ReadAt int64  `dynamo:"readAt,omitempty"`
	TTL    int64  `dynamo:"ttl"`
}

// PutLeft keeps the reading of a subscription that is about to be removed. One in which nothing was ever read has none.
func (s *Subscriptions) PutLeft(ctx context.Context, u reader.UserID, r *SubscriptionRow, now time.Time) error {
	if r.Rev == 0 {
		return nil
	}
	k := leftKey(u, r.Feed())
	return s.t.Put(ctx, leftRow{
		PK: k.PK, SK: k.SK, V: SchemaVersion, Rev: r.Rev, Upto: r.Upto, Runs: r.Runs, Hid: r.Hid, Ruled: r.Ruled, Shown: r.Shown,
		Ops: r.Ops, Tally: r.Tally, ReadAt: r.ReadAt, TTL: now.Add(LeftFor).Unix(),
	})
}

// TakeUp gives a subscription that is about to be made the reading that its user left there within LeftFor; there may
// be none.
func (s *Subscriptions) TakeUp(ctx context.Context, u reader.UserID, f reader.FeedID, r *SubscriptionRow) error {
	var left leftRow
	err := s.t.Get(ctx, leftKey(u, f), &left, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// Another version than any that there was: what was to be undone then cannot be undone now.
	r.Rev, r.Upto, r.Runs, r.Hid, r.Ruled, r.Shown = left.Rev+1, left.Upto, left.Runs, left.Hid, left.Ruled, left.Shown
	r.Ops, r.Tally, r.ReadAt = left.Ops, left.Tally, left.ReadAt
	return nil
}

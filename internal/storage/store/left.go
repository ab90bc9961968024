package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// LeftFor is how long the read state of an ended subscription is kept in case the user subscribes again.
const LeftFor = 24 * time.Hour

// leftRow is the read state of an ended subscription. Stars and labels are in rows of their own; settings are not kept.
type leftRow struct {
	rowKey
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

// PutLeft keeps the read state of a subscription that is about to be removed, if it was ever changed.
func (s *Subscriptions) PutLeft(ctx context.Context, u reader.UserID, r *SubscriptionRow, at time.Time) error {
	if r.Untouched() {
		return nil
	}
	now := r.WithState(r.positions.In(r.Feed(), r.state()))
	if r.Rev == 0 && now.Upto == r.Upto && len(now.Runs) == 0 {
		return nil // its marks were undone
	}
	r = &now
	return put(ctx, s.t, leftKey(u, r.Feed()), &leftRow{
		Rev: r.Rev, Upto: r.Upto, Runs: r.Runs, Hid: r.Hid, Ruled: r.Ruled, Shown: r.Shown,
		Ops: r.Ops, Tally: r.Tally, ReadAt: r.ReadAt, TTL: at.Add(LeftFor).Unix(),
	})
}

// TakeUp restores in a new subscription the read state that PutLeft kept; there may be none.
func (s *Subscriptions) TakeUp(ctx context.Context, u reader.UserID, f reader.FeedID, r *SubscriptionRow) error {
	left, err := getOrZero[leftRow](ctx, s.t, leftKey(u, f), table.Consistent())
	if err != nil || !left.isStored() {
		return err
	}
	// A version that never existed, so that an older undo token does not apply.
	r.Rev, r.Upto, r.Runs, r.Hid, r.Ruled, r.Shown = left.Rev+1, left.Upto, left.Runs, left.Hid, left.Ruled, left.Shown
	r.Ops, r.Tally, r.ReadAt = left.Ops, left.Tally, left.ReadAt
	return nil
}

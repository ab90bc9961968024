package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// positionsRow has a user's reader.Positions, before the subscriptions, so that a side bar reads all in one query.
type positionsRow struct {
	rowKey
	Packed []byte `dynamo:"positions"`
	Rev    int64  `dynamo:"rev"` // Positions.Number
}

func decodePositions(r table.Row) (*reader.Positions, error) {
	var row positionsRow
	if err := r.Decode(&row); err != nil {
		return nil, err
	}
	return row.unpack()
}

func (r *positionsRow) unpack() (*reader.Positions, error) {
	p, ok := reader.DecodePositions(r.Packed)
	if !ok || p.Number != r.Rev {
		return nil, fault.New(fault.Internal, "bad_positions", "store: positions", nil)
	}
	return p, nil
}

// Positions reads a user's positions consistently; nil when there are none.
func (s *Subscriptions) Positions(ctx context.Context, u reader.UserID) (*reader.Positions, error) {
	row, err := getOrZero[positionsRow](ctx, s.t, positionsKey(u), table.Consistent())
	if err != nil || !row.isStored() {
		return nil, err
	}
	return row.unpack()
}

// PutPositions replaces a user's positions if they are those that were read; Conflict when they have changed.
func (s *Subscriptions) PutPositions(ctx context.Context, u reader.UserID, read, next *reader.Positions) error {
	rev := int64(0)
	if read != nil {
		rev = read.Number
	}
	row := &positionsRow{Packed: next.Encode(), Rev: next.Number}
	return put(ctx, s.t, positionsKey(u), row, table.IfEqual("rev", rev))
}

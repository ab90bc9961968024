package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// How long items are kept. The floor in the feed row says which are gone; a delta's ttl only collects it later. It is
// written with the delta, as a second write would double the cost (decision 0402).

const (
	// KeepDays is how long items are kept where nothing else is set (C-10).
	KeepDays = 180
	// KeepNewest is how many items of a feed are kept whatever their age.
	KeepNewest = 20
	// KeepSlack is how much longer a delta stays than its items count: time for the floor to pass it.
	KeepSlack = 90 * 24 * time.Hour
)

// KeptUntil is the ttl of a delta that arrived at a time, when items are kept for so many days.
func KeptUntil(arrival time.Time, days int) int64 {
	return arrival.AddDate(0, 0, days).Add(KeepSlack).Unix()
}

// Extend sets a delta's ttl; a missing delta is ignored.
func (s *Items) Extend(ctx context.Context, f reader.FeedID, first reader.Seq, ttl int64) error {
	return ignoreConflict(s.t.Update(ctx, deltaKey(f, first), table.Update{
		Set: map[string]any{"ttl": ttl}, If: []table.Cond{table.IfPresent()},
	}))
}

// Drop deletes deltas of a feed that is being removed.
func (s *Items) Drop(ctx context.Context, f reader.FeedID, firsts []reader.Seq) error {
	keys := make([]table.Key, len(firsts))
	for i, seq := range firsts {
		keys[i] = deltaKey(f, seq)
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

// DropBeside deletes what is beside the row of a removed feed: leftover subscriber rows and its hub subscription.
func (s *Feeds) DropBeside(ctx context.Context, f reader.FeedID) error {
	keys, err := keysOf(ctx, s.t, feedPK(f))
	if err != nil {
		return err
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// How long items are kept. The floor in the feed row says which are gone; a delta's ttl only collects it, later, and
// is written with the delta, for a row that is written once costs half of one that is written twice (decision 0402).

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

// Extend gives a delta another ttl; one that is gone is left gone.
func (s *Items) Extend(ctx context.Context, f reader.FeedID, first reader.Seq, ttl int64) error {
	err := s.t.Update(ctx, deltaKey(f, first), table.Update{
		Set: map[string]any{"ttl": ttl}, If: []table.Cond{table.IfPresent()},
	})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// Ascend walks a feed's deltas oldest first, from the first whose first seq is from or greater, until each returns
// false. latest sees every acknowledged write, at twice the price.
func (s *Items) Ascend(ctx context.Context, f reader.FeedID, from reader.Seq, latest bool, each func(*DeltaRow) (bool, error)) error {
	q := table.Query{PK: feedPK(f), From: deltaSK(from), To: "D$", Limit: 8, Consistent: latest}
	for {
		p, err := s.t.QueryRows(ctx, q)
		if err != nil {
			return err
		}
		for _, it := range p.Rows {
			var d DeltaRow
			if err := it.Decode(&d); err != nil {
				return err
			}
			if more, err := each(&d); err != nil || !more {
				return err
			}
		}
		if p.Next == "" {
			return nil
		}
		q.Cursor, q.Limit = p.Next, 64
	}
}

// Drop deletes deltas of a feed that is being removed.
func (s *Items) Drop(ctx context.Context, f reader.FeedID, firsts []reader.Seq) error {
	keys := make([]table.Key, len(firsts))
	for i, seq := range firsts {
		keys[i] = deltaKey(f, seq)
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

// DropBeside deletes what lies beside a feed that is being removed: mirrors of subscriptions that died half way, and
// what was agreed with its hub.
func (s *Feeds) DropBeside(ctx context.Context, f reader.FeedID) error {
	var keys []table.Key
	err := s.t.Each(ctx, table.Query{PK: feedPK(f), Consistent: true}, func(it table.Row) error {
		keys = append(keys, it.Key)
		return nil
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// LeaseRow is the lease of one part of the hosts: claim of a tick and cursor in one row. Until is in
// Unix milliseconds, so that two leases can hardly share it: it is also the holder's mark.
type LeaseRow struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Tick  int32  `dynamo:"tick,omitempty"`  // the last tick claimed
	Parts int32  `dynamo:"parts,omitempty"` // into how many parts the hosts were split then
	Since int32  `dynamo:"since,omitempty"` // the first tick of that number of parts
	Until int64  `dynamo:"until,omitempty"` // held until then
	AllAt int64  `dynamo:"allAt,omitempty"` // Unix seconds of the owner's last crawl of everything
	Quiet string `dynamo:"quiet,omitempty"` // see QuietHosts
	// Asked names the runs of late that people asked for (RefreshName), the newest first: who was polled then is
	// in their rows.
	Asked []string `dynamo:"asked,omitempty"`
	// Tidied is the day, counted from 2026-01-01, on which all before it was tidied; on the lease of part 0
	// alone, which every tick reads anyway.
	Tidied int32 `dynamo:"tidied,omitempty"`
	// Kept is for how many days the rows of items are known to be kept, as of that tidying.
	Kept int32 `dynamo:"kept,omitempty"`
}

// Leases keeps a part of the hosts with one crawler at a time.
type Leases struct{ t *table.Table }

// Get reads a lease; a part never claimed gives the zero row.
func (s *Leases) Get(ctx context.Context, part int) (LeaseRow, error) {
	var row LeaseRow
	err := s.t.Get(ctx, leaseKey(part), &row, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return LeaseRow{}, nil
	}
	return row, err
}

// ClaimTick takes the part, of parts that there are so many of since a tick, for a tick: SET tick, until IF tick < t
// AND until < now. The row as it was before comes back, so that the caller can look whether that tick's run ended. A
// failed condition (fault.Conflict) is either a duplicate or a busy part: Get tells which.
func (s *Leases) ClaimTick(ctx context.Context, part, parts int, since, t schedule.Tick, now, until time.Time) (LeaseRow, error) {
	var old LeaseRow
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Set:    map[string]any{"tick": int32(t), "until": until.UnixMilli(), "parts": int32(parts), "since": int32(since)},
		If:     []table.Cond{table.IfLess("tick", int32(t)), table.IfLess("until", now.UnixMilli())},
		Return: table.ReturnOld, Into: &old,
	})
	return old, err
}

// Take holds the part without a tick: refresh, import, first crawl and the owner's override.
func (s *Leases) Take(ctx context.Context, part int, now, until time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{
		Set: map[string]any{"until": until.UnixMilli()},
		If:  []table.Cond{table.IfLess("until", now.UnixMilli())},
	})
}

// TakeOver moves a hold that is known to be over (its run's row exists) to a new holder.
func (s *Leases) TakeOver(ctx context.Context, part int, seen int64, until time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{
		Set: map[string]any{"until": until.UnixMilli()},
		If:  []table.Cond{table.IfEqual("until", seen)},
	})
}

// Release frees the part if the hold is still the caller's: another's is left alone.
func (s *Leases) Release(ctx context.Context, part int, mine time.Time) error {
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Remove: []string{"until"},
		If:     []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// FreeAll frees all parts, for who knows that no crawler runs: one that died holds its part until the lease lapses.
func (s *Leases) FreeAll(ctx context.Context, parts int) error {
	for p := range parts {
		row, err := s.Get(ctx, p)
		if err == nil && row.Until > 0 {
			err = s.Release(ctx, p, time.UnixMilli(row.Until))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MarkTidied records that all before a day is tidied, with items kept for so many days. Conflict means that it was
// recorded already.
func (s *Leases) MarkTidied(ctx context.Context, day, kept int32) error {
	return s.t.Update(ctx, leaseKey(0), table.Update{
		Set: map[string]any{"tidied": day, "kept": kept}, If: []table.Cond{table.IfLess("tidied", day)},
	})
}

// MarkAll records that the owner crawled everything at this instant.
func (s *Leases) MarkAll(ctx context.Context, part int, at time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{Set: map[string]any{"allAt": at.Unix()}})
}

// ExtendMarked prolongs a hold that is still the caller's and moves MarkAll's mark on, in one write: nothing is
// marked by who lost the hold.
func (s *Leases) ExtendMarked(ctx context.Context, part int, mine, until, at time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{
		Set: map[string]any{"until": until.UnixMilli(), "allAt": at.Unix()},
		If:  []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
}

// ReleaseMarked is MarkAll and Release in one write. The mark is left in any case, for what was polled was polled;
// a hold that is another's stays.
func (s *Leases) ReleaseMarked(ctx context.Context, part int, mine, at time.Time) error {
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Set:    map[string]any{"allAt": at.Unix()},
		Remove: []string{"until"},
		If:     []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
	if fault.Is(err, fault.Conflict) {
		return s.MarkAll(ctx, part, at)
	}
	return err
}

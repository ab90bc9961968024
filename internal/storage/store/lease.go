package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// LeaseRow is the lease of one part of the hosts, with its tick and cursor. Until, in Unix milliseconds, is also the
// holder's mark.
type LeaseRow struct {
	rowKey
	Tick  int32 `dynamo:"tick,omitempty"`  // the last tick claimed
	Parts int32 `dynamo:"parts,omitempty"` // into how many parts the hosts were split then
	Since int32 `dynamo:"since,omitempty"` // the first tick of that number of parts
	Until int64 `dynamo:"until,omitempty"` // held until then
	// Split is the number of parts of the hold until SplitUntil, which may have claimed no tick under that number.
	Split      int32  `dynamo:"split,omitempty"`
	SplitUntil int64  `dynamo:"splitUntil,omitempty"`
	AllAt      int64  `dynamo:"allAt,omitempty"` // Unix seconds of the owner's last crawl of everything
	Waits      string `dynamo:"quiet,omitempty"` // see HostWaits
	// Asked names the recent runs that people asked for (RefreshName), newest first; their rows tell what was polled.
	Asked []string `dynamo:"asked,omitempty"`
	// Cleaned is the day, from 2026-01-01, of the last complete cleanup; only in part 0, which every tick reads.
	Cleaned int32 `dynamo:"tidied,omitempty"`
	// Kept is the retention of items in days at that cleanup.
	Kept int32 `dynamo:"kept,omitempty"`
}

// IsOf reports whether the part's holder, or else its last tick, splits the hosts into so many parts.
func (l *LeaseRow) IsOf(parts int) bool {
	if l.Until > 0 && l.SplitUntil == l.Until {
		return int(l.Split) == parts
	}
	return int(l.Parts) == parts
}

// Leases keeps a part of the hosts with one crawler at a time.
type Leases struct {
	t *table.Table
	// marks counts the polls off turn that this process has recorded: each makes cached leases stale.
	marks atomic.Uint64
}

// Get reads a lease; the zero row for a part that was never claimed.
func (s *Leases) Get(ctx context.Context, part int) (LeaseRow, error) {
	return getOrZero[LeaseRow](ctx, s.t, leaseKey(part), table.Consistent())
}

// ClaimTick takes a part for a tick: SET tick, until IF tick < t AND until < now. parts is the number of parts from now
// on. It returns the row before, to check whether its run ended. Conflict is a duplicate or a busy part; Get shows
// which.
func (s *Leases) ClaimTick(ctx context.Context, part, parts int, since, t schedule.Tick, now,
	until time.Time) (LeaseRow, error) {
	var old LeaseRow
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Set: map[string]any{"tick": int32(t), "until": until.UnixMilli(), "parts": int32(parts),
			"since": int32(since)},
		If:     []table.Cond{table.IfLess("tick", int64(t)), table.IfLess("until", now.UnixMilli())},
		Return: table.ReturnOld, Into: &old,
	})
	return old, err
}

// Take holds the part without a tick: refresh, import, first crawl, the owner's override. parts tells other holders
// whether they have hosts in common. It returns the row before.
func (s *Leases) Take(ctx context.Context, part, parts int, now, until time.Time) (old LeaseRow, err error) {
	err = s.t.Update(ctx, leaseKey(part), table.Update{
		Set:    heldBy(parts, until),
		If:     []table.Cond{table.IfLess("until", now.UnixMilli())},
		Return: table.ReturnOld, Into: &old,
	})
	return old, err
}

// TakeOver takes a part whose holder has ended: the row of its run exists.
func (s *Leases) TakeOver(ctx context.Context, part, parts int, seen int64, until time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{
		Set: heldBy(parts, until),
		If:  []table.Cond{table.IfEqual("until", seen)},
	})
}

func heldBy(parts int, until time.Time) map[string]any {
	return map[string]any{"until": until.UnixMilli(), "split": int32(parts), "splitUntil": until.UnixMilli()}
}

// Release frees the part if the hold is still the caller's; another caller's hold is left alone.
func (s *Leases) Release(ctx context.Context, part int, mine time.Time) error {
	return ignoreConflict(s.t.Update(ctx, leaseKey(part), table.Update{
		Remove: []string{"until"},
		If:     []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	}))
}

// FreeAll frees all parts. Call it only when no crawler runs: one that died holds its part until the lease expires.
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

// MarkCleaned records the complete cleanup of a day, with a retention of kept days; Conflict if that was done.
func (s *Leases) MarkCleaned(ctx context.Context, day, kept int32) error {
	return s.t.Update(ctx, leaseKey(0), table.Update{
		Set: map[string]any{"tidied": day, "kept": kept}, If: []table.Cond{table.IfLess("tidied", int64(day))},
	})
}

// MarkAll records that the owner crawled everything at this instant.
func (s *Leases) MarkAll(ctx context.Context, part int, at time.Time) error {
	defer s.marks.Add(1)
	return s.t.Update(ctx, leaseKey(part), table.Update{Set: map[string]any{"allAt": at.Unix()}})
}

// ExtendMarked extends a hold that is still the caller's and writes MarkAll's mark, in one write, or neither.
func (s *Leases) ExtendMarked(ctx context.Context, part int, mine, until, at time.Time) error {
	return s.t.Update(ctx, leaseKey(part), table.Update{
		Set: map[string]any{"until": until.UnixMilli(), "splitUntil": until.UnixMilli(), "allAt": at.Unix()},
		If:  []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
}

// ReleaseMarked is MarkAll and Release in one write. The mark is written even if the hold is another's now.
func (s *Leases) ReleaseMarked(ctx context.Context, part int, mine, at time.Time) error {
	return s.releaseWith(ctx, part, mine, map[string]any{"allAt": at.Unix()})
}

// releaseWith sets columns and releases the part, if the hold is still the caller's, in one write.
func (s *Leases) releaseWith(ctx context.Context, part int, mine time.Time, set map[string]any) error {
	defer s.marks.Add(1)
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Set:    set,
		Remove: []string{"until"},
		If:     []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
	if fault.Is(err, fault.Conflict) {
		return s.t.Update(ctx, leaseKey(part), table.Update{Set: set})
	}
	return err
}

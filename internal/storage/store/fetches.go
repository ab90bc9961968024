package store

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Fetch is the outcome of one feed in a run.
type Fetch struct {
	FeedOutcome
	Run  string // its id
	Kind string
	At   time.Time // when the run began
}

// walkedRuns bounds how many runs are looked through for fetches off turn: two days of one part.
const walkedRuns = 200

// OfFeed returns a feed's last n fetches, newest first. The newest runs are looked through one by one; further back,
// the feed's own turns by its present plan are read in one batch. It costs up to 35 read units, for a person who asks.
func (s *Runs) OfFeed(ctx context.Context, now time.Time, f *FeedRow, part, n int) ([]Fetch, error) {
	var out []Fetch
	seen := map[string]bool{}
	take := func(r *RunRow) error {
		list, err := r.Outcomes()
		if err != nil {
			return err
		}
		for _, o := range list {
			if o.Feed == uint32(f.ID()) && !seen[r.ID()] {
				seen[r.ID()] = true
				out = append(out, Fetch{FeedOutcome: o, Run: r.ID(), Kind: r.Kind, At: time.UnixMilli(r.Started).UTC()})
			}
		}
		return nil
	}
	walked, last := 0, schedule.TickOf(now)
	err := s.Descend(ctx, now, "", func(r *RunRow) (bool, error) {
		walked++
		last = schedule.Tick(r.Tick)
		if err := take(r); err != nil {
			return false, err
		}
		return walked < walkedRuns && len(out) < n, nil
	})
	if err != nil || len(out) >= n || walked < walkedRuns {
		return newest(out, n), err
	}
	var keys []table.Key
	plan, oldest := f.Turns(), schedule.TickOf(now.AddDate(0, 0, -RunDays))
	for t := plan.LastTurn(last); t != schedule.NoTick && t >= oldest && len(keys) < n; t = plan.LastTurn(t - 1) {
		keys = append(keys, runKey(t, part, ""))
	}
	found, err := batch[RunRow](ctx, s.t, keys)
	for _, r := range found {
		if err == nil {
			err = take(r)
		}
	}
	return newest(out, n), err
}

func newest(list []Fetch, n int) []Fetch {
	slices.SortStableFunc(list, func(a, b Fetch) int { return b.At.Compare(a.At) })
	return list[:min(len(list), n)]
}

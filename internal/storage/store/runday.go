package store

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// RunDay sums up the runs of one day of UTC, from the rows of the runs: statistics cost reads and never a write.
type RunDay struct {
	Day  time.Time
	Runs int // those that took place
	Gone int // those that were lost
	RunSums
	// Share is the part of the day's ticks so far whose runs were read: 1, unless there are more than maxDayRuns.
	Share float64
}

const (
	// maxDayRuns bounds what one look at a day reads: all runs of up to 5,000 feeds, which are 20 parts in 96 ticks. Of
	// more feeds the last ticks of a day stand for all.
	maxDayRuns = 2000
	// Runs end all day, and the row of a lost one is written by the next, after a long sleep days later.
	openDayMemory, closedDayMemory = 30 * time.Second, time.Hour
)

// days remembers what the days' rows sum up to: a week of them is some hundred kilobytes to read.
type days struct {
	clock clock.Clock

	mu    sync.Mutex
	known map[string]rememberedDay
}

type rememberedDay struct {
	day   RunDay
	until time.Time
}

// Days returns the last n days, oldest first, today's last.
func (s *Runs) Days(ctx context.Context, n int) ([]RunDay, error) {
	now := s.days.clock.Now()
	today := now.UTC().Truncate(24 * time.Hour)
	out := make([]RunDay, 0, n)
	for i := range min(n, RunDays) {
		day := today.AddDate(0, 0, i-n+1)
		memory := closedDayMemory
		if !day.Before(today.AddDate(0, 0, -1)) {
			memory = openDayMemory
		}
		d, err := s.day(ctx, day, now, memory)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (s *Runs) day(ctx context.Context, day, now time.Time, memory time.Duration) (RunDay, error) {
	key := runPK(day)
	s.days.mu.Lock()
	k, ok := s.days.known[key]
	s.days.mu.Unlock()
	if ok && now.Before(k.until) && k.until.Sub(now) <= memory { // not when the clock went back
		return k.day, nil
	}
	sum := RunDay{Day: day, Share: 1}
	read, last := 0, schedule.Tick(0)
	_, err := s.descendDay(ctx, day, "", func(r *RunRow) (bool, error) {
		t := schedule.Tick(r.Tick)
		if read == 0 {
			last = t
		}
		if read == maxDayRuns {
			sum.Share = float64(max(last-t, 1)) / float64(last-schedule.TickOf(day)+1)
			return false, nil
		}
		read++
		sum.add(r)
		return true, nil
	})
	if err != nil {
		return sum, err
	}
	s.days.mu.Lock()
	defer s.days.mu.Unlock()
	if len(s.days.known) > 2*RunDays {
		clear(s.days.known)
	}
	s.days.known[key] = rememberedDay{sum, now.Add(memory)}
	return sum, nil
}

// add counts a run in. The row that it leaves is written after its sums are closed, so its own write is added.
func (d *RunDay) add(r *RunRow) {
	if r.State == RunLost {
		d.Gone++
	} else {
		d.Runs++
	}
	d.RunSums.Add(r.RunSums)
	d.TableWrites += table.WriteUnits(0, len(r.Feeds)+runRowBytes)
}

// runRowBytes is the size of a run's row without its outcomes: names and numbers.
const runRowBytes = 250

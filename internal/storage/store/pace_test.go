package store

import (
	"math"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Items a week as a feed's row tells them, beside what counting each item gives.
func TestWeekly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		n     int
		every time.Duration
		last  time.Duration // how old the newest is
		floor int
		want  float64
		off   float64 // that much at most
	}{
		"twelve a day":           {n: 400, every: 2 * time.Hour, want: 84, off: 4},
		"three a week":           {n: 60, every: 56 * time.Hour, want: 3, off: 0.3},
		"once a month":           {n: 20, every: 30 * 24 * time.Hour, want: 0.25, off: 0.1},
		"few, of this week":      {n: 10, every: 12 * time.Hour, want: 14, off: 3},
		"all of one hour":        {n: 5, every: time.Minute, want: 5 * 7, off: 16},
		"silent for half a year": {n: 100, every: time.Hour, last: 180 * 24 * time.Hour, want: 0},
		"one, long ago":          {n: 1, last: 90 * 24 * time.Hour, want: 0},
		"mostly gone":            {n: 400, every: 2 * time.Hour, floor: 300, want: 84, off: 10},
	} {
		f := &FeedRow{Seq: uint32(c.n), Floor: uint32(c.floor)}
		for i := range c.n {
			at := now.Add(-c.last - time.Duration(c.n-1-i)*c.every)
			f.Ages = f.Ages.Add(reader.Seq(f.Floor), reader.Seq(i+1), []int64{at.Unix()})
		}
		got, known := f.Weekly(now)
		if !known || math.Abs(got-c.want) > c.off {
			t.Errorf("%s: %.2f (%v), want %.2f", name, got, known, c.want)
		}
		if later, _ := f.Weekly(now.Add(14 * time.Hour)); later != got {
			t.Errorf("%s: %.2f in the morning, %.2f in the evening", name, got, later)
		}
	}
	if _, known := (&FeedRow{}).Weekly(now); known {
		t.Error("a feed without items has a pace")
	}
}

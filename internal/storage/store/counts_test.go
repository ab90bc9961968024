package store

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// H-30: cycles of counts are kept for as long as refreshes are planned from them, sums of use for a year.
func TestHowLongCountsAreKept(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	tick, today := schedule.TickOf(start), reader.DayOf(start.UnixMilli())
	row := CycleRow{Began: start.Unix()}
	ok(t, s.Cycles.Begin(ctx, tick, &row))
	ok(t, s.Cycles.End(ctx, tick, &row))
	ok(t, s.Uses.Put(ctx, today, "", Use{Tags: []*UseSum{{Text: "go", N: 2}}}))
	kept := func(after time.Duration) (cycles, uses int) {
		t.Helper()
		clk.Add(start.Add(after).Sub(clk.Now()))
		rows, err := s.Cycles.OfDay(ctx, schedule.DayOf(tick), 0)
		ok(t, err)
		days, err := s.Uses.Days(ctx, today, today)
		ok(t, err)
		return len(rows), len(days)
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		after        time.Duration
		cycles, uses int
	}{{0, 1, 1}, {34 * day, 1, 1}, {35*day + time.Minute, 0, 1}, {730 * day, 0, 1}, {731 * day, 0, 0}} {
		if cycles, uses := kept(c.after); cycles != c.cycles || uses != c.uses {
			t.Errorf("after %s there are %d cycles and %d sums, want %d and %d", c.after, cycles, uses,
				c.cycles, c.uses)
		}
	}
}

func TestPackCounts(t *testing.T) {
	t.Parallel()
	at := reader.Epoch.Unix() + 600
	list := []ChangedCount{
		{Feed: 1, Seq: 1, N: 1, Sort: at, Story: 7},
		{Feed: 1, Seq: 300, N: 0, Was: 12, Sort: at, Story: 1<<32 - 1},
		{Feed: 1, Seq: 301, N: UnknownCount, Sort: at - 1200},
		{Feed: 500_000, Seq: 2, N: 4000, Was: 3999, IsOther: true, Sort: at + 60},
	}
	if got, err := UnpackCounts(PackCounts(list)); err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A damaged row is an error, never a crash and no loop.
func FuzzUnpackCounts(f *testing.F) {
	f.Add([]byte{})
	f.Add(append(bytes.Repeat([]byte{0xff}, 11), 1, 2, 3)) // no number, and more behind it
	f.Add(PackCounts([]ChangedCount{{Feed: 1, Seq: 2, N: 3, Sort: start.Unix(), Story: 4},
		{Feed: 9, Seq: 1, N: UnknownCount}}))
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = UnpackCounts(b)
		row := CycleRow{New: b}
		_, _ = row.Asked()
	})
}

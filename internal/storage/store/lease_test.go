package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// TestLeases plays each call against each state of a part's lease.
// G-24
func TestLeases(t *testing.T) {
	t.Parallel()
	const tick = schedule.Tick(100)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	for _, c := range []struct {
		name     string
		tick     schedule.Tick // claimed before; 0 = none
		until    time.Time     // held; zero = free
		do       func(*Leases) error
		taken    bool
		wantTick schedule.Tick
		want     time.Time // until afterwards
	}{
		{"a tick of a part never claimed", 0, time.Time{}, claim(tick), true, tick, at(120)},
		{"the tick after", tick - 1, time.Time{}, claim(tick), true, tick, at(120)},
		{"after a long pause", tick - 50, time.Time{}, claim(tick), true, tick, at(120)},
		{"a tick whose holder's time is over", tick - 1, at(-1), claim(tick), true, tick, at(120)},
		{"the same tick again", tick, time.Time{}, claim(tick), false, tick, time.Time{}},
		{"an older tick", tick + 1, time.Time{}, claim(tick), false, tick + 1, time.Time{}},
		{"a tick of a busy part", tick - 1, at(30), claim(tick), false, tick - 1, at(30)},
		{"a tick at the very end of a hold", tick - 1, at(0), claim(tick), false, tick - 1, at(0)},
		{"a free part", tick, time.Time{}, take, true, tick, at(120)},
		{"a part never claimed", 0, time.Time{}, take, true, 0, at(120)},
		{"a busy part", tick, at(30), take, false, tick, at(30)},
		{"a lapsed hold", tick, at(-1), take, true, tick, at(120)},
		{"releasing one's own", tick, at(30), release(30), true, tick, time.Time{}},
		{"releasing another's", tick, at(31), release(30), true, tick, at(31)},
		{"releasing what lapsed and was taken anew", tick, at(150), release(30), true, tick, at(150)},
		{"extending one's own", tick, at(30), extend(30), true, tick, at(120)},
		{"extending another's", tick, at(31), extend(30), false, tick, at(31)},
		{"extending what was released", tick, time.Time{}, extend(30), false, tick, time.Time{}},
	} {
		s, _ := newStore()
		if c.tick > 0 {
			_, err := s.Leases.ClaimTick(t.Context(), 3, 4, 0, c.tick, start.Add(-time.Hour), start.Add(-time.Minute))
			ok(t, err)
			ok(t, s.Leases.Release(t.Context(), 3, start.Add(-time.Minute)))
		}
		if !c.until.IsZero() {
			_, err := s.Leases.Take(t.Context(), 3, 1, start.Add(-time.Hour), c.until)
			ok(t, err)
		}
		err := c.do(s.Leases)
		if c.taken != (err == nil) || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", c.name, err)
		}
		row, err := s.Leases.Get(t.Context(), 3)
		ok(t, err)
		until := time.Time{}
		if row.Until > 0 {
			until = time.UnixMilli(row.Until).UTC()
		}
		if schedule.Tick(row.Tick) != c.wantTick || !until.Equal(c.want) {
			t.Errorf("%s: the lease is of tick %d until %v, want %d, %v", c.name, row.Tick, until, c.wantTick, c.want)
		}
		if other, err := s.Leases.Get(t.Context(), 4); err != nil || !reflect.DeepEqual(other, LeaseRow{}) {
			t.Errorf("%s: another part has %+v, %v", c.name, other, err)
		}
	}
}

func claim(tick schedule.Tick) func(*Leases) error {
	return func(l *Leases) error {
		_, err := l.ClaimTick(ctx, 3, 4, 0, tick, start, start.Add(2*time.Minute))
		return err
	}
}

func take(l *Leases) error {
	_, err := l.Take(ctx, 3, 1, start, start.Add(2*time.Minute))
	return err
}

func release(s int) func(*Leases) error {
	return func(l *Leases) error { return l.Release(ctx, 3, start.Add(time.Duration(s)*time.Second)) }
}

// TestExtendedHoldKeepsItsParts: a hold that is extended is still one of its holder's number of parts, not of the last
// tick's.
func TestExtendedHoldKeepsItsParts(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	_, err := s.Leases.ClaimTick(t.Context(), 3, 4, 0, 100, start.Add(-time.Hour), start.Add(-time.Minute))
	ok(t, err)
	_, err = s.Leases.Take(t.Context(), 3, 5, start, start.Add(30*time.Second))
	ok(t, err)
	ok(t, extend(30)(s.Leases))
	row, err := s.Leases.Get(t.Context(), 3)
	ok(t, err)
	if !row.IsOf(5) || row.IsOf(4) {
		t.Errorf("the extended hold is %+v", row)
	}
}

func extend(s int) func(*Leases) error {
	return func(l *Leases) error {
		return l.ExtendMarked(ctx, 3, start.Add(time.Duration(s)*time.Second), start.Add(2*time.Minute), start)
	}
}

// The end of a crawl of everything leaves its mark whoever holds the part by then, and lets go of its own hold alone.
func TestReleaseMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ mine, want time.Duration }{
		"one's own": {30 * time.Second, 0}, "another's": {29 * time.Second, 30 * time.Second},
	} {
		s, _ := newStore()
		_, err := s.Leases.Take(t.Context(), 3, 1, start, start.Add(30*time.Second))
		ok(t, err)
		before := s.table.Meter().Snapshot().WriteOps
		ok(t, s.Leases.ReleaseMarked(t.Context(), 3, start.Add(c.mine), start.Add(time.Minute)))
		row, err := s.Leases.Get(t.Context(), 3)
		ok(t, err)
		until := int64(0)
		if c.want > 0 {
			until = start.Add(c.want).UnixMilli()
		}
		if row.AllAt != start.Add(time.Minute).Unix() || row.Until != until {
			t.Errorf("%s: %+v", name, row)
		}
		if n := s.table.Meter().Snapshot().WriteOps - before; c.want == 0 && n != 1 {
			t.Errorf("%s: %d writes", name, n)
		}
	}
}

func TestClaimTellsTheTickBefore(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	old, err := s.Leases.ClaimTick(t.Context(), 0, 1, 0, 7, start, start.Add(time.Second))
	if err != nil || !reflect.DeepEqual(old, LeaseRow{}) {
		t.Errorf("before the first claim there was %+v, %v", old, err)
	}
	ok(t, s.Leases.MarkAll(t.Context(), 0, start))
	old, err = s.Leases.ClaimTick(t.Context(), 0, 2, 9, 9, start.Add(time.Minute), start.Add(2*time.Minute))
	if err != nil || old.Tick != 7 || old.AllAt != start.Unix() {
		t.Errorf("the claim before was %+v, %v", old, err)
	}
}

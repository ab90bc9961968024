package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

//
func TestTicks(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) time.Time { return reader.Epoch.Add(d) }
	for _, tt := range []struct {
		at          time.Time
		floor, ceil Tick
	}{
		{at(0), 0, 0},
		{at(time.Nanosecond), 0, 1},
		{at(15*time.Minute - 1), 0, 1},
		{at(15 * time.Minute), 1, 1},
		{at(-time.Second), -1, 0},
		{at(-15 * time.Minute), -1, -1},
		{at(24 * time.Hour), 96, 96},
		{at(0).In(time.FixedZone("JST", 9*3600)), 0, 0},
		{time.Time{}, -71003136, -71003136},
		{time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC), maxTick, maxTick + 1},
	} {
		if f := TickOf(tt.at); f != tt.floor {
			t.Errorf("TickOf(%v) = %d, want %d", tt.at, f, tt.floor)
		}
		if c := CeilTick(tt.at); c != tt.ceil {
			t.Errorf("CeilTick(%v) = %d, want %d", tt.at, c, tt.ceil)
		}
	}
	if s := Tick(96).Start(); !s.Equal(at(24*time.Hour)) || s.Location() != time.UTC {
		t.Error(s)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	tick := Tick(1000)
	for d, want := range map[time.Duration]bool{
		-time.Second: false, 0: true, 11*time.Minute + 59*time.Second: true, 12 * time.Minute: false,
	} {
		if got := tick.MayStart(tick.Start().Add(d)); got != want {
			t.Errorf("%v into the tick: %v", d, got)
		}
	}
	const endWindow = 14 * time.Minute // by then all polls of a tick have ended, so that ticks never overlap
	if !tick.Spent().Before(tick.Start().Add(endWindow)) {
		t.Error("a run that starts in time does not end in time")
	}
	// The proof of the gap: the latest request of a turn and the earliest of the next.
	for _, minutes := range []int{30, 60, 90, 720, 1440} {
		interval := time.Duration(minutes) * time.Minute
		next := tick + Tick(PeriodFor(interval))
		if gap := next.Start().Sub(tick.Spent()); gap < interval {
			t.Errorf("interval %v: gap %v", interval, gap)
		}
	}
}

func TestPeriodFor(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[int]int32{30: 3, 60: 5, 61: 6, 75: 6, 90: 7, 240: 17, 420: 29, 720: 49,
		1440: 97, 0: 1, -5: 1} {
		d := time.Duration(minutes) * time.Minute
		if got := PeriodFor(d); got != want {
			t.Errorf("%d minutes: %d, want %d", minutes, got, want)
		}
		if IntervalOf(PeriodFor(d)) < d {
			t.Errorf("%d minutes are not kept", minutes)
		}
	}
}

// A claim promises the interval also when its request goes out at the end of the deadline.
func TestClaimKeepsTheInterval(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		now := reader.Epoch.Add(time.Duration(rng.Int64N(int64(1000 * time.Hour))))
		interval := time.Duration(30+rng.IntN(2000)) * time.Minute
		p := Plan{First: 3, Period: PeriodFor(interval)}.Claim(now)
		request := now.Add(time.Duration(rng.Int64N(int64(Deadline) + 1)))
		if gap := p.NextTurn(TickOf(request)).Start().Sub(request); gap < interval {
			t.Fatalf("claimed %v, polled %v: gap %v of %v", now, request, gap, interval)
		}
	}
}

// The functions of a plan agree with its definition, skipped times or not.
// C-4
func TestTurnsAgree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 3))
	few := func() uint32 { // a quarter of the bits, as two draws share them
		one, other := rng.Uint32(), rng.Uint32()
		return one & other
	}
	for range 300 {
		p := Plan{First: Tick(rng.IntN(400)), Period: int32(rng.IntN(130))}
		if rng.IntN(2) == 0 {
			p.Skip = Skip{Hours: few(), Days: uint8(few())}
		}
		from := Tick(rng.IntN(600)) - 50
		last, count := NoTick, 0
		for n := Tick(-60); n <= from; n++ {
			if p.HasTurn(n) {
				last = n
			}
		}
		if got := p.LastTurn(from); got != last {
			t.Fatalf("%+v: LastTurn(%d) = %d, want %d", p, from, got, last)
		}
		next := NoTick
		to := from + 900
		for n := from + 1; n <= to; n++ {
			if p.HasTurn(n) {
				if count++; next == NoTick {
					next = n
				}
			}
		}
		if got := p.NextTurn(from); got != next {
			t.Fatalf("%+v: NextTurn(%d) = %d, want %d", p, from, got, next)
		}
		if got := p.TurnsIn(from, to); got != count {
			t.Fatalf("%+v: TurnsIn(%d, %d) = %d, want %d", p, from, to, got, count)
		}
	}
	if got := (Plan{First: 5, Period: 5}).TurnsIn(20, 10); got != 0 {
		t.Errorf("turns in nothing: %d", got)
	}
}

func TestSkip(t *testing.T) {
	t.Parallel()
	night := Skip{Hours: 0b11111111} // 0 to 8 UTC
	weekend := Skip{Days: 1<<time.Saturday | 1<<time.Sunday}
	for _, tt := range []struct {
		name string
		skip Skip
		at   time.Time
		want bool
	}{
		{"night", night, time.Date(2026, 3, 2, 7, 45, 0, 0, time.UTC), true},
		{"morning", night, time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), false},
		{"saturday", weekend, time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC), true},
		{"monday", weekend, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), false},
		{"all hours are no hours", Skip{Hours: allHours}, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), false},
		{"all days are no days", Skip{Days: allDays}, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), false},
		{"bits beyond the day", Skip{Hours: 1 << 30, Days: 1 << 7}, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), false},
	} {
		if got := tt.skip.At(TickOf(tt.at)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// An hourly feed needs no write for its nights: turns fall away and come back.
	p := Plan{First: TickOf(time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)), Period: 5, Skip: night}
	if next := p.NextTurn(p.First).Start(); next.Hour() < 8 || next.Hour() > 9 {
		t.Errorf("after the night at %v", next)
	}
	if p.clear(p.First) != p {
		t.Error("a short period is moved although it need not be")
	}
	// A daily feed whose turns lie in the night is moved out of it, with one write.
	daily := Plan{First: TickOf(time.Date(2026, 3, 1, 1, 0, 0, 0, time.UTC)), Period: 97, Skip: night}
	moved := daily.clear(daily.First)
	if at := moved.NextTurn(daily.First).Start(); !at.Equal(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("moved to %v", at)
	}
	// So is one that would come out by itself, but only days later; not one that is out tomorrow.
	at := func(hour, minute int) Tick { return TickOf(time.Date(2026, 3, 2, hour, minute, 0, 0, time.UTC)) }
	for minute, want := range map[int]Tick{30: at(8, 0), 45: at(8, 0) + 96} {
		p := Plan{First: at(7, minute), Period: 97, Skip: night}
		if got := p.clear(at(0, 0)).NextTurn(at(0, 0)); got != want {
			t.Errorf("from 7:%d moved to tick %d, want %d", minute, got, want)
		}
	}
	// A deferred poll and one after a lost run keep out of it too, and so does a claim.
	evening := Plan{First: at(23, 45), Period: 97, Skip: night}
	if got := evening.Defer(at(23, 45) + 1); got.First != at(8, 0)+96 {
		t.Errorf("deferred to tick %d", got.First)
	}
	if got, _ := evening.AfterLost(at(23, 45), at(23, 45)+1, time.Hour); got.First != at(8, 0)+96 {
		t.Errorf("after a lost run at tick %d", got.First)
	}
	if got := (Plan{Period: 5, Skip: night}).Claim(at(23, 0).Start()); got.First != at(8, 0)+96 {
		t.Errorf("claimed to tick %d", got.First)
	}
	// If nobody moved it, it is polled all the same: skipped, never lost.
	if !daily.HasTurn(daily.First) {
		t.Error("a plan without any other turn has none at all")
	}
}

func TestPartIsStable(t *testing.T) {
	t.Parallel()
	// These values are in stored leases: they must never change.
	for host, want := range map[string]int{"example.com": 63, "note.com": 32, "www.youtube.com": 1, "": 48} {
		if got := Part(host, 64); got != want {
			t.Errorf("Part(%q, 64) = %d, want %d", host, got, want)
		}
	}
	if Part("EXAMPLE.com.", 64) != Part("example.com", 64) {
		t.Error("case or a final dot count")
	}
	if Part("example.com", 1) != 0 || Part("example.com", 0) != 0 {
		t.Error("one part")
	}
	var count [7]int
	for i := range 7000 {
		count[Part("h"+string(rune('a'+i%26))+reader.FeedID(i).String()+".example", 7)]++
	}
	for i, n := range count {
		if n < 850 || n > 1150 {
			t.Errorf("part %d has %d of 7000 hosts", i, n)
		}
	}
}

// The second turn comes within one period, spread over what lies between the least gap and it.
func TestSecondTurnSpreads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ gap, period int32 }{{3, 3}, {5, 5}, {5, 8}, {5, 48}, {9, 48}} {
		seen := map[Tick]int{}
		for f := range 1000 {
			n := SecondTurn(100, c.gap, c.period, reader.FeedID(f+1))
			if n < 100+Tick(c.gap) || n > 100+Tick(c.period) {
				t.Fatalf("%+v: %d", c, n)
			}
			seen[n]++
		}
		room := int(c.period - c.gap + 1)
		for n, feeds := range seen {
			if len(seen) != room || feeds > 2000/room {
				t.Errorf("%+v: %d feeds at %d, %d ticks in all", c, feeds, n, len(seen))
			}
		}
	}
}

func TestRepace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		p         Plan
		last, now Tick
		period    int32
		first     Tick
	}{
		{"faster", Plan{First: 100, Period: 49}, 149, 150, 5, 154},
		{"faster, long due", Plan{First: 100, Period: 49}, 149, 190, 5, 191},
		{"slower", Plan{First: 100, Period: 5}, 150, 152, 49, 199},
		{"backing off stays", Plan{First: 200, Period: 5}, 150, 152, 3, 200},
	} {
		got := tt.p.Repace(tt.last, tt.now, tt.period)
		if got.First != tt.first || got.Period != tt.period {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestAfterLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		p       Plan
		gap     time.Duration
		differs bool
		next    Tick
	}{
		{"short periods just wait", Plan{First: 100, Period: 16}, time.Hour, false, 116},
		{"slow by habit: in an hour", Plan{First: 100, Period: 97}, time.Hour, true, 105},
		{"unconditional: a day all the same", Plan{First: 100, Period: 97}, 24 * time.Hour, false, 197},
		{"not nearer than a max-age", Plan{First: 100, Period: 97}, 6 * time.Hour, true, 125},
	} {
		got, differs := tt.p.AfterLost(100, 101, tt.gap)
		if differs != tt.differs || got.NextTurn(101) != tt.next {
			t.Errorf("%s: %+v %v", tt.name, got, differs)
		}
	}
}

func TestRefreshAt(t *testing.T) {
	t.Parallel()
	polled := Tick(1000).Start()
	for _, tt := range []struct {
		name              string
		polled, notBefore time.Time
		want              time.Time
	}{
		{"never polled", time.Time{}, time.Time{}, time.Time{}},
		{"five minutes later", polled, time.Time{}, polled.Add(5 * time.Minute)},
		{"retry-after", polled, polled.Add(9 * time.Hour), polled.Add(9 * time.Hour)},
		{"a short retry-after", polled, polled.Add(time.Minute), polled.Add(5 * time.Minute)},
		{"retry-after of a first crawl", time.Time{}, polled.Add(time.Hour), polled.Add(time.Hour)},
	} {
		if got := RefreshAt(tt.polled, tt.notBefore); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

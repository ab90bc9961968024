package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const day = 24 * time.Hour

var noon = reader.Epoch.Add(100*day + 12*time.Hour)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// G-27
func TestPace(t *testing.T) {
	t.Parallel()
	weekly := []int64{ago(1 * day).Unix(), ago(8 * day).Unix(), ago(15 * day).Unix(), ago(22 * day).Unix()}
	const h = time.Hour
	for _, tt := range []struct {
		name string
		in   Inputs
		want time.Duration // as people are told
		gap  time.Duration
		why  string
	}{
		{"nothing known", Inputs{HasValidators: true}, h, h, ReasonDefault},
		{"asked for less", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true}, 30 * time.Minute,
			30 * time.Minute, ReasonAsked},
		{"less, but nobody asked", Inputs{HasValidators: true, Asked: 30 * time.Minute}, h, h, ReasonDefault},
		{"asked out of bounds", Inputs{HasValidators: true, Asked: time.Minute, Explicit: true}, 30 * time.Minute,
			30 * time.Minute, ReasonAsked},
		{"asked for too long", Inputs{HasValidators: true, Asked: 99 * h, Explicit: true}, 12 * h, 12 * h, ReasonAsked},
		{"odd steps are rounded up", Inputs{HasValidators: true, Asked: 95 * time.Minute, Explicit: true}, 2 * h,
			2 * h, ReasonAsked},
		{"asked for less, the publisher says no", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true,
			MaxAge: h}, h, h, ReasonMaxAge},
		{"max-age lengthens", Inputs{HasValidators: true, MaxAge: 3 * h}, 3 * h, 3 * h, ReasonMaxAge},
		{"max-age never shortens", Inputs{HasValidators: true, MaxAge: time.Minute}, h, h, ReasonDefault},
		{"a year of max-age is a week", Inputs{HasValidators: true, MaxAge: 365 * day}, 7 * day, 7 * day, ReasonMaxAge},
		{"ttl lengthens", Inputs{HasValidators: true, TTL: 2 * h}, 2 * h, 2 * h, ReasonTTL},
		{"the longest hint wins", Inputs{HasValidators: true, TTL: 2 * h, MaxAge: 5 * h}, 5 * h, 5 * h, ReasonMaxAge},
		{"no validators", Inputs{}, 2 * h, 2 * h, ReasonNoValidators},
		{"no validators, a large body", Inputs{Large: true}, 6 * h, 6 * h, ReasonNoValidators},
		{"a large body with validators", Inputs{HasValidators: true, Large: true}, h, h, ReasonDefault},
		{"no validators, an hour was chosen", Inputs{Asked: h, Explicit: true}, h, h, ReasonAsked},
		{"no validators, a large body, an hour was chosen", Inputs{Large: true, Asked: h, Explicit: true}, h,
			h, ReasonAsked},
		{"no validators, three hours were chosen", Inputs{Asked: 3 * h, Explicit: true}, 3 * h, 3 * h, ReasonAsked},
		{"no validators, half an hour was chosen", Inputs{Asked: 30 * time.Minute, Explicit: true}, h, h,
			ReasonNoValidators},
		{"no validators, and max-age", Inputs{MaxAge: 8 * h}, 8 * h, 8 * h, ReasonMaxAge},
		{"fickle is like no validators", Inputs{HasValidators: true, Fickle: true}, 2 * h, 2 * h, ReasonFickle},
		{"fickle and large", Inputs{HasValidators: true, Fickle: true, Large: true}, 6 * h, 6 * h, ReasonFickle},
		{"hub", Inputs{HasValidators: true, Hub: true}, day, h, ReasonHub},
		{"changed yesterday", Inputs{HasValidators: true, LastChange: ago(day)}, h, h, ReasonDefault},
		{"quiet for 2 days", Inputs{HasValidators: true, LastChange: ago(2 * day)}, 2 * h, h, ReasonQuiet},
		{"quiet for 4 days", Inputs{HasValidators: true, LastChange: ago(4 * day)}, 4 * h, h, ReasonQuiet},
		{"quiet for 8 days", Inputs{HasValidators: true, LastChange: ago(8 * day)}, 8 * h, h, ReasonQuiet},
		{"quiet for 12 days", Inputs{HasValidators: true, LastChange: ago(12 * day)}, 12 * h, h, ReasonQuiet},
		{"quiet for a year", Inputs{HasValidators: true, LastChange: ago(365 * day)}, 12 * h, h, ReasonQuiet},
		{"quiet, no validators", Inputs{LastChange: ago(365 * day)}, 12 * h, 2 * h, ReasonQuiet},
		{"weekly, just changed", Inputs{HasValidators: true, LastChange: ago(0), Changes: weekly}, 4 * h,
			h, ReasonQuiet},
		{"a watch needs no validators", Inputs{Watch: true, Large: true}, h, h, ReasonDefault},
		{"a watch at the chosen interval, rarely changed", Inputs{Watch: true, Asked: 30 * time.Minute, Explicit: true,
			LastChange: ago(90 * day)}, 30 * time.Minute, 30 * time.Minute, ReasonAsked},
		{"a watch, and max-age", Inputs{Watch: true, MaxAge: 3 * h}, 3 * h, 3 * h, ReasonMaxAge},
		{"a watch whose page cannot be read", Inputs{Watch: true, Suspect: true}, 4 * h, 4 * h, ReasonSuspect},
		{"a watch whose page cannot be read, at two hours",
			Inputs{Watch: true, Suspect: true, Asked: 2 * h, Explicit: true}, 8 * h, 8 * h, ReasonSuspect},
		{"weekly, by publication times", Inputs{HasValidators: true, Changes: weekly}, 4 * h, h, ReasonQuiet},
		{"times in the future do not count",
			Inputs{HasValidators: true, LastChange: noon.Add(day), Changes: []int64{noon.Add(9 * day).Unix()}}, h, h,
			ReasonDefault},
		{"a chosen hour holds for a year",
			Inputs{HasValidators: true, Asked: h, Explicit: true, LastChange: ago(365 * day)}, h, h, ReasonAsked},
		{"a chosen half hour holds for a month", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true,
			LastChange: ago(29 * day)}, 30 * time.Minute, 30 * time.Minute, ReasonAsked},
		{"and no longer", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true,
			LastChange: ago(30 * day)}, 12 * h, 30 * time.Minute, ReasonQuiet},
		{"a month near its limit", Inputs{HasValidators: true, Slow: 2}, 2 * h, h, ReasonBudget},
		{"nearer", Inputs{HasValidators: true, Slow: 4}, 5 * h, h, ReasonBudget},
		{"at its limit", Inputs{HasValidators: true, Slow: 8}, 10 * h, h, ReasonBudget},
		{"at its limit, a chosen half hour",
			Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true, Slow: 8}, 6 * h,
			30 * time.Minute, ReasonBudget},
		{"at its limit, quiet", Inputs{HasValidators: true, LastChange: ago(365 * day), Slow: 8}, 4 * day, h,
			ReasonBudget},
		{"at its limit, a watch", Inputs{Watch: true, Asked: 30 * time.Minute, Explicit: true, Slow: 2},
			75 * time.Minute, 30 * time.Minute, ReasonBudget},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Now = noon
			period, why := Pace(tt.in)
			if got := IntervalIn(period, why); got != tt.want || why != tt.why {
				t.Errorf("interval %v (%s), want %v (%s)", got, why, tt.want, tt.why)
			}
			gap, _ := tt.in.promised()
			if Gap(tt.in) != tt.gap || period < PeriodFor(gap) {
				t.Errorf("gap %v, want %v; %v is promised, the period is %d ticks", Gap(tt.in), tt.gap, gap, period)
			}
		})
	}
}

// G-30
func TestDecide(t *testing.T) {
	t.Parallel()
	tick := TickOf(noon)
	hourly := Plan{First: tick - 50, Period: 5}
	for _, tt := range []struct {
		name      string
		in        Inputs
		first     Tick
		period    int32
		write     bool
		notBefore time.Duration
	}{
		{name: "unchanged writes nothing",
			in: Inputs{Plan: hourly, HasValidators: true}, first: tick - 50, period: 5},
		{name: "slower is worth a write",
			in:    Inputs{Plan: hourly, HasValidators: true, MaxAge: 2 * time.Hour},
			first: tick + 9, period: 9, write: true},
		{name: "faster is not",
			in:    Inputs{Plan: Plan{First: tick - 48, Period: 48}, HasValidators: true},
			first: tick - 48, period: 48},
		{name: "faster rides along with another write",
			in:    Inputs{Plan: Plan{First: tick - 49, Period: 49}, HasValidators: true, Writing: true},
			first: tick + 7, period: 5, write: true},
		{name: "a wait that nobody asked for ends at once",
			in:    Inputs{Plan: Plan{First: tick - 97, Period: 97}},
			first: tick + 8, period: 8, write: true},
		{name: "a long wait that the publisher asks for stays",
			in:    Inputs{Plan: Plan{First: tick - 97, Period: 97}, HasValidators: true, TTL: day},
			first: tick - 97, period: 97},
		{name: "the month comes near its limit",
			in:    Inputs{Plan: hourly, HasValidators: true, Slow: 2, Why: ReasonDefault},
			first: tick + 12, period: 10, write: true},
		{name: "it is nearer",
			in: Inputs{Plan: Plan{First: tick - 10, Period: 10}, HasValidators: true, Slow: 8,
				Why: ReasonBudget}, first: tick + 40, period: 40, write: true},
		{name: "it stays there",
			in: Inputs{Plan: Plan{First: tick - 10, Period: 10}, HasValidators: true, Slow: 2,
				Why: ReasonBudget}, first: tick - 10, period: 10},
		{name: "the next month begins",
			in: Inputs{Plan: Plan{First: tick - 40, Period: 40}, HasValidators: true, Slow: 1,
				Why: ReasonBudget}, first: tick + 7, period: 5, write: true},
		{name: "a failure near the limit",
			in:    Inputs{Plan: hourly, HasValidators: true, Slow: 8, Code: "http_500", Errors: 1},
			first: tick + 40, period: 40, write: true},
		{name: "validators lost",
			in:    Inputs{Plan: hourly},
			first: tick + 8, period: 8, write: true},
		{name: "fickle",
			in:    Inputs{Plan: hourly, Writing: true, HasValidators: true, Fickle: true},
			first: tick + 8, period: 8, write: true},
		{name: "hub verified",
			in:    Inputs{Plan: hourly, Writing: true, HasValidators: true, Hub: true},
			first: tick + 97, period: 97, write: true},
		{name: "the first error waits no less than the period",
			in:    Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeTimeout, Errors: 1},
			first: tick + 5, period: 5, write: true},
		{name: "the tenth waits half a day",
			in:    Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeTimeout, Errors: 10},
			first: tick + 48, period: 5, write: true},
		{name: "a long period stays",
			in: Inputs{Plan: Plan{First: tick - 97, Period: 97}, HasValidators: true, Code: reader.CodeHTTP5xx,
				Status: 500, Errors: 3},
			first: tick + 97, period: 97, write: true},
		{name: "429 without a word slows down at once",
			in:    Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeHTTP429, Status: 429, Errors: 1},
			first: tick + 10, period: 5, write: true},
		{name: "503 without a word backs off as any error does",
			in: Inputs{Plan: Plan{First: tick - 3, Period: 3}, HasValidators: true, Asked: 30 * time.Minute,
				Explicit: true, Code: reader.CodeHTTP5xx, Status: 503, Errors: 1},
			first: tick + 3, period: 3, write: true},
		{name: "503 of a daily feed is daily",
			in: Inputs{Plan: Plan{First: tick - 97, Period: 97}, HasValidators: true, Code: reader.CodeHTTP5xx,
				Status: 503, Errors: 1},
			first: tick + 97, period: 97, write: true},
		{name: "retry-after is rounded up to a tick",
			in: Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeHTTP429, Status: 429, Errors: 1,
				RetryAfter: 3*time.Hour + time.Second},
			first: tick + 13, period: 5, write: true, notBefore: 3*time.Hour + time.Second},
		{name: "a short retry-after does not hasten",
			in: Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeHTTP5xx, Status: 503, Errors: 1,
				RetryAfter: time.Second},
			first: tick + 5, period: 5, write: true, notBefore: time.Second},
		{name: "ten years of retry-after are a week",
			in: Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeHTTP429, Status: 429, Errors: 1,
				RetryAfter: 3650 * day},
			first: tick + 672, period: 5, write: true, notBefore: 7 * day},
		{name: "our own fault is not the publisher's",
			in:    Inputs{Plan: hourly, HasValidators: true, Code: reader.CodeStorageFull, Errors: 9},
			first: tick - 50, period: 5},
		{name: "a failed first crawl keeps to what was asked",
			in:    Inputs{Code: reader.CodeTimeout, Errors: 1, Asked: 3 * time.Hour, Explicit: true},
			first: tick + 13, period: 13, write: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Now = noon
			d := Decide(tt.in)
			if d.First != tt.first || d.Period != tt.period {
				t.Errorf("plan %+v, want first %d, period %d", d.Plan, tt.first, tt.period)
			}
			if (d.Plan != tt.in.Plan) != tt.write {
				t.Errorf("plan %+v after %+v, want a write: %v", d.Plan, tt.in.Plan, tt.write)
			}
			if want := noon.Add(tt.notBefore); (tt.notBefore == 0) != d.NotBefore.IsZero() || tt.notBefore != 0 &&
				!d.NotBefore.Equal(want) {
				t.Errorf("not before %v, want %v", d.NotBefore, want)
			}
		})
	}
}

func TestDecideFirstCrawl(t *testing.T) {
	t.Parallel()
	tick := TickOf(noon)
	in := Inputs{Feed: 7, Now: noon, First: true, Writing: true, HasValidators: true,
		Plan: Plan{First: tick + 4, Period: 5}}
	d := Decide(in)
	if d.First != SecondTurn(tick, 5, 5, 7) || d.Plan == in.Plan {
		t.Errorf("%+v", d)
	}
}

// A feed that falls silent for ever is written at most four times.
func TestQuietLifeCostsFourWrites(t *testing.T) {
	t.Parallel()
	change := noon
	p := Plan{First: TickOf(noon), Period: 5}
	writes, polls := 0, 0
	var periods []int32
	for tick := TickOf(noon); tick < TickOf(noon.Add(500*day)); tick = p.NextTurn(tick) {
		polls++
		d := Decide(Inputs{Now: tick.Start().Add(time.Minute), Plan: p, HasValidators: true, LastChange: change})
		if d.Plan != p {
			writes++
			p = d.Plan
			periods = append(periods, p.Period)
		}
	}
	if writes != 4 || p.Period != 48 {
		t.Errorf("%d writes in %d polls, periods %v", writes, polls, periods)
	}
}

// R-23, G-30
func TestBackOff(t *testing.T) {
	t.Parallel()
	spread := map[Tick]bool{}
	for f := range 200 {
		feed := reader.FeedID(f + 1)
		for k := range 300 {
			low := min(Tick(2)<<min(k, 20), 48)
			got := BackOff(1000, 1, k, feed) - 1000
			if got < low || got > 48 || got > low+low/2 {
				t.Fatalf("feed %d after %d failures waits %d ticks", feed, k, got)
			}
			if got != BackOff(1000, 1, k, feed)-1000 {
				t.Fatal("not the same twice")
			}
			if k == 3 {
				spread[got] = true
			}
		}
		if got := BackOff(1000, 97, 5, feed); got != 1097 {
			t.Fatalf("sooner or later than its period: %d", got)
		}
	}
	if len(spread) < 5 {
		t.Errorf("feeds that failed together come back at %d different ticks", len(spread))
	}
	if BackOff(0, 1, -1, 1) < 2 {
		t.Error("a negative count")
	}
}

// G-28
func TestStop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   StopInputs
		want string
	}{
		{"410 at once", StopInputs{Code: "http_410", Errors: 1}, "http_410"},
		{"404 at once", StopInputs{Code: "http_404", Errors: 1}, "http_404"},
		{"401 at once", StopInputs{Code: "http_401", Errors: 1}, "http_401"},
		{"403 at once", StopInputs{Code: "http_403", Errors: 1}, "http_403"},
		{"429 not", StopInputs{Code: "http_429", Errors: 1}, ""},
		{"nine parse failures", StopInputs{Code: "bad_xml", Errors: 9, ParseErrors: 9, Since: ago(30 * day)}, ""},
		{"ten parse failures", StopInputs{Code: "bad_xml", Errors: 10, ParseErrors: 10, Since: ago(time.Hour)},
			"stopped_parse"},
		{"a parse failure after nine others", StopInputs{Code: "html_page", Errors: 10, ParseErrors: 1,
			Since: ago(30 * day)}, ""},
		{"ten others in six days", StopInputs{Code: "timeout", Errors: 10, Since: ago(7*day - time.Second)}, ""},
		{"nine others in a month", StopInputs{Code: "timeout", Errors: 9, Since: ago(30 * day)}, ""},
		{"ten others in seven days", StopInputs{Code: "timeout", Errors: 10, Since: ago(7 * day)}, "stopped_errors"},
		{"since when is not known", StopInputs{Code: "timeout", Errors: 50}, ""},
		{"our own store", StopInputs{Code: "storage_full", Errors: 99, Since: ago(30 * day)}, ""},
	} {
		tt.in.Now = noon
		code, stop := Stop(tt.in)
		if code != tt.want || stop != (tt.want != "") {
			t.Errorf("%s: %q %v", tt.name, code, stop)
		}
	}
}

// Back-off alone must not reach the week before the tenth failure, or the second condition is idle.
// C-5
func TestTenFailuresComeBeforeAWeek(t *testing.T) {
	t.Parallel()
	tick := Tick(0)
	for k := range 9 {
		tick = BackOff(tick, 5, k, 77)
	}
	if took := time.Duration(tick) * TickLength; took > 4*day {
		t.Errorf("ten failures take %v", took)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	now := TickOf(noon).Start().Add(13 * time.Minute)
	tick := TickOf(now)
	plan := Plan{First: tick - 5, Period: 5}
	sound := Situation{Plan: plan, Why: ReasonDefault, Status: reader.StatusActive, Subscribers: 1, Now: now}
	with := func(change func(*Situation)) Situation { s := sound; change(&s); return s }
	for _, tt := range []struct {
		name     string
		s        Situation
		code     string
		next     Tick // NoTick: none
		interval time.Duration
		why      string
	}{
		{"sound", sound, ReasonDefault, tick + 5, time.Hour, ReasonDefault},
		{"quiet", with(func(s *Situation) {
			s.Why, s.Plan.Period = ReasonQuiet, 48
		}), ReasonQuiet, tick + 43, 12 * time.Hour, ReasonQuiet},
		{"no validators", with(func(s *Situation) {
			s.Why, s.Plan.Period = ReasonNoValidators, 9
		}), ReasonNoValidators, tick + 4, 2 * time.Hour, ReasonNoValidators},
		{"unknown code", with(func(s *Situation) {
			s.Why = "from_a_later_version"
		}), ReasonDefault, tick + 5, time.Hour, ReasonDefault},
		{"no period yet", with(func(s *Situation) {
			s.Why, s.Plan.Period = "", 0
		}), ReasonDefault, tick + 5, time.Hour, ReasonDefault},
		{"stopped", with(func(s *Situation) {
			s.Status = reader.StatusStopped
		}), ReasonStopped, NoTick, time.Hour, ReasonDefault},
		{"probed", with(func(s *Situation) {
			s.Status, s.Plan.Probes = reader.StatusStopped, Probes{Until: tick + probeSpan}
		}), ReasonProbe, tick + 24, time.Hour, ReasonDefault},
		{"no more probes", with(func(s *Situation) {
			s.Status, s.Plan.Probes = reader.StatusStopped, Probes{Until: tick}
		}), ReasonStopped, NoTick, time.Hour, ReasonDefault},
		{"nobody", with(func(s *Situation) {
			s.Subscribers = 0
		}), ReasonNoSubscribers, NoTick, time.Hour, ReasonDefault},
		{"waiting", with(func(s *Situation) {
			s.Status = reader.StatusWaiting
			s.Plan.First = tick + 4
		}), ReasonWaiting, tick + 4, time.Hour, ReasonDefault},
		{"failed", with(func(s *Situation) {
			s.Status = reader.StatusError
			s.Errors = 2
			s.Plan.First = tick + 11
		}), ReasonBackOff, tick + 11, time.Hour, ReasonDefault},
		{"retry-after", with(func(s *Situation) {
			s.NotBefore = now.Add(time.Hour)
			s.Errors = 1
			s.Plan.First = tick + 6
		}), ReasonRetryAfter, tick + 6, time.Hour, ReasonDefault},
		{"retry-after beyond the turns", with(func(s *Situation) {
			s.NotBefore = (tick + 8).Start()
		}), ReasonRetryAfter, tick + 10, time.Hour, ReasonDefault},
		{"a broken not-before ends", with(func(s *Situation) {
			s.NotBefore = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
		}), ReasonRetryAfter, 279559488, time.Hour, ReasonDefault},
		{"skipped hours", with(func(s *Situation) {
			s.Plan.Skip.Hours = 1 << 13
		}), ReasonSkip, tick + 10, time.Hour, ReasonDefault},
	} {
		c := Explain(tt.s)
		if c.NextWhy != tt.code || c.Interval != tt.interval || c.Why != tt.why {
			t.Errorf("%s: %+v, want %s, %v, %s", tt.name, c, tt.code, tt.interval, tt.why)
		}
		if tt.next == NoTick != c.Next.IsZero() || tt.next != NoTick && TickOf(c.Next) != tt.next {
			t.Errorf("%s: at %v (tick %d), want tick %d", tt.name, c.Next, TickOf(c.Next), tt.next)
		}
	}
}

// randomInputs makes a feed row and a poll of it, with or without hints of its publisher.
func randomInputs(rng *rand.Rand, hints bool) Inputs {
	now := reader.Epoch.Add(time.Duration(rng.Int64N(int64(900 * day))))
	pick := func(of ...time.Duration) time.Duration { return of[rng.IntN(len(of))] }
	in := Inputs{
		Feed: reader.FeedID(1 + rng.IntN(1<<19-1)), Now: now,
		Writing:  rng.IntN(2) == 0,
		First:    rng.IntN(4) == 0,
		Asked:    time.Duration(rng.IntN(25)) * 30 * time.Minute,
		Explicit: rng.IntN(2) == 0, HasValidators: rng.IntN(2) == 0, Fickle: rng.IntN(4) == 0, Large: rng.IntN(3) == 0,
	}
	if !in.Explicit {
		in.Asked = DefaultInterval // as the row has it
	}
	if rng.IntN(5) > 0 {
		in.LastChange = now.Add(-time.Duration(rng.Int64N(int64(800 * day))))
		for range rng.IntN(10) {
			in.Changes = append(in.Changes, now.Add(-time.Duration(rng.Int64N(int64(800*day)))).Unix())
		}
	}
	// The plan that an earlier poll left, or one of before the waits had an end.
	in.Plan = Plan{First: TickOf(now) - Tick(rng.IntN(200)),
		Period: []int32{0, 3, 5, 9, 17, 25, 48, 49, 97}[rng.IntN(9)]}
	if hints {
		in.MaxAge, in.TTL = pick(0, time.Hour, 20*time.Hour, 90*day), pick(0, time.Hour, 30*time.Hour)
		in.SkipHours, in.SkipDays = rng.Uint32()&rng.Uint32(), uint8(rng.Uint32()&rng.Uint32())
	}
	return in
}

// Without a hint of the publisher or an error, nothing waits longer than 12 hours from poll to poll: not after a
// first crawl, not by habit, not by what an earlier version stored. Where somebody chose 12 hours, they are kept as
// the least gap, which takes a tick more.
// G-27
func TestNothingWaitsLongerThanTwelveHours(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(12, 12))
	longestWait := Tick(0)
	for range 200_000 {
		in := randomInputs(rng, false)
		t0 := TickOf(in.Now)
		bound := Tick(12 * time.Hour / TickLength)
		if in.Explicit {
			bound = max(bound, Tick(PeriodFor(in.Asked)))
		}
		d := Decide(in)
		wait := d.NextTurn(t0) - t0
		if wait > bound {
			t.Fatalf("waits %d ticks: %+v after %+v", wait, d.Plan, in)
		}
		longestWait = max(longestWait, wait)
		if gap, _ := in.promised(); in.First && wait < Tick(PeriodFor(gap)) {
			t.Fatalf("the second turn comes after %d ticks, %v was promised: %+v", wait, gap, in)
		}
		// What moved it later keeps the bound too.
		claimed := d.Plan.Claim(in.Now)
		if wait := claimed.NextTurn(t0) - ClaimTick(in.Now); wait > bound {
			t.Fatalf("a claim waits %d ticks: %+v", wait, in)
		}
		if lost, _ := d.Plan.AfterLost(t0, t0+1, time.Hour); lost.NextTurn(t0+1)-t0 > max(bound, Tick(d.Period)+1) {
			t.Fatalf("after a lost run it waits %d ticks: %+v", lost.NextTurn(t0+1)-t0, in)
		}
	}
	if longestWait < 48 {
		t.Errorf("the longest wait seen is %d ticks", longestWait)
	}
}

// Hints are only ever waited for longer: the next turn is never inside a max-age or a ttl.
func TestHintsAreKeptByEveryPoll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(13, 13))
	for range 100_000 {
		in := randomInputs(rng, true)
		if in.Writing = true; in.First {
			in.Plan = Plan{}
		}
		t0 := TickOf(in.Now)
		in.Plan.First = t0 - Tick(in.Plan.Period) // it is its turn
		d := Decide(in)
		hint := min(max(in.MaxAge, in.TTL), MaxHint)
		if next := d.NextTurn(t0).Start(); next.Sub(t0.Spent()) < hint {
			t.Fatalf("comes back %v after its turn, the hint is %v: %+v", next.Sub(t0.Start()), hint, in)
		}
	}
}

package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const day = 24 * time.Hour

var noon = reader.Epoch.Add(100*day + 12*time.Hour)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// G-27
func TestInterval(t *testing.T) {
	t.Parallel()
	weekly := []int64{ago(1 * day).Unix(), ago(8 * day).Unix(), ago(15 * day).Unix(), ago(22 * day).Unix()}
	for _, tt := range []struct {
		name string
		in   Inputs
		want time.Duration
		gap  time.Duration
		why  string
	}{
		{"nothing known", Inputs{HasValidators: true}, time.Hour, time.Hour, ReasonDefault},
		{"asked for less", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true}, 30 * time.Minute, 30 * time.Minute, ReasonAsked},
		{"less, but nobody asked", Inputs{HasValidators: true, Asked: 30 * time.Minute}, time.Hour, time.Hour, ReasonDefault},
		{"asked out of bounds", Inputs{HasValidators: true, Asked: time.Minute, Explicit: true}, 30 * time.Minute, 30 * time.Minute, ReasonAsked},
		{"asked for too long", Inputs{HasValidators: true, Asked: 99 * time.Hour, Explicit: true}, 12 * time.Hour, 12 * time.Hour, ReasonAsked},
		{"odd steps are rounded up", Inputs{HasValidators: true, Asked: 95 * time.Minute, Explicit: true}, 2 * time.Hour, 2 * time.Hour, ReasonAsked},
		{"asked for less, the publisher says no", Inputs{HasValidators: true, Asked: 30 * time.Minute, Explicit: true, MaxAge: time.Hour}, time.Hour, time.Hour, ReasonMaxAge},
		{"max-age lengthens", Inputs{HasValidators: true, MaxAge: 3 * time.Hour}, 3 * time.Hour, 3 * time.Hour, ReasonMaxAge},
		{"max-age never shortens", Inputs{HasValidators: true, MaxAge: time.Minute}, time.Hour, time.Hour, ReasonDefault},
		{"a year of max-age is a week", Inputs{HasValidators: true, MaxAge: 365 * day}, 7 * day, 7 * day, ReasonMaxAge},
		{"ttl lengthens", Inputs{HasValidators: true, TTL: 2 * time.Hour}, 2 * time.Hour, 2 * time.Hour, ReasonTTL},
		{"the longest hint wins", Inputs{HasValidators: true, TTL: 2 * time.Hour, MaxAge: 5 * time.Hour}, 5 * time.Hour, 5 * time.Hour, ReasonMaxAge},
		{"no validators", Inputs{}, day, day, ReasonNoValidators},
		{"no validators, asked for less", Inputs{Asked: 30 * time.Minute, Explicit: true}, day, day, ReasonNoValidators},
		{"fickle", Inputs{HasValidators: true, Fickle: true}, 4 * time.Hour, 4 * time.Hour, ReasonFickle},
		{"hub", Inputs{HasValidators: true, Hub: true}, day, time.Hour, ReasonHub},
		{"changed yesterday", Inputs{HasValidators: true, LastChange: ago(day)}, time.Hour, time.Hour, ReasonDefault},
		{"quiet for 2 days", Inputs{HasValidators: true, LastChange: ago(2 * day)}, 2 * time.Hour, time.Hour, ReasonQuiet},
		{"quiet for 4 days", Inputs{HasValidators: true, LastChange: ago(4 * day)}, 4 * time.Hour, time.Hour, ReasonQuiet},
		{"quiet for 8 days", Inputs{HasValidators: true, LastChange: ago(8 * day)}, 8 * time.Hour, time.Hour, ReasonQuiet},
		{"quiet for 12 days", Inputs{HasValidators: true, LastChange: ago(12 * day)}, 12 * time.Hour, time.Hour, ReasonQuiet},
		{"quiet for a year", Inputs{HasValidators: true, LastChange: ago(365 * day)}, day, time.Hour, ReasonQuiet},
		{"weekly, just changed", Inputs{HasValidators: true, LastChange: ago(0), Changes: weekly}, 4 * time.Hour, time.Hour, ReasonQuiet},
		{"weekly, by publication times", Inputs{HasValidators: true, Changes: weekly}, 4 * time.Hour, time.Hour, ReasonQuiet},
		{"times in the future do not count", Inputs{HasValidators: true, LastChange: noon.Add(day), Changes: []int64{noon.Add(9 * day).Unix()}}, time.Hour, time.Hour, ReasonDefault},
		{"a chosen interval holds for a month", Inputs{HasValidators: true, Asked: time.Hour, Explicit: true, LastChange: ago(29 * day)}, time.Hour, time.Hour, ReasonAsked},
		{"and no longer", Inputs{HasValidators: true, Asked: time.Hour, Explicit: true, LastChange: ago(30 * day)}, day, time.Hour, ReasonQuiet},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Now = noon
			got, why := Interval(tt.in)
			if got != tt.want || why != tt.why {
				t.Errorf("interval %v (%s), want %v (%s)", got, why, tt.want, tt.why)
			}
			if gap, _ := Gap(tt.in); gap != tt.gap {
				t.Errorf("gap %v, want %v", gap, tt.gap)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	tick := TickOf(noon)
	hourly := Plan{First: tick - 50, Period: 5}
	for _, tt := range []struct {
		name          string
		in            Inputs
		first         Tick
		period        int32
		write, polled bool
		reason        string
		notBefore     time.Duration
	}{
		{name: "unchanged writes nothing",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeUnchanged}, first: tick - 50, period: 5, reason: ReasonDefault},
		{name: "a 304 writes nothing",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeNotModified}, first: tick - 50, period: 5, reason: ReasonDefault},
		{name: "slower is worth a write",
			in:    Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeNotModified, MaxAge: 2 * time.Hour},
			first: tick + 9, period: 9, write: true, polled: true, reason: ReasonMaxAge},
		{name: "faster is not",
			in:    Inputs{Plan: Plan{First: tick - 49, Period: 49}, HasValidators: true, Outcome: reader.OutcomeNotModified},
			first: tick - 49, period: 49, reason: ReasonDefault},
		{name: "faster rides along with a change",
			in:    Inputs{Plan: Plan{First: tick - 49, Period: 49}, HasValidators: true, Outcome: reader.OutcomeChanged},
			first: tick + 5, period: 5, write: true, polled: true, reason: ReasonDefault},
		{name: "faster rides along with a new pair",
			in:    Inputs{Plan: Plan{First: tick - 49, Period: 49}, HasValidators: true, Outcome: reader.OutcomeUnchanged, Writing: true},
			first: tick + 5, period: 5, write: true, polled: true, reason: ReasonDefault},
		{name: "a gap that grew under a long period is worth a write",
			in: Inputs{Plan: Plan{First: tick - 97, Period: 97}, HasValidators: true, Outcome: reader.OutcomeNotModified,
				MaxAge: 3 * time.Hour, StoredGap: time.Hour},
			first: tick - 97, period: 97, write: true, reason: ReasonMaxAge},
		{name: "validators lost",
			in:    Inputs{Plan: hourly, Outcome: reader.OutcomeUnchanged},
			first: tick + 97, period: 97, write: true, polled: true, reason: ReasonNoValidators},
		{name: "fickle",
			in:    Inputs{Plan: hourly, Outcome: reader.OutcomeChanged, HasValidators: true, Fickle: true},
			first: tick + 17, period: 17, write: true, polled: true, reason: ReasonFickle},
		{name: "hub verified",
			in:    Inputs{Plan: hourly, Outcome: reader.OutcomeChanged, HasValidators: true, Hub: true},
			first: tick + 97, period: 97, write: true, polled: true, reason: ReasonHub},
		{name: "deferred",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeDeferred}, first: tick + 1, period: 5, write: true, reason: ReasonDeferred},
		{name: "skipped",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeSkipped}, first: tick - 50, period: 5, reason: ReasonDefault},
		{name: "the first error waits no less than the period",
			in:    Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeTimeout, Errors: 1},
			first: tick + 5, period: 5, write: true, polled: true, reason: ReasonBackOff},
		{name: "the tenth waits half a day",
			in:    Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeTimeout, Errors: 10},
			first: tick + 48, period: 5, write: true, polled: true, reason: ReasonBackOff},
		{name: "a long period stays",
			in:    Inputs{Plan: Plan{First: tick - 97, Period: 97}, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP5xx, Status: 500, Errors: 3},
			first: tick + 97, period: 97, write: true, polled: true, reason: ReasonBackOff},
		{name: "429 without a word slows down at once",
			in:    Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP429, Status: 429, Errors: 1},
			first: tick + 10, period: 5, write: true, polled: true, reason: ReasonBackOff},
		{name: "503 of a daily feed is daily",
			in:    Inputs{Plan: Plan{First: tick - 97, Period: 97}, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP5xx, Status: 503, Errors: 1},
			first: tick + 97, period: 97, write: true, polled: true, reason: ReasonBackOff},
		{name: "retry-after is rounded up to a tick",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP429, Status: 429, Errors: 1,
				RetryAfter: 3*time.Hour + time.Second},
			first: tick + 13, period: 5, write: true, polled: true, reason: ReasonRetryAfter, notBefore: 3*time.Hour + time.Second},
		{name: "a short retry-after does not hasten",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP5xx, Status: 503, Errors: 1,
				RetryAfter: time.Second},
			first: tick + 10, period: 5, write: true, polled: true, reason: ReasonBackOff, notBefore: time.Second},
		{name: "ten years of retry-after are a week",
			in: Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeHTTP429, Status: 429, Errors: 1,
				RetryAfter: 3650 * day},
			first: tick + 672, period: 5, write: true, polled: true, reason: ReasonRetryAfter, notBefore: 7 * day},
		{name: "our own fault is not the publisher's",
			in:    Inputs{Plan: hourly, HasValidators: true, Outcome: reader.OutcomeFailed, Code: reader.CodeStorageFull, Errors: 9},
			first: tick - 50, period: 5, reason: ReasonDefault},
		{name: "a failed first crawl keeps to what was asked",
			in:    Inputs{Outcome: reader.OutcomeFailed, Code: reader.CodeTimeout, Errors: 1, Asked: 3 * time.Hour, Explicit: true},
			first: tick + 13, period: 13, write: true, polled: true, reason: ReasonBackOff},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Now = noon
			d := Decide(tt.in)
			if d.First != tt.first || d.Period != tt.period {
				t.Errorf("plan %+v, want first %d, period %d", d.Plan, tt.first, tt.period)
			}
			if d.Write != tt.write || d.Polled.IsZero() == tt.polled {
				t.Errorf("write %v, polled %v", d.Write, d.Polled)
			}
			if d.Reason.Code != tt.reason || d.Reason.Message == "" || !d.Reason.At.Equal(d.NextTurn(tick).Start()) {
				t.Errorf("reason %+v, want %s", d.Reason, tt.reason)
			}
			if want := noon.Add(tt.notBefore); (tt.notBefore == 0) != d.NotBefore.IsZero() || tt.notBefore != 0 && !d.NotBefore.Equal(want) {
				t.Errorf("not before %v, want %v", d.NotBefore, want)
			}
		})
	}
}

func TestDecideFirstCrawl(t *testing.T) {
	t.Parallel()
	tick := TickOf(noon)
	in := Inputs{Feed: 7, Now: noon, First: true, Outcome: reader.OutcomeChanged, HasValidators: true, Plan: Plan{First: tick + 4, Period: 5}}
	d := Decide(in)
	if d.First != SecondTurn(tick, 5, 7) || !d.Write || d.Reason.Code != ReasonSpread {
		t.Errorf("%+v", d)
	}
}

// A feed that falls silent for ever is written at most five times.
func TestQuietLifeCostsFiveWrites(t *testing.T) {
	t.Parallel()
	change := noon
	p := Plan{First: TickOf(noon), Period: 5}
	writes, polls := 0, 0
	var periods []int32
	for tick := TickOf(noon); tick < TickOf(noon.Add(500*day)); tick = p.NextTurn(tick) {
		polls++
		d := Decide(Inputs{Now: tick.Start().Add(time.Minute), Tick: tick, Plan: p, HasValidators: true,
			Outcome: reader.OutcomeNotModified, LastChange: change, StoredGap: time.Hour})
		if d.Write {
			writes++
			p = d.Plan
			periods = append(periods, p.Period)
		}
	}
	if writes != 5 || p.Period != 97 {
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
		{"ten parse failures", StopInputs{Code: "bad_xml", Errors: 10, ParseErrors: 10, Since: ago(time.Hour)}, "stopped_parse"},
		{"a parse failure after nine others", StopInputs{Code: "html_page", Errors: 10, ParseErrors: 1, Since: ago(30 * day)}, ""},
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
		if stop && reader.FaultOf(code).Message == reader.FaultOf(reader.CodeUnknown).Message {
			t.Errorf("%s: no sentence for %s", tt.name, code)
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
		name string
		s    Situation
		code string
		next Tick // NoTick: none
	}{
		{"sound", sound, ReasonDefault, tick + 5},
		{"its turn is just now", with(func(s *Situation) { s.Now = tick.Start().Add(time.Minute) }), ReasonDefault, tick},
		{"quiet", with(func(s *Situation) { s.Why = ReasonQuiet }), ReasonQuiet, tick + 5},
		{"unknown code", with(func(s *Situation) { s.Why = "from_a_later_version" }), ReasonDefault, tick + 5},
		{"stopped", with(func(s *Situation) { s.Status = reader.StatusStopped }), ReasonStopped, NoTick},
		{"nobody", with(func(s *Situation) { s.Subscribers = 0 }), ReasonNoSubscribers, NoTick},
		{"waiting", with(func(s *Situation) { s.Status = reader.StatusWaiting; s.Plan.First = tick + 4 }), ReasonWaiting, tick + 4},
		{"failed", with(func(s *Situation) { s.Status = reader.StatusError; s.Errors = 2; s.Plan.First = tick + 11 }), ReasonBackOff, tick + 11},
		{"retry-after", with(func(s *Situation) { s.NotBefore = now.Add(time.Hour); s.Errors = 1; s.Plan.First = tick + 6 }), ReasonRetryAfter, tick + 6},
		{"retry-after beyond the turns", with(func(s *Situation) { s.NotBefore = (tick + 8).Start() }), ReasonRetryAfter, tick + 10},
		{"a broken not-before ends", with(func(s *Situation) { s.NotBefore = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }), ReasonRetryAfter, 279559488},
		{"skipped hours", with(func(s *Situation) { s.Plan.Skip.Hours = 1 << 13 }), ReasonSkip, tick + 10},
	} {
		r := Explain(tt.s)
		if r.Code != tt.code || r.Message == "" || !strings.HasSuffix(r.Message, ".") {
			t.Errorf("%s: %+v, want %s", tt.name, r, tt.code)
		}
		if tt.next == NoTick != r.At.IsZero() || tt.next != NoTick && TickOf(r.At) != tt.next {
			t.Errorf("%s: at %v (tick %d), want tick %d", tt.name, r.At, TickOf(r.At), tt.next)
		}
	}
	for code := range reasons {
		if ReasonOf(code).Code != code {
			t.Errorf("%s has no sentence", code)
		}
	}
	for d, want := range map[time.Duration]string{
		30 * time.Minute: "30 minutes", time.Hour: "an hour", 90 * time.Minute: "1 h 30 min", day: "24 hours",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}

package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Decision is what a poll means for its feed's schedule.
type Decision struct {
	Plan // to be stored, when it differs from the one before
	// Why is the code to store with the period; it explains the period, not a passing failure.
	Why string
	// NotBefore is set by Retry-After: store it, it binds refreshes too. Zero: none (any more).
	NotBefore time.Time
	// Write tells that the plan must be stored even if nothing else is written.
	Write bool
	// Polled is the time of this poll when the first turn moved, zero else: store it with the plan, or
	// the turn just polled would be forgotten.
	Polled time.Time
	// Reason says why the next poll is then.
	Reason Reason
}

// Decide works out the schedule after a poll. An unchanged poll of a feed that keeps its pace changes
// nothing: its next turn follows from the plan. Only then is something different when the interval got
// longer (hints, quiet), or when the row is written anyway, which is when it may get shorter too. A
// period that is longer than anybody but a publisher may make it gets shorter at once.
func Decide(in Inputs) Decision {
	t := in.Tick
	if t == 0 {
		t = TickOf(in.Now)
	}
	skip := Skip{Hours: in.SkipHours, Days: in.SkipDays}
	period, why := Pace(in)
	d := Decision{Plan: in.Plan, Why: why}
	d.Skip = skip
	switch {
	case in.Outcome == reader.OutcomeFailed:
		return d.failed(in, t)
	case in.Outcome == reader.OutcomeDeferred:
		// No request was made: the next tick does it (two time-outs of the host in a row).
		d.First = d.Skip.after(t + 1)
		return d.end(in, ReasonDeferred, t)
	case in.Outcome == reader.OutcomeSkipped || in.Outcome == reader.OutcomeLost:
		return d.end(in, why, t)
	}
	switch {
	case in.First || in.Plan.Period < 1:
		gap, _ := in.promised()
		least := PeriodFor(gap)
		d.Period, d.First = period, SecondTurn(t, least, period, in.Feed)
		if in.Feed <= together && fromTurnToTurn(why) {
			d.First = gather(d.First, t+Tick(least), t+Tick(period))
		}
		d.Plan = d.Plan.clear(t)
		return d.end(in, ReasonSpread, t)
	case period > in.Plan.Period, period < in.Plan.Period && (in.writing() || in.Plan.Period > longest):
		d.Period, d.First = period, t+Tick(period)
		switch over := d.First % usual; {
		case in.Feed > together:
		case why == ReasonQuiet:
			d.First = gather(d.First, t+Tick(PeriodFor(Gap(in))), d.First)
		case fromTurnToTurn(why):
			d.First = gather(d.First, d.First, d.First+grid)
		case why == ReasonDefault && in.Plan.Period > period && over > 0:
			d.First += usual - over // it was polled less often: a little more of that is no loss
		}
	}
	d.Plan = d.Plan.clear(t)
	return d.end(in, why, t)
}

// An installation with few feeds is to have ticks in which nothing is due and nothing is written, so turns are put
// together where that costs nobody a wait: those of periods from turn to turn on every fourth tick (such periods are
// multiples of it), those of feeds that come back to the usual period on every fifth. Where there are many feeds, every
// tick has work, and the turns of those with higher numbers stay spread.
const (
	grid     = 4
	usual    = 5
	together = 500 // feeds
)

// gather puts a first turn on the grid: a little earlier, but not before the least, or a little later, but not after
// the most.
func gather(first, least, most Tick) Tick {
	on := first - first%grid
	if on < least {
		on += grid
	}
	if on > most {
		return first
	}
	return on
}

// longest is the longest period that our own habits make; only hints, hubs and a subscriber who asks for 12
// hours make longer ones.
const longest = int32(12 * time.Hour / TickLength)

func (in Inputs) writing() bool { return in.Writing || in.Outcome == reader.OutcomeChanged }

func (d Decision) end(in Inputs, code string, t Tick) Decision {
	d.Write = d.Plan != in.Plan
	if d.First != in.Plan.First && in.Outcome.Polled() {
		d.Polled = in.Now
	}
	d.Reason = ReasonOf(code)
	d.Reason.At = d.NextTurn(t).Start()
	if d.Skip.At(d.regular(t)) && code != ReasonDeferred {
		d.Reason = Reason{Code: ReasonSkip, Message: ReasonOf(ReasonSkip).Message, At: d.Reason.At}
	}
	return d
}

// failed backs off. The period stays: it is for the feed in health.
func (d Decision) failed(in Inputs, t Tick) Decision {
	if reader.FaultOf(in.Code).Category == reader.CategoryStorage {
		// Our own fault: the publisher's next turn is as it was.
		return d.end(in, d.Why, t)
	}
	// A feed that failed from the start may have no period of its own yet.
	asked, _ := in.asked()
	d.Period = max(d.Period, PeriodFor(asked))
	code := ReasonBackOff
	d.First = BackOff(t, d.Period, in.Errors-1, in.Feed)
	if in.Status == 429 || in.Status == 503 {
		// Even without a Retry-After these ask for fewer visits (FRB021): at once twice the time.
		d.First = max(d.First, t+min(2*d.period(), max(d.period(), busyMost)))
	}
	if in.Feed <= together && fromTurnToTurn(d.Why) {
		d.First = gather(d.First, d.First, max(d.First, t+backOffMost))
	}
	if in.RetryAfter > 0 {
		// RFC 9110, 10.2.3, FRB020. Rounded up to a tick, and never sooner than the feed's own time.
		d.NotBefore = in.Now.Add(min(in.RetryAfter, MaxHint))
		if first := CeilTick(d.NotBefore); first >= d.First {
			d.First, code = first, ReasonRetryAfter
		}
	}
	d.Plan = d.Plan.clear(t)
	return d.end(in, code, t)
}

const (
	backOffFirst = 2  // ticks: 30 minutes
	backOffMost  = 48 // ticks: 12 hours
	busyMost     = 97 // ticks: a day, after a 429 or 503 that names no time
)

// BackOff gives the turn after a failure at t that k failures in a row preceded: 30 minutes, doubled
// with each, up to 12 hours (G-30), and never sooner than the feed's period. The feed's number adds up
// to half upwards, within the 12 hours, so that feeds which failed together do not come back together;
// only ever upwards, because an hour means an hour (F3).
func BackOff(t Tick, period int32, k int, feed reader.FeedID) Tick {
	wait := uint64(backOffFirst) << min(max(k, 0), 6)
	wait = min(wait+mix(uint64(feed)<<8|uint64(min(max(k, 0), 255)))%(wait/2+1), backOffMost)
	return t + max(Tick(max(period, 1)), Tick(wait))
}

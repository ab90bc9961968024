package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Decision is the consequence of a poll for its feed's schedule.
type Decision struct {
	// Plan is to be stored when it differs from the one before. Where its first turn does, store the time of the poll
	// with it: the new plan does not contain the turn just polled.
	Plan
	// Why is the code to store with the period; it explains the period, not a failure.
	Why string
	// NotBefore is set by Retry-After and is to be stored, because it applies to refreshes too. Zero: none.
	NotBefore time.Time
}

// Decide returns the schedule after a poll. Usually the plan stays, and nothing has to be written. The period gets
// longer at once, but shorter only when the row is written in any case, when it is longer than our own rules allow, or
// when the month's bill does not make it long any more.
func Decide(in Inputs) Decision {
	t := TickOf(in.Now)
	period, why := Pace(in)
	d := Decision{Plan: in.Plan, Why: why}
	d.Skip = Skip{Hours: in.SkipHours, Days: in.SkipDays}
	switch {
	case in.Code != "":
		if in.Slow > 1 {
			d.Period = max(d.Period, period)
		}
		d.failed(in, t)
		return d
	case in.First || in.Plan.Period < 1:
		gap, _ := in.promised()
		least := PeriodFor(gap)
		d.Period, d.First = period, SecondTurn(t, least, period, in.Feed)
		if in.Feed <= together && fromTurnToTurn(why) {
			d.First = gather(d.First, t+Tick(least), t+Tick(period))
		}
	case period > in.Plan.Period,
		period < in.Plan.Period && (in.Writing || in.Plan.Period > longest || in.Why == ReasonBudget):
		d.Period, d.First = period, t+Tick(period)
		switch over := d.First % usual; {
		case in.Feed > together:
		case why == ReasonQuiet:
			d.First = gather(d.First, t+Tick(PeriodFor(Gap(in))), d.First)
		case fromTurnToTurn(why):
			d.First = gather(d.First, d.First, d.First+grid)
		case why == ReasonDefault && in.Plan.Period > period && over > 0:
			d.First += usual - over // it was polled less often until now
		}
	}
	d.Plan = d.Plan.clear(t)
	return d
}

// In an installation with few feeds, turns are gathered so that some ticks have nothing to do and write nothing: those
// of periods from turn to turn on every fourth tick (such periods are multiples of it), those of feeds that return to
// the usual period on every fifth. With many feeds every tick has work, so feeds with higher numbers stay spread.
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

// longest is the longest period of our own rules; only hints, hubs and a chosen interval of 12 hours make longer ones.
const longest = int32(12 * time.Hour / TickLength)

// failed backs off. The period stays, for when the feed works again.
func (d *Decision) failed(in Inputs, t Tick) {
	if reader.CategoryOf(in.Code) == reader.CategoryStorage {
		return // not the publisher's failure
	}
	// A feed that failed from the start may have no period of its own yet.
	asked, _ := in.asked()
	d.Period = max(d.Period, PeriodFor(asked))
	d.First = BackOff(t, d.Period, in.Errors-1, in.Feed)
	if in.Status == 429 {
		// Even without a Retry-After it asks for fewer requests: twice the time at once.
		d.First = max(d.First, t+min(2*d.period(), max(d.period(), backOffMost)))
	}
	if in.Feed <= together && fromTurnToTurn(d.Why) {
		d.First = gather(d.First, d.First, max(d.First, t+backOffMost))
	}
	if in.RetryAfter > 0 {
		// RFC 9110, 10.2.3. Rounded up to a tick, and never sooner than the back-off.
		d.NotBefore = in.Now.Add(min(in.RetryAfter, MaxHint))
		d.First = max(d.First, CeilTick(d.NotBefore))
	}
	d.Plan = d.Plan.clear(t)
}

const (
	backOffFirst = 2  // ticks: 30 minutes
	backOffMost  = 48 // ticks: 12 hours
)

// BackOff returns the turn after a failure at t that k failures in a row preceded: 30 minutes, doubled with each, up to
// 12 hours (G-30), and never sooner than the feed's period. Up to half is added by the feed's number, within the 12
// hours, so that feeds which failed together do not come back together.
func BackOff(t Tick, period int32, k int, feed reader.FeedID) Tick {
	wait := uint64(backOffFirst) << min(max(k, 0), 6)
	wait = min(wait+mix(uint64(feed)<<8|uint64(min(max(k, 0), 255)))%(wait/2+1), backOffMost)
	return t + max(Tick(max(period, 1)), Tick(wait))
}

package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// DefaultInterval is the least time between two polls unless a subscriber chooses another; every rule here rounds up.
const DefaultInterval = reader.DefaultInterval * time.Minute

// Plan is a feed's schedule. It has its turn at tick t when t >= First and (t-First) is a multiple of Period, unless
// the publisher asks not to be polled at that time (Skip).
type Plan struct {
	First  Tick
	Period int32 // in ticks; below 1 counts as that of DefaultInterval
	Skip   Skip
	// Probes are the turns instead, where there are any: of a feed that is stopped.
	Probes Probes
}

// PeriodFor returns the period that keeps two polls at least an interval apart: rounded up to ticks, and
// one more, because a poll begins anywhere in its tick's StartWindow. 60 minutes are 5 ticks.
func PeriodFor(interval time.Duration) int32 {
	return int32((max(interval, 0)+TickLength-1)/TickLength) + 1
}

// IntervalOf is the inverse of PeriodFor: the least time between polls with a period.
func IntervalOf(period int32) time.Duration {
	return time.Duration(max(period, 1)-1) * TickLength
}

func (p Plan) period() Tick {
	if p.Period < 1 {
		return Tick(PeriodFor(DefaultInterval))
	}
	return Tick(p.Period)
}

// HasTurn reports whether the feed has its turn at t.
func (p Plan) HasTurn(t Tick) bool {
	if !p.Probes.IsZero() {
		return p.Probes.last(t) == t
	}
	return t >= p.First && (t-p.First)%p.period() == 0 && !p.skips(t)
}

// LastTurn returns the last turn at t or before, NoTick when there was none.
func (p Plan) LastTurn(t Tick) Tick {
	if !p.Probes.IsZero() {
		return p.Probes.last(t)
	}
	if t < p.First {
		return NoTick
	}
	for n := t - (t-p.First)%p.period(); n >= p.First; n -= p.period() {
		if !p.skips(n) {
			return n
		}
	}
	return NoTick
}

// NextTurn returns the first turn after t; NoTick after the last probe.
func (p Plan) NextTurn(t Tick) Tick {
	if !p.Probes.IsZero() {
		return p.Probes.next(t)
	}
	n := p.regular(t)
	for p.skips(n) {
		n += p.period()
	}
	return n
}

// regular is NextTurn without regard to Skip.
func (p Plan) regular(t Tick) Tick {
	if t < p.First {
		return p.First
	}
	return t + p.period() - (t-p.First)%p.period()
}

// skips reports whether there is no turn at t because of Skip. Skip is ignored if no turn outside it follows within a
// week: a plan with a period of a day might have no turns at all.
func (p Plan) skips(t Tick) bool {
	if !p.Skip.At(t) {
		return false
	}
	n := t
	for range max(week/p.period(), 1) {
		n += p.period()
		if !p.Skip.At(n) {
			return true
		}
	}
	return false
}

// SecondTurn returns the turn after a first crawl in tick t: between gap and period, both in ticks, spread by the
// feed's number, so that the feeds of an import do not all come back at once. With gap and period equal there is no
// room for that; a run with too many feeds defers the rest by a tick.
func SecondTurn(t Tick, gap, period int32, feed reader.FeedID) Tick {
	gap = max(gap, 1)
	room := max(period, gap) - gap + 1
	return t + Tick(gap) + Tick(mix(uint64(feed))%uint64(room))
}

// OffTurn returns the first turn after an off-turn poll (first crawl, refresh, ping, catch-up), which is claimed by
// moving the feed there before the request. See ClaimTick for t.
func OffTurn(t Tick, period int32) Tick { return t + Tick(max(period, 1)) }

// Repace returns the plan with another period, for a feed last polled in tick last, as of now. A turn that errors or
// the publisher moved beyond the period stays. Store the time of the last poll with it, last.Spent() unless known
// better: a plan whose first turn moved does not contain earlier turns.
func (p Plan) Repace(last, now Tick, period int32) Plan {
	pushed := p.First > now && p.First > last+p.period()
	p.Period = period
	if !pushed {
		p.First = max(last+p.period(), now+1)
	}
	return p
}

// Defer returns the plan with its next turn at a tick, or as soon after as the publisher allows.
func (p Plan) Defer(to Tick) Plan {
	if !p.Probes.IsZero() {
		return p // the next one is soon enough
	}
	p.First = p.Skip.after(to)
	return p
}

const (
	// lostPeriod is the longest period, in ticks, whose feeds wait for their next turn when a run is lost; lostRetry is
	// when the others get one.
	lostPeriod = 16
	lostRetry  = 4
)

// AfterLost returns the plan of a feed whose turn at tick lost belonged to a run that died, as of now, and whether it
// differs. Feeds with long periods get a turn in an hour, but not before the gap, because the run may have polled them.
// Store lost.Spent() as the time of the last poll with it.
func (p Plan) AfterLost(lost, now Tick, gap time.Duration) (Plan, bool) {
	if p.period() <= lostPeriod || !p.Probes.IsZero() {
		return p, false
	}
	first := p.Skip.after(max(now+lostRetry, lost+Tick(PeriodFor(gap))))
	if first >= p.NextTurn(now) {
		return p, false
	}
	p.First = first
	return p, true
}

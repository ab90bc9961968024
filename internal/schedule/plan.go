package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// DefaultInterval is the least time between two polls when nobody asks for another. FRB: at least 60
// minutes between conditional requests; 59 are noticed, so every rule here rounds upwards.
const DefaultInterval = 60 * time.Minute

// Plan is a feed's place on the wheel. It has its turn at tick t when t >= First and (t-First) is a
// multiple of Period, unless the publisher asks to be left alone at that time (Skip).
type Plan struct {
	First  Tick
	Period int32 // in ticks; below 1 counts as that of DefaultInterval
	Skip   Skip
}

// PeriodFor gives the period that keeps two polls at least an interval apart: rounded up to ticks, and
// one more, because a poll begins anywhere in its tick's StartWindow. 60 minutes are 5 ticks.
func PeriodFor(interval time.Duration) int32 {
	return int32((max(interval, 0)+TickLength-1)/TickLength) + 1
}

// IntervalOf gives the least time between polls that a period promises: PeriodFor backwards.
func IntervalOf(period int32) time.Duration {
	return time.Duration(max(period, 1)-1) * TickLength
}

func (p Plan) period() Tick {
	if p.Period < 1 {
		return Tick(PeriodFor(DefaultInterval))
	}
	return Tick(p.Period)
}

// HasTurn tells whether the feed has its turn at t.
func (p Plan) HasTurn(t Tick) bool {
	return t >= p.First && (t-p.First)%p.period() == 0 && !p.skips(t)
}

// LastTurn gives the last turn at t or before, NoTick when there was none.
func (p Plan) LastTurn(t Tick) Tick {
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

// NextTurn gives the first turn after t.
func (p Plan) NextTurn(t Tick) Tick {
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

// TurnsIn counts the turns after from, up to and with to.
func (p Plan) TurnsIn(from, to Tick) int {
	if p.Skip.none() {
		if to < p.First || to <= from {
			return 0
		}
		n := (to-p.First)/p.period() + 1
		if from >= p.First {
			n -= (from-p.First)/p.period() + 1
		}
		return int(n)
	}
	n := 0
	for t := p.NextTurn(from); t <= to; t = p.NextTurn(t) {
		n++
	}
	return n
}

// skips tells whether the turn at t falls away. A hint is obeyed only where a turn outside the skipped
// time follows within a week: with a period of just a day the plan would else never have one.
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

// SecondTurn gives the turn after a first crawl in tick t: not before the feed's gap is over and not
// after its period, spread between by the feed's number, so that what an import brought does not come
// back as one wave. Feeds polled at their gap have no room to be spread in: a run that meets too many
// defers the rest by a tick, which spreads them.
func SecondTurn(t Tick, gap, period int32, feed reader.FeedID) Tick {
	gap = max(gap, 1)
	room := max(period, gap) - gap + 1
	return t + Tick(gap) + Tick(mix(uint64(feed))%uint64(room))
}

// OffTurn gives the first turn after a poll that is not at its turn (first crawl, refresh, ping,
// catch-up), claimed by moving the feed there before the request. See ClaimTick for t.
func OffTurn(t Tick, period int32) Tick { return t + Tick(max(period, 1)) }

// Claim gives the plan to store before a poll off its turn that begins now, or within a Deadline: the
// next turn a whole period later. Store now as the time of the last poll with it.
func (p Plan) Claim(now time.Time) Plan {
	p.First = p.Skip.after(OffTurn(ClaimTick(now), int32(p.period())))
	return p
}

// Repace gives the plan with another period, for a feed last polled in tick last, as of now: what a
// subscriber's new wish does. A turn pushed out further than its period (by errors, by the publisher)
// stays where it is. Store last.Spent() as the time of the last poll with it, unless that is known
// better: a plan whose first turn moved has forgotten the turns before.
func (p Plan) Repace(last, now Tick, period int32) Plan {
	pushed := p.First > now && p.First > last+p.period()
	p.Period = period
	if !pushed {
		p.First = max(last+p.period(), now+1)
	}
	return p
}

const (
	// lostPeriod is the longest period, in ticks, whose feeds just wait for their next turn when a run
	// is lost; lostRetry is when the others get one.
	lostPeriod = 16
	lostRetry  = 4
)

// AfterLost gives the plan of a feed whose turn at tick lost belonged to a run that died, as found out
// at now, and whether it differs. Feeds that would wait long get a turn in an hour, but the dead run
// may have polled them: never nearer than the gap. Store lost.Spent() as the time of the last poll
// with it.
func (p Plan) AfterLost(lost, now Tick, gap time.Duration) (Plan, bool) {
	if p.period() <= lostPeriod {
		return p, false
	}
	first := p.Skip.after(max(now+lostRetry, lost+Tick(PeriodFor(gap))))
	if first >= p.NextTurn(now) {
		return p, false
	}
	p.First = first
	return p, true
}

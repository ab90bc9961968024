package schedule

import "time"

// A feed that was stopped for its status is probed, because the cause may pass by itself: a challenge meant for
// browsers, a mistake of an hour, a login wall. The turns of probes are counted from the stop, so that an unchanged
// answer writes nothing (C-5).

const (
	probeFirst  = Tick(6 * time.Hour / TickLength)
	probeDaily  = 7  // probes, a day apart, after the first
	probeWeekly = 13 // probes, a week apart, after those: three months
)

// A stopped feed is probed for probeSpan.
const probeSpan = probeFirst + probeDaily*TicksPerDay + probeWeekly*week

// Probes are the turns of a stopped feed; the zero value has none.
type Probes struct {
	Until  Tick // of the last one
	Weekly bool // all of them a week apart: the publisher said that the feed is gone (410)
}

// ProbeUntil returns until when a feed that is stopped at an instant is probed.
func ProbeUntil(stopped time.Time) time.Time { return (TickOf(stopped) + probeSpan).Start() }

// IsZero reports whether there are no probes.
func (p Probes) IsZero() bool { return p.Until == 0 }

// nth returns the n-th probe, from 0 on.
func (p Probes) nth(n int) Tick {
	stopped := p.Until - probeSpan
	switch {
	case p.Weekly:
		return stopped + Tick(n+1)*week
	case n <= probeDaily:
		return stopped + probeFirst + Tick(n)*TicksPerDay
	}
	return stopped + probeFirst + probeDaily*TicksPerDay + Tick(n-probeDaily)*week
}

// last returns the last probe at t or before, NoTick when there was none.
func (p Probes) last(t Tick) Tick {
	last := NoTick
	for n := 0; ; n++ {
		at := p.nth(n)
		if at > min(t, p.Until) {
			return last
		}
		last = at
	}
}

// next returns the first probe after t, NoTick when there is none.
func (p Probes) next(t Tick) Tick {
	for n := 0; ; n++ {
		switch at := p.nth(n); {
		case at > p.Until:
			return NoTick
		case at > t:
			return at
		}
	}
}

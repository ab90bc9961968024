package schedule

import "time"

// Skip is the time in which a publisher asks not to be polled (RSS 2.0, skipHours and skipDays, both in UTC). There are
// no turns in it.
type Skip struct {
	Hours uint32 // bit h: the hour that begins at h, 0 to 23
	Days  uint8  // bit d: time.Weekday, Sunday is bit 0
}

const (
	allHours = 1<<24 - 1
	allDays  = 1<<7 - 1
	week     = Tick(7 * 24 * time.Hour / TickLength)
)

// clean ignores a Skip of all hours or all days.
func (s Skip) clean() Skip {
	s.Hours &= allHours
	s.Days &= allDays
	if s.Hours == allHours {
		s.Hours = 0
	}
	if s.Days == allDays {
		s.Days = 0
	}
	return s
}

// At reports whether tick t begins in the skipped time.
func (s Skip) At(t Tick) bool {
	if s = s.clean(); s == (Skip{}) {
		return false
	}
	at := t.Start()
	return s.Hours>>at.Hour()&1 == 1 || s.Days>>at.Weekday()&1 == 1
}

// after returns the first tick at t or after outside the skipped time.
func (s Skip) after(t Tick) Tick {
	for range week {
		if !s.At(t) {
			break
		}
		t++
	}
	return t
}

// clear moves the first turn out of the skipped time if waiting for a regular turn outside it would take more than a
// period.
func (p Plan) clear(t Tick) Plan {
	ideal := p.Skip.after(p.regular(t))
	if p.Skip.At(p.regular(t)) && (p.NextTurn(t)-ideal > p.period() || p.Skip.At(p.NextTurn(t))) {
		p.First = ideal
	}
	return p
}

package schedule

import "time"

// TurnsIn counts the turns after from, up to and with to.
func (p Plan) TurnsIn(from, to Tick) int {
	if p.Skip.clean() == (Skip{}) {
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

// Claim returns the plan to store before a poll off its turn that begins now, or within a Deadline: the
// next turn a whole period later. Store now as the time of the last poll with it.
func (p Plan) Claim(now time.Time) Plan {
	p.First = p.Skip.after(OffTurn(ClaimTick(now), int32(p.period())))
	return p
}

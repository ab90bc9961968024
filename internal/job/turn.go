package job

import "github.com/ruri-reader/ruri/internal/schedule"

// Turn says whether and why a feed is polled in a tick.
type Turn int

// The turns.
const (
	NoTurn Turn = iota
	OnTurn      // the tick is one of its turns
	Late        // a turn was missed, or the feed was never polled
)

// maxCatchUp bounds how far back missed turns are looked for: every period is shorter.
const maxCatchUp = schedule.Tick(30 * 24 * 4)

// TurnOf returns a feed's turn in tick t; last is the tick that its part claimed before. A late feed is polled once,
// however many turns it missed, but not in hours in which its publisher asks not to be polled: its next turn follows.
// The orchestrator decides with it what to send, and the worker decides again, because the message may be old.
func TurnOf(p schedule.Plan, fresh bool, last, t schedule.Tick) Turn {
	switch {
	case fresh:
		return Late
	case p.HasTurn(t):
		return OnTurn
	case last <= 0 || t-last <= 1 || p.Skip.At(t):
		return NoTurn
	case p.LastTurn(t-1) > max(last, t-maxCatchUp):
		return Late
	}
	return NoTurn
}

package job

import "github.com/ruri-reader/ruri/internal/schedule"

// Turn is how a feed stands to a tick.
type Turn int

// The turns.
const (
	NoTurn Turn = iota
	OnTurn      // the wheel has come round to it
	Late        // it had a turn that nobody took, or no poll of it was ever begun
)

// maxCatchUp bounds how far back missed turns are looked for: every period is shorter.
const maxCatchUp = schedule.Tick(30 * 24 * 4)

// TurnOf tells whether a feed is polled in tick t, when last is the tick that its part claimed before.
// A late feed is polled once, off turn, however many turns it missed; not in hours in which its
// publisher asks not to be visited, for then its next turn will do. The orchestrator asks in order to
// send a message, and the worker again with what it finds: the message may be as old as the queue.
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

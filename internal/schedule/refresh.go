package schedule

import "time"

// RefreshAt gives the instant from which a feed may be polled on request: its Gap after the last poll,
// and after the publisher's Retry-After. A feed never polled may be at once.
//
// lastTurn is the last turn up to now or up to the last tick that the feed's part claimed, whichever is
// later (a clock that was set back must not hide a poll); NoTick when there was none. Its requests have
// begun by Tick.Spent. polled is the time stored with the last poll that moved the first turn: when a
// poll off turn was claimed (its request followed within a Deadline), or Decision.Polled; zero for
// never. The later of the two counts.
func RefreshAt(lastTurn Tick, polled time.Time, gap time.Duration, notBefore time.Time) time.Time {
	var last time.Time
	if !polled.IsZero() {
		last = polled.Add(Deadline)
	}
	if lastTurn != NoTick {
		if at := lastTurn.Spent(); at.After(last) {
			last = at
		}
	}
	if last.IsZero() || last.Add(gap).Before(notBefore) {
		return notBefore
	}
	return last.Add(gap)
}

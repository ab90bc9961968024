// Package schedule is the arithmetic of the timing wheel: when a feed has its turn, what interval it
// gets and why, when it is given up. Everything is a pure function of values that a feed row holds;
// nothing here reads a clock, stores, or asks anybody.
//
// A feed row has two integers, a first tick and a period in ticks, and that is its whole schedule: a
// turn that passes writes nothing. Sources cited at the rules: RFC 9110, RFC 9111, the RSS 2.0
// specification, and the published rules of good feed readers (FRB, by number).
package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Tick counts quarters of an hour of UTC since 2026-01-01, whatever the schedule really fires.
type Tick int32

// maxTick bounds ticks, some 30,000 years off, so that sums of a tick and a period never overflow.
const maxTick = 1 << 30

// NoTick is the answer when there is no such tick.
const NoTick Tick = -1

const (
	// TickLength is the length of a tick.
	TickLength = 15 * time.Minute
	// StartWindow is the part of its tick in which a poll may begin: two turns are at least a period
	// less StartWindow apart.
	StartWindow = 12 * time.Minute
	// EndWindow is the part of its tick in which a poll must have ended, so that ticks never overlap.
	EndWindow = 14 * time.Minute
	// Deadline is how long a run may take.
	Deadline = 90 * time.Second
)

// TickOf gives the tick that t lies in.
func TickOf(t time.Time) Tick {
	const length = int64(TickLength / time.Second)
	s := t.Unix() - reader.Epoch.Unix()
	n := s / length
	if s%length < 0 {
		n--
	}
	return Tick(min(max(n, -maxTick), maxTick))
}

// CeilTick gives the first tick that begins at t or after.
func CeilTick(t time.Time) Tick {
	n := TickOf(t)
	if n.Start().Before(t) {
		n++
	}
	return n
}

// TicksPerDay is how many ticks a day has.
const TicksPerDay = Tick(24 * time.Hour / TickLength)

// DayOf counts the days of UTC since 2026-01-01 up to a tick's.
func DayOf(t Tick) int32 { return int32(t / TicksPerDay) }

// Start gives the instant at which the tick begins, in UTC.
func (t Tick) Start() time.Time {
	return time.Unix(reader.Epoch.Unix()+int64(t)*int64(TickLength/time.Second), 0).UTC()
}

// MayStart tells whether a poll of this tick may still begin (or already may) at now.
func (t Tick) MayStart(now time.Time) bool {
	return !now.Before(t.Start()) && now.Before(t.Start().Add(StartWindow))
}

// Spent gives the instant at which all requests of the tick's turns have begun for certain.
func (t Tick) Spent() time.Time { return t.Start().Add(StartWindow + Deadline) }

// ClaimTick gives the tick to claim a poll off its turn in: the one in which its request goes out at
// the latest, a Deadline from now. A claim near the end of a tick would else promise a gap that the
// request, a minute later, does not keep.
func ClaimTick(now time.Time) Tick { return TickOf(now.Add(Deadline)) }

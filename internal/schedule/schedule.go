// Package schedule decides when a feed has its turn, which interval it gets and why, and when it is stopped. All
// functions are pure: nothing here reads a clock or stores.
//
// A feed's schedule is two integers in its row, a first tick and a period in ticks, so that a turn writes nothing. The
// rules cite their sources: RFC 9110, RFC 9111, and the RSS 2.0 specification.
package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Tick counts quarters of an hour of UTC since 2026-01-01.
type Tick int32

// maxTick bounds ticks, some 30,000 years off, so that sums of a tick and a period never overflow.
const maxTick = 1 << 30

// NoTick means that there is no such tick.
const NoTick Tick = -1

const (
	// TickLength is the length of a tick.
	TickLength = 15 * time.Minute
	// StartWindow is the part of its tick in which a poll may begin: two turns are at least a period
	// less StartWindow apart.
	StartWindow = 12 * time.Minute
	// Deadline is the longest duration of a run.
	Deadline = 90 * time.Second
)

// TickOf returns the tick that t lies in.
func TickOf(t time.Time) Tick {
	const length = int64(TickLength / time.Second)
	s := t.Unix() - reader.Epoch.Unix()
	n := s / length
	if s%length < 0 {
		n--
	}
	return Tick(min(max(n, -maxTick), maxTick))
}

// CeilTick returns the first tick that begins at t or after.
func CeilTick(t time.Time) Tick {
	n := TickOf(t)
	if n.Start().Before(t) {
		n++
	}
	return n
}

// TicksPerDay is the number of ticks in a day.
const TicksPerDay = Tick(24 * time.Hour / TickLength)

// DayOf counts the days of UTC since 2026-01-01 up to a tick's.
func DayOf(t Tick) int32 { return int32(t / TicksPerDay) }

// Start returns the instant at which the tick begins, in UTC.
func (t Tick) Start() time.Time {
	return time.Unix(reader.Epoch.Unix()+int64(t)*int64(TickLength/time.Second), 0).UTC()
}

// MayStart reports whether a poll of this tick may still begin (or already may) at now.
func (t Tick) MayStart(now time.Time) bool {
	return !now.Before(t.Start()) && now.Before(t.Start().Add(StartWindow))
}

// Spent returns the instant by which all requests of the tick's turns have begun.
func (t Tick) Spent() time.Time { return t.Start().Add(StartWindow + Deadline) }

// ClaimTick returns the tick in which an off-turn poll is claimed: the last one in which its request may be sent, a
// Deadline from now. With the current tick the next turn could come too early.
func ClaimTick(now time.Time) Tick { return TickOf(now.Add(Deadline)) }

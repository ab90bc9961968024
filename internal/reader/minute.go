package reader

import "time"

// Epoch is where minutes and ticks are counted from.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

const epochUnix = 1767225600 // Epoch in Unix seconds

// Minute counts whole minutes since Epoch. Stamps of commits are minutes; 24 bits of them last
// until November 2057.
type Minute uint32

// MaxMinute is the last minute that fits an ItemID.
const MaxMinute Minute = 1<<24 - 1

const (
	// StampLife is how old a stamp may be when its delta is committed; a later commit takes a new one.
	StampLife = 30 * time.Second
	// Horizon is how long a minute must be over before answers in order of arrival include it, so that
	// what a client has not seen is always greater than what it has.
	Horizon = 60 * time.Second
)

// MinuteOf gives the minute that t lies in, within 0 and MaxMinute.
func MinuteOf(t time.Time) Minute {
	s := t.Unix() - epochUnix
	if s < 0 {
		return 0
	}
	return Minute(min(s/60, int64(MaxMinute)))
}

// Time gives the instant at which the minute begins, in UTC.
func (m Minute) Time() time.Time { return time.Unix(epochUnix+int64(m)*60, 0).UTC() }

// NextStamp gives the stamp of a commit at now of a feed whose newest stamp is last: a feed's stamps
// grow strictly, or two of its items could get one id.
func NextStamp(now time.Time, last Minute) Minute {
	return min(max(MinuteOf(now), last+1), MaxMinute)
}

// LastClosed gives the newest minute that has been over for the Horizon at now; false when there is
// none yet.
func LastClosed(now time.Time) (Minute, bool) {
	s := now.Unix() - epochUnix - int64(Horizon/time.Second)
	if s < 60 {
		return 0, false
	}
	return Minute(min(s/60-1, int64(MaxMinute))), true
}

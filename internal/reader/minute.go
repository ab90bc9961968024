package reader

import "time"

// Epoch is the zero of minutes and ticks.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

const epochUnix = 1767225600 // Epoch in Unix seconds

// Minute counts whole minutes since Epoch. Stamps of commits are minutes; 24 bits of them last
// until November 2057.
type Minute uint32

// MaxMinute is the last minute that fits an ItemID.
const MaxMinute Minute = 1<<24 - 1

// MinuteOf returns the minute of t, between 0 and MaxMinute.
func MinuteOf(t time.Time) Minute {
	s := t.Unix() - epochUnix
	if s < 0 {
		return 0
	}
	return Minute(min(s/60, int64(MaxMinute)))
}

// Time is the beginning of the minute.
func (m Minute) Time() time.Time { return Epoch.Add(time.Duration(m) * time.Minute) }

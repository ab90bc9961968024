package store

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	week = 7 * 24 * time.Hour
	// paceSpan is the period that a feed's pace is computed from.
	paceSpan = 4 * week
)

// Weekly returns how many items a week a feed publishes, given how many it published in the last four weeks and the
// date of its oldest item. The time before the oldest item does not count as silence, and less than a day counts as a
// day. All figures of this kind are computed here.
func Weekly(late float64, oldest, now time.Time) float64 {
	span := min(max(now.Sub(oldest), 24*time.Hour), paceSpan)
	return late * float64(week) / float64(span)
}

// Late reports whether an item of this time is among those that Weekly counts.
func Late(at, now time.Time) bool { return now.Sub(at) <= paceSpan }

// Weekly returns how many items a week the feed publishes, from the times of its items that the row knows; false when
// it knows none. The figure changes once a day, so that a list of feeds stays the same while nothing happens.
func (f *FeedRow) Weekly(now time.Time) (perWeek float64, known bool) {
	from, list := f.Ages.decode()
	if len(list) == 0 || f.Seq <= f.Floor {
		return 0, false
	}
	now = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	since := now.Add(-paceSpan).Unix() / 60
	oldest, late, at := now.Unix()/60, 0.0, from
	for i, s := range list {
		end := now.Unix() / 60 // of the stretch: where the next one begins
		if i+1 < len(list) {
			end = min(end, list[i+1].minute)
		}
		at += s.n
		if at <= uint64(f.Floor)+1 {
			continue // gone
		}
		oldest = min(oldest, s.minute)
		switch {
		case s.minute >= since:
			late += float64(s.n)
		case end > since && s.n > 1: // its items lie somewhere in between
			late += float64(s.n) * float64(end-since) / float64(end-s.minute)
		}
	}
	return Weekly(late, time.Unix(oldest*60, 0), now), true
}

// quietFor is the least silence of a quiet feed in seconds; leastPublished is how many items it takes to know its pace.
const quietFor, leastPublished = 30 * 24 * 60 * 60, 5

// IsQuiet reports whether the feed has stopped publishing: for a month, and for three times its usual pause. After
// twice that time it is no news any more.
func (f *FeedRow) IsQuiet(now time.Time) bool {
	items := int64(f.Seq) - int64(f.Floor)
	oldest, known := f.Ages.Oldest(reader.Seq(f.Floor)+1, reader.Seq(f.Seq))
	if items < leastPublished || !known || f.IsWatch() || !f.Live() {
		return false
	}
	pause := (f.NewestAt - oldest) / (items - 1)
	least, silence := max(quietFor, 3*pause), now.Unix()-f.NewestAt
	return silence >= least && silence < 2*least
}

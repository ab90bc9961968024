package store

import "time"

const (
	week = 7 * 24 * time.Hour
	// paceSpan is how far back a feed's pace is looked at.
	paceSpan = 4 * week
)

// Weekly returns how many items a week a feed publishes: so many of late, at most four weeks ago, of items the oldest
// of which is so old. What items do not reach back to is not counted as silence; less than a day says too little to be
// stretched to a week. It is the one figure of this kind: what stands beside a feed anywhere is made here.
func Weekly(late float64, oldest, now time.Time) float64 {
	span := min(max(now.Sub(oldest), 24*time.Hour), paceSpan)
	return late * float64(week) / float64(span)
}

// Late reports whether an item of this time counts as one of late.
func Late(at, now time.Time) bool { return now.Sub(at) <= paceSpan }

// Weekly returns how many items a week the feed publishes, from what its row knows of their times; false when that is
// nothing. It holds for a day, so that a list of feeds stays as it is while nothing happens.
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

package watch

import (
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// FullTick reports whether a tick crawls the whole listing: once a day, at a time that the feed's number gives.
func FullTick(f reader.FeedID, plan schedule.Plan, t schedule.Tick) bool {
	period := plan.Period
	if period < 1 {
		period = schedule.PeriodFor(schedule.DefaultInterval)
	}
	offset := schedule.Tick(uint32(f) * 2654435761 >> 16) // spread, whatever numbers feeds have
	since := ((t-offset)%schedule.TicksPerDay + schedule.TicksPerDay) % schedule.TicksPerDay
	return since < schedule.Tick(period)
}

package explore

import (
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Order is the order of a list of entries.
type Order string

// The orders.
const (
	Newest Order = "new"    // from the newest on
	Hot    Order = "hot"    // by falling counts
	Rising Order = "rising" // by how much the counts grew in a day
)

// Period is the time span, up to now, in which the entries of a list were posted.
type Period string

// The periods.
const (
	Day   Period = "day"
	Week  Period = "week"
	Month Period = "month"
	Ever  Period = "all"
)

// length of a period; 0: no bound.
func (p Period) length() time.Duration {
	const day = 24 * time.Hour
	return map[Period]time.Duration{Day: day, Week: 7 * day, Month: 30 * day}[p]
}

// ParsePeriod parses a period; empty means absent.
func ParsePeriod(s string, absent Period) (Period, error) {
	switch p := Period(s); p {
	case "":
		return absent, nil
	case Day, Week, Month, Ever:
		return p, nil
	}
	return "", fault.Coded(fault.Invalid, "bad_period").At("period")
}

// MaxOffset bounds Query.Offset.
const MaxOffset = 1000

// Query selects a page of entries.
type Query struct {
	Order
	Period
	// Tag, if not empty, is one that all entries have, in any writing.
	Tag string
	// Threshold is the least count; with 0, order Newest and no tag, all items of the period are listed.
	Threshold int
	// Offset is how many entries are passed over, at most MaxOffset; not together with a cursor.
	Offset int
	Cursor string
	Limit  int
	Fresh  bool // see stream.Query

	byLinks bool // there are no counts yet
}

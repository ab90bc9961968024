package watch

import (
	"maps"
	"slices"
	"time"
)

// Day is one day of a trend: asking prices at its end, and sales. Amounts are minor units, -1 = none.
type Day struct {
	Day                   string // 2026-11-24, UTC
	Currency              string
	Lowest, P25, P50, P75 int64
	OnSale, Sold          int
	SoldMedian            int64
}

const (
	dayForm = "2006-01-02"
	// maxDays bounds a trend.
	maxDays = 20 * 366
)

func dayOf(unix int64) int64 { return (unix - ((unix%day)+day)%day) / day }

// Trend returns every day of a range; a day without changes is like the day before. hs should begin with the first
// month.
func Trend(s *State, cs []*Changes, hs []*History, from, to time.Time) []Day {
	hs = withChanges(s, cs, hs)
	ends := map[int64]summary{}
	for _, h := range hs {
		if first, err := time.Parse(monthForm, h.month); err == nil {
			if eve := dayOf(first.Unix()) - 1; ends[eve] == (summary{}) {
				ends[eve] = h.opening
			}
		}
		maps.Copy(ends, h.days)
	}
	sold := soldByDay(hs)
	known := slices.Sorted(maps.Keys(ends))
	first, last := dayOf(from.Unix()), dayOf(to.Unix())
	first = max(first, last-maxDays+1)
	var days []Day
	now, next := summary{Lowest: -1, P25: -1, P50: -1, P75: -1}, 0
	for d := first; d <= last; d++ {
		for ; next < len(known) && known[next] <= d; next++ {
			now = ends[known[next]]
		}
		x := Day{Day: time.Unix(d*day, 0).UTC().Format(dayForm), Currency: now.Currency, Lowest: now.Lowest,
			P25: now.P25, P50: now.P50, P75: now.P75,
			OnSale: now.OnSale, SoldMedian: -1}
		var prices []int64
		for _, p := range sold[d] {
			x.Sold++
			if p.Price >= 0 && p.Currency == now.Currency {
				prices = append(prices, p.Price)
			}
		}
		if len(prices) > 0 {
			slices.Sort(prices)
			x.SoldMedian = percentile(prices, 50)
		}
		days = append(days, x)
	}
	return days
}

// soldByDay returns what was sold on each day, without what had been sold when it was first seen.
func soldByDay(hs []*History) map[int64][]point {
	sold := map[int64][]point{}
	for _, l := range joined(hs) {
		for i, p := range l.Points {
			isAgain := i > 0 && l.Points[i-1].Status == Sold // its price changed
			if p.Status == Sold && p.Source != FromList && !isAgain {
				sold[dayOf(p.Since)] = append(sold[dayOf(p.Since)], p)
			}
		}
	}
	return sold
}

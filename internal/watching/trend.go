package watching

import (
	"cmp"
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Trend is the history of prices and sales, by day.
type Trend struct {
	Currency string // of all amounts; empty where the page does not say
	Days     []watch.Day
}

// ranges are how many days a trend has; 0 is all.
var ranges = map[string]int{"30d": 30, "90d": 90, "1y": 365, "all": 0}

// Trend returns the days of a range, from the first look on.
func (s *Service) Trend(ctx context.Context, w *Watch, name string) (*Trend, error) {
	days, ok := ranges[cmp.Or(name, "30d")]
	if !ok {
		return nil, fault.Coded(fault.Invalid, "bad_trend_range").At("range")
	}
	now, from := s.Clock.Now(), beginning
	if days > 0 {
		from = now.AddDate(0, 0, 1-days)
	}
	st, changes, err := s.Store.Watches.Load(ctx, w.Feed, false)
	if err != nil {
		return nil, err
	}
	histories, err := s.Store.Watches.Histories(ctx, w.ID(), watch.Month(from.Unix()), watch.Month(now.Unix()))
	if err != nil {
		return nil, err
	}
	first := now.Unix()
	for _, t := range watch.Things(st, changes, histories) {
		first = min(first, t.FirstSeen)
	}
	if at := time.Unix(first, 0).UTC(); at.After(from) {
		from = at
	}
	return &Trend{st.Currency(), watch.Trend(st, changes, histories, from, now)}, nil
}

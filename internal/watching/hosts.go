package watching

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Use is a number of requests to a host.
type Use struct{ Hour, Day int }

// HostLimit is what all watches of a host together may send to it.
var HostLimit = Use{Hour: 60, Day: 300}

func (u Use) plus(v Use) Use { return Use{u.Hour + v.Hour, u.Day + v.Day} }

func (u Use) within(limit Use) bool { return u.Hour <= limit.Hour && u.Day <= limit.Day }

// need is what a watch may send at most, if each look reads all pages that it may, and one a day those of a full look.
// The pages of single results that an adapter describes are asked for seldom, and not counted; those that a user wants
// are.
func need(set *watch.Settings, interval int32) Use {
	pages, usual := set.Layout.MostPages(), set.Layout.UsuallyPages()+set.WantedDetails()
	pages += set.WantedDetails()
	period := int(schedule.PeriodFor(time.Duration(interval) * time.Minute))
	looks := func(ticks schedule.Tick) int { return (int(ticks) + period - 1) / period }
	return Use{Hour: usual*looks(schedule.TicksPerDay/24) + pages - usual,
		Day: usual*looks(schedule.TicksPerDay) + pages - usual}
}

// used is what the watches of a host need, of all users, except one. It follows from their rows, so nothing is counted
// while they run.
func (s *Service) used(ctx context.Context, host string, except reader.FeedID) (sum Use, err error) {
	var feeds []*store.FeedRow
	err = s.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.IsWatch() && f.Live() && f.ID() != except && fetch.HostOf(f.URL) == host {
			feeds = append(feeds, f)
		}
		return nil
	})
	for _, f := range feeds {
		if err != nil {
			break
		}
		var row *store.WatchRow
		if row, err = s.Store.Watches.Settings(ctx, f.ID()); err != nil {
			continue
		}
		var set *watch.Settings
		if set, err = row.Decode(); err == nil {
			sum = sum.plus(need(set, f.Asked))
		}
	}
	return sum, err
}

// checkHost refuses settings with which the watches of their host would send too much.
func (s *Service) checkHost(ctx context.Context, set *watch.Settings, interval int32, self reader.FeedID) error {
	used, err := s.used(ctx, fetch.HostOf(set.URL), self)
	if err == nil && !used.plus(need(set, interval)).within(HostLimit) {
		err = fault.Coded(fault.Conflict, "host_limit", HostLimit.Hour, HostLimit.Day)
	}
	return err
}

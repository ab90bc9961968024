package watching

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Overview is a watch with what it found, in short.
type Overview struct {
	*Watch
	// Lowest is the cheapest result on sale; nil where none has a price.
	Lowest             *watch.Result
	OnSale, Sold, Gone int
	// Sparkline has the lowest price of each of the last SparkDays days, -1 for none, and Change how the lowest price
	// changed in seven days; HasChange is false where one of the two is not known.
	Sparkline []int64
	Change    int64
	HasChange bool
}

const (
	// SparkDays is how many days a sparkline has.
	SparkDays = 30
	// changeDays is the number of days over which the change of a price is computed.
	changeDays = 7
	// atOnce is how many watches are read at the same time.
	atOnce = 8
)

// List returns the user's watches: those with a problem first, then by name.
func (s *Service) List(ctx context.Context, u reader.UserID) ([]*Overview, error) {
	feeds, err := s.feeds(ctx, u)
	if err != nil {
		return nil, err
	}
	out := make([]*Overview, len(feeds))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i, x := range feeds {
		g.Go(func() error {
			w, err := s.withSettings(gctx, u, x)
			if err == nil {
				out[i], err = s.Overview(gctx, w)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b *Overview) int {
		if p, q := a.Feed.ErrCode != "", b.Feed.ErrCode != ""; p != q {
			if p {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Title()), strings.ToLower(b.Title()))
	})
	return out, nil
}

// feeds returns the user's subscriptions that are watches.
func (s *Service) feeds(ctx context.Context, u reader.UserID) ([]*stream.Subscribed, error) {
	all, err := s.Streams.Feeds(ctx, u)
	return slices.DeleteFunc(slices.Clone(all), func(x *stream.Subscribed) bool { return !x.Feed.IsWatch() }), err
}

// Overview reads what a watch found.
func (s *Service) Overview(ctx context.Context, w *Watch) (*Overview, error) {
	now := s.Clock.Now()
	st, changes, err := s.Store.Watches.Load(ctx, w.Feed, false)
	if err != nil {
		return nil, err
	}
	from := now.AddDate(0, 0, 1-SparkDays)
	histories, err := s.Store.Watches.Histories(ctx, w.ID(), watch.Month(from.Unix()), watch.Month(now.Unix()))
	if err != nil {
		return nil, err
	}
	o := &Overview{Watch: w}
	for _, r := range st.Live() {
		switch r.Status {
		case watch.OnSale:
			o.OnSale++
		case watch.Sold:
			o.Sold++
		case watch.Gone:
			o.Gone++
		}
	}
	if r, ok := st.Lowest(); ok {
		o.Lowest = &r
	}
	o.spark(watch.Trend(st, changes, histories, from, now))
	return o, nil
}

// spark takes the lowest prices of days, the newest last.
func (o *Overview) spark(days []watch.Day) {
	days = days[max(0, len(days)-SparkDays):]
	o.Sparkline = slices.Repeat([]int64{-1}, SparkDays-len(days))
	for _, d := range days {
		o.Sparkline = append(o.Sparkline, d.Lowest)
	}
	now, before := o.Sparkline[SparkDays-1], o.Sparkline[SparkDays-1-changeDays]
	if o.HasChange = now >= 0 && before >= 0; o.HasChange {
		o.Change = now - before
	}
}

// beginning is before every watch.
var beginning = time.Unix(0, 0).UTC()

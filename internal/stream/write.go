package stream

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// atOnce is the number of feeds written concurrently.
const atOnce = 16

// mutation changes one subscription.
type mutation struct {
	feed reader.FeedID
	sub  *Subscribed // as it was read before; nil when it was not
	// known is the newest seq that the change names. With an older feed row it would be dropped as that of a missing
	// item.
	known reader.Seq
	// edit returns the row after the change, and whether it differs. It runs again on the new row after a lost race.
	edit func(*Subscribed) (store.SubscriptionRow, bool)
}

// applied returns the row of a subscription after a change of its read state, and whether it differs.
func (s *Service) applied(sub *Subscribed, c reader.Change) (store.SubscriptionRow, bool) {
	c.Floor, c.Last, c.At = reader.Seq(sub.Feed.Floor), reader.Seq(sub.Feed.Seq), s.clock.Now().UnixMilli()
	next, changed := reader.Apply(sub.State, c)
	if !changed {
		return *sub.Sub, false
	}
	row := sub.Sub.WithState(next)
	if len(row.Notes) > 0 {
		row.Notes = reader.Notes(row.Notes).Since(s.today())
	}
	return row, true
}

func (s *Service) today() reader.Day { return reader.DayOf(s.clock.Now().UnixMilli()) }

// write makes one conditional change and returns the subscription after it. It tries again after a lost race.
func (s *Service) write(ctx context.Context, u reader.UserID, m mutation) (sub *Subscribed, changed bool, err error) {
	sub = m.sub
	err = store.Retry("state_contended", func() (err error) {
		if sub == nil {
			sub, err = s.Get(ctx, u, m.feed)
		}
		if err == nil && reader.Seq(sub.Feed.Seq) < m.known {
			sub, err = s.Latest(ctx, u, m.feed)
		}
		if err != nil {
			return err
		}
		var next store.SubscriptionRow
		if next, changed = m.edit(sub); !changed {
			return nil
		}
		feed := sub.Feed
		row, err := s.store.Subscriptions.Change(ctx, u, sub.Sub, &next)
		if sub = nil; err == nil {
			sub = subscribed(feed, row)
		}
		return err
	})
	return sub, changed && err == nil, err
}

// updateAll changes several subscriptions, and returns the changed ones, even with an error. Missing ones are left out.
func (s *Service) updateAll(ctx context.Context, u reader.UserID, list []mutation) ([]*Subscribed, error) {
	out := make([]*Subscribed, len(list))
	err := s.each(len(list), func(i int) error {
		sub, changed, err := s.write(ctx, u, list[i])
		if changed {
			out[i] = sub
		}
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	})
	return slices.DeleteFunc(out, func(x *Subscribed) bool { return x == nil }), err
}

// each calls do for n feeds concurrently. All are tried; the first error is returned. A goroutine takes one feed after
// another, because most of them are in memory and take less time than another goroutine.
func (s *Service) each(n int, do func(i int) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(n, atOnce) {
		g.Go(func() (err error) {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				err = cmp.Or(err, do(i))
			}
			return err
		})
	}
	return g.Wait()
}

package stream

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Items of one minute, which is the upper part of their ids, are committed in any order. A program that continues from
// its newest item may therefore see only settled minutes: those to which nothing is added any more. Where this process
// alone writes, that is everything (store.Stamps); else minutes that ended two minutes ago, because feeds' rows may be
// a minute old (crawl/commit.go).
const (
	// ahead is by how many minutes stamps may lead the clock, because requests have settled the minutes before.
	ahead       = 5
	listedAfter = 3 // minutes from the beginning of the one of the commit
)

// Listed is when an item is settled at the latest, in Unix seconds. Native clients get it as the time of the crawl.
func (s *Service) Listed(id reader.ItemID) int64 { return s.listed(id.Stamp()) }

func (s *Service) listed(m reader.Minute) int64 {
	return reader.Epoch.Unix() + 60*int64(m+listedAfter)
}

// listedBy is the newest minute that is settled by a time, in Unix seconds; -1 if none is.
func (s *Service) listedBy(at int64) int64 {
	at = min(max(at, reader.Epoch.Unix()), math.MaxUint32) - reader.Epoch.Unix()
	return max(at/60-int64(listedAfter), -1)
}

type settledKey struct{}

// settling is the newest id that one request lists and counts.
type settling struct {
	once sync.Once
	end  reader.ItemID
}

// Settled returns the context of a request that lists and counts only what is settled: all of it as of one moment.
func Settled(ctx context.Context) context.Context {
	return context.WithValue(ctx, settledKey{}, new(settling))
}

// settled returns the newest id that a request may list; false if it may list all. It is found once, before feeds are
// read.
func (s *Service) settled(ctx context.Context) (reader.ItemID, bool) {
	x, ok := ctx.Value(settledKey{}).(*settling)
	if !ok {
		return 0, false
	}
	x.once.Do(func() {
		now := s.clock.Now()
		old := reader.ItemID(0)
		if m := s.listedBy(now.Unix()); m >= 0 {
			old = reader.NewItemID(reader.Minute(m), reader.MaxFeedID, reader.MaxSeq)
		}
		x.end = s.store.Stamps.Settle(ctx, old, reader.MinuteOf(now)+ahead)
	})
	return x.end, true
}

// upTo returns feeds without the items that are newer than an id.
func (s *Service) upTo(ctx context.Context, end reader.ItemID, list []*Subscribed) ([]*Subscribed, error) {
	var later []int
	for i, x := range list {
		if reader.NewItemID(reader.Minute(x.Feed.Stamp), x.id, 0) > end && x.ItemCount() > 0 {
			later = append(later, i)
		}
	}
	if len(later) == 0 {
		return list, nil
	}
	list = slices.Clone(list)
	err := s.each(len(later), func(i int) error {
		x := list[later[i]]
		f := *x.Feed
		a, err := s.arrivalsOf(ctx, x.Feed, 0, end.Stamp())
		f.Seq, f.Stamp = f.Floor, 0
		for _, t := range slices.Backward(a.list) {
			if t.stamp > 0 && reader.NewItemID(t.stamp, x.id, 0) <= end {
				f.Seq, f.Stamp = min(max(uint32(t.last), f.Floor), x.Feed.Seq), uint32(t.stamp)
				break
			}
		}
		list[later[i]] = (&Subscribed{Feed: &f, Host: x.Host}).with(x.Sub)
		return err
	})
	return list, err
}

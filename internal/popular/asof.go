package popular

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Newest is the tick of the newest cycle in the counts; zero without one.
func (c *Counts) Newest() schedule.Tick {
	if !c.IsOn() {
		return 0
	}
	return c.newest
}

// AsOf returns the counts as they were after the cycle of a tick, so that the pages of one list come from the same counts. It goes
// back one day at least; for earlier ticks it returns the earliest that it can.
func (c *Counts) AsOf(t schedule.Tick) *Counts {
	if !c.IsOn() || t >= c.newest {
		return c
	}
	was := *c
	var undone [][]store.ChangedCount
	for n := len(c.recent); n > 0 && c.recent[n-1].at.After(t.Start()); n-- {
		list := slices.Clone(c.recent[n-1].list)
		for i := range list {
			list[i].N = list[i].Was
		}
		undone, was.recent = append(undone, list), c.recent[:n-1]
	}
	was.all, was.newest = with(c.all, undone...), t
	return &was
}

// InFeed gives the items of a feed above a seq that have a count, in order of seq.
func (c *Counts) InFeed(f reader.FeedID, above reader.Seq) iter.Seq[reader.BookmarkCount] {
	return func(yield func(reader.BookmarkCount) bool) {
		if !c.IsOn() {
			return
		}
		i, _ := slices.BinarySearchFunc(c.all, counted{feed: f, seq: above + 1}, counted.compare)
		for ; i < len(c.all) && c.all[i].feed == f; i++ {
			if x := &c.all[i]; x.count() > 0 && !yield(x.shown()) {
				return
			}
		}
	}
}

// Grown returns the items whose counts grew in the day before the newest cycle, and by how much, in order of feed and seq.
func (c *Counts) Grown() []reader.BookmarkCount {
	if !c.IsOn() {
		return nil
	}
	type key struct {
		feed reader.FeedID
		seq  reader.Seq
	}
	since := c.newest.Start().Add(-24 * time.Hour)
	sums := map[key]*reader.BookmarkCount{}
	for _, r := range c.recent {
		if !r.at.After(since) {
			continue
		}
		for _, x := range r.list {
			k := key{x.Feed, x.Seq}
			if sums[k] == nil {
				sums[k] = &reader.BookmarkCount{Feed: x.Feed, Seq: x.Seq}
			}
			sums[k].N += max(x.N, 0) - max(x.Was, 0)
			sums[k].Sort, sums[k].Story = x.Sort, x.Story
		}
	}
	list := make([]reader.BookmarkCount, 0, len(sums))
	for _, x := range sums {
		if x.N > 0 {
			list = append(list, *x)
		}
	}
	slices.SortFunc(list, func(a, b reader.BookmarkCount) int {
		return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Seq, b.Seq))
	})
	return list
}

// CountsWith is Counts with the cycle of a tick, which another process may have seen a moment ago.
func (s *Service) CountsWith(ctx context.Context, t schedule.Tick) *Counts {
	c := s.Counts(ctx)
	if !c.IsOn() || c.newest >= t {
		return c
	}
	s.kept.mu.Lock()
	s.kept.looked = time.Time{}
	s.kept.mu.Unlock()
	return s.Counts(ctx)
}

package popular

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
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

// HasAsked reports whether the provider answered for an item. A cycle may end without, if its first call fails.
func (c *Counts) HasAsked() bool {
	return c.Newest() > 0 && (c.isAnswered || len(c.all) > 0)
}

// AsOf returns the counts after the cycle of a tick, for all pages of one list. It goes back at least a day; for
// earlier ticks it returns the earliest that it has.
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

// Grown returns by how much counts grew in the day before the newest cycle, in order of feed and seq.
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

// ListedFor is how long an item counts as popular: at the front of lists by popularity, and in the sums of tags.
const ListedFor = 30 * 24 * time.Hour

// OfList has the counts for a list: all of its pages use those of its first page, even when another process makes them.
type OfList struct {
	*Counts
	Tick schedule.Tick // of the newest cycle in them; zero without one
	From int64         // the list has nothing that was posted before, in Unix seconds; 0: no bound
}

// cursorEnd separates what the pages share from the rest of a cursor.
const cursorEnd = "."

// Cursor puts what the pages share in front of a cursor.
func (l OfList) Cursor(rest string) string {
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(l.Tick)), uint64(l.From))
	return base64.RawURLEncoding.EncodeToString(b) + cursorEnd + rest
}

// ForList returns the counts of a cursor's list, and the rest of the cursor. Without one it begins a list of what was
// posted within some time (0: ever). The error is fault.Invalid bad_cursor.
func (s *Service) ForList(ctx context.Context, cursor string, within time.Duration) (l OfList, rest string, err error) {
	if cursor == "" {
		l.Counts = s.Counts(ctx)
		l.Tick = l.Newest()
		if within > 0 {
			l.From = max(s.clock.Now().Add(-within).Unix(), 0)
		}
		return l, "", nil
	}
	shared, rest, isWhole := strings.Cut(cursor, cursorEnd)
	b, err := base64.RawURLEncoding.DecodeString(shared)
	d := reader.Decoder{Rest: string(b), Bad: err != nil || !isWhole || rest == ""}
	l.Tick = schedule.Tick(d.AtMost(uint64(schedule.TickOf(s.clock.Now()) + 1)))
	l.From = int64(d.AtMost(math.MaxInt64))
	if !d.Done() {
		return OfList{}, "", fault.Coded(fault.Invalid, "bad_cursor").At("cursor")
	}
	l.Counts = s.countsWith(ctx, l.Tick).AsOf(l.Tick)
	return l, rest, nil
}

// countsWith is Counts with the cycle of a tick, which another process may have seen a moment ago.
func (s *Service) countsWith(ctx context.Context, t schedule.Tick) *Counts {
	c := s.Counts(ctx)
	if !c.IsOn() || c.newest >= t {
		return c
	}
	s.kept.mu.Lock()
	s.kept.looked = time.Time{}
	s.kept.mu.Unlock()
	return s.Counts(ctx)
}

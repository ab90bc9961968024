package popular

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Counts are the counts of all items. They never change: newer ones replace them.
type Counts struct {
	isOn                bool
	on, arrived, filled uint32 // as in store.CycleRow
	stops               store.Stops
	all                 []counted
	recent              []change // in order of time
	newest              schedule.Tick
	isAnswered          bool // the provider has answered a call
	kept                reader.Minute
}

// counted is an item with a count, or one that cannot be asked for: 20 bytes.
type counted struct {
	feed    reader.FeedID
	seq     reader.Seq
	n       int32 // store.UnknownCount, or twice the count, with one more if it is of the other scheme
	sortMin int32 // since reader.Epoch
	story   uint32
}

// change is a row of the log.
type change struct {
	at   time.Time
	list []store.ChangedCount
}

// IsOn reports whether the provider is asked.
func (c *Counts) IsOn() bool { return c != nil && c.isOn }

// Of returns an item's count and whether it is known: asked for and not in the log is 0. arrived is from the item's id.
func (c *Counts) Of(f *store.FeedRow, seq reader.Seq, arrived reader.Minute, link string) (n int, isKnown bool) {
	if !c.IsOn() || f == nil || f.IsUncountable() {
		return 0, false
	}
	if x := c.find(f.ID(), seq); x != nil {
		return x.count(), x.n >= 0
	}
	if !c.covers(f, seq, uint32(arrived)) || reader.AskURL(link) == "" {
		return 0, false
	}
	return 0, true
}

// covers reports whether the cycles have asked for items that arrived in a minute.
func (c *Counts) covers(f *store.FeedRow, seq reader.Seq, arrived uint32) bool {
	switch {
	case arrived <= f.CountsFrom:
		return false
	case arrived > c.on:
		return arrived <= c.arrived || arrived == c.arrived+1 && c.stops.Arrived.Passed(f.ID(), seq)
	}
	isFilled := uint32(f.ID()) <= c.filled || c.stops.Older.Passed(f.ID(), seq)
	return isFilled && arrived+uint32(c.kept) > c.on
}

// All returns the items with a count, in order of feed and seq.
func (c *Counts) All() []reader.BookmarkCount {
	if !c.IsOn() {
		return nil
	}
	list := make([]reader.BookmarkCount, 0, len(c.all))
	for _, x := range c.all {
		if x.count() > 0 {
			list = append(list, x.shown())
		}
	}
	return list
}

// At returns an item's count; 0 where it has none or that is unknown.
func (c *Counts) At(f reader.FeedID, seq reader.Seq) int {
	if !c.IsOn() {
		return 0
	}
	if x := c.find(f, seq); x != nil {
		return x.count()
	}
	return 0
}

func (c *Counts) find(f reader.FeedID, seq reader.Seq) *counted {
	i, ok := slices.BinarySearchFunc(c.all, counted{feed: f, seq: seq}, counted.compare)
	if !ok {
		return nil
	}
	return &c.all[i]
}

func (x counted) compare(y counted) int {
	return cmp.Or(cmp.Compare(x.feed, y.feed), cmp.Compare(x.seq, y.seq))
}

func (x *counted) count() int { return int(max(x.n, 0) >> 1) }

func (x *counted) isOther() bool { return x.n > 0 && x.n&1 == 1 }

// shown is the count as readers get it.
func (x *counted) shown() reader.BookmarkCount {
	return reader.BookmarkCount{Feed: x.feed, Seq: x.seq, N: x.count(), Sort: x.sort(), Story: x.story}
}

func (x *counted) sort() int64 { return int64(x.sortMin)*60 + reader.Epoch.Unix() }

func newCounted(x store.ChangedCount) counted {
	c := counted{feed: x.Feed, seq: x.Seq, n: store.UnknownCount, sortMin: int32((x.Sort - reader.Epoch.Unix()) / 60),
		story: x.Story}
	if x.N >= 0 {
		c.n = int32(x.N) << 1
		if x.IsOther {
			c.n |= 1
		}
	}
	return c
}

// with returns the counts after changes.
func with(all []counted, changes ...[]store.ChangedCount) []counted {
	var list []counted
	for _, c := range changes {
		for _, x := range c {
			list = append(list, newCounted(x))
		}
	}
	if len(list) == 0 {
		return all
	}
	slices.SortStableFunc(list, counted.compare)
	merged := make([]counted, 0, len(all)+len(list))
	for len(all)+len(list) > 0 {
		switch {
		case len(list) == 0 || len(all) > 0 && all[0].compare(list[0]) < 0:
			merged, all = append(merged, all[0]), all[1:]
		case len(list) > 1 && list[0].compare(list[1]) == 0:
			list = list[1:] // an older change of the same item
		default:
			if len(all) > 0 && all[0].compare(list[0]) == 0 {
				all = all[1:]
			}
			merged, list = append(merged, list[0]), list[1:]
		}
	}
	return merged
}

// fresh is how long counts are cached; where counting is off, it is offFor, since every list asks.
const (
	fresh  = time.Minute
	offFor = 10 * time.Minute
)

// recentDays is for how many days, before that of the blob, the log is read for Grown.
const recentDays = 1

// kept are the counts in memory.
type kept struct {
	mu     sync.Mutex
	counts *Counts
	looked time.Time
	isOff  bool          // for certain, as of looked
	next   schedule.Tick // the first tick of which no cycle that is done is in counts
}

// Counts returns the counts of all items, at most a minute old. What cannot be read is unknown.
func (s *Service) Counts(ctx context.Context) *Counts {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	now := s.clock.Now()
	life := fresh
	if s.kept.isOff {
		life = offFor
	}
	if c := s.kept.counts; c != nil && now.Sub(s.kept.looked) < life && !now.Before(s.kept.looked) {
		return c
	}
	c, err := s.current(ctx, now)
	s.kept.isOff = err == nil && !c.IsOn()
	if err != nil {
		s.log.Warn("counts cannot be read", "code", fault.CodeOf(err), "error", err)
		if c = s.kept.counts; c == nil {
			c = &Counts{}
		}
	}
	s.kept.counts, s.kept.looked = c, now
	return c
}

// current reads what is new.
func (s *Service) current(ctx context.Context, now time.Time) (*Counts, error) {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil {
		return nil, err
	}
	if !site.CountsBookmarks {
		s.kept.next = 0
		return &Counts{}, nil
	}
	c := s.kept.counts
	today := schedule.DayOf(schedule.TickOf(now))
	if !c.IsOn() || s.kept.next == 0 || schedule.DayOf(s.kept.next) < today-recentDays {
		if c, err = s.base(ctx, today); err != nil {
			return nil, err
		}
		s.kept.next = schedule.Tick(today-recentDays) * schedule.TicksPerDay
	}
	rows, err := s.since(ctx, s.kept.next, today)
	if err != nil {
		return nil, err
	}
	return c.after(rows, s.steps.last(), &s.kept.next)
}

// since reads the cycles that are done from a tick on.
func (s *Service) since(ctx context.Context, from schedule.Tick, today int32) (done []*store.CycleRow, err error) {
	for day := max(schedule.DayOf(from), 0); day <= today; day++ {
		rows, err := s.store.Cycles.OfDay(ctx, day, from)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.IsDone {
				done = append(done, r)
			}
		}
	}
	return done, nil
}

// after returns the counts after cycles, and moves next behind them.
func (c *Counts) after(rows []*store.CycleRow, kept reader.Minute, next *schedule.Tick) (*Counts, error) {
	n := *c
	n.isOn, n.kept = true, kept
	var lists [][]store.ChangedCount
	for _, r := range rows {
		list, err := r.Changed()
		if err != nil {
			return nil, err
		}
		n.on, n.arrived, n.filled, n.stops = r.On, r.Arrived, r.Filled, r.Stops()
		lists = append(lists, list)
		n.recent = append(n.recent[:len(n.recent):len(n.recent)], change{r.Tick().Start(), list})
		n.newest = r.Tick()
		n.isAnswered = n.isAnswered || r.Calls > 1 || r.Calls == 1 && r.Why == "" // a failure ends a cycle
		*next = n.newest + 1
	}
	n.all = with(c.all, lists...)
	for len(n.recent) > 0 && len(rows) > 0 && rows[len(rows)-1].Tick().Start().Sub(n.recent[0].at) > 48*time.Hour {
		n.recent = n.recent[1:]
	}
	return &n, nil
}

// State is whether counts are on, and the newest cycle that is done; nil if there was none lately.
type State struct {
	IsOn bool
	Last *store.CycleRow
}

// State returns how counting goes.
func (s *Service) State(ctx context.Context) (State, error) {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.CountsBookmarks {
		return State{}, err
	}
	_, done, err := s.store.Cycles.Newest(ctx, s.clock.Now())
	return State{true, done}, err
}

// Switch switches counts on or off; other processes notice the one within ten minutes, and the other within one.
func (s *Service) Switch(ctx context.Context, isOn bool) error {
	if err := s.store.Accounts.SetCounts(ctx, isOn); err != nil {
		return err
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.kept.counts = nil
	return nil
}

package watch

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

const (
	day = 24 * 60 * 60 // seconds

	// maxLive bounds the listed results of a watch. As many former ones are kept.
	maxLive = 2000
	// keepSeconds is how long a result is remembered after it has left the list: if it returns by then, it counts as
	// back.
	keepSeconds = 30 * day
)

// State is a watch's known results: a base, and the changes since.
type State struct {
	results map[Key]Result
	looks   looks
	folded  schedule.Tick
	seq     reader.Seq

	// Of the changes since the base: the latest of each result and of looks, their states in the base, the latest of
	// all.
	stamps    map[Key]stamp
	base      map[Key]Result // zero: the base does not have it
	looked    stamp
	baseLooks looks
	latest    stamp
}

// NewState returns that of a watch that has never been looked at.
func NewState() *State {
	return &State{results: map[Key]Result{}, folded: schedule.NoTick, stamps: map[Key]stamp{}, base: map[Key]Result{},
		looked: never, latest: never}
}

// Folded returns the tick and the feed's seq up to which the base contains all changes.
func (s *State) Folded() (tick schedule.Tick, seq reader.Seq) { return s.folded, s.seq }

// Apply folds groups of changes in, in any order; the latest observation wins. Groups up to Folded are ignored.
func (s *State) Apply(cs ...*Changes) {
	for _, c := range cs {
		if c.Tick > s.folded {
			s.apply(c)
		}
	}
}

func (s *State) apply(c *Changes) {
	now := c.stamp()
	if now.compare(s.latest) > 0 {
		s.latest = now
	}
	for i := range c.entries {
		r := &c.entries[i].Result
		before, isSince := s.stamps[r.Key]
		if !isSince {
			s.base[r.Key] = s.results[r.Key]
		}
		// Two groups with one stamp: any rule will do that does not depend on their order.
		if d := now.compare(before); !isSince || d > 0 || d == 0 && compareResults(*r, s.results[r.Key]) > 0 {
			s.results[r.Key], s.stamps[r.Key] = *r, now
		}
	}
	if c.looks == nil {
		return
	}
	if s.looked == never {
		s.baseLooks = s.looks
	}
	if d := now.compare(s.looked); d > 0 || d == 0 && c.looks.compare(s.looks) > 0 {
		s.looks, s.looked = *c.looks, now
	}
}

// compareResults is an arbitrary order of different results with one key.
func compareResults(a, b Result) int {
	order := func(r Result) []int64 {
		list := []int64{r.Since, int64(r.Status), r.Price, r.Lowest, r.Priced, int64(r.Seq), int64(r.Source),
			r.FirstSeen, r.Missing, int64(r.Misses),
			r.Checked, int64(r.Checks), int64(r.LinkHash), int64(r.TitleHash), r.Doubted}
		if r.IsFrom {
			list = append(list, 1)
		}
		return list
	}
	return cmp.Or(slices.Compare(order(a), order(b)), cmp.Compare(a.Currency, b.Currency))
}

// next is the stamp of a new group: after all that the state has, even if the clock was set back. Its tick may run
// ahead of the clock.
func (s *State) next(t schedule.Tick, at int64) stamp {
	now := stamp{t, at}
	if now.compare(s.latest) <= 0 || t <= s.folded {
		now.tick = max(s.latest.tick, s.folded) + 1
	}
	return now
}

// atBase returns the state without the changes since its base.
func (s *State) atBase() *State {
	b := NewState()
	b.results, b.looks, b.folded, b.seq = maps.Clone(s.results), s.looks, s.folded, s.seq
	for k, r := range s.base {
		if r.Status == 0 {
			delete(b.results, k)
			continue
		}
		b.results[k] = r
	}
	if s.looked != never {
		b.looks = s.baseLooks
	}
	return b
}

// FoldTo marks the state as a base up to a tick and seq, to which exactly all groups were applied, and drops tombstones
// older than 30 days.
func (s *State) FoldTo(t schedule.Tick, seq reader.Seq) {
	s.folded, s.seq = max(s.folded, t), max(s.seq, seq)
	s.stamps, s.base, s.looked = map[Key]stamp{}, map[Key]Result{}, never
	now := s.folded.Start().Unix()
	var old []Result
	for k, r := range s.results {
		switch {
		case r.isLive():
		case r.Status == moved, now-r.left() > keepSeconds:
			delete(s.results, k)
		default:
			old = append(old, r)
		}
	}
	if len(old) > maxLive {
		slices.SortFunc(old, func(a, b Result) int {
			return cmp.Or(cmp.Compare(a.left(), b.left()), cmp.Compare(a.Key, b.Key))
		})
		for _, r := range old[:len(old)-maxLive] {
			delete(s.results, r.Key)
		}
	}
}

// left is the time at which a result disappeared from the list.
func (r *Result) left() int64 { return max(r.Since, r.Missing) }

// Problem is the problem that the watch has had in three looks in a row, or empty; suspects is their number.
func (s *State) Problem() (code string, suspects int) {
	p := s.looks.Page
	if p.N < s.looks.Full.N {
		p = s.looks.Full
	}
	if p.N < enoughSuspects {
		return "", p.N
	}
	return p.Code, p.N
}

// WantsFull reports whether no crawl has reached the last page yet, or none since the settings have changed.
func (s *State) WantsFull() bool { return len(s.looks.Fulls) == 0 }

// isNew reports whether nothing was seen yet: the first look is the baseline.
func (s *State) isNew() bool { return len(s.results) == 0 && len(s.looks.Pages) == 0 }

// Live returns the results on sale and those sold or gone in the last 30 days, in no particular order.
func (s *State) Live() []Result {
	live := make([]Result, 0, len(s.results))
	for _, r := range s.results {
		if r.Status < removed {
			live = append(live, r)
		}
	}
	return live
}

// Get returns one of them.
func (s *State) Get(k Key) (Result, bool) {
	r, ok := s.results[k]
	return r, ok && r.Status < removed
}

// Needs reports whether a month of history must stay, for the texts of results that are still listed.
func (s *State) Needs(month string) bool {
	for _, r := range s.results {
		if r.Status == OnSale && Month(r.FirstSeen) == month {
			return true
		}
	}
	return false
}

// Knows tells whether a row is one of the results, and whether it has its title still (listing.Known).
func (s *State) Knows(row *listing.Row) (isKnown, isSameTitle bool) {
	r, ok := s.results[Key(row.Key&(1<<keyBits-1))]
	if ok = ok && r.isLive(); !ok {
		return false, false
	}
	return true, r.TitleHash == hashOf(row.Title)
}

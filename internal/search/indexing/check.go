package indexing

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Merges drop what is gone. Segments that are merged no more are checked once a week, a seventh each night, and written
// again if more than a quarter is dead; if anything of a removed feed or below a floor is left, also once they are
// older than rewriteAfter days. So nothing that is gone stays for more than a month.
const (
	checkDays    = 7
	rewriteAfter = 22
)

// check looks through the segments whose turn it is, once a day.
func (s *Service) check(ctx context.Context, ix *index, floors map[reader.FeedID]reader.Seq) error {
	today := s.today()
	if ix.row.Checked == today || len(ix.list) == 0 {
		return nil
	}
	due := s.due(ix.list, today)
	replaced := map[query.Ref]bool{} // by segments newer than the one looked at
	type rewrite struct {
		name     string
		replaced map[query.Ref]bool
	}
	var again []rewrite
	for i := len(ix.list) - 1; i >= 0 && len(due) > 0; i-- {
		t, err := s.tail(ctx, &ix.list[i])
		if err != nil {
			return err
		}
		if name := ix.list[i].Name; due[name] {
			delete(due, name)
			if isWorthwhile(t, floors, replaced, age(today, ix.list[i].Made)) {
				again = append(again, rewrite{name, maps.Clone(replaced)})
			} else {
				ix.list[i].Checked = today
			}
		}
		for _, r := range t.Replaces {
			replaced[r] = true
		}
	}
	if err := s.deleteDropped(ctx, ix); err != nil {
		return err
	}
	next := *ix.row
	next.Checked, next.At = today, s.clock.Now().Unix()
	next.SetList(ix.list)
	next.SetDropped(ix.dropped)
	row, err := s.store.Search.Replace(ctx, ix.row, &next)
	if err != nil {
		return err
	}
	ix.row = row
	for _, x := range again {
		if s.clock.Now().Sub(ix.started) > gatherTime {
			return nil // the rest is first tomorrow
		}
		i := slices.IndexFunc(ix.list, func(of store.Segment) bool { return of.Name == x.name })
		keep := func(f reader.FeedID, seq reader.Seq) bool {
			return lives(floors, f, seq) && !x.replaced[query.Ref{Feed: f, Seq: seq}]
		}
		if err := s.replace(ctx, ix, i, i+1, nil, keep); err != nil {
			return err
		}
	}
	return nil
}

// due returns the segments to look through today: those whose last check is longest ago.
func (s *Service) due(list []store.Segment, today int32) map[string]bool {
	list = slices.DeleteFunc(slices.Clone(list), func(x store.Segment) bool { return x.Checked == today })
	slices.SortStableFunc(list, func(a, b store.Segment) int {
		return cmp.Compare(age(today, b.Checked), age(today, a.Checked))
	})
	due := map[string]bool{}
	for _, x := range list[:min((len(list)+checkDays-1)/checkDays, len(list))] {
		due[x.Name] = true
	}
	return due
}

// age is the age in days. A date in the future, after a clock was set back, counts as very old.
func age(today, day int32) int32 {
	if day > today {
		return math.MaxInt32
	}
	return today - day
}

// isWorthwhile reports whether a segment that was written so many days ago is written again.
func isWorthwhile(t *segment.Tail, floors map[reader.FeedID]reader.Seq, replaced map[query.Ref]bool, age int32) bool {
	gone, dead := 0, 0
	for i := range t.Documents {
		switch e := &t.Documents[i]; {
		case !lives(floors, e.Feed, e.Seq):
			gone++
		case replaced[query.Ref{Feed: e.Feed, Seq: e.Seq}]:
			dead++
		}
	}
	return 4*(gone+dead) > len(t.Documents) || gone > 0 && age >= rewriteAfter
}

// lives reports whether an item's feed still exists and the item is above its floor.
func lives(floors map[reader.FeedID]reader.Seq, f reader.FeedID, seq reader.Seq) bool {
	floor, isThere := floors[f]
	return isThere && seq > floor
}

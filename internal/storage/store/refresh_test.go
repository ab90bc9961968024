package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

func TestRefreshNames(t *testing.T) {
	t.Parallel()
	name := RefreshName(start, 7)
	if at, ok := RefreshAt(name); !ok || !at.Equal(start) {
		t.Errorf("%s names %v, %v", name, at, ok)
	}
	for _, bad := range []string{"", "refresh-", "refresh-1", "refresh-x-00000007", "refresh--1-00000007",
		"import-1-00000007", "refresh-1-7", name + name} {
		if at, ok := RefreshAt(bad); ok {
			t.Errorf("%q names %v", bad, at)
		}
	}
}

// A lease names the requested runs of half a day, and no more of them than fit into a row.
func TestLeaseNamesRequestedRuns(t *testing.T) {
	t.Parallel()
	var l LeaseRow
	for i := range 100 {
		l.Asked = l.WithAsked(RefreshName(start.Add(time.Duration(i)*time.Minute), uint32(i)),
			start.Add(time.Duration(i)*time.Minute))
	}
	if len(l.Asked) != keptAsked || l.Asked[0] != RefreshName(start.Add(99*time.Minute), 99) {
		t.Errorf("%d names, the first is %s", len(l.Asked), l.Asked[0])
	}
	if again := l.WithAsked(l.Asked[0], start.Add(100*time.Minute)); len(again) != keptAsked || again[1] == again[0] {
		t.Errorf("a run is named twice: %v", again[:2])
	}
	later := start.Add(14 * time.Hour)
	if names := l.WithAsked(RefreshName(later, 1), later); len(names) != 1 {
		t.Errorf("half a day later it names %v", names)
	}
}

// A user's refreshes are one row: who writes it over another's head is told, and it remembers an hour.
func TestRefreshesAreOneRow(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	var list []Refresh
	for i := range 12 {
		others, rev, err := s.Refreshes.List(t.Context(), "u1", clk.Now())
		ok(t, err)
		list = append([]Refresh{{Name: RefreshName(clk.Now(), uint32(i)), Scope: fmt.Sprint("feed:", i),
			Parts: []int{0}}}, others...)
		ok(t, s.Refreshes.Put(t.Context(), "u1", list, rev, clk.Now()))
		if err := s.Refreshes.Put(t.Context(), "u1", list, rev, clk.Now()); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second write of revision %d: %v", rev, err)
		}
		clk.Add(time.Minute)
	}
	got, _, err := s.Refreshes.List(t.Context(), "u1", clk.Now())
	if err != nil || len(got) != keptRefreshes || got[0].Scope != "feed:11" {
		t.Errorf("%d are kept, %v", len(got), err)
	}
	clk.Add(time.Hour)
	if got, _, err := s.Refreshes.List(t.Context(), "u1", clk.Now()); err != nil || len(got) != 0 {
		t.Errorf("an hour later there are %v, %v", got, err)
	}
}

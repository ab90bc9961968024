package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// H-25: what a search finds, with the items of 30 days that were bookmarked first. All pages have the counts of the
// first, in deltas and in the index.
func TestSearchByPopularity(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	l := &shelf{world: w.world}
	add := func(name string, n int) {
		w.feed("https://example.org/"+name, store.SubscriptionRow{}, "https://example.org/a/"+name, "Cats "+name, "", n)
	}
	add("old", 90)
	l.clock.Add(31 * 24 * time.Hour)
	for i, n := range []int{0, 3, 1, 8, 0, 3} {
		add(fmt.Sprint(i), n)
		l.clock.Add(time.Minute)
	}
	w.feed("https://example.org/dogs", store.SubscriptionRow{}, "https://example.org/dogs", "Dogs", "", 99)
	w.count()
	l.clock.Add(2 * time.Minute)
	pages := func(path string, pairs ...string) string {
		t.Helper()
		var got []string
		pairs = append(pairs, "limit", "2", "cursor", "")
		for {
			a := l.search(path, pairs...)
			got = append(got, a.titles()...)
			if a.NextCursor == nil {
				return strings.ReplaceAll(strings.Join(got, " "), "Cats ", "")
			}
			pairs[len(pairs)-1] = *a.NextCursor
			w.clock.Add(schedule.TickLength)
			w.counts = []store.ChangedCount{{Feed: 2, Seq: 1, N: 1000, Sort: w.clock.Now().Unix()}}
			w.count() // between the pages
		}
	}
	const first = "3 5 1 2 4 0 old"
	for _, where := range []string{"in deltas", "in the index"} {
		if got := pages("/api/search", "q", "cats", "sort", "popular"); got != first {
			t.Errorf("%s: %s", where, got)
		}
		if got := pages("/api/search", "q", "cats"); got != "5 4 3 2 1 0 old" {
			t.Errorf("%s, by date: %s", where, got)
		}
		w.counts = []store.ChangedCount{{Feed: 2, Seq: 1, N: 0, Was: 1000, Sort: w.clock.Now().Unix()}}
		w.clock.Add(schedule.TickLength)
		w.count()
		l.clock.Add(2 * time.Minute)
		l.index()
	}
	l.want(l.call("POST", "/api/searches", `{"name":"Cats","q":"cats","sort":"popular"}`, nil), 201)
	if got := pages("/api/searches/1/items"); got != first {
		t.Errorf("saved: %s", got)
	}
	next := l.search("/api/search", "q", "cats", "sort", "popular", "limit", "2").NextCursor
	for _, pairs := range [][]string{
		{"q", "cats", "cursor", *next}, {"q", "dogs", "sort", "popular", "cursor", *next},
		{"q", "cats", "sort", "popular", "cursor", "i."},
		{"q", "cats", "sort", "popular", "cursor", "i" + strings.Split(*next, ".")[1]},
	} {
		var p problem
		if l.want(l.call("GET", "/api/search?"+params(pairs...), nil, &p), 400); p.Details[0].Code != "bad_cursor" {
			t.Errorf("%q: %+v", pairs, p)
		}
	}
	l.ok(w.store.Accounts.SetCounts(t.Context(), false))
	l.clock.Add(20 * time.Minute)
	l.finds("the same without counts", "Cats 5, Cats 4, Cats 3, Cats 2, Cats 1, Cats 0, Cats old", "q", "cats",
		"sort", "popular")
}

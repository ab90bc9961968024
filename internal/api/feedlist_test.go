package api_test

import (
	"fmt"
	"slices"
	"testing"
)

// Feeds have the user's order, in their list and in /api/me.
//
func TestFeedsAreSortedByPosition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	ids := func(path string) (out []string) {
		t.Helper()
		var answer struct{ Feeds []struct{ ID string } }
		w.want(w.call("GET", path, nil, &answer), 200)
		for _, f := range answer.Feeds {
			out = append(out, f.ID)
		}
		return out
	}
	before := ids("/api/feeds")
	if len(before) < 3 || !slices.IsSorted(before) {
		t.Fatalf("without positions they stand as %v", before)
	}
	for i, id := range before { // the last one first; two share a place
		w.want(w.call("PUT", "/api/subscriptions/"+id+"/settings",
			fmt.Sprintf(`{"position":%d}`, max(len(before)-1-i, 1)), nil), 200)
	}
	want := slices.Clone(before)
	slices.Reverse(want)
	slices.Sort(want[:2])
	for range 2 { // the list is remembered, and is not turned by being shown
		for _, path := range []string{"/api/feeds", "/api/me"} {
			if got := ids(path); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", path, got, want)
			}
		}
	}
}

// A feed's list of items has the feed and the total number of items.
//
func TestFeedItemsIncludeTheFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	type feed struct {
		ID, Title, Description, SiteURL, Language string
		ItemCount, UnreadCount                    int
		LastReadAt                                *string
	}
	var list struct{ Feeds []feed }
	w.want(w.call("GET", "/api/feeds", nil, &list), 200)
	described := 0
	for _, f := range list.Feeds {
		for _, filter := range []string{"all", "starred"} {
			var page struct {
				Items []struct{ ID string }
				Total int
				Feed  feed
			}
			w.want(w.call("GET", "/api/feeds/"+f.ID+"/items?limit=1&filter="+filter, nil, &page), 200)
			got := page.Feed
			got.ItemCount = page.Total
			if got != f || f.Title == "" || filter == "all" && page.Total < len(page.Items) {
				t.Errorf("%s: %+v of %d, want %+v", filter, page.Feed, page.Total, f)
			}
		}
		if f.Description != "" && f.SiteURL != "" && f.ItemCount > 1 {
			described++
		}
	}
	if described == 0 {
		t.Error("no feed has a description: nothing was tested")
	}
}

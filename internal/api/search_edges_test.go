package api_test

import (
	"slices"
	"testing"
	"time"
)

// TestSearchAfterAMerge: a feed that was merged into another is found as that alone, by all who followed either.
func TestSearchAfterAMerge(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	u, err := l.auth.AddUser(t.Context(), "b@example.org", "", false)
	l.ok(err)
	bob, err := l.auth.NewToken(t.Context(), u, "b", "", time.Time{})
	l.ok(err)
	old, into := l.follow("Old", nil, l.owner, u), l.follow("Into", nil, l.owner)
	l.commit(old, titles("cats one", "cats two")...) // its identities are those of the other's first two
	l.commit(into, titles("cats one", "cats two", "cats three")...)
	l.index()
	target, err := l.store.Feeds.Get(t.Context(), into, true)
	l.ok(err)
	moved, err := l.store.Feeds.Get(t.Context(), old, true)
	l.ok(err)
	l.ok(l.options.Subscribe.MoveFeed(t.Context(), moved, target.URL))
	l.clock.Add(2 * time.Minute)
	for _, indexed := range []bool{false, true} {
		for _, token := range []string{l.token, bob} {
			a := l.searchAs(token, "/api/search", "q", "cats")
			if got := a.titles(); !slices.Equal(got, []string{"cats three", "cats two", "cats one"}) {
				t.Errorf("indexed again: %v: found %q", indexed, got)
			}
			for _, it := range a.Items {
				if it.FeedID != into.String() {
					t.Errorf("%q is found in the feed that is no more", it.Title)
				}
			}
		}
		l.want(l.callAs(bob, "GET", "/api/search?q=cats&feed="+old.String(), nil, nil), 404)
		l.index()
	}
}

// TestAnAccountIsDeletedInMidSearch: the next page of a person who is no more is refused, and what others find stays.
func TestAnAccountIsDeletedInMidSearch(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	u, err := l.auth.AddUser(t.Context(), "b@example.org", "", false)
	l.ok(err)
	bob, err := l.auth.NewToken(t.Context(), u, "b", "", time.Time{})
	l.ok(err)
	both := l.follow("Both", nil, l.owner, u)
	theirs := l.follow("Theirs", nil, u)
	l.commit(both, titles("cats one", "cats two")...)
	l.commit(theirs, titles("cats three", "cats four")...)
	l.index()
	l.want(l.callAs(bob, "POST", "/api/searches", map[string]string{"name": "Cats", "q": "cats"}, nil), 201)
	first := l.searchAs(bob, "/api/search", "q", "cats", "limit", "1")
	if len(first.Items) != 1 || first.NextCursor == nil {
		t.Fatalf("the first page is %+v", first)
	}
	l.ok(l.options.Takeout.Remove(t.Context(), u, ""))
	for _, path := range []string{"/api/search?" + params("q", "cats", "limit", "1", "cursor", *first.NextCursor),
		"/api/searches", "/api/searches/1/items"} {
		l.want(l.callAs(bob, "GET", path, nil, nil), 401)
	}
	l.clock.Add(2 * time.Minute)
	l.finds("another", "cats two, cats one", "q", "cats")
	again, err := l.auth.AddUser(t.Context(), "b@example.org", "", false)
	l.ok(err)
	token, err := l.auth.NewToken(t.Context(), again, "b", "", time.Time{})
	l.ok(err)
	if got := l.searchAs(token, "/api/search", "q", "cats"); len(got.Items) > 0 {
		t.Errorf("the same address finds %+v anew", got.titles())
	}
}

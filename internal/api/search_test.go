package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// TestSearch: where is searched, which states, which days, and in which order.
//
func TestSearch(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var outer, inner reader.FolderID
	_, err := l.store.Trees.Change(t.Context(), l.owner, func(tree *library.Tree) (err error) {
		if outer, err = tree.AddFolder(0, "Outer"); err == nil {
			inner, err = tree.AddFolder(outer, "Inner")
		}
		return err
	})
	l.ok(err)
	a := l.follow("A", nil, l.owner)
	b := l.follow("B", func(s *store.SubscriptionRow) { s.Folders = []reader.FolderID{inner} }, l.owner)
	muted := l.follow("Muted", func(s *store.SubscriptionRow) { s.Mute = true }, l.owner)
	day := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.UTC) }
	ids := l.commit(a, story{title: "桜の一", at: day(1, 12)}, story{title: "梅", text: "庭の桜も咲く", at: day(2, 20)},
		story{title: "サクラ", at: day(3, 12)}, story{title: "café open", at: day(3, 13)})
	bids := l.commit(b, story{title: "桜の二", author: "Kino", at: day(4, 12)}, story{title: "さくら", at: day(5, 12)})
	l.commit(muted, story{title: "桜の三", at: day(6, 12)})
	l.want(l.call("PUT", "/api/items/"+ids[0]+"/state", map[string]bool{"isRead": true, "isStarred": true}, nil), 200)
	l.want(l.call("PUT", "/api/items/"+bids[0]+"/state", map[string]bool{"isStarred": true}, nil), 200)

	l.finds("a word before it is indexed", "桜の二, 梅, 桜の一", "q", "桜")
	l.index()
	l.finds("a word", "桜の二, 梅, 桜の一", "q", "桜")
	l.finds("a feed", "梅, 桜の一", "q", "桜", "feed", a.String())
	l.finds("a muted feed by itself", "桜の三", "q", "桜", "feed", muted.String())
	l.finds("a folder and those in it", "桜の二", "q", "桜", "folder", fmt.Sprint(outer))
	l.finds("unread ones", "桜の二, 梅", "q", "桜", "filter", "unread")
	l.finds("unread ones, typed", "桜の二, 梅", "q", "桜 is:unread")
	l.finds("starred ones", "桜の二, 桜の一", "q", "桜", "filter", "starred")
	l.finds("starred ones, typed", "桜の二, 桜の一", "q", "桜 is:starred")
	l.finds("starred and unread", "桜の二", "q", "桜 is:unread", "filter", "starred")
	l.finds("hidden ones, of which there are none", "", "q", "桜", "filter", "hidden")
	l.finds("from a day on", "桜の二, 梅", "q", "桜", "from", "2026-11-02")
	l.finds("before a day", "梅, 桜の一", "q", "桜", "to", "2026-11-03")
	l.finds("from a day on, typed", "桜の二, 梅", "q", "桜 after:2026-11-02")
	l.finds("the days of both", "梅", "q", "桜 after:2026-11-02", "to", "2026-11-04")
	l.finds("days in Japan", "桜の二, 梅", "q", "桜", "from", "2026-11-03", "tz", "540")
	l.finds("days in Japan, typed", "桜の一", "q", "桜 before:2026-11-03", "tz", "540")
	l.finds("titles first", "桜の二, 桜の一, 梅", "q", "桜", "sort", "best")
	l.finds("kana as they are", "さくら", "q", "さくら")
	l.finds("kana as one", "さくら, サクラ", "q", "さくら", "kana", "fold")
	l.finds("an author", "桜の二", "q", "桜 author:kino")
	l.finds("an accent", "café open", "q", "CAFE")
	l.finds("what is not there", "", "q", "紅葉")
	l.want(l.call("PUT", "/api/user/preferences", map[string]bool{"searchKana": true}, nil), 200)
	l.finds("kana as preferred", "さくら, サクラ", "q", "さくら")
	l.finds("kana against the preference", "さくら", "q", "さくら", "kana", "exact")

	type total = struct {
		Items, Feeds int
		IsAtLeast    bool
	}
	for what, c := range map[string]struct {
		query []string
		want  total
	}{
		"one page":          {[]string{"q", "桜"}, total{3, 2, false}},
		"the first of more": {[]string{"q", "桜", "limit", "1"}, total{3, 2, false}},
		"read to decide":    {[]string{"q", `"桜の"`, "limit", "1"}, total{1, 1, true}},
		"titles first":      {[]string{"q", "桜", "limit", "1", "sort", "best"}, total{1, 1, true}},
		"stars":             {[]string{"q", "桜", "filter", "starred"}, total{2, 2, false}},
		"nothing":           {[]string{"q", "紅葉"}, total{}},
	} {
		if got := l.search("/api/search", c.query...).Total; got == nil || *got != c.want {
			t.Errorf("%s: %+v are counted, want %+v", what, got, c.want)
		}
	}
	got := l.search("/api/search", "q", "桜", "feed", a.String(), "filter", "unread").Items
	if len(got) != 1 || strings.Join(got[0].Highlight.Title, "|") != "梅" ||
		strings.Join(got[0].Highlight.Text, "|") != "庭の|桜|も咲く" {
		t.Errorf("the match is shown as %+v", got)
	}
	if hit := l.search("/api/search", "q", "桜の一").Items[0]; !hit.IsRead || !hit.IsStarred || hit.FeedID != a.String() ||
		hit.ID != ids[0] {
		t.Errorf("an item is %+v", hit)
	}
}

// TestSearchAppliesRules: what a rule hides is found only among the hidden, as in every list.
func TestSearchAppliesRules(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	a := l.follow("A", nil, l.owner)
	l.commit(a, titles("before")...)
	l.want(l.call("PUT", "/api/rules",
		json.RawMessage(
			`{"revision":"0","rules":[{"id":"r1","name":"x","isEnabled":true,"feeds":[],"folders":[],"match":"all",`+
				`"conditions":[{"field":"title","mode":"any","words":["advertisement"],"isNegated":false}],`+
				`"actions":[{"type":"hide"}],"stop":false}]}`), nil), 200)
	l.commit(a, titles("a new cat", "a new advertisement")...)
	l.finds("all", "a new cat", "q", "new")
	l.finds("hidden", "a new advertisement", "q", "new", "filter", "hidden")
}

// TestSearchFoldsStories: the same story in several feeds is one item within a page.
func TestSearchFoldsStories(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	a, b := l.follow("A", nil, l.owner), l.follow("B", nil, l.owner)
	l.commit(a, story{title: "cats", link: "https://example.org/cats"},
		story{title: "cats at home", link: "https://example.org/home"})
	l.commit(b, story{title: "cats too", link: "http://example.org/cats?utm_source=b"})
	got := l.search("/api/search", "q", "cats").Items
	if len(got) != 2 || got[0].Title != "cats too" || len(got[0].AlsoIn) != 1 ||
		got[0].AlsoIn[0].FeedID != a.String() || got[1].Title != "cats at home" {
		t.Errorf("it is %+v", got)
	}
	if got := l.search("/api/search", "q", "cats", "feed", a.String()).Items; len(got) != 2 || len(got[0].AlsoIn) != 0 {
		t.Errorf("in one feed it is %+v", got)
	}
}

// TestStarsOutliveTheirFeeds: stars of feeds that are not followed any more, and of what retention has removed, are
// found with the filter starred alone, after the others, by title and by text.
func TestStarsOutliveTheirFeeds(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	a, left, short := l.follow("A", nil, l.owner), l.follow("Left", nil, l.owner), l.follow("Short", nil, l.owner)
	star := func(id string) {
		t.Helper()
		l.want(l.call("PUT", "/api/items/"+id+"/state", map[string]bool{"isStarred": true}, nil), 200)
	}
	one := l.commit(a, titles("cats one", "no cats")...)
	two := l.commit(left, story{title: "cats two"}, story{title: "dogs", text: "and cats"},
		story{title: "cats without a star"})
	three := l.commit(short, titles("cats three", "cats four")...)
	for _, id := range []string{one[0], two[0], two[1], three[0], three[1]} {
		star(id)
	}
	var label struct{ ID string }
	l.want(l.call("POST", "/api/labels", map[string]string{"name": "later"}, &label), 201)
	l.want(l.call("POST", "/api/items/state", map[string]any{"changes": []any{map[string]any{"ids": []string{two[0],
		three[1]}, "addLabels": []string{label.ID}}}}, nil), 200)
	l.index()
	l.want(l.call("DELETE", "/api/subscriptions/"+left.String(), nil, nil), 204)
	_, err := l.store.Feeds.Modify(t.Context(), short, func(row *store.FeedRow) { row.Floor = 1 })
	l.ok(err)
	l.clock.Add(2 * time.Minute)
	l.finds("all", "cats four, no cats, cats one", "q", "cats")
	l.finds("starred", "cats four, cats one, cats three, dogs, cats two", "q", "cats", "filter", "starred")
	l.finds("starred, of before today", "", "q", "cats", "filter", "starred", "to", "2026-11-21")
	l.finds("starred and unread, which what is gone is not", "cats four, cats one", "q", "cats is:unread",
		"filter", "starred")
	l.finds("starred in a feed", "cats four, cats three", "q", "cats", "filter", "starred", "feed", short.String())
	l.finds("starred in a folder", "", "q", "cats", "filter", "starred", "folder", l.folder())
	for limit := 1; limit < 7; limit++ {
		if got, want := l.all("/api/search", limit, "q", "cats", "filter", "starred"),
			[]string{three[1], one[0], three[0], two[1], two[0]}; !slices.Equal(got, want) {
			t.Errorf("in pages of %d there are %q, want %q", limit, got, want)
		}
	}
	for _, hit := range l.search("/api/search", "q", "cats", "filter", "starred").Items {
		if isLabelled := hit.ID == two[0] || hit.ID == three[1]; isLabelled != slices.Equal(hit.Labels,
			[]string{label.ID}) {
			t.Errorf("%q has the labels %q", hit.Title, hit.Labels)
		}
	}
	hit := l.search("/api/search", "q", "two", "filter", "starred").Items[0]
	if !hit.IsRead || !hit.IsStarred || hit.FeedID != left.String() ||
		strings.Join(hit.Highlight.Title, "|") != "cats |two|" {
		t.Errorf("a kept star is %+v", hit)
	}
}

// folder makes an empty folder.
func (l *shelf) folder() string {
	l.t.Helper()
	var f struct{ ID string }
	l.want(l.call("POST", "/api/folders", map[string]string{"name": "F"}, &f), 201)
	return f.ID
}

// TestSearchAgainForWhatIsNew: with the asOf of an answer, only what arrived after it; when nothing did, a poll reads
// nothing but the side bar.
func TestSearchAgainForWhatIsNew(t *testing.T) {
	t.Parallel()
	l := newCloudLibrary(t)
	a, b := l.follow("A", nil, l.owner), l.follow("B", nil, l.owner)
	l.commit(a, titles("cats one", "cats two")...)
	l.commit(b, titles("cats three")...)
	l.index()
	first := l.search("/api/search", "q", "cats", "kana", "exact")
	if len(first.Items) != 3 || first.AsOf == nil {
		t.Fatalf("first there are %+v", first)
	}
	bar := l.reads(func() { l.want(l.call("GET", "/api/items?filter=hidden", nil, nil), 200) })
	var again foundAnswer
	if got := l.reads(func() {
		again = l.search("/api/search", "q", "cats", "kana", "exact", "since", *first.AsOf)
	}); fmt.Sprint(got) != fmt.Sprint(bar) || len(again.Items) != 0 {
		t.Errorf("a poll without anything new finds %q and reads %v, the side bar alone %v", again.titles(), got, bar)
	}
	l.commit(b, titles("cats four", "dogs")...)
	l.commit(a, story{title: "cats of old", at: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)})
	l.finds("what came after", "cats four, cats of old", "q", "cats", "since", *first.AsOf)
	if again.AsOf == nil || *again.AsOf == "" {
		t.Error("the poll does not say from where on to ask next")
	}
	later := l.search("/api/search", "q", "cats", "since", *first.AsOf)
	l.finds("nothing since", "", "q", "cats", "since", *later.AsOf)
	c := l.follow("C", nil, l.owner)
	l.commit(c, titles("cats in a new feed")...)
	l.finds("a feed that came later", "cats in a new feed", "q", "cats", "since", *later.AsOf)
}

// reads runs something and returns the table's reads by kind of row, in units.
func (l *shelf) reads(f func()) map[string]float64 {
	before := l.store.Table().Meter().Snapshot()
	f()
	after := l.store.Table().Meter().Snapshot()
	spent := map[string]float64{}
	for kind, n := range after.Reads {
		if n -= before.Reads[kind]; n > 0 && kind != "token" && kind != "account" {
			spent[kind] = n
		}
	}
	return spent
}

// TestSearchCosts: what usual requests read of the table, and that none writes.
func TestSearchCosts(t *testing.T) {
	t.Parallel()
	l := newCloudLibrary(t)
	for i := range 20 {
		l.commit(l.follow(fmt.Sprint(i), nil, l.owner), titles("cats", "dogs")...)
	}
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": "s", "q": "cats"}, &saved), 201)
	l.want(l.call("POST", "/api/items/mark-read", nil, nil), 200)
	bar := l.reads(func() { l.want(l.call("GET", "/api/items?filter=hidden", nil, nil), 200) })
	for what, c := range map[string]struct {
		path string
		more map[string]float64
	}{
		"nothing is unread":      {"/api/search?q=cats&filter=unread&kana=exact", nil},
		"nothing is starred":     {"/api/search?q=cats+is:starred&kana=exact", nil},
		"nothing is hidden":      {"/api/search?q=cats&filter=hidden&kana=exact", nil},
		"the preference is read": {"/api/search?q=cats&filter=unread", map[string]float64{"settings": 0.5}},
		"a saved search, nothing new": {"/api/searches/" + saved.ID + "/items?filter=unread",
			map[string]float64{"settings": 0.5}},
		"the searches that were saved": {"/api/searches", nil},
	} {
		want := map[string]float64{"settings": 0.5}
		if c.path != "/api/searches" {
			want = map[string]float64{}
			for kind, n := range bar {
				want[kind] = n
			}
			for kind, n := range c.more {
				want[kind] += n
			}
		}
		var got map[string]float64
		if wrote := l.spent(func() {
			got = l.reads(func() { l.want(l.call("GET", c.path, nil, nil), 200) })
		}); len(wrote) > 0 {
			t.Errorf("%s: writes %v", what, wrote)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: reads %v, want %v", what, got, want)
		}
	}
	// Of what is indexed no delta is read, only the row that lists the segments.
	l.index()
	l.want(l.call("GET", "/api/items?filter=hidden", nil, nil), 200)
	for i := range 2 {
		want := maps.Clone(bar)
		delete(want, "feed") // read a moment ago
		want["search"] = 0.5
		got := l.reads(func() {
			var a foundAnswer
			if l.want(l.call("GET", "/api/search?q=cats&kana=exact", nil, &a), 200); len(a.Items) != 20 {
				t.Errorf("it finds %d items", len(a.Items))
			}
		})
		if delete(got, "feed"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("indexed search %d reads %v, want %v", i+1, got, want)
		}
	}
	if wrote := l.spent(func() {
		l.want(l.call("PUT", "/api/searches/"+saved.ID, map[string]string{"name": "s", "q": "dogs"}, nil), 200)
	}); fmt.Sprint(wrote) != "map[settings:1]" {
		t.Errorf("a change of a saved search writes %v", wrote)
	}
	if wrote := l.spent(func() {
		l.want(l.call("PUT", "/api/searches/"+saved.ID, map[string]string{"name": "s", "q": "dogs"}, nil), 200)
	}); len(wrote) > 0 {
		t.Errorf("the same again writes %v", wrote)
	}
}

// TestPagesOfASearch: whatever the size of the pages, the order and the filter, all pages joined are what one large
// page has, and that is every item that matches.
func TestPagesOfASearch(t *testing.T) {
	t.Parallel()
	words := []string{"cat", "dog", "猫", "犬", "rain"}
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		l := newLibrary(t)
		matching := map[string]int64{} // sort times of the items with the word, by id
		starred := map[string]bool{}
		var feeds []reader.FeedID
		for range 3 {
			feeds = append(feeds, l.follow("F", nil, l.owner))
		}
		for n := range 8 {
			if n == 3 || n == 6 { // some are in the index, in two segments or one, and some are not yet
				l.index()
			}
			feed := feeds[rnd.IntN(3)]
			var list []story
			for range 1 + rnd.IntN(4) {
				text := ""
				for range 1 + rnd.IntN(3) {
					text += words[rnd.IntN(len(words))] + " "
				}
				list = append(list, story{title: text, at: time.Date(2026, 11, 1+rnd.IntN(5), 0, 0, 0, 0, time.UTC)})
			}
			for i, id := range l.commit(feed, list...) {
				if strings.Contains(list[i].title, "猫") {
					matching[id] = list[i].at.Unix()
				}
				if rnd.IntN(3) == 0 {
					starred[id] = true
					l.want(l.call("PUT", "/api/items/"+id+"/state", map[string]bool{"isStarred": true}, nil), 200)
				}
			}
		}
		var want []string
		for id := range matching {
			want = append(want, id)
		}
		number := func(id string) reader.ItemID { n, _ := reader.ParseItemID(id); return n }
		slices.SortFunc(want, func(x, y string) int {
			return cmp.Or(cmp.Compare(matching[y], matching[x]), cmp.Compare(number(y), number(x)))
		})
		stars := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return !starred[id] })
		for _, sort := range []string{"date", "best"} {
			for limit := 1; limit <= 5; limit++ {
				if got := l.all("/api/search", limit, "q", "猫", "sort", sort); !slices.Equal(got, want) {
					t.Errorf("seed %d, %s, pages of %d: %q, want %q", seed, sort, limit, got, want)
				}
				if got := l.all("/api/search", limit, "q", "猫", "sort", sort, "filter",
					"starred"); !slices.Equal(got, stars) {
					t.Errorf("seed %d, %s, starred, pages of %d: %q, want %q", seed, sort, limit, got, stars)
				}
			}
		}
	}
}

// TestNobodyFindsWhatAnotherFollows: only what a person follows is found; after unsubscribing nothing of it.
// C-22
func TestNobodyFindsWhatAnotherFollows(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	u, err := l.auth.AddUser(t.Context(), "b@example.org", "", false)
	l.ok(err)
	bob, err := l.auth.NewToken(t.Context(), u, "b", "", time.Time{})
	l.ok(err)
	mine, both := l.follow("Mine", nil, l.owner), l.follow("Both", nil, l.owner, u)
	id := l.commit(mine, titles("cats of mine")...)[0]
	l.commit(both, titles("cats of both")...)
	l.index()
	l.want(l.call("PUT", "/api/items/"+id+"/state", map[string]bool{"isStarred": true}, nil), 200)
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": "Secret", "q": "cats"}, &saved), 201)
	for _, pairs := range [][]string{{"q", "cats"}, {"q", "cats", "filter", "starred"}, {"q", "cats", "sort", "best"}} {
		for _, it := range l.searchAs(bob, "/api/search", pairs...).Items {
			if it.FeedID != both.String() {
				t.Errorf("%q: Bob finds %+v", pairs, it)
			}
		}
	}
	theirs := l.search("/api/search", "q", "cats")
	if got := l.searchAs(bob, "/api/search", "q", "cats", "since", *theirs.AsOf).titles(); len(got) != 0 {
		t.Errorf("with another's asOf Bob finds %q", got)
	}
	for path, status := range map[string]int{
		"/api/search?q=cats&feed=" + mine.String():    404,
		"/api/searches/" + saved.ID + "/items":        404,
		"/api/searches/" + saved.ID + "/items?q=cats": 404,
		"/api/search?q=cats&folder=1":                 404,
	} {
		l.want(l.callAs(bob, "GET", path, nil, nil), status)
	}
	l.want(l.call("DELETE", "/api/subscriptions/"+both.String(), nil, nil), 204)
	l.finds("after unsubscribing", "cats of mine", "q", "cats")
}

// TestWrongSearches: each kind of wrong input has its code, and the field that is wrong.
func TestWrongSearches(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	a := l.follow("A", nil, l.owner)
	l.commit(a, titles("cats one", "cats two", "cats three")...)
	cursor := *l.search("/api/search", "q", "cats", "limit", "1").NextCursor
	for query, want := range map[string]string{
		"":                                      "400 search_empty q",
		"q=":                                    "400 search_empty q",
		"q=-cats":                               "400 search_empty q",
		"q=is:unread":                           "400 search_empty q",
		"q=%E2%98%85":                           "400 search_empty q",
		"q=" + strings.Repeat("x", 257):         "400 search_too_long q",
		"q=" + strings.Repeat("x+", 17):         "400 search_too_long q",
		"q=cats+after:soon":                     "400 bad_search_day q",
		"q=cats&from=2026-13-01":                "400 bad_search_day from",
		"q=cats&to=tomorrow":                    "400 bad_search_day to",
		"q=cats&tz=Asia/Tokyo":                  "400 bad_time_zone tz",
		"q=cats&tz=900":                         "400 bad_time_zone tz",
		"q=cats&filter=new":                     "400 bad_filter filter",
		"q=cats&sort=oldest":                    "400 bad_search_sort sort",
		"q=cats&kana=both":                      "400 bad_kana kana",
		"q=cats&limit=0":                        "400 bad_limit limit",
		"q=cats&limit=201":                      "400 bad_limit limit",
		"q=cats&since=never":                    "400 bad_search_since since",
		"q=cats&cursor=x":                       "400 bad_cursor cursor",
		"q=cats&cursor=i":                       "400 bad_cursor cursor",
		"q=cats&cursor=i%FF":                    "400 bad_cursor cursor",
		"q=cats&cursor=s1.1":                    "400 bad_cursor cursor",
		"q=cats&filter=starred&cursor=s1.1":     "400 bad_cursor cursor",
		"q=dogs&cursor=" + cursor:               "400 bad_cursor cursor",
		"q=cats&sort=best&cursor=" + cursor:     "400 bad_cursor cursor",
		"q=cats&feed=x":                         "404 feed_not_found ",
		"q=cats&feed=99":                        "404 feed_not_found ",
		"q=cats&folder=x":                       "404 folder_not_found ",
		"q=cats&folder=99":                      "404 folder_not_found ",
		"q=cats&feed=1&folder=1":                "400 scope_ambiguous ",
		"q=%FF%FEcats":                          "200",
		"q=%00cats":                             "200",
		"q=" + strings.Repeat("%E6%A1%9C", 256): "200",
		"q=cats&cursor=" + cursor:               "200",
		"q=cats&unknown=1":                      "200",
	} {
		l.clock.Add(3 * time.Second)
		var p problem
		resp := l.call("GET", "/api/search?"+query, nil, &p)
		got := fmt.Sprint(resp.StatusCode)
		if resp.StatusCode != 200 {
			got += " " + p.Code + " "
			if len(p.Details) > 0 {
				got += p.Details[0].Field
			}
		}
		if got != want {
			t.Errorf("%.60s answers %q, want %q", query, got, want)
		}
	}
}

// TestSearchIsOff: without an index there is nothing to search, and the page knows.
func TestSearchIsOff(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": "s", "q": "cats"}, &saved), 201)
	bodies := search.New(l.store, blob.New(memblob.New()), l.clock)
	for mode, o := range map[string]*find.Service{"off": nil, "titles": l.options.Find,
		"bodies": find.New(l.options.Streams, bodies, nil, search.Bodies)} {
		l.elsewhere(func(x *api.Options) { x.Find = o })
		var me struct {
			Search   string
			Searches []struct{ ID, Name, Q string }
		}
		if l.want(l.call("GET", "/api/me", nil, &me), 200); me.Search != mode || len(me.Searches) != 1 ||
			me.Searches[0].Q != "cats" {
			t.Errorf("%s: the page is told %+v", mode, me)
		}
	}
	l.elsewhere(func(x *api.Options) { x.Find = nil })
	for _, c := range [][3]string{
		{"GET", "/api/search?q=x", ""}, {"GET", "/api/searches/" + saved.ID + "/items", ""},
		{"POST", "/api/searches", `{"name":"x","q":"x"}`},
	} {
		var p problem
		if l.want(l.call(c[0], c[1], c[2], &p), 404); p.Code != "search_off" {
			t.Errorf("%s %s: %+v", c[0], c[1], p)
		}
	}
	l.want(l.call("DELETE", "/api/searches/"+saved.ID, nil, nil), 200)
}

// TestTooManySearches: thirty a minute and person, however they ask.
func TestTooManySearches(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.elsewhere(func(o *api.Options) { o.RateUser = 120 })
	other := l.other("")
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": "s", "q": "cats"}, &saved), 201)
	for i := range 30 {
		path := "/api/search?q=cats"
		if i%2 > 0 {
			path = "/api/searches/" + saved.ID + "/items"
		}
		l.want(l.call("GET", path, nil, nil), 200)
	}
	var p problem
	if l.want(l.call("GET", "/api/search?q=cats", nil, &p), 429); p.RetryAfter < 1 {
		t.Errorf("%+v", p)
	}
	l.want(l.callAs(other, "GET", "/api/search?q=cats", nil, nil), 200)
	l.want(l.call("GET", "/api/searches", nil, nil), 200)
	for range 120 { // while one types
		l.want(l.call("GET", "/api/search?q=title:cats*", nil, nil), 200)
	}
	l.want(l.call("GET", "/api/search?q=title:cats*", nil, nil), 429)
	l.clock.Add(2 * time.Second)
	l.want(l.call("GET", "/api/search?q=cats", nil, nil), 200)
}

// failingEngine finds nothing for a fault of its own.
type failingEngine struct{}

func (failingEngine) Search(context.Context, search.Request) (search.Result, error) {
	return search.Result{}, errors.New("the index cannot be read")
}

// TestWordsAreKeptNowhere: what somebody searches for is in no line of the log, whatever is answered, and in no row but
// the person's own of saved searches. C-22
func TestWordsAreKeptNowhere(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.commit(l.follow("A", nil, l.owner), titles("cats")...)
	var lines bytes.Buffer
	l.options.Log = slog.New(slog.NewJSONHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	l.elsewhere(func(*api.Options) {})
	const word = "Geheimnis"
	ask := func(status int, query string) {
		t.Helper()
		l.want(l.call("GET", "/api/search?"+query, nil, nil), status)
	}
	ask(200, "q="+word)
	ask(200, "q="+word+"&filter=starred")
	ask(400, "q=-"+word)
	ask(400, "q="+word+"&filter="+word)
	ask(400, "q="+word+"&cursor="+word)
	ask(400, "q="+word+"&since="+word)
	ask(404, "q="+word+"&feed="+word)
	l.elsewhere(func(o *api.Options) {
		o.Find = find.New(l.options.Streams, failingEngine{}, nil, search.Titles)
	})
	ask(500, "q="+word)
	l.elsewhere(func(o *api.Options) { o.Find = nil })
	ask(404, "q="+word)
	l.elsewhere(func(o *api.Options) { o.RateUser = 120 })
	for range 30 {
		l.call("GET", "/api/search?q="+word, nil, nil)
	}
	ask(429, "q="+word)
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": word, "q": word}, &saved), 201)
	l.want(l.call("POST", "/api/searches", map[string]string{"name": word, "q": "-" + word}, nil), 400)
	l.want(l.call("PUT", "/api/searches/"+word, map[string]string{"name": word, "q": word}, nil), 404)
	l.clock.Add(time.Minute)
	l.want(l.call("GET", "/api/searches/"+saved.ID+"/items", nil, nil), 200)
	text := lines.String()
	if n := strings.Count(text, "\n"); n < 40 {
		t.Errorf("only %d lines in the log", n)
	}
	if at := strings.Index(strings.ToLower(text), strings.ToLower(word)); at >= 0 {
		t.Errorf("the log has %.200s", text[at:])
	}
	l.driver.(*memtable.Driver).Each(func(row table.Row) {
		j, err := row.JSON()
		l.ok(err)
		if strings.Contains(strings.ToLower(row.Key.PK+row.Key.SK+string(j)), strings.ToLower(word)) {
			t.Errorf("the row %s %s has the word", row.Key.PK, row.Key.SK)
		}
	})
}

// TestMarkingWhatASearchShowed: the ids that were shown become read, others of the same feed do not, and it can be
// undone; also for a search that was not saved.
func TestMarkingWhatASearchShowed(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	a, b := l.follow("A", nil, l.owner), l.follow("B", nil, l.owner)
	l.commit(a, titles("cats one", "dogs one")...)
	l.commit(b, titles("cats two", "dogs two")...)
	var saved struct{ ID string }
	l.want(l.call("POST", "/api/searches", map[string]string{"name": "s", "q": "cats"}, &saved), 201)
	shown := l.search("/api/searches/" + saved.ID + "/items")
	ids := []string{shown.Items[0].ID, shown.Items[1].ID, "123"}
	l.commit(a, titles("cats three")...)
	unread := func() string {
		t.Helper()
		return strings.Join(l.search("/api/search", "q", "cats", "filter", "unread").titles(), ", ")
	}
	type marked struct {
		Feeds  []struct{ UnreadCount int }
		Totals struct{ Unread int }
		Undo   string
	}
	for how, ask := range map[string]func(into *marked){
		"saved": func(into *marked) {
			l.want(l.call("POST", "/api/searches/"+saved.ID+"/mark-read", map[string]any{"ids": ids}, into), 200)
		},
		"not saved": func(into *marked) {
			body := map[string]any{"changes": []any{map[string]any{"ids": ids, "isRead": true}}, "undo": true}
			l.want(l.call("POST", "/api/items/state", body, into), 200)
		},
	} {
		var m marked
		if ask(&m); len(m.Feeds) != 2 || m.Totals.Unread != 3 || m.Undo == "" {
			t.Errorf("%s: it answers %+v", how, m)
		}
		if got := unread(); got != "cats three" {
			t.Errorf("%s: then %q is unread", how, got)
		}
		l.want(l.call("POST", "/api/undo", map[string]string{"undo": m.Undo}, nil), 200)
		if got := unread(); got != "cats three, cats two, cats one" {
			t.Errorf("%s: after the undo %q is unread", how, got)
		}
	}
	l.want(l.call("POST", "/api/searches/99/mark-read", map[string]any{"ids": ids}, nil), 404)
	l.want(l.call("POST", "/api/searches/"+saved.ID+"/mark-read", map[string]any{"ids": []string{"x"}}, nil), 400)
	l.want(l.call("POST", "/api/searches/"+saved.ID+"/mark-read",
		map[string]any{"ids": slices.Repeat([]string{"1"}, 1001)}, nil), 400)
}

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Reading costs its reader as little as can be: nothing is sent twice that has not changed, nothing is written by
// a request that changes nothing, and what changes says in its answer what it changed.

// gets lists every GET of docs/openapi.yaml with real parameters.
func (w *world) gets() map[string]string {
	w.t.Helper()
	var page pageAnswer
	w.want(w.call("GET", "/api/items", nil, &page), 200)
	var runs struct{ Runs []struct{ ID string } }
	w.want(w.call("GET", "/api/runs", nil, &runs), 200)
	if len(page.Items) == 0 || len(runs.Runs) == 0 {
		w.t.Fatal("nothing to read")
	}
	ids := map[string]string{"/api/feeds/": page.Items[0].FeedID, "/api/items/": page.Items[0].ID,
		"/api/runs/": runs.Runs[0].ID}
	list, err := w.store.Imports.List(w.t.Context(), w.owner)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(list) == 0 {
		id := store.ImportID(w.clock.Now(), 7)
		if err := w.store.Imports.Put(w.t.Context(), w.owner, id,
			store.ImportRow{Created: w.clock.Now().Unix(), Ended: w.clock.Now().Unix()}); err != nil {
			w.t.Fatal(err)
		}
		list = make([]store.Import, 1)
		list[0].SK = "M#" + id
	}
	ids["/api/imports/"] = list[0].ID()
	name := store.RefreshName(w.clock.Now(), 7)
	refreshes, rev, err := w.store.Refreshes.List(w.t.Context(), w.owner, w.clock.Now())
	if err == nil && len(refreshes) == 0 {
		err = w.store.Refreshes.Put(w.t.Context(), w.owner,
			[]store.Refresh{{Name: name, Scope: "all", Parts: []int{0}, Feeds: 1}}, rev, w.clock.Now())
	} else if err == nil {
		name = refreshes[0].Name
	}
	if err != nil {
		w.t.Fatal(err)
	}
	ids["/api/refreshes/"] = name
	var saved struct{ ID string }
	w.want(w.call("POST", "/api/searches", map[string]string{"name": "s", "q": "the"}, &saved), 201)
	ids["/api/searches/"] = saved.ID
	ids["/api/watches/"] = w.watch()
	out := map[string]string{}
	for path, ops := range document(w.t)["paths"].(map[string]any) {
		if _, ok := ops.(map[string]any)["get"]; !ok {
			continue
		}
		if path == "/websub/{id}/{token}" {
			continue // a hub's question, and an act; package websub has its tests
		}
		if path == "/popular/tags/{tag}" {
			continue // nothing has tags before the first night; see TestPublicTags
		}
		real := path
		for prefix, id := range ids {
			if strings.HasPrefix(path, prefix+"{id}") {
				real = strings.Replace(path, "{id}", id, 1)
			}
		}
		switch path {
		case "/api/watches/{id}/results/{key}":
			var results struct{ Items []struct{ ID string } }
			w.want(w.call("GET", "/api/watches/"+ids["/api/watches/"]+"/results", nil, &results), 200)
			real = strings.Replace(real, "{key}", results.Items[0].ID, 1)
		case "/api/crawl/results/{productId}":
			real = "/api/crawl/results/" + ids["/api/watches/"]
		case "/api/adapters/{name}":
			w.want(w.call("PUT", "/api/adapters/shop", anAdapter, nil), 204)
			real = "/api/adapters/shop"
		}
		if path == "/api/auth/errors/{code}" {
			real = "/api/auth/errors/email_taken"
		}
		if path == "/api/tags/{tag}/entries" {
			var popular struct {
				Entries []struct{ Tags []struct{ Name string } }
			}
			w.want(w.call("GET", "/api/entries/new?threshold=0&period=month", nil, &popular), 200)
			for _, e := range popular.Entries {
				if len(e.Tags) > 0 {
					real = "/api/tags/" + url.PathEscape(e.Tags[0].Name) + "/entries"
				}
			}
		}
		if path == "/api/items/bodies" {
			real += "?ids=" + page.Items[0].ID
		}
		if path == "/api/search" {
			real += "?q=the"
		}
		if path == "/popular" {
			w.call("POST", "/api/folders", map[string]string{"name": "Public"}, nil) // the first folder is number 1
			if err := w.store.Accounts.SetPublic(w.t.Context(), true, w.owner, []reader.FolderID{1}, 1); err != nil {
				w.t.Fatal(err)
			}
		}
		if path == "/api/icons/{name}" {
			real = "/api/icons/" + iconName
		}
		if path == "/api/shared/{token}" {
			secret, err := w.auth.CreateShare(w.t.Context(), w.owner, auth.TokenRequest{Name: "Stars", Of: "starred"})
			if err != nil {
				w.t.Fatal(err)
			}
			real = "/api/shared/" + secret + ".atom"
		}
		if path == "/api/discover" {
			real += "?url=" + w.publisher.URL + samples.List()[0].Path
		}
		if strings.Contains(real, "{") && !acts(path) {
			w.t.Fatalf("%s: give its parameters here", path)
		}
		out[path] = real
	}
	return out
}

// acts tells GETs that are acts: their answers lead on to a page and are never repeated.
func acts(path string) bool { return strings.HasPrefix(path, "/auth/") }

// streamed is the one GET that is sent as it is read, and so has no tag.
const streamed = "/api/users/me/export"

//
func TestEveryDocumentedGETHasAnETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	c := w.signedIn()
	w.withQueue(`{"kind":"first","feeds":[1]}`)
	for path, real := range w.gets() {
		if acts(path) || path == streamed {
			continue
		}
		for _, zip := range []string{"", "gzip"} {
			ask := func(tag string) *httptest.ResponseRecorder {
				r := httptest.NewRequest("GET", real, nil)
				r.AddCookie(c)
				if zip != "" {
					r.Header.Set("Accept-Encoding", zip)
				}
				if tag != "" {
					r.Header.Set("If-None-Match", `"x", W/`+tag)
				}
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				return rec
			}
			first := ask("")
			tag := first.Header().Get("ETag")
			if first.Code != 200 || tag == "" {
				t.Errorf("GET %s answers %d with the tag %q", path, first.Code, tag)
				continue
			}
			if again := ask(tag); again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
				t.Errorf("GET %s with its tag answers %d, %d bytes, tag %q of %q", path, again.Code, again.Body.Len(),
					again.Header().Get("ETag"), tag)
			}
			if other := ask(`"not-it"`); other.Code != 200 || other.Body.Len() != first.Body.Len() {
				t.Errorf("GET %s with another tag answers %d", path, other.Code)
			}
		}
	}
}

// spent runs something and gives the table's writes by kind of row, in units.
func (w *world) spent(f func()) map[string]float64 {
	before := w.store.Table().Meter().Snapshot()
	f()
	after := w.store.Table().Meter().Snapshot()
	spent := map[string]float64{}
	for kind, n := range after.Writes {
		if n -= before.Writes[kind]; n > 0 {
			spent[kind] = n
		}
	}
	return spent
}

// browser asks as the page does, with a session's cookie.
func (w *world) browser(cookie *http.Cookie, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if cookie != nil {
		r.AddCookie(cookie)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

// K-18, K-22
func TestTableWritesOfEachRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	w.withQueue(`{"kind":"first","feeds":[1]}`)
	if _, err := w.auth.AddUser(t.Context(), "reader@example.org", "a long password", false); err != nil {
		t.Fatal(err)
	}
	session, _, err := w.auth.NewSession(t.Context(), w.owner)
	if err != nil {
		t.Fatal(err)
	}
	cookie := &http.Cookie{Name: "ruri", Value: session}
	gets := w.gets()
	feed, item := gets["/api/feeds/{id}"], gets["/api/items/{id}"]
	undo := ""
	type units map[string]float64
	ask := func(method, path, body string, status int) func() {
		return func() {
			t.Helper()
			rec := w.browser(cookie, method, path, body)
			if rec.Code != status {
				t.Fatalf("%s %s answers %d: %s", method, path, rec.Code, rec.Body)
			}
			var a struct{ Undo *string }
			if json.Unmarshal(rec.Body.Bytes(), &a) == nil && a.Undo != nil {
				undo = *a.Undo
			}
		}
	}
	check := func(what string, want units, f func()) {
		t.Helper()
		if got := w.spent(f); fmt.Sprint(got) != fmt.Sprint(map[string]float64(want)) {
			t.Errorf("%s writes %v units, want %v", what, got, want)
		}
	}

	check("the first opening of an item", units{}, ask("GET", item, "", 200))
	// The first opening of a linked page keeps the page and its site's robots.txt, the one write of a read; then
	// nothing does.
	if got := w.spent(ask("GET", gets["/api/items/{id}/full-text"], "", 200)); len(got) > 1 || got["cache"] == 0 {
		t.Errorf("the first full text of an item writes %v", got)
	}
	for path, real := range gets {
		if !acts(path) {
			check("GET "+path, units{}, ask("GET", real, "", 200))
		}
	}
	// Sessions are signed and believed for a minute; requests are counted in memory, and tries to sign in in the table.
	check("a hundred requests of a session", units{}, func() {
		for range 100 {
			ask("GET", "/api/me", "", 200)()
		}
	})
	check("a log-in", units{"counter": 2, "session": 1}, func() {
		if rec := w.browser(nil, "POST", "/api/auth/login",
			`{"email":"reader@example.org","password":"a long password"}`); rec.Code != 200 {
			t.Error(rec.Code, rec.Body)
		}
	})
	check("twenty wrong log-ins, most of them refused for a while", units{"counter": 5}, func() {
		refused := 0
		for range 20 {
			if rec := w.browser(nil, "POST", "/api/auth/login",
				`{"email":"reader@example.org","password":"wrong"}`); rec.Code == 429 {
				refused++
			}
		}
		if refused == 0 {
			t.Error("nothing was refused")
		}
	})
	add := func() int {
		return w.browser(cookie, "POST", "/api/feeds", `{"url":"`+feeds[0].Feed.URL+`"}`).Code
	}
	for n := 0; add() != 429; n++ {
		if n > 20 {
			t.Fatal("registrations have no bound")
		}
	}
	check("registrations beyond the rate", units{}, func() {
		for range 10 {
			if code := add(); code != 429 {
				t.Error(code)
			}
		}
	})
	w.clock.Add(25 * time.Hour)
	check("a session that is renewed, and notes once an hour that it is used", units{"session": 1}, func() {
		for range 10 {
			if rec := w.browser(cookie, "GET", "/api/me", ""); rec.Code != 200 || len(rec.Result().Cookies()) == 0 {
				t.Error("not renewed", rec.Code)
			}
		}
	})
	w.clock.Add(-25 * time.Hour)
	check("a log-out", units{"session": 1}, ask("POST", "/api/auth/logout", "", 204))
	if rec := w.browser(cookie, "GET", "/api/me", ""); rec.Code != 401 {
		t.Error("a copy of the cookie outlives the log-out", rec.Code)
	}
	if session, _, err = w.auth.NewSession(t.Context(), w.owner); err != nil {
		t.Fatal(err)
	}
	cookie.Value = session

	// A change writes one row, a repeated one none, and a star its snapshot too.
	check("marking an item", units{"subscription": 1}, ask("PUT", item+"/state", `{"isRead":true}`, 200))
	check("marking it again", units{}, ask("PUT", item+"/state", `{"isRead":true}`, 200))
	check("marking a feed, whatever its items", units{"subscription": 1}, ask("POST", feed+"/mark-read", "", 200))
	check("marking it again", units{}, ask("POST", feed+"/mark-read", "", 200))
	check("taking that back", units{"subscription": 1}, func() {
		ask("POST", feed+"/mark-read/undo", `{"undo":"`+undo+`"}`, 200)()
	})
	if got := w.spent(ask("PUT", item+"/state", `{"isStarred":true}`, 200)); len(got) != 2 ||
		got["subscription"] != 1 || got["star"] == 0 {
		t.Errorf("a star writes %v", got)
	}
}

// What changes counts says the new ones: the page need not ask for its side bar again.
// R-109, K-17, K-19
func TestAnswersToChangesCarryTheCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	gets := w.gets()
	total := 0 // the first look at the watch told of nothing
	for _, f := range feeds {
		total += f.Feed.UnreadCount
	}
	var a struct {
		Feed struct {
			ID          string
			UnreadCount *int
			HasUnread   *bool
		}
		Totals struct{ Feeds, Unread, Starred *int }
		Undo   *string
	}
	check := func(method, path string, body any, unread int) {
		t.Helper()
		a.Feed.UnreadCount, a.Totals.Unread = nil, nil
		w.want(w.call(method, path, body, &a), 200)
		if a.Feed.UnreadCount == nil || a.Feed.HasUnread == nil || a.Totals.Unread == nil ||
			*a.Totals.Unread != unread {
			t.Fatalf("%s %s answers %+v, %d are unread", method, path, a, unread)
		}
		var side struct {
			Feeds []struct {
				ID          string
				UnreadCount int
			}
			Totals struct{ Unread int }
		}
		w.want(w.call("GET", "/api/feeds", nil, &side), 200)
		for _, f := range side.Feeds {
			if f.ID == a.Feed.ID && f.UnreadCount != *a.Feed.UnreadCount || side.Totals.Unread != *a.Totals.Unread {
				t.Errorf("%s %s answers %d and %d, the side bar says %d and %d", method, path, *a.Feed.UnreadCount,
					*a.Totals.Unread, f.UnreadCount, side.Totals.Unread)
			}
		}
	}
	check("PUT", gets["/api/items/{id}"]+"/state", map[string]bool{"isRead": true}, total-1)
	check("PUT", gets["/api/items/{id}"]+"/state", map[string]bool{"isRead": false}, total)
	ofFeed := 0
	for _, f := range feeds {
		if gets["/api/feeds/{id}"] == "/api/feeds/"+f.Feed.ID {
			ofFeed = f.Feed.UnreadCount
		}
	}
	check("POST", gets["/api/feeds/{id}"]+"/mark-read", nil, total-ofFeed)
	check("POST", gets["/api/feeds/{id}"]+"/mark-read/undo", map[string]string{"undo": *a.Undo}, total)
}

// A page of a stream is one request, and one that a table of a hundred feeds answers with few: the answer has the
// rows, the counts and the way on.
// R-70, K-20
func TestAPageIsOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	for _, path := range []string{"/api/items?limit=3", w.gets()["/api/feeds/{id}/items"] + "?limit=3"} {
		before := w.store.Table().Meter().Snapshot()
		var a struct {
			Items  []map[string]any
			Next   *string `json:"nextCursor"`
			Totals map[string]any
			Feed   map[string]any
		}
		w.want(w.call("GET", path, nil, &a), 200)
		if len(a.Items) != 3 || a.Next == nil || a.Totals["unread"] == nil && a.Feed["unreadCount"] == nil {
			t.Errorf("%s answers %d items, next %v, counts %v %v", path, len(a.Items), a.Next, a.Totals, a.Feed)
		}
		for _, name := range []string{"title", "snippet", "isRead", "isStarred", "publishedAt", "feedId"} {
			if _, ok := a.Items[0][name]; !ok {
				t.Errorf("%s: an item without %s", path, name)
			}
		}
		used := w.store.Table().Meter().Snapshot()
		if n, most := used.ReadOps-before.ReadOps, int64(3+len(samples.List())); n > most ||
			used.WriteOps != before.WriteOps {
			t.Errorf("%s: %d reads of the table, at most %d", path, n, most)
		}
	}
}

package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/auth"
)

// G-18, G-19, G-54, G-55
func TestReadingThroughTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	total := 0
	for _, f := range feeds {
		if f.Feed.UnreadCount != min(f.Feed.ItemCount, 20) || f.Feed.Status != "active" {
			t.Errorf("%s: %d of %d unread, status %s", f.Feed.Title, f.Feed.UnreadCount,
				f.Feed.ItemCount, f.Feed.Status)
		}
		total += f.Feed.UnreadCount
	}
	id := feeds[0].Feed.ID
	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+id+"/items", nil, &page), 200)
	if len(page.Items) != feeds[0].Feed.ItemCount || page.Next != nil {
		t.Fatalf("the page has %d items, next %v", len(page.Items), page.Next)
	}
	item := page.Items[0].ID
	var one struct {
		Item struct{ ContentHTML, ContentState string }
	}
	w.want(w.call("GET", "/api/items/"+item, nil, &one), 200)
	if one.Item.ContentState != "full" || one.Item.ContentHTML == "" {
		t.Errorf("the body is %q: %.80s", one.Item.ContentState, one.Item.ContentHTML)
	}
	var state struct {
		Item   struct{ IsRead, IsStarred bool }
		Feed   struct{ UnreadCount int }
		Totals struct{ Unread, Starred int }
	}
	for range 2 { // saying it twice changes nothing
		w.want(w.call("PUT", "/api/items/"+item+"/state", map[string]bool{"isRead": true, "isStarred": true}, &state),
			200)
		if !state.Item.IsRead || !state.Item.IsStarred || state.Totals.Unread != total-1 || state.Totals.Starred != 1 {
			t.Fatalf("after marking: %+v", state)
		}
	}
	w.want(w.call("GET", "/api/items?filter=starred", nil, &page), 200)
	if len(page.Items) != 1 || page.Items[0].ID != item || !page.Items[0].IsRead {
		t.Errorf("starred items are %+v", page.Items)
	}
	w.want(w.call("GET", "/api/feeds/"+id+"/items?filter=unread", nil, &page), 200)
	if len(page.Items) != feeds[0].Feed.UnreadCount-1 {
		t.Errorf("%d unread items are listed, want %d", len(page.Items), feeds[0].Feed.UnreadCount-1)
	}
}

//
func TestMarkAllReadAndUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	id, n := feeds[1].Feed.ID, feeds[1].Feed.UnreadCount
	var a struct {
		Feed struct{ UnreadCount int }
		Undo *string
	}
	w.want(w.call("POST", "/api/feeds/"+id+"/mark-read", nil, &a), 200)
	if a.Feed.UnreadCount != 0 || a.Undo == nil {
		t.Fatalf("marking answered %+v", a)
	}
	token := *a.Undo
	w.want(w.call("POST", "/api/feeds/"+id+"/mark-read", nil, &a), 200)
	if a.Undo != nil {
		t.Error("a mark that changed nothing can be undone")
	}
	w.want(w.call("POST", "/api/feeds/"+id+"/mark-read/undo", map[string]string{"undo": token}, &a), 200)
	if a.Feed.UnreadCount != n {
		t.Errorf("after undo %d are unread, want %d", a.Feed.UnreadCount, n)
	}
	var p problem
	w.want(w.call("POST", "/api/feeds/"+id+"/mark-read/undo", map[string]string{"undo": token}, &p), 409)
}

// TestStreamIsWholeAndOrdered pages through everything and finds each item once, newest first.
// G-15, G-16
func TestStreamIsWholeAndOrdered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := 0
	for _, f := range w.addSamples() {
		want += f.Feed.ItemCount
	}
	for _, limit := range []string{"1", "7", "200"} {
		seen := map[string]bool{}
		last, cursor := "9", ""
		for range 500 {
			var page pageAnswer
			w.want(w.call("GET", "/api/items?limit="+limit+"&cursor="+url.QueryEscape(cursor), nil, &page), 200)
			for _, it := range page.Items {
				if seen[it.ID] {
					t.Fatalf("limit %s: item %s comes twice", limit, it.ID)
				}
				seen[it.ID] = true
				if it.Published > last {
					t.Fatalf("limit %s: %s comes after %s", limit, it.Published, last)
				}
				last = it.Published
			}
			if page.Next == nil {
				break
			}
			cursor = *page.Next
		}
		if len(seen) != want {
			t.Errorf("limit %s: %d items came, want %d", limit, len(seen), want)
		}
	}
}

// G-49
func TestErrorsHaveOneShape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cases := []struct {
		name, method, path string
		body               any
		status             int
		code, category     string
	}{
		{"no such feed", "GET", "/api/feeds/77", nil, 404, "feed_not_found", "validation"},
		{"odd id", "GET", "/api/feeds/abc", nil, 404, "feed_not_found", "validation"},
		{"no such item", "GET", "/api/items/123456", nil, 404, "item_not_found", "validation"},
		{"no such address", "GET", "/api/nothing", nil, 404, "not_found", "validation"},
		{"wrong method", "PATCH", "/api/feeds", nil, 405, "method_not_allowed", "validation"},
		{"bad JSON", "POST", "/api/feeds", "{", 400, "bad_json", "validation"},
		{"unknown field", "POST", "/api/feeds", map[string]string{"uri": "x"}, 400, "bad_json", "validation"},
		{"empty URL", "POST", "/api/feeds", map[string]string{"url": " "}, 400, "bad_url", "validation"},
		{"scheme", "POST", "/api/feeds", map[string]string{"url": "ftp://example.org/"}, 400, "bad_url", "validation"},
		{"private address", "POST", "/api/feeds", map[string]string{"url": "http://10.0.0.1/feed"}, 422,
			"blocked_address", "feed"},
		{"page without feed", "POST", "/api/feeds", map[string]string{"url": w.publisher.URL + "/plain"}, 422,
			"no_feed_found", "feed"},
		{"nothing there", "POST", "/api/feeds", map[string]string{"url": w.publisher.URL + "/gone"}, 422,
			"http_404", "feed"},
		{"limit", "GET", "/api/items?limit=1000", nil, 400, "bad_limit", "validation"},
		{"filter", "GET", "/api/items?filter=old", nil, 400, "bad_filter", "validation"},
		{"cursor", "GET", "/api/items?cursor=@@", nil, 400, "bad_cursor", "validation"},
		{"broken OPML", "POST", "/api/import/opml", "<opml><body><outline", 400, "", "validation"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p problem
			resp := w.call(c.method, c.path, c.body, &p)
			if resp.StatusCode != c.status || c.code != "" && p.Code != c.code || p.Category != c.category {
				t.Errorf("answered %d %+v", resp.StatusCode, p)
			}
			if p.Code == "" || p.Message == "" || p.Action == "" || resp.Header.Get("X-Request-Id") == "" {
				t.Errorf("the problem is not whole: %+v", p)
			}
		})
	}
}

func TestNothingWithoutASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"/api/feeds", "/api/items", "/api/me", "/api/runs", "/api/export/opml"} {
		for _, token := range []string{"", "ruri_live_nonsense", "s1.someone.zzzz.mac"} {
			var pr problem
			if resp := w.callAs(token, "GET", p, nil, &pr); resp.StatusCode != 401 {
				t.Errorf("%s with %q answers %d", p, token, resp.StatusCode)
			}
		}
	}
}

func TestCrossSiteChangesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session, _, err := w.auth.NewSession(t.Context(), w.owner)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		header map[string]string
		status int
	}{
		"another site": {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
			403},
		"a sibling site":       {map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"old browser, foreign": {map[string]string{"Origin": "https://evil.example"}, 403},
		"a null origin":        {map[string]string{"Origin": "null"}, 403},
		"our own page": {map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"},
			404},
		"old browser, own": {map[string]string{"Origin": "http://example.com"}, 404},
	}
	for name, c := range cases {
		r := httptest.NewRequest("DELETE", "http://example.com/api/feeds/5", nil)
		r.AddCookie(&http.Cookie{Name: "ruri", Value: session})
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != c.status {
			t.Errorf("%s: answered %d, want %d", name, rec.Code, c.status)
		}
	}
}

// TestAnotherUserSeesNothing requests every route with an owner's ids as another user.
func TestAnotherUserSeesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var page pageAnswer
	w.call("GET", "/api/items", nil, &page)
	item := page.Items[0].ID
	w.want(w.call("PUT", "/api/items/"+item+"/state", map[string]bool{"isStarred": true}, nil), 200)
	other, err := w.auth.AddUser(t.Context(), "other@example.org", "correct horse", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), other, "other", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	id := feeds[0].Feed.ID
	for _, c := range []struct{ method, path string }{
		{"GET", "/api/feeds/" + id}, {"DELETE", "/api/feeds/" + id}, {"POST", "/api/feeds/" + id + "/refresh"},
		{"POST", "/api/feeds/" + id + "/resume"}, {"GET", "/api/feeds/" + id + "/items"},
		{"POST", "/api/feeds/" + id + "/mark-read"},
		{"GET", "/api/items/" + item},
	} {
		if resp := w.callAs(token, c.method, c.path, nil, nil); resp.StatusCode != 404 {
			t.Errorf("%s %s answers another user %d", c.method, c.path, resp.StatusCode)
		}
	}
	resp := w.callAs(token, "PUT", "/api/items/"+item+"/state", map[string]bool{"isRead": true, "isStarred": false},
		nil)
	w.want(resp, 404)
	for _, p := range []string{"/api/items", "/api/items?filter=starred"} {
		w.callAs(token, "GET", p, nil, &page)
		if len(page.Items) != 0 {
			t.Errorf("%s shows another user %d items", p, len(page.Items))
		}
	}
	w.call("GET", "/api/items?filter=starred", nil, &page)
	if len(page.Items) != 1 {
		t.Error("the owner's star is gone")
	}
}

func TestHostileItemIsShownHarmless(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var f feedAnswer
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + "/hostile"}, &f), 201)
	var page pageAnswer
	w.call("GET", "/api/feeds/"+f.Feed.ID+"/items", nil, &page)
	if len(page.Items) != 1 || page.Items[0].Link != "" || strings.Contains(page.Items[0].Title, "<script") {
		t.Fatalf("the row is %+v", page.Items)
	}
	var one struct{ Item struct{ ContentHTML string } }
	w.call("GET", "/api/items/"+page.Items[0].ID, nil, &one)
	for _, bad := range []string{"<script", "onclick", "onerror", "javascript:", "http://"} {
		if strings.Contains(one.Item.ContentHTML, bad) {
			t.Errorf("the body has %s: %s", bad, one.Item.ContentHTML)
		}
	}
	if !strings.Contains(one.Item.ContentHTML, "Text") {
		t.Errorf("the body's text is gone: %q", one.Item.ContentHTML)
	}
}

//
func TestOPMLRoundTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/export/opml", nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	w.handler.ServeHTTP(rec, r)
	exported := rec.Body.String()
	if n := strings.Count(exported, "xmlUrl="); n != len(samples.List()) {
		t.Fatalf("%d feeds are exported: %s", n, exported)
	}
	other, err := w.auth.AddUser(t.Context(), "two@example.org", "", false)
	if err != nil {
		t.Fatal(err)
	}
	token, _ := w.auth.NewToken(t.Context(), other, "two", "", time.Time{})
	var im struct {
		Imported, AlreadySubscribed, Failed int
		Errors                              []struct{ URL, Code, Error string }
	}
	w.want(w.callAs(token, "POST", "/api/import/opml", exported, &im), 200)
	if im.Imported != len(samples.List()) || im.Failed != 0 {
		t.Fatalf("the import answered %+v", im)
	}
	w.want(w.callAs(token, "POST", "/api/import/opml", exported, &im), 200)
	if im.Imported != 0 || im.AlreadySubscribed != len(samples.List()) {
		t.Errorf("the second import answered %+v", im)
	}
	bad := `<opml version="2.0"><body><outline text="a" xmlUrl="javascript:x"/><outline text="b" ` +
		`xmlUrl="https://example.org/new.xml"/></body></opml>`
	w.want(w.callAs(token, "POST", "/api/import/opml", bad, &im), 200)
	if im.Imported != 1 || im.Failed != 1 || im.Errors[0].Error == "" {
		t.Errorf("a list with a bad entry answered %+v", im)
	}
	if len(w.sent.bodies) != 1 {
		t.Errorf("%d first crawls were sent, want 1: the samples are crawled already", len(w.sent.bodies))
	}
}

func TestSignInByLinkWorksOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret, err := w.auth.NewLink(t.Context(), w.owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	first := w.callAs("", "POST", "/auth/link/"+secret, nil, nil)
	if first.StatusCode != 303 || first.Header.Get("Location") != "/" || len(first.Cookies()) != 1 {
		t.Fatalf("the link answered %d to %q", first.StatusCode, first.Header.Get("Location"))
	}
	c := first.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %+v", c)
	}
	second := w.callAs("", "POST", "/auth/link/"+secret, nil, nil)
	if second.Header.Get("Location") != "/login?e=link" || len(second.Cookies()) != 0 {
		t.Errorf("a spent link answered %d to %q", second.StatusCode, second.Header.Get("Location"))
	}
	r := httptest.NewRequest("GET", "/api/me", nil)
	r.AddCookie(c)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code != 200 || !strings.Contains(rec.Body.String(), `"needsPassword":true`) {
		t.Errorf("the session answers %d: %s", rec.Code, rec.Body)
	}
	other, _, err := w.auth.NewSession(t.Context(), w.owner)
	if err != nil {
		t.Fatal(err)
	}
	var me struct{ NeedsPassword bool }
	if w.want(w.callAs(other, "GET", "/api/me", nil, &me), 200); me.NeedsPassword {
		t.Error("a person who signed in otherwise is asked for a password")
	}
}

//
func TestPasswordLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.auth.AddUser(t.Context(), "Anna@Example.org", "correct horse", false); err != nil {
		t.Fatal(err)
	}
	login := func(email, password string) *http.Response {
		return w.callAs("", "POST", "/api/auth/login", map[string]string{"email": email, "password": password}, nil)
	}
	if resp := login("anna@example.org", "correct horse"); resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatalf("the right password answers %d", resp.StatusCode)
	}
	statuses := map[int]int{}
	for range 8 {
		statuses[login("anna@example.org", "wrong").StatusCode]++
	}
	if statuses[401] == 0 || statuses[429] == 0 {
		t.Errorf("wrong passwords answer %v", statuses)
	}
	keys := make([]int, 0, len(statuses))
	for k := range statuses {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	if len(keys) != 2 {
		t.Errorf("wrong passwords answer %v", keys)
	}
	if resp := login("nobody@example.org", "correct horse"); resp.StatusCode != 429 && resp.StatusCode != 401 {
		t.Errorf("an unknown address answers %d", resp.StatusCode)
	}
}

func TestRefreshIsPolite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var p problem
	w.want(w.call("POST", "/api/feeds/"+feeds[0].Feed.ID+"/refresh", nil, &p), 409)
	if p.Code != "too_soon" || p.NextAt == "" || p.RetryAfter == 0 {
		t.Errorf("a refresh too soon answers %+v", p)
	}
	w.clock.Add(2 * 60 * 60 * 1e9)
	var f feedAnswer
	w.want(w.call("POST", "/api/feeds/"+feeds[0].Feed.ID+"/refresh", nil, &f), 200)
	if f.Feed.ItemCount != feeds[0].Feed.ItemCount {
		t.Errorf("after a refresh there are %d items", f.Feed.ItemCount)
	}
	var runs struct {
		Runs []struct {
			Kind                string
			Polled, NotModified int
		}
	}
	w.call("GET", "/api/runs", nil, &runs)
	if len(runs.Runs) == 0 || runs.Runs[0].Kind != "refresh" || runs.Runs[0].NotModified != 1 {
		t.Errorf("runs are %+v", runs.Runs)
	}
}

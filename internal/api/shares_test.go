package api_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestSharedLists: a list is a feed in two formats for whoever has its address, and for nobody once that is revoked. It
// has nothing of the account, is made every quarter of an hour, and a client that has it gets a 304. C-23, R-89
func TestSharedLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items", nil, &page), 200)
	star := func(i int) {
		w.want(w.call("PUT", "/api/items/"+page.Items[i].ID+"/state", map[string]bool{"isStarred": true}, nil), 200)
	}
	star(0)
	star(1)
	var made struct {
		Share struct{ ID, Of, Title, AtomURL, JSONURL string }
	}
	w.want(w.call("POST", "/api/shares", map[string]string{"of": "starred", "title": "A <b> & c"}, &made), 201)
	get := func(address, etag string) (*http.Response, string) {
		_, path, _ := strings.Cut(address, "/api/")
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/"+path, nil)
		req.Header.Set("If-None-Match", etag)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, req)
		return rec.Result(), rec.Body.String()
	}
	resp, body := get(made.Share.AtomURL, "")
	var atom struct {
		Title   string `xml:"title"`
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &atom); err != nil || resp.StatusCode != 200 || len(atom.Entries) != 2 ||
		atom.Title != "A <b> & c" || !strings.HasPrefix(atom.Entries[0].ID, "urn:sha256:") ||
		resp.Header.Get("X-Robots-Tag") != "noindex" || strings.Contains(body, "owner@") {
		t.Errorf("%d, %v: %s", resp.StatusCode, err, body)
	}
	if resp, _ := get(made.Share.AtomURL, resp.Header.Get("ETag")); resp.StatusCode != http.StatusNotModified {
		t.Errorf("with its ETag: %d", resp.StatusCode)
	}
	star(2)
	items := func() int {
		_, body := get(made.Share.JSONURL, "")
		var feed struct {
			Version string
			Items   []struct{ ID, URL string }
		}
		err := json.Unmarshal([]byte(body), &feed)
		if err != nil || feed.Version != "https://jsonfeed.org/version/1.1" {
			t.Errorf("%v: %s", err, body)
		}
		return len(feed.Items)
	}
	if n := items(); n != 2 {
		t.Errorf("%d items at once, want the 2 of the list that is kept", n)
	}
	w.clock.Add(16 * time.Minute)
	if n := items(); n != 3 {
		t.Errorf("%d items later, want 3", n)
	}
	var list struct {
		Shares []struct{ ID, AtomURL string }
	}
	w.want(w.call("GET", "/api/shares", nil, &list), 200)
	if len(list.Shares) != 1 || list.Shares[0].AtomURL != "" {
		t.Errorf("%+v", list)
	}
	var tokens struct{ Tokens []struct{ Scopes []string } }
	w.want(w.call("GET", "/api/tokens", nil, &tokens), 200)
	for _, one := range tokens.Tokens {
		if len(one.Scopes) == 1 && one.Scopes[0] == "feed" {
			t.Error("the shared list is among the tokens")
		}
	}
	w.want(w.call("DELETE", "/api/shares/"+made.Share.ID, nil, nil), 204)
	for _, address := range []string{made.Share.AtomURL, made.Share.JSONURL,
		strings.TrimSuffix(made.Share.AtomURL, ".atom"), "/api/shared/x.atom"} {
		if resp, _ := get(address, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", address, resp.StatusCode)
		}
	}
	for of, status := range map[string]int{"label:99": 404, "folder:99": 404, "search:99": 404, "label:0": 400,
		"feed:1": 400, "": 400, "starred:1": 400} {
		w.want(w.call("POST", "/api/shares", map[string]string{"of": of}, nil), status)
	}
	for range 10 {
		w.want(w.call("POST", "/api/shares", map[string]string{"of": "starred"}, nil), 201)
	}
	w.want(w.call("POST", "/api/shares", map[string]string{"of": "starred"}, nil), 409)
}

// TestWhatIsShared: a label, a folder and a saved search are shared as a starred list is. What comes from a feed with a
// password, or from one that is subscribed to no longer, is in none of them.
func TestWhatIsShared(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	w := newWorld(t)
	feed := func(name string) *httptest.Server {
		site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(rw, `<rss version="2.0"><channel><title>`+name+`</title><item><guid>`+name+
				`</guid><link>https://example.org/`+name+`</link><title>lighthouse of `+name+
				`</title></item></channel></rss>`)
		}))
		t.Cleanup(site.Close)
		return site
	}
	c := w.signedIn()
	add := func(address string) (feed, item string) {
		a := answer[feedAnswer](t, w.browser(c, "POST", "/api/feeds", `{"url":"`+address+`"}`), 201)
		var page pageAnswer
		w.want(w.call("GET", "/api/feeds/"+a.Feed.ID+"/items", nil, &page), 200)
		return a.Feed.ID, page.Items[0].ID
	}
	var label, folder struct{ ID string }
	w.want(w.call("POST", "/api/labels", map[string]string{"name": "Sea"}, &label), 201)
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "Coast"}, &folder), 201)
	private := strings.Replace(feed("private").URL, "http://", "http://anna:"+secret+"@", 1)
	var gone string
	for _, address := range []string{feed("open").URL, private, feed("gone").URL} {
		id, item := add(address)
		within := map[string]any{"folders": []string{folder.ID}}
		w.want(w.call("PUT", "/api/subscriptions/"+id+"/settings", within, nil), 200)
		w.want(w.call("PUT", "/api/items/"+item+"/state", map[string]bool{"isStarred": true}, nil), 200)
		w.want(w.call("PUT", "/api/items/"+item+"/labels", map[string]any{"labels": []string{label.ID}}, nil), 200)
		gone = id
	}
	w.want(w.call("DELETE", "/api/feeds/"+gone, nil, nil), 204)
	var search struct{ ID string }
	w.want(w.call("POST", "/api/searches", map[string]string{"name": "Towers", "q": "lighthouse"}, &search), 201)
	for _, of := range []string{"starred", "label:" + label.ID, "folder:" + folder.ID, "search:" + search.ID} {
		var made struct {
			Share struct{ Title, JSONURL string }
		}
		w.want(w.call("POST", "/api/shares", map[string]string{"of": of}, &made), 201)
		_, path, _ := strings.Cut(made.Share.JSONURL, "/api/")
		rec := w.send("GET", "/api/"+path, "", nil)
		if body := rec.Body.String(); rec.Code != 200 || strings.Count(body, `"url"`) != 1 ||
			!strings.Contains(body, "lighthouse of open") || strings.Contains(body, secret) {
			t.Errorf("%s, called %q: %d %s", of, made.Share.Title, rec.Code, body)
		}
	}
}

package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

type fullTextAnswer struct {
	State, URL, ContentHTML string
	Code, Message           *string
	Characters              int
}

// the text of the linked page, where robots.txt allows it, and with the item if the subscription asks for it.
func TestFullText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var pages atomic.Int32
	article := "<html><head><title>T</title></head><body><nav>Menu</nav><article><h1>T</h1>" +
		strings.Repeat("<p>A sentence of some length, with a comma, and another one behind it for good measure.</p>",
			12) + "</article></body></html>"
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /closed")
	})
	for _, path := range []string{"/open", "/closed"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			pages.Add(1)
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, article)
		})
	}
	mux.HandleFunc("/feed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>F</title><link>http://%s/</link>
			<item><guid>1</guid><title>open</title><link>http://%[1]s/open</link><description>Short.</description></item>
			<item><guid>2</guid><title>closed</title><link>http://%[1]s/closed</link><description>Short.</description></item></channel></rss>`, r.Host)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	var added struct{ Feed struct{ ID string } }
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": site.URL + "/feed"}, &added), 201)
	var list struct{ Items []struct{ ID, Title string } }
	w.want(w.call("GET", "/api/feeds/"+added.Feed.ID+"/items", nil, &list), 200)
	ids := map[string]string{}
	for _, it := range list.Items {
		ids[it.Title] = it.ID
	}
	var opened struct {
		Item struct{ FullText *fullTextAnswer }
	}
	if w.want(w.call("GET", "/api/items/"+ids["open"], nil, &opened), 200); opened.Item.FullText != nil ||
		pages.Load() != 0 {
		t.Error("the page is asked for though nobody wants it")
	}
	var got fullTextAnswer
	w.want(w.call("GET", "/api/items/"+ids["open"]+"/full-text", nil, &got), 200)
	if got.State != "ok" || !strings.Contains(got.ContentHTML, "A sentence") ||
		strings.Contains(got.ContentHTML, "Menu") || got.Characters < 900 || got.Message != nil {
		t.Errorf("%+v", got)
	}
	got = fullTextAnswer{}
	w.want(w.call("GET", "/api/items/"+ids["closed"]+"/full-text", nil, &got), 200)
	if got.State != "robots" || got.ContentHTML != "" || got.Message == nil || *got.Message == "" || pages.Load() != 1 {
		t.Errorf("%+v after %d pages", got, pages.Load())
	}
	w.want(w.call("GET", "/api/items/1/full-text", nil, nil), 404)

	// The subscription asks for it: it comes with the item, and never with a list.
	id, err := reader.ParseFeedID(added.Feed.ID)
	if err != nil {
		t.Fatal(err)
	}
	row, err := w.store.Subscriptions.Get(t.Context(), w.owner, id)
	if err != nil {
		t.Fatal(err)
	}
	changed := *row
	changed.FullText, changed.Rev = true, row.Rev+1
	if _, err := w.store.Subscriptions.Change(t.Context(), w.owner, row, &changed); err != nil {
		t.Fatal(err)
	}
	w.want(w.call("GET", "/api/feeds/"+added.Feed.ID+"/items", nil, &list), 200)
	w.want(w.call("GET", "/api/items/"+ids["open"], nil, &opened), 200)
	if opened.Item.FullText == nil || opened.Item.FullText.State != "ok" || pages.Load() != 1 {
		t.Errorf("%+v after %d pages", opened.Item.FullText, pages.Load())
	}
	// Twenty pages a minute; who opens more still gets the item.
	limited := false
	for range 30 {
		limited = limited || w.call("GET", "/api/items/"+ids["open"]+"/full-text", nil, nil).StatusCode == 429
	}
	opened.Item.FullText = nil
	if w.want(w.call("GET", "/api/items/"+ids["open"], nil, &opened), 200); !limited || opened.Item.FullText != nil {
		t.Errorf("limited %v, %+v", limited, opened.Item.FullText)
	}
}

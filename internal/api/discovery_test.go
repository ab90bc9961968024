package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// G-8, G-12, R-97: what an address leads to, before anything is subscribed to.
func TestDiscover(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var out struct {
		Feeds []struct {
			URL, Title   string
			Type         *string
			ItemsPerWeek *float64
			ItemCount    *int
			LastItemAt   *string
			IsChecked    bool
			IsSubscribed bool
			FeedID       *string
			Language     string
			Newest       []struct{ Title, PublishedAt string }
		}
	}
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(feeds[0].Feed.URL), nil, &out), 200)
	var listed struct {
		Feeds []struct {
			ID           string
			ItemsPerWeek *float64
		}
	}
	w.want(w.call("GET", "/api/feeds", nil, &listed), 200)
	for _, f := range listed.Feeds {
		if found := out.Feeds[0]; *found.FeedID == f.ID &&
			(f.ItemsPerWeek == nil || *f.ItemsPerWeek != *found.ItemsPerWeek) {
			t.Errorf("%v items a week where it is found, %v in the list", *found.ItemsPerWeek, f.ItemsPerWeek)
		}
	}
	if len(out.Feeds) != 1 || !out.Feeds[0].IsSubscribed || out.Feeds[0].FeedID == nil ||
		*out.Feeds[0].FeedID != feeds[0].Feed.ID ||
		out.Feeds[0].ItemCount == nil || *out.Feeds[0].ItemCount != feeds[0].Feed.ItemCount {
		t.Errorf("a subscribed feed: %+v", out.Feeds)
	}
	if got := out.Feeds[0].Newest; len(got) != 3 || got[0].Title == "" || got[0].PublishedAt < got[2].PublishedAt {
		t.Errorf("its newest items: %+v", got)
	}
	var p problem
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(w.publisher.URL+"/plain"), nil, &p), 422)
	if p.Code != "no_feed_found" || p.Action == "" || p.Category != "feed" {
		t.Errorf("no feed: %+v", p)
	}
	w.want(w.call("GET", "/api/discover", nil, &p), 400)
	w.want(w.callAs("", "GET", "/api/discover?url=x", nil, &p), 401)
	// It counts as a registration: ten a minute (C-3).
	last := 0
	for range 12 {
		last = w.call("GET", "/api/discover?url="+url.QueryEscape(feeds[0].Feed.URL), nil, nil).StatusCode
	}
	if last != 429 {
		t.Errorf("the twelfth in a row answers %d", last)
	}
}

// A feed that the Link header of a page names is found (RFC 8288).
func TestDiscoverByHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var out struct{ Feeds []struct{ URL string } }
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(w.publisher.URL+"/announces"), nil, &out), 200)
	if len(out.Feeds) != 1 || out.Feeds[0].URL != w.publisher.URL+"/hostile" {
		t.Errorf("%+v", out.Feeds)
	}
}

// An address without a feed is refused with its cause and a remedy for somebody who has no subscription yet:
// nothing is "tried again by itself", and no feed is there to be resumed. G-12, G-79
func TestWhyNothingWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]struct{ code, message, action string }{
		"/gone":   {"http_404", "nothing at this address", "Check the spelling"},
		"/plain":  {"no_feed_found", "No feed was found", "Look for a link"},
		"/broken": {"no_feed_found", "could not be read. There is nothing at this address (404)", "Try again later"},
		"/wrong":  {"no_feed_found", "there is none at that address", "Look for a link"},
	} {
		var p, q problem
		w.want(w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + path}, &p), 422)
		w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(w.publisher.URL+path), nil, &q), 422)
		if p.Code != want.code || !strings.Contains(p.Message, want.message) ||
			!strings.Contains(p.Action, want.action) || p.Category != "feed" {
			t.Errorf("%s: %+v", path, p)
		}
		if q.Code != p.Code || q.Message != p.Message || q.Action != p.Action {
			t.Errorf("%s: looked for: %+v, added: %+v", path, q, p)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	var p problem
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": closed.URL}, &p), 422)
	if p.Code != "connection_refused" || !strings.Contains(p.Action, "Try again later") {
		t.Errorf("nobody there: %+v", p)
	}
}

// An address without a scheme is tried with https, then http; one with https with nothing else.
func TestAddressWithoutScheme(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host := strings.TrimPrefix(w.publisher.URL, "http://")
	var p problem
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": "https://" + host + "/hostile"}, &p), 422)
	if p.Code != "tls_failure" {
		t.Errorf("%+v", p)
	}
	var out struct{ Feeds []struct{ URL string } }
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(host+"/names"), nil, &out), 200)
	if len(out.Feeds) != 1 || out.Feeds[0].URL != w.publisher.URL+"/hostile" {
		t.Errorf("%+v", out)
	}
	var a feedAnswer
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": host + "/hostile"}, &a), 201)
	if a.Feed.URL != w.publisher.URL+"/hostile" {
		t.Errorf("%+v", a)
	}
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": "feed://" + host + "/hostile"}, &a), 200)
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": host + "/gone"}, &p), 422)
	if p.Code != "http_404" {
		t.Errorf("what the site says over http: %+v", p)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": strings.TrimPrefix(closed.URL, "http://")}, &p), 422)
	if p.Code != "connection_refused" {
		t.Errorf("where nobody is: %+v", p)
	}
}

// G-11: an icon is a PNG that can be cached forever; a feed without one has null.
func TestIcons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	id, err := strconv.Atoi(feeds[0].Feed.ID)
	if err != nil {
		t.Fatal(err)
	}
	icon := func() any {
		var out struct{ Feed map[string]any }
		w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID, nil, &out), 200)
		return out.Feed["iconUrl"]
	}
	if got := icon(); got != nil {
		t.Errorf("without an icon: %v", got)
	}
	hash, ok := store.ParseIconName(iconName)
	if !ok {
		t.Fatal("the test's own name")
	}
	if _, err := w.store.Feeds.Modify(t.Context(), reader.FeedID(id), func(f *store.FeedRow) {
		f.IconHash = hash
	}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour) // what is known of feeds is as old as a page may be
	got := icon()
	if got != "/api/icons/"+iconName {
		t.Fatalf("with one: %v", got)
	}
	resp := w.call("GET", got.(string), nil, nil)
	body, _ := io.ReadAll(resp.Body)
	h := resp.Header
	if resp.StatusCode != 200 || string(body) != iconBytes || h.Get("Content-Type") != "image/png" ||
		!strings.HasSuffix(h.Get("Content-Security-Policy"), "; sandbox") ||
		h.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(h.Get("Cache-Control"), "immutable") ||
		!strings.Contains(h.Get("Cache-Control"), "max-age=31536000") {
		t.Errorf("%d, %v, %q", resp.StatusCode, h, body)
	}
	var p problem
	w.want(w.call("GET", "/api/icons/"+strings.Repeat("1", 64)+".png", nil, &p), 404)
	if p.Code != "icon_not_found" {
		t.Errorf("none there: %+v", p)
	}
	w.want(w.call("GET", "/api/icons/..%2f..%2fruri.db", nil, &p), 404)
	w.want(w.callAs("", "GET", got.(string), nil, &p), 401)
}

// The new address of a failing feed is searched for on request, and proposed.
func TestRelocateFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var a feedAnswer
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + samples.List()[0].Path}, &a), 201)
	path := "/api/feeds/" + a.Feed.ID
	id, err := strconv.Atoi(a.Feed.ID)
	if err != nil {
		t.Fatal(err)
	}
	var p problem
	w.want(w.call("POST", path+"/find", nil, &p), 409)
	if p.Code != "feed_not_failing" {
		t.Errorf("a feed in order: %+v", p)
	}
	w.want(w.call("POST", "/api/feeds/77/find", nil, &p), 404)
	find := func(site string, status int) (out struct{ Feed map[string]any }) {
		t.Helper()
		_, err := w.store.Feeds.Modify(t.Context(), reader.FeedID(id), func(f *store.FeedRow) {
			f.Status = "stopped"
			f.ErrCode = "http_410"
			f.Site = w.publisher.URL + site
		})
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Add(time.Minute)
		w.want(w.call("POST", path+"/find", nil, &out), status)
		return out
	}
	find("/plain", 422)
	out := find("/names", 200)
	if out.Feed["proposedUrl"] != w.publisher.URL+"/hostile" || out.Feed["proposedReason"] != "site" ||
		out.Feed["url"] == out.Feed["proposedUrl"] || out.Feed["isActive"] != false {
		t.Errorf("proposed %v because of %v", out.Feed["proposedUrl"], out.Feed["proposedReason"])
	}
}

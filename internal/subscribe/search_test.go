package subscribe_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// file is anything at an address: a text, a page, robots.txt.
func file(w *flow.Env, url, contentType, body string) *flow.Site {
	s := w.Web.Site(url, 1)
	s.Body, s.ContentType = func() string { return body }, contentType
	return s
}

func status(w *flow.Env, url string, code int) *flow.Site {
	s := w.Web.Site(url, 1)
	s.Answer = func(flow.Visit) (int, time.Duration, error) { return code, 0, nil }
	return s
}

// A known site's page is not requested when its address determines the feed (G-8).
func TestAddKnownSite(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	feed := w.Web.Site("https://github.com/a/b/releases.atom", 5)
	repo := page(w, "https://github.com/a/b")
	f := w.Add("https://github.com/a/b", subscribe.Options{})
	if f.URL != feed.URL || len(feed.Visits) != 1 || len(repo.Visits) != 0 {
		t.Errorf("subscribed to %s, %d visits of the feed, %d of the page", f.URL, len(feed.Visits), len(repo.Visits))
	}
	// Where there is none after all, the page is looked at.
	other := w.Web.Site("https://elsewhere.example/feed", 2)
	for _, kind := range []string{"releases", "commits", "tags"} {
		status(w, "https://github.com/c/d/"+kind+".atom", 404)
	}
	page(w, "https://github.com/c/d", other.URL)
	if f := w.Add("github.com/c/d", subscribe.Options{}); f.URL != other.URL {
		t.Errorf("subscribed to %s", f.URL)
	}
	// A podcast's page is not asked either: the catalogue knows.
	show := w.Web.Site("https://show.example/rss", 3)
	file(w, "https://itunes.apple.com/lookup?id=7&entity=podcast", "text/javascript",
		`{"resultCount":1,"results":[{"feedUrl":"https://show.example/rss"}]}`)
	if f := w.Add("https://podcasts.apple.com/jp/podcast/show/id7", subscribe.Options{}); f.URL != show.URL {
		t.Errorf("subscribed to %s", f.URL)
	}
}

// Guesses are bounded, one at a time, and obey robots.txt; a feed found so is subscribed to.
func TestAddGuesses(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	page(w, "https://quiet.example/")
	file(w, "https://quiet.example/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\nDisallow: /feed$")
	shut := w.Web.Site("https://quiet.example/feed", 3)
	for _, p := range []string{"feed/", "rss.xml"} {
		status(w, "https://quiet.example/"+p, 404)
	}
	open := w.Web.Site("https://quiet.example/atom.xml", 3)
	if f := w.Add("https://quiet.example/", subscribe.Options{}); f.URL != open.URL || len(shut.Visits) != 0 {
		t.Errorf("subscribed to %s; the closed one was asked %d times", f.URL, len(shut.Visits))
	}
	if n := w.Web.WorstOverlap(); n != 1 {
		t.Errorf("%d requests at once", n)
	}

	bare := func(host, robots string, others int) *subscribe.NoFeedError {
		t.Helper()
		page(w, "https://"+host+"/")
		if robots != "" {
			file(w, "https://"+host+"/robots.txt", "text/plain", robots)
		} else {
			status(w, "https://"+host+"/robots.txt", 404)
		}
		for _, p := range []string{"feed", "feed/", "rss.xml", "atom.xml", "feed.xml", "index.xml", "rss",
			"feed.json", "index.rdf"} {
			status(w, "https://"+host+"/"+p, others)
		}
		_, _, err := service(w).Add(bg, flow.User, "https://"+host+"/", subscribe.Options{})
		var none *subscribe.NoFeedError
		if !errors.As(err, &none) || none.Code != "no_feed_found" { // G-12
			t.Fatalf("%s: %v", host, err)
		}
		return none
	}
	if none := bare("bare.example", "", 404); len(none.Tried) != 1+6 {
		t.Errorf("tried %q", none.Tried)
	}
	if none := bare("closed.example", "User-agent: RuriReader\nDisallow: /", 404); len(none.Tried) != 1 {
		t.Errorf("tried %q although the site is closed to us", none.Tried)
	}
	if none := bare("busy.example", "", 503); len(none.Tried) != 2 {
		t.Errorf("tried %q at a site that is out of order", none.Tried)
	}
}

// A page without a feed that only leads on to another one is followed.
func TestAddRefresh(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	feed := w.Web.Site("https://new.example/feed.xml", 2)
	page(w, "https://new.example/", feed.URL)
	file(w, "https://old.example/", "text/html", `<meta http-equiv="refresh" content="0;url=https://new.example/">`)
	if f := w.Add("https://old.example/", subscribe.Options{}); f.URL != feed.URL {
		t.Errorf("subscribed to %s", f.URL)
	}
}

// What an address leads to instead of a feed is said. The host of an OPML file is not searched for a feed.
func TestAddOtherThings(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	w.Web.Site("https://site.example/feed", 2)
	status(w, "https://other.example/robots.txt", 404)
	for _, name := range []string{"feed", "feed/", "rss.xml", "atom.xml", "feed.xml", "index.xml"} {
		status(w, "https://other.example/"+name, 404)
	}
	for _, c := range []struct{ url, contentType, body, want string }{
		{"https://site.example/list.opml", "text/xml", `<opml version="2.0"><body/></opml>`, discover.List},
		{"https://other.example/map.xml", "text/xml", "<urlset/>", discover.SiteMap},
		{"https://other.example/a.pdf", "application/pdf", "%PDF-1.7", discover.PDF},
		{"https://other.example/empty", "text/html", "", discover.Nothing},
		{"https://other.example/page", "text/html", "<p>Hello.", ""},
	} {
		file(w, c.url, c.contentType, c.body)
		_, _, err := service(w).Add(bg, flow.User, c.url, subscribe.Options{})
		var none *subscribe.NoFeedError
		if !errors.As(err, &none) || none.Why != c.want || (none.Page == "") != (c.want != "") {
			t.Errorf("%s: %v, page %q, want %q", c.url, err, none.Page, c.want)
		}
	}
}

// A person chooses among different feeds, in the order and with the titles of the page; the formats of one feed are
// one. G-9
func TestChoices(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	for _, p := range []string{"news.xml", "news.atom", "jobs.atom", "comments/feed"} {
		w.Web.Site("https://site.example/"+p, 8)
	}
	status(w, "https://site.example/jobs.atom", 404)
	w.Web.Site("https://site.example/jobs.xml", 8)
	front := page(w, "https://site.example/")
	front.Body = func() string {
		return `<!DOCTYPE html><title>A site</title><link rel="alternate" type="application/rss+xml" title="Comments" href="/comments/feed">
<link rel="alternate" type="application/rss+xml" title="News" href="/news.xml">
<link rel="alternate" type="application/rss+xml" title="Jobs (RSS)" href="/jobs.xml">
<link rel="alternate" type="application/atom+xml" title="Jobs (Atom)" href="/jobs.atom">
<link rel="alternate" type="application/atom+xml" title="News" href="/news.atom">`
	}
	offers, err := service(w).Choices(bg, flow.User, "site.example")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range offers {
		line := strings.TrimPrefix(o.URL, "https://site.example") + " " + o.Title
		if o.Checked {
			line += ", checked"
		}
		got = append(got, line)
	}
	want := []string{"/news.atom News, checked", "/jobs.xml Jobs (RSS), checked", "/comments/feed Comments, checked"}
	if !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	if f := w.Add("https://site.example/", subscribe.Options{}); f.URL != "https://site.example/news.atom" {
		t.Errorf("by itself it chose %s", f.URL)
	}
}

// The profile that people name as @name@host.
func TestAddFediverseName(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	page(w, "https://social.example/@someone")
	status(w, "https://social.example/robots.txt", 404)
	feed := w.Web.Site("https://social.example/@someone.rss", 3)
	if f := w.Add("@someone@social.example", subscribe.Options{}); f.URL != feed.URL {
		t.Errorf("subscribed to %s", f.URL)
	}
}

// All feeds are offered with what is known of them, and the chosen one is not fetched a second time.
func TestDiscover(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	mine := w.Add(w.Web.Site("https://site.example/mine", 10).URL, subscribe.Options{})
	var named []string
	for _, p := range []string{"a", "b", "c", "d", "e", "f"} {
		w.Web.Site("https://site.example/"+p, 8)
		named = append(named, "/"+p)
	}
	status(w, "https://site.example/a", 404)
	front := page(w, "https://site.example/", append(named, "/mine", "https://other.example/x")...)
	offers, err := service(w).Discover(bg, flow.User, "site.example")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range offers {
		line := strings.TrimPrefix(o.URL, "https://site.example")
		if o.Checked {
			line += " checked"
		}
		if o.Subscribed {
			line += " mine"
		}
		got = append(got, line)
	}
	want := []string{"/b checked", "/c checked", "/d checked", "/e", "/f", "/mine checked mine",
		"https://other.example/x"}
	if !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	for _, o := range offers {
		if o.Checked && (o.Items < 8 || o.Title != "Feed of site.example" || o.Weekly <= 0 || o.LastItem.IsZero()) {
			t.Errorf("%s: %+v", o.URL, o)
		}
		if o.Subscribed && o.Feed != mine.ID() {
			t.Errorf("the subscribed one is feed %d", o.Feed)
		}
	}
	chosen := w.Web.Of("https://site.example/b")
	f := w.Add(chosen.URL, subscribe.Options{})
	if f.Seq != 8 || f.ETag != chosen.ETag() || len(chosen.Visits) != 1 || len(front.Visits) != 1 {
		t.Errorf("feed %+v after %d visits", f, len(chosen.Visits))
	}
	// Later it is asked again.
	w.Advance(10 * time.Minute)
	late := w.Web.Of("https://site.example/c")
	if w.Add(late.URL, subscribe.Options{}); len(late.Visits) != 2 {
		t.Errorf("%d visits of a feed that was looked at long ago", len(late.Visits))
	}
	if offers, err := service(w).Discover(bg, flow.User, f.URL); err != nil || len(offers) != 1 ||
		!offers[0].Subscribed || len(chosen.Visits) != 1 {
		t.Errorf("a feed's own address: %+v, %v", offers, err)
	}
	var none *subscribe.NoFeedError
	page(w, "https://nothing.example/")
	if _, err := service(w).Discover(bg, flow.User, "https://nothing.example/"); !errors.As(err, &none) {
		t.Errorf("nothing there: %v", err)
	}
	if _, err := service(w).Discover(bg, flow.User, "ftp://x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no address: %v", err)
	}
}

// What follows from the feed added before holds the host for a moment: the next one waits for it, but not for ever.
func TestAddWaitsForABusyHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		naps  int // after which the host is free
		naps2 int // that it takes
		busy  bool
	}{{"free", 0, 0, false}, {"soon", 3, 3, false}, {"never", 99, 16, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := flow.New(t, 1, 1)
			w.Web.Site("https://busy.example/a", 1)
			naps, release := 0, func() {}
			s := service(w)
			s.Nap = func(context.Context, time.Duration) error {
				if naps++; naps == c.naps {
					release()
				}
				return nil
			}
			if c.naps > 0 {
				var err error
				if release, err = w.Main().Crawler.Hold(bg, "https://busy.example/"); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := s.Add(bg, flow.User, "https://busy.example/a", subscribe.Options{})
			if c.busy != (fault.CodeOf(err) == "part_busy") || !c.busy && err != nil || naps != c.naps2 {
				t.Errorf("%v after %d naps, want busy %v after %d", err, naps, c.busy, c.naps2)
			}
		})
	}
}

// A search that its user's patience ends says so, and leaves the host free.
func TestSearchOutOfTime(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	page(w, "https://busy.example/", "/a")
	w.Web.Site("https://busy.example/a", 1).Answer = func(flow.Visit) (int, time.Duration, error) {
		return 0, 0, flow.Timeout()
	}
	_, _, err := service(w).Add(bg, flow.User, "https://busy.example/", subscribe.Options{})
	var none *subscribe.NoFeedError
	if !errors.As(err, &none) || none.Fault != reader.CodeTimeout {
		t.Errorf("%v", err)
	}
	if free, err := w.Main().Crawler.Hold(bg, "https://busy.example/"); err != nil {
		t.Errorf("the part is still held: %v", err)
	} else {
		free()
	}
}

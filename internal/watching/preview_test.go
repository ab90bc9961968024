package watching_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// A preview asks the page once; whatever is tried on it then sends no request. Nothing but the page is kept.
func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.Preview(t.Context(), w.user,
		watching.Try{Settings: watch.Settings{URL: w.url + "/search?q=camera", Max: 3000}, Interval: 60})
	w.must(err)
	if len(p.Candidates) == 0 {
		t.Fatalf("nothing was found: %+v", p)
	}
	c := p.Candidates[0]
	if len(c.Page.Rows) != 8 || c.Page.Rows[0].Title != "Camera A with a lens" || c.Page.Rows[0].Price == nil ||
		c.Page.Rows[0].Price.Amount != 1000 || c.Fitting != 3 {
		t.Errorf("%+v", c)
	}
	if !p.Allowed || p.Delay != 7*time.Second || p.Title != "Shop" || p.Terms != w.url+"/terms" ||
		p.Need != (watching.Use{Hour: 5, Day: 43}) {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(w.shop.asked, []string{"/robots.txt", "/search?q=camera"}) {
		t.Errorf("the site was asked for %q", w.shop.asked)
	}
	again, err := w.Preview(t.Context(), w.user,
		watching.Try{Preview: p.ID, Settings: watch.Settings{Layout: layout(), Words: []string{"Camera B"}},
			Interval: 60})
	w.must(err)
	if len(again.Candidates) != 1 || again.Candidates[0].Source != watching.FromLayout ||
		again.Candidates[0].Fitting != 1 || again.ID != p.ID || len(w.shop.asked) != 2 {
		t.Errorf("%+v, asked %q", again, w.shop.asked)
	}
	bad := layout()
	bad.Rows.Selector = "li["
	if _, err := w.Preview(t.Context(), w.user,
		watching.Try{Preview: p.ID, Settings: watch.Settings{Layout: bad}}); fault.CodeOf(err) != "layout_invalid" {
		t.Error(err)
	}
	// A layout that finds nothing is shown as such.
	bad.Rows.Selector = "li.nowhere"
	none, err := w.Preview(t.Context(), w.user, watching.Try{Preview: p.ID, Settings: watch.Settings{Layout: bad}})
	if err != nil || none.Problem == "" || len(none.Candidates[0].Page.Rows) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	for _, id := range []string{"x", "../" + p.ID, p.ID[1:] + "0"} {
		if _, err := w.Preview(t.Context(), w.user, watching.Try{Preview: id}); fault.CodeOf(err) != "preview_expired" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := w.Preview(t.Context(), w.owner, watching.Try{Preview: p.ID}); fault.CodeOf(err) != "preview_expired" {
		t.Error("the preview of another:", err)
	}
	w.clock.Add(25 * time.Hour)
	if _, err := w.Preview(t.Context(), w.user, watching.Try{Preview: p.ID}); fault.CodeOf(err) != "preview_expired" {
		t.Error("after a day:", err)
	}
	if n, err := w.store.Feeds.Count(t.Context()); err != nil || n != 0 {
		t.Error("a feed was made", n, err)
	}
}

func TestPreviewOfWhatCannotBeWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.Preview(t.Context(), w.user, watching.Try{Settings: watch.Settings{URL: w.url + "/private/search"}})
	if err != nil || p.Problem != reader.CodeRobots || p.Allowed || len(p.Candidates) != 0 || p.ID != "" ||
		w.shop.pages() != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = w.Preview(t.Context(), w.user, watching.Try{Settings: watch.Settings{URL: w.url + "/gone"}})
	if he, ok := errors.AsType[*subscribe.HTTPError](err); !ok || he.Status != 404 {
		t.Error(err)
	}
	w.shop.set(func(s *shop) { s.things = nil })
	p, err = w.Preview(t.Context(), w.user, watching.Try{Settings: watch.Settings{URL: w.url + "/search"}})
	if err != nil || p.Problem == "" || len(p.Candidates) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := w.Preview(t.Context(), w.user, watching.Try{}); fault.CodeOf(err) != "bad_url" {
		t.Error(err)
	}
}

const anAdapter = `{"name":"shop","version":1,"hosts":["127.0.0.1"],"pace":6,"list":{"url":"%s/search?q={keyword}","rows":"li.item","fields":{"title":"h3","link":{"at":"h3 a","attr":"href"},"price":".price"}},
"examples":[{"url":"http://127.0.0.1/x","page":"<li class=item><h3><a href=/1>One</a></h3><b class=price>¥5</b>","rows":[{"title":"One","link":"http://127.0.0.1/1","price":5}]}]}`

// An adapter fills address and layout of watches, and a new version of it is theirs.
func TestAdapters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := func(change ...string) []byte {
		return []byte(replaced(anAdapter, append([]string{"%s", w.url}, change...)...))
	}
	for name, body := range map[string][]byte{
		"not its name":     text(`"name":"shop"`, `"name":"other"`),
		"a wrong example":  text(`"price":5}]`, `"price":6}]`),
		"an unknown field": text(`"version"`, `"script":"x","version"`),
		"no JSON":          []byte("{"),
	} {
		if err := w.PutAdapter(t.Context(), "shop", body); fault.CodeOf(err) != "adapter_invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.must(w.PutAdapter(t.Context(), "shop", text()))
	list, err := w.Adapters(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "shop" {
		t.Fatal(list, err)
	}
	p, err := w.Preview(t.Context(), w.user, watching.Try{Settings: watch.Settings{URL: w.url + "/search"}})
	if err != nil || p.Candidates[0].Source != watching.FromAdapter || p.Candidates[0].Adapter != "shop" ||
		len(p.Candidates[0].Page.Rows) != 8 {
		t.Fatalf("%+v, %v", p, err)
	}
	x := w.add(w.user, watch.Settings{Adapter: "shop", Query: listing.Query{Keyword: "camera"}})
	if x.Settings.URL != w.url+"/search?q=camera" || x.Settings.Layout == nil || x.Settings.Pace != 6 ||
		!strings.HasPrefix(x.Title(), "127.0.0.1") {
		t.Errorf("%+v", x.Settings)
	}
	if p, err := w.Results(t.Context(), w.user, x, watching.Query{Status: watch.OnSale}); err != nil ||
		titles(p) != "ABCDEFGH" {
		t.Errorf("%+v, %v", p, err)
	}
	w.must(w.PutAdapter(t.Context(), "shop", text("search?q=", "find?word=")))
	if x = w.get(w.user, x.ID()); x.Settings.URL != w.url+"/find?word=camera" || x.Feed.URL != x.Settings.URL {
		t.Errorf("%+v", x.Settings)
	}
	other := watch.Settings{Adapter: "shop", URL: "https://elsewhere.example/"}
	if _, _, err := w.Add(t.Context(), w.user,
		watching.Wish{Settings: other, Interval: 60, Accepted: true}); fault.CodeOf(err) != "adapter_other_host" {
		t.Error(err)
	}
}

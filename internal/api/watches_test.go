package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// shopPage lists three things, one with a name that spreadsheets would take for a formula.
const shopPage = `<!doctype html><html lang=en><title>Shop</title><ul>
<li class=item><h3><a href="/item/1">Red lamp with a shade</a></h3><span class=price>$12.50</span></li>
<li class=item><h3><a href="/item/2">=HYPERLINK("http://evil.example")</a></h3><span class=price>$7.00</span></li>
<li class=item><h3><a href="/item/3">Blue lamp, "as new"</a></h3><span class=price>$20.00</span></li></ul>`

const anAdapter = `{"name":"shop","version":1,"hosts":["shop.example"],"terms":"https://shop.example/terms",` +
	`"list":{"url":"https://shop.example/?q={keyword}&min={min}","rows":"li.item","fields":{"title":"h3","link":"a",` +
	`"price":".price"}}}`

func (w *world) watchWish(path string) map[string]any {
	return map[string]any{"accepted": true, "settings": map[string]any{
		"name": "Lamps", "url": w.publisher.URL + path,
		"layout": map[string]any{"rows": "li.item",
			"fields": map[string]any{"title": "h3", "link": map[string]string{"at": "h3 a", "attr": "href"},
				"price": ".price"}},
	}}
}

type watchAnswer struct {
	Watch struct {
		ID, FeedID, Name, URL, Host string
		Interval, OnSale            int
		IsPaused                    bool
		Lowest                      *struct {
			Price              int64
			Currency, ResultID string
		}
		Problem *struct{ Code string }
	}
	NewItems int
}

// watch makes a watch of the shop, unless there is one, whose page has been looked at.
func (w *world) watch() string {
	w.t.Helper()
	var a watchAnswer
	if resp := w.call("POST", "/api/watches", w.watchWish("/shop"), &a); resp.StatusCode == 200 {
		return a.Watch.ID
	} else if resp.StatusCode != 201 {
		w.t.Fatalf("POST /api/watches answers %d", resp.StatusCode)
	}
	id, err := reader.ParseFeedID(a.Watch.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	f, err := w.store.Feeds.Get(w.t.Context(), id, true)
	if err == nil {
		_, err = w.options.Crawler.RunWatch(w.t.Context(), f, false)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Watch.ID
}

// M-31
func TestWatchRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.watch()
	var a watchAnswer
	w.want(w.call("GET", "/api/watches/"+id, nil, &a), 200)
	if x := a.Watch; x.FeedID != id || x.Name != "Lamps" || x.OnSale != 3 || x.Lowest == nil || x.Lowest.Price != 700 ||
		x.Lowest.Currency != "USD" || x.Interval != 60 || x.Problem != nil {
		t.Errorf("%+v", x)
	}
	// It is a feed among the others, and its items tell what they announce.
	var feed struct{ Feed struct{ IsWatch bool } }
	w.want(w.call("GET", "/api/feeds/"+id, nil, &feed), 200)
	var page struct {
		Items []struct {
			ID, Title string
			Offer     *struct {
				Event, WatchID, ResultID, Currency, Status string
				Price, Before                              *int64
			}
		}
	}
	w.want(w.call("GET", "/api/feeds/"+id+"/items", nil, &page), 200)
	if !feed.Feed.IsWatch || len(page.Items) != 0 { // what the first look finds is the baseline
		t.Fatalf("%+v, %+v", feed, page)
	}
	// A run soon after another waits; a later one looks again.
	var p problem
	w.want(w.call("POST", "/api/watches/"+id+"/run", nil, &p), 409)
	if p.Code != "too_soon" || p.NextAt == "" {
		t.Errorf("%+v", p)
	}
	w.clock.Add(10 * time.Minute)
	w.want(w.call("POST", "/api/watches/"+id+"/run", nil, &a), 200)
	if a.NewItems != 0 || a.Watch.ID != id {
		t.Errorf("%+v", a)
	}
	w.want(w.call("PATCH", "/api/watches/"+id, `{"isPaused":true}`, &a), 200)
	w.clock.Add(10 * time.Minute)
	w.want(w.call("POST", "/api/watches/"+id+"/run", nil, &p), 409)
	if p.Code != "watch_paused" || !a.Watch.IsPaused {
		t.Errorf("%+v, %+v", p, a)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"PATCH", "/api/feeds/" + id, `{"url":"https://example.org/feed"}`, 409, "feed_is_watch"},
		{"POST", "/api/feeds/" + id + "/find", "", 409, "feed_is_watch"},
		{"GET", "/api/watches/0", "", 404, "watch_not_found"},
		{"GET", "/api/watches/x", "", 404, "watch_not_found"},
		{"GET", "/api/crawl/results/77", "", 404, "watch_not_found"},
		{"GET", "/api/watches/" + id + "/results/zz", "", 404, "result_not_found"},
		{"GET", "/api/watches/" + id + "/results/0f", "", 404, "result_not_found"},
		{"GET", "/api/watches/" + id + "/results?status=new", "", 400, "bad_result_status"},
		{"GET", "/api/watches/" + id + "/results?sort=name", "", 400, "bad_result_sort"},
		{"GET", "/api/watches/" + id + "/results?format=xml", "", 400, "bad_result_format"},
		{"GET", "/api/watches/" + id + "/results?min=-1", "", 400, "bad_amount"},
		{"GET", "/api/watches/" + id + "/results?cursor=x", "", 400, "bad_cursor"},
		{"GET", "/api/watches/" + id + "/trend?range=1d", "", 400, "bad_trend_range"},
		{"PUT", "/api/watches/77", "{}", 404, "watch_not_found"},
		{"PATCH", "/api/watches/" + id, "{}", 400, "nothing_to_change"},
		{"POST", "/api/watches", `{"settings":{"name":"x","colour":"red"},"accepted":true}`, 400, "bad_json"},
		{"POST", "/api/watches", `{"settings":{"name":"x","url":"https://example.org/"},"accepted":false}`, 400,
			"terms_not_accepted"},
		{"POST", "/api/watches/preview", `{"previewId":"` + strings.Repeat("0", 64) + `"}`, 404, "preview_expired"},
		{"POST", "/api/watches/preview", `{"url":"` + w.publisher.URL + `/nowhere"}`, 422, "http_404"},
		{"PUT", "/api/adapters/shop", `{"name":"shop"}`, 400, "adapter_invalid"},
		{"PUT", "/api/adapters/shop", strings.Repeat(" ", 17<<10), 413, "request_too_large"},
		{"GET", "/api/adapters/nowhere", "", 404, "adapter_not_found"},
		{"DELETE", "/api/adapters/nowhere", "", 404, "adapter_not_found"},
	} {
		var p problem
		if resp := w.call(c.method, c.path, c.body, &p); resp.StatusCode != c.status || p.Code != c.code ||
			p.Message == "" || p.Action == "" {
			t.Errorf("%s %s answers %d %+v", c.method, c.path, resp.StatusCode, p)
		}
	}
	w.want(w.call("DELETE", "/api/watches/"+id, nil, nil), 204)
	w.want(w.call("GET", "/api/watches/"+id, nil, &p), 404)
	w.want(w.call("PUT", "/api/watches/"+id, `{"interval":31}`, &p), 400)
	if w.want(w.call("PUT", "/api/watches/"+id, `{"interval":90}`, &a), 200); a.Watch.ID != id || a.Watch.OnSale != 3 ||
		a.Watch.Interval != 90 {
		t.Errorf("%+v", a.Watch)
	}
}

// A page without a feed can be watched instead; only a page that exists.
func TestAPageWithoutAFeedCanBeWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var p struct{ Code, WatchURL string }
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + "/shop"}, &p), 422)
	if p.Code != "no_feed_found" || p.WatchURL != w.publisher.URL+"/shop" {
		t.Errorf("%+v", p)
	}
	p.WatchURL = ""
	w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + "/nowhere"}, &p)
	if p.WatchURL != "" {
		t.Errorf("%+v", p)
	}
}

// M-3
func TestResultsAsFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/api/watches/" + w.watch() + "/results?format="
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path+"csv", nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	w.handler.ServeHTTP(rec, r)
	lines := strings.Split(rec.Body.String(), "\r\n")
	if rec.Code != 200 || !strings.HasPrefix(rec.Body.String(), "\ufeffid,externalId,name,") || len(lines) != 5 ||
		rec.Header().Get("ETag") == "" ||
		!strings.Contains(rec.Header().Get("Content-Disposition"), ".csv") ||
		rec.Header().Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%d %v %q", rec.Code, rec.Header(), rec.Body)
	}
	if !strings.Contains(lines[1], `,"'=HYPERLINK(""http://evil.example"")",700,USD,$7.00,onSale,`) ||
		!strings.Contains(lines[3], `"Blue lamp, ""as new"""`) {
		t.Errorf("%q", lines)
	}
	var list []struct {
		Name      string
		Price     int
		Prices    [][2]*int64
		PriceText string
	}
	w.want(w.call("GET", path+"json", nil, &list), 200)
	if len(list) != 3 || list[1].Name != "Red lamp with a shade" || list[1].Price != 1250 || len(list[1].Prices) != 1 ||
		*list[1].Prices[0][1] != 1250 {
		t.Errorf("%+v", list)
	}
}

// Only previews that need a request count; the eleventh in a minute has to wait.
func TestPreviewsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := fmt.Sprintf(`{"url":"%s/shop"}`, w.publisher.URL)
	var p struct{ PreviewID string }
	for range 10 {
		w.want(w.call("POST", "/api/watches/preview", body, &p), 200)
	}
	w.want(w.call("POST", "/api/watches/preview", body, nil), http.StatusTooManyRequests)
	w.want(w.call("POST", "/api/watches/preview", `{"previewId":"`+p.PreviewID+`","layout":{"rows":"li.item"}}`, nil),
		200)
}

// The watches of a list are refreshed by the messages of one request; feeds that are none are left alone.
// M-15, M-18, M-27, M-30
func TestExecuteCrawl(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	w.watch()
	w.clock.Add(10 * time.Minute)
	w.sent.bodies = nil
	var a struct {
		Refresh struct{ Total, Skipped int }
		Runs    []string
	}
	w.want(w.call("POST", "/api/crawl/execute", nil, &a), 202)
	if a.Refresh.Total != 1 || a.Refresh.Skipped != 0 || len(a.Runs) != 1 || len(w.sent.bodies) != 1 {
		t.Errorf("%+v, %d messages", a, len(w.sent.bodies))
	}
	w.deliver()
	w.want(w.call("GET", "/api/runs/"+a.Runs[0], nil, nil), 200)
}

// Adapters are everybody's to use, and the owner's to change.
func TestAdapterRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want(w.call("PUT", "/api/adapters/shop", anAdapter, nil), 204)
	user, err := w.auth.AddUser(t.Context(), "reader@example.org", "a long password", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), user, "test", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Adapters []struct {
			Name  string
			Hosts []string
			Asks  []string
		}
	}
	w.want(w.callAs(token, "GET", "/api/adapters", nil, &list), 200)
	if len(list.Adapters) != 1 || fmt.Sprint(list.Adapters[0].Asks) != "[keyword min]" {
		t.Errorf("%+v", list)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		var p problem
		if resp := w.callAs(token, method, "/api/adapters/shop", anAdapter, &p); resp.StatusCode != 403 ||
			p.Code != "owner_only" {
			t.Errorf("%s answers a user %d %s", method, resp.StatusCode, p.Code)
		}
	}
	w.want(w.call("DELETE", "/api/adapters/shop", nil, nil), 204)
}

package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/reader"
)

type batchAnswer struct {
	Items         []map[string]any
	Rest, Missing []string
}

func (a *batchAnswer) ids() (ids []string) {
	for _, it := range a.Items {
		ids = append(ids, it["id"].(string))
	}
	return ids
}

// publish subscribes to a feed with items of these texts, and returns their ids by title, which is the place.
func (w *world) publish(texts ...string) (ids []string) {
	w.t.Helper()
	feed := `<rss version="2.0"><channel><title>F</title><link>https://example.org/</link>`
	for i, text := range texts {
		feed += fmt.Sprintf("<item><guid>%d</guid><title>%[1]d</title><link>PAGE/%[1]d</link><description>&lt;p&gt;"+
			"%s&lt;/p&gt;</description></item>", i, text)
	}
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/feed":
			rw.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprint(rw, strings.ReplaceAll(feed, "PAGE", site.URL)+"</channel></rss>")
		case "/robots.txt":
			rw.WriteHeader(404)
		default:
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprint(rw, "<html><body><article>"+
				strings.Repeat("<p>A sentence of some length, with a comma, and another one.</p>", 12)+
				"</article></body></html>")
		}
	}))
	w.t.Cleanup(site.Close)
	var added feedAnswer
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": site.URL + "/feed"}, &added), 201)
	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+added.Feed.ID+"/items?limit=200", nil, &page), 200)
	ids = make([]string, len(texts))
	for _, it := range page.Items {
		var at int
		if _, err := fmt.Sscan(it.Title, &at); err != nil {
			w.t.Fatal(err)
		}
		ids[at] = it.ID
	}
	return ids
}

func (w *world) batch(ids ...string) (a batchAnswer) {
	w.t.Helper()
	w.want(w.call("GET", "/api/items/bodies?ids="+strings.Join(ids, ","), nil, &a), 200)
	return a
}

// TestABatchHasWhatEachItemHas, in the order asked for, each once; what is not there or somebody else's is missing.
func TestABatchHasWhatEachItemHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.publish("one", "two", "three", "")
	w.want(w.call("PUT", "/api/items/"+ids[1]+"/state", map[string]bool{"isStarred": true, "isRead": true}, nil), 200)
	other, err := w.auth.AddUser(t.Context(), "other@example.org", "a long password", false)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := w.auth.NewToken(t.Context(), other, "test", "read", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	nobody := []string{"1", "007", "0", strings.Repeat("9", 16)}
	asked := append([]string{ids[2], ids[0], ids[2], ids[3], ids[1]}, nobody...)
	a := w.batch(asked...)
	if want := []string{ids[2], ids[0], ids[3], ids[1]}; !slices.Equal(a.ids(), want) ||
		!slices.Equal(a.Missing, nobody) || len(a.Rest) > 0 {
		t.Errorf("%v, want %v; %+v", a.ids(), want, a)
	}
	for _, it := range a.Items {
		var one struct{ Item map[string]any }
		w.want(w.call("GET", "/api/items/"+it["id"].(string), nil, &one), 200)
		if !reflect.DeepEqual(it, one.Item) {
			t.Errorf("in the batch %v, alone %v", it, one.Item)
		}
	}
	// Their token can only read, and finds nothing of this.
	var foreign batchAnswer
	w.want(w.callAs(theirs, "GET", "/api/items/bodies?ids="+strings.Join(ids, ","), nil, &foreign), 200)
	if len(foreign.Items) > 0 || !slices.Equal(foreign.Missing, ids) {
		t.Errorf("somebody else sees %+v", foreign)
	}
	w.want(w.callAs("", "GET", "/api/items/bodies?ids="+ids[0], nil, nil), 401)
}

func TestWhatABatchMayAskFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	numbers := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(i + 1)
		}
		return strings.Join(list, ",")
	}
	for query, want := range map[string]int{
		"": 400, "?ids=": 400, "?ids=,": 400, "?ids=1,": 400, "?ids=a": 400, "?ids=1;2": 400, "?ids=-1": 400,
		"?ids=" + strings.Repeat("1", 17): 400,
		"?ids=1":                          200, "?ids=" + numbers(50): 200, "?ids=" + numbers(50) + ",7": 200,
		"?ids=" + numbers(51): 400,
	} {
		var p problem
		resp := w.call("GET", "/api/items/bodies"+query, nil, &p)
		if resp.StatusCode != want || want == 400 &&
			(p.Code != "bad_ids" || len(p.Details) != 1 || p.Details[0].Field != "ids") {
			t.Errorf("%q: %d %+v", query, resp.StatusCode, p)
		}
	}
}

// TestBatchesAreBoundedInBytes: what has no room is named, and comes in the batches after it.
func TestBatchesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.publish(strings.Repeat("a", 900_000), "small", strings.Repeat("b", 800_000), strings.Repeat("c", 700_000),
		strings.Repeat("d", 1_000_000))
	asked, got := ids, []string{}
	batches := 0
	for ; len(asked) > 0 && batches < 5; batches++ {
		r := httptest.NewRequest("GET", "/api/items/bodies?ids="+strings.Join(asked, ","), nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if n := rec.Body.Len(); n > 2<<20+1000 {
			t.Errorf("an answer of %d bytes", n)
		}
		a := answer[batchAnswer](t, rec, 200)
		got, asked = append(got, a.ids()...), a.Rest
	}
	if !slices.Equal(got, ids) || batches != 2 {
		t.Errorf("after %d batches %v of %v", batches, got, ids)
	}
}

// TestBatchesAreCompressedAndTagged: like any other answer to a GET, by content.
func TestBatchesAreCompressedAndTagged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.publish(strings.Repeat("text ", 1000), "x")
	ask := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/api/items/bodies?ids="+ids[0], nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Encoding", "gzip")
		r.Header.Set("If-None-Match", tag)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		return rec
	}
	first := ask("")
	tag := first.Header().Get("ETag")
	z, err := gzip.NewReader(first.Body)
	if err != nil || first.Header().Get("Content-Encoding") != "gzip" || first.Body.Len() > 1000 || tag == "" {
		t.Fatalf("%v, %v", err, first.Header())
	}
	_ = z.Close()
	if again := ask(tag); again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("again: %d, %d bytes", again.Code, again.Body.Len())
	}
	w.want(w.call("PUT", "/api/items/"+ids[1]+"/state", map[string]bool{"isRead": true}, nil), 200)
	if again := ask(tag); again.Code != 304 {
		t.Errorf("after the mark of another: %d", again.Code)
	}
	w.want(w.call("PUT", "/api/items/"+ids[0]+"/state", map[string]bool{"isRead": true}, nil), 200)
	if again := ask(tag); again.Code != 200 {
		t.Errorf("after a mark: %d", again.Code)
	}
}

// TestBatchesHaveALimitOfTheirOwn: as many batches as there may be take nothing from other requests, nor the other way.
func TestBatchesHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.RateUser = 4 })
	until := func(path string) (n int) {
		for ; n < 100; n++ {
			if resp := w.call("GET", path, nil, nil); resp.StatusCode == 429 {
				if resp.Header.Get("Retry-After") != map[bool]string{true: "2",
					false: "6"}[strings.Contains(path, "bodies")] {
					t.Errorf("%s: Retry-After %q", path, resp.Header.Get("Retry-After"))
				}
				return n
			}
		}
		return n
	}
	if n := until("/api/items/bodies?ids=1"); n != 30 {
		t.Errorf("%d batches", n)
	}
	if n := until("/api/labels"); n != 10 {
		t.Errorf("%d other requests", n)
	}
	w.clock.Add(2 * time.Second)
	if n := until("/api/items/bodies?ids=1"); n != 1 {
		t.Errorf("%d batches two seconds later", n)
	}
}

// TestBatchesReadLinkedPages of subscriptions that ask for them, with a share of pages of their own: what exceeds it is
// for a later batch, and no batch is empty.
func TestBatchesReadLinkedPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	texts := make([]string, 24)
	for i := range texts {
		texts[i] = "short"
	}
	ids := w.publish(texts...)
	id, err := reader.ParseItemID(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	row, err := w.store.Subscriptions.Get(t.Context(), w.owner, id.Feed())
	if err != nil {
		t.Fatal(err)
	}
	changed := *row
	changed.FullText, changed.Rev = true, row.Rev+1
	if _, err := w.store.Subscriptions.Change(t.Context(), w.owner, row, &changed); err != nil {
		t.Fatal(err)
	}
	a := w.batch(ids...)
	if len(a.Items) != 20 || !slices.Equal(a.Rest, ids[20:]) || a.Items[0]["fullText"] == nil {
		t.Errorf("%d items, rest %v, of %v", len(a.Items), a.Rest, ids)
	}
	resp := w.call("GET", "/api/items/bodies?ids="+strings.Join(a.Rest, ","), nil, nil)
	if w.want(resp, 429); resp.Header.Get("Retry-After") != "3" {
		t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
	}
	// What a person opens still has its page.
	var opened struct {
		Item struct{ FullText *fullTextAnswer }
	}
	if w.want(w.call("GET", "/api/items/"+ids[23], nil, &opened), 200); opened.Item.FullText == nil {
		t.Error("batches used up the pages of a person")
	}
	w.clock.Add(6 * time.Second)
	if a = w.batch(a.Rest...); !slices.Equal(a.ids(), ids[20:22]) || !slices.Equal(a.Rest, ids[22:]) {
		t.Errorf("six seconds later %v, rest %v", a.ids(), a.Rest)
	}
}

// slowClock passes a second whenever it is asked.
type slowClock struct {
	start time.Time
	asked atomic.Int64
}

func (c *slowClock) Now() time.Time { return c.start.Add(time.Duration(c.asked.Add(1)) * time.Second) }

// TestBatchesAreBoundedInTime: a slow batch ends early, and has something.
func TestBatchesAreBoundedInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.publish("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	w.elsewhere(func(o *api.Options) { o.Clock = &slowClock{start: w.clock.Now()} })
	a := w.batch(ids...)
	if n := len(a.Items); n < 1 || n > 8 || !slices.Equal(a.Rest, ids[n:]) {
		t.Errorf("%d items, rest %v", n, a.Rest)
	}
}

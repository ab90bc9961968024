package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// countedWorld is a world whose items have bookmark counts.
type countedWorld struct {
	*world
	counts []store.ChangedCount
}

func newCountedWorld(t *testing.T) *countedWorld {
	w := newWorld(t)
	w.options.Popular = popular.New(w.store, w.blobs, w.sent, w.clock, w.options.Log, nil, popular.Options{})
	w.options.Explore = explore.New(w.store, w.blobs, w.sent, w.options.Streams, w.options.Popular, nil,
		w.clock, w.options.Log)
	w.options.Find = find.New(w.options.Streams, search.New(w.store, w.blobs, w.clock),
		w.options.Popular, search.Titles)
	w.handler = api.New(w.options)
	return &countedWorld{world: w}
}

// feed adds a subscription of the owner with one item, which has a count.
func (w *countedWorld) feed(url string, sub store.SubscriptionRow, link, title, snippet string, n int) {
	w.t.Helper()
	w.feedOf(w.owner, url, sub, link, title, snippet, n)
}

func (w *countedWorld) feedOf(u reader.UserID, url string, sub store.SubscriptionRow, link, title,
	snippet string, n int) {
	w.t.Helper()
	now := w.clock.Now()
	at, stamp := now.Add(-time.Hour).Unix(), reader.MinuteOf(now)
	row, err := w.store.Feeds.Ensure(w.t.Context(), url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1, Title: "Feed <b>", Seq: 1, FirstSeq: 1,
			Stamp: uint32(stamp), NewestAt: at}
	})
	if err == nil {
		sub.Since = 1
		err = w.store.Subscriptions.Add(w.t.Context(), u, row.ID(), sub)
	}
	var d *store.DeltaRow
	if err == nil {
		d, err = store.NewDelta(row.ID(), 1, stamp, now.UnixMilli(), "",
			[]store.Header{{Identity: 1, Title: title, Link: link, Sort: at, Snippet: snippet}})
	}
	if err == nil {
		err = w.store.Items.Put(w.t.Context(), d)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.counts = append(w.counts,
		store.ChangedCount{Feed: row.ID(), Seq: 1, N: n, Sort: at, Story: reader.StoryHash(reader.StoryURL(link))})
}

// count writes the counts.
func (w *countedWorld) count() {
	w.t.Helper()
	tick := schedule.TickOf(w.clock.Now())
	row := store.CycleRow{Began: tick.Start().Unix()}
	err := w.store.Accounts.SetCounts(w.t.Context(), true)
	if err == nil {
		err = w.store.Cycles.Begin(w.t.Context(), tick, &row)
	}
	if err == nil {
		row.SetChanged(w.counts)
		err = w.store.Cycles.End(w.t.Context(), tick, &row)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// get requests a public page, as a browser that is signed in.
func (w *countedWorld) get(path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

const hostile = `</title><script>alert(1)</script> " ' & ]]> <!-- ` + "\x00\x1b\uFFFE"

// publish sets the public pages as the owner does.
func (w *countedWorld) publish(isOn bool, folders ...string) {
	w.t.Helper()
	w.want(w.call("PUT", "/api/site",
		map[string]any{"publicPages": map[string]any{"isOn": isOn, "folders": append([]string{}, folders...),
			"threshold": 1}}, nil), 200)
}

// published makes the folder 1 public, and with it 2, which is inside. Canaries are what must not be in it.
func published(t *testing.T) *countedWorld {
	w := newCountedWorld(t)
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "Canary folder"}, nil), 201)
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "Canary inside", "parentId": "1"}, nil), 201)
	in := store.SubscriptionRow{Folders: []reader.FolderID{1}, Title: "Canary title"} // the first folder is number 1
	w.feed("https://public.org/feed", in, "https://public.org/1?a=1&b=%22", hostile, hostile, 12)
	inside := in
	inside.Folders = []reader.FolderID{2}
	w.feed("https://public.org/second", inside, "https://public.org/2", "Second", "", 3)
	w.feed("https://public.org/untitled", in, "https://public.org/3", "", "text", 2)
	w.feed("https://elsewhere.org/feed", store.SubscriptionRow{}, "https://elsewhere.org/1",
		"Canary not in the folder", "", 50)
	muted := in
	muted.Mute = true
	w.feed("https://muted.org/feed", muted, "https://muted.org/1", "Canary muted", "", 50)
	w.feed("https://secret.org/feed?token=abc", in, "https://secret.org/1", "Canary secret", "", 50)
	w.feed("https://user:pw@secret.org/feed", in, "https://secret.org/2", "Canary password", "", 50)
	w.feed("https://nas.local/feed", in, "https://secret.org/3", "Canary private network", "", 50)
	w.feed("https://nas.org/feed", in, "https://nas.local/1", "Canary private link", "", 50)
	w.feed("https://script.org/feed", in, "javascript:alert(1)//x.org/", "Canary script", "", 50)
	other, err := w.auth.AddUser(t.Context(), "other@example.org", "a long password", false)
	if err != nil {
		t.Fatal(err)
	}
	w.feedOf(other, "https://elsewhere.org/theirs", in, "https://elsewhere.org/2",
		"Canary of another user's folder 1", "", 50)
	w.count()
	w.publish(true, "1")
	return w
}

var publicPaths = []string{"/popular", "/popular.atom", "/popular.json", "/popular/new", "/popular/new.atom",
	"/popular/new.json"}

// Public pages show the feeds that the owner chose and nothing of the owner or of anybody else, whoever asks, without a
// cookie, and cacheable.
func TestPublicPagesShowWhatIsPublic(t *testing.T) {
	t.Parallel()
	w := published(t)
	for _, path := range publicPaths {
		rec := w.get(path)
		body := rec.Body.String()
		if rec.Code != 200 || !strings.Contains(body, "https://public.org/2") || strings.Count(body, "Second") != 1 {
			t.Errorf("%s answers %d: %s", path, rec.Code, body)
		}
		if strings.Contains(body, "Canary") || strings.Contains(body, "secret.org") ||
			strings.Contains(body, "elsewhere") || strings.Contains(body, "javascript") {
			t.Errorf("%s shows what is private: %s", path, body)
		}
		if h := rec.Header(); h.Get("Cache-Control") != "public, max-age=900" || h.Get("ETag") == "" ||
			len(rec.Result().Cookies()) > 0 ||
			fmt.Sprint(h.Values("Vary")) != "[Accept-Encoding, Accept-Language]" {
			t.Errorf("%s has the headers %v", path, h)
		}
		if again := w.get(path, "If-None-Match", rec.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("%s with its tag answers %d", path, again.Code)
		}
		if body := w.get(path + "?threshold=3").Body.String(); !strings.Contains(body, "https://public.org/2") ||
			strings.Contains(body, "https://public.org/3") {
			t.Errorf("%s with a threshold has %s", path, body)
		}
		head := httptest.NewRecorder()
		if w.handler.ServeHTTP(head, httptest.NewRequest("HEAD", path, nil)); head.Code != 200 || head.Body.Len() > 0 ||
			head.Header().Get("Content-Length") != rec.Header().Get("Content-Length") {
			t.Errorf("HEAD %s answers %d with %v", path, head.Code, head.Header())
		}
	}
	if first := w.get("/popular.json").Body.String(); strings.Index(first, "public.org/1") > strings.Index(first,
		"public.org/2") {
		t.Error("the hottest is not first")
	}
}

// Below a path of the host, all links to lists have it.
func TestPublicPagesBelowAPath(t *testing.T) {
	t.Parallel()
	w := published(t)
	w.elsewhere(func(o *api.Options) { o.BaseURL = "https://home.example/reader" })
	page, feed := w.get("/popular").Body.String(), w.get("/popular.json").Body.String()
	if strings.Contains(page, `href="/popular`) || !strings.Contains(page, `href="/reader/popular/new`) {
		t.Errorf("the page leads elsewhere: %s", page)
	}
	if !strings.Contains(feed, `"feed_url":"https://home.example/reader/popular.json"`) {
		t.Errorf("the feed names itself otherwise: %s", feed)
	}
}

// Whatever a publisher writes is text.
func TestPublicPagesEscape(t *testing.T) {
	t.Parallel()
	w := published(t)
	rec := w.get("/popular?lang=ja")
	body := rec.Body.String()
	style := body[strings.Index(body, "<style>")+len("<style>") : strings.Index(body, "</style>")]
	sum := sha256.Sum256([]byte(style))
	if csp := rec.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
		!strings.Contains(csp, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Errorf("the policy is %s", csp)
	}
	allowed := " html head meta title link style body header h1 nav span a main ol li h2 p bdi time footer "
	links := 0
	for z := html.NewTokenizer(rec.Body); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			break
		}
		token := z.Token()
		if kind == html.CommentToken || kind == html.StartTagToken && !strings.Contains(allowed, " "+token.Data+" ") {
			t.Errorf("the page has %s", token)
		}
		for _, a := range token.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("the page has %s", token)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "/popular") && a.Val != "#articles" {
				if links++; links == 1 && a.Val != "https://public.org/1?a=1&b=%22" {
					t.Errorf("the first link is %s", a.Val)
				}
			}
		}
	}
	if links != 3 || !strings.Contains(body, `<html lang="ja">`) || !strings.Contains(body, "人気") ||
		!strings.Contains(body, ">https://public.org/3</a>") {
		t.Errorf("%d links in %s", links, body)
	}
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	type feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Links   []link   `xml:"link"`
		Entries []struct {
			ID        string    `xml:"id"`
			Title     string    `xml:"title"`
			Author    string    `xml:"author>name"`
			Updated   time.Time `xml:"updated"`
			Published time.Time `xml:"published"`
			Link      link      `xml:"link"`
		} `xml:"entry"`
	}
	var hot, newest feed
	for path, f := range map[string]*feed{"/popular.atom": &hot, "/popular/new.atom?lang=ja&period=day": &newest} {
		if err := xml.Unmarshal(w.get(path).Body.Bytes(), f); err != nil || len(f.Entries) != 3 ||
			f.Links[0] != (link{"self", "http://example.com" + path}) {
			t.Fatalf("%+v, %v", f, err)
		}
	}
	if hot.ID != "tag:example.com,2026:/popular" || newest.ID != "tag:example.com,2026:/popular/new?period=day" {
		t.Errorf("the feeds are named %q and %q", hot.ID, newest.ID)
	}
	if e := hot.Entries[0]; !strings.HasPrefix(e.Title, `</title><script>alert(1)</script> " ' & ]]> <!--`) ||
		e.Link != (link{"alternate", "https://public.org/1?a=1&b=%22"}) || e.Author != "Feed <b>" ||
		!strings.HasPrefix(e.ID, "tag:example.com,2026:/entry/") || !e.Published.Equal(w.clock.Now().Add(-time.Hour)) ||
		!e.Updated.Equal(e.Published) {
		t.Errorf("%+v", e)
	}
	names := map[string]bool{}
	for _, e := range slices.Concat(hot.Entries, newest.Entries) {
		names[e.ID] = true
	}
	if len(names) != 3 {
		t.Errorf("three entries in two lists have the names %v", names)
	}
	var out struct {
		Version string
		FeedURL string `json:"feed_url"`
		Items   []struct {
			ID, URL, Title string
			Content        *string `json:"content_text"`
		}
	}
	if err := json.Unmarshal(w.get("/popular.json").Body.Bytes(), &out); err != nil || len(out.Items) != 3 ||
		out.Version != "https://jsonfeed.org/version/1.1" || out.FeedURL != "http://example.com/popular.json" ||
		out.Items[0].Title != hostile || out.Items[1].Content == nil || !names[out.Items[0].ID] {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestPublicPagesAreMadeFourTimesAnHour(t *testing.T) {
	t.Parallel()
	w := published(t)
	first := w.get("/popular").Body.String()
	w.feed("https://public.org/late", store.SubscriptionRow{Folders: []reader.FolderID{1}},
		"https://public.org/late", "Late", "", 9)
	w.clock.Add(14 * time.Minute)
	reads := w.store.Table().Meter().Snapshot()
	if got := w.get("/popular").Body.String(); got != first {
		t.Error("it is made again within a quarter of an hour")
	}
	after := w.store.Table().Meter().Snapshot()
	if n := after.TotalReads() - reads.TotalReads(); n > 1 { // the owner's choice, and the folders
		t.Errorf("a page in memory reads %v units", n)
	}
	w.clock.Add(2 * time.Minute)
	w.count()
	if got := w.get("/popular").Body.String(); !strings.Contains(got, "Late") {
		t.Error("it is not made again")
	}
}

// The public pages are off by default, and then redirect to the reader's own Popular. Switching them off and deleting a
// folder take effect at once.
func TestPublicPagesCanBeOff(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	expect := func(status int) {
		t.Helper()
		for _, path := range publicPaths {
			want, to := status, ""
			if status == 404 && !strings.Contains(path, ".") {
				want, to = 303, "/my/popular"
			}
			if rec := w.get(path); rec.Code != want || rec.Header().Get("Location") != to {
				t.Errorf("%s answers %d %q, want %d %q", path, rec.Code, rec.Header().Get("Location"), want, to)
			}
		}
	}
	expect(404)
	w = published(t)
	expect(200)
	w.publish(false, "1")
	expect(404)
	w.publish(true)
	expect(404)
	w.publish(true, "1", "2")
	expect(200)
	w.want(w.call("PATCH", "/api/folders/2", map[string]any{"parentId": nil}, nil), 200)
	w.want(w.call("DELETE", "/api/folders/2", nil, nil), 200)
	if body := w.get("/popular").Body.String(); strings.Contains(body, "public.org/2") ||
		!strings.Contains(body, "public.org/1") {
		t.Errorf("without its folder a feed is still in %s", body)
	}
	w.want(w.call("DELETE", "/api/folders/1", nil, nil), 200)
	expect(404)
}

// H-22: the owner's threshold is the least: visitors can ask for more bookmarks, not for fewer.
func TestPublicPagesKeepTheThreshold(t *testing.T) {
	t.Parallel()
	w := published(t)
	w.want(w.call("PUT", "/api/site",
		map[string]any{"publicPages": map[string]any{"isOn": true, "folders": []string{"1"}, "threshold": 3}}, nil),
		200)
	for query, want := range map[string]int{"": 2, "?threshold=1": 2, "?threshold=3": 2, "?threshold=10": 1,
		"?threshold=50": 0} {
		body := w.get("/popular" + query).Body.String()
		if n := strings.Count(body, "<h2 "); n != want || strings.Contains(body, "threshold=1\"") {
			t.Errorf("%q lists %d entries, want %d: %s", query, n, want, body)
		}
	}
}

func TestPublicPagesRefuseOtherValues(t *testing.T) {
	t.Parallel()
	w := published(t)
	for query, field := range map[string]string{"period=year": "period", "threshold=2": "threshold",
		"threshold=x": "threshold", "lang=fr": "lang"} {
		rec := w.get("/popular?" + query)
		var p problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || rec.Code != 400 || len(p.Details) != 1 ||
			p.Details[0].Field != field {
			t.Errorf("%s answers %d: %s", query, rec.Code, rec.Body)
		}
	}
	for body, want := range map[string]int{
		`"folders":["7"],"threshold":1`: 404, `"folders":["x"],"threshold":1`: 404,
		`"folders":["1"],"threshold":2`:                                   400,
		`"folders":[` + strings.Repeat(`"1",`, 20) + `"1"],"threshold":1`: 400,
	} {
		if resp := w.call("PUT", "/api/site", `{"publicPages":{"isOn":true,`+body+`}}`, nil); resp.StatusCode != want {
			t.Errorf("%.60s answers %d, want %d", body, resp.StatusCode, want)
		}
	}
	var site struct {
		PublicPages struct {
			IsOn      bool
			Folders   []string
			Threshold int
		}
	}
	if w.want(w.call("GET", "/api/site", nil, &site), 200); fmt.Sprint(site.PublicPages) != "{true [1] 1}" {
		t.Errorf("%+v", site)
	}
}

// H-22, H-23: the parameters of lists of entries, and the name of the field that is wrong.
func TestEntriesByTheAPI(t *testing.T) {
	t.Parallel()
	w := published(t)
	var out struct {
		Entries []struct {
			ID, Host      string
			BookmarkCount int
			Item          struct {
				Title         string
				BookmarkCount int
			}
		}
		State      string
		NextCursor *string
	}
	if w.want(w.call("GET", "/api/entries/hot?threshold=3&limit=5&offset=5", nil, &out), 200); len(out.Entries) != 2 ||
		out.State != "ready" || out.NextCursor != nil {
		t.Fatalf("%+v", out)
	}
	e := out.Entries[0]
	if e.BookmarkCount != 12 || e.Item.BookmarkCount != 12 || e.Host != "public.org" || len(e.ID) != 12 {
		t.Errorf("%+v", e)
	}
	for query, field := range map[string]string{
		"hot?order=best": "order", "hot?period=year": "period", "new?threshold=-1": "threshold",
		"new?threshold=1000001": "threshold", "new?offset=1001": "offset",
		"new?offset=-1": "offset", "new?offset=1&threshold=0": "offset", "new?cursor=x": "cursor",
		"hot?limit=201":   "limit",
		"hot?tag=nothing": "tag",
	} {
		var p problem
		if resp := w.call("GET", "/api/entries/"+query, nil, &p); resp.StatusCode != http.StatusBadRequest ||
			len(p.Details) != 1 || p.Details[0].Field != field {
			t.Errorf("%s answers %d: %+v", query, resp.StatusCode, p)
		}
	}
	var page pageAnswer
	if w.want(w.call("GET", "/api/items?order=popular&folder=1", nil, &page), 200); len(page.Items) != 9 ||
		page.Items[8].Link != "https://public.org/3" {
		t.Errorf("%+v", page)
	}
}

// H-24: a tag of three public entries has a page and feeds; one that only others have is as unknown as any.
func TestPublicTags(t *testing.T) {
	t.Parallel()
	w := published(t)
	in := store.SubscriptionRow{Folders: []reader.FolderID{1}}
	for i := range 3 {
		w.feed(fmt.Sprintf("https://public.org/tagged/%d", i), in, fmt.Sprintf("https://public.org/tagged/%d", i),
			"Kubernetes", "", 2+i)
		w.feed(fmt.Sprintf("https://nas.org/tagged/%d", i), in, fmt.Sprintf("https://nas.local/%d", i), "Canary", "", 0)
		w.feed(fmt.Sprintf("https://elsewhere.org/tagged/%d", i), store.SubscriptionRow{},
			fmt.Sprintf("https://elsewhere.org/tagged/%d", i), "Secret project", "", 50)
	}
	w.clock.Add(schedule.TickLength)
	w.count()
	if err := w.options.Explore.Nightly(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/popular/tags/Kubernetes": 3, "/popular/tags/Kubernetes.atom": 3, "/popular/tags/Kubernetes.json": 3,
		"/popular/tags/Kubernetes?threshold=3":  2,
		"/popular/tags/Kubernetes?threshold=50": 0,
	} {
		rec := w.get(path)
		if n := strings.Count(rec.Body.String(), `"https://public.org/tagged/`); rec.Code != 200 || n != want ||
			strings.Contains(rec.Body.String(), "Canary") {
			t.Errorf("%s answers %d with %d entries, want %d: %s", path, rec.Code, n, want, rec.Body)
		}
	}
	for _, path := range []string{"/popular/tags/Secret%20project", "/popular/tags/Canary", "/popular/tags/Canary.atom",
		"/popular/tags/unheard%20of", "/popular/tags/.json"} {
		if rec := w.get(path); rec.Code != 404 {
			t.Errorf("%s answers %d", path, rec.Code)
		}
	}
	page := w.get("/popular").Body.String()
	if !strings.Contains(page, `<a href="/popular/tags/Kubernetes">Kubernetes</a>`) ||
		strings.Contains(page, "Secret") || strings.Contains(page, "Canary") {
		t.Errorf("the page links the wrong tags: %s", page)
	}
	if tagged := w.get("/popular/tags/Kubernetes?lang=ja").Body.String(); !strings.Contains(tagged,
		"<h1>「Kubernetes」の記事</h1>") || !strings.Contains(tagged, `aria-current="page">Kubernetes</a>`) ||
		!strings.Contains(tagged, `href="/popular/tags/Kubernetes?lang=ja" aria-current="true">30日以内</a>`) ||
		!strings.Contains(tagged, `href="/popular?lang=ja">人気</a>`) {
		t.Errorf("the page of a tag is %s", tagged)
	}
}

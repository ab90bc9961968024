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
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/explore"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
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
	w.options.Explore = explore.New(w.store, w.options.Streams, w.options.Popular, w.clock)
	w.handler = api.New(w.options)
	return &countedWorld{world: w}
}

// feed adds a subscription with one item, which has a count.
func (w *countedWorld) feed(url string, sub store.SubscriptionRow, link, title, snippet string, n int) reader.FeedID {
	w.t.Helper()
	now := w.clock.Now()
	at, stamp := now.Add(-time.Hour).Unix(), reader.MinuteOf(now)
	row, err := w.store.Feeds.Ensure(w.t.Context(), url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1, Title: "Feed <b>", Seq: 1, FirstSeq: 1, Stamp: uint32(stamp), NewestAt: at}
	})
	if err == nil {
		sub.Since = 1
		err = w.store.Subscriptions.Add(w.t.Context(), w.owner, row.ID(), sub)
	}
	var d *store.DeltaRow
	if err == nil {
		d, err = store.NewDelta(row.ID(), 1, stamp, now.UnixMilli(), "", []store.Header{{Identity: 1, Title: title, Link: link, Sort: at, Snippet: snippet}})
	}
	if err == nil {
		err = w.store.Items.Put(w.t.Context(), d)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.counts = append(w.counts, store.ChangedCount{Feed: row.ID(), Seq: 1, N: n, Sort: at, Story: reader.StoryHash(reader.StoryURL(link))})
	return row.ID()
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

// published makes the folder 1 public. Canaries are what must not be in it.
func published(t *testing.T) *countedWorld {
	w := newCountedWorld(t)
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "Canary folder"}, nil), 201)
	in := store.SubscriptionRow{Folders: []reader.FolderID{1}, Title: "Canary title"} // the first folder is number 1
	w.feed("https://public.org/feed", in, "https://public.org/1?a=1&b=%22", hostile, hostile, 12)
	w.feed("https://public.org/second", in, "https://public.org/2", "Second", "", 3)
	w.feed("https://public.org/untitled", in, "https://public.org/3", "", "text", 2)
	w.feed("https://elsewhere.org/feed", store.SubscriptionRow{}, "https://elsewhere.org/1", "Canary not in the folder", "", 50)
	muted := in
	muted.Mute = true
	w.feed("https://muted.org/feed", muted, "https://muted.org/1", "Canary muted", "", 50)
	w.feed("https://secret.org/feed?token=abc", in, "https://secret.org/1", "Canary secret", "", 50)
	w.feed("https://user:pw@secret.org/feed", in, "https://secret.org/2", "Canary password", "", 50)
	w.feed("https://nas.org/feed", in, "https://nas.local/1", "Canary private link", "", 50)
	w.count()
	w.want(w.call("PUT", "/api/site", map[string]any{"publicPages": map[string]any{"folders": []string{"1"}, "threshold": 1}}, nil), 200)
	return w
}

var publicPaths = []string{"/popular", "/popular.atom", "/popular.json", "/popular/new", "/popular/new.atom", "/popular/new.json"}

// Public pages show the feeds that the owner chose and nothing of the owner, whoever asks, without a cookie, and cacheable.
func TestPublicPagesShowWhatIsPublic(t *testing.T) {
	t.Parallel()
	w := published(t)
	for _, path := range publicPaths {
		rec := w.get(path)
		body := rec.Body.String()
		if rec.Code != 200 || !strings.Contains(body, "https://public.org/2") || strings.Count(body, "Second") != 1 {
			t.Errorf("%s answers %d: %s", path, rec.Code, body)
		}
		if strings.Contains(body, "Canary") || strings.Contains(body, "secret.org") || strings.Contains(body, "elsewhere") {
			t.Errorf("%s shows what is private: %s", path, body)
		}
		if h := rec.Header(); h.Get("Cache-Control") != "public, max-age=900" || h.Get("ETag") == "" || len(rec.Result().Cookies()) > 0 {
			t.Errorf("%s has the headers %v", path, h)
		}
		if again := w.get(path, "If-None-Match", rec.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("%s with its tag answers %d", path, again.Code)
		}
		if body := w.get(path + "?threshold=3").Body.String(); !strings.Contains(body, "https://public.org/2") || strings.Contains(body, "https://public.org/3") {
			t.Errorf("%s with a threshold has %s", path, body)
		}
	}
	if first := w.get("/popular.json").Body.String(); strings.Index(first, "public.org/1") > strings.Index(first, "public.org/2") {
		t.Error("the hottest is not first")
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
	if csp := rec.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Errorf("the policy is %s", csp)
	}
	allowed := " html head meta title link style body header h1 nav b a main ol li h2 p time footer "
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
			if a.Key == "href" && !strings.HasPrefix(a.Val, "/popular") {
				if links++; links == 1 && a.Val != "https://public.org/1?a=1&b=%22" {
					t.Errorf("the first link is %s", a.Val)
				}
			}
		}
	}
	if links != 3 || !strings.Contains(body, `<html lang="ja">`) || !strings.Contains(body, "人気") || !strings.Contains(body, ">https://public.org/3</a>") {
		t.Errorf("%d links in %s", links, body)
	}
	var feed struct {
		Entries []struct {
			Title string `xml:"title"`
			Link  struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(w.get("/popular.atom").Body.Bytes(), &feed); err != nil || len(feed.Entries) != 3 {
		t.Fatalf("%+v, %v", feed, err)
	}
	if e := feed.Entries[0]; !strings.HasPrefix(e.Title, `</title><script>alert(1)</script> " ' & ]]> <!--`) || e.Link.Href != "https://public.org/1?a=1&b=%22" {
		t.Errorf("%+v", e)
	}
	var out struct {
		Version string
		Items   []struct{ ID, URL, Title string }
	}
	if err := json.Unmarshal(w.get("/popular.json").Body.Bytes(), &out); err != nil || len(out.Items) != 3 || out.Version != "https://jsonfeed.org/version/1.1" || out.Items[0].Title != hostile {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestPublicPagesAreMadeFourTimesAnHour(t *testing.T) {
	t.Parallel()
	w := published(t)
	first := w.get("/popular").Body.String()
	w.feed("https://public.org/late", store.SubscriptionRow{Folders: []reader.FolderID{1}}, "https://public.org/late", "Late", "", 9)
	w.clock.Add(14 * time.Minute)
	reads := w.store.Table().Meter().Snapshot()
	if got := w.get("/popular").Body.String(); got != first {
		t.Error("it is made again within a quarter of an hour")
	}
	after := w.store.Table().Meter().Snapshot()
	if n := after.TotalReads() - reads.TotalReads(); n > 0.5 {
		t.Errorf("a page in memory reads %v units", n)
	}
	w.clock.Add(2 * time.Minute)
	w.count()
	if got := w.get("/popular").Body.String(); !strings.Contains(got, "Late") {
		t.Error("it is not made again")
	}
}

// Without public folders there are no pages; in the process that was asked, at once.
func TestPublicPagesAreOffByDefault(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	for _, path := range publicPaths {
		if rec := w.get(path); rec.Code != 404 {
			t.Errorf("%s answers %d", path, rec.Code)
		}
	}
	w = published(t)
	w.want(w.call("PUT", "/api/site", map[string]any{"publicPages": map[string]any{"folders": []string{}, "threshold": 1}}, nil), 200)
	if rec := w.get("/popular"); rec.Code != 404 {
		t.Errorf("a page that was switched off answers %d", rec.Code)
	}
}

func TestPublicPagesRefuseOtherValues(t *testing.T) {
	t.Parallel()
	w := published(t)
	for query, field := range map[string]string{"period=year": "period", "threshold=2": "threshold", "threshold=x": "threshold", "lang=fr": "lang"} {
		rec := w.get("/popular?" + query)
		var p problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || rec.Code != 400 || len(p.Details) != 1 || p.Details[0].Field != field {
			t.Errorf("%s answers %d: %s", query, rec.Code, rec.Body)
		}
	}
	for body, want := range map[string]int{
		`{"folders":["7"],"threshold":1}`: 404, `{"folders":["x"],"threshold":1}`: 404, `{"folders":["1"],"threshold":2}`: 400,
		`{"folders":[` + strings.Repeat(`"1",`, 20) + `"1"],"threshold":1}`: 400,
	} {
		if resp := w.call("PUT", "/api/site", `{"publicPages":`+body+`}`, nil); resp.StatusCode != want {
			t.Errorf("%.60s answers %d, want %d", body, resp.StatusCode, want)
		}
	}
	var site struct {
		PublicPages struct {
			Folders   []string
			Threshold int
		}
	}
	if w.want(w.call("GET", "/api/site", nil, &site), 200); fmt.Sprint(site.PublicPages) != "{[1] 1}" {
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
	if w.want(w.call("GET", "/api/entries/hot?threshold=3&limit=5&offset=4", nil, &out), 200); len(out.Entries) != 2 || out.State != "ready" || out.NextCursor != nil {
		t.Fatalf("%+v", out)
	}
	e := out.Entries[0]
	if e.BookmarkCount != 12 || e.Item.BookmarkCount != 12 || e.Host != "public.org" || len(e.ID) != 12 {
		t.Errorf("%+v", e)
	}
	for query, field := range map[string]string{
		"hot?order=best": "order", "hot?period=year": "period", "new?threshold=-1": "threshold", "new?threshold=1000001": "threshold", "new?offset=1001": "offset",
		"new?offset=-1": "offset", "new?offset=1&threshold=0": "offset", "new?cursor=x": "cursor", "hot?limit=201": "limit",
	} {
		var p problem
		if resp := w.call("GET", "/api/entries/"+query, nil, &p); resp.StatusCode != http.StatusBadRequest || len(p.Details) != 1 || p.Details[0].Field != field {
			t.Errorf("%s answers %d: %+v", query, resp.StatusCode, p)
		}
	}
	var page pageAnswer
	if w.want(w.call("GET", "/api/items?order=popular&folder=1", nil, &page), 200); len(page.Items) != 7 || page.Items[6].Link != "https://public.org/3" {
		t.Errorf("%+v", page)
	}
}

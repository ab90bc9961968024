package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/popular/usage"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/watching"
	"github.com/ruri-reader/ruri/internal/webhook"
	"github.com/ruri-reader/ruri/internal/webhook/push"
)

// world is the API over real rooms, a memory table, real blobs, and a publisher on loopback that serves
// the samples under several host names' worth of paths.
type world struct {
	t         *testing.T
	driver    table.Driver
	store     *store.Store
	blobs     *blob.Bucket
	auth      *auth.Service
	clock     *clock.Manual
	options   api.Options
	handler   http.Handler
	publisher *httptest.Server
	sent      *sent
	owner     reader.UserID
	token     string
}

type sent struct {
	mu     sync.Mutex
	bodies [][]byte
}

func (s *sent) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, bodies...)
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOver(t, func(d table.Driver) table.Driver { return d })
}

// withoutLog is a table that does not say what changed, as in the cloud.
type withoutLog struct{ table.Driver }

// newWorldOver is newWorld over the table that hide makes of the one in memory.
func newWorldOver(t *testing.T, hide func(table.Driver) table.Driver) *world {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	driver := memtable.New()
	st := store.New(table.New(hide(driver), table.Options{Clock: clk, Kind: store.Kind}), clk)
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	blobs := blob.New(files)
	mux := http.NewServeMux()
	mux.Handle(samples.Prefix, samples.Handler(func(r *http.Request) string { return "http://" + r.Host }, clk))
	mux.HandleFunc("/hostile", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, hostileFeed)
	})
	mux.HandleFunc("/names", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"<!doctype html><link rel=alternate type=application/rss+xml href=/hostile><title>Moved</title>")
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"<!doctype html><link rel=alternate type=application/rss+xml href=/gone><title>Names what is gone</title>")
	})
	mux.HandleFunc("/wrong", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"<!doctype html><link rel=alternate type=application/rss+xml href=/plain><title>Names what is none</title>")
	})
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<!doctype html><title>No feed</title><p>Nothing here.")
	})
	mux.HandleFunc("/announces", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `</hostile>; rel="alternate"; type="application/rss+xml"; title="News"`)
		_, _ = io.WriteString(w, "<!doctype html><title>Its header names a feed</title>")
	})
	mux.HandleFunc("/shop", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, shopPage)
	})
	w := &world{t: t, driver: driver, store: st, blobs: blobs, clock: clk, sent: &sent{},
		publisher: httptest.NewServer(mux), auth: auth.New(st.Accounts, clk, auth.Options{})}
	t.Cleanup(w.publisher.Close)
	client := fetch.New(fetch.Options{Version: "test", AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Clock: clk})
	t.Cleanup(client.Close)
	crawler := crawl.New(st, blobs, client, clk, crawl.Options{})
	log := slog.New(slog.DiscardHandler)
	w.options = api.Options{
		Store: st, Streams: stream.New(st, blobs, clk), FullText: fulltext.New(st, client), Auth: w.auth,
		Clock: clk, Log: log, Version: "test",
		Subscribe: subscribe.New(subscribe.Deps{Store: st, Fetch: client, Crawler: crawler, Queue: w.sent, Clock: clk,
			Files: blobs, Log: log}), Crawler: crawler,
		Icons: icon.New(st, blobs, client, crawler, w.sent, clk, log, nil),
	}
	w.options.Find = find.New(w.options.Streams, search.New(st, blobs, clk), nil, search.Titles)
	w.options.Explore = explore.New(st, blobs, w.sent, w.options.Streams,
		popular.New(st, blobs, w.sent, clk, log, nil, popular.Options{}), nil, clk, log)
	w.options.Watching = watching.New(watching.Deps{
		Store: st, Streams: w.options.Streams, Subscribe: w.options.Subscribe, Crawler: crawler, Fetch: client,
		Blobs: blobs, Clock: clk, Log: log,
	})
	w.options.Usage = usage.New(st, clk, 2)
	w.options.Assist, _ = assist.New(st, clk, log, assist.Options{})
	w.options.Takeout = takeout.New(st, blobs, w.options.Subscribe, w.auth, w.sent, clk)
	w.options.Webhooks = webhook.New(st, client, client.PermitsPost, nil, w.sent, w.options.Subscribe, clk, log)
	w.options.Streams.OnStar(w.options.Webhooks.BeforeStar)
	w.options.Push = push.New(push.Deps{Store: st, Streams: w.options.Streams, Hooks: w.options.Webhooks, Fetch: client,
		Permits: client.PermitsPost, Key: w.options.Auth.Key, Queue: w.sent, Clock: clk, Log: log})
	w.handler = api.New(w.options)
	if err := blobs.Put(t.Context(), store.IconPrefix+iconName, []byte(iconBytes),
		blob.Meta{ContentType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	owner, err := w.auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.owner = owner.ID()
	if w.token, err = w.auth.NewToken(t.Context(), w.owner, "test", "", time.Time{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// One icon is there; that its name is not its hash is nobody's business but the finder's.
var iconName, iconBytes = strings.Repeat("0a", 32) + ".png", "\x89PNG"

const hostileFeed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Hostile</title><link>https://example.org/</link>
<item><guid>1</guid><title>&lt;script&gt;alert(1)&lt;/script&gt;Hi</title><link>javascript:alert(1)</link>
<description>&lt;p onclick="x()"&gt;Text&lt;script&gt;alert(2)&lt;/script&gt;&lt;img src="http://example.org/a.png" onerror="y()"&gt;&lt;a href="javascript:z()"&gt;l&lt;/a&gt;&lt;/p&gt;</description></item>
</channel></rss>`

// call makes a request with the owner's token and decodes the answer.
func (w *world) call(method, path string, body any, into any) *http.Response {
	w.t.Helper()
	return w.callAs(w.token, method, path, body, into)
}

func (w *world) callAs(token, method, path string, body any, into any) *http.Response {
	w.t.Helper()
	var src io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		src = strings.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		src = bytes.NewReader(j)
	}
	r := httptest.NewRequest(method, path, src)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	resp := rec.Result()
	if into != nil {
		if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil {
			w.t.Fatalf("%s %s answered %d: %.300s", method, path, resp.StatusCode, rec.Body.String())
		}
	}
	return resp
}

func (w *world) want(resp *http.Response, status int) {
	w.t.Helper()
	if resp.StatusCode != status {
		w.t.Fatalf("status is %d, want %d", resp.StatusCode, status)
	}
}

type feedAnswer struct {
	Feed struct {
		ID          string `json:"id"`
		Title       string `json:"title"`
		URL         string `json:"url"`
		UnreadCount int    `json:"unreadCount"`
		ItemCount   int    `json:"itemCount"`
		Status      string `json:"status"`
		Starred     int    `json:"starredCount"`
	} `json:"feed"`
}

type pageAnswer struct {
	Items []struct {
		ID        string `json:"id"`
		FeedID    string `json:"feedId"`
		Title     string `json:"title"`
		Published string `json:"publishedAt"`
		IsRead    bool   `json:"isRead"`
		IsStarred bool   `json:"isStarred"`
		Estimated bool   `json:"isDateEstimated"`
		Link      string `json:"link"`
	} `json:"items"`
	Next *string `json:"nextCursor"`
}

type problem struct {
	Code, Message, Category, Action string
	RetryAfter                      int
	Details                         []struct{ Field, Code, Message string }
	NextAt                          string
}

// addSamples subscribes to every sample feed.
func (w *world) addSamples() []feedAnswer {
	w.t.Helper()
	var out []feedAnswer
	for _, f := range samples.List() {
		var a feedAnswer
		w.want(w.call("POST", "/api/feeds", map[string]string{"url": w.publisher.URL + f.Path}, &a), 201)
		if a.Feed.ItemCount != f.Items {
			w.t.Fatalf("%s has %d items, want %d", f.Path, a.Feed.ItemCount, f.Items)
		}
		out = append(out, a)
	}
	return out
}

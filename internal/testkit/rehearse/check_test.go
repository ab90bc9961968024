package rehearse

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// TestRehearsal deploys the template and walks once through the stack from outside. The browser tests do the same in
// more detail; this needs no browser.
func TestRehearsal(t *testing.T) {
	bootstraps := os.Getenv("RURI_BOOTSTRAPS")
	if bootstraps == "" {
		t.Skip("needs the built functions and page: make test-rehearsal")
	}
	o := Options{Root: "../../..", Bootstraps: bootstraps, Page: "../../assets/webui/dist"}
	if testing.Verbose() {
		o.Log = os.Stderr
	}
	rig, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rig.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	s, err := rig.Deploy(ctx, Parameters())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	publisher, items := growingFeed()
	t.Cleanup(publisher.Close)
	w := newWalker(ctx, t, s)
	w.page()
	w.signIn()
	w.refusals()
	w.importFeed(publisher.URL)
	w.read()
	w.apps(publisher.URL, 2)
	w.export(publisher.URL)
	items.Add(1)
	n := w.tick()
	s.Host.Recycle() // cold starts
	w.expectItems(n)
	if denied := s.Denied(); len(denied) > 0 {
		t.Errorf("roles did not allow:\n  %s", strings.Join(denied, "\n  "))
	}
}

// growingFeed serves a feed with as many items as the counter says, at first two.
func growingFeed() (*httptest.Server, *atomic.Int64) {
	items := new(atomic.Int64)
	items.Store(2)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>Rehearsed</title>`)
		for i := range items.Load() {
			_, _ = fmt.Fprintf(w, `<item><guid>%d</guid><title>Item %d</title><description>%s</description></item>`, i,
				i, strings.Repeat("Text. ", 300))
		}
		_, _ = io.WriteString(w, `</channel></rss>`)
	})), items
}

// walker is a reader's client. Its methods fail the test at the first wrong response.
type walker struct {
	*testing.T
	ctx    context.Context
	s      *Stack
	client *http.Client
}

func newWalker(ctx context.Context, t *testing.T, s *Stack) *walker {
	client := s.rig.client(t)
	client.Jar, _ = cookiejar.New(nil)
	return &walker{T: t, ctx: ctx, s: s, client: client}
}

// client trusts the certificate of the fronts.
func (r *Rig) client(tb testing.TB) *http.Client {
	tb.Helper()
	pem, err := os.ReadFile(r.certFile)
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true}}
}

func (w *walker) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// call sends a request and checks the response's status.
func (w *walker) call(method, path, body string, status int) (http.Header, []byte) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.ctx, method, w.s.URL+path, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cache-Control", "no-cache") // a list may be a minute old otherwise
	if strings.HasPrefix(body, "{") {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := w.client.Do(req)
	w.must(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	w.must(err)
	if res.StatusCode != status {
		w.Fatalf("%s %s answers %d, not %d: %.300s", method, path, res.StatusCode, status, b)
	}
	return res.Header, b
}

// json is call for a successful response in JSON.
func (w *walker) json(method, path, body string, into any) {
	w.Helper()
	_, b := w.call(method, path, body, 200)
	w.must(json.Unmarshal(b, into))
}

func (w *walker) page() {
	for _, path := range []string{"/", "/feed/12/i/3", "/login"} {
		headers, b := w.call("GET", path, "", 200)
		if !bytes.Contains(b, []byte("<html")) {
			w.Fatalf("%s is %.80s", path, b)
		}
		for _, h := range []string{"Content-Security-Policy", "Strict-Transport-Security", "X-Content-Type-Options",
			"Referrer-Policy", "Permissions-Policy"} {
			if headers.Get(h) == "" {
				w.Errorf("%s has no %s", path, h)
			}
		}
	}
	w.call("GET", "/assets/none.js", "", 404)
	w.call("GET", "/healthz", "", 200)
}

func (w *walker) signIn() {
	w.call("GET", "/api/me", "", 401)
	link, err := w.s.Link(w.ctx, "")
	w.must(err)
	path := strings.TrimPrefix(link, w.s.URL)
	w.call("GET", path, "", 200) // a page with a button, which signs nobody in
	w.call("GET", "/api/me", "", 401)
	w.call("POST", path, "", 200)
	w.call("GET", "/api/me", "", 200)
}

// refusals sends what the gateway changes or refuses: none of it may end as a failure of the function.
func (w *walker) refusals() {
	for _, path := range []string{"/api/items/100%25", "/api/items/a%23b?c=d", "/api/items/a%20b%2Fc",
		"/api/items/%E6%97%A5%0A"} {
		w.call("GET", path, "", 404)
	}
	w.call("POST", "/api/import/opml", strings.Repeat("x", lambdahost.MaxPayload), 413)
	w.call("POST", "/feed/12", "", 403) // the page takes no changes
}

func (w *walker) importFeed(address string) {
	w.call("POST", "/api/import/opml", `<opml version="2.0"><body><outline text="r" xmlUrl="`+address+
		`/feed"/></body></opml>`, 200)
	w.must(w.s.Drained(w.ctx))
	w.expectItems(2)
}

func (w *walker) items() (ids []string) {
	w.Helper()
	var p struct{ Items []struct{ ID string } }
	w.json("GET", "/api/items?limit=50", "", &p)
	for _, it := range p.Items {
		ids = append(ids, it.ID)
	}
	return ids
}

func (w *walker) expectItems(n int) {
	w.Helper()
	if got := len(w.items()); got != n {
		w.Fatalf("%d items, want %d", got, n)
	}
}

func (w *walker) read() {
	path := "/api/items/" + w.items()[0]
	for range 2 { // parsed, then from the cache
		var one struct {
			Item struct{ ContentState, ContentHTML string }
		}
		w.json("GET", path, "", &one)
		if one.Item.ContentState != "full" || !strings.Contains(one.Item.ContentHTML, "Text.") {
			w.Fatalf("the body is %s %.60s", one.Item.ContentState, one.Item.ContentHTML)
		}
	}
	var state struct {
		Totals struct{ Unread, Starred int }
	}
	w.json("PUT", path+"/state", `{"isRead":true,"isStarred":true}`, &state)
	if state.Totals.Unread != 1 || state.Totals.Starred != 1 {
		w.Fatalf("after one was read and starred the totals are %+v", state.Totals)
	}
}

func (w *walker) export(address string) {
	if _, b := w.call("GET", "/api/export/opml", "", 200); !bytes.Contains(b, []byte(`xmlUrl="`+address+`/feed"`)) {
		w.Fatalf("the feed is not in %.300s", b)
	}
}

// tick makes the feed due in this tick, fires it, and returns the number of items there must be now. In the last
// minutes of a tick, in which no run may start, the message is dropped.
func (w *walker) tick() int {
	now := time.Now()
	t := schedule.TickOf(now)
	_, err := w.s.App.Store.Feeds.Modify(w.ctx, 1, func(f *store.FeedRow) {
		f.First, f.Period, f.Polled = int32(t), 1, 0
	})
	w.must(err)
	w.must(w.s.Tick(w.ctx, now))
	n := 3
	if !t.MayStart(time.Now()) {
		n = 2
	}
	w.expectItems(n)
	return n
}

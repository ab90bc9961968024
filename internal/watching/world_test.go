package watching_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// world is watches over storage in memory, and a shop on loopback.
type world struct {
	*watching.Service
	t       *testing.T
	store   *store.Store
	clock   *clock.Manual
	crawler *crawl.Crawler
	archive *takeout.Service
	shop    *shop
	url     string
	owner   reader.UserID
	user    reader.UserID
	mu      sync.Mutex
	sent    []job.Job
}

// thing is what the shop sells.
type thing struct {
	id    int
	title string
	price int
	sold  bool
	isOff bool // the list has it no more, only its own page
}

type shop struct {
	mu     sync.Mutex
	things []thing
	robots string
	asked  []string              // paths
	detail func(x *thing) string // the page of one thing; nil: it is the list as well
}

func (s *shop) set(change func(s *shop)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.RequestURI())
	if r.URL.Path == "/robots.txt" {
		_, _ = w.Write([]byte(s.robots))
		return
	}
	if r.URL.Path == "/gone" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if id, ok := strings.CutPrefix(r.URL.Path, "/item/"); ok && s.detail != nil {
		for i := range s.things {
			if strconv.Itoa(s.things[i].id) == id {
				fmt.Fprint(w, `<!doctype html><html lang=ja><main>`, s.detail(&s.things[i]), `</main>`)
			}
		}
		return
	}
	fmt.Fprint(w,
		`<!doctype html><html lang=ja><title>Shop</title><a href="/terms" rel="terms-of-service">Terms</a><ul>`)
	for _, x := range s.things {
		if x.isOff {
			continue
		}
		status := "販売中"
		if x.sold {
			status = "SOLD"
		}
		fmt.Fprintf(w,
			`<li class=item><h3><a href="/item/%d">%s</a></h3><img src="/img/%d.jpg"><span class=price>¥%d</span><b `+
				`class=status>%s</b></li>`, x.id, x.title, x.id, x.price, status)
	}
	fmt.Fprint(w, "</ul>")
}

func (s *shop) pages() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if path != "/robots.txt" {
			n++
		}
	}
	return n
}

// Send notes messages, which run takes.
func (w *world) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		w.sent = append(w.sent, j)
	}
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	w.shop = &shop{robots: "User-agent: *\nDisallow: /private\nCrawl-delay: 7\n"}
	for i := range 8 {
		w.shop.things = append(w.shop.things, thing{id: i + 1, title: fmt.Sprintf("Camera %c with a lens", 'A'+i),
			price: 1000 * (i + 1)})
	}
	server := httptest.NewServer(w.shop)
	t.Cleanup(server.Close)
	w.url = server.URL
	w.store = store.New(table.New(memtable.New(), table.Options{Clock: w.clock, Kind: store.Kind}), w.clock)
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: w.clock})
	w.must(err)
	blobs := blob.New(files)
	client := fetch.New(fetch.Options{Version: "test", AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Clock: w.clock})
	t.Cleanup(client.Close)
	log := slog.New(slog.DiscardHandler)
	w.crawler = crawl.New(w.store, blobs, client, w.clock, crawl.Options{Queue: w})
	subscriptions := subscribe.New(subscribe.Deps{Store: w.store, Fetch: client, Crawler: w.crawler, Queue: w,
		Clock: w.clock, Files: blobs, Log: log, Nap: func(_ context.Context, d time.Duration) error {
			w.clock.Add(d)
			return nil
		}})
	w.Service = watching.New(watching.Deps{
		Store: w.store, Streams: stream.New(w.store, blobs, w.clock), Subscribe: subscriptions, Crawler: w.crawler,
		Fetch: client, Blobs: blobs, Clock: w.clock, Log: log,
	})
	accounts := auth.New(w.store.Accounts, w.clock, auth.Options{})
	w.archive = takeout.New(w.store, blobs, subscriptions, accounts, nil, w.clock)
	owner, err := accounts.EnsureOwner(t.Context())
	w.must(err)
	user, err := accounts.AddUser(t.Context(), "reader@example.org", "a long password", false)
	w.must(err)
	w.owner, w.user = owner.ID(), user
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// run handles the messages that were sent.
func (w *world) run() {
	w.t.Helper()
	w.mu.Lock()
	jobs := w.sent
	w.sent = nil
	w.mu.Unlock()
	for _, j := range jobs {
		switch j.Kind {
		case job.First, job.Refresh:
			_, err := w.crawler.Run(w.t.Context(), j, max(j.Parts, 1))
			w.must(err)
		case job.Watch, job.Detail:
			w.clock.Add(7 * time.Second)
			w.must(w.crawler.Continue(w.t.Context(), j))
		}
	}
}

// look lets time pass and looks at a watch again.
func (w *world) look(x *watching.Watch) {
	w.t.Helper()
	w.clock.Add(75 * time.Minute)
	f, err := w.store.Feeds.Get(w.t.Context(), x.ID(), true)
	w.must(err)
	_, err = w.crawler.RunWatch(w.t.Context(), f, false)
	w.must(err)
}

// layout reads the shop's pages.
func layout() *listing.Layout {
	return &listing.Layout{Rows: listing.Rows{Selector: "li.item"}, Fields: map[string]listing.Field{
		"title": {At: "h3"}, "link": {At: "h3 a", Attr: "href"}, "price": {At: ".price"},
		"image":  {At: "img", Attr: "src"},
		"status": {At: ".status", Map: map[string]string{"SOLD": "sold", "販売中": "onSale"}},
	}}
}

func (w *world) settings(path string) watch.Settings {
	return watch.Settings{Name: "Cameras", URL: w.url + path, Layout: layout()}
}

// add makes a watch and looks at its page.
func (w *world) add(u reader.UserID, set watch.Settings) *watching.Watch {
	w.t.Helper()
	x, made, err := w.Add(w.t.Context(), u, watching.Wish{Settings: set, Interval: 60, Accepted: true})
	w.must(err)
	if !made {
		w.t.Fatal("there was one")
	}
	w.run()
	return w.get(u, x.ID())
}

func (w *world) get(u reader.UserID, id reader.FeedID) *watching.Watch {
	w.t.Helper()
	x, err := w.Latest(w.t.Context(), u, id)
	w.must(err)
	return x
}

func titles(p watching.Page) string {
	var list []string
	for _, r := range p.Results {
		list = append(list, strings.TrimSuffix(strings.TrimPrefix(r.Title, "Camera "), " with a lens"))
	}
	return strings.Join(list, "")
}

// replaced replaces texts by the ones behind them.
func replaced(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }

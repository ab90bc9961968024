package crawl_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var bg = context.Background()

// lab is a crawler with the real client, whose publishers are handlers on one server of loopback.
type lab struct {
	t       *testing.T
	clock   *clock.Manual
	driver  table.Driver
	table   *table.Table
	store   *store.Store
	blobs   *memblob.Driver
	crawler *crawl.Crawler
	client  *fetch.Client
	subs    *subscribe.Service
	server  *httptest.Server
	mux     *http.ServeMux
	pages   map[string]*page
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// newLab starts a lab; change may put another driver under the table or adapt the client.
func newLab(t *testing.T, change ...func(*lab, *fetch.Options)) *lab {
	t.Helper()
	l := &lab{
		t: t, clock: clock.NewManual(time.Date(2026, 9, 1, 12, 0, 30, 0, time.UTC)), driver: memtable.New(),
		blobs: memblob.New(), mux: http.NewServeMux(), pages: map[string]*page{},
	}
	l.server = httptest.NewServer(l.mux)
	t.Cleanup(l.server.Close)
	o := fetch.Options{
		Version: "1.2", AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Clock: l.clock,
		Sleep: noSleep, HostLock: new(fetch.HostLocks), Timeout: time.Minute, // a busy machine is no finding
	}
	for _, f := range change {
		f(l, &o)
	}
	l.client = fetch.New(o)
	t.Cleanup(l.client.Close)
	l.restart()
	return l
}

// restart makes all rooms anew, with nothing in memory.
func (l *lab) restart() {
	l.table = table.New(l.driver, table.Options{Clock: l.clock, Kind: store.Kind, Sleep: noSleep})
	l.store = store.New(l.table, l.clock)
	m := &mover{}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Mover: m, Parts: 1})
	l.subs = subscribe.New(subscribe.Deps{
		Store: l.store, Fetch: l.client, Crawler: l.crawler, Clock: l.clock, Parts: 1,
		Log: slog.New(slog.DiscardHandler),
	})
	m.to = l.subs
}

type mover struct{ to *subscribe.Service }

func (m *mover) MoveFeed(ctx context.Context, f *store.FeedRow, to string) error {
	return m.to.MoveFeed(ctx, f, to)
}

// page is one publisher's feed and what it saw.
type page struct {
	mu       sync.Mutex
	etag     string
	modified string
	body     string
	header   map[string]string
	status   int
	serve    http.HandlerFunc // replaces all of it
	requests []http.Header
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, r.Header.Clone())
	if p.serve != nil {
		p.serve(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/rss+xml")
	for k, v := range p.header {
		h.Set(k, v)
	}
	set(h, "Etag", p.etag)
	set(h, "Last-Modified", p.modified)
	if p.status != 0 {
		w.WriteHeader(p.status)
		return
	}
	if p.etag != "" && r.Header.Get("If-None-Match") == p.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = io.WriteString(w, p.body)
}

// set writes a header line as it is, byte for byte.
func set(h http.Header, name, v string) {
	if v != "" {
		h[name] = []string{v}
	}
}

// change adapts a page between polls.
func (p *page) change(f func(p *page)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

func (p *page) last() http.Header {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) == 0 {
		return http.Header{}
	}
	return p.requests[len(p.requests)-1]
}

func (p *page) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}

// page publishes a feed under a path.
func (l *lab) page(path, body string) *page {
	p := &page{etag: `"1"`, body: body}
	l.pages[path] = p
	l.mux.Handle(path, p)
	return p
}

func (l *lab) url(path string) string { return l.server.URL + path }

// feed makes a feed with one subscriber, not yet crawled.
func (l *lab) feed(address string) reader.FeedID {
	l.t.Helper()
	f, err := l.store.Feeds.Ensure(bg, address, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{
			First: int32(schedule.TickOf(l.clock.Now()) + 4), Period: 5, Asked: 60, Subs: 1,
			Status: string(reader.StatusWaiting),
		}
	})
	if err != nil {
		l.t.Fatal(err)
	}
	err = l.store.Subscriptions.PutSubscriber(bg, f.ID(), store.Subscriber{User: "u1"})
	if err == nil {
		err = l.store.Subscriptions.Add(bg, "u1", f.ID(), store.SubscriptionRow{Since: l.clock.Now().Unix()})
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return f.ID()
}

func (l *lab) row(id reader.FeedID) *store.FeedRow {
	l.t.Helper()
	f, err := l.store.Feeds.Get(bg, id, true)
	if err != nil {
		l.t.Fatal(err)
	}
	return f
}

// poll lets the feed's next turn come, or its first crawl, and gives the outcome.
func (l *lab) poll(id reader.FeedID) store.FeedOutcome {
	l.t.Helper()
	f := l.row(id)
	j := job.Job{Kind: job.First, Feeds: []reader.FeedID{id}}
	if !f.Fresh() {
		now := schedule.TickOf(l.clock.Now())
		j = job.Job{Kind: job.Scheduled, Tick: f.Turns().NextTurn(now), Feeds: []reader.FeedID{id}}
		l.clock.Set(j.Tick.Start().Add(time.Minute))
	}
	r, err := l.crawler.Run(bg, j, 1)
	if err != nil {
		l.t.Fatalf("run: %v", err)
	}
	if len(r.Feeds) != 1 {
		l.t.Fatalf("run of %+v: %+v", j, r)
	}
	return r.Feeds[0]
}

// want polls and compares the outcome.
func (l *lab) want(id reader.FeedID, outcome reader.Outcome, items int) {
	l.t.Helper()
	if o := l.poll(id); o.Outcome != string(outcome) || o.New != items {
		l.t.Fatalf("outcome %s with %d items (status %d, %s), want %s with %d", o.Outcome, o.New, o.Status, o.Err,
			outcome, items)
	}
}

// headers lists a feed's items as stored, by seq.
func (l *lab) headers(id reader.FeedID) []store.Header {
	l.t.Helper()
	var out []store.Header
	err := l.store.Items.Descend(bg, id, 0, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		out = append(append([]store.Header(nil), hs...), out...)
		return true, err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// item is one of a feed made by rss.
type item struct {
	id, title string
	date      time.Time
	more      string
}

// rss writes a feed.
func rss(head string, items ...item) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>A ` +
		`feed</title><link>https://example.org/</link>` + head)
	for _, it := range items {
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s</guid><title>%s</title><link>https://example.org/%s</link>`,
			it.id, it.title, it.id)
		if !it.date.IsZero() {
			b.WriteString("<pubDate>" + it.date.Format(time.RFC1123Z) + "</pubDate>")
		}
		b.WriteString(it.more + "</item>")
	}
	return b.String() + `</channel></rss>`
}

// numbered makes n items, the newest first, an hour apart and all in the past.
func numbered(from, n int) []item {
	out := make([]item, n)
	for i := range out {
		k := from + n - 1 - i
		out[i] = item{id: fmt.Sprint("i", k), title: fmt.Sprint("Item ", k),
			date: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(k) * time.Hour)}
	}
	return out
}

// lively makes n items, the newest of this hour: what changes so often is never slowed down for being quiet.
func (l *lab) lively(n int) []item {
	out := make([]item, n)
	newest := time.Date(2026, 9, 1, 11, 0, 0, 0, time.UTC)
	for i := range out {
		out[i] = item{id: fmt.Sprint("l", i), title: fmt.Sprint("Item ", i),
			date: newest.Add(-time.Duration(i) * time.Hour)}
	}
	return out
}

// writes counts the rows that f writes, by kind of unit.
func (l *lab) writes(f func()) (rows int64, units map[string]float64) {
	before := l.table.Meter().Snapshot()
	f()
	after := l.table.Meter().Snapshot()
	units = map[string]float64{}
	for k, v := range after.Writes {
		if v != before.Writes[k] {
			units[k] = v - before.Writes[k]
		}
	}
	return after.RowsWritten - before.RowsWritten, units
}

func contextWithStop() (context.Context, func()) { return context.WithCancel(bg) }

// endless answers nothing; what happens meanwhile is the end of the caller.
func endless(meanwhile func()) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		meanwhile()
		<-r.Context().Done()
	}
}

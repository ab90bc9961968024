package greader_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// world is a wired reader over one machine's storage or over a table without a log, with publishers that a test writes
// for.
type world struct {
	t       testing.TB
	dir     string
	remote  table.Driver // nil: SQLite
	clock   *clock.Manual
	web     *web
	app     *wire.App
	handler http.Handler
	stop    func()
	owner   person
	reads   atomic.Int64 // of raw feeds
}

// person is a user with an app password.
type person struct {
	id              reader.UserID
	email, password string
}

func newWorld(t testing.TB, remote bool) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), clock: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 10, 250e6, time.UTC))}
	w.web = &web{clock: w.clock, feeds: map[string]*publisher{}}
	if remote {
		w.remote = struct{ table.Driver }{memtable.New()} // DynamoDB has no log of changes either
	}
	w.start()
	t.Cleanup(func() { w.stop() })
	w.owner = w.user("ada@example.org")
	return w
}

// start wires a process; with one before, that is a restart.
func (w *world) start() {
	w.t.Helper()
	if w.stop != nil {
		w.stop()
	}
	files, err := fileblob.Open(filepath.Join(w.dir, "blobs"), fileblob.Options{Clock: w.clock})
	w.must(err)
	work, err := sqlitequeue.Open(context.Background(), filepath.Join(w.dir, "queue.db"),
		sqlitequeue.Options{Clock: w.clock})
	w.must(err)
	driver, closeTable := w.remote, func() {}
	if driver == nil {
		d, err := sqlitetable.Open(filepath.Join(w.dir, "ruri.db"), sqlitetable.Options{})
		w.must(err)
		driver, closeTable = d, func() { _ = d.Close() }
	}
	most := int64(0)
	if w.remote != nil {
		most = 4 << 20 // a gateway is in front, whose answers have a limit too
	}
	c, err := config.Load(func(string) (string, bool) { return "", false })
	w.must(err)
	w.app = wire.Build(c, "test", wire.Seams{
		Table: table.New(driver, table.Options{Clock: w.clock, Kind: store.Kind}),
		Blobs: blob.New(countedBlobs{files, &w.reads}),
		Queue: queue.New(work, queue.Options{}), Clock: w.clock, Log: slog.New(slog.DiscardHandler), Fetch: w.web,
		MaxUpload: most,
	})
	if w.handler = w.app.Handler(); w.remote != nil {
		w.handler = lambdahost.InProcess("example.com", lambda.API(w.app))
	}
	w.stop = func() {
		w.app.Close()
		_ = work.Close()
		closeTable()
	}
}

// countedBlobs counts how often blobs are read.
type countedBlobs struct {
	blob.Driver
	n *atomic.Int64
}

func (c countedBlobs) Get(ctx context.Context, key string, most int64) ([]byte, blob.Meta, error) {
	c.n.Add(1)
	return c.Driver.Get(ctx, key, most)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// user makes an account with an app password.
func (w *world) user(email string) person {
	w.t.Helper()
	ctx := context.Background()
	id, err := w.app.Auth.AddUser(ctx, email, "correct horse battery", false)
	w.must(err)
	password, err := w.app.Auth.NewToken(ctx, id, "phone", "sync", time.Time{})
	w.must(err)
	return person{id, email, password}
}

// subscribe subscribes to a feed as the page does.
func (w *world) subscribe(p person, address string) reader.FeedID {
	w.t.Helper()
	f, _, err := w.app.Subscribe.Add(context.Background(), p.id, address, subscribe.Options{})
	w.must(err)
	return f.ID()
}

// poll fetches feeds out of turn.
func (w *world) poll(ids ...reader.FeedID) {
	w.t.Helper()
	ctx := context.Background()
	parts, err := w.app.Parts(ctx)
	w.must(err)
	byPart := map[int][]reader.FeedID{}
	w.must(w.app.Store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		part := job.PartOf(f.URL, parts)
		byPart[part] = append(byPart[part], f.ID())
		return nil
	}))
	for part, list := range byPart {
		_, err := w.app.Crawler.Run(ctx, job.Job{Kind: job.Refresh, Part: part, Feeds: list}, parts)
		w.must(err)
	}
}

// client is a program with a base address and a token.
type client struct {
	*world
	base   string
	auth   string
	header http.Header // of the last answer
}

func (w *world) client(base string) *client { return &client{world: w, base: base} }

// logIn takes the Auth line as most programs do.
func (c *client) logIn(p person) *client {
	c.t.Helper()
	status, body := c.do("POST", "/accounts/ClientLogin", url.Values{"Email": {p.email}, "Passwd": {p.password}})
	if status != 200 {
		c.t.Fatalf("ClientLogin answers %d: %s", status, body)
	}
	for line := range strings.Lines(body) {
		if name, token, ok := strings.Cut(strings.TrimSpace(line), "="); ok && name == "Auth" {
			c.auth = token
		}
	}
	if c.auth == "" {
		c.t.Fatalf("no Auth in %q", body)
	}
	return c
}

// do makes a request with the header that programs send, and returns status and body.
func (c *client) do(method, path string, form url.Values, headers ...string) (int, string) {
	c.t.Helper()
	var body io.Reader
	if method == "POST" {
		body = strings.NewReader(form.Encode())
	} else if len(form) > 0 {
		path += "?" + form.Encode()
	}
	r := httptest.NewRequest(method, c.base+path, body)
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.auth != "" {
		r.Header.Set("Authorization", "GoogleLogin auth="+c.auth)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	c.handler.ServeHTTP(rec, r)
	c.header = rec.Result().Header
	return rec.Code, rec.Body.String()
}

// get decodes a JSON answer strictly: unknown members are errors where the target has none for them.
func (c *client) get(path string, form url.Values, into any) {
	c.t.Helper()
	status, body := c.do("GET", path, form)
	c.decode(path, status, body, into)
}

func (c *client) post(path string, form url.Values, into any) {
	c.t.Helper()
	status, body := c.do("POST", path, form)
	c.decode(path, status, body, into)
}

func (c *client) decode(path string, status int, body string, into any) {
	c.t.Helper()
	if status != 200 {
		c.t.Fatalf("%s answers %d: %.300s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		c.t.Fatalf("%s: %v in %.600s", path, err, body)
	}
}

// change makes a change that is answered OK.
func (c *client) change(path string, form url.Values) {
	c.t.Helper()
	if status, body := c.do("POST", path, form); status != 200 || strings.TrimSpace(body) != "OK" {
		c.t.Fatalf("%s %v answers %d: %.300s", path, form, status, body)
	}
}

// web is the publishers; addresses without one are pages that name no feed.
type web struct {
	clock *clock.Manual
	mu    sync.Mutex
	feeds map[string]*publisher
}

type publisher struct {
	title string
	more  string // at the end of each text
	items []published
}

type published struct {
	guid, title, body string
	at                time.Time
}

// feed makes a publisher of n items.
func (w *web) feed(address string, n int) *publisher {
	w.mu.Lock()
	p := &publisher{title: "Feed " + address[strings.LastIndexByte(address, '/')+1:]}
	w.feeds[address] = p
	w.mu.Unlock()
	for i := range n {
		w.publish(p, fmt.Sprintf("%s item %d", p.title, i+1))
	}
	return p
}

// publish adds an item; the newest is first in the document.
func (w *web) publish(p *publisher, title string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.items = append([]published{{
		guid: fmt.Sprint(len(p.items), "-", title), title: title, body: "<p>Text of " + title +
			" with a <a href=\"/rel\">link</a></p>" + p.more, at: w.clock.Now(),
	}}, p.items...)
}

// Do implements fetch.Fetcher.
func (w *web) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.feeds[r.URL]
	if p == nil {
		return &fetch.Response{Status: 200, FinalURL: r.URL, ContentType: "text/html",
			Body: []byte("<!doctype html><title>No feed</title>")}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title><link>https://%s/</link>`,
		html.EscapeString(p.title), fetch.HostOf(r.URL))
	for _, it := range p.items[:min(len(p.items), 100)] {
		link := "https://" + fetch.HostOf(r.URL) + "/" + url.PathEscape(it.guid)
		fmt.Fprintf(&b,
			`<item><guid>%s</guid><title>%s</title><link>%s</link><description>%s</description><pubDate>%s</pubDate>`+
				`</item>`,
			html.EscapeString(it.guid), html.EscapeString(it.title), link, html.EscapeString(it.body),
			it.at.UTC().Format(time.RFC1123))
	}
	b.WriteString("</channel></rss>")
	return &fetch.Response{Status: 200, FinalURL: r.URL, ContentType: "application/rss+xml", Body: []byte(b.String()),
		WireBytes: int64(b.Len())}, nil
}

// edit changes the text of the newest item.
func (w *web) edit(p *publisher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p.items) > 0 {
		p.items[0].body += "<p>More</p>"
	}
}

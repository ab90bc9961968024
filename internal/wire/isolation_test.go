package wire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/docs"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/wire"
)

// canary is in every text that is Alice's own: it must never be seen in an answer to somebody else.
const canary = "Kanarienvogel"

// touched is one row or blob that was read or written, or a partition that was queried.
type touched struct{ op, key string }

// watchedTable notes what is done to which keys.
type watchedTable struct {
	*memtable.Driver
	*notes
}

type notes struct {
	mu   sync.Mutex
	list []touched
}

func (n *notes) add(op string, keys ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, k := range keys {
		n.list = append(n.list, touched{op, k})
	}
}

func (n *notes) take() []touched {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.list
	n.list = nil
	return out
}

func keyOf(k table.Key) string { return k.PK + " " + k.SK }

func (w watchedTable) Get(ctx context.Context, k table.Key, c bool) (table.Row, bool, table.Usage, error) {
	w.add("get", keyOf(k))
	return w.Driver.Get(ctx, k, c)
}

func (w watchedTable) BatchGet(ctx context.Context, keys []table.Key, c bool) ([]table.Row, []table.Key,
	table.Usage, error) {
	for _, k := range keys {
		w.add("get", keyOf(k))
	}
	return w.Driver.BatchGet(ctx, keys, c)
}

// Query notes the partition, and each row of a person that comes back.
func (w watchedTable) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	w.add("query", r.PK+" "+r.Prefix+r.From)
	return w.Driver.Query(ctx, r)
}

func (w watchedTable) Write(ctx context.Context, op table.WriteOp) (table.Row, bool, table.Usage, error) {
	w.add(string(op.Kind), keyOf(op.Key))
	return w.Driver.Write(ctx, op)
}

func (w watchedTable) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, now int64) ([]table.Row,
	[]table.Key, table.Usage, error) {
	for _, p := range puts {
		w.add("put", keyOf(p.Key))
	}
	for _, k := range deletes {
		w.add("delete", keyOf(k))
	}
	return w.Driver.BatchWrite(ctx, puts, deletes, now)
}

// watchedBlobs notes what is done to which blobs.
type watchedBlobs struct {
	blob.Driver
	*notes
}

func (w watchedBlobs) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	w.add("put", key)
	return w.Driver.Put(ctx, key, body, m, ifAbsent)
}

func (w watchedBlobs) Get(ctx context.Context, key string, most int64) ([]byte, blob.Meta, error) {
	w.add("get", key)
	return w.Driver.Get(ctx, key, most)
}

func (w watchedBlobs) GetRange(ctx context.Context, key string, offset, n int64) ([]byte, error) {
	w.add("get", key)
	return w.Driver.GetRange(ctx, key, offset, n)
}

func (w watchedBlobs) Stat(ctx context.Context, key string) (blob.Meta, error) {
	w.add("stat", key)
	return w.Driver.Stat(ctx, key)
}

func (w watchedBlobs) Delete(ctx context.Context, key string) error {
	w.add("delete", key)
	return w.Driver.Delete(ctx, key)
}

func (w watchedBlobs) List(ctx context.Context, prefix, after string, limit int) ([]blob.Object, bool, error) {
	w.add("list", prefix)
	return w.Driver.List(ctx, prefix, after, limit)
}

// installation is the wired reader over drivers that record what is read and written, with data of Alice.
type installation struct {
	t         *testing.T
	app       *wire.App
	handler   http.Handler
	rows      *memtable.Driver
	blobs     blob.Driver
	clock     *clock.Manual
	notes     *notes
	publisher *httptest.Server
	alice     reader.UserID
	old       string              // a session of hers that is over
	ids       map[string][]string // Alice's ids, by the name of what they are
	secrets   []string            // parts of keys that are Alice's: her id, the hashes of what opens her account
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	h := &installation{t: t, clock: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)),
		rows: memtable.New(), notes: &notes{}, ids: map[string][]string{}}
	dir := t.TempDir()
	files, err := fileblob.Open(dir, fileblob.Options{Clock: h.clock})
	h.must(err)
	h.blobs = files
	work, err := sqlitequeue.Open(t.Context(), filepath.Join(dir, "queue.db"), sqlitequeue.Options{Clock: h.clock})
	h.must(err)
	t.Cleanup(func() { _ = work.Close() })
	env := map[string]string{"RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_BASE_URL": "https://reader.example"}
	c, err := config.Load(func(k string) (string, bool) { v, ok := env[k]; return v, ok })
	h.must(err)
	h.app = wire.Build(c, "test", wire.Seams{
		Table: table.New(watchedTable{h.rows, h.notes}, table.Options{Clock: h.clock, Kind: store.Kind}),
		Blobs: blob.New(watchedBlobs{files, h.notes}), Queue: queue.New(work, queue.Options{}),
		Clock: h.clock, Log: slog.New(slog.DiscardHandler), Secure: true,
	})
	t.Cleanup(h.app.Close)
	h.handler = h.app.Handler()
	h.publisher = httptest.NewServer(http.HandlerFunc(h.publish))
	t.Cleanup(h.publisher.Close)
	return h
}

func (h *installation) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// publish serves a feed of the last hours at every address, and a list of things for sale below /shop/; those of Alice
// have the canary in them.
func (h *installation) publish(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || strings.HasSuffix(r.URL.Path, ".ico") {
		http.NotFound(w, r)
		return
	}
	word := "Public"
	if strings.Contains(r.URL.Path, canary) {
		word = canary
	}
	if strings.HasPrefix(r.URL.Path, "/shop/") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := range 5 {
			fmt.Fprintf(w, `<li class=item><a href="/%s/%d">%[1]s lamp %[2]d</a> <b>¥%[2]d00</b></li>`, word, i+1)
		}
		return
	}
	w.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprintf(w,
		`<?xml version="1.0"?><rss version="2.0"><channel><title>%[1]s %[2]s</title><link>http://%[3]s/</link>`, word,
		r.URL.Path, r.Host)
	for i := range 5 {
		fmt.Fprintf(w,
			`<item><guid>%[1]s-%[2]d</guid><title>%[3]s `+
				`%[2]d</title><link>http://%[4]s%[1]s/%[2]d</link><description>%[3]s `+
				`text</description><pubDate>%[5]s</pubDate></item>`, r.URL.Path, i, word, r.Host,
			h.clock.Now().Add(time.Duration(i-5)*time.Hour).Format(time.RFC1123Z))
	}
	_, _ = io.WriteString(w, "</channel></rss>")
}

// caller is one who asks.
type caller struct {
	name       string
	bearer     string
	password   string // an app password, for the APIs of other reader apps
	cookie     string
	signIn     func() string // gives a fresh session: some routes end it
	mayNothing bool          // answered 401 wherever a session is needed
}

type answer struct {
	status int
	body   string
	header http.Header
}

func (h *installation) ask(c caller, method, path, kind, body string) answer {
	h.t.Helper()
	r := httptest.NewRequest(method, "https://reader.example"+path, strings.NewReader(body))
	r.Header.Set("Origin", "https://reader.example")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	if c.password != "" {
		r.Header.Set("Authorization", "GoogleLogin auth="+c.password)
		r.Header.Set("X-Auth-Token", c.password)
	}
	if c.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "__Host-ruri", Value: c.cookie})
	}
	rec := httptest.NewRecorder()
	h.handler.ServeHTTP(rec, r)
	return answer{rec.Code, rec.Body.String(), rec.Header()}
}

// as makes a request that must succeed, and decodes its answer.
func (h *installation) as(c caller, method, path, body string, into any) {
	h.t.Helper()
	a := h.ask(c, method, path, "application/json", body)
	if a.status >= 300 {
		h.t.Fatalf("%s %s answers %s %d: %.300s", method, path, c.name, a.status, a.body)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(a.body), into); err != nil {
			h.t.Fatalf("%s %s: %v: %.300s", method, path, err, a.body)
		}
	}
	h.clock.Add(7 * time.Second) // far from any limit of rate
}

// state is everything that is Alice's, byte for byte.
func (h *installation) state() map[string]string {
	out := map[string]string{}
	h.rows.Each(func(row table.Row) {
		if k := keyOf(row.Key); h.isAlices(k) {
			j, err := row.JSON()
			h.must(err)
			out[k] = string(j)
		}
	})
	for _, prefix := range []string{store.StarPrefix, store.ImportPrefix, store.PreviewPrefix} {
		page, _, err := h.blobs.List(h.t.Context(), prefix+string(h.alice), "", 1000)
		h.must(err)
		for _, o := range page {
			body, _, err := h.blobs.Get(h.t.Context(), o.Key, 1<<20)
			h.must(err)
			out[o.Key] = string(body)
		}
	}
	return out
}

// isAlices tells a key of hers: in her partition, or with her id or the hash of a secret of hers in it. Another's
// partition is another's, whatever was looked for in it.
func (h *installation) isAlices(key string) bool {
	if user, ok := strings.CutPrefix(key, "U#"); ok {
		return strings.HasPrefix(user, string(h.alice)+" ")
	}
	return slices.ContainsFunc(h.secrets, func(s string) bool { return strings.Contains(key, s) })
}

// operation is one of the OpenAPI document.
type operation struct {
	method, path string
	isPublic     bool
}

func operations(t *testing.T) (out []operation) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(docs.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	for path, ops := range doc.Paths {
		for method, raw := range ops {
			if method == "parameters" {
				continue
			}
			var op struct{ Security *[]any }
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			out = append(out, operation{strings.ToUpper(method), path, op.Security != nil && len(*op.Security) == 0})
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return out
}

// addresses fills a path's parameter with each of Alice's ids in turn, of whatever kind: also an id of one thing where
// that of another belongs must lead nowhere.
func (h *installation) addresses(path string) []string {
	before, rest, ok := strings.Cut(path, "{")
	if !ok {
		return []string{path}
	}
	_, after, _ := strings.Cut(rest, "}")
	var out []string
	seen := map[string]bool{}
	for kind, list := range h.ids {
		for _, id := range list {
			if kind != "undo" && !seen[id] {
				seen[id] = true
				for _, tail := range h.addresses(after) {
					out = append(out, before+id+tail)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestUsersAreIsolated walks every route of the OpenAPI document with Alice's ids as somebody else, with every way of
// being somebody: none reads or writes a row or blob of hers, none is told anything of hers, and all is as it was.
// G-7, G-81, R-33
func TestUsersAreIsolated(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.settle()
	callers := h.callers()
	h.count()
	before := h.state()
	if len(before) < 10 {
		t.Fatalf("Alice has only %d rows", len(before))
	}
	known := map[string]bool{}
	for _, op := range operations(t) {
		name := op.method + " " + op.path
		known[name] = true
		list, ok := examples[name]
		if !ok {
			t.Errorf("%s has no example: add one to internal/wire/isolation_examples_test.go, with Alice's ids where "+
				"it takes ids", name)
			continue
		}
		for _, c := range callers {
			for _, e := range list {
				if c.signIn != nil {
					c.cookie = c.signIn()
				}
				for _, path := range h.addresses(op.path) {
					for _, wrong := range h.try(c, op, path+h.fill(e.query), e) {
						t.Error(wrong)
					}
				}
			}
		}
	}
	for name := range examples {
		if !known[name] {
			t.Errorf("there is no route %s", name)
		}
	}
	after := h.state()
	for k, v := range before {
		if after[k] != v {
			t.Errorf("%s was\n%s\nand is\n%s", k, v, after[k])
		}
	}
	for k := range after {
		if _, ok := before[k]; !ok {
			t.Errorf("%s came to be", k)
		}
	}
}

// try makes one request, and tells what is wrong with what it did and was told.
func (h *installation) try(c caller, op operation, path string, e example) (wrong []string) {
	h.t.Helper()
	h.clock.Add(7 * time.Second)
	h.notes.take()
	body := h.fill(e.body)
	a := h.ask(c, op.method, path, e.kind, body)
	blame := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s: %s %s %.200s ", c.name, op.method, path, body)+
			fmt.Sprintf(format, args...))
	}
	for _, n := range h.notes.take() {
		if h.isAlices(n.key) {
			blame("does %s %s", n.op, n.key)
		}
	}
	// What was sent comes back in errors and echoes: that is no news.
	said := a.body + fmt.Sprint(a.header)
	if !strings.Contains(path+body, canary) && strings.Contains(said, canary) ||
		strings.Contains(said, string(h.alice)) {
		blame("is told %.500s", said)
	}
	told := fmt.Sprintf("answers %d: %.300s", a.status, a.body)
	switch { // 400: what is wrong by itself may be told before it is known whose it is
	case a.status >= 500:
		blame("%s", told)
	case c.mayNothing && !op.isPublic && a.status != http.StatusUnauthorized:
		blame("%s: without a session", told)
	case strings.Contains(op.path, "{") && !e.isShared && !op.isPublic &&
		!slices.Contains([]int{400, 401, 403, 404}, a.status):
		blame("%s: to another's id", told)
	case e.status != 0 && !c.mayNothing && a.status != e.status && a.status != http.StatusForbidden:
		blame("%s: not %d", told, e.status)
	}
	return wrong
}

// TestIsolationChecksFindLeaks: what Alice herself does is seen as what nobody else may do.
func TestIsolationChecksFindLeaks(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.settle()
	h.count()
	token, err := h.app.Auth.NewToken(t.Context(), h.alice, "x", "", time.Time{})
	h.must(err)
	before := h.state()
	item := "/api/items/" + h.ids["item"][3]
	for _, c := range []struct {
		op   operation
		path string
		e    example
		n    int // things that are wrong, at least
	}{
		{operation{"GET", "/api/feeds", false}, "/api/feeds", example{}, 2},
		{operation{"GET", "/api/items/{id}", false}, item, example{}, 2},
		{operation{"PUT", "/api/items/{id}/state", false}, item + "/state", example{body: `{"isStarred":true}`}, 3},
		{operation{"GET", "/api/export/opml", false}, "/api/export/opml", example{}, 2},
		{operation{"GET", "/api/entries/hot", false}, "/api/entries/hot", example{}, 1},
		{operation{"GET", "/api/tags", false}, "/api/tags", example{}, 1},
	} {
		if wrong := h.try(caller{name: "Alice", bearer: token}, c.op, c.path, c.e); len(wrong) < c.n {
			t.Errorf("%s %s: only %q is noticed", c.op.method, c.path, wrong)
		}
	}
	if maps.Equal(before, h.state()) {
		t.Error("a star is not seen in Alice's state")
	}
}

// TestSharedFeedsKeepStatesApart: who subscribes to the same feed finds it unread and unstarred, and what they do to it
// is theirs. G-19, G-66
// G-84
func TestSharedFeedsKeepStatesApart(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.settle()
	bob, err := h.app.Auth.AddUser(t.Context(), "bob@example.org", "another long password", false)
	h.must(err)
	token, err := h.app.Auth.NewToken(t.Context(), bob, "t", "", time.Time{})
	h.must(err)
	c := caller{name: "Bob", bearer: token}
	before := h.state()
	var added struct {
		Feed struct {
			ID, Folder                string
			UnreadCount, StarredCount int
		}
	}
	h.as(c, "POST", "/api/feeds", `{"url":"`+h.publisher.URL+"/"+canary+`/1.xml"}`, &added)
	if f := added.Feed; f.ID != h.ids["feed"][1] || f.Folder != "" || f.UnreadCount != 5 || f.StarredCount != 0 {
		t.Errorf("Bob finds %+v", f)
	}
	var page struct{ Items []struct{ ID string } }
	h.as(c, "GET", "/api/feeds/"+added.Feed.ID+"/items", "", &page)
	for _, it := range page.Items {
		h.as(c, "GET", "/api/items/"+it.ID, "", nil)
		h.as(c, "PUT", "/api/items/"+it.ID+"/state", `{"isRead":true,"isStarred":true}`, nil)
	}
	h.as(c, "POST", "/api/feeds/"+added.Feed.ID+"/mark-read", "", nil)
	h.as(c, "DELETE", "/api/feeds/"+added.Feed.ID, "", nil)
	if after := h.state(); !maps.Equal(before, after) {
		t.Errorf("what is Alice's was\n%v\nand is\n%v", before, after)
	}
}

// fill puts Alice's ids and addresses into an example.
func (h *installation) fill(s string) string {
	for kind, list := range h.ids {
		if len(list) > 0 {
			s = strings.ReplaceAll(s, "<"+kind+">", list[0])
		}
	}
	return strings.ReplaceAll(s, "<publisher>", h.publisher.URL)
}

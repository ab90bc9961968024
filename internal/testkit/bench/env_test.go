package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/wire"
)

// env is the reader over its embedded drivers in a temporary folder, with an owner and a clock that
// stands still.
type env struct {
	tb      testing.TB
	app     *wire.App
	seams   wire.Seams
	table   *table.Table
	clock   *clock.Manual
	owner   reader.UserID
	token   string
	handler http.Handler
}

func newEnv(tb testing.TB, settings map[string]string) *env {
	tb.Helper()
	ctx, dir := tb.Context(), tb.TempDir()
	w := &env{tb: tb, clock: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	w.open(ctx, dir, w.clock, settings)
	return w
}

// open makes the reader over drivers in a folder.
func (w *env) open(ctx context.Context, dir string, clk clock.Clock, settings map[string]string) {
	tb := w.tb
	tb.Helper()
	td, err := sqlitetable.Open(filepath.Join(dir, "ruri.db"), sqlitetable.Options{})
	must(tb, err)
	qd, err := sqlitequeue.Open(ctx, filepath.Join(dir, "queue.db"), sqlitequeue.Options{Clock: clk})
	must(tb, err)
	bd, err := fileblob.Open(filepath.Join(dir, "blobs"), fileblob.Options{Clock: clk})
	must(tb, err)
	tb.Cleanup(func() { _, _, _ = td.Close(), qd.Close(), bd.Close() })
	w.table = table.New(td, table.Options{Clock: clk, Kind: store.Kind})
	w.seams = wire.Seams{
		Table: w.table, Blobs: blob.New(bd), Queue: queue.New(qd, queue.Options{}),
		Clock: clk, Log: slog.New(slog.DiscardHandler),
	}
	settings["RURI_MAX_FEEDS"] = "100000"
	settings["RURI_RATE_USER"], settings["RURI_RATE_ADDRESS"] = "0", "0" // benchmarks exceed the rate limits
	c, err := config.Load(func(k string) (string, bool) { v, ok := settings[k]; return v, ok })
	must(tb, err)
	w.app = wire.Build(c, "bench", w.seams)
	w.handler = w.app.Handler()
	a, err := w.app.Auth.EnsureOwner(ctx)
	must(tb, err)
	w.owner = a.ID()
	w.token, err = w.app.Auth.NewToken(ctx, w.owner, "bench", "", time.Time{})
	must(tb, err)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// forget restarts the reader: its memory is empty, what is stored stays.
func (w *env) forget() {
	w.app = wire.Build(w.app.Config, "bench", w.seams)
	w.handler = w.app.Handler()
}

// itemsAFeed is what the farm's feeds list on average.
const itemsAFeed = 24

// fill subscribes the owner to n feeds of 24 items, the newest 20 unread, as a first crawl leaves them.
// The first `bodies` of them have a raw body to open items from.
func (w *env) fill(n, bodies int) {
	w.tb.Helper()
	g, ctx := errgroup.WithContext(w.tb.Context())
	g.SetLimit(64)
	for i := range n {
		g.Go(func() error { return w.feed(ctx, i, i < bodies) })
	}
	must(w.tb, g.Wait())
}

func (w *env) feed(ctx context.Context, i int, withBody bool) error {
	now := w.clock.Now()
	url := fmt.Sprintf("https://host%d.example.org/feed/%d.xml", i%50, i)
	row, err := w.app.Store.Feeds.Ensure(ctx, url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: 1, Period: 4, Asked: 60, Subs: 1, Status: string(reader.StatusActive)}
	})
	if err != nil {
		return err
	}
	body := feedBody(i)
	scan, err := extract.Scan(body, "application/rss+xml", url, extract.Options{})
	if err != nil {
		return err
	}
	raw := ""
	if withBody {
		raw = fmt.Sprintf("feeds/2026/11/21/%d/body.gz", i)
		if err := w.seams.Blobs.Put(ctx, raw, gzipped(body),
			blob.Meta{ContentType: "application/rss+xml", ContentEncoding: "gzip"}); err != nil {
			return err
		}
	}
	heads := make([]store.Header, len(scan.Items))
	known := make([]store.KnownItem, len(scan.Items))
	for k := range scan.Items {
		it := &scan.Items[len(scan.Items)-1-k] // oldest first
		heads[k] = store.Header{
			Identity: it.Identity, Content: it.Content, Title: it.Title, Link: it.Link, Author: it.Author,
			Snippet:   it.Snippet,
			Published: it.Published.Unix(), Sort: it.Published.Unix(), Categories: it.Categories,
		}
		known[k] = store.KnownItem{Identity: it.Identity, Content: it.Content}
	}
	d, err := store.NewDelta(row.ID(), 1, reader.MinuteOf(now), now.UnixMilli(), raw, heads)
	if err != nil {
		return err
	}
	if err := w.app.Store.Items.Put(ctx, d); err != nil {
		return err
	}
	seq, sorts := uint32(len(heads)), make([]int64, len(heads))
	for k := range heads {
		sorts[k] = heads[k].Sort
	}
	_, err = w.app.Store.Feeds.Modify(ctx, row.ID(), func(f *store.FeedRow) {
		f.Seq = seq
		f.FirstSeq = seq
		f.Stamp = d.Stamp
		f.Known = []byte(store.Known(nil).Merge(known, 300))
		f.Raw = raw
		f.NewestAt = heads[len(heads)-1].Sort
		f.Ages = []byte(store.Ages(nil).Add(0, 1, sorts))
		f.Title = scan.Title
		f.About = scan.Description
		f.Site = scan.Link
		f.Lang = scan.Language
		f.Hash = []byte{1, 2, 3, 4, 5, 6, 7, 8}
		f.ETag = fmt.Sprintf(`"%016x"`, i)
		f.Changed = now.Unix()
		f.Why = "asked"
	})
	if err != nil {
		return err
	}
	var folder reader.FolderID
	_, err = w.app.Store.Trees.Change(ctx, w.owner, func(t *library.Tree) error {
		folder = t.Ensure([]string{fmt.Sprintf("Folder %d", i/50)})
		return nil
	})
	if err != nil {
		return err
	}
	return w.app.Store.Subscriptions.Add(ctx, w.owner, row.ID(), store.SubscriptionRow{
		Since: now.Unix(), Upto: seq - 20, Folders: []reader.FolderID{folder},
	})
}

// feedBody is a feed of 24 items and about 35 KB, the farm's median.
func feedBody(i int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	words := strings.Fields("the quick brown fox jumps over a lazy dog while readers of many feeds sleep and nothing " +
		"new arrives at night")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" `+
			`xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Feed `+
			`%d</title><link>https://example.org/%d</link><description>About feed `+
			`%d</description><language>en</language>`, i, i, i)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC).Add(-time.Duration(r.IntN(86400)) * time.Second)
	for k := range itemsAFeed {
		fmt.Fprintf(&b,
			`<item><title>%s</title><link>https://example.org/%d/%d</link><guid>%d-%d</guid><pubDate>%s</pubDate>`+
				`<category>news</category><description>%s</description><content:encoded><![CDATA[<p>%s</p><p><a `+
				`href="https://example.org/%d">more</a> <img src="https://example.org/%d.png" `+
				`alt=""></p><p>%s</p>]]></content:encoded></item>`,
			text(8), i, k, i, k, at.Add(-time.Duration(k)*7*time.Hour).Format(time.RFC1123Z), text(20), text(100),
			k, k, text(80))
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// call makes a request with the owner's token.
func (w *env) call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	w.tb.Helper()
	var src io.Reader
	if body != "" {
		src = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, path, src)
	r.Header.Set("Authorization", "Bearer "+w.token)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code >= 300 {
		w.tb.Fatalf("%s %s answered %d: %.300s", method, path, rec.Code, rec.Body)
	}
	return rec
}

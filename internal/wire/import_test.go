package wire_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

// publishers answer after a while: feeds with one item, and nothing else.
type publishers struct{}

func (publishers) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	time.Sleep(100 * time.Millisecond)
	if !strings.HasSuffix(r.URL, "/feed") {
		return &fetch.Response{Status: 404, FinalURL: r.URL}, nil
	}
	return &fetch.Response{
		Status: 200, ETag: `"1"`, ContentType: "application/rss+xml", FinalURL: r.URL,
		Body: []byte(
			`<rss version="2.0"><channel><title>Feed</title><item><guid>1</guid><title>One</title></item></channel></` +
				`rss>`),
	}, nil
}

// working is an app whose queue is worked through as the single binary does, two messages at once, in virtual time.
func working(t *testing.T, log *slog.Logger) *wire.App {
	t.Helper()
	q, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	app := wire.Build(config.Config{Parallel: 10, MaxFeeds: 2000, MaxFeedsUser: 100}, "test", wire.Seams{
		Shrink: iconwire.Shrink,
		Table:  table.New(memtable.New(), table.Options{Clock: clock.System{}, Kind: store.Kind}),
		Blobs:  blob.New(memblob.New()),
		Queue:  queue.New(q, queue.Options{}), Clock: clock.System{}, Log: log, Fetch: publishers{},
		Patience: crawl.Patience,
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := app.Worker().Consume(ctx, 2, 0); err != nil {
			t.Errorf("the worker: %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		_ = q.Close()
	})
	return app
}

// First crawls of an import follow one another: nobody waits for a part of hosts, although the icons of what was
// crawled are looked for at the same time, and a tick comes in between.
//
func TestImportOfAThousandFeedsWaitsForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// a bubble begins long before the first tick
		time.Sleep(time.Until(time.Date(2026, 4, 1, 8, 0, 10, 0, time.UTC)))
		var out strings.Builder
		app := working(t, slog.New(slog.NewTextHandler(&out, nil)))
		owner, err := app.Auth.EnsureOwner(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const feeds = 1000
		list := make([]opml.Feed, feeds)
		for i := range list {
			list[i] = opml.Feed{Title: fmt.Sprint(i), XMLURL: fmt.Sprintf("https://host%d.example/feed", i)}
		}
		began := time.Now()
		if _, err := app.Subscribe.StartImport(t.Context(), owner.ID(), opml.Encode("List", list, time.Time{})); err !=
			nil {
			t.Fatal(err)
		}
		last := time.Duration(0)
		for crawled := 0; crawled < feeds; {
			if last > 10*time.Minute {
				t.Fatalf("after %v %d feeds have been crawled", last, crawled)
			}
			time.Sleep(time.Second)
			if last = time.Since(began); last == 3*time.Second {
				if _, err := app.Orchestrator.Run(t.Context(), time.Now()); err != nil {
					t.Error(err)
				}
			}
			crawled = 0
			err := app.Store.Feeds.Each(t.Context(), func(f *store.FeedRow) error {
				if f.Status == string(reader.StatusActive) {
					crawled++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// Ten hosts at once, a tenth of a second each.
		if work := feeds / 10 * 100 * time.Millisecond; last > 2*work {
			t.Errorf("the last feed was crawled after %v, of which %v were work", last, work)
		}
		synctest.Wait()
		messages := 0
		for line := range strings.Lines(out.String()) {
			isMessage := strings.Contains(line, "msg=message")
			if isMessage {
				messages++
			}
			if !strings.Contains(line, "level=INFO") || isMessage && !strings.Contains(line, "outcome=done") {
				t.Error(line)
			}
		}
		if messages == 0 {
			t.Error("no message was logged")
		}
	})
}

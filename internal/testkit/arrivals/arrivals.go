// Package arrivals sets up a user with feeds and a queue, for tests of webhooks and notifications. Items are added by
// the test instead of a crawler.
package arrivals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// User is who subscribes to the feeds.
const User = reader.UserID("u1")

// Log discards everything.
var Log = slog.New(slog.DiscardHandler)

// World is what senders work with. Its client reaches servers on this machine alone.
type World struct {
	Clock         *clock.Manual
	Store         *store.Store
	Meter         *table.Meter
	Queue         *queue.Queue
	Fetch         *fetch.Client
	Subscriptions *subscribe.Service

	t     *testing.T
	feeds int
}

// Options let a test put faults in.
type Options struct {
	Table func(table.Driver) table.Driver
	Queue func(queue.Driver) queue.Driver
	// Receives is how often a message may come before it is dead, by default as often as in the cloud.
	Receives int
	Timeout  time.Duration // of requests
}

// New begins on 21 November 2026 at nine, without feeds.
func New(t *testing.T, o Options) *World {
	t.Helper()
	w := &World{t: t, Clock: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))}
	var td table.Driver = memtable.New()
	if o.Table != nil {
		td = o.Table(td)
	}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	tb := table.New(td, table.Options{Clock: w.Clock, Kind: store.Kind, Sleep: noSleep})
	w.Store, w.Meter = store.New(tb, w.Clock), tb.Meter()
	file := filepath.Join(t.TempDir(), "queue.db")
	qd, err := sqlitequeue.Open(t.Context(), file, sqlitequeue.Options{Clock: w.Clock})
	w.ok(err)
	t.Cleanup(func() { _ = qd.Close() })
	var driver queue.Driver = qd
	if o.Queue != nil {
		driver = o.Queue(driver)
	}
	w.Queue = queue.New(driver, queue.Options{Sleep: noSleep, MaxReceives: o.Receives})
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	w.Fetch = fetch.New(fetch.Options{AllowNets: here, Clock: w.Clock, Timeout: o.Timeout})
	t.Cleanup(w.Fetch.Close)
	w.Subscriptions = subscribe.New(subscribe.Deps{Store: w.Store, Fetch: w.Fetch, Crawler: noCrawler{}, Queue: w.Queue,
		Clock: w.Clock, Log: Log})
	return w
}

// noCrawler ignores changes of polling periods: no feed is polled in these tests.
type noCrawler struct{ subscribe.Crawler }

func (noCrawler) Repace(context.Context, *store.FeedRow) error { return nil }

// Feed makes one with an archive, which the user subscribes to.
func (w *World) Feed(own store.SubscriptionRow) reader.FeedID {
	w.t.Helper()
	ctx := context.Background()
	w.feeds++
	f, err := w.Store.Feeds.Ensure(ctx, fmt.Sprint("https://example.org/", w.feeds), func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Site: "https://example.org/",
			Title: fmt.Sprint("Feed ", w.feeds)}
	})
	w.ok(err)
	w.Commit(f.ID(), Titled("archive")...)
	w.ok(w.Store.Subscriptions.PutSubscriber(ctx, f.ID(), store.Subscriber{User: User}))
	own.Since = w.Clock.Now().Unix()
	w.ok(w.Store.Subscriptions.Add(ctx, User, f.ID(), own))
	return f.ID()
}

// Titled returns items with titles, and links that end with them.
func Titled(titles ...string) []store.Header {
	hs := make([]store.Header, len(titles))
	for i, title := range titles {
		hs[i] = store.Header{Title: title, Link: "https://example.org/" + title}
	}
	return hs
}

// Commit writes a delta with items, a minute after what was before, as the crawler would: first the message, then the
// feed's row, which it returns.
func (w *World) Commit(id reader.FeedID, hs ...store.Header) *store.FeedRow {
	w.t.Helper()
	ctx := context.Background()
	f, err := w.Store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now := w.Clock.Add(time.Minute)
	for i := range hs {
		hs[i].Identity, hs[i].Sort = uint64(f.Seq)+uint64(i)+1, now.Unix()
	}
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), reader.MinuteOf(now), now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.Store.Items.Put(ctx, d))
	for (webhook.Notifier{Queue: w.Queue}).News(ctx, f, d) != nil { // a queue with faults
		w.Clock.Add(time.Second)
	}
	f, err = w.Store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq, row.Stamp, row.NewestAt, row.Hash = f.Seq+uint32(len(hs)), d.Stamp, now.Unix(), []byte{1}
		if f.Seq == 0 {
			row.FirstSeq = uint32(len(hs))
		}
	})
	w.ok(err)
	w.Clock.Add(time.Second) // the message is due
	return f
}

// Work hands over messages, as the worker does, until there are none, and returns how many there were.
func (w *World) Work(handle func(context.Context, job.Job) error) (n int) {
	w.t.Helper()
	ctx := context.Background()
	for range 10_000 {
		ds, err := w.Queue.Receive(ctx, 10, 0)
		if err != nil { // a queue with faults
			continue
		}
		if len(ds) == 0 {
			return n
		}
		for _, d := range ds {
			n++
			w.Queue.HandleOne(ctx, d, queue.ConsumeOptions{}, func(ctx context.Context, m queue.Message) error {
				j, err := job.Decode(m.Body)
				if err != nil {
					return queue.Reject(err)
				}
				j.Receives = m.Receives
				err = handle(ctx, j)
				var early *webhook.EarlyError
				if errors.As(err, &early) {
					return queue.Retry(early.After, err)
				}
				return err
			})
		}
	}
	w.t.Fatal("the messages do not end")
	return n
}

func (w *World) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

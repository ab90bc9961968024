package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync"
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

const user = reader.UserID("u1")

// world is a user with feeds, a queue, and a receiving server that verifies each request.
type world struct {
	t     *testing.T
	clk   *clock.Manual
	store *store.Store
	meter *table.Meter
	queue *queue.Queue
	s     *webhook.Service
	feeds int
	owned string // the keys that the owner has set
	// longest is how long, by the clock, the longest message took.
	longest time.Duration

	receiver *httptest.Server
	mu       sync.Mutex
	secret   map[string]string // by webhook
	answer   func(n int) int   // status of the nth request, from 1
	got      []received
}

type received struct {
	webhook.Body
	path string
	at   time.Time
}

// options let a test put faults in.
type options struct {
	table func(table.Driver) table.Driver
	queue func(queue.Driver) queue.Driver
	// receives is how often a message may come before it is dead, by default as often as in the cloud.
	receives int
	timeout  time.Duration // of requests
}

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	w := &world{t: t, clk: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), secret: map[string]string{}}
	var td table.Driver = memtable.New()
	if o.table != nil {
		td = o.table(td)
	}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	tb := table.New(td, table.Options{Clock: w.clk, Kind: store.Kind, Sleep: noSleep})
	w.store, w.meter = store.New(tb, w.clk), tb.Meter()
	qd, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{Clock: w.clk})
	w.ok(err)
	t.Cleanup(func() { _ = qd.Close() })
	var driver queue.Driver = qd
	if o.queue != nil {
		driver = o.queue(driver)
	}
	w.queue = queue.New(driver, queue.Options{Sleep: noSleep, MaxReceives: o.receives})
	w.receiver = httptest.NewServer(http.HandlerFunc(w.receive))
	t.Cleanup(w.receiver.Close)
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Clock: w.clk,
		Timeout: o.timeout})
	t.Cleanup(client.Close)
	log := slog.New(slog.DiscardHandler)
	subs := subscribe.New(subscribe.Deps{Store: w.store, Fetch: client, Crawler: noCrawler{}, Queue: w.queue,
		Clock: w.clk, Log: log})
	w.s = webhook.New(w.store, client, client.PermitsPost, w.keys, w.queue, subs, w.clk, log)
	return w
}

func (w *world) keys(context.Context) (string, error) { return w.owned, nil }

// noCrawler plans nothing: nobody polls here.
type noCrawler struct{ subscribe.Crawler }

func (noCrawler) Repace(context.Context, *store.FeedRow) error { return nil }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// receive verifies a request as docs/use/webhooks.md says.
func (w *world) receive(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	got := received{path: r.URL.Path, at: w.clk.Now()}
	if err := json.Unmarshal(body, &got.Body); err != nil {
		w.t.Errorf("the body is no JSON: %v", err)
	}
	at := r.Header.Get("X-Ruri-Timestamp")
	if want := webhook.Sign(w.secret[got.Webhook], at, body); r.Header.Get("X-Ruri-Signature") != want ||
		w.secret[got.Webhook] == "" {
		w.t.Errorf("the signature is %q, want %q", r.Header.Get("X-Ruri-Signature"), want)
	}
	if at != fmt.Sprint(w.clk.Now().Unix()) || r.Header.Get("X-Ruri-Event") != got.Event ||
		r.Header.Get("X-Ruri-Delivery") != got.Delivery {
		w.t.Errorf("headers %v do not fit the body %s", r.Header, body)
	}
	w.got = append(w.got, got)
	status := http.StatusNoContent
	if w.answer != nil {
		status = w.answer(len(w.got))
	}
	if status/100 == 3 {
		rw.Header().Set("Location", w.receiver.URL+"/elsewhere")
	}
	rw.WriteHeader(status)
}

func (w *world) received() []received {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]received(nil), w.got...)
}

func (w *world) answers(f func(n int) int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = f
}

func always(status int) func(int) int { return func(int) int { return status } }

// feed makes one with an archive, which the user subscribes to.
func (w *world) feed() reader.FeedID {
	w.t.Helper()
	ctx := context.Background()
	w.feeds++
	f, err := w.store.Feeds.Ensure(ctx, fmt.Sprint("https://example.org/", w.feeds), func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Site: "https://example.org/",
			Title: fmt.Sprint("Feed ", w.feeds)}
	})
	w.ok(err)
	w.news(f.ID(), "archive")
	w.ok(w.store.Subscriptions.PutSubscriber(ctx, f.ID(), store.Subscriber{User: user}))
	w.ok(w.store.Subscriptions.Add(ctx, user, f.ID(), store.SubscriptionRow{Since: w.clk.Now().Unix()}))
	return f.ID()
}

// news commits a delta, as the crawler would, and gives the feed's row.
func (w *world) news(id reader.FeedID, titles ...string) *store.FeedRow {
	w.t.Helper()
	ctx := context.Background()
	f, err := w.store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now := w.clk.Add(time.Minute)
	hs := make([]store.Header, len(titles))
	for i := range hs {
		hs[i] = store.Header{Identity: uint64(f.Seq) + uint64(i) + 1, Title: titles[i], Sort: now.Unix(),
			Link: "https://example.org/" + titles[i]}
	}
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), reader.MinuteOf(now), now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(ctx, d))
	f, err = w.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq = f.Seq + uint32(len(titles))
		row.Stamp = d.Stamp
		row.NewestAt = now.Unix()
		row.Hash = []byte{1}
		if f.Seq == 0 {
			row.FirstSeq = uint32(len(titles))
		}
	})
	w.ok(err)
	return f
}

// events are those that a webhook is to get.
func events(names ...string) *[]string { return &names }

// hook makes a webhook and learns its secret.
func (w *world) hook(path string, events ...string) string {
	w.t.Helper()
	url := w.receiver.URL + path
	row, err := w.s.Create(w.t.Context(), user, webhook.Change{URL: &url, Events: &events})
	w.ok(err)
	w.mu.Lock()
	w.secret[row.Hook()] = row.Secret
	w.mu.Unlock()
	w.work() // the feeds hear of it, at once and once more
	w.clk.Add(time.Minute)
	w.work()
	return row.Hook()
}

// work handles messages until there are none and returns how many there were.
func (w *world) work() (n int) {
	w.t.Helper()
	ctx := context.Background()
	for range 10_000 {
		ds, err := w.queue.Receive(ctx, 10, 0)
		if err != nil {
			continue
		}
		if len(ds) == 0 {
			return n
		}
		for _, d := range ds {
			n++
			w.queue.HandleOne(ctx, d, queue.ConsumeOptions{}, w.handle)
		}
	}
	w.t.Fatal("the messages do not end")
	return n
}

func (w *world) handle(ctx context.Context, m queue.Message) error {
	j, err := job.Decode(m.Body)
	if err != nil {
		return queue.Reject(err)
	}
	began := w.clk.Now()
	err = w.s.Work(ctx, j)
	w.longest = max(w.longest, w.clk.Now().Sub(began))
	var early *webhook.EarlyError
	if errors.As(err, &early) {
		return queue.Retry(early.After, err)
	}
	return err
}

// titles lists the delivered titles in order.
func (w *world) titles() (out []string) {
	for _, r := range w.received() {
		for _, it := range r.Items {
			out = append(out, it.Title)
		}
	}
	return out
}

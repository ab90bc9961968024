package push

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/webhook"
)

const user = reader.UserID("u1")

// world is a user with feeds, the queue, and a push service like the real ones.
type world struct {
	t     *testing.T
	clk   *clock.Manual
	store *store.Store
	meter *table.Meter
	queue *queue.Queue
	hooks *webhook.Service
	s     *Service
	feeds int

	service *httptest.Server
	mu      sync.Mutex
	keys    map[string]browser // by path
	answers map[string]func(n int) (status int, retryAfter string)
	asked   map[string]int
	shown   map[string][]notification
}

// browser is the other end of a device.
type browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clk: clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)),
		keys: map[string]browser{}, answers: map[string]func(int) (int, string){}, asked: map[string]int{},
		shown: map[string][]notification{}}
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	tb := table.New(memtable.New(), table.Options{Clock: w.clk, Kind: store.Kind, Sleep: noSleep})
	w.store, w.meter = store.New(tb, w.clk), tb.Meter()
	qd, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{Clock: w.clk})
	w.ok(err)
	t.Cleanup(func() { _ = qd.Close() })
	w.queue = queue.New(qd, queue.Options{Sleep: noSleep})
	w.service = httptest.NewServer(http.HandlerFunc(w.push))
	t.Cleanup(w.service.Close)
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Clock: w.clk})
	t.Cleanup(client.Close)
	log := slog.New(slog.DiscardHandler)
	subs := subscribe.New(subscribe.Deps{Store: w.store, Fetch: client, Crawler: noCrawler{}, Queue: w.queue,
		Clock: w.clk, Log: log})
	noKeys := func(context.Context) (string, error) { return "", nil }
	w.hooks = webhook.New(w.store, client, client.PermitsPost, noKeys, w.queue, subs, w.clk, log)
	w.s = New(Deps{Store: w.store, Streams: stream.New(w.store, blob.New(memblob.New()), w.clk),
		Hooks: w.hooks, Fetch: client, Permits: client.PermitsPost, Queue: w.queue, Contact: "https://reader.example",
		Clock: w.clk, Log: log, Key: func(context.Context, string) ([]byte, error) {
			return []byte("0123456789abcdef0123456789abcdef"), nil
		}})
	w.hooks.OnNews(w.s.Arrived)
	return w
}

// noCrawler plans nothing: nobody polls here.
type noCrawler struct{ subscribe.Crawler }

func (noCrawler) Repace(context.Context, *store.FeedRow) error { return nil }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// push checks a message as push services and browsers do, and shows it unless a test has an answer for its path.
func (w *world) push(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	topic := r.Header.Get("Topic")
	token := r.Header.Get("Authorization")
	switch b, isThere := w.keys[r.URL.Path]; {
	case r.Method != http.MethodPost, err != nil, ttl <= 0, len(topic) > 32,
		r.Header.Get("Content-Encoding") != "aes128gcm":
		w.t.Errorf("a bad request: %s %v", r.Method, r.Header)
		rw.WriteHeader(http.StatusBadRequest)
	case !strings.HasPrefix(token, "vapid t=ey") || !strings.Contains(token, ", k=B"):
		rw.WriteHeader(http.StatusForbidden)
	case len(body) > 4096:
		rw.WriteHeader(http.StatusRequestEntityTooLarge)
	case !isThere:
		rw.WriteHeader(http.StatusNotFound)
	default:
		w.asked[r.URL.Path]++
		status, after := http.StatusCreated, ""
		if f := w.answers[r.URL.Path]; f != nil {
			status, after = f(w.asked[r.URL.Path])
		}
		if after != "" {
			rw.Header().Set("Retry-After", after)
		}
		if status/100 == 2 {
			var n notification
			if err := json.Unmarshal(decrypt(w.t, body, b.private, b.auth), &n); err != nil {
				w.t.Error(err)
			}
			w.shown[r.URL.Path] = append(w.shown[r.URL.Path], n)
		}
		rw.WriteHeader(status)
	}
}

func (w *world) answer(device, status int, after string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers[fmt.Sprint("/", device)] = func(int) (int, string) { return status, after }
}

// device registers one in a session of its own.
func (w *world) device(n int, language string) string {
	w.t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	w.ok(err)
	path := fmt.Sprint("/", n)
	w.keys[path] = browser{private, random(16)}
	session := fmt.Sprint("s", n)
	w.ok(w.store.Accounts.PutSession(w.t.Context(), user, session, store.SessionRow{}))
	row, err := w.s.Register(w.t.Context(), user, Device{Endpoint: w.service.URL + path,
		Public: private.PublicKey().Bytes(), Auth: w.keys[path].auth, Language: language, Session: session})
	w.ok(err)
	w.work()
	w.pass(time.Minute)
	return row.ID()
}

// feed makes one with an archive, which the user subscribes to.
func (w *world) feed(own store.SubscriptionRow) reader.FeedID {
	w.t.Helper()
	ctx := context.Background()
	w.feeds++
	f, err := w.store.Feeds.Ensure(ctx, fmt.Sprint("https://example.org/", w.feeds), func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Site: "https://example.org/",
			Title: fmt.Sprint("Feed ", w.feeds)}
	})
	w.ok(err)
	w.commit(f.ID(), store.Header{Title: "archive"})
	w.ok(w.store.Subscriptions.PutSubscriber(ctx, f.ID(), store.Subscriber{User: user}))
	own.Since = w.clk.Now().Unix()
	w.ok(w.store.Subscriptions.Add(ctx, user, f.ID(), own))
	return f.ID()
}

// commit commits a delta, as the crawler would.
func (w *world) commit(id reader.FeedID, hs ...store.Header) *store.FeedRow {
	w.t.Helper()
	ctx := context.Background()
	f, err := w.store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now := w.clk.Add(time.Minute)
	for i := range hs {
		hs[i].Identity, hs[i].Sort = uint64(f.Seq)+uint64(i)+1, now.Unix()
	}
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), reader.MinuteOf(now), now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(ctx, d))
	f, err = w.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq, row.Stamp, row.NewestAt, row.Hash = f.Seq+uint32(len(hs)), d.Stamp, now.Unix(), []byte{1}
		if f.Seq == 0 {
			row.FirstSeq = uint32(len(hs))
		}
	})
	w.ok(err)
	return f
}

// news is commit with what the crawler says of it, and the work that follows at once.
func (w *world) news(id reader.FeedID, titles ...string) {
	w.t.Helper()
	hs := make([]store.Header, len(titles))
	for i := range hs {
		hs[i].Title = titles[i]
	}
	w.hooks.News(w.t.Context(), w.commit(id, hs...))
	w.work()
}

// pass lets time pass, a minute at a time, with the work that falls due.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	for ; d > 0; d -= time.Minute {
		w.clk.Add(time.Minute)
		w.work()
	}
}

func (w *world) work() {
	w.t.Helper()
	for range 1000 {
		ds, err := w.queue.Receive(context.Background(), 10, 0)
		w.ok(err)
		if len(ds) == 0 {
			return
		}
		for _, d := range ds {
			w.queue.HandleOne(context.Background(), d, queue.ConsumeOptions{}, w.handle)
		}
	}
	w.t.Fatal("the messages do not end")
}

func (w *world) handle(ctx context.Context, m queue.Message) error {
	j, err := job.Decode(m.Body)
	if err != nil {
		return queue.Reject(err)
	}
	if j.Kind == job.Notice {
		err = w.s.Work(ctx, j)
	} else {
		err = w.hooks.Work(ctx, j)
	}
	var early *webhook.EarlyError
	if errors.As(err, &early) {
		return queue.Retry(early.After, err)
	}
	if err != nil {
		w.t.Errorf("%s: %v", j.Kind, err)
	}
	return err
}

// took returns what a device has shown since the last call, as "title: body -> path".
func (w *world) took(device int) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := fmt.Sprint("/", device)
	for _, n := range w.shown[path] {
		out = append(out, n.Title+": "+strings.ReplaceAll(n.Body, "\n", " | ")+" -> "+n.Path)
	}
	w.shown[path] = nil
	return out
}

func (w *world) want(device int, what string, texts ...string) {
	w.t.Helper()
	if got := w.took(device); fmt.Sprint(got) != fmt.Sprint(texts) {
		w.t.Errorf("%s: shown %q, want %q", what, got, texts)
	}
}

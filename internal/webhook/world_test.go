package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/arrivals"
	"github.com/ruri-reader/ruri/internal/webhook"
)

const user = arrivals.User

// world is a user with feeds, a queue, and a receiving server that verifies each request.
type world struct {
	*arrivals.World

	t     *testing.T
	s     *webhook.Service
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
type options = arrivals.Options

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	w := &world{World: arrivals.New(t, o), t: t, secret: map[string]string{}}
	w.receiver = httptest.NewServer(http.HandlerFunc(w.receive))
	t.Cleanup(w.receiver.Close)
	w.s = webhook.New(w.Store, w.Fetch, w.Fetch.PermitsPost, w.keys, w.Queue, w.Subscriptions, w.Clock, arrivals.Log)
	return w
}

func (w *world) keys(context.Context) (string, error) { return w.owned, nil }

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
	got := received{path: r.URL.Path, at: w.Clock.Now()}
	if err := json.Unmarshal(body, &got.Body); err != nil {
		w.t.Errorf("the body is no JSON: %v", err)
	}
	at := r.Header.Get("X-Ruri-Timestamp")
	if want := webhook.Sign(w.secret[got.Webhook], at, body); r.Header.Get("X-Ruri-Signature") != want ||
		w.secret[got.Webhook] == "" {
		w.t.Errorf("the signature is %q, want %q", r.Header.Get("X-Ruri-Signature"), want)
	}
	if at != fmt.Sprint(w.Clock.Now().Unix()) || r.Header.Get("X-Ruri-Event") != got.Event ||
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

func (w *world) feed() reader.FeedID { return w.Feed(store.SubscriptionRow{}) }

// news commits a delta, as the crawler would, and gives the feed's row.
func (w *world) news(id reader.FeedID, titles ...string) *store.FeedRow {
	return w.Commit(id, arrivals.Titled(titles...)...)
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
	w.Clock.Add(time.Minute)
	w.work()
	return row.Hook()
}

// work handles messages until there are none and returns how many there were.
func (w *world) work() int {
	w.t.Helper()
	return w.Work(func(ctx context.Context, j job.Job) error {
		began := w.Clock.Now()
		err := w.s.Work(ctx, j)
		w.longest = max(w.longest, w.Clock.Now().Sub(began))
		return err
	})
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

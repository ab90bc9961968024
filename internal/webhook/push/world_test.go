package push

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/arrivals"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/webhook"
)

const user = arrivals.User

// world is a user with feeds, the queue, and a push service like the real ones.
type world struct {
	*arrivals.World

	t     *testing.T
	hooks *webhook.Service
	s     *Service

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
	w := &world{World: arrivals.New(t, arrivals.Options{}), t: t,
		keys: map[string]browser{}, answers: map[string]func(int) (int, string){}, asked: map[string]int{},
		shown: map[string][]notification{}}
	w.service = httptest.NewServer(http.HandlerFunc(w.push))
	t.Cleanup(w.service.Close)
	noKeys := func(context.Context) (string, error) { return "", nil }
	permits := w.Fetch.PermitsPost
	w.hooks = webhook.New(w.Store, w.Fetch, permits, noKeys, w.Queue, w.Subscriptions, w.Clock, arrivals.Log)
	w.s = New(Deps{Store: w.Store, Streams: stream.New(w.Store, blob.New(memblob.New()), w.Clock),
		Hooks: w.hooks, Fetch: w.Fetch, Permits: permits, Queue: w.Queue, Contact: "https://reader.example",
		Clock: w.Clock, Log: arrivals.Log, Key: func(context.Context, string) ([]byte, error) {
			return []byte("0123456789abcdef0123456789abcdef"), nil
		}})
	w.hooks.OnNews(w.s.Arrived)
	return w
}

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
	w.ok(w.Store.Accounts.PutSession(w.t.Context(), user, session, store.SessionRow{}))
	row, err := w.s.Register(w.t.Context(), user, Device{Endpoint: w.service.URL + path,
		Public: private.PublicKey().Bytes(), Auth: w.keys[path].auth, Language: language, Session: session})
	w.ok(err)
	w.work()
	w.pass(time.Minute)
	return row.ID()
}

// news is Commit with what the crawler says of it, and the work that follows at once.
func (w *world) news(id reader.FeedID, titles ...string) {
	w.t.Helper()
	w.Commit(id, arrivals.Titled(titles...)...)
	w.work()
}

// pass lets time pass, a minute at a time, with the work that falls due.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	for ; d > 0; d -= time.Minute {
		w.Clock.Add(time.Minute)
		w.work()
	}
}

func (w *world) work() {
	w.t.Helper()
	w.Work(func(ctx context.Context, j job.Job) (err error) {
		if j.Kind == job.Notice {
			err = w.s.Work(ctx, j)
		} else {
			err = w.hooks.Work(ctx, j)
		}
		var early *webhook.EarlyError
		if err != nil && !errors.As(err, &early) {
			w.t.Errorf("%s: %v", j.Kind, err)
		}
		return err
	})
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

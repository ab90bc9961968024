// Package hatena is a stand-in for Hatena Bookmark's API of counts. It answers as the real one does, as far as that is
// known from its clients, fails in the ways a server can, and fails the test whose code asks too often, for too much,
// or for what is private.
package hatena

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
)

const (
	maxURLs  = 50
	maxQuery = 8190
	interval = 5 * time.Second
	// maxOfCycle bounds the calls of a quarter of an hour, in which there is one cycle at most; maxOfDay those of 24
	// hours.
	maxOfCycle = 100
	maxOfDay   = 14_400
)

// Server counts bookmarks and measures how it is asked. It is safe for concurrent use.
type Server struct {
	// Count is how many people have bookmarked an address.
	Count func(address string) int
	// Canonical is the address under which the number of an address is answered, if not its own.
	Canonical func(address string) string
	// Fail chooses how a call fails; nil for one that does not.
	Fail func() Failure
	// MaxQuery is the length in bytes above which a query is refused.
	MaxQuery int
	// IsForbidden says that nobody may ask for anything.
	IsForbidden bool

	t     testing.TB
	clock clock.Clock
	mu    sync.Mutex
	calls []time.Time
	asked map[string]int
}

// New returns a server of a test. All times are those of the clock.
func New(t testing.TB, c clock.Clock, count func(address string) int) *Server {
	return &Server{Count: count, MaxQuery: maxQuery, t: t, clock: c, asked: map[string]int{}}
}

// Failure answers a call in another way than with its answer.
type Failure func(w http.ResponseWriter, r *http.Request, answer []byte)

// Status answers with a status and, if not empty, a Retry-After.
func Status(code int, retryAfter string) Failure {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(code)
	}
}

// Body answers 200 with another body.
func Body(text string) Failure {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) { _, _ = w.Write([]byte(text)) }
}

// Cut answers with half of the answer, and with at least its first byte.
func Cut(w http.ResponseWriter, _ *http.Request, answer []byte) {
	_, _ = w.Write(answer[:max(len(answer)/2, 1)])
}

// Hang does not answer before the caller gives up.
func Hang(_ http.ResponseWriter, r *http.Request, _ []byte) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// Failures are all ways to fail.
func Failures() []Failure {
	return []Failure{
		Status(429, ""), Status(429, "60"), Status(500, ""), Status(503, ""), Status(503, "120"), Hang, Cut,
		Body("<!doctype html><title>Maintenance</title>"), Body("[]"), Body("null"),
		Body(`{"https://site.org/":-1}`), Body(""),
	}
}

// ServeHTTP answers GET /count/entries.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	urls := r.URL.Query()["url"]
	s.measure(r, urls)
	fail := s.Fail
	s.mu.Unlock()
	switch {
	case r.Method != http.MethodGet || r.URL.Path != "/count/entries":
		http.NotFound(w, r)
		return
	case len(r.URL.RawQuery) > s.MaxQuery:
		w.WriteHeader(http.StatusRequestURITooLong)
		return
	case len(urls) == 0 || len(urls) > maxURLs:
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer := s.answer(urls)
	if fail != nil {
		if failure := fail(); failure != nil {
			failure(w, r, answer)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(answer)
}

// answer is the object from address to number. Of the addresses without bookmarks every second one is missing.
func (s *Server) answer(urls []string) []byte {
	counts := map[string]int{}
	for _, u := range urls {
		n := s.Count(u)
		if n == 0 && len(u)%2 == 0 {
			continue
		}
		if s.Canonical != nil {
			u = s.Canonical(u)
		}
		counts[u] = n
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(counts); err != nil {
		panic(err) // a map from string to int
	}
	return b.Bytes()
}

// measure fails the test if the call breaks a rule.
func (s *Server) measure(r *http.Request, urls []string) {
	now := s.clock.Now()
	if s.IsForbidden {
		s.t.Errorf("Hatena is asked for %d addresses", len(urls))
	}
	if n := len(s.calls); n > 0 && now.Sub(s.calls[n-1]) < interval {
		s.t.Errorf("%s: a call %s after the last one", now, now.Sub(s.calls[n-1]))
	}
	s.calls = append(s.calls, now)
	inTick, inDay := 0, 0
	for i := len(s.calls) - 1; i >= 0 && now.Sub(s.calls[i]) < 24*time.Hour; i-- {
		inDay++
		if s.calls[i].Truncate(15 * time.Minute).Equal(now.Truncate(15 * time.Minute)) {
			inTick++
		}
	}
	if inTick > maxOfCycle || inDay > maxOfDay {
		s.t.Errorf("%s: %d calls in a cycle, %d in 24 hours", now, inTick, inDay)
	}
	if len(urls) == 0 || len(urls) > maxURLs {
		s.t.Errorf("a call has %d addresses", len(urls))
	}
	plain := 0
	for i, u := range urls {
		plain += len("&url=") + len(u)
		if why := private(u); why != "" {
			s.t.Errorf("Hatena is asked for %s: %s", u, why)
		}
		if slices.Contains(urls[:i], u) {
			s.t.Errorf("a call has %s twice", u)
		}
		s.asked[u]++
	}
	if plain > 4096 {
		s.t.Errorf("a call has %d bytes of addresses", plain)
	}
	for _, name := range []string{"Cookie", "Authorization", "Referer"} {
		if r.Header.Get(name) != "" {
			s.t.Errorf("a call has the header %s", name)
		}
	}
}

// private says why an address should not have been sent; empty if nothing speaks against it. It knows nothing of
// reader.AskURL.
func private(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err.Error()
	case u.Scheme != "http" && u.Scheme != "https":
		return "not an address of the web"
	case u.User != nil:
		return "it has a user name"
	case u.Port() != "" && u.Port() != "80" && u.Port() != "443":
		return "it has a port"
	case len(address) > 1000:
		return "it is too long"
	case u.Fragment != "" && !strings.HasPrefix(u.Fragment, "!"):
		return "it has a fragment"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || !strings.Contains(u.Hostname(), ".") {
		return "its host is no public name"
	}
	for _, zone := range []string{".local", ".internal", ".example", ".localhost", ".test"} {
		if strings.HasSuffix(u.Hostname(), zone) {
			return "its host is private"
		}
	}
	for name := range u.Query() {
		switch name = strings.ToLower(name); {
		case slices.Contains([]string{"token", "key", "auth", "sid", "session", "password", "signature", "code"}, name):
			return "it has a secret"
		case strings.HasPrefix(name, "utm_"):
			return "it has a parameter for tracking"
		}
	}
	return ""
}

// Do implements fetch.Fetcher, as the guarded client would over a network. Nobody waits in it: a caller gives up at
// once.
func (s *Server) Do(ctx context.Context, r fetch.Request) (resp *fetch.Response, err error) {
	ctx, giveUp := context.WithCancel(ctx)
	giveUp()
	in, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, &fetch.Error{Code: fetch.CodeBadURL, Cause: err}
	}
	if in.URL.Scheme != "https" || in.URL.Host != "bookmark.hatenaapis.com" {
		return nil, &fetch.Error{Code: fetch.CodeDNSFailure, Cause: fmt.Errorf("there is no %s", in.URL.Host),
			NoResponse: true}
	}
	defer func() {
		if aborted := recover(); aborted == http.ErrAbortHandler {
			err = &fetch.Error{Code: fetch.CodeTimeout, Host: in.URL.Host, NoResponse: true}
		} else if aborted != nil {
			panic(aborted)
		}
	}()
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, in)
	if int64(rec.Body.Len()) > r.MaxBytes {
		return nil, &fetch.Error{Code: fetch.CodeTooLarge, Host: in.URL.Host}
	}
	resp = &fetch.Response{Status: rec.Code, FinalURL: r.URL, ContentType: rec.Header().Get("Content-Type")}
	if rec.Code == http.StatusOK {
		resp.Body = rec.Body.Bytes()
	}
	if seconds, err := strconv.Atoi(rec.Header().Get("Retry-After")); err == nil {
		resp.RetryAfter = time.Duration(seconds) * time.Second
	}
	return resp, nil
}

// Calls are when it was called, in order.
func (s *Server) Calls() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Asked is how often it was asked for each address.
func (s *Server) Asked() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := make(map[string]int, len(s.asked))
	for u, n := range s.asked {
		asked[u] = n
	}
	return asked
}

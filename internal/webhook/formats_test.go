package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// service behaves as the real ones do: it refuses what their documentation refuses.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	got   []string // path and body of each request that was accepted
	times []time.Time
	// wrong, when not nil, responds in the service's place.
	wrong func(rw http.ResponseWriter, n int) bool
	asked int
}

const secretKey = "123456:S3cret"

// rules of each service: what a request must be like, and what it is answered.
var services = map[string]struct {
	path   string // after {key}: as the user types it
	want   string // path of the request
	header string
	accept func(f map[string]any, form string) bool
	status int
	answer string
}{
	"ntfy": {path: "/ruri", want: "/", header: "Bearer " + secretKey, status: 200, answer: `{"id":"x"}`,
		accept: func(f map[string]any, _ string) bool { return f["topic"] == "ruri" && f["message"] != "" }},
	"gotify": {path: "", want: "/message", header: secretKey, status: 200, answer: `{"id":1}`,
		accept: func(f map[string]any, _ string) bool { return f["message"] != nil }},
	"telegram": {path: "/bot{key}/sendMessage?chat_id=-42", want: "/bot" + secretKey + "/sendMessage", status: 200,
		answer: `{"ok":true,"result":{}}`,
		accept: func(f map[string]any, _ string) bool { return f["chat_id"] == "-42" && f["text"] != "" }},
	"slack": {path: "/services/{key}", want: "/services/" + secretKey, status: 200, answer: "ok",
		accept: func(f map[string]any, _ string) bool { return f["text"] != "" }},
	"discord": {path: "/api/webhooks/{key}", want: "/api/webhooks/" + secretKey, status: 204,
		accept: func(f map[string]any, _ string) bool {
			return f["content"] != "" && fmt.Sprint(f["allowed_mentions"]) == "map[parse:[]]"
		}},
	"readwise": {path: "/api/v3/save", want: "/api/v3/save/", header: "Token " + secretKey, status: 201,
		accept: hasURL("url")},
	"linkding": {path: "/", want: "/api/bookmarks/", header: "Token " + secretKey, status: 201, accept: hasURL("url")},
	"raindrop": {path: "", want: "/rest/v1/raindrop", header: "Bearer " + secretKey, status: 200,
		answer: `{"result":true,"item":{}}`, accept: hasURL("link")},
	"instapaper": {path: "/api/add", want: "/api/add", header: "Basic MTIzNDU2OlMzY3JldA==", status: 201,
		accept: func(_ map[string]any, form string) bool { return strings.Contains(form, "url=https%3A%2F%2F") }},
	"wallabag": {path: "/bag", want: "/bag/api/entries.json", header: "Bearer fresh", status: 200,
		accept: hasURL("url")},
	"own": {path: "/mine?k={key}", want: "/mine?k=" + secretKey, header: "mine " + secretKey, status: 202,
		accept: func(f map[string]any, _ string) bool { return f["a"] != "" && f["b"] != nil }},
}

func hasURL(field string) func(map[string]any, string) bool {
	return func(f map[string]any, _ string) bool {
		s, _ := f[field].(string)
		return strings.HasPrefix(s, "https://")
	}
}

func newService(t *testing.T, w *world, format string) *service {
	s := &service{}
	is := services[format]
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.URL.Path == "/bag/oauth/v2/token" {
			if string(body) != "grant_type=password&"+secretKey {
				rw.WriteHeader(400)
				return
			}
			_, _ = io.WriteString(rw, `{"access_token":"fresh","expires_in":3600}`)
			return
		}
		s.asked++
		if s.wrong != nil && s.wrong(quitter{rw, r.Context().Done()}, s.asked) {
			return
		}
		var f map[string]any
		isForm := r.Header.Get("Content-Type") == "application/x-www-form-urlencoded"
		key := r.Header.Get("Authorization") + r.Header.Get("X-Gotify-Key")
		if err := json.Unmarshal(body, &f); err != nil && !isForm || r.Method != http.MethodPost {
			rw.WriteHeader(http.StatusUnprocessableEntity)
		} else if r.URL.RequestURI() != is.want {
			rw.WriteHeader(http.StatusNotFound)
		} else if key != is.header {
			rw.WriteHeader(http.StatusUnauthorized)
		} else if !is.accept(f, string(body)) {
			rw.WriteHeader(http.StatusBadRequest)
		} else {
			s.got, s.times = append(s.got, string(body)), append(s.times, w.Clock.Now())
			rw.WriteHeader(is.status)
			_, _ = io.WriteString(rw, is.answer)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) accepted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// owner makes the user the owner, whose keys the settings hold.
func (w *world) owner(s *service) {
	w.t.Helper()
	w.ok(w.Store.Accounts.Create(w.t.Context(), user, store.Account{Email: "a@example.org", Owner: true}))
	w.ok(w.Store.Accounts.ClaimOwner(w.t.Context(), user))
	w.owned = "other 127.0.0.1:1 wrong\n service " + strings.TrimPrefix(s.URL, "http://") + " " + secretKey + "\n"
}

// in makes a webhook of a format for all events.
func (w *world) in(s *service, format string, path string) *store.WebhookRow {
	w.t.Helper()
	url, key := s.URL+path, "service"
	c := webhook.Change{URL: &url, Format: &format, Key: &key, Events: events(webhook.EventNew,
		webhook.EventStopped, webhook.EventProblem, webhook.EventServer, webhook.EventSent, webhook.EventBudget)}
	if format == webhook.FormatOwn {
		template := `{"a": "{title} of {feed}", "b": ["{url}"]}`
		c.Template, c.Headers = &template, &map[string]string{"Authorization": "mine {key}"}
	}
	row, err := w.s.Create(w.t.Context(), user, c)
	w.ok(err)
	w.work()
	w.Clock.Add(time.Minute)
	w.work()
	return row
}

// TestFormats: each service takes new items, items that are sent, a feed that stops, a watch with a problem, a failed
// backup, a month near its limit and a test, in its own format, and no row has the key.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, format := range webhook.Formats()[1:] {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			s := newService(t, w, format)
			w.owner(s)
			f := w.feed()
			row := w.in(s, format, services[format].path)
			out, err := w.s.Test(t.Context(), user, row.Hook())
			if err != nil || out.Code != "" {
				t.Fatalf("the test ended with %+v, %v", out, err)
			}
			before := len(s.accepted())
			feed := w.news(f, `say "hi" & <b>`, "日本語")
			w.work()
			want := map[bool]int{true: 2, false: 1}[isEach(format)]
			got := s.accepted()[before:]
			if len(got) != want {
				t.Fatalf("new items: %d accepted requests, want %d: %v", len(got), want, got)
			}
			if all := strings.Join(got, ""); !strings.Contains(all, "日本語") && !strings.Contains(all, "%E6%97%A5") {
				t.Errorf("the titles are missing: %s", all)
			}
			item := job.Spot{Item: reader.NewItemID(reader.Minute(feed.Stamp), f, reader.Seq(feed.Seq)),
				Seq: reader.Seq(feed.Seq)}
			if out, err := w.s.Send(t.Context(), user, row.Hook(), item); err != nil || out.Code != "" {
				t.Errorf("sending ended with %+v, %v", out, err)
			}
			w.ok(w.s.SendAll(t.Context(), user, row.Hook(), []job.Spot{item}))
			w.work()
			for _, kind := range []string{"", store.KindWatch} {
				_, err = w.Store.Feeds.Modify(t.Context(), f, func(row *store.FeedRow) {
					row.Kind, row.Status, row.ErrCode = kind, string(reader.StatusStopped), reader.CodeHTTP404
					row.ErrSince = w.Clock.Now().Unix()
				})
				w.ok(err)
				w.ok(job.Send(t.Context(), w.Queue, 0, job.Job{Kind: job.Trouble, Feeds: []reader.FeedID{f}}))
				w.work()
			}
			_, err = w.Store.Accounts.SetBackupFailed(t.Context(), w.Clock.Now(), "backup_full")
			w.ok(err)
			w.ok(w.s.TellServer(t.Context()))
			w.work()
			w.ok(w.Store.Budget.Put(t.Context(), store.BudgetRow{Month: "2026-11", Slow: 4, Spent: 4.3, Limit: 5}))
			w.ok(w.s.TellBudget(t.Context()))
			w.Clock.Add(time.Minute)
			w.work()
			got = s.accepted()[before:]
			if len(got) != want+6 || !strings.Contains(strings.ReplaceAll(got[want+2], "+", " "), "Feed stopped") ||
				!strings.Contains(strings.ReplaceAll(got[want+3], "+", " "), "Watch has a problem") ||
				!strings.Contains(strings.ReplaceAll(got[want+4], "+", " "), "the backup failed") ||
				!strings.Contains(strings.ReplaceAll(got[want+5], "+", " "), "of the monthly limit") {
				t.Errorf("%d accepted requests, want %d: %v", len(got), want+6, got)
			}
			stored, err := w.Store.Webhooks.Get(t.Context(), user, row.Hook())
			w.ok(err)
			if all := fmt.Sprintf("%+v %s", stored, stored.Headers); strings.Contains(all, secretKey) {
				t.Errorf("the row has the key: %s", all)
			}
		})
	}
}

func isEach(format string) bool {
	return slices.Contains([]string{"readwise", "linkding", "raindrop", "instapaper", "wallabag", "own"}, format)
}

func status(code int, header ...string) func(http.ResponseWriter) {
	return func(rw http.ResponseWriter) {
		if len(header) > 0 {
			rw.Header().Set(header[0], header[1])
		}
		rw.WriteHeader(code)
	}
}

func says(text string) func(http.ResponseWriter) {
	return func(rw http.ResponseWriter) { _, _ = io.WriteString(rw, text) }
}

// TestServicesMisbehave: in every format, whatever a service says in place of a success leads to a retry, and nothing
// arrives twice.
func TestServicesMisbehave(t *testing.T) {
	t.Parallel()
	wrong := []struct {
		name  string
		do    func(rw http.ResponseWriter)
		code  string
		after time.Duration
	}{
		{"500", status(500), "refused", time.Minute},
		{"a wrong key, with a reason", func(rw http.ResponseWriter) {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(401)
			_, _ = io.WriteString(rw, `{"error":"Unauthorized","errorCode":401,"description":"wrong token"}`)
		}, "refused", time.Minute},
		{"too many", status(429, "Retry-After", "900"), "refused", 15 * time.Minute},
		{"elsewhere", status(302, "Location", "/x"), "redirected", time.Minute},
		{"hangs up", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, "connection_reset", time.Minute},
		{"silent", func(rw http.ResponseWriter) { <-rw.(quitter).quit }, "timeout", time.Minute},
		{"a page", func(rw http.ResponseWriter) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(rw, "<html>Sign in to the network")
		}, "refused", time.Minute},
		{"no", says(`{"ok":false,"result":false}`), "refused", time.Minute},
	}
	for _, format := range webhook.Formats()[1:] {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{Timeout: 300 * time.Millisecond})
			s := newService(t, w, format)
			w.owner(s)
			f := w.feed()
			row := w.in(s, format, services[format].path)
			for n, c := range wrong {
				if c.name == "a page" && slices.Contains([]string{"slack", "discord", "instapaper", "own"}, format) ||
					c.name == "no" && format != "telegram" && format != "raindrop" {
					continue // such an answer says nothing in this format
				}
				feed := w.news(f, fmt.Sprint("item ", n))
				w.work()
				s.taken()
				s.misbehave(c.do)
				began := w.Clock.Now()
				seq := reader.Seq(feed.Seq)
				out, err := w.s.Send(t.Context(), user, row.Hook(),
					job.Spot{Item: reader.NewItemID(reader.Minute(feed.Stamp), f, seq), Seq: seq})
				if err != nil || out.Code != c.code {
					t.Fatalf("%s: %+v, %v, want %s", c.name, out, err, c.code)
				}
				for range 20 {
					w.Clock.Add(time.Minute)
					w.work()
				}
				if got, times := s.taken(); len(got) != 1 || times[0].Sub(began) < c.after {
					t.Errorf("%s: %d requests accepted, at %v: want one after %v", c.name, len(got), times, c.after)
				}
			}
		})
	}
}

// misbehave has the next request answered by do.
func (s *service) misbehave(do func(rw http.ResponseWriter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.asked + 1
	s.wrong = func(rw http.ResponseWriter, n int) bool {
		if n == first {
			do(rw)
		}
		return n == first
	}
	s.got, s.times = nil, nil
}

// taken returns what was accepted since misbehave.
func (s *service) taken() ([]string, []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got, s.times
}

// quitter is a response whose client may leave.
type quitter struct {
	http.ResponseWriter
	quit <-chan struct{}
}

// TestKeysStayWithTheirHost: a key goes to no other host, and to nobody but the owner.
func TestKeysStayWithTheirHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	s := newService(t, w, "telegram")
	w.owner(s)
	create := func(u reader.UserID, format, url, key string) string {
		c := webhook.Change{URL: &url, Format: &format, Key: &key, Events: events("new")}
		_, err := w.s.Create(t.Context(), u, c)
		return fault.CodeOf(err)
	}
	path := services["telegram"].path
	for _, c := range []struct{ name, format, url, key, code string }{
		{"another host", "telegram", "http://localhost:1" + path, "service", "webhook_key_unknown"},
		{"another name", "telegram", s.URL + path, "other", "webhook_key_unknown"},
		{"the key as the host", "telegram", "http://{key}.example.org/", "service", "bad_webhook_url"},
		{"no key", "telegram", s.URL + path, "", "webhook_needs_key"},
		{"no place for the key", "telegram", s.URL + "/bot1/sendMessage", "service", "webhook_needs_key"},
		{"our own format", "", s.URL + "/", "service", "webhook_needs_key"},
		{"an unknown format", "fax", s.URL + "/", "", "webhook_bad_format"},
		{"no template", "own", s.URL + "/", "", "bad_template"},
	} {
		if got := create(user, c.format, c.url, c.key); got != c.code {
			t.Errorf("%s: %q, want %q", c.name, got, c.code)
		}
	}
	if got := create("u2", "telegram", s.URL+path, "service"); got != "webhook_key_unknown" {
		t.Errorf("another user: %q", got)
	}
	if s.asked != 0 {
		t.Errorf("the service was asked %d times", s.asked)
	}
}

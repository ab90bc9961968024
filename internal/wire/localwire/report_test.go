package localwire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// lockedBuffer takes lines from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// lines reads what was logged, each line a JSON object.
func (l *lockedBuffer) lines(t *testing.T) (text string, all []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	text = l.b.String()
	for line := range strings.Lines(text) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		all = append(all, v)
	}
	return text, all
}

// secret is in every address, text and name of this flow that must not be logged.
const secret = "5eCr3tV4lu3"

// TestAFlowLeavesCleanLogs walks through signing in, adding, crawling, failing, reading and a poisoned message, at
// the most talkative level, and then reads the log: the fields are there, and no secret is.
// R-74, G-44
func TestAFlowLeavesCleanLogs(t *testing.T) {
	t.Parallel()
	version := 0
	var mu sync.Mutex
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasPrefix(r.URL.Path, "/good"):
			tag := `"` + secret + strconv.Itoa(version) + `"`
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", tag)
			w.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title>`, secret)
			for i := range version + 1 {
				fmt.Fprintf(w,
					`<item><guid>%d</guid><title>%s</title><link>https://example.org/%s</link><description>%s</`+
						`description></item>`, i, secret, secret, secret)
			}
			_, _ = io.WriteString(w, "</channel></rss>")
		case strings.HasPrefix(r.URL.Path, "/bad"):
			if version == 0 {
				w.Header().Set("ETag", `"b"`)
				w.Header().Set("Content-Type", "application/rss+xml")
				_, _ = io.WriteString(w,
					`<rss version="2.0"><channel><title>b</title><item><guid>1</guid><title>x</title></item></`+
						`channel></rss>`)
				return
			}
			http.Error(w, secret, http.StatusServiceUnavailable)
		default:
			http.Redirect(w, r, "/"+secret+"?key="+secret, http.StatusFound)
		}
	}))
	defer publisher.Close()

	var out lockedBuffer
	clk := clock.NewManual(start)
	c, err := config.Load(func(k string) (string, bool) {
		v, ok := map[string]string{"RURI_DATA": t.TempDir(), "RURI_ALLOW_NETS": "127.0.0.0/8"}[k]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	app, err := localwire.Open(t.Context(), c, localwire.Options{
		Version: "test", Log: logs.New(&out, "json", slog.LevelDebug), Clock: clk,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	ctx := t.Context()
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		t.Fatal(err)
	}
	token, err := app.Auth.NewToken(ctx, owner.ID(), "test", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	link, err := app.Auth.NewLink(ctx, owner.ID(), auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Auth.AddUser(ctx, secret+"@example.org", "password "+secret, false); err != nil {
		t.Fatal(err)
	}
	handler := app.Handler()
	cookie := ""
	call := func(status int, method, path, body string, header ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, r)
		if rec.Code != status {
			t.Fatalf("%s %s answers %d: %s", method, path, rec.Code, rec.Body)
		}
		if set := rec.Result().Cookies(); len(set) > 0 {
			cookie = set[0].Value
		}
		return rec
	}
	requests := 0
	as := []string{"Authorization", "Bearer " + token}
	// Signing in, rightly and wrongly.
	call(200, "GET", "/auth/link/"+link, "")
	call(303, "POST", "/auth/link/"+link, "")
	call(303, "POST", "/auth/link/"+link, "") // spent
	call(401, "POST", "/api/auth/login", `{"email":"`+secret+`@example.org","password":"wrong `+secret+`"}`)
	call(200, "POST", "/api/auth/login", `{"email":"`+secret+`@example.org","password":"password `+secret+`"}`)
	call(200, "GET", "/api/me", "", "Cookie", "ruri="+cookie)
	call(401, "GET", "/api/me", "", "Cookie", "ruri="+secret)
	call(401, "GET", "/api/me", "", "Authorization", "Bearer ruri_live_"+secret)
	call(404, "GET", "/api/"+secret+"?key="+secret, "")
	requests += 9
	// Adding, by addresses with keys in them.
	var feeds []string
	for _, path := range []string{"/good/", "/bad/"} {
		var a struct{ Feed struct{ ID string } }
		rec := call(201, "POST", "/api/feeds", `{"url":"`+publisher.URL+path+secret+`?token=`+secret+`"}`, as...)
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		feeds = append(feeds, a.Feed.ID)
	}
	call(422, "POST", "/api/feeds", `{"url":"`+publisher.URL+`/loop/`+secret+`"}`, as...)
	call(422, "POST", "/api/feeds", `{"url":"http://user:`+secret+`@127.0.0.1:1/`+secret+`"}`, as...)
	requests += 4
	// Ticks: a change and a failure, then 304s.
	mu.Lock()
	version = 1
	mu.Unlock()
	runs := map[string]int{}
	for range 100 {
		clk.Add(15 * time.Minute)
		if _, err := app.Orchestrator.Run(ctx, clk.Now()); err != nil {
			t.Fatal(err)
		}
		for {
			got, err := app.Queue.Receive(ctx, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 {
				break
			}
			if err := app.Worker().Handle(ctx, got[0].Message); err != nil {
				t.Fatal(err)
			}
			if err := app.Queue.Ack(ctx, got[0]); err != nil {
				t.Fatal(err)
			}
			runs[got[0].ID]++
		}
	}
	poison(t, app)
	// Reading, the same list again and again.
	tag := call(200, "GET", "/api/feeds", "", as...).Header().Get("ETag")
	for range 100 {
		call(304, "GET", "/api/feeds", "", append([]string{"If-None-Match", tag}, as...)...)
	}
	call(200, "GET", "/api/feeds/"+feeds[0], "", as...)
	for range 40 {
		call(200, "GET", "/healthz", "")
	}
	call(404, "GET", "/api/feeds/999", "", as...)
	requests += 3

	text, lines := out.lines(t)
	for name, hidden := range map[string]string{
		"the token": token, "the link": link, "the session": cookie, "a secret": secret, "the password": "password ",
		"the prefix of a token": "ruri_live_", "a path of a feed": "/good/",
	} {
		if at := strings.Index(text, hidden); at >= 0 && hidden != "" {
			t.Errorf("%s is in the log: …%s…", name, text[max(0, at-120):min(len(text), at+80)])
		}
	}
	count := map[string]int{}
	seen := map[string]bool{}
	host := strings.TrimPrefix(publisher.URL, "http://")
	for _, l := range lines {
		msg, _ := l["msg"].(string)
		switch msg {
		case "request":
			need(t, l, "request_id", "method", "route", "status", "duration_ms")
			status := int(l["status"].(float64))
			if status >= 400 {
				need(t, l, "code")
			}
			if l["sampled"] != nil {
				count[fmt.Sprint("sampled ", l["route"], " ", status)]++
				break
			}
			count["request"]++
			id := l["request_id"].(string)
			if seen[id] {
				t.Errorf("two lines of request %s", id)
			}
			seen[id] = true
			route := l["route"].(string)
			if strings.Contains(route, "link/") && !strings.HasSuffix(route, " /auth/link/{token}") {
				t.Errorf("the route %q is no pattern", route)
			}
			if strings.Contains(route, "/api/feeds/{id}") && status == 200 {
				need(t, l, "user_id", "feed_id")
			}
			if route == "POST /api/feeds" && status == 201 && l["host"] != host {
				t.Errorf("the added feed's host is %v, want %s", l["host"], host)
			}
		case "poll":
			need(t, l, "request_id", "feed_id", "host", "outcome", "status", "duration_ms")
			count["poll "+l["outcome"].(string)]++
			if l["host"] != host {
				t.Errorf("the host of a poll is %v", l["host"])
			}
			if l["outcome"] == "failed" && (l["code"] != "http_5xx" || l["sampled"] != nil) {
				t.Errorf("a failure is told as %v", l)
			}
		case "message":
			need(t, l, "request_id", "kind", "receives", "outcome", "duration_ms")
			if l["outcome"] != "done" {
				count["messages not done"]++
				break
			}
			runs[l["request_id"].(string)]--
		case "run":
			need(t, l, "request_id", "kind", "tick", "part", "polled", "failed", "duration_ms")
			count["run"]++
		}
	}
	if count["messages not done"] != 1 {
		t.Errorf("%d messages are logged as not done, want the unreadable one", count["messages not done"])
	}
	if count["request"] != requests {
		t.Errorf("%d lines of %d requests that are not sampled", count["request"], requests)
	}
	for what, want := range map[string]int{"sampled GET /api/feeds 304": 5, "sampled GET /healthz 200": 2} {
		if count[what] != want {
			t.Errorf("%s: %d lines, want %d", what, count[what], want)
		}
	}
	for id, n := range runs {
		if n != 0 {
			t.Errorf("the message %s has %d lines too few", id, n)
		}
	}
	// Two first crawls and one change; the 304s are thinned out, the failures are all there.
	if count["poll changed"] != 3 || count["poll failed"] < 2 || count["poll notModified"] != 1 {
		t.Errorf("polls are logged as %v", count)
	}
	metricsAgree(t, string(app.MetricsText()), count["poll failed"])
}

// poison sends a message that nobody can read; the queue's loop buries it.
func poison(t *testing.T, app *localwire.Backend) {
	t.Helper()
	if err := app.Queue.Send(t.Context(),
		[][]byte{[]byte(`{"kind":"` + secret + `","url":"https://example.org/` + secret + `"}`)}, 0); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := app.Queue.Consume(ctx, queue.ConsumeOptions{Wait: time.Millisecond},
		func(ctx context.Context, m queue.Message) error {
			defer stop()
			return app.Worker().Handle(ctx, m)
		})
	if err != nil {
		t.Fatal(err)
	}
	if dead, err := app.Queue.Dead(t.Context(), 10); err != nil || len(dead) != 1 {
		t.Errorf("%d dead letters, %v", len(dead), err)
	}
}

func need(t *testing.T, line map[string]any, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if v, ok := line[k]; !ok || v == "" {
			t.Errorf("%s is missing in %v", k, line)
		}
	}
}

// metricsAgree compares the counters with the log of the same flow.
func metricsAgree(t *testing.T, text string, failed int) {
	t.Helper()
	for _, want := range []string{
		fmt.Sprintf("fetch_fail_count{reason=\"http_5xx\"} %d\n", failed),
		fmt.Sprintf("http_status_count{status_code=\"503\"} %d\n", failed),
		"items_upserted_count 3\n", "parse_fail_count 0\n", "table_write_units_count{row=\"run\"}",
		"fetch_latency_bucket{le=\"+Inf\"}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %q:\n%s", want, text)
		}
	}
}

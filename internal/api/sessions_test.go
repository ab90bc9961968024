package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
)

// signedIn gives the cookie of a new session of the owner's.
func (w *world) signedIn() *http.Cookie {
	w.t.Helper()
	value, _, err := w.auth.NewSession(w.t.Context(), w.owner)
	if err != nil {
		w.t.Fatal(err)
	}
	return &http.Cookie{Name: "ruri", Value: value}
}

// answer decodes a body that must have come with the status.
func answer[T any](t *testing.T, rec *httptest.ResponseRecorder, status int) (v T) {
	t.Helper()
	if rec.Code != status {
		t.Fatalf("answers %d, want %d: %s", rec.Code, status, rec.Body)
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	return v
}

type sessionsAnswer struct {
	Sessions []struct {
		ID, Method, CreatedAt, LastActiveAt string
		Device, Network                     *string
		IsCurrent                           bool
	}
}

// devices are listed and signed out one by one, all others, or all.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.auth.AddUser(t.Context(), "anna@example.org", "a long password", false); err != nil {
		t.Fatal(err)
	}
	login := func(agent string) *http.Cookie {
		t.Helper()
		r := httptest.NewRequest("POST", "/api/auth/login",
			strings.NewReader(`{"email":"anna@example.org","password":"a long password"}`))
		r.Header.Set("User-Agent", agent)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != 200 || len(rec.Result().Cookies()) != 1 || strings.Contains(rec.Body.String(), "token") {
			t.Fatalf("log-in answers %d: %s", rec.Code, rec.Body)
		}
		return rec.Result().Cookies()[0]
	}
	phone := login("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/127.0.0.0 Mobile Safari/537.36")
	laptop := login("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0")
	third, fourth := login("curl/8"), login("curl/8")
	theirs := w.signedIn()
	list := answer[sessionsAnswer](t, w.browser(laptop, "GET", "/api/sessions", ""), 200).Sessions
	if len(list) != 4 {
		t.Fatalf("%d sessions are listed", len(list))
	}
	var phoneID, thirdID string
	for _, s := range list {
		if s.IsCurrent != (*s.Device == "Firefox on Linux") || s.Method != "password" || s.Network != nil ||
			s.CreatedAt == "" {
			t.Errorf("a session is told as %+v", s)
		}
		switch *s.Device {
		case "Chrome on Android":
			phoneID = s.ID
		case "curl":
			thirdID = s.ID
		}
	}
	open := func(c *http.Cookie, want int) {
		t.Helper()
		if rec := w.browser(c, "GET", "/api/feeds", ""); rec.Code != want {
			t.Errorf("the session answers %d, want %d", rec.Code, want)
		}
	}
	if rec := w.browser(theirs, "DELETE", "/api/sessions/"+phoneID, ""); rec.Code != 404 {
		t.Errorf("somebody else ends it: %d", rec.Code)
	}
	open(phone, 200)
	if rec := w.browser(laptop, "DELETE", "/api/sessions/"+phoneID, ""); rec.Code != 204 ||
		len(rec.Result().Cookies()) != 0 {
		t.Errorf("ending another one answers %d, %v", rec.Code, rec.Result().Cookies())
	}
	open(phone, 401)
	if rec := w.browser(laptop, "DELETE", "/api/sessions/"+phoneID, ""); rec.Code != 404 {
		t.Errorf("ending it again answers %d", rec.Code)
	}
	if n := answer[struct{ Ended int }](t, w.browser(laptop, "DELETE", "/api/sessions", ""), 200).Ended; n != 2 {
		t.Errorf("%d others ended, want 2 (%s)", n, thirdID)
	}
	open(laptop, 200)
	open(third, 401)
	open(fourth, 401)
	rec := w.browser(laptop, "DELETE", "/api/sessions?all=true", "")
	if c := rec.Result().Cookies(); rec.Code != 200 || len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("ending all answers %d, %v", rec.Code, c)
	}
	open(laptop, 401)
	open(theirs, 200)
	if rec := w.browser(theirs, "POST", "/api/auth/logout", ""); rec.Code != 204 {
		t.Errorf("log-out answers %d", rec.Code)
	}
	open(theirs, 401)
	if rec := w.browser(theirs, "POST", "/api/auth/logout", ""); rec.Code != 204 {
		t.Errorf("a second log-out answers %d", rec.Code)
	}
}

// R-33, C-15: a session's token is a bearer too, and logs out as such.
func TestSessionsAreBearers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.auth.AddUser(t.Context(), "anna@example.org", "a long password", false); err != nil {
		t.Fatal(err)
	}
	rec := w.browser(nil, "POST", "/api/auth/login",
		`{"email":"anna@example.org","password":"a long password","bearer":true}`)
	in := answer[struct{ Token, ExpiresAt string }](t, rec, 200)
	if len(rec.Result().Cookies()) != 0 || strings.Count(in.Token, ".") != 2 || in.ExpiresAt != "2026-12-21T09:00:00Z" {
		t.Fatalf("the answer is %+v with %v", in, rec.Result().Cookies())
	}
	w.want(w.callAs(in.Token, "GET", "/api/feeds", nil, nil), 200)
	w.want(w.callAs(in.Token, "GET", "/api/sessions", nil, nil), 200)
	w.want(w.callAs(in.Token, "POST", "/api/auth/logout", nil, nil), 204)
	w.want(w.callAs(in.Token, "GET", "/api/feeds", nil, nil), 401)
}

type tokenAnswer struct {
	ID, Name, Token, CreatedAt string
	Scopes                     []string
	ExpiresAt, LastUsedAt      *string
}

// C-15, C-34: tokens are made, shown once, listed and ended; each scope opens its own.
func TestAPITokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.signedIn()
	made := func(scopes string) tokenAnswer {
		t.Helper()
		return answer[tokenAnswer](t,
			w.browser(c, "POST", "/api/tokens", `{"name":"`+scopes+`","scopes":[`+scopes2json(scopes)+`]}`), 201)
	}
	routes := []struct {
		method, path, body string
		open               string // to which scopes
	}{
		{"GET", "/api/feeds", "", "read"}, {"POST", "/api/import/opml", `<opml version="2.0"><body/></opml>`, "write"},
		{"GET", "/api/stats/dead-letters", "", "admin"}, {"GET", "/api/tokens", "", "admin"},
		{"GET", "/api/sessions", "", "admin"},
		{"DELETE", "/api/sessions/none", "", "admin"},
	}
	for _, scopes := range []string{"read", "write", "admin", "read write", "read write admin", "metrics"} {
		token := made(scopes)
		if !strings.HasPrefix(token.Token, "ruri_live_") || token.Name != scopes ||
			strings.Join(token.Scopes, " ") != scopes || token.ExpiresAt != nil {
			t.Fatalf("made: %+v", token)
		}
		for _, r := range routes {
			want := strings.Contains(scopes, r.open)
			got := w.callAs(token.Token, r.method, r.path, r.body, nil).StatusCode
			if want == (got == 403) || got == 401 {
				t.Errorf("%s with %s answers %d", r.method+" "+r.path, scopes, got)
			}
		}
	}
	for body, code := range map[string]string{
		`{"name":"x","scopes":[]}`: "bad_scope", `{"name":"x"}`: "missing_field",
		`{"name":"x","scopes":["read","metrics"]}`: "bad_scope",
		`{"name":"x","scopes":["all"]}`:            "bad_scope", `{"name":" ","scopes":["read"]}`: "bad_token_name",
		`{"name":"\u200b","scopes":["read"]}`:                               "bad_token_name",
		`{"name":"x","scopes":["read"],"expiresAt":"2026-11-21T08:59:59Z"}`: "bad_token_expiry",
		`{"name":"x","scopes":["read"],"expiresAt":"tomorrow"}`:             "bad_since",
		`{"name":"x","scopes":["read"],"expiresAt":""}`:                     "bad_since",
		`{"name":"","scopes":["x"],"expiresAt":"2001-01-01T00:00:00Z"}`:     "several_fields",
	} {
		if p := answer[problem](t, w.browser(c, "POST", "/api/tokens", body), 400); p.Code != code || p.Action == "" {
			t.Errorf("%s: %+v", body, p)
		}
	}
	short := answer[tokenAnswer](t,
		w.browser(c, "POST", "/api/tokens", `{"name":"short","scopes":["read"],"expiresAt":"2026-11-21T10:00:00Z"}`),
		201)
	w.want(w.callAs(short.Token, "GET", "/api/feeds", nil, nil), 200)
	rec := w.browser(c, "GET", "/api/tokens", "")
	list := answer[struct{ Tokens []tokenAnswer }](t, rec, 200).Tokens
	if len(list) != 8 || strings.Contains(rec.Body.String(), short.Token[len("ruri_live_"):]) { // and the world's own
		t.Errorf("%d tokens: %s", len(list), rec.Body)
	}
	for _, one := range list {
		if one.ID == short.ID && (one.ExpiresAt == nil || *one.ExpiresAt != "2026-11-21T10:00:00Z" ||
			one.LastUsedAt == nil) {
			t.Errorf("listed: %+v", one)
		}
	}
	if rec := w.browser(c, "DELETE", "/api/tokens/"+list[0].ID, ""); rec.Code != 204 {
		t.Errorf("ending one answers %d", rec.Code)
	}
	if rec := w.browser(c, "DELETE", "/api/tokens/"+list[0].ID, ""); rec.Code != 404 {
		t.Errorf("ending it again answers %d", rec.Code)
	}
	w.clock.Add(time.Hour)
	w.want(w.callAs(short.Token, "GET", "/api/feeds", nil, nil), 401)
}

func scopes2json(s string) string { return `"` + strings.ReplaceAll(s, " ", `","`) + `"` }

// G-39, R-38, C-3: requests are limited by user, those without a user by address.
// R-125, K-3, K-8, K-10, K-12, K-13
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) {
		o.RateAddress, o.RateUser = 100, 120
		o.Proxies = api.Proxies{Nets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/30")}}
	})
	c := w.signedIn()
	ask := func(cookie *http.Cookie, path, peer, forwarded string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.RemoteAddr = peer + ":4711"
		if strings.Contains(peer, ":") {
			r.RemoteAddr = "[" + peer + "]:4711"
		}
		if cookie != nil {
			r.AddCookie(cookie)
		}
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		return rec
	}
	// until counts requests until the first 429.
	until := func(f func(i int) *httptest.ResponseRecorder) int {
		for i := range 400 {
			if rec := f(i); rec.Code == 429 {
				wait, err := strconv.Atoi(rec.Header().Get("Retry-After"))
				p := answer[problem](t, rec, 429)
				if err != nil || wait < 1 || wait > 60 || p.Code != "rate_limited" || p.Action == "" {
					t.Errorf("refused with Retry-After %q: %+v", rec.Header().Get("Retry-After"), p)
				}
				return i
			}
		}
		return 400
	}
	if n := until(func(int) *httptest.ResponseRecorder { return ask(nil, "/api/feeds", "203.0.113.1", "") }); n != 100 {
		t.Errorf("%d requests of a stranger", n)
	}
	if rec := ask(nil, "/api/auth/methods", "203.0.113.1", ""); rec.Code != 200 {
		t.Errorf("somebody who signs in behind the same address is answered %d", rec.Code)
	}
	if n := until(func(int) *httptest.ResponseRecorder {
		return ask(nil, "/api/auth/methods", "203.0.113.9", "")
	}); n != 100 {
		t.Errorf("%d attempts to sign in", n)
	}
	if n := until(func(int) *httptest.ResponseRecorder { return ask(c, "/api/feeds", "203.0.113.1", "") }); n != 300 {
		t.Errorf("%d requests of somebody signed in behind the same address", n)
	}
	if n := until(func(int) *httptest.ResponseRecorder {
		return w.browser(c, "POST", "/api/items/state", `{}`)
	}); n != 120 {
		t.Errorf("%d changes of somebody who has read as much as is allowed", n)
	}
	over := w.signedIn()
	if rec := w.browser(over, "POST", "/api/auth/logout", ""); rec.Code != 204 {
		t.Fatalf("signing out answers %d", rec.Code)
	}
	for name, f := range map[string]func(i int) *httptest.ResponseRecorder{
		"with a session that has ended": func(int) *httptest.ResponseRecorder {
			return ask(over, "/api/feeds", "203.0.113.7", "")
		},
		"with a forged session": func(i int) *httptest.ResponseRecorder {
			return ask(&http.Cookie{Name: "ruri", Value: fmt.Sprint("x.y.", i)}, "/api/feeds", "203.0.113.2", "")
		},
		"who pretends addresses": func(i int) *httptest.ResponseRecorder {
			return ask(nil, "/api/feeds", "203.0.113.3", fmt.Sprint("198.51.100.", i%250))
		},
		"of one network of IPv6": func(i int) *httptest.ResponseRecorder {
			return ask(nil, "/api/feeds", fmt.Sprintf("2001:db8::%x", i+1), "")
		},
		"behind a proxy of ours": func(i int) *httptest.ResponseRecorder {
			return ask(nil, "/api/feeds", "192.0.2.1", "8.8.8.8, 203.0.113.4, 192.0.2.2")
		},
		"at an address for nobody": func(int) *httptest.ResponseRecorder {
			return ask(nil, "/api/openapi.json", "203.0.113.5", "")
		},
	} {
		if n := until(f); n != 100 {
			t.Errorf("%d requests of a stranger %s", n, name)
		}
	}
	if rec := ask(nil, "/api/feeds", "192.0.2.1", "203.0.113.6, 192.0.2.2"); rec.Code != 401 {
		t.Errorf("another one behind the same proxy is answered %d", rec.Code)
	}
	if rec := ask(nil, "/healthz", "203.0.113.1", ""); rec.Code != 200 {
		t.Errorf("whoever watches is answered %d", rec.Code)
	}
	w.clock.Add(30 * time.Second)
	if n := until(func(int) *httptest.ResponseRecorder { return ask(c, "/api/feeds", "203.0.113.1", "") }); n != 150 {
		t.Errorf("%d requests after half a minute of rest", n)
	}
	before := w.store.Table().Meter().Snapshot()
	for i := range 200 {
		r := httptest.NewRequest("GET", "/api/feeds", nil)
		r.RemoteAddr = "203.0.113.1:1"
		r.Header.Set("Authorization", fmt.Sprint("Bearer ruri_live_", i))
		w.handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	after := w.store.Table().Meter().Snapshot()
	if n := after.Reads["token"] - before.Reads["token"]; n > 30 || after.WriteOps != before.WriteOps {
		t.Errorf("who tries tokens out costs %v reads, %d writes", n, after.WriteOps-before.WriteOps)
	}
}

// Limits by address apply to viewers, not to CloudFront's edges.
//
func TestEdgeNeedsTheSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	edge := api.Proxies{Edge: "a secret of the edge"}
	ask := func(secret, viewer string) int {
		r := httptest.NewRequest("GET", "/api/openapi.json", nil)
		r.Header.Set("X-Ruri-Edge", secret)
		r.Header.Set("X-Ruri-Viewer", viewer)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		return rec.Code
	}
	w.elsewhere(func(o *api.Options) { o.RateAddress, o.Proxies = 1, edge })
	for i, c := range []struct {
		secret, viewer string
		want           int
	}{
		{"a secret of the edge", "198.51.100.1", 200}, {"a secret of the edge", "198.51.100.1", 429},
		{"a secret of the edge", "2001:db8:0:1::1", 200}, {"a secret of the edge", "2001:db8:0:1::2", 429},
		{"a secret of the edge", "2001:db8:0:2::2", 200}, {"guessed", "198.51.100.9", 200}, {"", "198.51.100.10", 429},
		{"a secret of the edge", "nonsense", 429}, {"a secret of the edge", "198.51.100.1:443", 429},
	} {
		if got := ask(c.secret, c.viewer); got != c.want {
			t.Errorf("request %d answers %d, want %d", i, got, c.want)
		}
	}
	edge.EdgeOnly = true
	w.elsewhere(func(o *api.Options) { o.Proxies = edge })
	for secret, want := range map[string]int{"a secret of the edge": 200, "guessed": 403, "": 403} {
		if got := ask(secret, "198.51.100.1"); got != want {
			t.Errorf("where others are refused, %q answers %d, want %d", secret, got, want)
		}
	}
}

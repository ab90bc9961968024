package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
)

// app makes a request as other reader apps do.
func (w *world) app(password, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if password != "" {
		r.Header.Set("Authorization", "GoogleLogin auth="+password)
		r.Header.Set("X-Auth-Token", password)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

func (w *world) appPassword() string {
	w.t.Helper()
	password, err := w.auth.NewToken(w.t.Context(), w.owner, "app", auth.ScopeSync, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	return password
}

// An app password is made in settings, shown once, and listed with the app that used it.
func TestAppPasswordsInSettings(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	owner := e.as("owner@localhost")
	made := answer[struct {
		Token, ID  string
		Scopes     []string
		LastUsedBy *string
	}](t, owner.ask("POST", "/api/tokens", map[string]any{"name": "Reeder", "scopes": []string{"sync"}}), 201)
	if !strings.HasPrefix(made.Token, auth.AppPasswordPrefix) || len(made.Scopes) != 1 || made.Scopes[0] != "sync" ||
		made.LastUsedBy != nil {
		t.Errorf("it is %+v", made)
	}
	if rec := e.app(made.Token, "GET", "/reader/api/0/user-info", "", "User-Agent", "Reeder/5.4 CFNetwork"); rec.Code !=
		200 {
		t.Fatalf("it is answered %d: %s", rec.Code, rec.Body)
	}
	list := answer[struct {
		Tokens []struct {
			ID         string
			LastUsedBy *string
			LastUsedAt *string
		}
	}](t, owner.ask("GET", "/api/tokens", nil), 200)
	found := false
	for _, one := range list.Tokens {
		if one.ID == made.ID {
			found = one.LastUsedBy != nil && *one.LastUsedBy == "Reeder" && one.LastUsedAt != nil
		}
	}
	if !found {
		t.Errorf("the list is %+v", list)
	}
	var p problem
	if resp := e.callAs(made.Token, "GET", "/api/feeds", nil, &p); resp.StatusCode != 403 || p.Code != "wrong_scope" {
		t.Errorf("our own API answers it %d, %+v", resp.StatusCode, p)
	}
	if rec := owner.ask("DELETE", "/api/tokens/"+made.ID, nil); rec.Code != 204 {
		t.Errorf("ending it answers %d", rec.Code)
	}
	for _, path := range []string{"/reader/api/0/user-info", "/v1/me"} {
		if rec := e.app(made.Token, "GET", path, ""); rec.Code != 401 {
			t.Errorf("after its end %s answers %d", path, rec.Code)
		}
	}
}

// Each dialect is at its paths, also where these have another address in them; others are not.
func TestPathsOfOtherApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	password := w.appPassword()
	key := fmt.Sprintf("api_key=%x", md5.Sum([]byte("owner@localhost:"+password)))
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/accounts/ClientLogin", "Email=owner@localhost&Passwd=" + password, 200, "Auth=" + password},
		{"POST", "/api/greader.php/accounts/ClientLogin", "Email=OWNER@localhost&Passwd=" + password, 200,
			"Auth=" + password},
		{"POST", "/api/greader.php/api/greader.php/accounts/ClientLogin", "Email=owner@localhost&Passwd=" + password,
			200, "Auth=" + password},
		{"GET", "/reader/api/0/subscription/list?output=json", "", 200, feeds[0].Feed.Title},
		{"GET", "/api/greader.php/reader/api/0/subscription/list?output=json", "", 200, feeds[0].Feed.Title},
		{"GET", "/reader/api/0/stream/contents/feed/" + feeds[0].Feed.URL + "?n=5", "", 200, `"items":[{`},
		{"GET", "/reader/api/0/stream/contents/feed/" + url.QueryEscape(feeds[0].Feed.URL) + "?n=5", "",
			200, `"items":[{`},
		{"GET", "/reader/api/0/stream/contents/feed%2F" + feeds[0].Feed.ID, "", 200, `"items":[{`},
		{"GET", "/reader/api/0/nothing", "", 404, "nothing"},
		{"POST", "//accounts/ClientLogin/", "Email=owner@localhost&Passwd=" + password, 200, "Auth=" + password},
		{"GET", "//reader/api/0/stream/contents/feed/" + feeds[0].Feed.URL + "?n=5", "", 200, `"items":[{`},
		{"GET", "/api/greader.php//reader/api/0/subscription/list/", "", 200, feeds[0].Feed.Title},
		{"GET", "/check/compatibility", "", 200, ""},
		{"POST", "/fever/?api", key + "&groups", 200, `"auth":1`},
		{"POST", "/fever?api", key + "&groups", 200, `"auth":1`},
		{"POST", "/api/fever.php?api", key + "&groups", 200, `"auth":1`},
		{"POST", "/api/fever.php/?api", key + "&groups", 200, `"auth":1`},
		{"POST", "//fever//?api", key + "&groups", 200, `"auth":1`},
		{"POST", "/fever/?api", "api_key=0&groups", 200, `"auth":0`},
		{"GET", "/v1/me", "", 200, ""},
		{"GET", "//v1/me", "", 200, ""},
		{"GET", "/v1/nothing", "", 404, ""},
		{"GET", "/feverish", "", 404, "not_found"},
		{"GET", "/api/greader.phpx", "", 404, "not_found"},
		{"GET", "/v1", "", 404, "not_found"},
	} {
		rec := w.app(password, c.method, c.path, c.body, form...)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.says) {
			t.Errorf("%s %s answers %d: %.300s", c.method, c.path, rec.Code, rec.Body)
		}
		if rec.Header().Get("X-Content-Type-Options") != "nosniff" || rec.Header().Get("Content-Type") == "" {
			t.Errorf("%s %s has the headers %v", c.method, c.path, rec.Header())
		}
	}
	w.elsewhere(func(o *api.Options) { o.Proxies = api.Proxies{Edge: "a secret of the edge", EdgeOnly: true} })
	if rec := w.app(password, "GET", "/v1/me", ""); rec.Code != 403 {
		t.Errorf("around the edge the answer is %d", rec.Code)
	}
}

// Apps that run in a browser may call from any origin, whichever the owner allowed for our own API.
func TestOtherAppsInBrowsers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.Origins = []string{"https://allowed.example"} })
	for _, path := range []string{"/accounts/ClientLogin", "/reader/api/0/edit-tag",
		"/api/greader.php/reader/api/0/tag/list", "/fever/?api", "/v1/entries"} {
		for _, origin := range []string{"https://allowed.example", "https://app.example", "null"} {
			rec := w.app("", "OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "POST",
				"Access-Control-Request-Headers", "authorization")
			h := rec.Header()
			if rec.Code != 204 || h.Get("Access-Control-Allow-Origin") != "*" ||
				h.Get("Access-Control-Allow-Credentials") != "" ||
				!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") ||
				!strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-Auth-Token") {
				t.Errorf("before a request of %s to %s the answer is %d %v", origin, path, rec.Code, h)
			}
			if rec := w.app("", "POST", path, "", "Origin", origin); rec.Header().Get("Access-Control-Allow-Origin") !=
				"*" {
				t.Errorf("%s cannot read the answer of %s: %v", origin, path, rec.Header())
			}
		}
	}
}

// Answers are compressed and have an ETag, as our own; a body that is too large is refused.
func TestAnswersToOtherApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	password := w.appPassword()
	const list = "/reader/api/0/subscription/list?output=json"
	plain := w.app(password, "GET", list, "")
	zipped := w.app(password, "GET", list, "", "Accept-Encoding", "gzip")
	in, err := gzip.NewReader(zipped.Body)
	if err != nil || zipped.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal(err, zipped.Header())
	}
	if body, err := io.ReadAll(in); err != nil || !bytes.Equal(body, plain.Body.Bytes()) {
		t.Errorf("compressed: %v, %.200s", err, body)
	}
	if again := w.app(password, "GET", list, "", "If-None-Match", plain.Header().Get("ETag")); again.Code != 304 ||
		again.Body.Len() > 0 {
		t.Errorf("the same is answered %d", again.Code)
	}
	liferea := []string{"If-None-Match", plain.Header().Get("ETag"), "User-Agent",
		"Liferea/1.14.4 (Android 12; Mobile; https://lzone.de/liferea/) AppleWebKit (KHTML, like Gecko)"}
	if again := w.app(password, "GET", list, "", liferea...); again.Code != 200 ||
		!bytes.Equal(again.Body.Bytes(), plain.Body.Bytes()) {
		t.Errorf("to Liferea, the same is answered %d", again.Code)
	}
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "new"}, nil), 201)
	const tags = "/reader/api/0/tag/list?output=json"
	before := w.app(password, "GET", tags, "").Header().Get("ETag")
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "newer"}, nil), 201)
	if after := w.app(password, "GET", tags, "", "If-None-Match", before); after.Code != 200 {
		t.Errorf("with a new folder the answer is %d", after.Code)
	}
	large := "i=1&x=" + strings.Repeat("x", 11<<20)
	if rec := w.app(password, "POST", "/reader/api/0/edit-tag", large); rec.Code != 413 {
		t.Errorf("a body of 11 MB is answered %d: %.200s", rec.Code, rec.Body)
	}
}

// A first synchronisation is a thousand requests, which the limits of the page would not allow. Strangers have the
// limit of their address, so that guesses cost nothing; who knows the password is never one, in whatever way it is
// sent.
func TestLimitsOfOtherApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.RateAddress, o.RateUser = 100, 120 })
	password := w.appPassword()
	first := w.app(password, "GET", "/reader/api/0/token", "")
	if first.Code != 200 {
		t.Fatalf("the answer is %d: %s", first.Code, first.Body)
	}
	reads := func() float64 { return w.store.Table().Meter().Snapshot().Reads["token"] }
	before := reads()
	refused := 0
	for range 300 {
		rec := w.app("ruri-aaaaa-aaaaa-aaaaa-aaaaa", "GET", "/reader/api/0/token", "")
		if rec.Code == 429 {
			if wait, err := strconv.Atoi(rec.Header().Get("Retry-After")); err != nil || wait < 1 {
				t.Fatalf("Retry-After is %q", rec.Header().Get("Retry-After"))
			}
			refused++
		} else if rec.Code != 401 {
			t.Fatalf("a wrong password is answered %d", rec.Code)
		}
	}
	if n := reads() - before; refused != 201 || n > 60 {
		t.Errorf("of 300 guesses %d are refused, and cost %v read units", refused, n)
	}
	key := fmt.Sprintf("api_key=%x", md5.Sum([]byte("owner@localhost:"+password)))
	for i := range 1000 {
		for _, rec := range []*httptest.ResponseRecorder{
			w.app(password, "GET", "/reader/api/0/token", ""),
			w.app("", "POST", "/accounts/ClientLogin", "Email=owner@localhost&Passwd="+password, "Content-Type",
				"application/x-www-form-urlencoded"),
		} {
			if rec.Code != 200 {
				t.Fatalf("request %d is answered %d: %s", i, rec.Code, rec.Body)
			}
		}
	}
	w.clock.Add(time.Minute)
	_ = w.app(password, "GET", "/reader/api/0/token", "")
	for i := range 900 {
		basic := httptest.NewRequest("GET", "/v1/version", nil)
		basic.SetBasicAuth("owner@localhost", password)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, basic)
		fever := w.app("", "POST", "/fever/?api", key, "Content-Type", "application/x-www-form-urlencoded")
		if rec.Code != 200 || !strings.Contains(fever.Body.String(), `"auth":1`) {
			t.Fatalf("request %d is answered %d, %d: %s", i, rec.Code, fever.Code, fever.Body)
		}
	}
	refused = 0
	for range 3000 {
		if w.app(password, "GET", "/reader/api/0/token", "").Code == 429 {
			refused++
		}
	}
	if refused == 0 {
		t.Error("a user has no limit")
	}
}

// unread is an app that reads nothing until it is let.
type unread struct {
	*httptest.ResponseRecorder
	asked chan<- bool
	let   <-chan struct{}
}

func (u unread) Write(b []byte) (int, error) {
	u.asked <- true
	<-u.let
	return u.ResponseRecorder.Write(b)
}

// Answers that an app does not read keep further requests of its user waiting, and nobody else's.
func TestAppsThatDoNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	password := w.appPassword()
	asked, let, done := make(chan bool), make(chan struct{}), make(chan bool)
	ask := func(ctx context.Context, rec http.ResponseWriter) {
		r := httptest.NewRequestWithContext(ctx, "GET", "/reader/api/0/token", http.NoBody)
		r.Header.Set("Authorization", "GoogleLogin auth="+password)
		w.handler.ServeHTTP(rec, r)
	}
	const most = 12
	for range most {
		go func() {
			ask(t.Context(), unread{httptest.NewRecorder(), asked, let})
			done <- true
		}()
		<-asked
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	rec := httptest.NewRecorder()
	if ask(gone, rec); rec.Code != 429 || rec.Header().Get("Retry-After") == "" {
		t.Errorf("one more is answered %d", rec.Code)
	}
	if rec := w.app("ruri-aaaaa-aaaaa-aaaaa-aaaaa", "GET", "/reader/api/0/token", ""); rec.Code != 401 {
		t.Errorf("a stranger is answered %d", rec.Code)
	}
	close(let)
	for range most {
		<-done
	}
	if rec := w.app(password, "GET", "/reader/api/0/token", ""); rec.Code != 200 {
		t.Errorf("afterwards the user is answered %d", rec.Code)
	}
}

// The log names the dialect and the user, and nothing of the address, the body or a credential.
func TestRequestsOfOtherAppsInTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var log bytes.Buffer
	w.elsewhere(func(o *api.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	password := w.appPassword()
	w.app(password, "GET", "/reader/api/0/stream/contents/feed/https://secret.example/?n=7&x=secret", "")
	w.app("", "POST", "/accounts/ClientLogin?Email=owner@localhost&Passwd="+password, "")
	w.app("", "POST", "/fever/?api&api_key=secret", "")
	w.app("ruri-secret", "GET", "/v1/feeds/12", "")
	text := log.String()
	for _, want := range []string{`route="GET greader"`, `route="POST greader"`, `route="POST fever"`,
		`route="GET miniflux"`, "user_id=" + string(w.owner)} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	for _, never := range []string{"secret", password, "owner@", "Passwd", "12"} {
		if strings.Contains(strings.NewReplacer(string(w.owner),
			"").Replace(linesWithout(text, "time=", "request_id=", "duration_ms=", "bytes=")), never) {
			t.Errorf("there is %q in\n%s", never, text)
		}
	}
}

// linesWithout drops some attributes of a text log.
func linesWithout(log string, names ...string) string {
	var out []string
	for _, word := range strings.Fields(log) {
		keep := true
		for _, name := range names {
			keep = keep && !strings.HasPrefix(word, name)
		}
		if keep {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

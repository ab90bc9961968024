package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
)

// send makes a request with the owner's token and headers.
func (w *world) send(method, path, body string, header map[string]string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

func TestHEADIsGETWithoutABody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	for _, path := range []string{"/api/feeds", "/api/me", "/healthz"} {
		get, head := w.send("GET", path, "", nil), w.send("HEAD", path, "", nil)
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("ETag") != get.Header().Get("ETag") ||
			head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
			t.Errorf("%s: %d with %d bytes, %v", path, head.Code, head.Body.Len(), head.Header())
		}
		if again := w.send("HEAD", path, "",
			map[string]string{"If-None-Match": get.Header().Get("ETag")}); again.Code != 304 {
			t.Errorf("%s: a HEAD with its tag answers %d", path, again.Code)
		}
	}
}

// Loading a one-time link's URL, as by another site's image, a link preview or a prefetch,
// spends nothing and gets no cookie; the page's own button does, and another site's form does not.
// G-81
func TestOnlyItsButtonSpendsALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret, err := w.auth.NewLink(t.Context(), w.owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	path := "/auth/link/" + secret
	// ask is send by somebody who is not signed in.
	ask := func(method string, header map[string]string) *httptest.ResponseRecorder {
		all := map[string]string{"Authorization": ""}
		maps.Copy(all, header)
		return w.send(method, path, "", all)
	}
	before := w.store.Table().Meter().Snapshot().WriteOps
	for name, header := range map[string]map[string]string{
		"a person":          {"Sec-Fetch-Site": "none", "Accept-Language": "en"},
		"another's image":   {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"},
		"a prerender":       {"Sec-Purpose": "prefetch;prerender"},
		"in Japanese":       {"Accept-Language": "ja"},
		"an old user agent": nil,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			rec := ask(method, header)
			if rec.Code != 200 || len(rec.Result().Cookies()) != 0 || rec.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: %d, cookies %v, %s", name, method, rec.Code, rec.Result().Cookies(),
					rec.Header().Get("Cache-Control"))
			}
			if strings.Contains(rec.Body.String(), secret) {
				t.Errorf("%s: the page repeats the link", name)
			}
		}
	}
	page := ask("GET", map[string]string{"Accept-Language": "ja"})
	for _, want := range []string{`<html lang="ja">`, "ログイン", "あと24時間以内", `<form method="post">`,
		`<a href="?lang=en"`} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page has no %s: %s", want, page.Body)
		}
	}
	english := w.send("GET", path+"?lang=en", "", map[string]string{"Authorization": "", "Accept-Language": "ja"})
	if body := english.Body.String(); !strings.Contains(body, `<html lang="en">`) || !strings.Contains(body, "24 h") {
		t.Errorf("in the other language it is %s", body)
	}
	style := page.Body.String()
	style = style[strings.Index(style, "<style>")+len("<style>") : strings.Index(style, "</style>")]
	sum := sha256.Sum256([]byte(style))
	if csp := page.Header().Get("Content-Security-Policy"); !strings.Contains(csp,
		"'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") ||
		!strings.Contains(csp, "form-action 'self'") || !strings.Contains(csp, "default-src 'none'") ||
		!strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page's policy is %s", csp)
	}
	if got := page.Header().Get("Referrer-Policy"); got != "same-origin" {
		t.Errorf("its referrer policy is %s", got) // with no-referrer the form's origin is "null"
	}
	for name, header := range map[string]map[string]string{
		"another site":              {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
		"a sibling":                 {"Sec-Fetch-Site": "same-site", "Origin": "https://other.example.com"},
		"an old browser elsewhere":  {"Origin": "https://evil.example"},
		"a document without origin": {"Origin": "null"},
	} {
		if rec := ask("POST", header); rec.Code != 403 || len(rec.Result().Cookies()) != 0 {
			t.Errorf("the form of %s answers %d", name, rec.Code)
		}
	}
	if n := w.store.Table().Meter().Snapshot().WriteOps; n != before {
		t.Errorf("%d writes before anybody clicked", n-before)
	}
	if rec := ask("POST", map[string]string{"Sec-Fetch-Site": "same-origin"}); rec.Code != 303 ||
		len(rec.Result().Cookies()) != 1 {
		t.Errorf("the button answers %d, cookies %v", rec.Code, rec.Result().Cookies())
	}
	for _, method := range []string{"GET", "POST"} {
		if rec := ask(method, nil); rec.Code != 303 || rec.Header().Get("Location") != "/login?e=link" {
			t.Errorf("%s of a spent link answers %d to %s", method, rec.Code, rec.Header().Get("Location"))
		}
	}
}

func TestMethodNotAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]string{
		"/api/feeds": "GET, HEAD, POST", "/api/feeds/5": "GET, HEAD, PATCH, DELETE", "/api/items/5/state": "PUT",
		"/api/auth/login": "POST",
	} {
		for _, method := range []string{"TRACE", "OPTIONS"} {
			if rec := w.send(method, path, "", nil); rec.Code != 405 || rec.Header().Get("Allow") != want {
				t.Errorf("%s %s answers %d, Allow %q", method, path, rec.Code, rec.Header().Get("Allow"))
			}
		}
	}
	for _, path := range []string{"/api/feeds/", "/api/labels/", "/api/nothing"} {
		if rec := w.send("GET", path, "", nil); rec.Code != 404 || rec.Header().Get("Allow") != "" {
			t.Errorf("GET %s answers %d, Allow %q", path, rec.Code, rec.Header().Get("Allow"))
		}
	}
	if rec := w.send("GET", "/api/items/5/state", "", nil); rec.Code != 405 {
		t.Errorf("GET of a state answers %d", rec.Code)
	}
}

func TestCompressionByAcceptEncoding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	plain := w.send("GET", "/api/feeds", "", nil)
	for accept, zipped := range map[string]bool{
		"": false, "gzip": true, "br, gzip": true, "GZIP ; q=0.5": true, "*": true, "identity": false, "br": false,
		"gzip;q=0": false, "gzip;q=0, *": false, "*, gzip;q=0": false, "*;q=0": false, "gzip;q=oops": false,
		"x-gzip": false,
	} {
		rec := w.send("GET", "/api/feeds", "", map[string]string{"Accept-Encoding": accept})
		body := rec.Body.Bytes()
		if got := rec.Header().Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("%q: compressed is %v", accept, got)
			continue
		}
		if zipped {
			z, err := gzip.NewReader(rec.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, plain.Body.Bytes()) {
			t.Errorf("%q: the body differs", accept)
		}
		if same := rec.Header().Get("ETag") == plain.Header().Get("ETag"); same == zipped {
			t.Errorf("%q: two encodings share a strong tag", accept)
		}
		if !strings.Contains(rec.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("%q: Vary is %q", accept, rec.Header().Values("Vary"))
		}
	}
	if rec := w.send("GET", "/healthz", "", map[string]string{"Accept-Encoding": "gzip"}); rec.Header().Get(
		"Content-Encoding") != "" {
		t.Error("a hundred bytes are compressed")
	}
}

// elsewhere is the world's API with other options.
func (w *world) elsewhere(change func(*api.Options)) {
	o := w.options
	change(&o)
	w.handler = api.New(o)
}

//
func TestAllowedOriginsMayCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.Origins = []string{"https://app.example"} })
	for _, c := range []struct {
		origin, method string
		status         int
		allowed        bool
	}{
		{"https://app.example", "OPTIONS", 204, true},
		{"https://app.example", "GET", 200, true},
		{"https://evil.example", "OPTIONS", 405, false},
		{"https://evil.example", "GET", 200, false},
		{"null", "GET", 200, false},
		{"", "GET", 200, false},
	} {
		rec := w.send(c.method, "/api/feeds", "", map[string]string{"Origin": c.origin})
		h := rec.Header()
		if rec.Code != c.status || (h.Get("Access-Control-Allow-Origin") == c.origin && c.origin != "") != c.allowed {
			t.Errorf("%s from %q: %d, %v", c.method, c.origin, rec.Code, h)
		}
		if !strings.Contains(strings.Join(h.Values("Vary"), ","), "Origin") {
			t.Errorf("%s from %q: Vary is %q", c.method, c.origin, h.Values("Vary"))
		}
		if c.allowed && c.method == "GET" && !strings.Contains(h.Get("Access-Control-Expose-Headers"), "ETag") {
			t.Error("the page cannot read the ETag")
		}
	}
}

// TestOwnAddressBehindAGateway: old browsers send Origin alone, and the gateway's name is the host.
func TestOwnAddressBehindAGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.BaseURL, o.Secure = "https://reader.example", true })
	session, _, err := w.auth.NewSession(t.Context(), w.owner)
	if err != nil {
		t.Fatal(err)
	}
	for origin, status := range map[string]int{"https://reader.example": 404, "https://reader.example.evil": 403,
		"http://reader.example": 403} {
		r := httptest.NewRequest("DELETE", "https://abc.execute-api.example/api/feeds/5", nil)
		r.AddCookie(&http.Cookie{Name: "__Host-ruri", Value: session})
		r.Header.Set("Origin", origin)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != status {
			t.Errorf("from %s: %d, want %d", origin, rec.Code, status)
		}
	}
}

// G-81
func TestCookieOverHTTPS(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.elsewhere(func(o *api.Options) { o.Secure = true })
	secret, err := w.auth.NewLink(t.Context(), w.owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	c := w.send("POST", "/auth/link/"+secret, "", nil).Result().Cookies()[0]
	if c.Name != "__Host-ruri" || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %+v", c)
	}
	r := httptest.NewRequest("GET", "/api/me", nil)
	r.AddCookie(&http.Cookie{Name: "ruri", Value: c.Value}) // one that a sibling host could have set
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code != 401 {
		t.Errorf("a cookie without the prefix answers %d", rec.Code)
	}
}

func TestSessionOfADeletedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session, _, err := w.auth.NewSession(t.Context(), reader.UserID("gone"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/me", "/api/feeds"} {
		r := httptest.NewRequest("GET", path, nil)
		r.AddCookie(&http.Cookie{Name: "ruri", Value: session})
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != 401 {
			t.Errorf("%s answers %d", path, rec.Code)
		}
	}
}

func TestOptionalBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.addSamples()[0].Feed.ID
	// of unknown length
	r := httptest.NewRequest("POST", "/api/feeds/"+id+"/mark-read", io.MultiReader(strings.NewReader("")))
	r.Header.Set("Authorization", "Bearer "+w.token)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if rec.Code != 200 {
		t.Errorf("an empty stream answers %d: %s", rec.Code, rec.Body)
	}
	for body, code := range map[string]string{
		"{}{}": "bad_json", `{"upTo":5}`: "bad_json", `{"upTo":"05"}`: "item_not_found",
		`{"upTo":"1"}`: "item_not_found", `{"upTo":""}`: "bad_json", `{"upTo":null}`: "bad_json", `[]`: "bad_json",
		`{"upTo":"` + strings.Repeat("9", 70_000) + `"}`: "request_too_large", `{"upTo":"9216"}`: "bad_item",
	} {
		var p problem
		rec := w.send("POST", "/api/feeds/"+id+"/mark-read", body, nil)
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || p.Code != code {
			t.Errorf("%.30s answers %d %s", body, rec.Code, p.Code)
		}
	}
}

//
func TestUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := `<opml version="2.0"><body><outline text="a" xmlUrl="https://example.org/f"/></body></opml>`
	form := func(field, body string) (string, string) {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		_ = m.WriteField("note", "first")
		p, err := m.CreateFormFile(field, "../../list.opml")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(p, body)
		_ = m.Close()
		return b.String(), m.FormDataContentType()
	}
	ok, kind := form("file", list)
	wrong, wrongKind := form("upload", list)
	large, largeKind := form("file", "<opml><!--"+strings.Repeat("x", opml.MaxBytes+128<<10)+"--></opml>")
	for name, c := range map[string]struct {
		body, kind string
		status     int
		code       string
	}{
		"a form":              {ok, kind, 200, ""},
		"as it is":            {list, "text/x-opml", 200, ""},
		"another field":       {wrong, wrongKind, 400, "bad_upload"},
		"no boundary":         {ok, "multipart/form-data", 400, "bad_upload"},
		"cut off":             {ok[:len(ok)/2], kind, 400, ""},
		"too large":           {large, largeKind, 413, "opml_too_large"},
		"too large, as it is": {strings.Repeat(" ", opml.MaxBytes+128<<10), "", 413, "opml_too_large"},
		"empty":               {"", "", 400, ""},
	} {
		rec := w.send("POST", "/api/import/opml", c.body, map[string]string{"Content-Type": c.kind})
		var p problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || rec.Code != c.status || c.code != "" &&
			p.Code != c.code {
			t.Errorf("%s: %d %s: %s", name, rec.Code, p.Code, p.Message)
		}
	}
}

// TestRegistrationsAreLimited: each is a request to a foreign site.
// G-39
func TestRegistrationsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	statuses := map[int]int{}
	for range 12 {
		rec := w.send("POST", "/api/feeds", `{"url":"http://10.0.0.1/"}`, nil)
		statuses[rec.Code]++
		if rec.Code == 429 && rec.Header().Get("Retry-After") == "" {
			t.Error("a refusal does not say for how long")
		}
	}
	if statuses[422] != 10 || statuses[429] != 2 {
		t.Errorf("twelve registrations answered %v", statuses)
	}
	w.clock.Add(6e9)
	if rec := w.send("POST", "/api/feeds", `{"url":"http://10.0.0.1/"}`, nil); rec.Code != 422 {
		t.Errorf("six seconds later: %d", rec.Code)
	}
}

// TestWhoIsLoggedAboutFailures: a client that goes away is no error of ours; a panic is one, with its
// place, and its text stays in the log.
func TestWhatIsLoggedAboutFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var log bytes.Buffer
	w.elsewhere(func(o *api.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("GET", "/api/feeds", nil).WithContext(ctx)
	r.Header.Set("Authorization", "Bearer "+w.token)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("a client that went away is logged: %s", log.String())
	}
	w.elsewhere(func(o *api.Options) { o.Log, o.Streams = slog.New(slog.NewTextHandler(&log, nil)), nil })
	rec = w.send("GET", "/api/items", "", nil)
	if rec.Code != 500 || strings.Contains(rec.Body.String(), "nil pointer") ||
		!strings.Contains(log.String(), "items.go") {
		t.Errorf("a panic answers %d %s and logs %.300s", rec.Code, rec.Body, log.String())
	}
}

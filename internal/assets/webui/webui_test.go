package webui

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func build() fs.FS {
	return fstest.MapFS{
		".gitkeep":             {},
		".vite/manifest.json":  {Data: []byte("{}")},
		"index.html":           {Data: []byte("<!doctype html>page")},
		"index.html.gz":        {Data: []byte("page gz")},
		"index.html.br":        {Data: []byte("page br")},
		"theme.js":             {Data: []byte("theme")},
		"icon.svg":             {Data: []byte("<svg/>")},
		"worker.js":            {Data: []byte("worker")},
		"app.webmanifest":      {Data: []byte("{}")},
		"icons/icon-192.png":   {Data: []byte("png")},
		"help/index.html":      {Data: []byte("help")},
		"help/search.html":     {Data: []byte("searching")},
		"assets/a-1234.js":     {Data: []byte("script")},
		"assets/a-1234.js.gz":  {Data: []byte("script gz")},
		"assets/a-1234.js.br":  {Data: []byte("script br")},
		"assets/a-1234.css":    {Data: []byte("style")},
		"assets/lone-9.js.br":  {Data: []byte("no plain form")},
		"assets/x-1.woff2":     {Data: []byte("font")},
		"assets/y-1.something": {Data: []byte("?")},
	}
}

// TestBelowAPath: only the files that name addresses differ below a path, and what a service worker compares fits.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	index := `<!doctype html><html lang="en"><link href="/icon.svg"><script>"/api/me"</script>` +
		`<script src="/assets/a.js">`
	fsys := fstest.MapFS{
		"index.html":      {Data: []byte(index)},
		"index.html.br":   {Data: []byte("compressed")},
		"worker.js":       {Data: []byte("/index.html " + digest([]byte(index)))},
		"app.webmanifest": {Data: []byte(`{"id": "/", "start_url": "/all"}`)},
		"assets/a.js":     {Data: []byte(`"/index.html"`)},
	}
	h := New(fsys, "/reader")
	ask := func(target string) string {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept-Encoding", "br")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	page := `<!doctype html><html data-base="/reader" lang="en"><link href="/reader/icon.svg">` +
		`<script>"/api/me"</script><script src="/reader/assets/a.js">`
	for target, want := range map[string]string{
		"/": page, "/feed/7": page, "/assets/a.js": `"/index.html"`,
		"/worker.js":       "/index.html " + digest([]byte(page)),
		"/app.webmanifest": `{"id": "/reader/", "start_url": "/reader/all"}`,
	} {
		if got := ask(target); got != want {
			t.Errorf("%s is %s, want %s", target, got, want)
		}
	}
}

func get(t *testing.T, fsys fs.FS, method, target string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	New(fsys, "").ServeHTTP(w, r)
	return w
}

func TestStatusAndBodyByPath(t *testing.T) {
	t.Parallel()
	const page = "<!doctype html>page"
	for _, c := range []struct {
		target string
		status int
		body   string
	}{
		{"/", 200, page},
		{"/help/", 200, "help"},
		{"/help/index.html", 200, "help"},
		{"/help/search.html", 200, "searching"},
		{"/help", 301, "<a href=\"/help/\">Moved Permanently</a>.\n\n"},
		{"/help/none.html", 404, "There is no such file.\n"},
		{"/index.html", 200, page},
		{"/all", 200, page},
		{"/all/", 200, page},
		{"/all?f=unread", 200, page},
		{"/starred/i/12", 200, page},
		{"/feed/7", 200, page},
		{"/feed/7/i/345?f=unread", 200, page},
		{"/login?next=%2Fall", 200, page},
		{"/signup", 200, page},
		{"/stats", 200, page},
		{"/stats/x", 404, page},
		{"/rules", 200, page},
		{"/welcome", 200, page},
		{"/add?url=https%3A%2F%2Fexample.org", 200, page},
		{"/subscriptions", 200, page},
		{"/subscriptions/12", 200, page},
		{"/subscriptions/x", 404, page},
		{"/settings", 200, page},
		{"/settings/keys", 200, page},
		{"/settings/Keys", 404, page},
		{"/settings/keys/1", 404, page},
		{"/folder/3/i/9?v=card", 200, page},
		{"/today/i/9", 200, page},
		{"/today", 200, page},
		{"/recent/i/9", 200, page},
		{"/label/3", 200, page},
		{"/my/popular", 200, page},
		{"/my/popular/tags", 200, page},
		{"/my/popular/new/i/7", 200, page},
		{"/my/popular/best", 404, page},
		{"/my", 404, page},
		{"/my/explore", 404, page},
		{"/explore", 200, page},
		{"/explore/tags", 200, page},
		{"/explore/new/i/7", 200, page},
		{"/explore/best", 404, page},
		{"/watches", 200, page},
		{"/watches/new", 200, page},
		{"/watches/7/trend", 200, page},
		{"/watches/7/edit", 200, page},
		{"/watches/7/other", 404, page},
		{"/folder", 404, page},
		{"/nowhere", 404, page},
		{"/feed/x", 404, page},
		{"/feed/7/i", 404, page},
		{"/all/i/1/2", 404, page},
		{"/login/x", 404, page},
		{"/assets/a-1234.js", 200, "script"},
		{"/theme.js", 200, "theme"},
		{"/assets/gone-1.js", 404, "There is no such file.\n"},
		{"/assets/gone", 404, "There is no such file.\n"},
		{"/favicon.ico", 404, "There is no such file.\n"},
		{"/.gitkeep", 404, "There is no such file.\n"},
		{"/.vite/manifest.json", 404, "There is no such file.\n"},
		{"/assets/lone-9.js", 404, "There is no such file.\n"},
		{"/assets/../theme.js", 200, "theme"},
		{"/../../etc/passwd", 404, page},
	} {
		w := get(t, build(), http.MethodGet, c.target, nil)
		if w.Code != c.status || w.Body.String() != c.body {
			t.Errorf("%s: %d %q, want %d %q", c.target, w.Code, w.Body, c.status, c.body)
		}
	}
}

//
func TestCachingAndTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ target, cache, contentType string }{
		{"/", "no-cache", "text/html; charset=utf-8"},
		{"/feed/3", "no-cache", "text/html; charset=utf-8"},
		{"/theme.js", "no-cache", "text/javascript; charset=utf-8"},
		{"/icon.svg", "no-cache", "image/svg+xml"},
		{"/worker.js", "no-cache", "text/javascript; charset=utf-8"},
		{"/app.webmanifest", "no-cache", "application/manifest+json"},
		{"/icons/icon-192.png", "no-cache", "image/png"},
		{"/assets/a-1234.js", "public, max-age=31536000, immutable", "text/javascript; charset=utf-8"},
		{"/assets/a-1234.css", "public, max-age=31536000, immutable", "text/css; charset=utf-8"},
		{"/assets/x-1.woff2", "public, max-age=31536000, immutable", "font/woff2"},
		{"/assets/y-1.something", "public, max-age=31536000, immutable", "application/octet-stream"},
		{"/assets/gone-1.js", "no-store", "text/plain; charset=utf-8"},
	} {
		h := get(t, build(), http.MethodGet, c.target, nil).Header()
		if h.Get("Cache-Control") != c.cache || h.Get("Content-Type") != c.contentType {
			t.Errorf("%s: %q, %q", c.target, h.Get("Cache-Control"), h.Get("Content-Type"))
		}
	}
}

func TestCompressedForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ accept, coding, body string }{
		{"", "", "script"},
		{"gzip, deflate, br, zstd", "br", "script br"},
		{"gzip", "gzip", "script gz"},
		{"GZIP;q=0.5", "gzip", "script gz"},
		{"br;q=0, gzip", "gzip", "script gz"},
		{"br; q=0.0, *", "gzip", "script gz"},
		{"*", "br", "script br"},
		{"identity", "", "script"},
	} {
		w := get(t, build(), http.MethodGet, "/assets/a-1234.js", map[string]string{"Accept-Encoding": c.accept})
		if w.Header().Get("Content-Encoding") != c.coding || w.Body.String() != c.body {
			t.Errorf("Accept-Encoding %q: %q %q", c.accept, w.Header().Get("Content-Encoding"), w.Body)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary is %q", c.accept, w.Header().Get("Vary"))
		}
	}
	if v := get(t, build(), http.MethodGet, "/theme.js", nil).Header().Get("Vary"); v != "" {
		t.Errorf("a file with one form varies by %q", v)
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	br := map[string]string{"Accept-Encoding": "br"}
	plainTag := get(t, build(), http.MethodGet, "/", nil).Header().Get("ETag")
	brTag := get(t, build(), http.MethodGet, "/", br).Header().Get("ETag")
	if plainTag == "" || plainTag == brTag {
		t.Fatalf("two forms need two tags: %q and %q", plainTag, brTag)
	}
	for _, c := range []struct {
		target, tag, accept string
		status              int
	}{
		{"/", plainTag, "", 304},
		{"/feed/5", plainTag, "", 304},
		{"/", "W/" + plainTag, "", 304},
		{"/", `"other", ` + brTag, "br", 304},
		{"/", plainTag, "br", 200},
		{"/", `"other"`, "", 200},
		{"/nowhere", plainTag, "", 404},
	} {
		w := get(t, build(), http.MethodGet, c.target,
			map[string]string{"If-None-Match": c.tag, "Accept-Encoding": c.accept})
		if w.Code != c.status {
			t.Errorf("%s with %s: %d, want %d", c.target, c.tag, w.Code, c.status)
		}
		if w.Code == 304 &&
			(w.Body.Len() > 0 || w.Header().Get("ETag") == "" || w.Header().Get("Cache-Control") == "") {
			t.Errorf("%s: a 304 carries the validators and no body", c.target)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/", "/nowhere", "/assets/a-1234.js", "/assets/gone-1.js"} {
		h := get(t, build(), http.MethodGet, target, nil).Header()
		for _, name := range []string{"Content-Security-Policy", "Permissions-Policy"} {
			if h.Get(name) == "" {
				t.Errorf("%s: no %s", target, name)
			}
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", target, name, h.Get(name))
			}
		}
	}
}

func TestPolicyAllowsNothingInline(t *testing.T) {
	t.Parallel()
	for _, forbidden := range []string{"unsafe-inline", "unsafe-eval", "http:", "*", "blob:"} {
		if strings.Contains(Policy, forbidden) {
			t.Errorf("the policy contains %q", forbidden)
		}
	}
	for _, directive := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "object-src 'none'", "base-uri 'none'",
		"frame-ancestors 'none'", "form-action 'self'", "require-trusted-types-for 'script'",
		"trusted-types ruri-sanitised",
	} {
		if !strings.Contains(Policy, directive) {
			t.Errorf("the policy lacks %q", directive)
		}
	}
}

// The hash in the policy is that of the script in the page's source; the bundler leaves it as it is.
func TestPolicyAllowsTheFirstLines(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../web/index.html")
	if err != nil {
		t.Fatal(err)
	}
	inline := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllSubmatch(page, -1)
	if len(inline) != 1 {
		t.Fatalf("%d inline scripts in the page, want 1", len(inline))
	}
	sum := sha256.Sum256(inline[0][1])
	if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(Policy, hash) {
		t.Errorf("the policy lacks %s, the hash of the page's first script", hash)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	w := get(t, build(), http.MethodHead, "/", nil)
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "19" {
		t.Errorf("HEAD: %d, %d bytes, Content-Length %s", w.Code, w.Body.Len(), w.Header().Get("Content-Length"))
	}
	w = get(t, build(), http.MethodPost, "/", nil)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestMissingBuild(t *testing.T) {
	t.Parallel()
	w := get(t, fstest.MapFS{".gitkeep": {}}, http.MethodGet, "/", nil)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "make web") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestEmbeddedIsReadable(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(Embedded(), ".gitkeep"); err != nil {
		t.Fatal(err)
	}
}

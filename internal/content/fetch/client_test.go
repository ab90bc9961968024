package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
)

// serve starts a real server on loopback.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// get does one request that must be answered.
func get(t *testing.T, c *Client, r Request) *Response {
	t.Helper()
	resp, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", r.URL, err)
	}
	t.Cleanup(resp.Release)
	return resp
}

func TestRequestShowsAllThatAPublisherSees(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // must be ignored
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	var seen http.Header
	var uri string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen, uri = r.Header.Clone(), r.Method+" "+r.RequestURI
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	})
	c := loopback(t, func(o *Options) { o.Version, o.ProjectURL = "1.2.3", "https://ruri.example/about" })
	for n, agent := range map[int]string{
		0: "RuriReader/1.2.3 (+https://ruri.example/about)",
		1: "RuriReader/1.2.3 (+https://ruri.example/about; 1 subscriber)",
		7: "RuriReader/1.2.3 (+https://ruri.example/about; 7 subscribers)",
	} {
		get(t, c, Request{URL: url + "/f?x=a b&y=é", Subscribers: n})
		want := http.Header{
			"User-Agent": {agent}, "Accept": {AcceptFeeds}, "Accept-Encoding": {"gzip, br, zstd"},
		}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("headers %v, want %v", seen, want)
		}
		if want := "GET /f?x=a%20b&y=%C3%A9"; uri != want {
			t.Errorf("request %q, want %q", uri, want)
		}
	}
	get(t, c, Request{URL: url, Accept: "image/*"})
	if got := seen.Get("Accept"); got != "image/*" {
		t.Errorf("Accept %q", got)
	}
}

func TestValidatorsAreEchoedByteForByte(t *testing.T) {
	t.Parallel()
	for name, tag := range map[string]string{
		"strong": `"x"`, "weak": `W/"x"`, "lower weak": `w/"x"`, "unquoted": `abc`, "empty quoted": `""`,
		"spaces inside": `"a  b"`, "commas": `"a", "b"`, "html": `"&quot;"`, "utf8": `"日本"`, "gzip": `"x-gzip"`,
		"latin1": "\"\xe9\"", "tab": "\"a\tb\"", "one quote": `"abc`, "star": "*", "long": `"` +
			strings.Repeat("x", 4000) + `"`,
		"none": "",
	} {
		for _, date := range []string{"", "Sat, 01 Jan 2000 00:00:00 GMT", "Sat, 1 Jan 2000 00:00:00 +0000",
			"yesterday", "0"} {
			t.Run(name+"/"+date, func(t *testing.T) {
				t.Parallel()
				var gotTag, gotDate []string
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					gotTag, gotDate = r.Header["If-None-Match"], r.Header["If-Modified-Since"]
					if tag != "" {
						w.Header()["ETag"] = []string{tag}
					}
					if date != "" {
						w.Header()["last-modified"] = []string{date}
					}
				})
				c := loopback(t)
				first := get(t, c, Request{URL: url})
				if first.ETag != tag || first.LastModified != date {
					t.Fatalf("read %q and %q, want %q and %q", first.ETag, first.LastModified, tag, date)
				}
				if gotTag != nil || gotDate != nil {
					t.Fatalf("first contact sent %q and %q", gotTag, gotDate)
				}
				get(t, c, Request{URL: url, ETag: first.ETag, LastModified: first.LastModified})
				if strings.Join(gotTag, "|") != tag || strings.Join(gotDate, "|") != date {
					t.Errorf("sent %q and %q, want %q and %q", gotTag, gotDate, tag, date)
				}
			})
		}
	}
}

func TestUnsendableValidatorsAreDropped(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"carriage return": "ETag: \"a\rb\"", "nul": "ETag: \"a\x00b\"", "empty": "ETag:", "spaces": "ETag:   ",
		"too long": `ETag: "` + strings.Repeat("x", 10<<10) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := raw(t, "HTTP/1.1 200 OK\r\n"+line+"\r\nContent-Length: 2\r\n\r\nok")
			resp, err := loopback(t).Do(t.Context(), Request{URL: url})
			if err != nil {
				if code := codeOf(t, err); code != CodeBadResponse {
					t.Fatalf("code %s", code)
				}
				return
			}
			defer resp.Release()
			if resp.ETag != "" {
				t.Errorf("kept %q", resp.ETag)
			}
		})
	}
	var sent []string
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { sent = r.Header["If-None-Match"] })
	get(t, loopback(t), Request{URL: url, ETag: "\"a\r\nX-Evil: 1\""})
	if sent != nil {
		t.Errorf("sent %q", sent)
	}
}

func TestNotModifiedCarriesItsValidators(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"new"`)
		w.Header().Set("Cache-Control", "max-age=600")
		w.WriteHeader(http.StatusNotModified)
	})
	r := get(t, loopback(t), Request{URL: url, ETag: `"old"`})
	if !r.NotModified || r.Status != 304 || r.ETag != `"new"` || r.MaxAge != 10*time.Minute || r.Body != nil ||
		r.FinalURL != url {
		t.Errorf("%+v", r)
	}
}

func TestEveryStatusIsAResponse(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(status)
		_, _ = w.Write([]byte("secret text of an error page"))
	})
	c := loopback(t)
	all := []int{300, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 599, 999}
	for _, status := range all {
		r := get(t, c, Request{URL: fmt.Sprint(url, "/", status)})
		if r.Status != status || r.RetryAfter != 2*time.Minute || r.Body != nil {
			t.Errorf("%d: %+v", status, r)
		}
	}
	if int(n.Load()) != len(all) {
		t.Errorf("%d requests for %d polls: a status must end a poll", n.Load(), len(all))
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var got sync.Map
	mux := http.NewServeMux()
	to := func(path string, status int, location string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(status)
			_, _ = w.Write([]byte("moved"))
		})
	}
	mux.HandleFunc("/end", func(w http.ResponseWriter, r *http.Request) {
		got.Store("header", r.Header.Clone())
		_, _ = w.Write([]byte("feed"))
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(410) })
	to("/301", 301, "/end#part")
	to("/308", 308, "/301")
	to("/302", 302, "/end")
	to("/mixed", 301, "/302")
	to("/301gone", 301, "/gone")
	to("/self", 302, "/self")
	to("/ring", 302, "/ring2")
	to("/ring2", 302, "/ring")
	to("/empty", 302, "")
	to("/ftp", 302, "ftp://example.com/")
	to("/user", 302, "//evil:pw@{host}/end")
	for i := range 100 {
		to(fmt.Sprint("/chain", i), 301, fmt.Sprint("/chain", i+1))
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	host := strings.TrimPrefix(s.URL, "http://")
	to("/creds", 302, "//evil:pw@"+host+"/end")
	to("/spaces", 302, " /a b?c=d e")
	mux.HandleFunc("/a%20b", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("feed")) })
	mux.HandleFunc("/203", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(203)
		_, _ = w.Write([]byte("feed"))
	})
	to("/chain100", 301, "/end")
	c := loopback(t)
	for path, want := range map[string]struct{ code, final, permanent string }{
		"/end":      {final: "/end"},
		"/301":      {final: "/end", permanent: "/end"},
		"/308":      {final: "/end", permanent: "/end"},
		"/302":      {final: "/end"},
		"/mixed":    {final: "/end"},
		"/301gone":  {final: "/gone"},
		"/creds":    {final: "/end"},
		"/spaces":   {final: "/a%20b?c=d%20e"},
		"/203":      {final: "/203"},
		"/chain91":  {final: "/end", permanent: "/end"}, // 10 hops
		"/chain90":  {code: CodeTooManyRedirects},
		"/chain0":   {code: CodeTooManyRedirects},
		"/self":     {code: CodeRedirectLoop},
		"/ring":     {code: CodeRedirectLoop},
		"/empty":    {code: CodeBadRedirect},
		"/ftp":      {code: CodeBadRedirect},
		"/user":     {code: CodeBadRedirect},
		"/notfound": {final: "/notfound"},
	} {
		resp, err := c.Do(t.Context(), Request{URL: s.URL + path, ETag: `"v"`})
		if code := codeOf(t, err); code != want.code {
			t.Errorf("%s: code %q, want %q", path, code, want.code)
			continue
		}
		if err != nil {
			continue
		}
		if resp.FinalURL != s.URL+want.final || strings.TrimPrefix(resp.PermanentURL, s.URL) != want.permanent {
			t.Errorf("%s: final %s, permanent %q", path, resp.FinalURL, resp.PermanentURL)
		}
		if resp.Status/100 == 2 && (resp.Status != 200 || string(resp.Body) != "feed") {
			t.Errorf("%s: status %d, body %q", path, resp.Status, resp.Body)
		}
		if want.final == "/end" {
			h, _ := got.Load("header")
			head := h.(http.Header)
			if head.Get("If-None-Match") != `"v"` || head.Get("Referer") != "" || head.Get("Authorization") != "" ||
				string(resp.Body) != "feed" {
				t.Errorf("%s: end saw %v", path, head)
			}
		}
		resp.Release()
	}
}

func TestCredentialsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	w := newTestNet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := "http://"
		if r.TLS != nil {
			key = "https://"
		}
		mu.Lock()
		seen[key+r.Host+r.URL.Path] = r.Header.Get("Authorization")
		mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusMovedPermanently)
		}
	}))
	for _, name := range []string{"a.example", "b.example"} {
		w.dns[name] = [][]string{{"93.184.215.14"}}
	}
	const basic = "Basic bWU6cHc="
	c := w.client()
	for start, want := range map[string]struct{ end, auth, permanent string }{
		"http://me:pw@a.example/1?to=/2": {"http://a.example/2", basic,
			"http://me:pw@a.example/2"},
		"http://me:pw@a.example/1?to=https://a.example/3": {"https://a.example/3", basic,
			"https://me:pw@a.example/3"},
		"https://me:pw@a.example/1?to=http://a.example/4": {"http://a.example/4", "",
			"http://a.example/4"},
		"http://me:pw@a.example/1?to=http://b.example/5": {"http://b.example/5", "",
			"http://b.example/5"},
		"http://me:pw@a.example/1?to=http://a.example:8080/6": {"http://a.example:8080/6", "",
			"http://a.example:8080/6"},
		"http://a.example/1?to=http://evil:pw@a.example/7": {"http://a.example/7", "",
			"http://a.example/7"},
		"http://me:pw@a.example/1?to=http://b.example/?to=%68ttp://a.example/8": {"", "", ""},
	} {
		resp := get(t, c, Request{URL: start})
		if want.end == "" {
			continue
		}
		mu.Lock()
		if seen[want.end] != want.auth {
			t.Errorf("%s: end got %q, want %q", start, seen[want.end], want.auth)
		}
		mu.Unlock()
		if resp.FinalURL != want.end || resp.PermanentURL != want.permanent {
			t.Errorf("%s: final %s, permanent %s", start, resp.FinalURL, resp.PermanentURL)
		}
	}
	if _, err := c.Do(t.Context(), Request{URL: "http://me:pw@nowhere.example/"}); strings.Contains(err.Error(), "pw") {
		t.Errorf("password in %v", err)
	}
	if _, err := c.Do(t.Context(), Request{URL: "http://me:pw@a.example:x/"}); strings.Contains(err.Error(), "pw") {
		t.Errorf("password in %v", err)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader([]int{200, 304, 404, 500}[int(r.URL.Path[1]-'0')])
		if r.URL.Path == "/0" || r.URL.Path > "/1" {
			_, _ = w.Write([]byte("a little text"))
		}
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := loopback(t)
	for i := range 40 {
		get(t, c, Request{URL: fmt.Sprint(s.URL, "/", i%4)}).Release()
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for 40 requests one after the other", n)
	}
}

func TestHTTP2AndFailedHandshake(t *testing.T) {
	t.Parallel()
	var proto atomic.Value
	w := newTestNet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto.Store(r.Proto)
		ok(w, r)
	}))
	w.dns["a.example"] = [][]string{{"93.184.215.14"}}
	if sent, note := fetched(t, w.client(), "https://a.example/"); !sent || proto.Load() != "HTTP/2.0" {
		t.Errorf("%v over %v: %s", sent, proto.Load(), note)
	}
	_, err := w.client(func(o *Options) { o.RootCAs = nil }).Do(t.Context(), Request{URL: "https://a.example/"})
	if code := codeOf(t, err); code != CodeTLSFailure {
		t.Errorf("unknown authority: %s, %v", code, err)
	}
	_, err = w.client().Do(t.Context(), Request{URL: "https://a.example:8080/"}) // speaks plain HTTP
	if code := codeOf(t, err); code != CodeTLSFailure {
		t.Errorf("plain text: %s, %v", code, err)
	}
}

func TestPrivateServersSeeNothing(t *testing.T) {
	t.Parallel()
	l := listen(t)
	accepted := make(chan struct{}, 8)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			_ = conn.Close()
		}
	}()
	to := netip.MustParseAddrPort(l.Addr().String())
	c := New(Options{}) // the closed guard with the real dialler
	t.Cleanup(c.Close)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		_, err := c.Do(t.Context(), Request{URL: fmt.Sprintf("http://%s:%d/", host, to.Port())})
		code := codeOf(t, err)
		if code != CodeBlockedAddress && code != CodeBlockedPort {
			t.Errorf("%s: %s", host, code)
		}
	}
	// Were the checks before it wrong, the socket's own check would still stand.
	if _, err := c.guard.dial(t.Context(), "tcp", to.String()); err == nil ||
		classify(err, false) != CodeBlockedAddress {
		t.Errorf("the socket was opened: %v", err)
	}
	if len(accepted) != 0 {
		t.Error("a private server saw a connection")
	}
}

func TestSamplesAreTheOneException(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var other string
	h := func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/samples/away":
			w.Header().Set("Location", "/api/me")
			w.WriteHeader(302)
		case "/samples/other":
			w.Header().Set("Location", other)
			w.WriteHeader(302)
		case "/samples/again":
			w.Header().Set("Location", "/samples/a.xml")
			w.WriteHeader(302)
		}
	}
	other = serve(t, h) + "/samples/a.xml"
	url := serve(t, h)
	own := netip.MustParseAddrPort(strings.TrimPrefix(url, "http://"))
	port := fmt.Sprint(":", own.Port())
	c := New(Options{Samples: own})
	t.Cleanup(c.Close)
	for u, want := range map[string]string{
		url + "/samples/a.xml":                   "",
		url + "/samples/":                        "",
		url + "/samples/again":                   "",
		url + "/robots.txt":                      "",
		url + "/robots.txt/":                     CodeBlockedAddress,
		"http://localhost" + port + "/samples/x": "",
		url + "/samples":                         CodeBlockedAddress,
		url + "/samplesx/a":                      CodeBlockedAddress,
		url + "/":                                CodeBlockedAddress,
		url + "/api/me":                          CodeBlockedAddress,
		url + "/samples/../api/me":               CodeBlockedAddress,
		url + "/samples/%2e%2e/api/me":           CodeBlockedAddress,
		url + "/samples/..%2fapi/me":             CodeBlockedAddress,
		url + "/samples//a":                      CodeBlockedAddress,
		url + "/samples/away":                    CodeBlockedAddress,
		url + "/samples/other":                   CodeBlockedAddress,
		other:                                    CodeBlockedAddress,
		"http://127.0.0.2" + port + "/samples/a": CodeBlockedAddress,
		"https://127.0.0.1" + port + "/samples/": CodeBlockedAddress,
	} {
		before := asked.Load()
		resp, err := c.Do(t.Context(), Request{URL: u})
		if code := codeOf(t, err); code != want {
			t.Errorf("%s: %q, want %q", u, code, want)
		}
		resp.Release()
		allowed := int32(0)
		if want == "" || strings.HasSuffix(u, "away") || u == url+"/samples/other" {
			allowed = 1
		}
		if strings.HasSuffix(u, "again") {
			allowed = 2
		}
		if n := asked.Load() - before; n != allowed {
			t.Errorf("%s: %d requests", u, n)
		}
	}
	closed := New(Options{})
	t.Cleanup(closed.Close)
	if _, err := closed.Do(t.Context(), Request{URL: url + "/samples/"}); err == nil {
		t.Error("open without the option")
	}
}

func TestCancelledByTheCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	_, err := loopback(t).Do(ctx, Request{URL: url})
	if codeOf(t, err) != CodeCancelled || !fault.Is(err, fault.Cancelled) || fault.CodeOf(err) != CodeCancelled {
		t.Errorf("%v", err)
	}
}

func TestWaitingForAHostDoesNotUseUpTheTime(t *testing.T) {
	t.Parallel()
	clk := clock.NewManual(time.Unix(0, 0))
	c := New(Options{Clock: clk})
	x := exchange{c: c, left: 10 * time.Second, cancel: func(error) {}}
	x.pause() // the first wait is before the time begins
	x.run()
	clk.Add(3 * time.Second)
	x.run() // a hop without a lock changes nothing
	x.pause()
	if x.left != 7*time.Second {
		t.Errorf("left %v after 3 s", x.left)
	}
	clk.Add(time.Hour)
	x.run()
	clk.Add(2 * time.Second)
	x.pause()
	if x.left != 5*time.Second {
		t.Errorf("left %v after 3 s and 2 s", x.left)
	}
	x.timer.Stop()
}

func TestRedirectsKeepOneRequestToAHost(t *testing.T) {
	t.Parallel()
	locks := new(HostLocks)
	var inFlight, worst [2]atomic.Int32
	var urls [2]string
	for i := range 2 {
		urls[i] = serve(t, func(w http.ResponseWriter, r *http.Request) {
			now := inFlight[i].Add(1)
			defer inFlight[i].Add(-1)
			for old := worst[i].Load(); now > old && !worst[i].CompareAndSwap(old, now); old = worst[i].Load() {
			}
			if r.URL.Path == "/go" { // to the other host, where others are on their way here
				http.Redirect(w, r, urls[1-i]+"/end", http.StatusFound)
			}
		})
	}
	c := loopback(t, func(o *Options) { o.HostLock = locks })
	var wg sync.WaitGroup
	for n := range 40 {
		wg.Go(func() {
			resp, err := c.Do(t.Context(), Request{URL: urls[n%2] + "/go"})
			if err != nil {
				t.Error(err)
			}
			resp.Release()
		})
	}
	wg.Wait()
	if worst[0].Load() != 1 || worst[1].Load() != 1 {
		t.Errorf("at once: %d and %d", worst[0].Load(), worst[1].Load())
	}
	if len(locks.held) != 0 {
		t.Errorf("locks left: %v", locks.held)
	}
}

func TestBusyHostEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	locks := new(HostLocks)
	if err := locks.Lock(t.Context(), "a.example"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := New(Options{HostLock: locks})
	_, err := c.Do(ctx, Request{URL: "http://a.example/"})
	if codeOf(t, err) != CodeCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

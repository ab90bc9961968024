package lambdahost_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

func api(t *testing.T, h *lambdahost.Host) *lambdahost.HTTPAPI {
	t.Helper()
	return &lambdahost.HTTPAPI{Host: h, Function: "f", APIID: "abc", Domain: gateway, Timeout: 30 * time.Second}
}

const gateway = "abc.execute-api.us-east-1.amazonaws.com"

func TestRequestsBecomeEvents(t *testing.T) {
	t.Parallel()
	a := api(t, function(t, lambdahost.Options{}, nil))
	r := httptest.NewRequest(http.MethodPost, "https://"+gateway+"/api/tags/a%20b%2Fc%3Fd?x=1&x=2&y=%C3%A9%20z",
		strings.NewReader(`{"a":1}`))
	r.Header = http.Header{
		"Content-Type": {"application/json; charset=utf-8"}, "Cookie": {"a=1; b=2", "c=3"},
		"If-None-Match":   {`"x"`, `"y"`},
		"X-Forwarded-For": {"203.0.113.9"},
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	var e struct {
		Version, RawPath, RawQueryString, Body string
		IsBase64Encoded                        bool
		Cookies                                []string
		Headers, QueryStringParameters         map[string]string
		RequestContext                         struct {
			HTTP struct{ Method, Path, SourceIP string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	// The path is decoded and cut at the encoded question mark, the query is as it was sent.
	if e.Version != "2.0" || e.RawPath != "/api/tags/a b/c" || e.RawQueryString != "x=1&x=2&y=%C3%A9%20z" ||
		e.RequestContext.HTTP.Method != "POST" {
		t.Errorf("the event is %+v", e)
	}
	if strings.Join(e.Cookies, "|") != "a=1|b=2|c=3" || e.Headers["cookie"] != "" ||
		e.Headers["if-none-match"] != `"x","y"` {
		t.Errorf("cookies %q, headers %v", e.Cookies, e.Headers)
	}
	if e.QueryStringParameters["x"] != "1,2" || e.QueryStringParameters["y"] != "é z" || e.Body != `{"a":1}` ||
		e.IsBase64Encoded {
		t.Errorf("query %v, body %q, base64 %v", e.QueryStringParameters, e.Body, e.IsBase64Encoded)
	}
	if e.Headers["host"] != a.Domain || e.Headers["x-forwarded-for"] != "203.0.113.9, 192.0.2.1" ||
		e.Headers["x-forwarded-proto"] != "https" {
		t.Errorf("headers %v", e.Headers)
	}
	for kind, packed := range map[string]bool{"text/x-opml": false, "application/xml": false, "": false,
		"application/x-www-form-urlencoded": true, "image/png": true} {
		r := httptest.NewRequest(http.MethodPost, "https://"+gateway+"/", strings.NewReader("a=1"))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if got := strings.Contains(w.Body.String(), `"isBase64Encoded":true`); got != packed {
			t.Errorf("%q: base64 %v", kind, got)
		}
	}
}

func TestAnswersBecomeHTTP(t *testing.T) {
	t.Parallel()
	a := api(t, function(t, lambdahost.Options{}, nil))
	ask := func(answer string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "https://"+gateway+"/", nil)
		r.Header.Set("X-Answer", answer)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		return w
	}
	w := ask(`{"statusCode":201,"headers":{"X-Y":"z","content-type":"text/html"},"cookies":["a=1; ` +
		`Secure","b=2"],"body":"AAH/","isBase64Encoded":true}`)
	if w.Code != 201 || w.Body.String() != "\x00\x01\xff" || w.Header().Get("X-Y") != "z" ||
		len(w.Header().Values("Set-Cookie")) != 2 {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
	if w = ask(`{"plain":"json"}`); w.Code != 200 || w.Body.String() != `{"plain":"json"}` ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("without a status: %d %q", w.Code, w.Body)
	}
	if w = ask(`{"statusCode":200,"body":"!","isBase64Encoded":true}`); w.Code != 500 ||
		!strings.Contains(w.Body.String(), "Internal Server Error") {
		t.Errorf("base64 that is none: %d %q", w.Code, w.Body)
	}
	if w = ask(`{"statusCode":200,"body":`); w.Code != 500 {
		t.Errorf("half an answer: %d", w.Code)
	}
}

func TestGatewayLimits(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	a := api(t, h)
	post := func(body string, header string) int {
		r := httptest.NewRequest(http.MethodPost, "https://"+gateway+"/", strings.NewReader(body))
		r.Header.Set("X-Long", header)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		return w.Code
	}
	if got := post(strings.Repeat("x", 6<<20), ""); got != 413 {
		t.Errorf("over Lambda's 6 MB: %d", got)
	}
	if got := post(strings.Repeat("x", 10<<20+1), ""); got != 413 {
		t.Errorf("over the gateway's 10 MB: %d", got)
	}
	if got := post("", strings.Repeat("x", 10240)); got != 431 {
		t.Errorf("headers over 10 KB: %d", got)
	}
	a.Timeout = 0
	if got := post("", ""); got != 503 {
		t.Errorf("over the time-out: %d", got)
	}
	a.Limit = rate.NewLimiter(0, 1)
	if one, two := post("", ""), post("", ""); one != 503 || two != 429 {
		t.Errorf("throttled at the second: %d, %d", one, two)
	}
}

// TestGatewayRefuses: what API Gateway says when it is asked under another name, or was given no right to the function.
func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	asked := ""
	for _, c := range []struct {
		host   string
		may    bool
		status int
	}{{gateway, true, 200}, {"reader.example.org", true, 403}, {gateway, false, 500}} {
		a := api(t, function(t, lambdahost.Options{}, nil))
		a.MayInvoke = func(source string) bool { asked = source; return c.may }
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://"+c.host+"/", nil))
		if w.Code != c.status {
			t.Errorf("%s, may invoke %v: %d, want %d", c.host, c.may, w.Code, c.status)
		}
	}
	if asked != "arn:aws:execute-api:us-east-1:123456789012:abc/$default/$default" {
		t.Errorf("the permission was asked for %s", asked)
	}
}

// TestEdgeForwards: what reaches an origin under each kind of origin request policy.
func TestEdgeForwards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy lambdahost.Forward
		want   string // host, Authorization, Cookie, X-A, query, the viewer's address
	}{
		"no policy": {lambdahost.Forward{}, "origin.example     "},
		"all but Host": {lambdahost.Forward{Headers: "allExcept", Listed: []string{"host"}, Cookies: "all",
			Queries: "all"}, "origin.example Bearer a=1 b q=1 "},
		"all": {lambdahost.Forward{Headers: "allViewer", Cookies: "all", Queries: "all"},
			"reader.example Bearer a=1 b q=1 "},
		"those listed": {lambdahost.Forward{Headers: "whitelist",
			Listed: []string{"x-a", "CloudFront-Viewer-Address"}, Cookies: "none", Queries: "none"},
			"origin.example   b  192.0.2.1:1234"},
		"all and address": {lambdahost.Forward{Headers: "allViewerAndWhitelistCloudFront",
			Listed: []string{"CloudFront-Viewer-Address"}, Queries: "all"},
			"reader.example Bearer  b q=1 192.0.2.1:1234"},
	} {
		got := ""
		e := &lambdahost.Edge{
			Hosts:      map[string]string{"o": "origin.example"},
			Behaviours: []lambdahost.Behaviour{{Pattern: "*", Origin: "o", Forward: c.policy}},
			Origins: map[string]http.Handler{"o": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = strings.Join([]string{r.Host, r.Header.Get("Authorization"), r.Header.Get("Cookie"),
					r.Header.Get("X-A"), r.URL.RawQuery, r.Header.Get("CloudFront-Viewer-Address")}, " ")
			})},
		}
		r := httptest.NewRequest(http.MethodGet, "https://reader.example/?q=1", nil)
		r.Header = http.Header{"Authorization": {"Bearer"}, "Cookie": {"a=1"}, "X-A": {"b"},
			"Cloudfront-Viewer-Address": {"a lie"}}
		e.ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("%s: the origin is asked %q, want %q", name, got, c.want)
		}
	}
}

func TestEdge(t *testing.T) {
	t.Parallel()
	routes, err := lambdahost.NewEdgeFunction(`function handler(event) {
		var request = event.request;
		if (!/\./.test(request.uri)) request.uri = '/index.html';
		if (request.uri === '/broken.x') return missing;
		return request;
	}`)
	if err != nil {
		t.Skipf("no Node: %v", err)
	}
	t.Cleanup(routes.Close)
	say := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "its own")
			_, _ = io.WriteString(w, name+" "+r.URL.Path+strings.Repeat(" ", 1000))
		})
	}
	headers := []lambdahost.EdgeHeader{{Name: "Content-Security-Policy", Value: "theirs"},
		{Name: "Strict-Transport-Security", Value: "max-age=1", Override: true}}
	e := &lambdahost.Edge{Origins: map[string]http.Handler{"api": say("api"), "page": say("page")},
		RootObject: "index.html", Behaviours: []lambdahost.Behaviour{
			{Pattern: "/api/*", Origin: "api", Headers: headers},
			{Pattern: "*", Origin: "page", Methods: []string{"GET", "HEAD"}, Function: routes, Headers: headers},
		}}
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/api/feeds", 200, "api /api/feeds"},
		{"POST", "/api/feeds", 200, "api /api/feeds"},
		{"GET", "/api", 200, "page /index.html"},
		{"GET", "/feed/12/i/3", 200, "page /index.html"},
		{"GET", "/", 200, "page /index.html"},
		{"GET", "/assets/a.js", 200, "page /assets/a.js"},
		{"POST", "/assets/a.js", 403, "Forbidden"},
		{"GET", "/broken.x", 503, "Service Unavailable"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s %s: %d %.80s", c.method, c.path, w.Code, strings.TrimSpace(w.Body.String()))
		}
		if c.status == 200 && (w.Header().Get("Content-Security-Policy") != "its own" ||
			w.Header().Get("Strict-Transport-Security") != "max-age=1") {
			t.Errorf("%s %s: headers %v", c.method, c.path, w.Header())
		}
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	t.Cleanup(service.Close)
	target, _ := url.Parse(service.URL)
	for _, c := range []struct {
		act    lambdahost.Act
		allow  bool
		answer string
		served int64
	}{
		{lambdahost.Pass, true, "200", 1},
		{lambdahost.Throttle, true, "503", 0},
		{lambdahost.ServerFail, true, "500", 0},
		{lambdahost.FailAfter, true, "500", 1},
		{lambdahost.KillBefore, true, "Runtime.ExitError", 0},
		{lambdahost.KillAfter, true, "Runtime.ExitError", 1},
		{lambdahost.Pass, false, "403", 0},
	} {
		served.Store(0)
		h := function(t, lambdahost.Options{}, nil)
		var calls []lambdahost.Call
		gate := httptest.NewServer(&lambdahost.Gate{
			Host: h, Service: "s3", Target: target, Allow: func(_, _, resource string) bool {
				return c.allow && resource == "bucket/feeds/1"
			},
			Hook: func(call lambdahost.Call) lambdahost.Act { calls = append(calls, call); return c.act },
		})
		r := invoke(t, h, "signed", gate.URL+"/bucket/feeds/1")
		if !strings.Contains(string(r.Payload), c.answer) || served.Load() != c.served {
			t.Errorf("%d, allowed %v: %s, served %d", c.act, c.allow, r.Payload, served.Load())
		}
		if c.allow && (len(calls) != 1 || calls[0].Function != "f" || calls[0].Action != "s3:GetObject" ||
			calls[0].Resource != "bucket/feeds/1") {
			t.Errorf("the call was reported as %+v", calls)
		}
		gate.Close()
	}
}

// What a viewer sends in place of what the distribution writes does not arrive.
func TestTheEdgeSendsTheViewersAddress(t *testing.T) {
	t.Parallel()
	f, err := lambdahost.NewEdgeFunction(`function handler(event) { event.request.headers['x-viewer'] = { value: ` +
		`event.viewer.ip }; return event.request; }`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	var got *http.Request
	e := &lambdahost.Edge{
		Origins: map[string]http.Handler{"api": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = r
		})},
		Sent: map[string]map[string]string{"api": {"X-Secret": "known"}},
		Behaviours: []lambdahost.Behaviour{{
			Pattern: "*", Origin: "api", Function: f,
			Forward: lambdahost.Forward{Headers: "allExcept", Listed: []string{"host"}, Cookies: "all", Queries: "all"},
		}},
	}
	r := httptest.NewRequest("GET", "https://reader.example/api/feeds/%C3%A4?x=1", nil)
	r.RemoteAddr = "198.51.100.7:4711"
	r.Header.Set("X-Viewer", "203.0.113.9")
	r.Header.Set("X-Secret", "guessed")
	r.Header.Set("Cookie", "a=b")
	e.ServeHTTP(httptest.NewRecorder(), r)
	if got == nil {
		t.Fatal("nothing arrived")
	}
	for name, want := range map[string]string{"X-Viewer": "198.51.100.7", "X-Secret": "known", "Cookie": "a=b",
		"X-Forwarded-For": "198.51.100.7"} {
		if v := strings.Join(got.Header.Values(name), ", "); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
	if got.URL.RequestURI() != "/api/feeds/%C3%A4?x=1" {
		t.Errorf("the address is %s", got.URL.RequestURI())
	}
}

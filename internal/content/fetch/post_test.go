package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

func TestPostIsSentOnceWithItsHeaders(t *testing.T) {
	t.Parallel()
	var seen http.Header
	var method, body string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen, method, body = r.Header.Clone(), r.Method, string(b)
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	})
	resp := get(t, loopback(t), Request{URL: url, ETag: `"1"`, LastModified: "yesterday", Accept: "*/*",
		MaxBytes: 1, Post: &Post{
			ContentType: "application/json", Body: []byte(`{"a":1}`), Header: map[string]string{"X-Ruri-Event": "new"},
		}})
	if resp.Status != http.StatusAccepted || method != http.MethodPost || body != `{"a":1}` || len(resp.Body) != 0 {
		t.Errorf("%d, %s %q, answer %q", resp.Status, method, body, resp.Body)
	}
	if seen.Get("Content-Type") != "application/json" || seen.Get("X-Ruri-Event") != "new" ||
		seen.Get("Content-Length") != "7" {
		t.Errorf("headers %v", seen)
	}
	if seen.Get("If-None-Match")+seen.Get("If-Modified-Since") != "" {
		t.Errorf("validators went with a POST: %v", seen)
	}
}

// The answer of a service that is asked by POST is read, within the limit; that of a webhook's receiver is not.
func TestPostIsAnswered(t *testing.T) {
	t.Parallel()
	var agent string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	})
	post := &Post{ContentType: "application/json", Body: []byte("{}"),
		Header: map[string]string{"User-Agent": "Another"}, Answered: true}
	resp := get(t, loopback(t), Request{URL: url, MaxBytes: 100, Post: post})
	if resp.Status != http.StatusOK || len(resp.Body) != 100 || agent != "Another" {
		t.Errorf("%d, %d bytes, as %q", resp.Status, len(resp.Body), agent)
	}
	if _, err := loopback(t).Do(t.Context(), Request{URL: url, MaxBytes: 99, Post: post}); codeOf(t,
		err) != CodeTooLarge {
		t.Errorf("an answer above the limit: %v", err)
	}
	if resp := get(t, loopback(t), Request{URL: url + "/refused", Post: post}); resp.Status != http.StatusForbidden ||
		len(resp.Body) != 0 {
		t.Errorf("refused: %d, %q", resp.Status, resp.Body)
	}
}

// G-51: a receiver cannot lead what was signed for it to another place, least of all to a private one.
func TestPostFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int32
	private := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		w := newTestNet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, private, status)
		}))
		w.dns["hook.example"] = [][]string{{"93.184.216.34"}}
		resp, err := w.client().Do(t.Context(),
			Request{URL: "http://hook.example/x", Post: &Post{ContentType: "text/plain", Body: []byte("b")}})
		if err != nil || resp.Status != status {
			t.Errorf("%d: %v, %v", status, resp, err)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

func TestPostIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		panic(http.ErrAbortHandler)
	})
	_, err := loopback(t).Do(t.Context(), Request{URL: url, Post: &Post{ContentType: "text/plain", Body: []byte("b")}})
	if codeOf(t, err) != CodeConnectionReset || tries.Load() != 1 {
		t.Errorf("%v after %d tries", err, tries.Load())
	}
}

func TestPermitsPost(t *testing.T) {
	t.Parallel()
	c := New(Options{Samples: netip.MustParseAddrPort("127.0.0.1:8080")})
	t.Cleanup(c.Close)
	for address, want := range map[string]string{
		"https://hook.example/a?b=c": "", "http://hook.example:8080/": "", "http://127.0.0.1/": CodeBlockedAddress,
		"http://[::1]/": CodeBlockedAddress, "http://169.254.169.254/latest/": CodeBlockedAddress,
		"http://10.1.2.3/":         CodeBlockedAddress,
		"https://hook.example:22/": CodeBlockedPort, "ftp://hook.example/": CodeBadURL, "": CodeBadURL,
		"hook.example":                    CodeBadURL,
		"http://127.0.0.1:8080/samples/a": CodeBlockedAddress, // our own samples are for reading
	} {
		err := c.PermitsPost(address)
		var e *Error
		switch {
		case want == "" && err == nil:
		case !errors.As(err, &e) || e.Code != want:
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

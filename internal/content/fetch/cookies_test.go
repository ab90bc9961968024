package fetch

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// TestCookiesOfAChain: who asks for a cookie by redirects gets it back within the chain, and in no other.
func TestCookiesOfAChain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string // host, path and cookies of each request
	net := newTestNet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got := r.Header.Get("Cookie")
		seen = append(seen, r.Host+r.URL.Path+" "+got)
		set := func(lines ...string) { w.Header()["Set-Cookie"] = lines }
		switch at := r.Host + r.URL.Path; {
		case at == "journal.example/same" && got == "":
			set("seen=1; Path=/", "other=2; Path=/other", "secure=3; Path=/; Secure", "gone=4; Max-Age=0")
			http.Redirect(w, r, "/same", http.StatusMovedPermanently)
		case at == "journal.example/sso" && got == "":
			set("session=s; Domain=journal.example; Path=/", "tld=t; Domain=example; Path=/",
				"foreign=f; Domain=other.example; Path=/")
			http.Redirect(w, r, "http://id.journal.example/in", http.StatusFound)
		case at == "id.journal.example/in":
			set("own=o; Path=/")
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		case at == "other.example/":
			set("stranger=x; Path=/", "seen=evil; Domain=journal.example; Path=/")
			http.Redirect(w, r, "http://journal.example/sso", http.StatusFound)
		case at == "journal.example/forever":
			set("n=" + got + "x; Path=/")
			http.Redirect(w, r, "/forever", http.StatusFound)
		case at == "journal.example/never":
			set("n=1; Path=/")
			http.Redirect(w, r, "/never", http.StatusFound)
		default:
			set("late=1; Path=/")
			_, _ = w.Write([]byte("feed"))
		}
	}))
	for _, host := range []string{"journal.example", "id.journal.example", "other.example"} {
		net.dns[host] = [][]string{{"93.184.215.14"}}
	}
	c := net.client()
	for _, tt := range []struct {
		url  string
		code string
		want []string
	}{
		{"http://journal.example/same", "", []string{"journal.example/same ", "journal.example/same seen=1"}},
		// nothing is kept
		{"http://journal.example/same", "", []string{"journal.example/same ", "journal.example/same seen=1"}},
		{"http://journal.example/sso", "", []string{
			"journal.example/sso ", "id.journal.example/in session=s", "other.example/ ",
			"journal.example/sso session=s",
		}},
		{"http://journal.example/plain", "", []string{"journal.example/plain "}},
		{"http://journal.example/never", CodeRedirectLoop,
			[]string{"journal.example/never ", "journal.example/never n=1"}},
		{"http://journal.example/forever", CodeTooManyRedirects, nil},
	} {
		seen = nil
		resp, err := c.Do(t.Context(), Request{URL: tt.url})
		if code := codeOf(t, err); code != tt.code {
			t.Errorf("%s: code %q, want %q", tt.url, code, tt.code)
		}
		if err == nil && (string(resp.Body) != "feed" || resp.PermanentURL != "") {
			t.Errorf("%s: %q, moved to %q", tt.url, resp.Body, resp.PermanentURL)
		}
		resp.Release()
		if tt.want != nil && !slices.Equal(seen, tt.want) {
			t.Errorf("%s: asked %q, want %q", tt.url, seen, tt.want)
		}
		if tt.want == nil && len(seen) != MaxRedirects+1 {
			t.Errorf("%s: asked %d times", tt.url, len(seen))
		}
	}
}

func TestCookieRules(t *testing.T) {
	t.Parallel()
	x := exchange{c: &Client{opt: Options{Clock: clock.NewManual(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))}}}
	at := func(address string) *url.URL {
		u, err := CheckURL(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	x.keepCookies(at("https://www.shop.co.uk/a/b"), &http.Response{Header: http.Header{"Set-Cookie": {
		"host=1", "wide=2; Domain=.shop.co.uk; Path=/", "suffix=3; Domain=co.uk; Path=/", "secure=4; Secure; Path=/",
		`quoted="5 6"; Path=/q`, "old=7; Expires=Wed, 01 Jan 2020 00:00:00 GMT", "host=8", "bad name=9",
		"long=" + string(make([]byte, maxCookieBytes)),
	}}})
	for address, want := range map[string]string{
		"https://www.shop.co.uk/a/c":  "wide=2; secure=4; host=8",
		"http://www.shop.co.uk/a/c":   "wide=2; host=8",
		"https://www.shop.co.uk/ab":   "wide=2; secure=4",
		"https://www.shop.co.uk/q":    `wide=2; secure=4; quoted="5 6"`,
		"https://shop.co.uk/":         "wide=2",
		"https://m.shop.co.uk/":       "wide=2",
		"https://other.co.uk/":        "",
		"https://evilshop.co.uk/":     "",
		"https://shop.co.uk.example/": "",
	} {
		if got := x.cookieHeader(at(address)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	for range 3 * maxCookies {
		x.keepCookies(at("https://a.example/"),
			&http.Response{Header: http.Header{"Set-Cookie": {string(rune('a'+len(x.cookies))) + "=1"}}})
	}
	if len(x.cookies) > maxCookies {
		t.Errorf("%d cookies", len(x.cookies))
	}
}

package hatena_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/testkit/hatena"
)

// noted keeps what would fail a test.
type noted struct {
	testing.TB
	errors []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.errors = append(n.errors, fmt.Sprintf(format, args...))
}

func address(urls ...string) string {
	return "https://bookmark.hatenaapis.com/count/entries?" + url.Values{"url": urls}.Encode()
}

func numbered(n, length int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("https://site.org/%d/", i)+strings.Repeat("a", length))
	}
	return urls
}

// Each rule that a caller breaks fails its test, and what keeps to them does not.
func TestRulesAreMeasured(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		urls   []string
		status int
		broken string
	}{
		{[]string{"https://site.org/a?x=1"}, 200, ""},
		{numbered(50, 0), 200, ""},
		{numbered(51, 0), 400, "51 addresses"},
		{numbered(49, 80), 200, "bytes of addresses"},
		{numbered(9, 950), 414, "bytes of addresses"},
		{nil, 400, "0 addresses"},
		{[]string{"https://site.org/a", "https://site.org/a"}, 200, "twice"},
		{[]string{"https://user@site.org/"}, 200, "user name"},
		{[]string{"https://site.org:8080/"}, 200, "port"},
		{[]string{"https://192.0.2.1/"}, 200, "public name"},
		{[]string{"http://nas/"}, 200, "public name"},
		{[]string{"http://nas.local/"}, 200, "private"},
		{[]string{"https://site.org/?Token=1"}, 200, "secret"},
		{[]string{"https://site.org/?utm_source=feed"}, 200, "tracking"},
		{[]string{"https://site.org/#part"}, 200, "fragment"},
		{[]string{"ftp://site.org/"}, 200, "not an address"},
		{numbered(1, 1000), 200, "too long"},
	} {
		n := &noted{TB: t}
		s := hatena.New(n, clock.NewManual(time.Now()), func(string) int { return 1 })
		resp, err := s.Do(t.Context(), fetch.Request{URL: address(c.urls...), MaxBytes: 1 << 20})
		if err != nil || resp.Status != c.status {
			t.Errorf("%.80v: %v, %v", c.urls, resp, err)
		}
		if c.broken == "" && len(n.errors) > 0 || c.broken != "" &&
			!strings.Contains(strings.Join(n.errors, "\n"), c.broken) {
			t.Errorf("%.80v: noted %q, want %q", c.urls, n.errors, c.broken)
		}
	}
}

func TestPaceIsMeasured(t *testing.T) {
	t.Parallel()
	n := &noted{TB: t}
	clk := clock.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	s := hatena.New(n, clk, func(string) int { return 0 })
	call := func() {
		if _, err := s.Do(t.Context(), fetch.Request{URL: address("https://site.org/"), MaxBytes: 1 << 20}); err !=
			nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		call()
		clk.Add(5 * time.Second)
	}
	if len(n.errors) > 0 {
		t.Fatal(n.errors)
	}
	if call(); len(n.errors) != 1 {
		t.Errorf("the 101st call of a cycle: %v", n.errors)
	}
	clk.Add(15 * time.Minute)
	call()
	clk.Add(5*time.Second - 1)
	if call(); len(n.errors) != 2 {
		t.Errorf("a call that is too early: %v", n.errors)
	}
	s.IsForbidden = true
	clk.Add(time.Hour)
	if call(); len(n.errors) != 3 {
		t.Errorf("a call while nothing may be asked: %v", n.errors)
	}
}

// elsewhere sends what is for Hatena to a server on this machine, by the guarded client.
type elsewhere struct {
	*fetch.Client
	base string
}

func (e elsewhere) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	r.URL = e.base + strings.TrimPrefix(r.URL, "https://bookmark.hatenaapis.com")
	return e.Client.Do(ctx, r)
}

// What Do answers without a network is what the guarded client makes of the same answers over one.
func TestDoAnswersAsANetwork(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{Version: "test", AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Timeout: 3 * time.Second})
	t.Cleanup(client.Close)
	for i, failure := range append(hatena.Failures(), nil) {
		s := hatena.New(&noted{TB: t}, clock.NewManual(time.Now()), func(string) int { return 12 })
		s.Fail = func() hatena.Failure { return failure }
		server := httptest.NewServer(s)
		show := func(f fetch.Fetcher) string {
			resp, err := f.Do(t.Context(), fetch.Request{URL: address("https://site.org/"), MaxBytes: 1 << 20})
			if err != nil {
				return fault.CodeOf(err)
			}
			defer resp.Release()
			return fmt.Sprint(resp.Status, resp.RetryAfter, string(resp.Body))
		}
		near, far := show(s), show(elsewhere{client, server.URL})
		server.Close()
		if near != far {
			t.Errorf("%d: %q, over a network %q", i, near, far)
		}
	}
}

package fetch

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"
)

// ErrTooLarge is returned by reads of a guarded response body beyond its limit.
var ErrTooLarge = errors.New("fetch: the answer is larger than its limit")

// Guarded returns a plain HTTP client behind the same guard, for protocols that a library speaks (OAuth): it keeps no
// cookies, follows no redirect (the answer is the 3xx itself), and bounds each exchange in time and each body in bytes.
func (c *Client) Guarded(timeout time.Duration, maxBytes int64) *http.Client {
	return &http.Client{
		Transport:     &bounded{c, maxBytes},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type bounded struct {
	c   *Client
	max int64
}

// RoundTrip goes out by the guard's own pool of connections.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", b.c.agent.value(0))
	}
	res, err := b.c.public.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = &boundedBody{res.Body, b.max}
	return res, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}

// Trusted returns a client for the one host and port that the owner's settings name, which may be in a private network.
// It follows no redirects. The caller bounds the time.
func Trusted(version string, u *url.URL, maxBytes int64) *http.Client {
	c := New(Options{Version: version})
	c.guard.trusted = net.JoinHostPort(u.Hostname(), strconv.Itoa(int(portOf(u))))
	return c.Guarded(0, maxBytes)
}

// What the operator names may be slow and long, as a list of thousands of articles of another reader is.
const (
	namedTimeout = time.Minute
	namedBytes   = 64 << 20
)

// Named returns a client for addresses that the operator names on the command line. They may be in the operator's own
// network, so every network is open. It follows no redirects.
func Named(version string) *http.Client {
	return New(Options{Version: version, AllowNets: []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0"),
	}}).Guarded(namedTimeout, namedBytes)
}

// Package fetch is the only package that opens connections to untrusted addresses: feeds, pages, icons, hubs, webhooks.
// One guarded client does a conditional GET, or one POST, and nothing else. It never sends a Referer, a credential to a
// host that the user did not name, or a cookie but those of a chain of redirects (cookies.go), never reads the proxy
// environment, never follows anything but an HTTP redirect, and never keeps more than its limit of a body.
//
// For publishers: validators go back byte for byte, one request at a time to a host (with
// a HostLock), an honest User-Agent, and retries only of connections that gave no
// answer at all, and, where the caller can wait, of server errors (500, 502, 504).
// For the operator: the address of every socket is checked after DNS, at connect time, on every
// redirect (see address.go), and one exchange takes at most Timeout and MaxBytes.
//
// Specifications: RFC 9110 (HTTP semantics), RFC 9111 (caching), RFC 3986 (URIs), RFC 8288 (Link),
// RFC 8305 (Happy Eyeballs), the IANA special-purpose address registries.
package fetch

import (
	"context"
	"crypto/x509"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// The limits of an exchange; Options and Request may lower or raise the first two.
const (
	DefaultTimeout  = 10 * time.Second // connect, TLS, redirects, retries and body together
	DefaultMaxBytes = 5 << 20          // of the decoded body
	MaxRedirects    = 10
	MaxRetries      = 2
	// FaultPause is the wait before the first retry of a server error; it is twice as long before the second.
	FaultPause = time.Second
)

// Options configure a Client. The zero value is a working, closed guard.
type Options struct {
	Version    string // product version in the User-Agent; "" = "dev"
	ProjectURL string // a page about us for publishers; "" = the project's repository

	// AllowNets are networks that are open although they are not public, at any port (RURI_ALLOW_NETS).
	AllowNets []netip.Prefix
	// Samples is the server's own listening address when it serves sample feeds: exactly this address and
	// port is open, for /robots.txt and paths under /samples/ alone. The zero value opens nothing.
	Samples netip.AddrPort
	// HostLock, when set, is held for the host of each hop while its request is under way.
	HostLock HostLock

	Timeout  time.Duration // of a whole exchange; 0 = DefaultTimeout. Waiting for HostLock does not count.
	MaxBytes int64         // 0 = DefaultMaxBytes
	Clock    clock.Clock   // nil = the system's

	// The rest exists for tests and unusual networks.
	RootCAs *x509.CertPool // nil = the system's
	Dial    Dial           // nil = the dialler's own
	// Sleep waits between retries; nil = a timer. It returns early with ctx's error.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns numbers in [0, 1); nil = math/rand/v2.
	Jitter func() float64
}

// Fetcher requests untrusted addresses. *Client implements it; simulations and tests have their own.
type Fetcher interface {
	Do(ctx context.Context, r Request) (*Response, error)
}

// HostLock serialises requests by host; HostLocks is the in-process one.
type HostLock interface {
	Lock(ctx context.Context, host string) error
	Unlock(host string)
}

// Request asks for one URL. The validators are those of the last answer, exactly as received, "" when
// there was none: they are echoed, never made up.
type Request struct {
	URL          string
	ETag         string
	LastModified string
	Accept       string // "" = AcceptFeeds
	Subscribers  int    // reported to the publisher in the User-Agent; 0 = not reported
	MaxBytes     int64  // 0 = the client's limit
	// KeepPart accepts the part of a body that arrived before it broke off (Response.Truncated); else that is an error.
	KeepPart bool
	// IsChallenge, when not nil, is asked whether the beginning of a 403's body asks for proof of a human.
	IsChallenge func(page []byte) bool
	// Idle, when not nil, lets a server's own fault (500, 502, 504, unless it says when to come again) be asked about
	// again, all within the time limit. It is called with each wait before that, so that the caller can let others work
	// meanwhile, and must call it.
	Idle func(wait func() error) error
	// Post, when not nil, makes the exchange a POST. Validators do not go with it, redirects are not followed (the
	// answer is the 3xx itself: a signature holds for one address alone), and it is sent
	// once: who wants it again knows whether that does harm.
	Post *Post
}

// Post is the body of a POST and its headers.
type Post struct {
	ContentType string
	Body        []byte
	Header      map[string]string // further headers; sent without change
	// Answered: the body of a 2xx is read, as that of a GET is. Otherwise it is not.
	Answered bool
}

// Response is an answer of any HTTP status. Body and Wire belong to the client's pool: they are valid until
// Release, which must be the last thing done with them.
type Response struct {
	Status      int
	NotModified bool   // 304
	Body        []byte // decoded; only of a 2xx
	Challenge   bool   // a protection service asks for proof of a human
	// Truncated reports whether less of the body arrived than was announced. Body is the part that did; the validators
	// are those of the whole, and must not be kept.
	Truncated bool
	// OpenEnded reports whether the body ended with the connection and nothing announced its length, as in HTTP/1.0:
	// only its content can tell whether it is whole.
	OpenEnded bool
	// Wire holds the body as received when that was gzip of at most 1 MiB, with WireEncoding "gzip": it can
	// be stored without compressing again. Otherwise both are empty.
	Wire         []byte
	WireEncoding string
	WireBytes    int64 // bytes of the body on the wire, before decoding
	ContentType  string
	ETag         string // byte for byte; "" when absent or impossible to send back
	LastModified string
	FinalURL     string // after redirects, without userinfo
	// PermanentURL is the new address of the feed: set when there was a redirect, every one was 301 or 308, and the end
	// of the chain answered 2xx or 304. It keeps the userinfo where the credentials still apply.
	PermanentURL string
	MaxAge       time.Duration // the publisher asks not to be polled for so long; 0 = not stated
	RetryAfter   time.Duration // likewise, at most MaxRetryAfter
	Faults       []int         // statuses of the answers before this one, where it was asked again (Request.Idle)
	Links        Links         // of the Link header
	Alternates   []Alternate   // likewise

	hasRetryAfter bool // there was a Retry-After, valid or not
	pool          *pools
	bufs          [2]*buffer
}

// Links are the WebSub links of a response's Link header, absolute; "" when absent.
type Links struct{ Hub, Self string }

// Alternate is another form of what was requested, which may be a feed.
type Alternate struct{ URL, Type, Title string }

// Release returns the buffers back. It may be called more than once, and on nil.
func (r *Response) Release() {
	if r == nil || r.pool == nil {
		return
	}
	r.pool.putBuffer(r.bufs[0])
	r.pool.putBuffer(r.bufs[1])
	r.Body, r.Wire, r.pool, r.bufs = nil, nil, nil, [2]*buffer{}
}

// DropBody returns the decoded body's buffer back and keeps the rest: the body is the largest part of a
// response, and who stores the bytes of the wire needs it no more. It does nothing to a response that was
// not fetched.
func (r *Response) DropBody() {
	if r.pool != nil {
		r.pool.putBuffer(r.bufs[0])
		r.bufs[0], r.Body = nil, nil
	}
}

// Client is the guarded client. It is safe for concurrent use. Create one and share it: connections are kept
// alive per host, TLS sessions and decoders are reused.
type Client struct {
	opt     Options
	guard   *guard
	public  *http.Transport
	samples *http.Transport // own pool, so that its connections serve /samples/ alone; nil without samples
	pools   pools
	agent   agent
	accept  []string // header values shared by all requests, never changed
	codings []string
}

// New makes a client; it opens nothing yet.
func New(o Options) *Client {
	o.fill()
	c := &Client{
		opt:     o,
		guard:   &guard{allow: o.AllowNets, connect: o.Dial, timeout: o.Timeout},
		agent:   newAgent(o.Version, o.ProjectURL),
		accept:  []string{AcceptFeeds},
		codings: []string{"gzip, br, zstd"},
	}
	c.public = newTransport(c.guard, o.RootCAs)
	if o.Samples.IsValid() {
		own := &guard{only: unmap(o.Samples), connect: o.Dial, timeout: o.Timeout}
		c.samples = newTransport(own, o.RootCAs)
	}
	return c
}

// Close drops idle connections. The client stays usable.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	if c.samples != nil {
		c.samples.CloseIdleConnections()
	}
}

func (o *Options) fill() {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, d *net.Dialer, address string) (net.Conn, error) {
			return d.DialContext(ctx, "tcp", address)
		}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
}

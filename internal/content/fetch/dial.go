package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Dial connects to host:port by a dialler, which asks its ControlContext for each address before it connects there.
type Dial func(ctx context.Context, d *net.Dialer, address string) (net.Conn, error)

// guard decides which sockets may be opened, and opens them.
type guard struct {
	allow   []netip.Prefix // open at any port
	only    netip.AddrPort // if valid, the one address that is open, and nothing else
	trusted string         // if set, the one host:port that is open, wherever it is
	connect Dial
	timeout time.Duration
}

// refusal is the error of a refused address; its text is for the log.
type refusal struct {
	code   string
	addr   netip.AddrPort
	reason string
}

func (r *refusal) Error() string { return "guard refuses " + r.addr.String() + ": " + r.reason }

// permit returns a *refusal for a socket address that may not be opened.
func (g *guard) permit(ap netip.AddrPort) error {
	if g.only.IsValid() {
		if unmap(ap) != g.only {
			return &refusal{CodeBlockedAddress, ap, "not the server's own address"}
		}
		return nil
	}
	for _, p := range g.allow {
		if p.Contains(ap.Addr().Unmap()) {
			return nil
		}
	}
	if reason := notPublic(ap.Addr()); reason != "" {
		return &refusal{CodeBlockedAddress, ap, reason}
	}
	if !portOpen(ap.Port()) {
		return &refusal{CodeBlockedPort, ap, "port"}
	}
	return nil
}

// dial connects to host:port. Each address is judged when its socket is made, whatever the resolver answered before.
func (g *guard) dial(ctx context.Context, _, address string) (net.Conn, error) {
	// net/http lets a dial outlive its request, so it needs a bound of its own.
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	if g.trusted != "" && address != g.trusted {
		return nil, &refusal{CodeBlockedAddress, netip.AddrPort{}, "not the trusted host"}
	}
	d := &net.Dialer{
		KeepAlive: -1, // no probes: idle connections are dropped after 30 s anyway
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return &refusal{CodeBlockedAddress, ap, "unreadable socket address"}
			}
			if g.trusted != "" {
				return nil
			}
			return g.permit(ap)
		},
	}
	return g.connect(ctx, d, address)
}

// dialTLS is dial and handshake in one, so that a failed handshake can be told from a failed connection.
func (g *guard) dialTLS(conf *tls.Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := g.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		c := conf.Clone()
		c.ServerName = host
		ctx, cancel := context.WithTimeout(ctx, g.timeout)
		defer cancel()
		conn := tls.Client(raw, c)
		if err := conn.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, handshakeError{err}
		}
		return conn, nil
	}
}

// newTransport makes a pool of connections behind a guard. Connections are reused for the same scheme, host
// and port only, so each has been judged for exactly the host that uses it.
func newTransport(g *guard, roots *x509.CertPool) *http.Transport {
	conf := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
	}
	return &http.Transport{
		Proxy:                  nil, // the environment is not asked: a proxy would dial behind the guard's back
		DialContext:            g.dial,
		DialTLSContext:         g.dialTLS(conf),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // body.go decodes, with its own limits
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 128 << 10,
		WriteBufferSize:        2 << 10, // a request is a few hundred bytes
		HTTP2: &http.HTTP2Config{ // the defaults let a server push megabytes ahead of the reader
			MaxReceiveBufferPerStream:     512 << 10,
			MaxReceiveBufferPerConnection: 1 << 20,
		},
	}
}

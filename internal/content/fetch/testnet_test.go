package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
)

// testNet is a small closed internet on the loopback interface: its resolver knows the names it is given, and every
// address that the guard permits leads to one real server, in the clear at port 80, with TLS at 443.
type testNet struct {
	t       *testing.T
	handler http.Handler
	plain   net.Listener
	secure  net.Listener
	roots   *x509.CertPool
	ca      *x509.Certificate
	key     *ecdsa.PrivateKey

	mu      sync.Mutex
	dns     map[string][][]string // successive answers; the last repeats
	lookups map[string]int
	dialled []netip.AddrPort
}

func newTestNet(t *testing.T, h http.Handler) *testNet {
	t.Helper()
	w := &testNet{t: t, handler: h, dns: map[string][][]string{}, lookups: map[string]int{}, roots: x509.NewCertPool()}
	w.makeAuthority()
	w.plain, w.secure = listen(t), listen(t)
	srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	srv.TLSConfig = &tls.Config{GetCertificate: w.certificate, NextProtos: []string{"h2", "http/1.1"}}
	go func() { _ = srv.Serve(w.plain) }()
	go func() { _ = srv.ServeTLS(w.secure, "", "") }()
	t.Cleanup(func() { _ = srv.Close() })
	return w
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (w *testNet) makeAuthority() {
	var err error
	if w.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		w.t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "closed world"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &w.key.PublicKey, w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.ca, err = x509.ParseCertificate(der); err != nil {
		w.t.Fatal(err)
	}
	w.roots.AddCert(w.ca)
}

// certificate vouches for whatever name is asked for, or for the addresses dialled so far.
func (w *testNet) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
	}
	if hello.ServerName != "" {
		tmpl.DNSNames = []string{hello.ServerName}
	} else {
		for _, ap := range w.dials() {
			tmpl.IPAddresses = append(tmpl.IPAddresses, ap.Addr().AsSlice())
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, w.ca, &w.key.PublicKey, w.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: w.key}, err
}

// lookup answers from the table alone.
func (w *testNet) lookup(host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	answers := w.dns[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	answer := answers[min(w.lookups[host], len(answers)-1)]
	w.lookups[host]++
	var out []netip.Addr
	for _, a := range answer {
		out = append(out, netip.MustParseAddr(a).Unmap())
	}
	return out, nil
}

// dial connects as a net.Dialer does: to the first address that ControlContext permits.
func (w *testNet) dial(ctx context.Context, d *net.Dialer, address string) (net.Conn, error) {
	host, port, _ := net.SplitHostPort(address)
	addrs, err := w.lookup(host)
	for _, a := range addrs {
		to := netip.MustParseAddrPort(net.JoinHostPort(a.String(), port))
		if err = d.ControlContext(ctx, "tcp", to.String(), nil); err != nil {
			continue
		}
		w.mu.Lock()
		w.dialled = append(w.dialled, to)
		w.mu.Unlock()
		l := w.plain
		if port == "443" || port == "8443" {
			l = w.secure
		}
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}
	return nil, err
}

func (w *testNet) dials() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialled)
}

// client returns a client of this world; change may adapt its options.
func (w *testNet) client(change ...func(*Options)) *Client {
	o := Options{Dial: w.dial, RootCAs: w.roots, Sleep: noSleep}
	for _, f := range change {
		f(&o)
	}
	c := New(o)
	w.t.Cleanup(c.Close)
	return c
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// loopback returns a client for real servers on loopback addresses.
func loopback(t testing.TB, change ...func(*Options)) *Client {
	o := Options{
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Sleep:     noSleep,
	}
	for _, f := range change {
		f(&o)
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// codeOf returns the code of an error, "" of nil.
func codeOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("not a *fetch.Error: %v", err)
	}
	return e.Code
}

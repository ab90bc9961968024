package fetch

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// answering makes a real resolver of a function: the resolver's questions are answered in this process.
func answering(t *testing.T, lookup func(host string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe() // no packets, so that messages follow their length, as over TCP
		go func() {
			defer ours.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(ours, size[:]); err != nil {
					return
				}
				b := make([]byte, binary.BigEndian.Uint16(size[:]))
				var m dnsmessage.Message
				if _, err := io.ReadFull(ours, b); err != nil || m.Unpack(b) != nil {
					return
				}
				m.Response, m.Authoritative, m.Additionals = true, true, nil
				q := m.Questions[0]
				for _, a := range lookup(q.Name.String()) {
					if a.Is4() && q.Type == dnsmessage.TypeA {
						m.Answers = append(m.Answers, dnsmessage.Resource{
							Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
							Body:   &dnsmessage.AResource{A: a.As4()}})
					}
				}
				out, err := m.AppendPack(make([]byte, 2, 512))
				if err != nil {
					t.Error(err)
					return
				}
				binary.BigEndian.PutUint16(out, uint16(len(out)-2))
				if _, err := ours.Write(out); err != nil {
					return
				}
			}
		}()
		return theirs, nil
	}}
}

// TestEachAddressIsJudgedWhenItIsDialled uses the real dialler and resolver: of several addresses the permitted one is
// found, and an answer that changes after the first connection opens nothing.
func TestEachAddressIsJudgedWhenItIsDialled(t *testing.T) {
	t.Parallel()
	open := listen(t)
	_, port, _ := net.SplitHostPort(open.Addr().String())
	srv := &http.Server{Handler: http.HandlerFunc(ok)}
	go func() { _ = srv.Serve(open) }()
	t.Cleanup(func() { _ = srv.Close() })
	private, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Skip("there is no second address:", err)
	}
	t.Cleanup(func() { _ = private.Close() })
	var seen atomic.Int32
	go func() {
		for {
			conn, err := private.Accept()
			if err != nil {
				return
			}
			seen.Add(1)
			_ = conn.Close()
		}
	}()
	var rebound atomic.Bool
	public, hidden := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	names := answering(t, func(host string) []netip.Addr {
		switch {
		case host == "private.example." || rebound.Load():
			return []netip.Addr{hidden}
		case host == "both.example.":
			return []netip.Addr{hidden, public}
		}
		return []netip.Addr{public}
	})
	c := New(Options{
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Sleep: noSleep,
		Dial: func(ctx context.Context, d *net.Dialer, address string) (net.Conn, error) {
			d.Resolver = names
			return d.DialContext(ctx, "tcp", address)
		},
	})
	t.Cleanup(c.Close)
	get := func(host string) string {
		_, err := c.Do(t.Context(), Request{URL: "http://" + host + ":" + port + "/"})
		c.Close() // the next request needs a connection of its own
		return codeOf(t, err)
	}
	for host, want := range map[string]string{"public.example": "", "both.example": "",
		"private.example": CodeBlockedAddress} {
		if code := get(host); code != want {
			t.Errorf("%s: %q, not %q", host, code, want)
		}
	}
	rebound.Store(true)
	if code := get("public.example"); code != CodeBlockedAddress {
		t.Errorf("after the answer changed: %q", code)
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("a private address saw %d connections", n)
	}
}

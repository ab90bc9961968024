package fetch

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
)

// route picks the pool of connections for a hop, and refuses early what the guard would refuse for sure.
func (x *exchange) route(u *url.URL) (*http.Transport, *Error) {
	c := x.c
	if c.samples != nil && x.req.Post == nil && isSample(u, c.opt.Samples) {
		return c.samples, nil
	}
	port := portOf(u)
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		if err := c.guard.permit(netip.AddrPortFrom(a, port)); err != nil {
			return nil, x.fail(u, err, false)
		}
	} else if !portOpen(port) && len(c.guard.allow) == 0 {
		return nil, &Error{Code: CodeBlockedPort, Host: u.Host, NoResponse: true}
	}
	return c.public, nil
}

// isSample reports whether a request is for our own samples, or for the robots.txt that says that they may be read. The
// path is taken literally: dots and escapes that a server might resolve to another place are no samples.
func isSample(u *url.URL, own netip.AddrPort) bool {
	if u.Scheme != "http" || u.RawPath != "" || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return false
	}
	if u.Path != "/robots.txt" && !strings.HasPrefix(u.Path, "/samples/") {
		return false
	}
	if portOf(u) != own.Port() {
		return false
	}
	host := u.Hostname()
	if host == "localhost" {
		return own.Addr().IsLoopback()
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap() == own.Addr().Unmap()
}

func portOf(u *url.URL) uint16 {
	p := u.Port()
	if p == "" {
		if u.Scheme == "https" {
			return 443
		}
		return 80
	}
	n, _ := deltaSeconds(p) // CheckURL has bounded it
	return uint16(n)
}

// PermitsPost checks early that a POST to an address could be sent: the address is http or https, at an open port, and
// no network address that the guard refuses. The addresses of a name are checked when a connection is made.
func (c *Client) PermitsPost(address string) error {
	u, err := CheckURL(address)
	if err != nil {
		return err
	}
	x := exchange{c: c, req: &Request{Post: &Post{}}, caller: context.Background(), ctx: context.Background()}
	if _, failure := x.route(u); failure != nil {
		return failure
	}
	return nil
}

package fetch

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Some sites set a cookie and redirect to the same address, or by way of their sign-in host, until they get it back. So
// the cookies of redirects live as long as the chain: in memory, for their own site, and they are gone when the
// exchange ends.
const (
	maxCookies     = 20
	maxCookieBytes = 4 << 10 // of name and value
)

// cookie is one that a redirect of this chain has set (RFC 6265, 5.3).
type cookie struct {
	name, value, host, path string
	isWide                  bool // for the hosts below as well
	isSecure                bool
}

// keepCookies takes those that the answer of a host sets.
func (x *exchange) keepCookies(u *url.URL, res *http.Response) {
	if len(res.Header["Set-Cookie"]) == 0 {
		return
	}
	now := x.c.opt.Clock.Now()
	for _, in := range res.Cookies() {
		c := cookie{name: in.Name, value: in.Value, host: u.Hostname(), path: in.Path, isSecure: in.Secure}
		if in.Quoted {
			c.value = `"` + c.value + `"`
		}
		if d := strings.ToLower(strings.TrimPrefix(in.Domain, ".")); d != "" && d != c.host {
			if !isBelow(c.host, d) || siteOf(d) != siteOf(c.host) {
				continue // of another host, or of all sites under a suffix
			}
			c.host, c.isWide = d, true
		} else {
			c.isWide = d != ""
		}
		if !strings.HasPrefix(c.path, "/") {
			c.path = u.EscapedPath()
			c.path = c.path[:max(strings.LastIndexByte(c.path, '/'), 0)]
		}
		isGone := in.MaxAge < 0 || !in.Expires.IsZero() && in.MaxAge == 0 && in.Expires.Before(now)
		x.setCookie(c, isGone || len(c.name)+len(c.value) > maxCookieBytes)
	}
}

// setCookie puts one in the place of the one with its name, host and path.
func (x *exchange) setCookie(c cookie, isGone bool) {
	kept := x.cookies[:0]
	for _, old := range x.cookies {
		if old.name != c.name || old.host != c.host || old.path != c.path {
			kept = append(kept, old)
		}
	}
	if x.cookies = kept; !isGone && len(kept) < maxCookies {
		x.cookies = append(kept, c)
	}
}

// cookieHeader is the Cookie header of a request, "" for none.
func (x *exchange) cookieHeader(u *url.URL) string {
	var b strings.Builder
	for _, c := range x.cookies {
		host := u.Hostname()
		if host != c.host && !(c.isWide && isBelow(host, c.host)) || c.isSecure && u.Scheme != "https" ||
			!pathMatches(u.EscapedPath(), c.path) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.name + "=" + c.value)
	}
	return b.String()
}

// pathMatches: RFC 6265, 5.1.4.
func pathMatches(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(prefix, "/"))
	return ok && (rest == "" || rest[0] == '/') || prefix == "/"
}

func isBelow(host, domain string) bool { return strings.HasSuffix(host, "."+domain) }

// siteOf approximates the registered domain: two labels, or three below suffixes like co.uk and ne.jp. The list of all
// suffixes would be as large as the rest of this package.
func siteOf(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	labels := strings.Split(host, ".")
	n := 2
	if k := len(labels); k >= 2 && len(labels[k-1]) == 2 && len(labels[k-2]) <= 3 {
		n = 3
	}
	if len(labels) < n {
		return "" // a public suffix, not a site
	}
	return strings.Join(labels[len(labels)-n:], ".")
}

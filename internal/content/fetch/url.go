package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/ruri-reader/ruri/internal/reader"
)

// CheckURL parses an untrusted URL and brings it into the one form that is dialled, logged and
// locked: scheme and host in lower case, the host in ASCII without trailing dot, no default port, no
// fragment. It refuses what other programs might read differently (control characters, backslashes, numbers
// that stand for addresses, zones, escapes in the host), and everything but http and https. It looks nothing
// up: whether the host may be dialled is the guard's decision. Errors are *Error with code bad_url.
func CheckURL(raw string) (*url.URL, error) {
	u, reason := parseURL(raw)
	if reason != "" {
		return nil, &Error{Code: CodeBadURL, Cause: errors.New(reason)}
	}
	return u, nil
}

// HostOf returns the host that a URL's requests count for: canonical, lower case, with its port unless that is the
// scheme's own. It is "" for URLs that CheckURL refuses. http://A.example/ and https://a.example/ are one.
func HostOf(raw string) string {
	u, reason := parseURL(raw)
	if reason != "" {
		return ""
	}
	return u.Host
}

// NormalURL returns a URL as it is requested: two spellings of one are equal in it. "" for URLs that CheckURL refuses.
func NormalURL(raw string) string {
	u, reason := parseURL(raw)
	if reason != "" {
		return ""
	}
	return u.String()
}

// parseURL returns the URL, or the reason against it.
func parseURL(raw string) (*url.URL, string) {
	switch {
	case raw == "":
		return nil, "it is empty"
	case len(raw) > reader.MaxLink:
		return nil, "it is too long"
	case !cleanText(raw):
		return nil, "it has control characters or backslashes"
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "it cannot be read" // the cause would quote the URL, and with it a password
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, "it does not begin with http:// or https://"
	}
	if u.Opaque != "" || u.Host == "" {
		return nil, "it names no host"
	}
	host, reason := canonicalHost(u.Host)
	if reason != "" {
		return nil, reason
	}
	port, reason := canonicalPort(u)
	if reason != "" {
		return nil, reason
	}
	u.Host = host + port
	u.RawQuery = safeQuery(u.RawQuery)
	u.Fragment, u.RawFragment = "", ""
	// Escaping makes three bytes of one: what is sent on must be short enough to be read again.
	if len(raw) > reader.MaxLink/4 && len(u.String()) > reader.MaxLink {
		return nil, "it is too long"
	}
	return u, ""
}

// cleanText refuses control characters anywhere, and backslashes before the query: browsers take those for
// slashes, RFC 3986 does not, and the difference is where attacks live.
func cleanText(raw string) bool {
	query := false
	for i := range len(raw) {
		switch c := raw[i]; {
		case c < 0x20, c == 0x7f:
			return false
		case c == '?', c == '#':
			query = true
		case c == '\\' && !query:
			return false
		}
	}
	return true
}

// canonicalHost takes the host (with port) of a parsed URL apart and returns the host alone.
func canonicalHost(hostport string) (host, reason string) {
	if strings.ContainsAny(hostport, "% ") {
		return "", "its host has escapes, spaces or a zone"
	}
	if strings.HasPrefix(hostport, "[") {
		end := strings.IndexByte(hostport, ']')
		a, err := netip.ParseAddr(hostport[1:max(end, 1)])
		if err != nil || !a.Is6() || a.Zone() != "" {
			return "", "its host is not an address"
		}
		return "[" + a.String() + "]", ""
	}
	host = hostport
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	if host, reason = asciiHost(host); reason != "" {
		return "", reason
	}
	host = strings.TrimSuffix(host, ".")
	if reason = checkLabels(host); reason != "" {
		return "", reason
	}
	if endsInNumber(host) {
		// WHATWG URL, 3.5: such hosts are addresses. Only the plain dotted form has one meaning everywhere.
		if a, err := netip.ParseAddr(host); err != nil || !a.Is4() {
			return "", "its host is a number"
		}
	}
	return host, ""
}

// asciiHost lower-cases a host, and maps an international one as browsers do (UTS 46).
func asciiHost(host string) (ascii, reason string) {
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		var err error
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", "its host is not a valid name"
		}
	}
	return strings.ToLower(host), ""
}

// checkLabels checks a name against the lengths of RFC 1035, and for letters, digits, hyphens and underscores.
func checkLabels(host string) string {
	const bad = "its host is not a valid name"
	if host == "" || len(host) > 253 {
		return bad
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return bad
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return bad
			}
		}
	}
	return ""
}

// endsInNumber reports whether the last label of a host is decimal, octal or hexadecimal.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := strings.TrimPrefix(last, "0x")
	if digits == "" {
		return last != ""
	}
	hex := len(digits) < len(last)
	for i := range len(digits) {
		c := digits[i]
		if (c < '0' || c > '9') && (!hex || c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// canonicalPort returns ":port", or "" for the scheme's own.
func canonicalPort(u *url.URL) (string, string) {
	const bad = "its port is not a number from 1 to 65535"
	p := u.Port()
	if p == "" {
		return "", ""
	}
	if len(p) > 5 || p[0] == '0' {
		return "", bad
	}
	n, err := strconv.ParseUint(p, 10, 16)
	switch {
	case err != nil:
		return "", bad
	case u.Scheme == "http" && n == 80, u.Scheme == "https" && n == 443:
		return "", ""
	}
	return ":" + p, ""
}

// safeQuery escapes the bytes of a query that would break a request line; net/url does not.
func safeQuery(q string) string {
	var out []byte
	for i := range len(q) {
		switch c := q[i]; {
		case unsafeInQuery(c):
			if out == nil {
				out = []byte(q[:i])
			}
			out = fmt.Appendf(out, "%%%02X", c)
		case out != nil:
			out = append(out, c)
		}
	}
	if out == nil {
		return q
	}
	return string(out)
}

func unsafeInQuery(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>'
}

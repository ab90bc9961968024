package sanitize

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"

	"github.com/ruri-reader/ruri/internal/reader"
)

// parseBase returns the document's address, nil when no reference can be resolved against it.
func parseBase(base string) *url.URL {
	u, ok := resolve(nil, base)
	if !ok || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// linkScheme lists what a link may lead to: schemes that no browser runs as a program.
func linkScheme(scheme string) bool {
	switch scheme {
	case "http", "https", "mailto", "tel", "ftp":
		return true
	}
	return false
}

// resolve reads a reference the way browsers do (WHATWG URL: outer space and controls trimmed, tabs and
// line ends removed, stray spaces and percent signs escaped), makes it absolute, and normalises it so
// that reading the result again gives the same. User names and passwords in front of a host are removed:
// they serve to disguise where a link leads.
func resolve(base *url.URL, raw string) (*url.URL, bool) {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	raw = strings.Map(dropLineEnds, raw)
	if len(raw) > reader.MaxLink {
		return nil, false
	}
	u, err := url.Parse(escapeStray(raw))
	if err != nil {
		return nil, false
	}
	if !u.IsAbs() {
		if base == nil {
			return nil, false
		}
		u = base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https", "ftp":
		if u.Opaque != "" || !asciiHost(u) {
			return nil, false
		}
		u.User = nil
	}
	return u, true
}

func dropLineEnds(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return -1
	case isControl(r):
		return -1
	}
	return r
}

// escapeStray escapes what url.Parse refuses and people write: spaces, and percent signs that escape nothing.
func escapeStray(s string) string {
	if !strings.ContainsAny(s, " %") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch {
		case s[i] == ' ':
			b.WriteString("%20")
		case s[i] == '%' && !(i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])):
			b.WriteString("%25")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// asciiHost puts the host into its form on the wire (punycode, lower case); false when it has none.
func asciiHost(u *url.URL) bool {
	host := u.Hostname()
	if host == "" {
		return false
	}
	if strings.Contains(host, ":") { // an IPv6 address in brackets
		return true
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Underscores and the like are against the rules and in use; anything outside ASCII is not.
		if ascii = strings.ToLower(host); strings.ContainsFunc(ascii, notHostByte) {
			return false
		}
	}
	if port := u.Port(); port != "" {
		ascii += ":" + port
	}
	u.Host = ascii
	return true
}

func notHostByte(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}

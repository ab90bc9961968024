package extract

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// schemes that an address in a feed may have. Anything else (javascript, data, file, vbscript …) makes it
// absent, so that no later use can run or read it.
func allowedScheme(scheme []byte) bool {
	if len(scheme) > 8 {
		return false
	}
	var low [8]byte
	switch string(lowerName(low[:0], scheme)) {
	case "http", "https", "ftp", "ftps", "mailto", "magnet", "gemini", "gopher", "news", "nntp", "xmpp", "irc", "tel":
		return true
	}
	return false
}

// schemeOf returns the scheme of an address, without the colon (RFC 3986, 3.1), or nil.
func schemeOf(b []byte) []byte {
	for i, c := range b {
		switch {
		case c == ':':
			if i == 0 {
				return nil
			}
			return b[:i]
		case c|0x20 >= 'a' && c|0x20 <= 'z', i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return nil
		}
	}
	return nil
}

// cleanURL trims an address and takes out line ends, tabs and control characters, as browsers do (WHATWG
// URL, 4.4); a browser would otherwise see a scheme that this package does not.
func cleanURL(b []byte) []byte {
	b = bytes.TrimSpace(b)
	for i, c := range b {
		if c < 0x20 || c == 0x7f {
			out := append([]byte(nil), b[:i]...)
			for _, c := range b[i:] {
				if c >= 0x20 && c != 0x7f {
					out = append(out, c)
				}
			}
			return bytes.TrimSpace(out)
		}
	}
	return b
}

// resolve makes an address of ref: absolute against base when base is one. Anything that cannot be an address, or has a
// scheme that is not allowed, gives "".
func (s *scanner) resolve(ref []byte, base string) string {
	if isPlainHTTP(ref) {
		return string(ref)
	}
	ref = cleanURL(ref)
	if len(ref) == 0 || len(ref) > reader.MaxLink {
		return ""
	}
	if sc := schemeOf(ref); sc != nil {
		if !allowedScheme(sc) {
			return ""
		}
		if bytes.IndexByte(ref, ' ') >= 0 {
			return strings.ReplaceAll(string(ref), " ", "%20")
		}
		if len(sc) > 5 || !bytes.HasPrefix(ref[len(sc):], []byte(":/")) && sc[0]|0x20 == 'h' {
			return normalURL(string(ref))
		}
		return string(ref)
	}
	b := s.parsedBase(base)
	if b == nil {
		if schemeLike(ref) {
			return ""
		}
		return string(ref)
	}
	u, err := url.Parse(strings.ReplaceAll(string(ref), " ", "%20"))
	if err != nil {
		return ""
	}
	s.relative = true
	return b.ResolveReference(u).String()
}

// isPlainHTTP reports whether ref is an absolute address to be kept unchanged, as most are.
func isPlainHTTP(ref []byte) bool {
	if !bytes.HasPrefix(ref, []byte("https://")) && !bytes.HasPrefix(ref, []byte("http://")) ||
		len(ref) > reader.MaxLink {
		return false
	}
	for _, c := range ref {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// schemeLike is for references that are kept relative: nothing that could be read as a scheme may stay.
func schemeLike(ref []byte) bool {
	i := bytes.IndexByte(ref, ':')
	return i >= 0 && !bytes.ContainsAny(ref[:i], "/?#")
}

// setSite takes the channel's link, if it is absolute as written, as the base of the items' addresses.
func (s *scanner) setSite(written []byte, link string) {
	if schemeOf(bytes.TrimSpace(written)) != nil && strings.HasPrefix(link, "http") {
		s.site, s.siteLate = link, len(s.feed.Items)+len(s.later) > 0
	}
}

// siteBase is the base of the items' addresses where the feed gives none: the site, else the feed's own address.
func (s *scanner) siteBase() string { return cmp.Or(s.site, s.base) }

// parsedBase keeps the last base parsed: a feed has one, or a few. Bases other than http and https do not
// count (RFC 3986, 5.1 wants a hierarchical one; and a script address must not leak into links).
func (s *scanner) parsedBase(base string) *url.URL {
	if base == "" {
		return nil
	}
	if s.baseText != base {
		s.baseText, s.baseURL = base, nil
		if u, err := url.Parse(base); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			s.baseURL = u
		}
	}
	return s.baseURL
}

// joinBase resolves an xml:base attribute against the base around it.
func (s *scanner) joinBase(outer string, attr []byte) string {
	if len(attr) == 0 {
		return outer
	}
	buf, _ := appendXML(s.scratch[:0], attr, reader.MaxLink)
	ref := cleanURL(buf)
	s.scratch = buf
	sc := schemeOf(ref)
	if sc != nil && !bytes.EqualFold(sc, []byte("http")) && !bytes.EqualFold(sc, []byte("https")) {
		return outer
	}
	if joined := s.resolve(ref, outer); joined != "" {
		return joined
	}
	return outer
}

// normalURL is a URL as net/url writes it, or the text itself when it cannot be parsed.
func normalURL(v string) string {
	u, err := url.Parse(v)
	if err != nil {
		return v
	}
	return u.String()
}

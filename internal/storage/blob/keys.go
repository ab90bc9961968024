package blob

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

const (
	// MaxKey bounds a key in bytes, and maxSegment each part between slashes: file systems allow 255, and fileblob adds
	// a mark.
	MaxKey     = 512
	maxSegment = 250
	// MaxUserMeta bounds the user metadata as stored, keys and values together (S3: 2 KB).
	MaxUserMeta = 2048
)

// goodKey reports whether a key consists of segments of [a-zA-Z0-9._-] joined by single slashes. The segment "." and
// any ".." are refused: they mean something in paths.
func goodKey(key string) bool {
	return key != "" && goodPrefix(key) && key[len(key)-1] != '/' && !dotSegment(key)
}

// ValidKey reports whether a key can name a blob, for callers that read keys from files.
func ValidKey(key string) bool { return goodKey(key) }

// goodPrefix is goodKey for a key that may be cut anywhere.
func goodPrefix(p string) bool {
	if len(p) > MaxKey || strings.HasPrefix(p, "/") || strings.Contains(p, "..") || strings.Contains(p, "//") {
		return false
	}
	segment := 0
	for i := range len(p) {
		c := p[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			if segment++; segment > maxSegment {
				return false
			}
		case c == '/':
			segment = 0
		default:
			return false
		}
	}
	return true
}

func dotSegment(key string) bool {
	return key == "." || strings.HasPrefix(key, "./") || strings.HasSuffix(key, "/.") || strings.Contains(key, "/./")
}

// encodeMeta validates metadata and encodes user values for HTTP headers (S3 sends them as x-amz-meta-*): printable
// ASCII without spaces, all other bytes percent-encoded.
func encodeMeta(op string, m Meta) (Meta, error) {
	if !headerValue(m.ContentType) || !headerValue(m.ContentEncoding) {
		return Meta{}, fault.New(fault.Invalid, "bad_meta", op, nil)
	}
	out := Meta{ContentType: m.ContentType, ContentEncoding: m.ContentEncoding}
	if len(m.User) == 0 {
		return out, nil
	}
	out.User = make(map[string]string, len(m.User))
	size := 0
	for k, v := range m.User {
		if !metaKey(k) {
			return Meta{}, fault.New(fault.Invalid, "bad_meta", op, nil)
		}
		e := escape(v)
		size += len(k) + len(e)
		out.User[k] = e
	}
	if size > MaxUserMeta {
		return Meta{}, fault.New(fault.TooLarge, "metadata_too_large", op, nil)
	}
	return out, nil
}

func decodeMeta(m Meta) Meta {
	if len(m.User) == 0 {
		m.User = nil
		return m
	}
	user := make(map[string]string, len(m.User))
	for k, v := range m.User {
		user[strings.ToLower(k)] = unescape(v) // HTTP libraries change the case of header names
	}
	m.User = user
	return m
}

func headerValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= 256 && strings.TrimSpace(s) == s
}

func metaKey(k string) bool {
	for i := range len(k) {
		if c := k[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return k != "" && len(k) <= 64
}

const hexDigits = "0123456789ABCDEF"

func escape(s string) string {
	n := 0
	for i := range len(s) {
		if mustEscape(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 2*n)
	for i := range len(s) {
		if c := s[i]; mustEscape(c) {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func mustEscape(c byte) bool { return c <= ' ' || c > '~' || c == '%' }

// unescape is lenient: a "%" that another program stored without an escape is kept.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

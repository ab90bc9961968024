// Package sanitize makes untrusted markup safe to show inside our own page.
//
// Two independent allow-lists are applied in sequence. The first is ours (rewrite.go): one pass of the HTML
// tokenizer that builds well-formed markup from the few elements and attributes in elements.go and
// attributes.go, resolves addresses, and drops tracking pixels. The second is bluemonday (policy.go),
// which must find nothing left to remove; a test compares the two.
//
// What comes out is canonical: every element is closed, every attribute is quoted and escaped, no raw
// text elements, comments or foreign content remain (so a second parse cannot read it differently,
// the trick behind mutation XSS), and sanitising it again with the same base changes nothing.
//
// The package is pure: it never fetches, and it is safe for concurrent use.
package sanitize

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Limits of one piece of markup. They bound memory and work, not what a publisher may reasonably send.
const (
	maxInput  = 4 << 20 // bytes read of one item's markup
	maxOutput = 1 << 20 // bytes produced; the rest is cut between tags, and open elements are closed
	maxDepth  = 96      // nested elements kept; deeper ones lose their tags, not their text
	maxOpen   = 256     // elements remembered as open, shown or not
)

// HTML returns the part of in that may be shown, with relative addresses resolved against base (the item's xml:base or
// link; "" or not http(s) means that relative addresses are dropped). Images, audio and video come only by https: an
// http address on the default port is raised to https, any other is dropped, and a link to the picture stays, as it
// does to an embedded player. The result is at most 1 MiB, well-formed and idempotent.
func HTML(in, base string) string { return Article(in, base, base) }

// Article is HTML of a document whose own address is link: what leads to a place in it stays in it.
func Article(in, base, link string) string {
	in = strings.Trim(in, whiteSpace)
	if in == "" {
		return ""
	}
	out := withPlaces(clean(in, maxInput), parseBase(base), parseBase(link))
	return strings.Trim(policy().Sanitize(out), whiteSpace)
}

const whiteSpace = " \t\n\r\f" // HTML's, without the no-break space

// clean makes s valid UTF-8 without control characters that no text needs, cut to at most limit bytes.
func clean(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x80 && r <= 0x9F { // a byte of windows-1252 that was taken for a character
			if r = charmap.Windows1252.DecodeByte(byte(r)); r == utf8.RuneError {
				return -1
			}
		}
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

// isControl reports characters that are never text. Carriage returns stay: the tokenizer turns them into
// line feeds, and only it knows about CRLF.
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0x7F && r <= 0x9F
}

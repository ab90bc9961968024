package parse

import (
	"encoding/base64"
	"html"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// markup makes HTML of an Atom text construct as gofeed hands it over.
func markup(s string, c construct) string {
	switch {
	case s == "":
		return ""
	case c.mode == "base64" && (strings.HasPrefix(c.kind, "text/") || strings.Contains(c.kind, "html")):
		return decoded(s) // without a type gofeed has done so
	case c.mode == "escaped" && c.kind == "": // Atom 0.3; gofeed leaves this one escaped
		return guess(html.UnescapeString(s))
	case c.kind == "text" || c.kind == "text/plain":
		return paragraphs(s)
	case c.kind == "html" || c.kind == "text/html":
		return s
	case strings.Contains(c.kind, "xhtml") || c.mode == "xml":
		return withoutPrefix(s)
	case c.kind == "":
		// RFC 4287 reads it as text. So does this package, unless it is plainly markup: feeds forget the attribute
		// more often than they write about tags in a summary.
		return guess(s)
	}
	return guess(s)
}

// decoded is a text in base64, as Atom 0.3 may have it; other text is returned unchanged.
func decoded(s string) string {
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return guess(s)
	}
	return guess(strings.ToValidUTF8(string(plain), "\uFFFD"))
}

// tagLike and referenceLike distinguish markup from text with a less-than sign or ampersand.
var (
	tagLike       = pattern.New(`</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>|<!--`)
	referenceLike = pattern.New(`&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

// guess reads s as HTML when it looks like it, else as text, whose lines and paragraphs are kept.
func guess(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return paragraphs(s)
	}
	if tagLike.MatchString(s) {
		return s
	}
	if referenceLike.MatchString(s) {
		return paragraphs(html.UnescapeString(s))
	}
	return paragraphs(s)
}

// paragraphs makes HTML of plain text: an empty line parts paragraphs, a line end is a line end, an address is a link.
func paragraphs(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return ""
	}
	if !strings.Contains(s, "\n") {
		return linked(s)
	}
	var b strings.Builder
	for _, p := range strings.Split(s, "\n\n") {
		if p = strings.Trim(p, "\n"); p != "" {
			b.WriteString("<p>")
			b.WriteString(strings.ReplaceAll(linked(p), "\n", "<br>"))
			b.WriteString("</p>")
		}
	}
	return b.String()
}

// prefixed are tags of XHTML written with a namespace prefix (<xhtml:p>, <h:p>).
var prefixed = pattern.New(`(</?)[A-Za-z][A-Za-z0-9]*:((?i:div|p|a|span|b|i|em|strong|img|ul|ol|li|br|hr` +
	`|table|thead|tbody|tr|td|th|pre|code|blockquote|h[1-6]|dl|dt|dd|sub|sup)[\s/>])`)

func withoutPrefix(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	return prefixed.ReplaceAllString(s, "$1$2")
}

// address finds what looks like one in plain text. It ends before white space, quotes and the scripts that are written
// without spaces: "https://a.example/をご覧ください".
var address = pattern.New(`(?i)\bhttps?://[^\s<>"“”«»\x{2E80}-\x{10FFFF}]+`)

// linked makes HTML of plain text in which addresses are links.
func linked(s string) string {
	var b strings.Builder
	for {
		at := address.FindStringIndex(s)
		if at == nil {
			b.WriteString(html.EscapeString(s))
			return b.String()
		}
		b.WriteString(html.EscapeString(s[:at[0]]))
		found := withoutPunctuation(s[at[0]:at[1]])
		s = s[at[0]+len(found):]
		if shown := html.EscapeString(found); strings.HasSuffix(found, "//") {
			b.WriteString(shown)
		} else {
			b.WriteString(`<a href="` + shown + `">` + shown + "</a>")
		}
	}
}

// withoutPunctuation takes off what belongs to the sentence around an address; a bracket does when it was opened
// outside.
func withoutPunctuation(address string) string {
	for {
		last := address[len(address)-1]
		switch {
		case strings.IndexByte(".,;:!?'*", last) >= 0:
		case last == ')' && strings.Count(address, "(") < strings.Count(address, ")"):
		case last == ']' && strings.Count(address, "[") < strings.Count(address, "]"):
		case last == '}' && strings.Count(address, "{") < strings.Count(address, "}"):
		default:
			return address
		}
		address = address[:len(address)-1]
	}
}

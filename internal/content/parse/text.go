package parse

import (
	"encoding/base64"
	"html"
	"regexp"
	"strings"
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
	tagLike       = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>|<!--`)
	referenceLike = regexp.MustCompile(`&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
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

// paragraphs makes HTML of plain text: an empty line parts paragraphs, a line end is a line end.
func paragraphs(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return ""
	}
	if !strings.Contains(s, "\n") {
		return html.EscapeString(s)
	}
	var b strings.Builder
	for _, p := range strings.Split(s, "\n\n") {
		if p = strings.Trim(p, "\n"); p != "" {
			b.WriteString("<p>")
			b.WriteString(strings.ReplaceAll(html.EscapeString(p), "\n", "<br>"))
			b.WriteString("</p>")
		}
	}
	return b.String()
}

// prefixed are tags of XHTML written with a namespace prefix (<xhtml:p>, <h:p>).
var prefixed = regexp.MustCompile(`(</?)[A-Za-z][A-Za-z0-9]*:((?i:div|p|a|span|b|i|em|strong|img|ul|ol|li|br|hr|table|thead|tbody|tr|td|th|pre|code|blockquote|h[1-6]|dl|dt|dd|sub|sup)[\s/>])`)

func withoutPrefix(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	return prefixed.ReplaceAllString(s, "$1$2")
}

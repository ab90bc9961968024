package extract

import (
	"bytes"
	"encoding/base64"
	"html"
	"strings"
	"time"
	"unicode/utf8"
)

// Readers of single elements: from the bytes of a node to a value.

func (s *scanner) content(n *node) []byte { return s.b[n.tag.body:n.bodyEnd] }

// flat takes the XML layer off and trims. The result points into the document when there was none, else
// into s.scratch: it lives until the next call.
func (s *scanner) flat(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if plainRun(raw) == len(raw) || bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '<') < 0 {
		return raw
	}
	if in, ok := oneCDATA(raw); ok {
		return bytes.TrimSpace(in)
	}
	s.scratch, _ = appendXML(s.scratch[:0], raw, len(raw)+64)
	return bytes.TrimSpace(s.scratch)
}

// cleanLine trims raw and reports whether it is a line of text without markup, as most short fields are.
func cleanLine(raw []byte, limit int) ([]byte, bool) {
	for len(raw) > 0 && textClass[raw[0]] == clSpace {
		raw = raw[1:]
	}
	for len(raw) > 0 && textClass[raw[len(raw)-1]] == clSpace {
		raw = raw[:len(raw)-1]
	}
	if len(raw) > limit {
		return nil, false
	}
	return raw, plainRun(raw) == len(raw)
}

// flatText is flat as one clean line.
func (s *scanner) flatText(raw []byte, limit int) string {
	if v, ok := cleanLine(raw, limit); ok {
		return string(v)
	}
	return s.literal(s.flat(raw), limit)
}

// literal returns one clean line of text without markup.
func (s *scanner) literal(text []byte, limit int) string {
	s.body = appendLiteral(s.body[:0], text, limit)
	return string(s.body)
}

func (s *scanner) text(n *node) string { return s.flatText(s.content(n), maxName) }

// plainText is the plain text of escaped or embedded HTML.
func (s *scanner) plainText(raw []byte, limit int) string {
	if v, ok := cleanLine(raw, limit); ok {
		return string(v)
	}
	s.body, _ = appendPlain(s.body[:0], s.flat(raw), limit)
	return string(s.body)
}

// textType is the encoding of an element's text (RFC 4287, 3.1; Atom 0.3, 3.1).
type textType uint8

const (
	textGuess  textType = iota // RSS, or Atom without a type: markup if it looks like it
	textPlain                  // text without markup
	textHTML                   // escaped markup
	textXHTML                  // inline markup
	textBase64                 // Atom 0.3 mode="base64"
	textNone                   // other media: no text
)

// MediaType is a type without its parameters, in lower case.
func MediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// typeOf reads the type of an Atom text construct.
func (s *scanner) typeOf(n *node) textType {
	if s.feed.Format != Atom || n.tag.attrEnd == n.tag.nameEnd {
		return textGuess
	}
	switch string(s.b[n.tag.nameEnd:n.tag.attrEnd]) { // by far the most
	case ` type="html"`:
		return textHTML
	case ` type="text"`:
		return textPlain
	case ` type="xhtml"`:
		return textXHTML
	}
	typ, mode := s.attr(n.tag, "type"), s.attr(n.tag, "mode")
	t, m := MediaType(string(typ)), strings.ToLower(strings.TrimSpace(string(mode)))
	switch {
	case m == "base64":
		return textBase64
	case m == "escaped":
		if t == "text/html" || t == "application/xhtml+xml" || t == "html" {
			return textHTML
		}
		return textGuess
	case m == "xml" || t == "xhtml" || t == "application/xhtml+xml":
		return textXHTML
	case t == "html" || t == "text/html":
		return textHTML
	case t == "text" || t == "text/plain":
		return textPlain
	case t == "application/octet-stream":
		return textBase64
	case strings.HasPrefix(t, "image/") || strings.HasPrefix(t, "audio/") || strings.HasPrefix(t, "video/"):
		return textNone
	}
	return textGuess
}

// title reads a title as plain text. RSS does not define whether a title is text or markup; publishers
// escape both ways, so what is certainly markup is taken off (title.go) and references are decoded twice.
func (s *scanner) title(n *node) string {
	raw := s.content(n)
	switch s.typeOf(n) {
	case textPlain:
		return s.flatText(raw, maxTitle)
	case textXHTML:
		s.body, _ = appendPlain(s.body[:0], s.xhtml(raw), maxTitle)
		return string(s.body)
	case textBase64:
		s.body = appendTitle(s.body[:0], decodeBase64(raw), true)
		return string(s.body)
	}
	if v, ok := cleanLine(raw, maxTitle); ok {
		return string(v)
	}
	s.body = appendTitle(s.body[:0], s.flat(raw), s.typeOf(n) == textHTML)
	return string(s.body)
}

// xhtml returns inline markup with its CDATA sections as text.
func (s *scanner) xhtml(raw []byte) []byte {
	raw = raw[:min(len(raw), maxWindow)]
	if !bytes.Contains(raw, cdataOpen) {
		return raw
	}
	s.scratch = s.scratch[:0]
	for {
		before, rest, found := bytes.Cut(raw, cdataOpen)
		s.scratch = append(s.scratch, before...)
		if !found {
			return s.scratch
		}
		var text []byte
		text, raw, _ = bytes.Cut(rest, []byte("]]>"))
		s.scratch = append(s.scratch, html.EscapeString(string(text))...)
	}
}

func (s *scanner) description(n *node) string { return s.excerpt(n, maxDescription) }

// excerpt reads the beginning of a body as plain text, decoding no more of it than that takes. The
// ideographic spaces that indent a Japanese paragraph are left out at its start.
func (s *scanner) excerpt(n *node, limit int) string {
	s.body = s.body[:0]
	s.readExcerpt(n, limit)
	return string(bytes.TrimLeft(s.body, "\u3000 "))
}

// wantsText reports whether setText is to be called.
func (s *scanner) wantsText() bool { return s.o.Text || s.o.Length }

func (s *scanner) setText(it *Item, text string) {
	it.Length = utf8.RuneCountInString(text)
	if s.o.Text {
		it.Text = s.withAside(text)
	}
	s.aside = s.aside[:0]
}

func (s *scanner) readExcerpt(n *node, limit int) {
	raw := s.content(n)
	typ := s.typeOf(n)
	if typ <= textHTML { // no markup at its beginning, or at all: nothing to take off
		v := bytes.TrimSpace(raw)
		v = v[:min(len(v), utf8.UTFMax*(limit+1))]
		if plainRun(v) == len(v) {
			w := liner{b: s.body, start: len(s.body), limit: limit}
			w.text(v)
			s.body = w.b
			return
		}
	}
	switch typ {
	case textNone:
		return
	case textPlain:
		if limit < len(raw) {
			s.scratch, _ = appendXML(s.scratch[:0], raw, 16*limit)
			s.body = appendLiteral(s.body[:0], s.scratch, limit)
			return
		}
		s.body = appendLiteral(s.body, s.flat(raw), limit)
		return
	case textXHTML:
		s.body, _ = s.plain(s.body[:0], s.xhtml(raw), limit)
		return
	case textBase64:
		s.body, _ = s.plain(s.body[:0], decodeBase64(raw), limit)
		return
	}
	if in, ok := oneCDATA(raw); ok {
		s.body, _ = s.plain(s.body[:0], in, limit)
		return
	}
	s.readWindows(raw, limit, appendXML)
}

// readWindows makes plain text of markup that is encoded, decoding no more of it than limit runes take; into s.body.
func (s *scanner) readWindows(raw []byte, limit int, decode func(dst, raw []byte, limit int) ([]byte, int)) {
	for window := 4 * limit; ; window *= 8 {
		var read int
		s.scratch, read = decode(s.scratch[:0], raw, window)
		var done bool
		s.body, done = s.plain(s.body[:0], s.scratch, limit)
		if read >= len(raw) || done && utf8.RuneCount(s.body) >= limit || window > maxWindow {
			return
		}
	}
}

// maxWindow bounds what is decoded of one body for its excerpt: a body that begins with this much markup without text
// has no excerpt.
const maxWindow = 1 << 20

func decodeBase64(raw []byte) []byte {
	in := bytes.Join(bytes.Fields(raw), nil)
	out := make([]byte, base64.StdEncoding.DecodedLen(len(in)))
	n, err := base64.StdEncoding.Decode(out, in)
	if err != nil {
		return raw
	}
	return bytes.ToValidUTF8(out[:n], nil)
}

func (s *scanner) date(n *node) time.Time {
	raw := s.content(n)
	if t, ok := fastDate(raw); ok {
		return t
	}
	t, ok := parseDate(s.flat(raw))
	if !ok {
		return time.Time{}
	}
	return t
}

// baseOf is the base for addresses in an element: its own xml:base inside that of its parents.
func (s *scanner) baseOf(t tag, outer string) string {
	if t.attrEnd-t.nameEnd < len(` xml:base=""`) {
		return outer
	}
	return s.joinBase(outer, s.attr(t, "xml:base"))
}

func (s *scanner) here() string {
	if s.itemBase != "" {
		return s.itemBase
	}
	return s.base
}

// addressOf reads an element whose text is an address.
func (s *scanner) addressOf(n *node) string {
	base := s.baseOf(n.tag, s.here())
	return s.resolve(s.flat(s.content(n)), base)
}

// address reads an attribute that is an address.
func (s *scanner) address(value []byte, base string) string {
	if len(value) == 0 {
		return ""
	}
	return s.resolve(s.flat(value), base)
}

// person reads an author: Atom's name and email children, or the text of RSS ("mail (name)").
func (s *scanner) person(n *node) string {
	raw := s.content(n)
	if bytes.IndexByte(raw, '<') >= 0 && !bytes.Contains(raw, cdataOpen) || s.feed.Format == Atom &&
		n.kind == elAuthor {
		for _, part := range []string{"name", "email"} {
			if in, ok := s.child(n, part); ok {
				if v := s.plainText(s.content(in), maxName); v != "" {
					return v
				}
			}
		}
		if s.feed.Format == Atom && bytes.IndexByte(raw, '<') >= 0 {
			return ""
		}
	}
	return personName(s.plainText(raw, maxName))
}

// personName takes the name of "mail (name)" and "name <mail>", in any order; a mail address alone stays.
func personName(v string) string {
	at := strings.IndexByte(v, '@')
	if at < 0 {
		return v
	}
	if open := strings.IndexByte(v, '('); open >= 0 && strings.HasSuffix(v, ")") {
		in, out := strings.TrimSpace(v[open+1:len(v)-1]), strings.TrimSpace(v[:open])
		if in != "" && !strings.Contains(in, "@") {
			return in
		}
		if out != "" && !strings.Contains(out, "@") {
			return out
		}
	}
	if open := strings.IndexByte(v, '<'); open > 0 {
		if out := strings.TrimSpace(v[:open]); out != "" {
			return strings.Trim(out, `"`)
		}
	}
	return v
}

// child finds the first child element of n by local name; any element for "".
func (s *scanner) child(n *node, name string) (*node, bool) {
	for i := n.tag.body; i < n.bodyEnd; {
		j := bytes.IndexByte(s.b[i:n.bodyEnd], '<')
		if j < 0 || i+j+1 >= n.bodyEnd {
			break
		}
		i += j
		switch s.b[i+1] {
		case '/':
			i += 2
			continue
		case '!', '?':
			if i = s.pastMarkup(i); i < 0 {
				return nil, false
			}
			continue
		}
		t, ok := s.startTag(i)
		if !ok || t.body > n.bodyEnd {
			break
		}
		e := node{tag: t}
		if found := s.element(&e); !found || e.end > n.bodyEnd {
			break
		}
		own := s.b[t.open+1 : t.nameEnd]
		if k := bytes.IndexByte(own, ':'); k >= 0 {
			own = own[k+1:]
		}
		if name == "" || strings.EqualFold(string(own), name) {
			return &e, true
		}
		i = e.end
	}
	return nil, false
}

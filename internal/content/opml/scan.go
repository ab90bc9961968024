package opml

import (
	"html"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// encoding/xml is stricter than the lists in the wild (it refuses "<" and, unless told otherwise, bare
// "&" in attributes), and an OPML document is only tags and attributes: a scanner for just these is
// shorter than the repairs that would be needed before it.

type tagKind uint8

const (
	startTag tagKind = iota
	endTag
	endOfInput
)

// tag is one tag of the document, with the text that stood before it.
type tag struct {
	kind  tagKind
	name  string // in lower case, without namespace prefix
	attrs []attribute
	empty bool // closed in itself
	text  string
	line  int
}

type attribute struct{ name, value string }

// attr gives the value of an attribute, whatever the letter case of its name; the first of that name counts.
func (t tag) attr(name string) string {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, name) {
			return a.value
		}
	}
	return ""
}

func (t tag) has(name string) bool {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, name) {
			return true
		}
	}
	return false
}

const maxAttributes = 64

type scanner struct {
	in   string
	pos  int
	line int
}

// next gives the next tag; comments, processing instructions, CDATA and a document type are passed over.
func (s *scanner) next() (tag, error) {
	var text strings.Builder
	for {
		i := strings.IndexByte(s.in[s.pos:], '<')
		if i < 0 {
			s.advance(len(s.in) - s.pos)
			return tag{kind: endOfInput, line: s.line}, nil
		}
		text.WriteString(unescape(s.in[s.pos : s.pos+i]))
		s.advance(i)
		rest := s.in[s.pos:]
		switch {
		case strings.HasPrefix(rest, "<!--"):
			if !s.past("-->") {
				return s.cutOff()
			}
		case strings.HasPrefix(rest, "<![CDATA["):
			if end := strings.Index(rest, "]]>"); end > 0 {
				text.WriteString(rest[len("<![CDATA["):end])
			}
			if !s.past("]]>") {
				return s.cutOff()
			}
		case strings.HasPrefix(rest, "<?"):
			if !s.past(">") {
				return s.cutOff()
			}
		case strings.HasPrefix(rest, "<!"):
			if err := s.doctype(); err != nil {
				return tag{}, err
			}
		case len(rest) > 1 && (rest[1] == '/' || isNameByte(rest[1])):
			t, ok := s.tag()
			if !ok {
				return s.cutOff()
			}
			t.text = text.String()
			return t, nil
		default: // a stray less-than sign in text
			text.WriteByte('<')
			s.advance(1)
		}
	}
}

// doctype passes over a document type without internal subset. One with a subset can only declare
// entities or attributes, which no list needs and attacks do.
func (s *scanner) doctype() error {
	rest := s.in[s.pos:]
	end := strings.IndexAny(rest, "[>")
	if end >= 0 && rest[end] == '[' {
		return fault.Newf(fault.Invalid, "opml_entities", "The file declares XML entities (line %d); such files are not imported.", s.line)
	}
	if end < 0 {
		_, err := s.cutOff()
		return err
	}
	s.advance(end + 1)
	return nil
}

func (s *scanner) cutOff() (tag, error) {
	s.advance(len(s.in) - s.pos)
	return tag{}, fault.Newf(fault.Invalid, "opml_truncated",
		"The file is cut off: it ends inside a tag or comment at line %d. Nothing was imported.", s.line)
}

func (s *scanner) advance(n int) {
	s.line += strings.Count(s.in[s.pos:s.pos+n], "\n")
	s.pos += n
}

// past moves behind the next occurrence of mark.
func (s *scanner) past(mark string) bool {
	i := strings.Index(s.in[s.pos:], mark)
	if i < 0 {
		return false
	}
	s.advance(i + len(mark))
	return true
}

// tag reads the tag at pos; false when the input ends inside it.
func (s *scanner) tag() (tag, bool) {
	t := tag{kind: startTag, line: s.line}
	i := s.pos + 1
	if s.in[i] == '/' {
		t.kind = endTag
		i++
	}
	start := i
	for i < len(s.in) && isNameByte(s.in[i]) {
		i++
	}
	t.name = strings.ToLower(s.in[start:i])
	t.name = t.name[strings.LastIndexByte(t.name, ':')+1:]
	for i < len(s.in) {
		switch c := s.in[i]; {
		case c == '>':
			s.advance(i + 1 - s.pos)
			return t, true
		case c == '/':
			t.empty = t.kind == startTag && i+1 < len(s.in) && s.in[i+1] == '>'
			i++
		case isNameByte(c):
			var a attribute
			var ok bool
			if a, i, ok = s.attribute(i); !ok {
				return t, false
			}
			if len(t.attrs) < maxAttributes {
				t.attrs = append(t.attrs, a)
			}
		default:
			i++
		}
	}
	return t, false
}

// attribute reads name, equals sign and value at i: quoted, bare, or missing.
func (s *scanner) attribute(i int) (a attribute, next int, ok bool) {
	start := i
	for i < len(s.in) && isNameByte(s.in[i]) {
		i++
	}
	a.name = s.in[start:i]
	j := s.skipSpace(i)
	if j >= len(s.in) || s.in[j] != '=' {
		return a, i, i < len(s.in)
	}
	i = s.skipSpace(j + 1)
	if i >= len(s.in) {
		return a, i, false
	}
	if q := s.in[i]; q == '"' || q == '\'' {
		end := strings.IndexByte(s.in[i+1:], q)
		if end < 0 {
			return a, i, false
		}
		a.value = unescape(s.in[i+1 : i+1+end])
		return a, i + end + 2, true
	}
	end := strings.IndexAny(s.in[i:], " \t\r\n>")
	if end < 0 {
		return a, i, false
	}
	a.value = unescape(strings.TrimSuffix(s.in[i:i+end], "/"))
	if strings.HasSuffix(s.in[i:i+end], "/") {
		end--
	}
	return a, i + end, true
}

func (s *scanner) skipSpace(i int) int {
	for i < len(s.in) && strings.IndexByte(" \t\r\n", s.in[i]) >= 0 {
		i++
	}
	return i
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || strings.IndexByte("_:.-", c) >= 0
}

// unescape decodes references that end in a semicolon, XML's and HTML's; every other ampersand is text,
// so that "?a=1&copy=2" stays an address.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), 40)], ';')
		if end < 0 || strings.ContainsAny(s[1:end], "& \t\r\n\"'<>=") {
			b.WriteByte('&')
			s = s[1:]
			continue
		}
		char := html.UnescapeString(s[:end+1])
		if strings.HasSuffix(char, ";") && s[:end+1] != "&semi;" && s[:end+1] != "&#59;" {
			char = s[:end+1] // unknown, or known only in part ("&notit;")
		}
		b.WriteString(char)
		s = s[end+1:]
	}
	b.WriteString(s)
	return b.String()
}

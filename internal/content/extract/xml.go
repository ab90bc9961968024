package extract

import "bytes"

// tag is a start tag: b[open] is its '<', the name follows, attributes lie in b[nameEnd:attrEnd], and
// the content begins at body. Self-closing tags have no content.
type tag struct {
	open, nameEnd, attrEnd, body int
	self                         bool
}

// node is an element whose content is b[body:bodyEnd] and which ends before b[end].
type node struct {
	kind         elem
	tag          tag
	bodyEnd, end int
}

// maxMismatch is the number of elements without an end tag after which an item, or the channel, is
// given up: it bounds the work on hostile nesting.
const maxMismatch = 8

// nameEnds marks the bytes that end a tag's name.
var nameEnds = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '/': true, '>': true, '<': true, '\f': true}

// startTag reads the start tag at b[i] == '<'; ok is false when the document ends inside it or no name follows.
func (s *scanner) startTag(i int) (t tag, ok bool) {
	b := s.b
	j := i + 1
	for j < len(b) && !nameEnds[b[j]] {
		j++
	}
	if j >= len(b) || j == i+1 {
		return t, false
	}
	t = tag{open: i, nameEnd: j}
	if b[j] == '>' {
		t.attrEnd, t.body = j, j+1
		return t, true
	}
	if t.attrEnd, t.body, ok = s.tagEnd(j); !ok {
		return t, false
	}
	if e := t.attrEnd; e > j && b[e-1] == '/' {
		t.attrEnd, t.self = e-1, true
	}
	return t, true
}

// tagEnd finds the '>' that ends a tag, not looking inside quoted values, and where the content begins. A
// quote that never closes, or a '<' before the end, is damage: the next '>', or that '<', is taken for the
// end and the structure held to be in doubt.
func (s *scanner) tagEnd(i int) (attrEnd, body int, ok bool) {
	b := s.b
	for j := i; j < len(b); j++ {
		switch b[j] {
		case '>':
			return j, j + 1, true
		case '"', '\'':
			k := bytes.IndexByte(b[j+1:], b[j])
			if k < 0 {
				s.doubt()
				g := bytes.IndexByte(b[j:], '>')
				return j + g, j + g + 1, g >= 0
			}
			j += k + 1
		case '<':
			s.doubt()
			return j, j, true
		}
	}
	return 0, 0, false
}

// element finds the end of the element that n.tag starts. Elements inside it are skipped without
// looking at their nesting, so unescaped HTML with unclosed tags does no harm. found is false when its
// end tag does not come before the end of what encloses it (then the element is taken to reach to the
// next tag) or before the end of the document (then n.end is -1).
func (s *scanner) element(n *node) (found bool) {
	t := &n.tag
	n.bodyEnd, n.end = t.body, t.body
	if t.self {
		return true
	}
	b, depth := s.b, 0
	name := b[t.open+1 : t.nameEnd]
	first := -1
	for i := t.body; ; {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 || i+j+1 >= len(b) {
			n.end = -1
			return false
		}
		i += j
		if first < 0 && b[i+1] != '!' {
			first = i
		}
		switch c := b[i+1]; {
		case c == '/':
			rest := b[i+2:]
			if hasName(rest, name) {
				if depth == 0 {
					n.bodyEnd, n.end = i, s.pastTag(i, len(name))
					return n.end > 0
				}
				depth--
			} else if isContainer(rest) {
				n.bodyEnd, n.end = first, first
				return false
			}
			i += 2
		case c == '!' || c == '?':
			if i = s.pastMarkup(i); i < 0 {
				n.end = -1
				return false
			}
		default:
			rest := b[i+1:]
			if hasName(rest, name) {
				if u, ok := s.startTag(i); ok && !u.self {
					depth++
				}
			} else if isItemStart(rest) {
				n.bodyEnd, n.end = first, first
				return false
			}
			i++
		}
	}
}

// pastMarkup skips a CDATA section, comment, declaration or processing instruction at b[i]; -1 when
// the document ends inside it.
func (s *scanner) pastMarkup(i int) int {
	rest := s.b[i:]
	var open, end string
	switch {
	case bytes.HasPrefix(rest, cdataOpen):
		open, end = "<![CDATA[", "]]>"
	case bytes.HasPrefix(rest, []byte("<!--")):
		open, end = "<!--", "-->"
	case rest[1] == '?':
		open, end = "<?", "?>"
	default:
		return s.pastDeclaration(i)
	}
	k := bytes.Index(rest[len(open):], []byte(end))
	if k < 0 {
		return -1
	}
	return i + len(open) + k + len(end)
}

// pastDeclaration skips a DOCTYPE with its internal subset; only dtd.go reads that.
func (s *scanner) pastDeclaration(i int) int {
	b := s.b
	depth := 0
	for j := i + 2; j < len(b); j++ {
		switch b[j] {
		case '[':
			depth++
		case ']':
			depth--
		case '"', '\'':
			k := bytes.IndexByte(b[j+1:], b[j])
			if k < 0 {
				return -1
			}
			j += k + 1
		case '>':
			if depth <= 0 {
				return j + 1
			}
		case '<':
			if bytes.HasPrefix(b[j:], []byte("<!--")) {
				k := bytes.Index(b[j:], []byte("-->"))
				if k < 0 {
					return -1
				}
				j += k + 2
			}
		}
	}
	return -1
}

// pastTag returns the position after the '>' of an end tag at b[i], whose name has n bytes; -1 when there is
// none.
func (s *scanner) pastTag(i, n int) int {
	if e := i + len("</") + n; e < len(s.b) && s.b[e] == '>' {
		return e + 1
	}
	k := bytes.IndexByte(s.b[i:], '>')
	if k < 0 {
		return -1
	}
	return i + k + 1
}

var cdataOpen = []byte("<![CDATA[")

// hasName reports whether b begins with a tag name and its end.
func hasName(b, name []byte) bool {
	return len(b) > len(name) && bytes.HasPrefix(b, name) && nameEnds[b[len(name)]]
}

// isContainer reports whether an end tag's name is that of an item or of a container of items; no element of an item
// can hold it, whatever the prefix.
func isContainer(b []byte) bool {
	switch string(localName(b)) {
	case "item", "entry", "channel", "feed", "rss", "RDF":
		return true
	}
	return false
}

func isItemStart(b []byte) bool {
	name := localName(b)
	return string(name) == "item" || string(name) == "entry"
}

// localName returns the name at the start of b without prefix; nil if it is longer than any name asked for.
func localName(b []byte) []byte {
	start := 0
	for i := 0; i < len(b) && i < 24; i++ {
		if b[i] == ':' {
			start = i + 1
		} else if nameEnds[b[i]] {
			return b[start:i]
		}
	}
	return nil
}

// attrs walks over the attributes of a tag.
type attrs struct{ b []byte }

// next returns the next attribute, its value still encoded. Values without quotes are read as HTML does.
func (a *attrs) next() (name, value []byte, ok bool) {
	b := a.b
	i := 0
	for i < len(b) && (b[i] <= ' ' || b[i] == '/') {
		i++
	}
	start := i
	for i < len(b) && b[i] > ' ' && b[i] != '=' {
		i++
	}
	if i == start {
		if i >= len(b) {
			a.b = nil
			return nil, nil, false
		}
		i++ // a stray '='
	}
	name = b[start:i]
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	if i >= len(b) || b[i] != '=' {
		a.b = b[i:]
		return name, nil, true
	}
	i++
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	if i < len(b) && (b[i] == '"' || b[i] == '\'') {
		k := bytes.IndexByte(b[i+1:], b[i])
		if k < 0 {
			k = len(b) - i - 1
		}
		value = b[i+1 : i+1+k]
		a.b = b[min(i+k+2, len(b)):]
		return name, value, true
	}
	start = i
	for i < len(b) && b[i] > ' ' {
		i++
	}
	a.b = b[i:]
	return name, b[start:i], true
}

// attr returns one attribute's value, still encoded, or nil.
func (s *scanner) attr(t tag, name string) []byte {
	a := attrs{s.b[t.nameEnd:t.attrEnd]}
	for {
		n, v, ok := a.next()
		if !ok {
			return nil
		}
		if string(n) == name {
			return v
		}
	}
}

// doubt records that the structure cannot be relied on.
func (s *scanner) doubt() { s.uncertain = true }

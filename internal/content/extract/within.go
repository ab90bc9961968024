package extract

import "bytes"

// junkReach bounds the place of the root in a document: behind warnings of PHP, scripts that a host puts in front, the
// head of a page around the feed.
const junkReach = 8 << 10

// feedWithin finds the first root of a feed among other markup. One that a page quotes, or keeps in a script, is no
// root.
func (s *scanner) feedWithin() (at int, ok bool) {
	defer func() { s.uncertain = false }()
	end := min(len(s.b), junkReach)
	for i := 0; i < end; {
		k := bytes.IndexByte(s.b[i:end], '<')
		if k < 0 || i+k+1 >= len(s.b) {
			return 0, false
		}
		i += k
		switch s.b[i+1] {
		case '!', '?':
			if i = s.pastMarkup(i); i < 0 {
				return 0, false
			}
			continue
		case '/':
			i += 2
			continue
		}
		t, ok := s.startTag(i)
		if !ok {
			i++
			continue
		}
		if s.isFeedRoot(t) {
			return i, true
		}
		i = t.body
		if name := bytes.ToLower(s.b[t.open+1 : t.nameEnd]); quotes(name) && !t.self {
			n := endOfRaw(s.b[i:], name)
			if n < 0 {
				return 0, false
			}
			i += n
		}
	}
	return 0, false
}

// quotes names elements that hold the source of something, or another language.
func quotes(name []byte) bool {
	switch string(name) {
	case "pre", "code", "xmp", "listing", "plaintext", "samp", "kbd", "blockquote", "noscript":
		return true
	}
	return dropsContent(name) && string(name) != "head"
}

// isFeedRoot is stricter than root: a page may have an element of such a name.
func (s *scanner) isFeedRoot(t tag) bool {
	name := s.b[t.open+1 : t.nameEnd]
	space := "xmlns"
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		space += ":" + string(name[:i])
	}
	var low [16]byte
	switch string(lowerName(low[:0], name)) {
	case "rss":
		return s.attr(t, "version") != nil || bytes.Contains(s.b[t.nameEnd:t.attrEnd], []byte("xmlns"))
	case "rdf": // RDF has many other uses
		attrs := s.b[t.nameEnd:t.attrEnd]
		return bytes.Contains(attrs, []byte("purl.org/rss/1.0")) || bytes.Contains(attrs, []byte("netscape.com/rdf"))
	case "feed":
		return spaceOfURI(string(s.attr(t, space))) == spaceAtom
	}
	return false
}

// jsonWithin finds a JSON Feed behind a prefix: what keeps other sites from running the answer as a script, the name of
// a function around it, a warning.
func (s *scanner) jsonWithin() (at int, ok bool) {
	if !bytes.Contains(s.b, []byte("jsonfeed.org")) {
		return 0, false
	}
	end := min(len(s.b), junkReach)
	for i, tries := 0, 0; i < end && tries < 8; i, tries = i+1, tries+1 {
		k := bytes.IndexByte(s.b[i:end], '{')
		if k < 0 {
			break
		}
		i += k
		if bytes.Contains(jsonMemberOf(s.b[i:], jsonMemberNames[jmVersion]), []byte("jsonfeed.org")) {
			return i, true
		}
	}
	return 0, false
}

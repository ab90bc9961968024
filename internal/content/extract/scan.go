package extract

import (
	"bytes"
	"net/url"
)

// scanner is the state of one pass. b never changes; nodes and the scratch buffers are used again for
// every item.
type scanner struct {
	b    []byte
	o    Options
	feed *Feed

	// XML: what prefixes mean, where addresses are relative to
	native     space // namespace of the document's own format
	rootName   []byte
	rootPrefix []byte
	prefixes   []declaredPrefix
	base       string // xml:base of the channel, resolved; else the feed's address
	xmlBase    string // xml:base alone, "" without one: links of identity are resolved against it
	site       string // the channel's link, when it is absolute
	siteLate   bool   // it came after items
	relative   bool   // a relative address was met
	itemBase   string
	itemXML    string
	baseText   string
	baseURL    *url.URL

	item     located
	nodes    []node // XML: children of the item located last
	unclosed bool   // it had no end tag of its own
	entry    bool   // the document is a single Atom entry
	wrapped  bool   // JSON: the feed was found within the document
	scratch  []byte
	body     []byte
	aside    []byte // what stands beside the text in body, if that is a whole one
	html     []byte

	seen       map[uint64]bool
	shared     map[uint64]bool // identities that several items have
	distinct   map[uint64]bool // identities of those items
	later      []record        // items beyond MaxItems, not decoded yet
	strs       []string
	encs       []Enclosure
	uncertain  bool
	outside    error // the kind of the document, if the feed found within it is none
	mismatches int
	firstDoubt int
}

func newScanner(doc []byte, baseURL string, o Options) *scanner {
	return &scanner{
		b: doc, o: o, base: baseURL, feed: &Feed{}, nodes: make([]node, 0, 24), seen: map[uint64]bool{},
		scratch: make([]byte, 0, 2048), body: make([]byte, 0, 1024),
	}
}

// beginning is the position of the root.
type beginning struct {
	json bool
	at   int // of '{', or of the root's '<'
	root tag
}

// begin finds the root of the document: the first one, or behind what does not belong there the first that is a feed's.
func (s *scanner) begin() (beginning, error) {
	start, err := s.firstRoot()
	if err == nil {
		return start, nil
	}
	s.rootPrefix, s.uncertain, s.outside = nil, false, err
	if at, ok := s.feedWithin(); ok {
		s.b = s.b[at:]
		if t, ok := s.startTag(0); ok {
			return s.root(t)
		}
	}
	if at, ok := s.jsonWithin(); ok {
		s.b = s.b[at:]
		return beginning{json: true}, nil
	}
	return beginning{}, err
}

// firstRoot skips what may precede the root, and distinguishes feeds from web pages and binary data.
func (s *scanner) firstRoot() (beginning, error) {
	b := s.b
	i := 0
	for i < len(b) && (b[i] <= ' ' && b[i] != 0) {
		i++
	}
	if i < len(b) && b[i] == '{' {
		return beginning{json: true, at: i}, nil
	}
	if i < len(b) && b[i] == '[' {
		return beginning{}, &Error{Code: CodeBadJSON, Line: s.line(i)}
	}
	if i < len(b) && b[i] != '<' && bytes.IndexByte(b[:min(len(b), 512)], 0) >= 0 {
		return beginning{}, &Error{Code: CodeBinary, Line: s.line(bytes.IndexByte(b, 0))}
	}
	lead, htmlDoctype := i, false
	for {
		k := bytes.IndexByte(b[i:], '<')
		if k < 0 || i+k+1 >= len(b) || i-lead == 0 && k > 4096 {
			return beginning{}, s.notAFeed(lead)
		}
		i += k
		if b[i+1] == '!' || b[i+1] == '?' {
			htmlDoctype = htmlDoctype || isHTMLDoctype(b[i:])
			if i = s.pastMarkup(i); i < 0 {
				return beginning{}, &Error{Code: CodeTruncated, Line: s.line(len(b))}
			}
			continue
		}
		t, ok := s.startTag(i)
		if !ok {
			return beginning{}, s.notAFeed(i)
		}
		start, err := s.root(t)
		if err != nil && htmlDoctype {
			err = s.htmlPage(i)
		}
		return start, err
	}
}

// root decides by the name of the first element.
func (s *scanner) root(t tag) (beginning, error) {
	name := s.b[t.open+1 : t.nameEnd]
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		s.rootPrefix, name = name[:i], name[i+1:]
	}
	var low [16]byte
	switch string(lowerName(low[:0], name)) {
	case "rss", "channel":
		s.feed.Format, s.native = RSS, spaceRSS
	case "rdf":
		s.feed.Format, s.native = RDF, spaceRSS
	case "feed":
		s.feed.Format, s.native = Atom, spaceAtom
	case "entry": // Atom allows a document of one entry (RFC 4287, 2)
		space := "xmlns"
		if s.rootPrefix != nil {
			space += ":" + string(s.rootPrefix)
		}
		if spaceOfURI(string(s.attr(t, space))) != spaceAtom {
			return beginning{}, s.notAFeed(t.open)
		}
		s.feed.Format, s.native, s.entry = Atom, spaceAtom, true
	case "html", "head", "body", "script", "div", "meta", "title":
		return beginning{}, s.htmlPage(t.open)
	default:
		return beginning{}, s.notAFeed(t.open)
	}
	s.rootName = s.b[t.open+1 : t.nameEnd]
	return beginning{at: t.open, root: t}, nil
}

func isHTMLDoctype(b []byte) bool {
	const doctype = "<!doctype"
	if len(b) < len(doctype)+5 || !bytes.EqualFold(b[:len(doctype)], []byte(doctype)) {
		return false
	}
	rest := bytes.TrimSpace(b[len(doctype):min(len(b), 64)])
	return len(rest) >= 4 && bytes.EqualFold(rest[:4], []byte("html"))
}

func (s *scanner) htmlPage(at int) error {
	return &Error{Code: CodeHTML, Line: s.line(at)}
}

// notAFeed describes a body that begins like no feed; bytes that are no text get their own code.
func (s *scanner) notAFeed(at int) error {
	controls := 0
	for _, c := range s.b[:min(len(s.b), 1024)] {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			controls++
		}
	}
	if controls > 8 {
		return &Error{Code: CodeBinary, Line: 1}
	}
	return &Error{Code: CodeNotAFeed, Line: s.line(at)}
}

// line returns the line number of a position, from 1.
func (s *scanner) line(at int) int {
	return 1 + bytes.Count(s.b[:max(0, min(at, len(s.b)))], []byte("\n"))
}

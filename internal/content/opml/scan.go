package opml

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/fault"
)

type tagKind uint8

const (
	startTag tagKind = iota
	endTag
	endOfInput
)

// tag is one tag of the document, with the text that stood before it.
type tag struct {
	kind  tagKind
	name  string            // in lower case, without namespace prefix
	attrs map[string]string // names in lower case; of several attributes by one name the first
	empty bool              // closed in itself
	text  string
	line  int
}

const maxAttributes = 64

// scanner reads the tags of a list. The HTML tokenizer reads the lists in the wild, for which encoding/xml is too
// strict: it refuses "<" and, unless configured otherwise, bare "&" in attributes.
type scanner struct {
	z    *html.Tokenizer
	line int
}

// reference matches a character reference that ends in a semicolon, or a bare ampersand.
var reference = pattern.New(`&(#?[0-9A-Za-z]{1,38};)?`)

func newScanner(text string) *scanner {
	// HTML also decodes references without a semicolon, but "?a=1&copy" must stay an address.
	text = reference.ReplaceAllStringFunc(text, func(ref string) string {
		if ref == "&" {
			return "&amp;"
		}
		return ref
	})
	z := html.NewTokenizer(strings.NewReader(text))
	z.AllowCDATA(true)
	return &scanner{z: z, line: 1}
}

// next returns the next tag; comments, processing instructions and a document type are skipped.
func (s *scanner) next() (tag, error) {
	var text strings.Builder
	for {
		kind := s.z.Next()
		raw := s.z.Raw()
		line := s.line
		s.line += bytes.Count(raw, []byte("\n"))
		switch kind {
		case html.ErrorToken:
			return tag{kind: endOfInput, line: s.line}, nil
		case html.TextToken:
			text.Write(s.z.Text())
		case html.DoctypeToken, html.CommentToken:
			// A document type with an internal subset can only declare entities or attributes, which no list needs and
			// attacks do.
			if bytes.HasPrefix(raw, []byte("<!")) && !bytes.HasPrefix(raw, []byte("<!--")) &&
				bytes.IndexByte(raw, '[') >= 0 {
				return tag{}, fault.Coded(fault.Invalid, "opml_entities", line)
			}
		default:
			t := s.tag(kind)
			t.text, t.line = text.String(), line
			return t, nil
		}
	}
}

// tag reads the tag that the tokenizer stands at.
func (s *scanner) tag(kind html.TokenType) tag {
	s.z.NextIsNotRawText()
	empty := bytes.HasSuffix(s.z.Raw(), []byte("/>"))
	name, more := s.z.TagName()
	t := tag{name: string(name[bytes.LastIndexByte(name, ':')+1:]), empty: empty}
	if kind == html.EndTagToken {
		t.kind = endTag
		return t
	}
	for more {
		var key, value []byte
		key, value, more = s.z.TagAttr()
		if !more && empty && kind == html.StartTagToken { // HTML counts the slash to a value without quotes
			value = bytes.TrimSuffix(value, []byte("/"))
		}
		if _, twice := t.attrs[string(key)]; twice || len(t.attrs) >= maxAttributes {
			continue
		}
		if t.attrs == nil {
			t.attrs = map[string]string{}
		}
		t.attrs[string(key)] = string(value)
	}
	return t
}

package parse

import (
	"bytes"
	"cmp"
	"html"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// maxDepth is the deepest nesting of elements that is handed to the full parser.
const maxDepth = 256

// frame is the markup around the items: the start tags open at the first of them.
type frame struct {
	head, tail []byte
	base       string // the xml:base in force inside
}

// frame reads the start tags that enclose the first item. Everything else of the channel is left out.
func (d *Document) frame() frame {
	var open []tag
	for i := 0; ; {
		t, ok := nextTag(d.text, i)
		if !ok {
			return frame{}
		}
		i = t.end
		switch {
		case t.close:
			for k := len(open) - 1; k >= 0; k-- {
				if open[k].name == t.name {
					open = open[:k]
					break
				}
			}
			continue
		case t.name == "item" || t.name == "entry":
			return d.frameOf(open)
		case !t.empty && len(open) < maxDepth:
			open = append(open, t)
		}
	}
}

func (d *Document) frameOf(open []tag) frame {
	if len(open) == 0 && d.feed.Format == extract.Atom { // a document of one entry
		return frame{head: []byte(`<feed xmlns="http://www.w3.org/2005/Atom">`), tail: []byte("</feed>")}
	}
	f := frame{}
	channel := d.feed.Format == extract.Atom
	var tail []string
	for _, t := range open {
		f.base = baseIn(f.base, d.text, t, d.baseURL)
		raw := bytes.Clone(d.text[t.start:t.end])
		if _, at := t.attr(d.text, "xml:base"); at >= 0 {
			hide(raw, at-t.start, nowhere)
		}
		f.head = append(f.head, raw...)
		name := d.text[t.start+1 : t.attrs]
		tail = append(tail, "</"+string(name)+">")
		channel = channel || t.name == "channel"
	}
	if !channel { // RSS 0.90 and 1.0 have items outside the channel; gofeed requires one
		f.head = append(f.head, "<channel></channel>"...)
	}
	for i := len(tail) - 1; i >= 0; i-- {
		f.tail = append(f.tail, tail[i]...)
	}
	return f
}

// inner is the markup between a child of the item and its end tag, in which the base around counts.
func inner(raw []byte, t tag, around string) string {
	name := string(raw[t.start+1 : t.attrs])
	end := bytes.Index(raw[t.end:], []byte("</"+name+">"))
	if t.empty || end < 0 {
		return ""
	}
	in := strings.TrimSpace(string(raw[t.end : t.end+end]))
	if text, ok := strings.CutPrefix(in, "<![CDATA["); ok {
		return strings.TrimSuffix(text, "]]>")
	}
	if !strings.Contains(in, "<") {
		return html.UnescapeString(in)
	}
	return rebase(withoutPrefix(in), around)
}

// notes are properties of an item's texts that gofeed does not return.
type notes struct {
	base             string // in force in the item
	content, summary construct
	body             *tag   // an element of XHTML in RSS, which gofeed does not read
	inline           string // its markup
	tooDeep          bool
}

// construct is the encoding of a text (RFC 4287, 3.1; Atom 0.3, 3.1).
type construct struct {
	kind, mode string // attributes type and mode, in lower case
	base       string // its own, "" when none
	around     string // the base in force at its beginning
}

func (c construct) isXHTML() bool { return strings.Contains(c.kind, "xhtml") || c.mode == "xml" }

// annotate reads the notes of one item, given as a copy of its element, and hides every xml:base in it.
func annotate(raw []byte, base, document string) notes {
	n := notes{base: base}
	depth := 0
	for i := 0; ; {
		t, ok := nextTag(raw, i)
		if !ok {
			if n.body != nil {
				n.inline = inner(raw, *n.body, n.content.around)
			}
			return n
		}
		i = t.end
		if t.close {
			depth--
			continue
		}
		if depth == 0 {
			n.base = baseIn(base, raw, t, document)
		}
		if depth == 1 {
			n.field(raw, t, document)
		}
		for { // all of them: a div of XHTML may have its own
			_, at := t.attr(raw, "xml:base")
			if at < 0 {
				break
			}
			hide(raw, at, inside)
		}
		if !t.empty {
			if depth++; depth > maxDepth {
				n.tooDeep = true
				return n
			}
		}
	}
}

// field notes how a child of the item is written; of several the first counts, as in gofeed.
func (n *notes) field(raw []byte, t tag, document string) {
	var c *construct
	switch t.name {
	case "body", "div":
		if n.body == nil {
			n.body = &t
		}
		c = &n.content
	case "content", "encoded":
		c = &n.content
	case "summary", "description", "tagline":
		c = &n.summary
	default:
		return
	}
	if c.kind != "" || c.base != "" {
		return
	}
	kind, _ := t.attr(raw, "type")
	mode, _ := t.attr(raw, "mode")
	c.kind, c.mode = extract.MediaType(kind), strings.ToLower(mode)
	own := baseIn(n.base, raw, t, document)
	if c.isXHTML() {
		if first, ok := nextTag(raw, t.end); ok && !first.close {
			own = baseIn(own, raw, first, document) // the div that RFC 4287 asks for; gofeed takes it off at times
			if _, at := first.attr(raw, "xml:base"); at >= 0 {
				hide(raw, at, nowhere)
			}
		}
	}
	if c.around = cmp.Or(own, document); own != n.base {
		c.base = own
	}
}

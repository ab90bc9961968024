// Package formula reads formulas that publishers write in MathML, and gives them back as harmless markup or as one line
// of text.
//
// What is kept is the presentation part of MathML Core by a fixed list: token elements hold text alone, and there are
// no links, actions, annotations or glyphs, so that a browser cannot read the markup in another way than it was
// written. Everything else of a formula becomes text.
package formula

import (
	"strings"

	"golang.org/x/net/html"
)

// Limits of one formula; anything beyond them becomes text or is left out.
const (
	maxNodes = 4096
	maxDepth = 48
	maxText  = 32 << 10
	maxAttrs = 16
)

// node is an element, or a text if it has no name.
type node struct {
	name     string
	attrs    []html.Attribute
	text     string // one line, once the element is closed
	children []*node
	old      string // its name in older MathML, until it is closed
}

// Formula is a formula as it was read.
type Formula struct {
	root    *node
	tex     string // as a copy of the formula in TeX
	alt     string // as its alternative text
	nodes   int
	depth   int  // the deepest nesting of elements
	isOther bool // it has elements that are not of the presentation part
}

// kinds of elements
const (
	kindToken  = 1 + iota // its content is text
	kindLayout            // its content is elements
)

// elements are those of MathML Core that are kept.
var elements = map[string]int{
	"mi": kindToken, "mn": kindToken, "mo": kindToken, "mtext": kindToken, "ms": kindToken,
	"mrow": kindLayout, "mfrac": kindLayout, "msqrt": kindLayout, "mroot": kindLayout, "mstyle": kindLayout,
	"merror":  kindLayout,
	"mpadded": kindLayout, "mphantom": kindLayout, "msub": kindLayout, "msup": kindLayout, "msubsup": kindLayout,
	"munder": kindLayout,
	"mover":  kindLayout, "munderover": kindLayout, "mmultiscripts": kindLayout, "mprescripts": kindLayout,
	"none":   kindLayout,
	"mtable": kindLayout, "mtr": kindLayout, "mtd": kindLayout, "mspace": kindLayout,
}

// replaced are elements of older MathML with the one that is written in their place.
var replaced = map[string]string{"semantics": "mrow", "menclose": "mrow", "mfenced": "mrow", "maction": "mrow",
	"mlabeledtr": "mtr", "mstack": "mrow", "math": "mrow"}

// Break is a tag of HTML at which a formula ended that was never closed. The tokenizer stands at its attributes.
type Break struct {
	Name                          string
	HasAttr, IsSelfClosing, IsEnd bool
}

// breaking are elements of HTML whose tags end a formula, as they do in browsers.
var breaking = set("p div ul ol li dl dt dd table tr td th tbody thead tfoot blockquote pre h1 h2 h3 h4 h5 h6 hr img " +
	"figure body html section article header footer main")

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// Local is a tag's name without the prefix of a namespace, as feeds made by XML tools have it.
func Local(name string) string {
	return name[strings.LastIndexByte(name, ':')+1:]
}

// IsMath reports whether a tag is that of a formula.
func IsMath(name string) bool { return name == "math" || strings.HasSuffix(name, ":math") }

// Read reads a formula, after its start tag, which had these attributes. The second result is the tag that ended it, if
// that was not its own.
func Read(z *html.Tokenizer, attrs []html.Attribute, selfClosing bool) (*Formula, *Break) {
	f := &Formula{root: &node{name: "math", attrs: attrs}}
	f.alt = oneLine(value(f.root.attrs, "alttext"))
	if selfClosing {
		return f, nil
	}
	p := parser{f: f, open: []*node{f.root}}
	defer p.closeTo(1)
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return f, nil
		case html.TextToken:
			p.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			raw, has := z.TagName()
			name := string(raw)
			if breaking[name] && p.skip == "" {
				return f, &Break{name, has, tt == html.SelfClosingTagToken, false}
			}
			z.NextIsNotRawText()
			var attrs []html.Attribute
			if has {
				attrs = Attributes(z)
			}
			p.start(Local(name), attrs, tt == html.SelfClosingTagToken)
		case html.EndTagToken:
			raw, _ := z.TagName()
			name := string(raw)
			if breaking[name] && p.skip == "" {
				return f, &Break{Name: name, IsEnd: true}
			}
			if IsMath(name) && p.nested == 0 {
				return f, nil
			}
			p.end(Local(name))
		}
	}
}

type parser struct {
	f      *Formula
	open   []*node
	skip   string // an element whose content is left out
	deep   int    // elements of that name that are open
	isTeX  bool   // the omitted part is TeX
	length int
	nested int // math elements within the formula
}

func (p *parser) start(name string, attrs []html.Attribute, selfClosing bool) {
	if name == "math" && !selfClosing {
		p.nested++
	}
	if p.skip != "" {
		if name == p.skip && !selfClosing {
			p.deep++
		}
		return
	}
	switch name {
	case "annotation", "annotation-xml":
		if !selfClosing {
			p.skip, p.deep = name, 1
			encoding := strings.ToLower(value(attrs, "encoding"))
			p.isTeX = name == "annotation" && (strings.Contains(encoding, "tex") || encoding == "")
		}
		return
	case "script", "style", "mglyph", "malignmark", "maligngroup":
		if name == "mglyph" {
			p.text(value(attrs, "alt"))
		} else if !selfClosing && (name == "script" || name == "style") {
			p.skip, p.deep, p.isTeX = name, 1, false
		}
		return
	}
	top := p.open[len(p.open)-1]
	out := name
	if r, ok := replaced[name]; ok {
		out = r
	}
	if elements[top.name] == kindToken { // markup within a text, such as <mtext><b>
		return
	}
	if elements[out] == 0 {
		p.f.isOther = true
		return
	}
	if p.f.nodes >= maxNodes || len(p.open) > maxDepth {
		p.f.isOther = true
		return
	}
	n := &node{name: out, attrs: kept(out, attrs)}
	p.f.nodes++
	top.children = append(top.children, n)
	if name == "mfenced" {
		n.attrs = attrs // for close
	}
	if name == "mfenced" || name == "maction" {
		n.old = name
	}
	p.f.depth = max(p.f.depth, len(p.open)+1)
	if selfClosing {
		p.close(n)
		return
	}
	p.open = append(p.open, n)
}

func (p *parser) end(name string) {
	if name == "math" {
		p.nested--
	}
	if p.skip != "" {
		if name == p.skip {
			if p.deep--; p.deep == 0 {
				p.skip = ""
			}
		}
		return
	}
	out := name
	if r, ok := replaced[name]; ok {
		out = r
	}
	for i := len(p.open) - 1; i > 0; i-- {
		if p.open[i].name == out {
			p.closeTo(i)
			return
		}
	}
}

// closeTo closes the open elements from index i on.
func (p *parser) closeTo(i int) {
	for len(p.open) > i {
		p.close(p.open[len(p.open)-1])
		p.open = p.open[:len(p.open)-1]
	}
}

// close cleans an element's text, and turns elements of older MathML into what they show.
func (p *parser) close(n *node) {
	n.text = oneLine(n.text)
	switch n.old {
	case "maction": // its children are alternatives
		n.children = n.children[:min(1, len(n.children))]
	case "mfenced":
		get := func(key, otherwise string) string {
			for _, a := range n.attrs {
				if a.Key == key {
					return strings.Join(strings.Fields(a.Val), "")
				}
			}
			return otherwise
		}
		separators := []rune(get("separators", ","))
		var row []*node
		mo := func(s string) {
			if s = oneLine(s); s != "" {
				row = append(row, &node{name: "mo", text: s})
			}
		}
		mo(get("open", "("))
		for i, c := range n.children {
			if i > 0 && len(separators) > 0 {
				mo(string(separators[min(i-1, len(separators)-1)]))
			}
			row = append(row, c)
		}
		mo(get("close", ")"))
		p.f.nodes += len(row)
		p.f.depth = max(p.f.depth, len(p.open)+2)
		n.children, n.attrs = row, nil
	default:
		return
	}
	n.old = ""
}

func (p *parser) text(s string) {
	if p.skip != "" {
		if p.isTeX && len(p.f.tex)+len(s) <= maxText {
			p.f.tex += s
		}
		return
	}
	top := p.open[len(p.open)-1]
	if p.length += len(s); p.length > maxText {
		return
	}
	if elements[top.name] == kindToken {
		top.text += s
		return
	}
	line := oneLine(s)
	if line == "" {
		return
	}
	p.f.nodes++
	p.f.depth = max(p.f.depth, len(p.open)+1)
	top.children = append(top.children, &node{name: "mtext", text: line})
}

const white = " \t\r\n\f"

// oneLine collapses white space, as MathML does.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.Map(printable, s), func(r rune) bool {
		return strings.ContainsRune(white, r)
	}), " ")
}

func printable(r rune) rune {
	if r < 0x20 && !strings.ContainsRune(white, r) || r >= 0x7F && r <= 0x9F || r == 0xFFFE || r == 0xFFFF {
		return -1
	}
	return r
}

// Attributes reads those of the tag that the tokenizer stands at.
func Attributes(z *html.Tokenizer) []html.Attribute {
	var attrs []html.Attribute
	for more := true; more; {
		var key, val []byte
		key, val, more = z.TagAttr()
		if len(attrs) < maxAttrs && len(val) <= 4<<10 {
			attrs = append(attrs, html.Attribute{Key: string(key), Val: string(val)})
		}
	}
	return attrs
}

func value(attrs []html.Attribute, key string) string {
	for _, a := range attrs {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

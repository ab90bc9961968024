package listing

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readJSONLD reads the list, or the things, that data in JSON-LD describes.
func (d *document) readJSONLD(p *Page) {
	var s shapes
	d.walkJSONLD(&s)
	d.readShapes(&s, p)
}

func (d *document) walkJSONLD(s *shapes) {
	for _, n := range d.scripts() {
		if !strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
			continue
		}
		if v := d.dataOf(n); v != nil {
			s.walk(v)
		}
	}
}

// maxScripts is how many scripts of a page are looked at.
const maxScripts = 50

func (d *document) scripts() []*html.Node {
	var out []*html.Node
	for n := range d.root.Descendants() {
		if isElement(n, atom.Script) && n.FirstChild != nil && len(out) < maxScripts &&
			!strings.HasPrefix(n.FirstChild.Data, flightName) { // those are read together
			out = append(out, n)
		}
	}
	return out
}

// dataOf reads the JSON of an element: a script's whole text, the value that a script assigns to its first variable, or
// an attribute.
func (d *document) dataOf(n *html.Node) *value {
	if v, ok := d.jsonOf[n]; ok {
		return v
	}
	if d.jsonOf == nil {
		d.jsonOf = map[*html.Node]*value{}
	}
	text := strings.TrimLeft(dataText(n), " \t\r\n;")
	text = strings.TrimPrefix(text, "//<![CDATA[")
	text = strings.TrimPrefix(strings.TrimSpace(text), "<!--")
	v := parseDataOnPage(d, strings.TrimSpace(text))
	if v == nil {
		if _, after, ok := strings.Cut(text, "="); ok {
			v = parseDataOnPage(d, strings.TrimSpace(after))
		}
	}
	d.jsonOf[n] = v
	return v
}

// Limits of data in attributes: <div id="app" data-page="{…}">.
const (
	minAttrData = 300 // bytes; shorter ones tell of one thing
	maxAttrData = 4   // elements that are looked at, those with the longest
)

// withData lists the elements whose attributes have the most JSON.
func (d *document) withData() []*html.Node {
	var out []*html.Node
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && !isElement(n, atom.Script) && len(dataText(n)) >= minAttrData {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b *html.Node) int { return len(dataText(b)) - len(dataText(a)) })
	return out[:min(len(out), maxAttrData)]
}

// dataText returns the text of a script; of another element, its longest attribute that looks like JSON.
func dataText(n *html.Node) string {
	if isElement(n, atom.Script) {
		return scriptText(n)
	}
	longest := ""
	for i := range n.Attr {
		if v := n.Attr[i].Val; len(v) > len(longest) && (v[0] == '{' || v[0] == '[') {
			longest = v
		}
	}
	return longest
}

func scriptText(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// parseDataOnPage counts what it reads: a page has many scripts.
func parseDataOnPage(d *document, s string) *value {
	if s == "" || s[0] != '{' && s[0] != '[' || !d.steps.spend(len(s)/4) {
		return nil
	}
	v, ok := parseData(s)
	if !ok {
		return nil
	}
	if whole := unfold(v); whole != nil {
		return whole
	}
	return v
}

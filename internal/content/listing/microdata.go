package listing

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readMicrodata reads the things that attributes in the page describe.
func (d *document) readMicrodata(p *Page) {
	var s shapes
	d.walkMicrodata(&s)
	d.readShapes(&s, p)
}

func (d *document) walkMicrodata(s *shapes) {
	m := microdata{left: maxValues}
	root := value{kind: '['}
	m.children(d.root, &root, nil)
	s.walk(&root)
}

// microdata turns items into the values that JSON-LD would have.
type microdata struct{ left int }

// children reads below an element: properties go to the item around them, other items to the list.
func (m *microdata) children(n *html.Node, list, item *value) {
	for c := n.FirstChild; c != nil && m.left > 0; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		m.left--
		into := item
		if hasAttr(c, "itemscope") {
			v := value{kind: '{', names: []string{"@type"}, items: []value{{kind: '"', text: attr(c, "itemtype")}}}
			if id := attr(c, "itemid"); id != "" {
				v.set("@id", value{kind: '"', text: id})
			}
			m.children(c, list, &v)
			if v.first("url") == nil && isListable(&v) {
				v.set("url", value{kind: '"', text: linkOf(c)})
			}
			m.property(c, v, list, item)
			continue
		}
		if names := attr(c, "itemprop"); names != "" && item != nil {
			m.property(c, value{kind: '"', text: propertyOf(c)}, list, item)
		}
		m.children(c, list, into)
	}
}

// property adds a value to the item that it belongs to.
func (m *microdata) property(n *html.Node, v value, list, item *value) {
	names := strings.Fields(attr(n, "itemprop"))
	if item == nil || len(names) == 0 {
		if v.kind == '{' {
			list.items = append(list.items, v)
		}
		return
	}
	for _, name := range names[:min(len(names), maxMatches)] {
		if v.kind == '{' && isListable(&v) && !isA(&v, "Offer", "Demand") && name != "item" &&
			name != "itemListElement" {
			// a thing beside another, such as one that is recommended
			list.items = append(list.items, v)
			continue
		}
		item.set(name, v)
	}
}

// set adds a member; a second one of the same name makes an array, of which texts keep the first.
func (v *value) set(name string, m value) {
	old := v.get(name)
	switch {
	case old == nil:
		v.names, v.items = append(v.names, name), append(v.items, m)
	case m.kind != '{' && name != "itemListElement":
	case old.kind == '[':
		old.items = append(old.items, m)
	default:
		*old = value{kind: '[', items: []value{*old, m}}
	}
}

// propertyOf returns the value of a property, by the rules of microdata.
func propertyOf(n *html.Node) string {
	switch n.DataAtom {
	case atom.Meta:
		return attr(n, "content")
	case atom.Img, atom.Source:
		return imageOf(n)
	case atom.A, atom.Area, atom.Link:
		if prop := attr(n, "itemprop"); strings.Contains(prop, "name") || strings.Contains(prop, "headline") {
			return titleOf(n)
		}
		return attr(n, "href")
	case atom.Time:
		return dateOf(n)
	case atom.Data, atom.Meter:
		return attr(n, "value")
	}
	if v := attr(n, "content"); v != "" {
		return v
	}
	return titleOf(n)
}

package formula

import (
	"strings"

	"golang.org/x/net/html"
)

// Drawing collects what a drawing says: its name, else its texts. Drawings themselves are not shown, since they are
// documents that can carry scripts.
type Drawing struct {
	name, in string // in: the element that a text belongs to
	texts    []string
	size     int
	isHidden bool
}

// Start takes a start tag.
func (d *Drawing) Start(name string, attrs []html.Attribute) {
	if d.in = name; name == "svg" && d.name == "" {
		d.name = strings.TrimSpace(value(attrs, "aria-label"))
		role := value(attrs, "role")
		d.isHidden = d.isHidden || value(attrs, "aria-hidden") == "true" || role == "presentation" || role == "none"
	}
}

// Text takes a text.
func (d *Drawing) Text(s string) {
	s = strings.Join(strings.Fields(s), " ")
	if d.size += len(s); s == "" || d.size > maxDrawing {
		return
	}
	switch d.in {
	case "title":
		if d.name == "" {
			d.name = s
		}
	case "text", "tspan", "textpath":
		d.texts = append(d.texts, s)
	}
}

// Words is the text shown in place of the drawing.
func (d *Drawing) Words() string {
	switch {
	case d.isHidden:
		return ""
	case d.name != "":
		return d.name
	}
	return strings.Join(d.texts, " ")
}

// End takes an end tag: what follows a tspan belongs to its text.
func (d *Drawing) End() { d.in = "text" }

const maxDrawing = 2048 // bytes of a drawing's words

// DrawingText is the text of an svg element.
func DrawingText(svg string) string {
	var d Drawing
	z := html.NewTokenizer(strings.NewReader(svg))
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return d.Words()
		case html.TextToken:
			d.Text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, has := z.TagName()
			var attrs []html.Attribute
			if has {
				attrs = Attributes(z)
			}
			d.Start(string(name), attrs)
		case html.EndTagToken:
			d.End()
		}
	}
}

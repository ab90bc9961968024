package sanitize

import (
	"strings"

	"golang.org/x/net/html"
)

// drawing collects what a drawing says: its name, else its texts. Drawings themselves are not shown, since they are documents that can
// carry scripts.
type drawing struct {
	name, in string // in: the element that a text belongs to
	texts    []string
	size     int
	isHidden bool
}

func (d *drawing) start(name string, attrs []html.Attribute) {
	if d.in = name; name == "svg" && d.name == "" {
		d.name = strings.TrimSpace(text(attrs, "aria-label"))
		role := text(attrs, "role")
		d.isHidden = d.isHidden || text(attrs, "aria-hidden") == "true" || role == "presentation" || role == "none"
	}
}

func (d *drawing) text(s string) {
	s = strings.Join(strings.Fields(s), " ")
	if d.size += len(s); s == "" || d.size > maxText {
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

// words is what is shown in place of the drawing.
func (d *drawing) words() string {
	switch {
	case d.isHidden:
		return ""
	case d.name != "":
		return d.name
	}
	return strings.Join(d.texts, " ")
}

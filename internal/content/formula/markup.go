package formula

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// What attributes may hold.
var (
	length  = pattern.New(`^[+-]?[0-9]{0,4}(\.[0-9]{1,6})?(em|ex|px|pt|pc|in|cm|mm|%|rem)?$`)
	boolean = pattern.New(`^(true|false)$`)
	level   = pattern.New(`^[+-]?[0-9]$`)
	form    = pattern.New(`^(prefix|infix|postfix)$`)
	variant = pattern.New(`^[a-z]{3,12}(-[a-z]{3,12}){0,3}$`)
	side    = pattern.New(`^(ltr|rtl)$`)
	display = pattern.New(`^(block|inline)$`)
	span    = pattern.New(`^[1-9][0-9]{0,2}$`)
	words   = pattern.New(`^[^\x00-\x1f]+$`)
)

type rule struct {
	key   string
	value *pattern.Pattern
}

// common attributes are those of all elements, special ones those of some, in the order in which they are written.
var (
	common  = []rule{{"dir", side}, {"displaystyle", boolean}, {"scriptlevel", level}, {"mathvariant", variant}}
	special = map[string][]rule{
		"math": {{"display", display}, {"alttext", words}},
		"mo": {{"form", form}, {"fence", boolean}, {"separator", boolean}, {"lspace", length}, {"rspace", length},
			{"stretchy", boolean},
			{"symmetric", boolean}, {"maxsize", length}, {"minsize", length}, {"largeop", boolean},
			{"movablelimits", boolean}},
		"mspace": {{"width", length}, {"height", length}, {"depth", length}},
		"mpadded": {{"width", length}, {"height", length}, {"depth", length}, {"lspace", length},
			{"voffset", length}},
		"mfrac":      {{"linethickness", length}},
		"mover":      {{"accent", boolean}},
		"munder":     {{"accentunder", boolean}},
		"munderover": {{"accent", boolean}, {"accentunder", boolean}},
		"mtd":        {{"columnspan", span}, {"rowspan", span}},
	}
)

// kept returns the attributes that an element keeps.
func kept(name string, attrs []html.Attribute) []html.Attribute {
	var out []html.Attribute
	for _, r := range slices.Concat(special[name], common) {
		if v := oneLine(value(attrs, r.key)); v != "" && len(v) <= 2048 && r.value.MatchString(v) {
			out = append(out, html.Attribute{Key: r.key, Val: v})
		}
	}
	return out
}

// HTML returns the formula as markup that reads the same when it is read again, and how deep its elements are nested.
// ok is false if it cannot be written so: what it says is in Text then.
func (f *Formula) HTML() (markup string, depth int, ok bool) {
	if f.isOther || f.isBlank(f.root) {
		return "", 0, false
	}
	var b strings.Builder
	f.root.attrs = kept("math", f.root.attrs)
	write(&b, f.root)
	return b.String(), f.depth + 1, true
}

// isBlank reports that an element shows nothing: its texts, as they are written, are white space.
func (f *Formula) isBlank(n *node) bool {
	if strings.TrimSpace(n.text) != "" {
		return false
	}
	return !slices.ContainsFunc(n.children, func(c *node) bool { return !f.isBlank(c) })
}

func write(b *strings.Builder, n *node) {
	b.WriteByte('<')
	b.WriteString(n.name)
	for _, a := range n.attrs {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	b.WriteByte('>')
	b.WriteString(html.EscapeString(n.text))
	for _, c := range n.children {
		write(b, c)
	}
	b.WriteString("</" + n.name + ">")
}

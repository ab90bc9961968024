package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns the formula as one line: e^(kt), 1/2, √2. Where it has elements that are not read, its TeX or its
// alternative text.
func (f *Formula) Text() string {
	if f.isOther || f.isBlank(f.root) {
		if tex := oneLine(f.tex); tex != "" {
			return tex
		}
		if f.alt != "" {
			return f.alt
		}
	}
	var l line
	l.row(f.root.children)
	return oneLine(l.String())
}

// line is a formula in one line.
type line struct{ strings.Builder }

// token appends a text. Numbers and names of several letters do not run together with the text before them.
func (l *line) token(s string) {
	s = strings.Map(func(r rune) rune {
		if r >= 0x2061 && r <= 0x2064 { // invisible operators
			return -1
		}
		return r
	}, s)
	if s == "" {
		return
	}
	before, _ := utf8.DecodeLastRuneInString(l.String())
	first, size := utf8.DecodeRuneInString(s)
	isWord := unicode.IsDigit(before) && unicode.IsDigit(first) ||
		(unicode.IsLetter(before) || unicode.IsDigit(before)) && unicode.IsLetter(first) && len(s) > size
	if isWord && l.Len() > 0 {
		l.WriteByte(' ')
	}
	l.WriteString(s)
}

func (l *line) row(children []*node) {
	for _, c := range children {
		l.node(c)
	}
}

// group returns an element, in brackets if it is more than one sign or number.
func group(n *node) string {
	var in line
	in.node(n)
	s := in.String()
	if utf8.RuneCountInString(s) > 1 && strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsDigit(r) && r != '.'
	}) {
		s = "(" + s + ")"
	}
	return s
}

func (l *line) child(n *node, i int, before string) {
	if i < len(n.children) {
		if s := group(n.children[i]); s != "" {
			l.WriteString(before + s)
		}
	}
}

func (l *line) node(n *node) {
	switch n.name {
	case "mi", "mn", "mo", "mtext", "ms":
		if n.name == "mtext" && l.Len() > 0 {
			l.WriteByte(' ')
		}
		l.token(n.text)
		if n.name == "mtext" {
			l.WriteByte(' ')
		}
	case "mspace":
		l.WriteByte(' ')
	case "mphantom", "none", "mprescripts":
	case "mfrac":
		l.apart()
		l.child(n, 0, "")
		l.child(n, 1, "/")
	case "msqrt":
		l.WriteString("√" + group(&node{name: "mrow", children: n.children}))
	case "mroot":
		l.child(n, 0, "")
		l.child(n, 1, "^(1/")
		l.WriteByte(')')
	case "msup":
		l.base(n)
		l.child(n, 1, "^")
	case "msub":
		l.base(n)
		l.child(n, 1, "_")
	case "msubsup", "munderover":
		l.base(n)
		l.child(n, 1, "_")
		l.child(n, 2, "^")
	case "munder":
		l.base(n)
		l.child(n, 1, "_")
	case "mover":
		l.base(n)
		l.child(n, 1, "^")
	case "mtable":
		for i, row := range n.children {
			if i > 0 {
				l.WriteString("; ")
			}
			l.node(row)
		}
	case "mtr":
		for i, cell := range n.children {
			if i > 0 {
				l.WriteString(", ")
			}
			l.node(cell)
		}
	default:
		l.row(n.children)
	}
}

// apart keeps a fraction from a number before it: 1 1/2.
func (l *line) apart() {
	if before, _ := utf8.DecodeLastRuneInString(l.String()); l.Len() > 0 && unicode.IsDigit(before) {
		l.WriteByte(' ')
	}
}

// base appends what an index belongs to.
func (l *line) base(n *node) {
	if len(n.children) == 0 {
		return
	}
	if c := n.children[0]; elements[c.name] == kindToken {
		l.node(c)
	} else {
		l.WriteString(group(c))
	}
}

// TeX returns the source in a script, without the marks of a CDATA section.
func TeX(source string) string {
	for _, mark := range []string{"% <![CDATA[", "<![CDATA[", "%]]>", "% ]]>", "]]>"} {
		source = strings.ReplaceAll(source, mark, "")
	}
	return strings.Join(strings.Fields(source), " ")
}

package listing

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of embedded data.
const (
	maxDepth  = 40      // what is nested more deeply is left out
	maxValues = 200_000 // in one script
)

// value is a JSON value. Objects keep the order of their names.
type value struct {
	kind  byte // 'n' null, 'b' true or false, '0' number, '"' string, '[' array, '{' object, 'v' an argument
	text  string
	names []string
	items []value
}

// get returns a member of an object, or an element of an array.
func (v *value) get(name string) *value {
	switch v.kind {
	case '{':
		for i := range v.names {
			if v.names[i] == name {
				return &v.items[i]
			}
		}
	case '[':
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v.items) {
			return &v.items[i]
		}
	}
	return nil
}

// at follows a path. For "*" and names that end with it, the first member that leads to something is taken.
func (v *value) at(path []string) *value {
	for i, name := range path {
		if strings.HasSuffix(name, "*") {
			for j := range v.items {
				if v.fits(j, name) {
					if at := v.items[j].at(path[i+1:]); at != nil && at.kind != 'n' {
						return at
					}
				}
			}
			return nil
		}
		if v = v.get(name); v == nil {
			return nil
		}
	}
	return v
}

// fits reports whether a member is one of those that a name with "*" means.
func (v *value) fits(i int, name string) bool {
	prefix := strings.TrimSuffix(name, "*")
	return prefix == "" || v.kind == '{' && strings.HasPrefix(v.names[i], prefix)
}

// rows follows a path to the members of an array or object; "*" in it stands for all members, "Product:*" for those
// with such names. It is nil if the path leads nowhere.
func (v *value) rows(path []string) []value {
	for i, name := range path {
		if !strings.HasSuffix(name, "*") {
			if v = v.get(name); v == nil {
				return nil
			}
			continue
		}
		out := []value{}
		for j := range v.items {
			switch {
			case !v.fits(j, name):
			case i+1 == len(path):
				out = append(out, v.items[j])
			default:
				out = append(out, v.items[j].rows(path[i+1:])...)
			}
		}
		if len(out) == 0 && v.kind != '[' {
			return nil
		}
		return out
	}
	if v.kind != '[' && v.kind != '{' {
		return nil
	}
	return append([]value{}, v.items...)
}

// scalar returns the text of a string or number, of an array's first element, or of an object's usual member.
func (v *value) scalar(members ...string) string {
	for range maxDepth {
		switch {
		case v == nil:
			return ""
		case v.kind == '"' || v.kind == '0' || v.kind == 'b':
			return v.text
		case v.kind == '[' && len(v.items) > 0:
			v = &v.items[0]
		case v.kind == '{':
			v = v.first(members...)
		default:
			return ""
		}
	}
	return ""
}

// first returns the first member that is there.
func (v *value) first(names ...string) *value {
	for _, n := range names {
		if m := v.get(n); m != nil && m.kind != 'n' {
			return m
		}
	}
	return nil
}

// parseData reads the JSON value at the start of a text as scripts write it: names without quotes, single quotes, a
// comma after the last member. Nothing is run; deep nesting becomes null. false if there are too many values.
func parseData(s string) (*value, bool) {
	p := dataParser{s: s, left: maxValues}
	var v value
	ok := p.value(&v, 0)
	return &v, ok
}

type dataParser struct {
	s    string
	i    int
	left int

	names map[string]int // words that stand for arguments, with their places
}

func (p *dataParser) space() {
	for p.i < len(p.s) && isSpace(p.s[p.i]) {
		p.i++
	}
}

func (p *dataParser) peek() byte {
	p.space()
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *dataParser) value(into *value, depth int) bool {
	if p.left--; p.left < 0 {
		return false
	}
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth == maxDepth {
			into.kind = 'n'
			return p.skip()
		}
		into.kind = c
		return p.members(into, depth)
	case c == '"' || c == '\'':
		into.kind = '"'
		var ok bool
		into.text, ok = p.quoted()
		return ok
	default:
		return p.word(into)
	}
}

// members reads an object or array.
func (p *dataParser) members(into *value, depth int) bool {
	end := byte(']')
	if into.kind == '{' {
		end = '}'
	}
	p.i++
	for {
		if p.peek() == end {
			p.i++
			return true
		}
		if end == '}' {
			name, ok := p.name()
			if !ok || p.peek() != ':' {
				return false
			}
			p.i++
			into.names = append(into.names, name)
		}
		var v value
		if !p.value(&v, depth+1) {
			return false
		}
		into.items = append(into.items, v)
		switch p.peek() {
		case ',':
			p.i++
		case end:
		default:
			return false
		}
	}
}

func (p *dataParser) name() (string, bool) {
	if c := p.peek(); c == '"' || c == '\'' {
		return p.quoted()
	}
	from := p.i
	for p.i < len(p.s) && isWord(p.s[p.i]) {
		p.i++
	}
	return p.s[from:p.i], p.i > from
}

func isWord(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// word reads a number, true, false, null or undefined.
func (p *dataParser) word(into *value) bool {
	from := p.i
	for p.i < len(p.s) && (isWord(p.s[p.i]) || p.s[p.i] == '-' || p.s[p.i] == '+' || p.s[p.i] == '.') {
		p.i++
	}
	into.text = p.s[from:p.i]
	switch into.text {
	case "true", "false":
		into.kind = 'b'
	case "null", "undefined", "NaN":
		into.kind, into.text = 'n', ""
	case "":
		return false
	default:
		if i, ok := p.names[into.text]; ok {
			into.kind, into.text = 'v', strconv.Itoa(i)
			return true
		}
		into.kind = '0'
		_, err := strconv.ParseFloat(into.text, 64)
		return err == nil && len(into.text) < 40
	}
	return true
}

func (p *dataParser) quoted() (string, bool) {
	quote := p.s[p.i]
	p.i++
	from := p.i
	for p.i < len(p.s) && p.s[p.i] != quote && p.s[p.i] != '\\' {
		p.i++
	}
	if p.i < len(p.s) && p.s[p.i] == quote {
		p.i++
		return p.s[from : p.i-1], true
	}
	var b strings.Builder
	b.WriteString(p.s[from:p.i])
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch c {
		case quote:
			return b.String(), true
		case '\\':
			if !p.escape(&b) {
				return "", false
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func (p *dataParser) escape(b *strings.Builder) bool {
	if p.i == len(p.s) {
		return false
	}
	c := p.s[p.i]
	p.i++
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r', 'b', 'f', 'v':
		b.WriteByte(' ')
	case 'x':
		return p.hex(b, 2)
	case 'u':
		return p.hex(b, 4)
	default:
		b.WriteByte(c)
	}
	return true
}

func (p *dataParser) hex(b *strings.Builder, digits int) bool {
	read := func() (rune, bool) {
		if p.i+digits > len(p.s) {
			return 0, false
		}
		n, err := strconv.ParseUint(p.s[p.i:p.i+digits], 16, 32)
		p.i += digits
		return rune(n), err == nil
	}
	r, ok := read()
	if ok && utf16.IsSurrogate(r) {
		if strings.HasPrefix(p.s[p.i:], `\u`) {
			back := p.i
			p.i += 2
			if low, fine := read(); fine {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					b.WriteRune(pair)
					return true
				}
			}
			p.i = back
		}
		r = utf8.RuneError
	}
	b.WriteRune(r)
	return ok
}

// skip passes over an object or array, however deep.
func (p *dataParser) skip() bool {
	for depth := 0; p.i < len(p.s); {
		switch c := p.s[p.i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				p.i++
				return true
			}
		case '"', '\'':
			if _, ok := p.quoted(); !ok {
				return false
			}
			continue
		}
		p.i++
	}
	return false
}

package extract

import "bytes"

// effect of a tag on the text around it.
type tagEffect uint8

const (
	tagInline  tagEffect = iota // nothing: words run on
	tagBlock                    // a gap
	tagFormula                  // a formula or a drawing: appendFormula has its words
)

// htmlTag reads the tag, comment or declaration at b[0] == '<' and returns its length: 0 when it is no
// markup but a lone '<', -1 when b ends inside. For elements whose content is no text (script, style …)
// the length covers the content.
func htmlTag(b []byte) (n int, effect tagEffect) {
	if len(b) < 2 {
		return 0, tagInline
	}
	c := b[1] | 0x20
	switch {
	case b[1] == '!' || b[1] == '?':
		if bytes.HasPrefix(b, cdataOpen) { // left over in XHTML: only the markers go
			return len(cdataOpen), tagInline
		}
		end := ">"
		if bytes.HasPrefix(b, []byte("<!--")) {
			end = "-->"
		}
		k := bytes.Index(b, []byte(end))
		if k < 0 {
			return -1, tagInline
		}
		return k + len(end), tagInline
	case b[1] == '/':
		k := bytes.IndexByte(b, '>')
		if k < 0 {
			return -1, tagInline
		}
		return k + 1, effectOf(tagName(b[2 : k+1]))
	case c < 'a' || c > 'z':
		return 0, tagInline
	}
	k := htmlTagEnd(b)
	if k < 0 {
		return -1, tagInline
	}
	var low [16]byte
	name := lowerName(low[:0], tagName(b[1:k]))
	if m := formulaEnd(b, k, name); m > 0 {
		return m, tagFormula
	}
	if dropsContent(name) && b[k-2] != '/' {
		m := endOfRaw(b[k:], name)
		if m < 0 {
			return -1, tagBlock
		}
		return k + m, tagBlock
	}
	return k, effectOf(name)
}

// htmlTagEnd returns the length of the tag at b[0], minding quoted values; -1 when it does not end.
func htmlTagEnd(b []byte) int {
	k := bytes.IndexByte(b, '>')
	if k < 0 {
		return -1
	}
	quote := byte(0)
	for i := 1; i < len(b); i++ {
		c := b[i]
		switch {
		case quote != 0:
			j := bytes.IndexByte(b[i:], quote)
			if j < 0 {
				return k + 1 // the quote never closes: take the first '>'
			}
			i += j
			quote = 0
		case c == '>':
			return i + 1
		case (c == '"' || c == '\'') && b[i-1] == '=':
			quote = c
		}
	}
	return k + 1
}

func tagName(b []byte) []byte {
	for i, c := range b {
		if nameEnds[c] {
			return b[:i]
		}
	}
	return b
}

func lowerName(dst, name []byte) []byte {
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	for _, c := range name[:min(len(name), 15)] {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// dropsContent names elements whose content a reader never shows as text.
func dropsContent(name []byte) bool {
	switch string(name) {
	case "script", "style", "iframe", "noembed", "noframes", "template", "svg", "math", "object", "mjx-math", "head",
		"title", "textarea", "select":
		return true
	}
	return false
}

// effectOf returns tagInline for elements whose text joins the text around them.
func effectOf(name []byte) tagEffect {
	var low [16]byte
	switch string(lowerName(low[:0], name)) {
	case "a", "b", "i", "u", "s", "em", "strong", "span", "code", "small", "sub", "sup", "font", "mark", "abbr",
		"acronym", "cite", "q", "tt", "kbd", "var", "samp", "del", "ins", "big", "label", "time", "wbr", "ruby",
		"rb", "rt", "rp", "rtc", "bdi", "bdo", "strike", "dfn", "data", "nobr":
		return tagInline
	}
	return tagBlock
}

// endOfRaw returns the length of b up to and with the end tag of name, or -1.
func endOfRaw(b, name []byte) int {
	for i := 0; ; {
		k := bytes.IndexByte(b[i:], '<')
		if k < 0 || i+k+2+len(name) > len(b) {
			return -1
		}
		i += k
		if b[i+1] == '/' && bytes.EqualFold(b[i+2:i+2+len(name)], name) {
			end := bytes.IndexByte(b[i:], '>')
			if end < 0 {
				return -1
			}
			return i + end + 1
		}
		i++
	}
}

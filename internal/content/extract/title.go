package extract

import (
	"bytes"
	"slices"

	"golang.org/x/net/html/atom"
)

// appendTitle makes one line of plain text of a title. Titles speak of types and of tags ("Vec<T>", "<my-widget>", "is
// </p> needed?"), and many publishers do not escape that: only the tags of well-known inline elements are markup there,
// and elements around the whole title. Where a title is declared to be HTML, the tags of all elements of HTML are.
func appendTitle(dst, title []byte, isHTML bool) []byte {
	if bytes.Contains(title, cdataOpen) { // escaped once too often: its marks are no text
		title = bytes.ReplaceAll(bytes.ReplaceAll(title, cdataOpen, nil), []byte("]]>"), nil)
	}
	around := wrappers(title)
	out, _ := appendMarkup(dst, title, maxTitle, func(b []byte, i int) bool {
		b, before := b[i:], b[:i]
		if bytes.HasPrefix(b, []byte("<!--")) {
			return bytes.IndexByte(b, '>') > 0
		}
		name, end, ok := plainTag(b)
		switch {
		case !ok, !end && isTypeParameter(before, b, name):
			return false
		case isHTML:
			return atom.Lookup(name) != 0 && !unended(b, name)
		}
		// A script or style that ends is no mention of one.
		return isTitleMarkup(name) || slices.Contains(around, string(name)) || !end && dropsContent(name) &&
			!unended(b, name)
	})
	return out
}

// plainTag reads the name of the tag at b[0] == '<', in lower case. A tag without attributes is only its name; what has
// words instead of attributes is a comparison ("a <b and c> d").
func plainTag(b []byte) (name []byte, end, ok bool) {
	k := htmlTagEnd(b)
	if k < len("<b>") {
		return nil, false, false
	}
	in := b[1 : k-1]
	if end = in[0] == '/'; end {
		in = in[1:]
	}
	name = tagName(in)
	rest := bytes.Trim(in[len(name):], "/ \t\r\n")
	return bytes.ToLower(name), end, len(name) > 0 && (len(rest) == 0 || !end && bytes.IndexByte(rest, '=') > 0)
}

// isTitleMarkup names the elements that format a part of a title.
func isTitleMarkup(name []byte) bool {
	switch string(name) {
	case "br", "img":
		return true
	}
	return atom.Lookup(name) != 0 && effectOf(name) == tagInline
}

// isTypeParameter reports a name in angle brackets that belongs to the word before it, such as Option<A>.
func isTypeParameter(before, b, name []byte) bool {
	if len(before) == 0 || string(name) == "br" || string(name) == "img" {
		return false
	}
	c := before[len(before)-1]
	isWord := c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	return isWord && !bytes.Contains(bytes.ToLower(b), append([]byte("</"), name...))
}

// unended reports an element whose content would be left out, without an end.
func unended(b, name []byte) bool {
	return dropsContent(name) && endOfRaw(b, name) < 0
}

// wrappers lists the blocks that stand around the whole title.
func wrappers(title []byte) []string {
	var names []string
	for range 4 {
		title = bytes.TrimSpace(title)
		if len(title) == 0 || title[0] != '<' {
			break
		}
		name, end, ok := plainTag(title)
		if !ok || end || !isWrapper(name) {
			break
		}
		k := len(title) - len("</>") - len(name)
		if k < 0 || !bytes.EqualFold(title[k:], []byte("</"+string(name)+">")) {
			break
		}
		names = append(names, string(name))
		title = title[min(k, htmlTagEnd(title)):k]
	}
	return names
}

func isWrapper(name []byte) bool {
	switch string(name) {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "center", "section", "article", "header",
		"blockquote", "pre", "li":
		return true
	}
	return false
}

package listing

import "bytes"

// Limits of a page. What a page has beyond them is not read: the rows of a listing come long before.
const (
	maxPage      = 10 << 20
	maxNodes     = 150_000   // elements and texts that the parser may make
	maxOpen      = 16        // formatting elements (b, font …) left open: each paragraph opens all of them again
	maxRun       = 64 << 10  // bytes of a text without tags
	maxTag       = 256 << 10 // bytes of a tag
	maxTagBytes  = 16 << 10  // of these, outside quotes
	maxAttrs     = 256       // quoted ones
	maxScript    = 5 << 20   // of embedded data
	maxLessSigns = 100_000   // in a script: each takes six bytes
)

// reduce writes a page without parts that hold no fields, and cuts it before the parser would build more than maxNodes.
// Texts of scripts lose "<", so that no tag can be read in them.
func reduce(page []byte) []byte {
	r := reducer{in: page, out: make([]byte, 0, len(page)/2)}
	for r.at < len(page) && r.nodes < maxNodes {
		r.next()
	}
	return r.out
}

type reducer struct {
	in    []byte
	at    int
	out   []byte
	nodes int
	open  int
}

// next copies a text, or what begins with "<".
func (r *reducer) next() {
	rest := r.in[r.at:]
	i := bytes.IndexByte(rest, '<')
	if i != 0 {
		if i < 0 {
			i = len(rest)
		}
		r.text(rest[:i])
		r.at += i
		return
	}
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		r.skipPast([]byte("-->"), 4)
	case len(rest) > 1 && (rest[1] == '!' || rest[1] == '?'):
		r.declaration()
	case len(rest) > 2 && rest[1] == '/' && isLetter(rest[2]):
		r.tag(2)
	case len(rest) > 1 && isLetter(rest[1]):
		r.tag(1)
	default:
		r.text([]byte("&lt;"))
		r.at++
	}
}

// text counts the formatting elements that the parser may open again before a text.
func (r *reducer) text(b []byte) {
	r.nodes++
	if len(bytes.TrimSpace(b)) > 0 {
		r.nodes += r.open
	}
	r.out = append(r.out, b[:min(len(b), maxRun)]...)
}

func (r *reducer) skipPast(end []byte, from int) {
	i := bytes.Index(r.in[r.at+from:], end)
	if i < 0 {
		r.at = len(r.in)
		return
	}
	r.at += from + i + len(end)
}

// declaration copies that of the document type, on which the reading of old pages depends.
func (r *reducer) declaration() {
	start := r.at
	r.skipPast([]byte(">"), 1)
	if d := r.in[start:r.at]; len(bytes.TrimSpace(r.out)) == 0 && len(d) < 1<<10 &&
		bytes.HasPrefix(bytes.ToLower(d), []byte("<!doctype")) {
		r.out = append(r.out, d...)
	}
}

// tag copies a tag whose name starts at an offset, unless it is beyond the limits.
func (r *reducer) tag(nameAt int) {
	rest := r.in[r.at:]
	end, fits := tagEnd(rest)
	if end < 0 {
		r.at = len(r.in)
		return
	}
	n := nameAt
	for n < end && rest[n] != '>' && rest[n] != '/' && !isSpace(rest[n]) {
		n++
	}
	name := string(bytes.ToLower(rest[nameAt:min(n, nameAt+16)]))
	r.at += end
	isEnd := nameAt == 2
	if !isEnd && isRawText(name) {
		r.rawText(name, rest[:end], fits)
		return
	}
	if !fits || isEnd && isRawText(name) || !r.count(name, isEnd) {
		return
	}
	r.out = append(r.out, rest[:end]...)
}

// count counts what the parser makes of a tag; false for a formatting element beyond those that may be open.
func (r *reducer) count(name string, isEnd bool) bool {
	formats := isFormatting(name)
	switch {
	case name == "a": // a second one closes the first
		r.nodes++
	case formats && isEnd:
		r.open = max(0, r.open-1)
	case formats && r.open == maxOpen:
		return false
	case formats:
		r.open++
	}
	r.nodes += 1 + r.open
	switch name {
	case "table", "tr", "td", "th", "col":
		r.nodes += 2 // elements that the parser adds
	}
	return true
}

// rawText copies an element whose text has no tags.
func (r *reducer) rawText(name string, start []byte, fits bool) {
	body := r.in[r.at:]
	if i := endTag(body, name); i < 0 {
		r.at = len(r.in)
	} else {
		body = body[:i]
		r.at += i
		r.skipPast([]byte(">"), 0)
	}
	if !fits {
		return
	}
	switch name {
	case "script":
		r.script(start, body)
	case "noscript":
		r.fallback(body)
	case "title", "textarea":
		r.nodes += 2
		r.out = append(r.out, start...)
		r.out = append(r.out, bytes.ReplaceAll(body[:min(len(body), 4<<10)], []byte("<"), []byte("&lt;"))...)
		r.out = append(r.out, "</"+name+">"...)
	}
}

// fallbackMark is the attribute by which the picture of a noscript element is known.
const fallbackMark = "data-ruri-noscript"

// fallback copies the first img of a noscript element, which has the address of a picture that a script would load.
func (r *reducer) fallback(body []byte) {
	i := bytes.Index(bytes.ToLower(body[:min(len(body), 4<<10)]), []byte("<img"))
	if i < 0 {
		return
	}
	body = body[i:]
	if end, fits := tagEnd(body); end > len("<img") && fits {
		r.nodes++
		r.out = append(append(append(r.out, "<img "+fallbackMark...), ' '), body[len("<img"):end]...)
	}
}

// script copies a script that may hold data.
func (r *reducer) script(start, body []byte) {
	r.nodes += 2
	if bytes.Count(body, []byte("<")) > maxLessSigns || len(body) > maxScript {
		body = nil
	}
	lower := bytes.ToLower(start)
	isData := bytes.Contains(lower, []byte("json")) || bytes.Contains(body, []byte("window.")) ||
		bytes.Contains(body, []byte("window[")) || bytes.Contains(body, []byte(flightName))
	if !isData && len(body) > 0 {
		// Only that there is a script matters.
		body = nil
	}
	r.out = append(r.out, start...)
	r.out = append(r.out, bytes.ReplaceAll(body, []byte("<"), []byte(`\u003c`))...)
	r.out = append(r.out, "</script>"...)
}

// tagEnd finds the end of a tag, as the parser does; -1 if there is none, or too many attributes.
func tagEnd(b []byte) (end int, fits bool) {
	var quote byte
	unquoted, quotes := 0, 0
	afterEqual := false
	for i := 1; i < len(b); i++ {
		c := b[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '>':
			return i + 1, i < maxTag && unquoted <= maxTagBytes && quotes <= maxAttrs
		case (c == '"' || c == '\'') && afterEqual:
			quote = c
			quotes++
		}
		unquoted++
		if !isSpace(c) {
			afterEqual = c == '='
		}
	}
	return -1, false
}

// endTag finds "</name" followed by what ends a name.
func endTag(b []byte, name string) int {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("</"))
		if i < 0 {
			return -1
		}
		from += i
		rest := b[from+2:]
		if len(rest) >= len(name) && bytes.EqualFold(rest[:len(name)], []byte(name)) &&
			(len(rest) == len(name) || rest[len(name)] == '>' || rest[len(name)] == '/' || isSpace(rest[len(name)])) {
			return from
		}
		from += 2
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

func isRawText(name string) bool {
	switch name {
	case "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "noscript", "xmp", "plaintext":
		return true
	}
	return false
}

func isFormatting(name string) bool {
	switch name {
	case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

package extract

import (
	"bytes"
	"unicode/utf8"
)

// classes of bytes for the text loops: 0 is copied as it is.
const (
	clSpace = 1 + iota // white space, or a control character that is dropped
	clTag
	clAmp
	clC2 // first byte of U+0080..U+00BF: no-break space is among them
)

var textClass = func() (t [256]uint8) {
	for c := range 0x21 {
		t[c] = clSpace
	}
	t[0x7f], t['<'], t['&'], t[0xc2] = clSpace, clTag, clAmp, clC2
	return t
}()

// appendXML takes the XML layer off character data: CDATA sections are unwrapped, references decoded,
// comments and processing instructions dropped, tags left. It stops soon after limit bytes of output and
// gives the number of bytes read.
func appendXML(dst, raw []byte, limit int) ([]byte, int) {
	i, stop := 0, len(dst)+limit
	for i < len(raw) && len(dst) < stop {
		j, end := i, wholeRunes(raw, i+stop-len(dst))
		for j < end && raw[j] != '&' && raw[j] != '<' {
			j++
		}
		dst = append(dst, raw[i:j]...)
		if i = j; i >= end {
			break
		}
		if raw[i] == '&' {
			var n int
			if dst, n = appendEntity(dst, raw[i:]); n == 0 {
				dst, n = append(dst, '&'), 1
			}
			i += n
			continue
		}
		rest := raw[i:]
		switch {
		case bytes.HasPrefix(rest, cdataOpen):
			body := rest[len(cdataOpen):]
			end, n := len(body), len(rest)
			if k := bytes.Index(body, []byte("]]>")); k >= 0 {
				end, n = k, len(cdataOpen)+k+3
			}
			if cut := wholeRunes(body, stop-len(dst)); cut < end {
				return append(dst, body[:cut]...), i
			}
			dst = append(dst, body[:end]...)
			i += n
		case bytes.HasPrefix(rest, []byte("<!--")):
			i += skipTo(rest, "-->")
		case bytes.HasPrefix(rest, []byte("<?")):
			i += skipTo(rest, "?>")
		default:
			dst = append(dst, '<')
			i++
		}
	}
	return dst, i
}

// wholeRunes returns the first end of a character from n on.
func wholeRunes(b []byte, n int) int {
	if n >= len(b) {
		return len(b)
	}
	for n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

func skipTo(b []byte, end string) int {
	if k := bytes.Index(b, []byte(end)); k >= 0 {
		return k + len(end)
	}
	return len(b)
}

// oneCDATA returns the inside of raw when it is a single CDATA section and nothing else.
func oneCDATA(raw []byte) ([]byte, bool) {
	raw = bytes.TrimSpace(raw)
	if !bytes.HasPrefix(raw, cdataOpen) || !bytes.HasSuffix(raw, []byte("]]>")) {
		return nil, false
	}
	in := raw[len(cdataOpen) : len(raw)-3]
	return in, !bytes.Contains(in, []byte("]]>"))
}

// appendPlain makes one line of plain text of HTML: tags gone, blocks kept apart by a space, script and
// its like dropped with their content, references decoded, white space collapsed, control characters
// dropped, readings (ruby) left out. It stops after limit runes (0: none); done: the text is complete or full, not cut
// short by an open tag at the end of html.
func appendPlain(dst, html []byte, limit int) (out []byte, done bool) {
	return appendMarkup(dst, html, limit, nil)
}

// appendMarkup is appendPlain where only tags of some elements are markup; nil: all. Others are text.
func appendMarkup(dst, html []byte, limit int, isMarkup func(html []byte, i int) bool) (out []byte, done bool) {
	w := liner{b: dst, start: len(dst), limit: limit}
	done = w.markup(html, isMarkup)
	return w.b, done
}

// plain is appendPlain of a body. Of a whole text it notes what stands beside it, for setText.
func (s *scanner) plain(dst, html []byte, limit int) (out []byte, done bool) {
	w := liner{b: dst, start: len(dst), limit: limit, asides: limit == textRunes, aside: s.aside[:0]}
	done = w.markup(html, nil)
	s.aside = w.aside
	return w.b, done
}

// markup adds the text of HTML.
func (w *liner) markup(html []byte, isMarkup func(html []byte, i int) bool) (done bool) {
	i := 0
	for i < len(html) {
		j := w.run(html, i)
		if j > i {
			if w.text(html[i:j]); w.full {
				return true
			}
			if i = j; i >= len(html) {
				break
			}
		}
		switch textClass[html[i]] {
		case clSpace:
			if c := html[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
				w.gap = true
			}
			i++
		case clC2:
			i += w.latin(html[i:])
		case clAmp:
			i += w.reference(html[i:])
		case clTag:
			n, effect := 0, tagInline
			if isMarkup == nil || isMarkup(html, i) {
				n, effect = htmlTag(html[i:])
			}
			switch {
			case n == 0:
				w.text(html[i : i+1])
				i++
				continue
			case n < 0:
				return false
			}
			w.tag(html[i:i+n], effect)
			i += n
		}
	}
	return true
}

// tag adds what a tag means for the text around it.
func (w *liner) tag(t []byte, effect tagEffect) {
	switch c := t[min(2, len(t)-1)] | 0x20; {
	case effect == tagFormula:
		w.formula(t)
		return
	case c == 'u' || c == 't' || c == 'p' || c == 'b' || c == 'm' || t[1] == '/' && c == 'r':
		w.annotation(t)
	}
	if effect == tagBlock {
		w.gap, w.isRuby, w.ruby = true, false, rubyBase
	}
}

// appendLiteral makes one line of text that is no markup.
func appendLiteral(dst, text []byte, limit int) []byte {
	w := liner{b: dst, start: len(dst), limit: limit}
	for i := 0; i < len(text) && !w.full; {
		j := w.run(text, i)
		if k := textClass[text[i]]; k == clTag || k == clAmp {
			j = i + 1
		}
		if j > i {
			w.text(text[i:j])
			i = j
			continue
		}
		if textClass[text[i]] == clC2 {
			i += w.latin(text[i:])
			continue
		}
		if c := text[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			w.gap = true
		}
		i++
	}
	return w.b
}

// liner collects words into one line, up to a number of runes.
type liner struct {
	b     []byte
	start int
	limit int
	runes int  // not fewer than b has
	gap   bool // white space is due before the next text
	// readings of ruby are left out of the line, and are the text beside it, where asides are wanted, as are the texts
	// that stand for pictures.
	isRuby   bool
	ruby     rubyPart
	rubyEnd  int // length of b after the last ruby
	asides   bool
	aside    []byte
	keepRuby bool // readings are part of the line
	// afterFormula is the length of b after the last formula, so that its source in a script is not taken again.
	afterFormula int
	full         bool
}

// run returns the end of the text at html[i] that can be taken as it is: no markup, no white space but
// single spaces between words. It looks no farther than the limit needs.
func (w *liner) run(html []byte, i int) int {
	end := len(html)
	if w.limit > 0 {
		end = min(end, i+(w.limit+2)*utf8.UTFMax)
	}
	return i + plainRun(html[i:end])
}

// plainRun returns the length of the longest beginning of b that needs no change as text and neither begins
// nor ends with a space.
func plainRun(b []byte) int {
	if len(b) == 0 || textClass[b[0]] != 0 {
		return 0
	}
	i := 1
	for i < len(b) && (textClass[b[i]] == 0 || b[i] == ' ' && b[i-1] != ' ') {
		i++
	}
	if b[i-1] == ' ' {
		i--
	}
	return i
}

func (w *liner) text(t []byte) {
	if w.ruby != rubyBase {
		w.reading(t)
		return
	}
	if w.gap {
		w.gap = false
		if len(w.b) > w.start {
			w.b = append(w.b, ' ')
			w.runes++
		}
	}
	if w.limit == 0 {
		w.b = append(w.b, t...)
		return
	}
	if w.runes+len(t) <= w.limit { // no need to count yet: bytes are at least as many as runes
		w.b = append(w.b, t...)
		w.runes += len(t)
		return
	}
	w.runes = utf8.RuneCount(w.b[w.start:])
	left := w.limit - w.runes
	if left <= 0 {
		w.full = true
		return
	}
	k, n := 0, 0
	for ; k < len(t) && n < left; n++ {
		k++
		for k < len(t) && !utf8.RuneStart(t[k]) {
			k++
		}
	}
	w.full = k < len(t)
	w.b = append(w.b, t[:k]...)
	w.runes += n
}

// latin takes a character whose first byte is C2: a no-break space is a space, and a C1 control is the character of the
// same byte in windows-1252.
func (w *liner) latin(t []byte) int {
	if len(t) < 2 {
		return len(t)
	}
	if t[1] == 0xa0 {
		w.gap = true
	} else if t[1] > 0xa0 {
		w.text(t[:2])
	} else if r := cp1252[t[1]-0x80]; r > 0x9f {
		var buf [4]byte
		w.text(utf8.AppendRune(buf[:0], r))
	}
	return 2
}

func (w *liner) reference(t []byte) int {
	var buf [16]byte
	out, n := appendEntity(buf[:0], t)
	switch {
	case n == 0:
		w.text(t[:1])
		return 1
	case len(out) == 0:
	case out[0] <= ' ' || string(out) == "\u00a0":
		w.gap = true
	default:
		w.text(out)
	}
	return n
}

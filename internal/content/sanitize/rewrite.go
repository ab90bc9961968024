package sanitize

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/formula"
	"github.com/ruri-reader/ruri/internal/reader"
)

// maxWork bounds the bytes written in total, including those of empty elements that are removed again, and with them
// the time that hostile markup takes.
const maxWork = 8 * maxOutput

// rewrite builds canonical markup from in.
func rewrite(in string, base, self *url.URL, places map[string]bool) string {
	w := &writer{base: base, self: self, places: places, taken: map[string]bool{},
		out: make([]byte, 0, min(len(in)+len(in)/4, maxOutput))}
	z := html.NewTokenizer(strings.NewReader(in))
	for !w.full {
		tt := z.Next()
		if tt == html.ErrorToken {
			break
		}
		w.token(z, tt)
	}
	w.endDrawing()
	w.popTo(0)
	return string(w.out)
}

// writer is the markup built so far and the elements open in it.
type writer struct {
	base    *url.URL
	self    *url.URL        // the document's own address
	places  map[string]bool // ids that links of the document lead to
	taken   map[string]bool // of these, those that an element has
	out     []byte
	work    int
	full    bool
	open    []element
	shown   int // elements of open whose tags are in out
	closers int // bytes their end tags will take
	tables  int // open tables, shown

	skip skipper

	lastEmbed string // page of the player written last
	lastWords string // shown last in place of an image
	noscript  bool
	gap       bool // a space is due before what is written next

	lastImg shownImage       // the last one
	sources []html.Attribute // of the source elements of the picture element that is open
	isIn    bool             // a picture element
	data    int              // bytes of pictures that are in the text itself

	rendering, lastRendering *rendering // of formulas
	drawing                  *formula.Drawing
}

// element is an open element: the name it was opened by, and the name it is shown by ("" when its tags
// are left out and it is only remembered to match its end tag).
type element struct {
	src, out    string
	start, body int // bounds of its start tag in out
	tag         string
	media       bool // audio or video that has an address
	isPlace     bool // has an id
}

// shownImage is an image, or its substitute, in the output. It is remembered for its twin: noscript has the picture
// again for readers without scripts, and that one is not loaded late.
type shownImage struct {
	address    string
	start, end int // in out
	open       int // elements around it
}

func (w *writer) token(z *html.Tokenizer, tt html.TokenType) {
	switch tt {
	case html.TextToken:
		switch {
		case w.drawing != nil:
			w.drawing.Text(string(z.Text()))
		case !w.skip.active():
			w.text(string(z.Text()))
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		name, hasAttr := z.TagName()
		w.start(z, string(name), hasAttr, tt == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := z.TagName()
		w.end(string(name))
	}
}

// start handles a start tag. Feeds are often written by XML tools, so an element closed in its own tag
// is taken as empty, where HTML would ignore the slash and let <iframe/> or <video/> swallow the rest.
func (w *writer) start(z *html.Tokenizer, name string, hasAttr, selfClosing bool) {
	if rawText[name] && (selfClosing || name == "noscript") {
		z.NextIsNotRawText() // scripts never run here, so the content of noscript applies
	}
	var attrs []html.Attribute
	if hasAttr {
		attrs = readAttributes(z)
	}
	if !w.skip.active() {
		switch {
		case embeds[name]:
			w.embed(attrs)
		case name == "script" && !selfClosing:
			w.script(z, attrs)
		}
	}
	if w.skip.start(name, selfClosing) {
		w.draw(name, attrs)
		return
	}
	w.endDrawing()
	switch {
	case name == "noscript":
		w.noscript = !selfClosing
	case name == "picture":
		w.isIn, w.sources = !selfClosing, nil
	case formula.IsMath(name):
		w.math(z, attrs, selfClosing)
	case name == "input":
		w.checkbox(attrs)
	default:
		w.element(name, attrs, selfClosing)
	}
}

// checkbox writes the state of an entry in a list of tasks.
func (w *writer) checkbox(attrs []html.Attribute) {
	if !strings.EqualFold(text(attrs, "type"), "checkbox") {
		return
	}
	state := "☐ "
	for _, a := range attrs {
		if a.Key == "checked" {
			state = "☑ "
		}
	}
	w.text(state)
}

// element opens an element that is shown, or remembered.
func (w *writer) element(name string, attrs []html.Attribute, selfClosing bool) {
	out, ok := shown[name]
	isRendered := isRendering(name, attrs)
	place := w.place(name, attrs)
	if !ok && (isRendered || place != "") {
		out, ok = "span", true
	}
	if !ok || tablePart[out] && w.tables == 0 {
		return
	}
	w.imply(out)
	if void[out] {
		w.void(out, attrs)
		return
	}
	if isRendered && !selfClosing {
		w.openRendering(name)
	}
	w.push(name, out, attrs, place)
	if selfClosing && out != "p" && out != "div" && len(w.open) > 0 && w.open[len(w.open)-1].src == name {
		w.popTo(len(w.open) - 1)
	}
}

// draw takes a start tag that is passed over, if it is one of a drawing.
func (w *writer) draw(name string, attrs []html.Attribute) {
	if w.skip.name == "svg" && w.drawing == nil {
		w.drawing = &formula.Drawing{}
	}
	if w.drawing != nil {
		w.drawing.Start(name, attrs)
	}
}

func (w *writer) end(name string) {
	if w.skip.end(name) {
		if !w.skip.active() {
			w.endDrawing()
		} else if w.drawing != nil {
			w.drawing.End()
		}
		return
	}
	switch name {
	case "noscript":
		w.noscript = false
		return
	case "picture":
		w.isIn, w.sources = false, nil
		return
	case "br":
		w.void("br", nil)
		return
	}
	out := shown[name]
	if void[out] {
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		e := &w.open[i]
		if e.src == name {
			w.popTo(i)
			return
		}
		// An end tag inside a cell must not close what is around the table.
		if !tablePart[out] && out != "table" && (e.out == "td" || e.out == "th" || e.out == "caption") ||
			e.out == "table" {
			return
		}
	}
}

// endDrawing writes what a drawing says.
func (w *writer) endDrawing() {
	if d := w.drawing; d != nil {
		w.drawing = nil
		w.apart(d.Words())
	}
}

// imply closes what the start of out closes by the rules of HTML.
func (w *writer) imply(out string) {
	if rule, ok := implied[out]; ok {
		w.closeNearest(rule.ends, rule.within)
	}
	if holders, ok := unwind[out]; ok {
		w.unwind(holders)
	}
	if !block[out] {
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		switch w.open[i].out {
		case "audio", "video": // text after an unclosed player is not its fallback
			w.popTo(i)
		case "p":
			w.closeParagraph(i)
			return
		case "td", "th", "caption", "table":
			return
		}
	}
}

func (w *writer) closeNearest(ends, within map[string]bool) {
	for i := len(w.open) - 1; i >= 0; i-- {
		name := w.open[i].out
		if within[name] {
			return
		}
		if ends[name] {
			w.popTo(i)
			return
		}
	}
}

// unwind closes everything inside the nearest of holders.
func (w *writer) unwind(holders map[string]bool) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if holders[w.open[i].out] {
			w.popTo(i + 1)
			return
		}
	}
}

// closeParagraph closes the paragraph at i, and opens again the few formatting elements that were open
// in it: a link around a block stays a link.
func (w *writer) closeParagraph(i int) {
	var again []element
	for _, e := range w.open[i+1:] {
		if e.out != "" && formatting[e.out] && len(again) < 4 {
			again = append(again, e)
		}
	}
	w.popTo(i)
	for _, e := range again {
		w.pushTag(e.src, e.out, e.tag)
	}
}

func (w *writer) push(src, out string, attrs []html.Attribute, place string) {
	if len(w.open) >= maxOpen {
		return
	}
	kept, ok := w.attributes(out, attrs)
	if place != "" {
		if !ok && out != "a" && out != "span" && out != "bdo" {
			kept = nil
		}
		kept.add("id", place)
		ok = true
	}
	if !ok || w.shown >= maxDepth {
		w.open = append(w.open, element{src: src, start: len(w.out), body: len(w.out)})
		return
	}
	before := len(w.open)
	if w.pushTag(src, out, startTag(out, kept)); place != "" && len(w.open) > before {
		w.open[before].isPlace, w.taken[place] = true, true
	}
	if hasMedia := len(kept) > 0 && kept[0].Key == "src"; hasMedia && len(w.open) > 0 {
		w.open[len(w.open)-1].media = true
	}
}

func (w *writer) pushTag(src, out, tag string) {
	closer := len(out) + len("</>")
	if !w.write(tag, closer) {
		return
	}
	w.open = append(w.open, element{src: src, out: out, start: len(w.out) - len(tag), body: len(w.out), tag: tag})
	w.shown++
	w.closers += closer
	if out == "table" {
		w.tables++
	}
}

// popTo closes the open elements from the innermost down to index i.
func (w *writer) popTo(i int) {
	for len(w.open) > i {
		e := w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		if e.out == "" {
			continue
		}
		w.shown--
		w.closers -= len(e.out) + len("</>")
		if e.out == "table" {
			w.tables--
		}
		switch {
		case (e.out == "audio" || e.out == "video") && !e.media:
			// Nothing to play: the tags go, the fallback stays.
			w.out = append(w.out[:e.start], w.out[e.body:]...)
		case len(w.out) == e.body && !keepEmpty[e.out] && !e.media && !e.isPlace:
			w.out = w.out[:e.start]
		default:
			w.out = append(append(append(w.out, "</"...), e.out...), '>')
		}
	}
	if w.rendering != nil && w.rendering.index >= len(w.open) {
		w.closeRendering()
	}
}

func (w *writer) void(out string, attrs []html.Attribute) {
	if out == "img" {
		w.img(attrs)
		return
	}
	if out == "source" && w.isIn {
		if len(w.sources) < maxAttributes {
			w.sources = append(w.sources, attrs...)
		}
		return
	}
	kept, ok := w.attributes(out, attrs)
	if !ok {
		return
	}
	if out == "source" {
		parent := w.parent()
		if parent == nil || parent.out != "audio" && parent.out != "video" {
			return
		}
		parent.media = true
	}
	w.write(startTag(out, kept), 0)
}

// img writes an image, or its substitute. A twin in noscript replaces the image just before it.
func (w *writer) img(attrs []html.Attribute) {
	kept, ok := w.attributes("img", attrs)
	last := w.lastImg
	if ok && kept[0].Val == last.address && w.noscript {
		return
	}
	if ok && w.noscript && last.end > last.start && last.open == len(w.open) && w.isBlankFrom(last.end) {
		w.out, w.gap = w.out[:last.start], false
	}
	w.lastImg = shownImage{start: len(w.out), open: len(w.open)}
	if ok {
		w.lastImg.address = kept[0].Val
		if strings.HasPrefix(w.lastImg.address, "data:") {
			w.data += len(w.lastImg.address)
		}
		w.write(startTag("img", kept), 0)
	} else {
		w.imageFallback(attrs)
	}
	w.lastImg.end = len(w.out)
}

// parent is the innermost element that is shown, nil at the top.
func (w *writer) parent() *element {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].out != "" {
			return &w.open[i]
		}
	}
	return nil
}

func (w *writer) text(s string) {
	s = strings.ReplaceAll(clean(s, len(s)), "\r", "\n") // references can bring back what clean took out
	escaped := html.EscapeString(s)
	if room := maxOutput - len(w.out) - w.closers; len(escaped) > room {
		// A reference takes at most five bytes ("&#34;"), so a fifth of the room always fits.
		s = reader.CutBytes(s, max(0, room/5))
		escaped = html.EscapeString(s)
		defer func() { w.full = true }()
	}
	w.write(escaped, 0)
}

// write appends s if it and the end tags due still fit, reserve bytes more included.
func (w *writer) write(s string, reserve int) bool {
	if w.gap && s != "" {
		w.gap = false
		if !strings.ContainsRune(whiteSpace, rune(s[0])) {
			s = " " + s
		}
	}
	w.work += len(s)
	if w.full || len(w.out)+len(s)+w.closers+reserve > maxOutput || w.work > maxWork {
		w.full = true
		return false
	}
	w.out = append(w.out, s...)
	return true
}

// isBlankFrom reports that the output has nothing but white space from an offset on.
func (w *writer) isBlankFrom(i int) bool {
	return i <= len(w.out) && !bytes.ContainsFunc(w.out[i:], func(r rune) bool {
		return !strings.ContainsRune(whiteSpace, r)
	})
}

// fitsBytes reports whether n bytes more leave room for a line of text.
func (w *writer) fitsBytes(n int) bool { return len(w.out)+n+w.closers+reader.MaxLink <= maxOutput }

func startTag(name string, attrs []html.Attribute) string {
	if len(attrs) == 0 {
		return "<" + name + ">"
	}
	var b strings.Builder
	b.WriteByte('<')
	b.WriteString(name)
	for _, a := range attrs {
		b.WriteByte(' ')
		b.WriteString(a.Key)
		b.WriteString(`="`)
		b.WriteString(html.EscapeString(a.Val))
		b.WriteByte('"')
	}
	b.WriteByte('>')
	return b.String()
}

// readAttributes reads the attributes of the tag the tokenizer stands at; of two by one name the first
// counts, as in a browser.
func readAttributes(z *html.Tokenizer) []html.Attribute {
	var attrs []html.Attribute
	for more := true; more; {
		var key, val []byte
		key, val, more = z.TagAttr()
		if len(attrs) < maxAttributes && value(attrs, string(key)) == nil {
			attrs = append(attrs, html.Attribute{Key: string(key), Val: string(val)})
		}
	}
	return attrs
}

package sanitize

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/formula"
)

// rendering is an element in which a script has put a formula: often twice, as MathML for screen readers and as letters
// that are placed by styles, and in its source beside it. It is shown once.
type rendering struct {
	index      int // in writer.open, while the element is open
	name       string
	start, end int // in out
	depth      int // of what is around it
	isExact    bool
}

// renderings are the classes of such elements.
var renderings = set("katex", "MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display",
	"MathJax_CHTML",
	"mjx-chtml", "mjx-container", "MathJax_MathML", "mwe-math-element")

func isRendering(name string, attrs []html.Attribute) bool {
	if name == "mjx-container" {
		return true
	}
	for _, class := range strings.Fields(text(attrs, "class")) {
		if renderings[class] {
			return true
		}
	}
	return false
}

// openRendering is called before the element is opened.
func (w *writer) openRendering(name string) {
	if w.rendering != nil || len(w.open) >= maxOpen {
		return
	}
	r := &rendering{index: len(w.open), name: name, start: len(w.out), depth: len(w.open)}
	if last := w.lastRendering; last != nil && !last.isExact && w.isJustAfter(last) {
		r.start = last.start // a preview
	}
	w.rendering = r
}

// closeRendering is called when the element has been closed.
func (w *writer) closeRendering() {
	w.rendering.end = len(w.out)
	w.lastRendering, w.rendering = w.rendering, nil
}

// isJustAfter reports that nothing stands between a rendering and the end of the output.
func (w *writer) isJustAfter(r *rendering) bool {
	return r.depth == len(w.open) && w.isBlankFrom(r.end)
}

// math reads a formula and writes it, in place of everything that its rendering has written so far; the rest of the
// rendering is passed over.
func (w *writer) math(z *html.Tokenizer, attrs []html.Attribute, selfClosing bool) {
	f, broken := formula.Read(z, attrs, selfClosing)
	r := w.rendering
	if r != nil {
		deep := 0
		for _, e := range w.open[r.index:] {
			if e.src == r.name {
				deep++
			}
		}
		w.discard(r.index)
		w.out, w.gap = w.out[:r.start], false
		if broken == nil && deep > 0 {
			w.skip = skipper{name: r.name, depth: deep, isBreakable: true}
		}
	}
	start := len(w.out)
	w.formula(f)
	if r == nil {
		r = &rendering{start: start, depth: len(w.open)}
	}
	r.isExact = true
	w.rendering = r
	w.closeRendering()
	switch {
	case broken == nil:
	case broken.IsEnd:
		w.end(broken.Name)
	default:
		w.start(z, broken.Name, broken.HasAttr, broken.IsSelfClosing)
	}
}

func (w *writer) formula(f *formula.Formula) {
	markup, depth, ok := f.HTML()
	parent := w.parent()
	inTable := parent != nil && (parent.out == "table" || tablePart[parent.out] && !cells[parent.out])
	if !ok || inTable || w.shown+depth >= maxDepth || !w.fitsBytes(len(markup)) {
		w.apart(f.Text())
		return
	}
	w.write(markup, 0)
}

var cells = set("td", "th", "caption")

// discard closes the open elements from index i on without a trace in the output, which the caller cuts.
func (w *writer) discard(i int) {
	for _, e := range w.open[i:] {
		if e.out == "" {
			continue
		}
		w.shown--
		w.closers -= len(e.out) + len("</>")
		if e.out == "table" {
			w.tables--
		}
	}
	w.open = w.open[:i]
}

// script passes over a script, unless it holds a formula: TeX is shown as code where the formula has not been rendered
// otherwise.
func (w *writer) script(z *html.Tokenizer, attrs []html.Attribute) {
	kind := strings.ToLower(strings.TrimSpace(text(attrs, "type")))
	isTeX, isMathML := strings.HasPrefix(kind, "math/tex") || strings.HasPrefix(kind, "math/asciimath"),
		strings.HasPrefix(kind, "math/mml")
	if !isTeX && !isMathML || z.Next() != html.TextToken {
		return
	}
	source := string(z.Raw())
	last := w.lastRendering
	isRendered := last != nil && w.isJustAfter(last)
	if isRendered && last.isExact || w.skip.active() {
		return
	}
	if isRendered {
		w.out, w.gap = w.out[:last.start], false
	}
	if isMathML {
		w.mathSource(source)
		return
	}
	if tex := formula.TeX(source); tex != "" && w.fits() {
		before := len(w.open)
		if w.pushTag("code", "code", "<code>"); len(w.open) > before {
			w.text(tex)
			w.popTo(before)
		}
	}
}

// mathSource writes a formula whose markup is the text of a script.
func (w *writer) mathSource(source string) {
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, hasAttr := z.TagName(); formula.IsMath(string(name)) {
				var attrs []html.Attribute
				if hasAttr {
					attrs = readAttributes(z)
				}
				f, _ := formula.Read(z, attrs, tt == html.SelfClosingTagToken)
				w.formula(f)
				return
			}
		}
	}
}

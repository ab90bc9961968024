package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/formula"
)

// maxRendering bounds the search for the end of a formula's rendering, in bytes.
const maxRendering = 64 << 10

// formulaEnd returns the length of a formula, or of a drawing, at b[0], whose start tag has k bytes and whose name is
// in lower case; 0 if it is none. Formulas that a script has rendered are one with their rendering, which often has
// them twice.
func formulaEnd(b []byte, k int, name []byte) int {
	if b[k-2] == '/' {
		return 0
	}
	switch string(name) {
	case "math", "svg":
	case "script":
		if !bytes.Contains(b[:k], []byte("math/")) {
			return 0
		}
	case "span", "div", "mjx-container":
		tag := b[:k]
		if k < len("<span class=katex>") || !bytes.Contains(tag, []byte("katex")) &&
			!bytes.Contains(tag, []byte("MathJax")) &&
			!bytes.Contains(tag, []byte("mjx-")) && !bytes.Contains(tag, []byte("mwe-math-element")) {
			return 0
		}
		n := endOfElement(b, name)
		if n == 0 || bytes.Contains(b[:n], []byte("<math")) {
			return n
		}
		if isSource(b[n:]) || bytes.Contains(tag, []byte("MathJax_Preview")) && isRendering(b[n:]) {
			return n // followed by its source, or a preview of it
		}
		return 0
	default:
		return 0
	}
	if m := endOfRaw(b[k:], tagName(b[1:k])); m > 0 {
		return k + m
	}
	return 0
}

// endOfElement returns the length of the element at b[0], elements of its name within it included; 0 if it is not
// found.
func endOfElement(b, name []byte) int {
	b = b[:min(len(b), maxRendering)]
	deep := 0
	for i := 0; i < len(b); {
		k := bytes.IndexByte(b[i:], '<')
		if k < 0 || i+k+2 >= len(b) {
			return 0
		}
		i += k
		at := i + 1
		isEnd := b[at] == '/'
		if isEnd {
			at++
		}
		end := htmlTagEnd(b[i:])
		if end < 0 {
			return 0
		}
		if bytes.EqualFold(tagName(b[at:i+end]), name) {
			if !isEnd && b[i+end-2] != '/' {
				deep++
			} else if isEnd {
				deep--
			}
		}
		i += end
		if deep == 0 {
			return i
		}
	}
	return 0
}

// isRendering reports that b begins with an element of MathJax.
func isRendering(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	end := htmlTagEnd(b)
	return end > 0 && b[0] == '<' && bytes.Contains(b[:end], []byte(`"MathJax`))
}

// isSource reports that b begins with a script that has the source of a formula.
func isSource(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	if !bytes.HasPrefix(b, []byte("<script")) {
		return false
	}
	end := htmlTagEnd(b)
	return end > 0 && bytes.Contains(b[:end], []byte("math/tex"))
}

// formula adds the words of a formula, or of a drawing.
func (w *liner) formula(b []byte) {
	end := htmlTagEnd(b)
	if bytes.HasPrefix(b, []byte("<script")) {
		if len(w.b) > w.start && len(w.b) == w.afterFormula {
			return // the source of the rendering
		}
		source := b[end:max(end, bytes.LastIndexByte(b, '<'))]
		if i := bytes.Index(source, []byte("<math")); i < 0 {
			w.words(formula.TeX(string(source)))
			return
		}
	}
	i := mathAt(b)
	if i < 0 {
		if local := tagName(b[1:end]); bytes.EqualFold(local, []byte("svg")) {
			w.gap = true
			w.words(formula.DrawingText(string(b)))
			w.gap = true
		}
		return
	}
	z := html.NewTokenizer(bytes.NewReader(b[i:]))
	tt := z.Next()
	if tt != html.StartTagToken {
		return
	}
	var attrs []html.Attribute
	if _, has := z.TagName(); has {
		attrs = formula.Attributes(z)
	}
	f, _ := formula.Read(z, attrs, false)
	w.words(f.Text())
}

// mathAt finds the start tag of a formula.
func mathAt(b []byte) int {
	if strings.HasSuffix(string(tagName(b[1:])), ":math") {
		return 0
	}
	return bytes.Index(b, []byte("<math"))
}

func (w *liner) words(s string) {
	if s == "" {
		return
	}
	w.text([]byte(s))
	w.afterFormula = len(w.b)
}

package listing

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/reader"
)

// document is a parsed page.
type document struct {
	root  *html.Node
	url   *url.URL // of the page
	base  *url.URL // that links are relative to
	lang  string
	steps *budget

	jsonOf map[*html.Node]*value // of scripts that were read
	titled map[string]string     // links by their text, made when first asked for
	next   *string               // the next page, when it has been looked for
	order  map[*html.Node]int    // place of elements in the page, made when first asked for
	months []monthMark           // the months that the page names, likewise
	said   said
	pushed *value // what flight has read
}

// budget bounds the work on one page: where nodes are visited, they are counted.
type budget struct {
	left   int
	asked  int             // what was left when done was asked last
	done   <-chan struct{} // of the context
	isDone bool
}

// askEvery is after how many steps the context is asked whether anybody still waits.
const askEvery = 20_000

func newBudget(ctx context.Context, steps int) *budget {
	return &budget{left: steps, asked: steps, done: ctx.Done()}
}

// again is a new budget for the same caller.
func (b *budget) again(steps int) *budget {
	return &budget{left: steps, asked: steps, done: b.done, isDone: b.isDone}
}

// maxSteps bounds the steps of one reading: a fraction of a second.
const maxSteps = 12_000_000

func (b *budget) spend(n int) bool {
	b.left -= n
	if b.asked-b.left >= askEvery {
		b.asked = b.left
		select {
		case <-b.done:
			b.isDone = true
		default:
		}
	}
	if b.isDone {
		b.left = -1
	}
	return b.left >= 0
}

// patientReader ends with the context's error: a page that nobody waits for is not parsed to its end.
type patientReader struct {
	io.Reader
	err func() error
}

func (r patientReader) Read(p []byte) (int, error) {
	if err := r.err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func parsePage(ctx context.Context, body []byte, contentType, pageURL string) (*document, error) {
	u, err := url.Parse(pageURL)
	if err != nil || u.Host == "" {
		return nil, &Error{Code: CodePage, Detail: "the page has no address"}
	}
	if len(body) > maxPage {
		return nil, &Error{Code: CodePage, Detail: "the page has more than 10 MB"}
	}
	text, fromCharset := page.Decode(body, contentType)
	root, err := html.Parse(patientReader{bytes.NewReader(reduce(text)), ctx.Err})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Error{Code: CodePage, Detail: err.Error()}
	}
	d := &document{root: root, url: u, base: u, steps: newBudget(ctx, maxSteps)}
	d.readHead(struckClasses(text))
	d.wrapLines()
	if d.lang == "" {
		d.lang = fromCharset
	}
	if d.lang == "" {
		d.lang = guessLang(text)
	}
	if isAmerican(d.lang) && d.lang != "" && writesDayFirst(text) {
		d.lang = "en-GB"
	}
	return d, nil
}

func (d *document) readHead(struck map[string]bool) {
	hasBase := false
	for n := range d.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if len(struck) > 0 && slices.ContainsFunc(strings.Fields(attr(n, "class")), func(c string) bool {
			return struck[c]
		}) {
			n.Attr = append(n.Attr, html.Attribute{Key: struckMark})
		}
		switch n.DataAtom {
		case atom.Html:
			d.lang = cleanLang(attr(n, "lang"))
		case atom.Base:
			if u := d.resolve(attr(n, "href")); u != nil && !hasBase && attr(n, "href") != "" {
				d.base, hasBase = u, true
			}
		}
	}
}

// cleanLang keeps what looks like a language: ja, en-GB.
func cleanLang(v string) string {
	v = strings.TrimSpace(strings.ReplaceAll(v, "_", "-"))
	if len(v) < 2 || len(v) > 20 {
		return ""
	}
	for _, c := range []byte(v) {
		if !isLetter(c) && c != '-' && (c < '0' || c > '9') {
			return ""
		}
	}
	return v
}

// guessLang tells the languages that have a script of their own.
func guessLang(text []byte) string {
	kana, hangul, han := 0, 0, 0
	for i, r := range string(text[:min(len(text), 200<<10)]) {
		if r < 0x3000 {
			continue
		}
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Han, r):
			han++
		}
		if kana > 200 || i > 200<<10 {
			break
		}
	}
	switch {
	case kana > 5:
		return "ja"
	case hangul > 5:
		return "ko"
	case han > 20:
		return "zh"
	}
	return ""
}

// resolve returns an absolute address, of whatever scheme; nil if it is none.
func (d *document) resolve(ref string) *url.URL {
	ref = strings.TrimSpace(ref)
	if len(ref) > 8<<10 {
		return nil
	}
	u, err := d.base.Parse(ref)
	if err != nil {
		return nil
	}
	return u
}

// maxLink is the longest address that is kept.
const maxLink = 2048

// link returns an absolute http(s) address; empty for any other.
func (d *document) link(ref string) string {
	if strings.TrimSpace(ref) == "" {
		return ""
	}
	u := d.resolve(ref)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if s := u.String(); len(s) <= maxLink {
		return s
	}
	return ""
}

func attr(n *html.Node, name string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return true
		}
	}
	return false
}

func isElement(n *html.Node, names ...atom.Atom) bool {
	if n.Type != html.ElementNode {
		return false
	}
	for _, a := range names {
		if n.DataAtom == a {
			return true
		}
	}
	return len(names) == 0
}

// maxText is how much of a text is read, in bytes.
const maxText = 4 << 10

// textOf returns what a person reads in an element, in one line, without what skip leaves out.
func textOf(n *html.Node, skip func(*html.Node) bool) string { return textUpTo(n, maxText, skip) }

func textUpTo(n *html.Node, most int, skip func(*html.Node) bool) string {
	if c := n.FirstChild; n.Type == html.ElementNode && c != nil && c == n.LastChild && c.Type == html.TextNode &&
		!hidesText(n) {
		return oneLine(reader.CutBytes(c.Data, most))
	}
	var b strings.Builder
	b.Grow(64)
	writeText(&b, n, most, skip)
	return oneLine(reader.CutBytes(b.String(), most))
}

// hidesText tells the elements whose text is not shown.
func hidesText(n *html.Node) bool {
	return isElement(n, atom.Script, atom.Style, atom.Template, atom.Noscript)
}

func writeText(b *strings.Builder, n *html.Node, most int, skip func(*html.Node) bool) {
	if b.Len() > most {
		return
	}
	switch n.Type {
	case html.TextNode:
		b.WriteString(n.Data[:min(len(n.Data), most)])
		return
	case html.ElementNode:
		if hidesText(n) || skip != nil && skip(n) {
			return
		}
	}
	isInline := isElement(n) && inline(n.DataAtom)
	if !isInline {
		b.WriteByte(' ')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(b, c, most, skip)
	}
	if !isInline {
		b.WriteByte(' ')
	}
}

// inline tells the elements that do not part words.
func inline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Em,
		atom.Font, atom.I,
		atom.Ins, atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub,
		atom.Sup, atom.Time,
		atom.Tt, atom.U, atom.Wbr:
		return true
	}
	return false
}

// oneLine collapses white space, also that of other scripts, and drops what is not shown.
func oneLine(s string) string {
	if isOneLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case isUnseen(r):
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// isOneLine reports whether oneLine would change nothing: of most texts.
func isOneLine(s string) bool {
	last := ' '
	for _, r := range s {
		if r == ' ' && last == ' ' || r != ' ' && unicode.IsSpace(r) || isUnseen(r) || r == utf8.RuneError {
			return false
		}
		last = r
	}
	return last != ' ' || s == ""
}

// isUnseen tells the characters that are not shown.
func isUnseen(r rune) bool {
	return r == '\u200b' || r == '\u00ad' || r == '\ufeff' || r < ' ' || r == 0x7f
}

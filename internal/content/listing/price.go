package listing

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Price is an amount with its currency.
type Price = money.Price

// parseMinor reads a whole number of minor units.
func parseMinor(text, currency string) (Price, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return Price{Amount: n, Currency: currency}, err == nil && n >= 0 && n < 1e15
}

// priceOf returns a text without crossed-out parts. Small digits behind others are raised: they are cents.
func priceOf(n *html.Node) string {
	w := priceWriter{}
	w.write(n, false)
	if t := oneLine(reader.CutBytes(w.b.String(), maxText)); t != "" {
		if m := adults.FindStringSubmatch(t); m != nil {
			return m[1]
		}
		return t
	}
	if isCrossedOut(n) {
		return ""
	}
	for _, name := range []string{"content", "value", "alt"} {
		if v := attr(n, name); v != "" {
			return v
		}
	}
	return ""
}

// adults finds the whole price of an admission among those for others.
var adults = pattern.New(`(?i)(?:^|[^\pL])(?:一般|大人|おとな|adults?|erwachsene|adultes?|adultos?|adulti|성인) ?[:：]?` +
	` ?([^\d]{0,6}\d.*?)(?:、|, |/|／|;|$)`)

// priceWriter writes an element's text. Where digits of two elements meet, the second are cents if they are two; else
// "_" keeps them from being read as one number.
type priceWriter struct {
	b        strings.Builder
	last     rune // that is no blank
	isParted bool // from what follows
}

func (w *priceWriter) write(n *html.Node, isRaised bool) {
	if w.b.Len() > maxText {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data[:min(len(n.Data), maxText)], isRaised)
		return
	case html.ElementNode:
		if isElement(n, atom.Script, atom.Style, atom.Template, atom.Noscript) || isCrossedOut(n) {
			return
		}
		isRaised = isRaised || n.DataAtom == atom.Sup
	}
	isInline := isElement(n) && inline(n.DataAtom)
	if !isInline {
		w.text(" ", false)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.write(c, isRaised)
	}
	if !isInline {
		w.text(" ", false)
	}
}

func (w *priceWriter) text(s string, isRaised bool) {
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	if isParted := len(rest) < len(s); isParted && !w.isParted {
		w.b.WriteByte(' ')
		w.isParted = true
	}
	if s = rest; s == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(s)
	if isSpacedLetter(first) && isSpacedLetter(w.last) && !w.isParted { // "50 zł" and "negotiable" beside it
		w.b.WriteByte(' ')
	}
	if unicode.IsDigit(first) && (unicode.IsDigit(w.last) || isRaised) {
		digits := len(s) - len(strings.TrimLeftFunc(s, unicode.IsDigit))
		switch {
		case isRaised || utf8.RuneCountInString(s[:digits]) == 2 && !w.isParted:
			s = money.Raise(s[:digits]) + s[digits:]
		default:
			w.b.WriteByte('_')
		}
	}
	w.b.WriteString(s)
	rest = strings.TrimRightFunc(s, unicode.IsSpace)
	w.isParted = len(rest) < len(s)
	w.last, _ = utf8.DecodeLastRuneInString(rest)
}

// isSpacedLetter reports whether a letter is of a script that has blanks between words.
func isSpacedLetter(r rune) bool { return unicode.IsLetter(r) && match.Spaced(r) }

// struckClass are the classes of toolkits that cross a text out.
var struckClass = pattern.New(`(?i)(?:^|[\s_-])(?:line-through|strike(?:d|-?through)?|crossed-?out)(?:$|[\s_-])`)

// formerName are names of what holds a former price.
var formerName = pattern.New(`(?i)(?:^|[\s_-])(?:old|was|former|prev(?:ious)?|regular|list|rrp|uvp|msrp` +
	`|original|compare(?:-?at)?|before)-?_?(?:price|amount)|price[-_]*(?:old|was|former|prev(?:ious)?|regular` +
	`|original|compare|before)(?:$|[\s_-])|(?:old|was|regular|original)Price`)

// neverPrice are labels of amounts that are never the price, whichever place a row has them in.
var neverPrice = pattern.New(`(?i)^(?:送料|配送料|獲得ポイント|ポイント|還元|実質負担|敷金|礼金|手数料|shipping|postage|delivery|deposit)`)

// askedNow puts elements with a former or another amount behind the others. Those that are crossed out, or never the
// price, are dropped.
func askedNow(row *html.Node, found []*html.Node) []*html.Node {
	var now, former []*html.Node
	for _, n := range found {
		isFormer, isStruck := false, false
		for p := n; p != nil && p != row; p = p.Parent {
			isFormer = isFormer || formerName.MatchString(reader.CutBytes(attr(p, "class"), 200))
			isStruck = isStruck || p != n && isCrossedOut(p) && !hasAttr(p, "hidden")
		}
		label := labelOf(n)
		isFormer = isFormer || otherAmount.MatchString(label) || len(found) > 1 && isOtherAmount(n)
		switch {
		case neverPrice.MatchString(label):
		case isFormer && !isStruck:
			former = append(former, n)
		case !isStruck:
			now = append(now, n)
		}
	}
	return append(now, former...)
}

// isOtherAmount reports whether what stands before an amount names another one than the price.
func isOtherAmount(n *html.Node) bool {
	text := textOf(n, nil)
	i := strings.IndexAny(text, digits)
	return i >= 0 && otherAmount.MatchString(beforeText(n)) ||
		i > 0 && i <= maxLabel && otherAmount.MatchString(text[:i])
}

// struckMark is the attribute of elements that the page's own style sheet crosses out.
const struckMark = "data-ruri-struck"

var (
	struckRule  = pattern.New(`([^{}]{1,300})\{[^{}]{0,600}line-through`)
	lastOfClass = pattern.New(`\.([A-Za-z_][\w-]{0,60})\s*$`)
)

// maxStyles is how much of a page is searched for style sheets, in bytes.
const maxStyles = 1 << 20

// struckClasses lists the classes that the style sheets in a page cross out.
func struckClasses(body []byte) map[string]bool {
	var out map[string]bool
	body = body[:min(len(body), maxStyles)]
	for {
		i := bytes.Index(body, []byte("<style"))
		if i < 0 {
			return out
		}
		body = body[i:]
		end := bytes.Index(body, []byte("</style"))
		if end < 0 {
			return out
		}
		for _, m := range struckRule.Regexp().FindAllSubmatch(body[:end], maxElements) {
			for one := range bytes.SplitSeq(m[1], []byte(",")) {
				if c := lastOfClass.Regexp().FindSubmatch(one); c != nil {
					if out == nil {
						out = map[string]bool{}
					}
					out[string(c[1])] = true
				}
			}
		}
		body = body[end:]
	}
}

func isCrossedOut(n *html.Node) bool {
	return isElement(n, atom.Del, atom.S, atom.Strike) || hasAttr(n, struckMark) || hasAttr(n, "hidden") ||
		struckClass.MatchString(attr(n, "class")) || strings.Contains(strings.ReplaceAll(attr(n, "style"), " ", ""),
		"line-through")
}

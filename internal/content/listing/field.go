package listing

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/content/picture"
	"github.com/ruri-reader/ruri/internal/reader"
)

// maxMatches is how many elements a field tries until one has a value.
const maxMatches = 8

// value returns the text of a field of a row, and whether the row has its place; not ok if it takes too many steps.
func (d *document) value(row *html.Node, name string, f *fieldReading, near *nearby) (text string, has, ok bool) {
	var found []*html.Node
	switch {
	case f.before:
		if n := near.nearest(row); n != nil {
			found = append(found, n)
		}
	case f.after:
		if n := near.following(row); n != nil {
			found = append(found, n)
		}
	case f.sel == nil:
		found = append(found, row)
	default:
		if found, ok = f.sel.find(row, maxMatches, d.steps); !ok {
			return "", false, false
		}
	}
	if name == "price" {
		found = askedNow(row, found)
	}
	for _, n := range found {
		if !d.steps.spend(sizeOf(n, d.steps.left)) {
			return "", false, false
		}
		v := d.read1(n, name, f.Attr)
		if f.match != nil && !d.steps.spend(min(len(v), maxMatched)*f.size/8) {
			return "", false, false
		}
		v = f.pick(v)
		if v == "" || name == "link" && d.link(v) == "" {
			continue
		}
		if v = f.translate(v); name == "status" && !d.isStatus(v) {
			has = true // a text that says nothing of it: "ships in 2 weeks"
			continue
		}
		return v, true, true
	}
	if has {
		return f.Else, true, true
	}
	return f.translate(""), false, true
}

// maxMatched is how much of a value Match looks at, in bytes.
const maxMatched = 2 << 10

// pick applies Match.
func (f *fieldReading) pick(v string) string {
	if f.match == nil {
		return v
	}
	v = reader.CutBytes(v, maxMatched)
	m := f.match.FindStringSubmatch(v)
	switch len(m) {
	case 0:
		return ""
	case 1:
		return m[0]
	}
	return m[1]
}

// translate applies Map and Else. The whole text is looked up first, then the longest key that is in it as a word.
func (f *fieldReading) translate(v string) string {
	if len(f.Map) == 0 {
		if v == "" {
			return f.Else
		}
		return v
	}
	v = strings.TrimSpace(v)
	best, found := "", false
	for k := range f.Map {
		if strings.EqualFold(k, v) {
			return f.Map[k]
		}
		if longer := len(k) > len(best) || len(k) == len(best) && k < best; k != "" && (longer || !found) &&
			containsWord(v, k) {
			best, found = k, true
		}
	}
	if found {
		return f.Map[best]
	}
	return f.Else
}

// containsWord finds a text within another, not in the middle of a word, whatever its case.
func containsWord(s, word string) bool {
	s, word = strings.ToLower(s), strings.ToLower(word)
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if money.WordEnds(s[:i], word) && money.WordEnds(word, s[i+len(word):]) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		at = i + size
	}
}

// read1 reads an element as a field's value.
func (d *document) read1(n *html.Node, name, attribute string) string {
	switch {
	case strings.HasSuffix(attribute, "srcset"):
		return picture.Widest(attr(n, attribute))
	case attribute != "":
		return attr(n, attribute)
	}
	switch name {
	case "link":
		return linkOf(n)
	case "image":
		return imageIn(n)
	case "date":
		if s := boxedDate(n, d.lang); s != "" {
			return s
		}
		return d.underMonth(n, dateOf(n))
	case "price":
		return priceOf(n)
	case "title":
		return titleOf(n)
	}
	return wordsOf(n)
}

// wordsOf returns a text, or what stands for it.
func wordsOf(n *html.Node) string {
	if t := textOf(n, nil); t != "" {
		return t
	}
	for _, name := range []string{"alt", "content", "value", "aria-label", "title"} {
		if v := attr(n, name); v != "" {
			return v
		}
	}
	for c := range n.Descendants() {
		if isElement(c, atom.Img) && attr(c, "alt") != "" {
			return attr(c, "alt")
		}
	}
	return ""
}

// linkOf returns where an element leads: itself, what is in it, or what it is in.
func linkOf(n *html.Node) string {
	if v := attr(n, "href"); v != "" {
		return v
	}
	for c := range n.Descendants() {
		if isElement(c, atom.A, atom.Area) && attr(c, "href") != "" {
			return attr(c, "href")
		}
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if isElement(p, atom.A) {
			return attr(p, "href")
		}
	}
	return ""
}

// imageIn returns the address of the first picture in an element, by the rule of package picture.
func imageIn(n *html.Node) string {
	if v := or(imageOf(n), backgroundOf(n)); v != "" {
		return v
	}
	other := "" // the picture in another format
	for c := range n.Descendants() {
		switch v := or(imageOf(c), backgroundOf(c)); {
		case v != "" && isElement(c, atom.Source):
			other = or(other, v)
		case v != "":
			return v
		}
	}
	return other
}

var background = pattern.New(`(?i)background(?:-image)?\s*:[^;]*?url\(\s*["']?([^"')]+)`)

// backgroundOf returns the picture behind an element.
func backgroundOf(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	for _, name := range []string{"data-bg", "data-background", "data-background-image"} {
		if v := strings.TrimSuffix(strings.TrimPrefix(attr(n, name), "url("), ")"); v != "" &&
			strings.ContainsAny(v, "/.") {
			return strings.Trim(v, `"' `)
		}
	}
	style := attr(n, "style")
	if style == "" || !strings.Contains(style, "url(") {
		return ""
	}
	if m := background.FindStringSubmatch(reader.CutBytes(style, maxText)); m != nil && !picture.IsPlaceholder(m[1]) {
		return strings.TrimSpace(m[1])
	}
	return ""
}

func imageOf(n *html.Node) string {
	switch {
	case isElement(n, atom.Meta, atom.Link):
		return attr(n, "content") + attr(n, "href")
	case isElement(n, atom.Source) && n.Parent != nil && isElement(n.Parent, atom.Picture):
		for c := range n.Parent.ChildNodes() {
			if isElement(c, atom.Img) {
				return imageOf(c)
			}
		}
	case !isElement(n, atom.Img) && n.Data != "amp-img":
		return ""
	}
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		if next.Type == html.ElementNode {
			if hasAttr(next, fallbackMark) {
				n = next // the same picture for readers without scripts
			}
			break
		}
	}
	var m picture.Image
	for i := range n.Attr {
		m.Set(n.Attr[i].Key, n.Attr[i].Val)
	}
	if n.Parent != nil && isElement(n.Parent, atom.Picture) {
		for c := range n.Parent.ChildNodes() {
			if isElement(c, atom.Source) {
				for i := range c.Attr {
					m.SetSource(c.Attr[i].Key, c.Attr[i].Val)
				}
			}
		}
	}
	for v := range m.Sources() {
		if !strings.HasPrefix(v, "data:") {
			return v
		}
	}
	return ""
}

// dateOf returns an element's machine-readable date, else its text, else its title (the whole date of "3 hours ago").
func dateOf(n *html.Node) string {
	if v := attr(n, "datetime"); v != "" {
		return v
	}
	for c := range n.Descendants() {
		if isElement(c, atom.Time) && attr(c, "datetime") != "" {
			return attr(c, "datetime")
		}
	}
	for _, name := range []string{"content", "data-datetime", "data-date", "data-timestamp", "data-time", "title"} {
		if v := attr(n, name); v != "" && hasDate(v) {
			return v
		}
	}
	return textOf(n, nil)
}

func hasDate(s string) bool {
	_, ok := findDate(s, "en")
	return ok
}

// titleOf returns a text without its badges; where it is cut, the attribute that has it whole.
func titleOf(n *html.Node) string {
	t := textOf(n, nil)
	if t == "" {
		return wordsOf(n)
	}
	if badges := badgesIn(n, width(t)); len(badges) > 0 {
		if rest := textOf(n, func(c *html.Node) bool { return slices.Contains(badges, c) }); rest != "" {
			t = rest
		}
	}
	stem, isCut := withoutEllipsis(t)
	if !isCut {
		return t
	}
	for _, whole := range wholeTitles(n) {
		if whole = oneLine(whole); len(whole) >= len(stem) &&
			strings.HasPrefix(strings.ToLower(whole), strings.ToLower(stem)) {
			return whole
		}
	}
	return t
}

// maxBadge is how wide the text of a badge is at most.
const maxBadge = 20

var (
	badgeName = pattern.New(`(?i)(?:^|[-_ ])(?:badges?|labels?|cnt|counts?|comments?|cmt|repl(?:y|ies)|tags?|ribbon|flag|icon|ico|pill|chip|mark|new` +
		`|sticker|sold-?out)(?:$|[-_ \d])|(?:Badge|Label|Ribbon|Pill|Chip|Sticker)`)
	badgeText = pattern.New(`(?i)^[\[【(（<＜★☆]*(?:(?:title|titre|titel|título|titolo|subject|name|件名|タイトル|商品名` +
		`|品名|名称|職種) ?[:：]|new!*|new (?:listing|in|arrival)s?|新着!?|新品|new入荷|新入荷|up|update|更新|hot!*|featured|urgent` +
		`|急募|おすすめ|オススメ|人気|注目|限定|送料無料|特価|セール|sale!*|pr|広告|sponsored|promoted|pick ?up|ピックアップ|` +
		`sold(?: out)?|売り?切れ?|完売|受付終了|募集終了|終了|在庫なし|売約済み?|売却済み?|成約済み?|予約|reserved|reduced|price drop|値下げ|top` +
		`|best ?seller|popular|exclusive|limited|neu|nouveau|nuevo|nuovo|重要|至急|緊急)[\]】)）>＞★☆!！]*$`)
)

// hiddenText are the classes of what is only for screen readers: "Opens in a new window".
var hiddenText = pattern.New(
	`(?i)(?:^|[\s_-])(?:clipped|sr-?only|visually-?hidden|screen-?reader(?:-?(?:text|only))?|off-?screen` +
		`|assistive-?text|a11y-?hidden|sound[-_]?only|blind)(?:$|[\s_-])`)

// badgesIn lists labels within a title ("New", "SOLD OUT"), unless hardly anything would be left without them.
func badgesIn(n *html.Node, all int) []*html.Node {
	var out []*html.Node
	visited, left := 0, all
	for c := range n.Descendants() {
		if visited++; visited > maxElements {
			break
		}
		if c.Type != html.ElementNode || isHeading(c) || slices.ContainsFunc(out, func(o *html.Node) bool {
			return contains(o, c)
		}) {
			continue
		}
		t := textOf(c, nil)
		w := width(t)
		if w > 0 && w < left && hiddenText.MatchString(attr(c, "class")) {
			out = append(out, c)
			left -= w
			continue
		}
		if w == 0 || w > maxBadge || w*2 > left || !badgeText.MatchString(t) &&
			(!badgeName.MatchString(attr(c, "class")) || w*3 > left) {
			continue
		}
		out = append(out, c)
		left -= w
	}
	return out
}

func withoutEllipsis(s string) (string, bool) {
	for _, end := range []string{"…", "...", "‥"} {
		if stem, ok := strings.CutSuffix(s, end); ok {
			return strings.TrimRightFunc(stem, func(r rune) bool {
				return unicode.IsSpace(r) || unicode.IsPunct(r)
			}), true
		}
	}
	return s, false
}

// wholeTitles lists the attributes of an element, its content and the links around it that may hold a title.
func wholeTitles(n *html.Node) []string {
	var out []string
	add := func(n *html.Node) {
		for _, name := range []string{"title", "aria-label", "data-title", "alt"} {
			if v := attr(n, name); v != "" {
				out = append(out, v)
			}
		}
	}
	add(n)
	for c := range n.Descendants() {
		if len(out) > maxMatches {
			break
		}
		add(c)
	}
	for p, i := n.Parent, 0; p != nil && i < 2; p, i = p.Parent, i+1 {
		add(p)
	}
	return out
}

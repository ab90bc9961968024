package listing

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Limits of the reading of a page that shows a single thing.
const (
	maxShown = 4000 // elements of it that are looked at
	maxClimb = 8    // elements from the heading up to that which also holds the price
)

// otherThings are the names of parts of a page that show other things.
var otherThings = pattern.New(`(?i)related|recommend|similar|also|ranking|history|recently|viewed|upsell` +
	`|cross-?sell|suggest|carousel|sidebar|footer|header|breadcrumb|review|comment|osusume|kanren`)

// otherHeading are the headings of such parts.
var otherHeading = pattern.New(`(?i)関連|おすすめ|オススメ|この商品を(?:見た|買った)|最近(?:見た|チェック)|ランキング|よく(?:読まれ|見られ)|人気の?(?:商品|記事|作品)|売れ筋|注目の|近隣の|似た|同じカテゴリ|出品者の他|related` +
	`|recommended|similar|similaires|simil[ei]|vergelijkbare|liknande|podobne|相关|相關|推荐|推薦|猜你喜欢|관련|추천|비슷한|you may also|customers also|recently (?:viewed|sold|added nearby)|nearby|most (?:read|popular|viewed)|best ?sellers|meistgelesen|les plus lus|más leídos|more from|other items|ähnliche|vous aimerez`)

// shownThing reads a page of one thing as a person does: the heading, and beside it price and status.
func (d *document) shownThing() detailRecord {
	meta := d.metaOf()
	out := detailRecord{source: SourcePage}
	h := d.mainHeading(meta["og:title"])
	out.title = meta["og:title"]
	if h != nil {
		out.title = titleOf(h)
	}
	out.image = meta["og:image"]
	area := d.areaOf(h)
	if area == nil {
		area = d.root
	}
	s := shownReader{document: d, out: &out, heading: h}
	s.read(area)
	if s.price == "" {
		s.price = or(meta["product:price:amount"], meta["og:price:amount"])
		out.currency = or(meta["product:price:currency"], meta["og:price:currency"])
	}
	out.price = s.price
	out.status = or(s.sold, or(meta["product:availability"], or(meta["og:availability"], s.sale)))
	if parseStatus(out.status) != Sold {
		out.soldAt = ""
	}
	return out
}

// metaOf returns what the head of a page says, by name.
func (d *document) metaOf() map[string]string {
	out := map[string]string{}
	for n := range d.root.Descendants() {
		if !isElement(n, atom.Meta) {
			continue
		}
		if name := strings.ToLower(or(attr(n, "property"), attr(n, "name"))); name != "" && out[name] == "" {
			out[name] = strings.TrimSpace(attr(n, "content"))
		}
	}
	return out
}

// mainHeading is the first heading of the highest rank, or that which says what the head of the page says.
func (d *document) mainHeading(title string) *html.Node {
	title = oneLine(or(title, d.title()))
	var first *html.Node
	for n := range d.root.Descendants() {
		if !isElement(n, atom.H1, atom.H2) && !named(n, titleName) {
			continue
		}
		t := textOf(n, nil)
		if width(t) < 2 || width(t) > maxTitle {
			continue
		}
		isSame := strings.HasPrefix(title, t) || strings.Contains(title, t) && width(t) > 6
		switch {
		case isElement(n, atom.H1, atom.H2) && isSame:
			return n
		case first == nil && isElement(n, atom.H1):
			first = n
		}
	}
	return first
}

// areaOf is the smallest element around a heading that also holds a price or a status.
func (d *document) areaOf(h *html.Node) *html.Node {
	if h == nil {
		return nil
	}
	area := h.Parent
	for range maxClimb {
		if area == nil || isElement(area, atom.Body, atom.Html) {
			break
		}
		s := shownReader{document: d, out: &detailRecord{}, heading: h}
		s.read(area)
		if s.price != "" {
			if up := area.Parent; up != nil && !isElement(up, atom.Body) { // the status may stand beside
				return up
			}
			return area
		}
		area = area.Parent
	}
	return area
}

// shownReader gathers what an area shows.
type shownReader struct {
	*document
	out        *detailRecord
	heading    *html.Node
	price      string
	rank       int // of the price
	sold, sale string
	visited    int
	label      string // the text before: "Sold on", 終了日時
	inOther    bool   // behind a heading of other things
}

func (s *shownReader) read(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if s.visited++; s.visited > maxShown || s.inOther || !s.steps.spend(20) {
			return
		}
		if c.Type != html.ElementNode || s.isElse(c) {
			continue
		}
		if c != s.heading && isHeading(c) && otherHeading.MatchString(reader.Cut(textOf(c, nil), 60)) {
			s.inOther = true
			return
		}
		s.element(c)
		s.read(c)
	}
}

// isElse tells the parts that show other things, or nothing.
func (s *shownReader) isElse(n *html.Node) bool {
	if isElement(n, atom.Script, atom.Style, atom.Template, atom.Nav, atom.Footer, atom.Aside, atom.Select,
		atom.Noscript) || hasAttr(n, "hidden") {
		return true
	}
	if s.heading != nil && (n == s.heading || contains(n, s.heading)) {
		return false
	}
	name := reader.CutBytes(attr(n, "class"), 200) + " " + attr(n, "id")
	return otherThings.MatchString(name) || isElement(n, atom.A) && s.otherPage(attr(n, "href")) != nil &&
		width(textOf(n, nil)) > 30
}

var (
	endLabel = pattern.New(`(?i)^(?:sold(?: on| at)?|ended(?: on| at)?|closed(?: on)?|end (?:date` +
		`|time)|sale date|終了(?:日時?|時刻)?|落札(?:日時?)?|売却日|販売終了(?:日時?)?|購入日|成約日|取引終了日?)[:： ]*$`)
	endText = pattern.New(`(?i)^(?:sold|ended|closed|auction ended|終了|落札|売却|販売終了|成約|売り?切れ).{0,40}\d`)
)

// element reads one element.
func (s *shownReader) element(n *html.Node) {
	if v := imageOf(n); v != "" && isElement(n, atom.Img) && !isSmall(n) && !iconName.MatchString(attr(n, "class")+v) &&
		len(s.out.images) < maxImages {
		s.out.images = append(s.out.images, v)
		return
	}
	if isCrossedOut(n) {
		return
	}
	text := textOf(n, isCrossedOut)
	if text == "" {
		text = or(attr(n, "content"), attr(n, "value"))
	}
	if w := width(text); w == 0 || w > 2*maxPriceWidth {
		return
	}
	s.readPrice(n, text)
	if !hasElements(n) || isElement(n, atom.Button) {
		switch parseStatus(text) {
		case Sold:
			s.sold = or(s.sold, text)
		case OnSale:
			if !hasAttr(n, "disabled") {
				s.sale = or(s.sale, text)
			}
		}
	}
	s.readEnd(n, text)
}

// readPrice takes the price with the best name, of equal ones the first.
func (s *shownReader) readPrice(n *html.Node, text string) {
	if width(text) > maxPriceWidth || n == s.heading {
		return
	}
	rank := 1
	switch {
	case named(n, oldPrice) || named(n.Parent, oldPrice) && !named(n, priceName):
		return
	case attr(n, "itemprop") == "price":
		rank = 4
	case named(n, priceName):
		rank = 3
	case named(n.Parent, priceName):
		rank = 2
	case hasElements(n):
		return
	}
	p, ok := money.Parse(text, s.lang)
	if !ok || rank < 4 && (p.Currency == "" || isBareNumber(text)) {
		return
	}
	if rank > s.rank {
		s.price, s.rank = text, rank
	}
}

// readEnd looks for the day on which a thing was sold.
func (s *shownReader) readEnd(n *html.Node, text string) {
	if s.out.soldAt != "" {
		return
	}
	switch {
	case endLabel.MatchString(text):
		s.label = text
	case s.label != "" && !hasElements(n), isElement(n, atom.Time) && s.label != "":
		if v := dateOf(n); hasDate(v) {
			s.out.soldAt = v
		}
		s.label = ""
	case !hasElements(n) && endText.MatchString(text):
		if hasDate(text) {
			s.out.soldAt = text
		}
	}
}

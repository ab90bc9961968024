package listing

import (
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// Names that data uses for the fields of a row, the most telling first.
var jsonNames = map[string][]string{
	"id":    {"id", "sku", "productId", "productID", "itemId", "listingId", "code", "uuid", "slug", "_id"},
	"title": {"title", "headline", "name", "productName", "itemName", "label", "subject", "text", "caption"},
	"link": {"url", "link", "href", "permalink", "productUrl", "itemUrl", "canonicalUrl", "webUrl", "path",
		"uri", "pageUrl"},
	"price": {"price", "salePrice", "currentPrice", "finalPrice", "sellingPrice", "amount", "priceAmount",
		"lowPrice", "minPrice", "prices", "centAmount", "priceCents", "price_cents", "priceMinor", "value"},
	"currency": {"currency", "currencyCode", "priceCurrency", "currency_code"},
	"image": {"image", "imageUrl", "image_url", "thumbnail", "thumbnailUrl", "thumb", "thumbnails", "images",
		"photo", "photos", "picture", "img", "cover", "media"},
	"date": {"date", "publishedAt", "published_at", "datePublished", "published", "createdAt", "created_at",
		"created", "listedAt", "listed_at", "postedAt", "posted_at", "startDate", "updatedAt", "updated_at", "updated"},
	"status": {"status", "availability", "state", "sold", "isSold", "is_sold", "soldOut", "isSoldOut", "sold_out",
		"inStock", "in_stock", "isAvailable", "available", "stock"},
	"seller": {"seller", "sellerName", "shop", "shopName", "vendor", "merchant", "owner", "user",
		"author", "brand"},
	"sellerType": {"sellerType", "seller_type", "shopType"},
}

// Members that hold the text of a field that is an object.
var jsonMembers = map[string][]string{
	"price": {"amount", "value", "price", "current", "sale", "final", "min", "low", "cents", "minor", "formatted",
		"display", "text"},
	"currency": {"code", "currency"},
	"image":    {"url", "src", "large", "medium", "small", "href", "original", "default", "thumbnail"},
	"link":     {"url", "href", "path"},
	"title":    {"text", "name", "rendered", "ja", "en", "default"},
	"seller":   {"name", "nickname", "displayName", "username", "title"},
	"date":     {"iso", "value", "date", "utc"},
	"status":   {"code", "value", "name", "type"},
}

// readJSON reads the rows of an array in a script.
func (d *document) readJSON(r *reading, p *Page) *Error {
	rows, err := d.jsonRows(r)
	if err != nil {
		return err
	}
	p.Empty = rows != nil && len(rows) == 0
	c := newCollector(p)
	for i := range rows {
		if c.isFull() {
			p.LeftOut = len(rows) - i
			break
		}
		if rows[i].kind != '{' {
			continue
		}
		rec := r.recordOf(&rows[i])
		d.linkOnPage(&rec)
		if row, ok := d.row(&rec); ok {
			c.add(row)
		}
	}
	p.Missing = r.missing(p.Rows, true)
	return nil
}

// jsonRows finds the array; nil if no script or attribute has it.
func (d *document) jsonRows(r *reading) ([]value, *Error) {
	var found []*value
	if isVariable(r.layout.Rows.JSON) {
		if v := d.variable(r.layout.Rows.JSON); v != nil {
			found = append(found, v)
		}
	} else {
		nodes, ok := r.rows.find(d.root, maxScripts, d.steps)
		if !ok {
			return nil, tooCostly("rows")
		}
		for _, n := range nodes {
			if v := d.dataOf(n); v != nil {
				found = append(found, v)
			}
		}
	}
	for _, v := range found {
		if rows := v.rows(r.path); rows != nil {
			return rows, nil
		}
	}
	return nil, nil
}

// variable finds the data that a script assigns to a variable: window.X = {…}.
func (d *document) variable(name string) *value {
	if name == flightName {
		return d.flight()
	}
	for _, n := range d.scripts() {
		text := scriptText(n)
		for at := 0; ; {
			i := strings.Index(text[at:], name)
			if i < 0 {
				break
			}
			at += i + len(name)
			rest := strings.TrimLeft(text[at:], " \t\r\n")
			if !strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "==") {
				continue
			}
			rest = strings.TrimLeft(rest[1:], " \t\r\n")
			if inner, ok := strings.CutPrefix(rest, "JSON.parse("); ok {
				rest = quotedData(inner)
			}
			if v := parseDataOnPage(d, rest); v != nil {
				return v
			}
			if v := calledData(d, rest); v != nil {
				return v
			}
		}
	}
	return nil
}

// quotedData returns the text that JSON.parse is called with.
func quotedData(s string) string {
	p := dataParser{s: strings.TrimLeft(s, " \t\r\n")}
	if p.s == "" || p.s[0] != '"' && p.s[0] != '\'' {
		return ""
	}
	text, _ := p.quoted()
	return text
}

// recordOf reads an object by the layout's paths, and by the usual names where it says nothing.
func (r *reading) recordOf(v *value) record {
	var rec record
	for _, name := range FieldNames() {
		f, named := r.fields[name]
		var at *value
		var last string
		switch {
		case named && f.path == nil:
			*rec.field(name) = f.translate("")
			continue
		case named:
			at, last = v.at(f.path), f.path[len(f.path)-1]
		default:
			at, last = usualMember(v, name)
		}
		if name == "price" && named {
			at, last = reduced(v, f.path, at, last)
		}
		text := jsonText(at, name, last, &rec)
		if named {
			text = f.translate(f.pick(text))
		}
		if text != "" { // the currency may be known from the price
			*rec.field(name) = text
		}
	}
	return rec
}

func usualMember(v *value, name string) (*value, string) {
	for _, n := range jsonNames[name] {
		if m := v.get(n); m != nil && m.kind != 'n' {
			return m, n
		}
	}
	return nil, ""
}

// saleNames are members beside a price that hold a lower one, where there is one.
var saleNames = []string{"salePrice", "sale_price", "discountedPrice", "discountPrice", "discounted_price",
	"discount_price", "specialPrice", "special_price", "offerPrice", "offer_price", "promoPrice", "finalPrice",
	"final_price", "currentPrice", "current_price"}

// reduced returns the lower price that stands beside a price, if there is one, else the price.
func reduced(row *value, path []string, at *value, name string) (lower *value, its string) {
	around := row
	if len(path) > 1 {
		around = row.at(path[:len(path)-1])
	}
	if at == nil || around == nil || around.kind != '{' || !slices.Contains(jsonNames["price"], name) {
		return at, name
	}
	from, isPrice := plainAmount(at.text)
	for _, n := range saleNames {
		m := around.get(n)
		if m == nil || m.kind != at.kind {
			continue
		}
		if to, ok := plainAmount(m.text); ok && isPrice && to > 0 && to < from && to*10 > from {
			return m, n
		}
	}
	return at, name
}

// plainAmount reads an amount only to compare it with another that is written alike.
func plainAmount(s string) (float64, bool) {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f, true
	}
	if p, ok := money.Parse(s, ""); ok {
		return float64(p.Amount) / math.Pow10(money.Digits(p.Currency)), true
	}
	return 0, false
}

// minorName are names of amounts in minor units.
var minorName = pattern.New(`(?:cents?|minor(?:_?units?)?|cent_?amount|unit_?amount|sub_?units?)$`)

// jsonText returns the text of a member that holds a field.
func jsonText(at *value, field, name string, rec *record) string {
	if at == nil {
		return ""
	}
	text := html.UnescapeString(at.scalar(jsonMembers[field]...))
	lower := strings.ToLower(name)
	switch field {
	case "price":
		rec.isMinor = minorName.MatchString(lower)
		if at.kind == '{' {
			rec.isMinor = rec.isMinor || at.first("amount", "value", "price") == nil &&
				at.first("cents", "minor") != nil
			rec.currency = at.first(jsonNames["currency"]...).scalar("code")
		}
	case "status":
		return jsonStatus(at, lower, text)
	}
	return text
}

// jsonStatus reads what is true or false, or a number of pieces, by the member's name.
func jsonStatus(at *value, name, text string) string {
	yes, no := "onSale", "sold"
	switch {
	case at.kind == 'b' && strings.Contains(name, "sold"):
		yes, no = no, yes
	case at.kind == 'b' && (strings.Contains(name, "stock") || strings.Contains(name, "available")):
	case at.kind == '0' && strings.Contains(name, "stock"):
		if text == "0" {
			return no
		}
		return yes
	default:
		return text
	}
	if text == "true" {
		return yes
	}
	return no
}

// linkOnPage gives a row without a link that of the page whose text is its title, or whose address ends with its id.
func (d *document) linkOnPage(r *record) {
	if r.link != "" || r.title == "" {
		return
	}
	if d.titled == nil {
		d.titled = map[string]string{}
		for n := range d.root.Descendants() {
			if !isElement(n, atom.A) || d.link(attr(n, "href")) == "" {
				continue
			}
			path, _, _ := strings.Cut(attr(n, "href"), "?")
			id := path[strings.LastIndexByte(path, '/')+1:]
			texts := append([]string{textOf(n, nil), byID(id)}, wholeTitles(n)...)
			for c := range n.Descendants() {
				if isElement(c, headings...) {
					texts = append(texts, textOf(c, nil))
				}
			}
			for _, t := range texts {
				if _, known := d.titled[t]; t != "" && !known {
					d.titled[t] = attr(n, "href")
				}
			}
		}
	}
	r.link = or(d.titled[oneLine(r.title)], d.titled[byID(r.id)])
}

// byID is the key of a link by its last step, which often is the thing's number or name.
func byID(id string) string { return "/" + id }

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

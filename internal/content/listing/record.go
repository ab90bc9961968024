package listing

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/reader"
)

// record is a row as the page writes it: texts, before they are read.
type record struct {
	id, title, link, price, currency, image, date, status, seller, sellerType string
	isMinor                                                                   bool // the price counts minor units

	// Of the page of a single thing.
	ended  string
	images []string
}

// field returns the text of a field by its name.
func (r *record) field(name string) *string {
	switch name {
	case "id":
		return &r.id
	case "title":
		return &r.title
	case "link":
		return &r.link
	case "price":
		return &r.price
	case "currency":
		return &r.currency
	case "image":
		return &r.image
	case "date":
		return &r.date
	case "status":
		return &r.status
	case "seller":
		return &r.seller
	}
	return &r.sellerType
}

// Limits of texts that are kept, in characters.
const (
	maxID     = 200
	maxTitle  = 500
	maxPrice  = 100
	maxSeller = 100
)

// row reads the texts; false if there is nothing that a person could recognise.
func (d *document) row(r *record) (Row, bool) {
	out := Row{
		ID:         reader.Cut(oneLine(r.id), maxID),
		Title:      reader.Cut(oneLine(r.title), maxTitle),
		Link:       d.link(r.link),
		Image:      d.link(r.image),
		PriceText:  reader.Cut(oneLine(r.price), maxPrice),
		Status:     parseStatus(r.status),
		Seller:     reader.Cut(oneLine(r.seller), maxSeller),
		SellerType: parseSellerType(r.sellerType),
	}
	out.date, _ = d.dateIn(r.date)
	out.Date = out.date.at
	if p, ok := d.price(r); ok {
		out.Price = &p
	}
	if out.Title == "" && out.Link == "" {
		return out, false
	}
	out.Key = out.key()
	return out, true
}

func (d *document) price(r *record) (Price, bool) {
	currency := money.Currency(r.currency, d.lang)
	if r.isMinor {
		return parseMinor(r.price, currency)
	}
	return money.ParseAs(r.price, currency, d.lang)
}

// keyBits is how many bits a key has.
const keyBits = 48

// key identifies the thing within its listing.
func (r *Row) key() uint64 {
	var name string
	switch {
	case r.ID != "":
		name = "i" + r.ID
	case reader.StoryURL(r.Link) != "":
		name, _, _ = strings.Cut("l"+reader.StoryURL(r.Link), "/ref=") // the place in the list that was clicked
	default:
		name = "t" + r.Title + "\x00" + r.Image
	}
	if k := xxhash.Sum64String(name) & (1<<keyBits - 1); k != 0 {
		return k
	}
	return 1
}

// shareCurrency gives prices without a currency (those of free things) that of the other rows, if they have but one.
func shareCurrency(rows []Row) {
	currency := ""
	for i := range rows {
		p := rows[i].Price
		switch {
		case p == nil || p.Currency == "":
		case currency != "" && currency != p.Currency:
			return
		default:
			currency = p.Currency
		}
	}
	for i := range rows {
		if p := rows[i].Price; p != nil && p.Currency == "" && p.Amount == 0 {
			p.Currency = currency
		}
	}
}

// collector gathers the rows of a page.
type collector struct {
	page *Page
	seen map[uint64]bool
}

func newCollector(p *Page) *collector { return &collector{p, map[uint64]bool{}} }

// isFull reports whether further rows are left out.
func (c *collector) isFull() bool { return len(c.page.Rows) >= MaxRows }

// add takes a row in unless there is one with its key.
func (c *collector) add(r Row) bool {
	if c.seen[r.Key] {
		return false
	}
	c.seen[r.Key] = true
	c.page.Rows = append(c.page.Rows, r)
	return true
}

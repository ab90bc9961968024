package listing

import (
	"html"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/money"
)

// listable are the types of schema.org whose things pages list. Those that describe the page
// itself (WebSite, BreadcrumbList …) are left out.
var listable = set(strings.Fields("Product ProductGroup IndividualProduct ProductModel Vehicle Car Book Movie Game " +
	"VideoGame MusicAlbum " +
	"Article NewsArticle BlogPosting Report TechArticle ScholarlyArticle SocialMediaPosting DiscussionForumPosting " +
	"Event MusicEvent " +
	"TheaterEvent SportsEvent Festival ExhibitionEvent EducationEvent BusinessEvent Recipe JobPosting Course " +
	"Apartment House Residence SingleFamilyResidence " +
	"Accommodation RealEstateListing LocalBusiness Restaurant Hotel SoftwareApplication CreativeWork VideoObject " +
	"PodcastEpisode " +
	"Offer Demand Service"))

// types lists the types of a thing, without the vocabulary's address.
func types(v *value) []string {
	t := v.first("@type")
	if t == nil {
		return nil
	}
	texts := []string{t.text}
	for i := range t.items {
		texts = append(texts, t.items[i].text)
	}
	for i, s := range texts {
		texts[i] = s[strings.LastIndexAny(s, "/#:")+1:]
	}
	return texts
}

func isA(v *value, names ...string) bool {
	return slices.ContainsFunc(types(v), func(t string) bool { return slices.Contains(names, t) })
}

func isListable(v *value) bool {
	return slices.ContainsFunc(types(v), func(t string) bool { return listable[t] })
}

// thing reads a thing of schema.org.
func thing(v *value) record {
	r := record{
		id:    v.first("sku", "productID", "identifier").scalar("value", "@value"),
		title: html.UnescapeString(v.first("name", "headline", "title").scalar("@value")),
		link:  v.first("url").scalar("@id"),
		image: v.first("image", "thumbnailUrl", "photo").scalar("url", "contentUrl", "@id"),
		date: v.first("startDate", "datePublished", "datePosted", "uploadDate", "dateCreated",
			"dateModified").scalar("@value"),
	}
	if images := v.first("image", "photo"); images != nil && images.kind == '[' {
		for i := range images.items[:min(len(images.items), maxImages)] {
			r.images = append(r.images, images.items[i].scalar("url", "contentUrl", "@id"))
		}
	}
	for _, name := range []string{"@id", "mainEntityOfPage"} {
		if id := v.first(name).scalar("@id", "url"); r.link == "" && !strings.HasPrefix(id, "#") &&
			!strings.HasPrefix(id, "_:") {
			r.link = id
		}
	}
	r.readSeller(v.first("seller", "offeredBy", "author", "hiringOrganization", "provider"))
	if isA(v, "Offer", "AggregateOffer") {
		r.readOffer(v)
	} else if o := v.first("offers"); o != nil {
		r.readOffers(o)
	}
	return r
}

// readOffers takes the cheapest of several offers, those that can be bought first.
func (r *record) readOffers(o *value) {
	if o.kind != '[' {
		r.readOffer(o)
		return
	}
	var best record
	var bestPrice Price
	for i := range o.items {
		one := *r
		one.readOffer(&o.items[i])
		p, ok := money.ParseAs(one.price, strings.ToUpper(one.currency), "en")
		isBetter := ok && p.Amount < bestPrice.Amount
		if oneSold, bestSold := parseStatus(one.status) == Sold, parseStatus(best.status) == Sold; oneSold != bestSold {
			isBetter = bestSold
		}
		if i == 0 || isBetter {
			best, bestPrice = one, p
		}
	}
	if len(o.items) > 0 {
		*r = best
	}
}

func (r *record) readOffer(o *value) {
	spec := o.first("priceSpecification")
	if spec != nil && spec.kind == '[' && len(spec.items) > 0 {
		spec = &spec.items[0]
	}
	if p := o.first("lowPrice", "price"); p != nil {
		r.price = p.scalar("@value")
	} else if spec != nil {
		r.price = spec.first("price", "minPrice").scalar("@value")
	} else if inner := o.first("offers"); inner != nil && inner.kind == '[' {
		r.readOffers(inner)
	}
	if c := o.first("priceCurrency").scalar(); c != "" {
		r.currency = c
	} else if spec != nil && r.currency == "" {
		r.currency = spec.first("priceCurrency").scalar()
	}
	if a := o.first("availability").scalar("@id"); a != "" {
		r.status = a
	}
	if parseStatus(r.status) == Sold {
		r.ended = o.first("availabilityEnds", "endDate").scalar("@value")
	}
	if u := o.first("url").scalar("@id"); r.link == "" {
		r.link = u
	}
	if s := o.first("seller", "offeredBy"); s != nil {
		r.readSeller(s)
	}
}

func (r *record) readSeller(s *value) {
	if s == nil {
		return
	}
	if s.kind == '[' && len(s.items) > 0 {
		s = &s.items[0]
	}
	r.seller = html.UnescapeString(s.scalar("name"))
	switch {
	case isA(s, "Person"):
		r.sellerType = "person"
	case isA(s, "Organization", "Store", "OnlineStore", "LocalBusiness", "Corporation"):
		r.sellerType = "shop"
	}
}

// shapes gathers what data of schema.org on a page lists.
type shapes struct {
	lists  [][]record
	things map[string][]record // those outside of lists, by type
	empty  bool                // a list says that it has no items
}

// walk looks for lists and things. It does not look into things: what is in them belongs to them.
func (s *shapes) walk(v *value) {
	switch v.kind {
	case '[':
		for i := range v.items {
			s.walk(&v.items[i])
		}
	case '{':
		switch {
		case isA(v, "BreadcrumbList", "SiteNavigationElement"):
		case isA(v, "ItemList", "OfferCatalog", "DataFeed") && v.first("itemListElement", "dataFeedElement") != nil:
			s.list(v)
		case isA(v, "ItemList") && v.first("numberOfItems").scalar() == "0":
			s.empty = true
		case isListable(v):
			s.take(v)
		default:
			for i := range v.items {
				s.walk(&v.items[i])
			}
		}
	}
}

func (s *shapes) list(v *value) {
	elements := v.first("itemListElement", "dataFeedElement")
	list := elements.items
	if elements.kind == '{' {
		list = []value{*elements}
	}
	var rows []record
	for i := range list {
		e := &list[i]
		r := record{}
		switch item := e.first("item"); {
		case e.kind == '"':
			r.link = e.text
		case item != nil && item.kind == '{':
			r = thing(item)
		case item != nil:
			r.link = item.text
		default:
			r = thing(e)
		}
		if isA(e, "ListItem") {
			outer := thing(e)
			r.title, r.link, r.image = or(r.title, outer.title), or(r.link, outer.link), or(r.image, outer.image)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 && or(v.first("numberOfItems").scalar(), "0") == "0" {
		s.empty = true
	}
	s.lists = append(s.lists, rows)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (s *shapes) take(v *value) {
	if s.things == nil {
		s.things = map[string][]record{}
	}
	t := types(v)[0]
	s.things[t] = append(s.things[t], thing(v))
}

// best returns the longest list, or the things of the type that there are most of.
func (s *shapes) best() []record {
	var out []record
	lead := ""
	for _, l := range s.lists {
		if len(l) > len(out) {
			out = l
		}
	}
	for t, l := range s.things {
		if len(l) > len(out) || len(l) == len(out) && lead != "" && t < lead {
			out, lead = l, t
		}
	}
	return out
}

// readShapes turns them into rows.
func (d *document) readShapes(s *shapes, p *Page) {
	c := newCollector(p)
	rows := s.best()
	for i := range rows {
		if c.isFull() {
			p.LeftOut = len(rows) - i
			break
		}
		d.linkOnPage(&rows[i])
		if row, ok := d.row(&rows[i]); ok {
			c.add(row)
		}
	}
	p.Empty = len(rows) == 0 && s.empty
}

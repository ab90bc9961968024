package listing

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// maxPageText is in how much of a page Gone.Text is looked for, in bytes.
const maxPageText = 1 << 20

// maxImages bounds the pictures that are kept of a page of a single thing.
const maxImages = 10

// The ways in which the page of a single thing is read, besides those of Rows.Data.
const (
	SourceLayout = "layout"
	SourcePage   = "page" // what a person sees
)

// ReadDetail reads the page of a single thing, answered with status. What the layout lacks is taken from data in the
// page, else from what it shows. Without a layout, an empty Detail.Source means that the page tells neither price nor
// status. An unreadable page or layout is an *Error, unless the context ends first.
func ReadDetail(ctx context.Context, status int, body []byte, contentType, pageURL string,
	l *DetailLayout) (*Detail, error) {
	if l == nil {
		l = &DetailLayout{}
	}
	fields, bad := l.compile()
	if bad != nil {
		return nil, bad
	}
	codes := l.Gone.Codes
	if len(codes) == 0 {
		codes = []int{http.StatusNotFound, http.StatusGone}
	}
	if slices.Contains(codes, status) {
		return &Detail{Gone: true}, nil
	}
	d, err := parsePage(ctx, body, contentType, pageURL)
	if err != nil {
		return nil, err
	}
	if l.Gone.Text != "" && strings.Contains(strings.ToLower(textUpTo(d.root, maxPageText, nil)),
		strings.ToLower(oneLine(l.Gone.Text))) {
		return &Detail{Gone: true}, nil
	}
	t := d.mainThing()
	for name, f := range fields {
		as := map[string]string{"price": "price", "status": "status", "soldAt": "date"}[name]
		v, _, ok := d.value(d.root, as, f, nil)
		if !ok {
			return nil, tooCostly("detail." + name)
		}
		t.source = SourceLayout
		switch as {
		case "price":
			t.price, t.currency = v, ""
		case "status":
			t.status = v
		default:
			t.soldAt = v
		}
	}
	return t.detail(d), ctx.Err()
}

// detailRecord is the page of a single thing as it is written.
type detailRecord struct {
	record
	source string
	soldAt string
}

func (t *detailRecord) detail(d *document) *Detail {
	out := &Detail{Source: t.source, Title: reader.Cut(oneLine(t.title), maxTitle), Status: parseStatus(t.status)}
	out.sold, _ = findMoment(t.soldAt, d.lang)
	out.SoldAt, out.lang = out.sold.at, d.lang
	if p, ok := d.price(&t.record); ok {
		out.Price = &p
	}
	for _, ref := range append([]string{t.image}, t.images...) {
		if link := d.link(ref); link != "" && !slices.Contains(out.Images, link) && len(out.Images) < maxImages {
			out.Images = append(out.Images, link)
		}
	}
	if out.Price == nil && out.Status == StatusUnknown && t.source != SourceLayout {
		out.Source = ""
	}
	return out
}

// mainThing is the thing that the page is about, from data, or from what it shows if data lacks price and status.
func (d *document) mainThing() detailRecord {
	var ld, micro shapes
	d.walkJSONLD(&ld)
	d.walkMicrodata(&micro)
	shown := d.shownThing()
	for i, s := range []*shapes{&ld, &micro} {
		if len(s.all()) == 0 {
			continue
		}
		source := []string{dataJSONLD, dataMicrodata}[i]
		r, ok := d.mainOf(s, shown.title)
		if !ok || r.price == "" && r.status == "" {
			continue
		}
		soldAt := r.ended
		if soldAt == "" && parseStatus(r.status) == Sold {
			soldAt = shown.soldAt
		}
		r.images = append(r.images, shown.images...)
		return detailRecord{record: r, source: source, soldAt: soldAt}
	}
	return shown
}

// all lists the things of a page, those outside of lists first.
func (s *shapes) all() []record {
	var out []record
	for _, t := range slices.Sorted(maps.Keys(s.things)) {
		out = append(out, s.things[t]...)
	}
	for _, l := range s.lists {
		out = append(out, l...)
	}
	return out
}

// mainOf chooses the described thing with the page's address or title, else a single one.
func (d *document) mainOf(s *shapes, title string) (record, bool) {
	all := s.all()
	best, most := 0, -1
	for i := range all {
		r := &all[i]
		points := 0
		if u := d.resolve(r.link); r.link != "" && u != nil && u.Host == d.url.Host &&
			strings.Trim(u.Path, "/") == strings.Trim(d.url.Path, "/") {
			points += 4
		}
		if t := oneLine(r.title); t != "" && title != "" && (strings.Contains(title, t) || strings.Contains(t, title)) {
			points += 3
		}
		if r.price != "" || r.status != "" {
			points += 2
		}
		if points > most {
			best, most = i, points
		}
	}
	return all[best], most > 2 || len(all) == 1 || len(s.lists) == 0
}

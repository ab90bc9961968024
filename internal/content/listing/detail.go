package listing

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// maxPageText is in how much of a page Gone.Text is looked for, in bytes.
const maxPageText = 1 << 20

// ReadDetail reads the page of a single thing that was answered with status. What the layout does not say is taken from data in
// the page (JSON-LD, microdata), else from what the page shows. Without a layout, Detail.Source tells whether there is a way to
// read pages of this kind: empty means that the page says nothing of price or status that could be understood. An unreadable
// page or layout is an *Error; if the context ends first, its error is returned.
func ReadDetail(ctx context.Context, status int, body []byte, contentType, pageURL string, l *DetailLayout) (*Detail, error) {
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
	if l.Gone.Text != "" && strings.Contains(strings.ToLower(textUpTo(d.root, maxPageText, nil)), strings.ToLower(oneLine(l.Gone.Text))) {
		return &Detail{Gone: true}, nil
	}
	r, source := d.mainThing()
	if len(fields) > 0 {
		source = "layout"
	}
	for name, f := range fields {
		as := map[string]string{"price": "price", "status": "status", "soldAt": "date"}[name]
		v, _, ok := d.value(d.root, as, f, nil)
		if !ok {
			return nil, tooCostly("detail." + name)
		}
		*r.field(as) = v
		if as == "price" {
			r.currency = ""
		}
	}
	if _, named := fields["soldAt"]; !named {
		r.date = ""
	}
	out := &Detail{Source: source, Title: cut(oneLine(r.title), maxTitle), Status: parseStatus(r.status)}
	out.SoldAt, _ = findDate(r.date, d.lang)
	if p, ok := d.price(&r); ok {
		out.Price = &p
	}
	return out, nil
}

// mainThing is the only thing that data in the page describes, or the first.
func (d *document) mainThing() (r record, source string) {
	var s shapes
	d.walkJSONLD(&s)
	if rows := s.best(); len(rows) > 0 {
		return rows[0], dataJSONLD
	}
	d.walkMicrodata(&s)
	if rows := s.best(); len(rows) > 0 {
		return rows[0], dataMicrodata
	}
	return record{}, ""
}

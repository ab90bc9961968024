package listing

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Read reads a page by a layout. An unreadable page or layout is an *Error; if the
// context ends first, its error is returned.
func Read(ctx context.Context, body []byte, contentType, pageURL string, l *Layout) (*Page, error) {
	r, bad := l.compile()
	if bad != nil {
		return nil, bad
	}
	d, err := parsePage(ctx, body, contentType, pageURL)
	if err != nil {
		return nil, err
	}
	p, bad := d.read(r)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if bad != nil {
		return nil, bad
	}
	if len(p.Rows) == 0 && !p.Empty {
		p.Problem = d.problem()
	}
	return p, nil
}

func (d *document) read(r *reading) (*Page, *Error) {
	p := &Page{Lang: d.lang}
	var err *Error
	switch {
	case r.fromShape && r.layout.Rows.Data == dataJSONLD:
		d.readJSONLD(p)
	case r.fromShape:
		d.readMicrodata(p)
	case r.inJSON:
		err = d.readJSON(r, p)
	default:
		err = d.readRows(r, p)
	}
	if err != nil {
		return nil, err
	}
	if _, named := r.fields["title"]; named {
		p.Rows = withoutStrangers(p.Rows)
	}
	shareCurrency(p.Rows)
	if len(p.Rows) == 0 && r.empty != nil {
		found, ok := r.empty.find(d.root, 1, d.steps)
		if !ok {
			return nil, tooCostly("empty")
		}
		p.Empty = p.Empty || len(found) > 0
	}
	return p, d.readNext(r, p)
}

func tooCostly(field string) *Error {
	return layoutError(field, "this takes too many steps on this page: a simpler selector is needed")
}

// readRows reads the rows that a selector finds.
func (d *document) readRows(r *reading, p *Page) *Error {
	rows, ok := r.rows.find(d.root, 0, d.steps)
	if !ok {
		return tooCostly("rows")
	}
	if r.layout.NoAds {
		rows = withoutAds(rows, areAds(rows[:min(len(rows), MaxRows)]))
	}
	near, err := d.findNearby(r, rows)
	if err != nil {
		return err
	}
	c := newCollector(p)
	hasStatus := false
	for i, n := range rows {
		if c.isFull() {
			p.LeftOut = len(rows) - i
			break
		}
		var rec record
		for name, f := range r.fields {
			v, has, ok := d.value(n, name, f, near[name])
			if !ok {
				return tooCostly("fields." + name)
			}
			*rec.field(name) = v
			hasStatus = hasStatus || has && name == "status"
		}
		// A row whose fields nobody has named still has a title and mostly a link.
		if _, named := r.fields["title"]; !named {
			rec.title = titleOf(n)
		}
		if _, named := r.fields["link"]; !named {
			rec.link = linkOf(n)
		}
		if row, ok := d.row(&rec); ok {
			c.add(row)
		}
	}
	if _, named := r.fields["status"]; named && !hasStatus {
		for i := range p.Rows {
			p.Rows[i].Status = StatusUnknown
		}
	}
	p.Missing = r.missing(p.Rows, hasStatus)
	return nil
}

// withoutStrangers leaves out the few rows among things that are none: with a link alone, as a banner; without a link,
// or one to another site than all others, and without a price, date or picture that all others have.
func withoutStrangers(rows []Row) []Row {
	usual, steps := "", 2 // where most rows lead: to a directory of a host, else to a host
	for ; usual == "" && steps > 0; steps-- {
		most := map[string]int{}
		for i := range rows {
			place := placeOf(rows[i].Link, steps)
			if most[place]++; most[place]*2 > len(rows) && most[place] > 2 {
				usual = place
			}
		}
	}
	isUsual := func(r Row) bool { return placeOf(r.Link, steps+1) == usual }
	isStranger := func(r Row) bool {
		if r.Title == "" && r.Price == nil && r.date == (moment{}) {
			return true
		}
		return usual != "" && !isUsual(r) && slices.ContainsFunc(
			[]string{"price", "date", "image"}, func(name string) bool {
				return !r.has(name) && !slices.ContainsFunc(rows, func(o Row) bool {
					return isUsual(o) && !o.has(name)
				})
			})
	}
	out := make([]Row, 0, len(rows))
	for i := range rows {
		if !isStranger(rows[i]) {
			out = append(out, rows[i])
		}
	}
	if len(out)*2 <= len(rows) {
		return rows
	}
	return out
}

// placeOf is the host of an absolute address, or the first steps of it and its path.
func placeOf(link string, steps int) string {
	_, rest, _ := strings.Cut(link, "://")
	rest, _, _ = strings.Cut(rest, "?")
	parts := strings.SplitN(rest, "/", steps+1)
	return strings.Join(parts[:min(len(parts), steps)], "/")
}

// missing lists the fields of a layout that no row has.
func (r *reading) missing(rows []Row, hasStatus bool) []string {
	var out []string
	for _, name := range FieldNames() {
		if _, named := r.fields[name]; named && len(rows) > 0 && !slices.ContainsFunc(rows, func(row Row) bool {
			return row.has(name) || name == "status" && hasStatus
		}) {
			out = append(out, name)
		}
	}
	return out
}

func (r *Row) has(field string) bool {
	switch field {
	case "id":
		return r.ID != ""
	case "title":
		return r.Title != ""
	case "link":
		return r.Link != ""
	case "price":
		return r.Price != nil
	case "image":
		return r.Image != ""
	case "date":
		return r.date != (moment{})
	case "seller":
		return r.Seller != ""
	}
	return field != "status" // the others say nothing alone
}

// nearby finds the nearest of some elements before or behind a row.
type nearby struct {
	order map[*html.Node]int
	nodes []*html.Node // in the order of the page
	rows  []*html.Node
}

func (b *nearby) index(at int) int {
	i, _ := slices.BinarySearchFunc(b.nodes, at, func(e *html.Node, at int) int { return b.order[e] - at })
	return i
}

// nearest returns the last of them that starts before an element and does not contain it.
func (b *nearby) nearest(n *html.Node) *html.Node {
	for i := b.index(b.order[n]) - 1; i >= 0; i-- {
		if !contains(b.nodes[i], n) {
			return b.nodes[i]
		}
	}
	return nil
}

// following returns the first element between a row and the next that is beside the row.
func (b *nearby) following(row *html.Node) *html.Node {
	at := b.order[row]
	end := len(b.order)
	if i, found := slices.BinarySearchFunc(b.rows, at, func(e *html.Node, at int) int {
		return b.order[e] - at
	}); found && i+1 < len(b.rows) {
		end = b.order[b.rows[i+1]]
	}
	for i := b.index(at + 1); i < len(b.nodes) && b.order[b.nodes[i]] < end; i++ {
		if n := b.nodes[i]; !contains(row, n) {
			if row.Parent == nil || !contains(row.Parent, n) {
				return nil
			}
			return n
		}
	}
	return nil
}

func contains(outer, inner *html.Node) bool {
	for p := inner.Parent; p != nil; p = p.Parent {
		if p == outer {
			return true
		}
	}
	return false
}

// findNearby finds what fields with "<" and "+" may refer to.
func (d *document) findNearby(r *reading, rows []*html.Node) (map[string]*nearby, *Error) {
	var out map[string]*nearby
	for name, f := range r.fields {
		if !f.before && !f.after {
			continue
		}
		nodes, ok := f.sel.find(d.root, 0, d.steps)
		if !ok {
			return nil, tooCostly("fields." + name)
		}
		if out == nil {
			out = map[string]*nearby{}
		}
		out[name] = &nearby{order: d.elementOrder(), nodes: nodes, rows: rows}
	}
	return out, nil
}

// elementOrder numbers the elements in the order of the page.
func (d *document) elementOrder() map[*html.Node]int {
	if d.order == nil {
		d.order = map[*html.Node]int{}
		for n := range d.root.Descendants() {
			if n.Type == html.ElementNode {
				d.order[n] = len(d.order)
			}
		}
	}
	return d.order
}

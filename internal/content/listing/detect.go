package listing

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Candidate is one way in which a page can be read.
type Candidate struct {
	Source string // "json-ld", "microdata", "json", "rows"
	Layout Layout
	Page   *Page
	Score  float64 // from 0 to 1
	// Choices are other places for a field, by its name, with the texts of the first rows.
	Choices map[string][]Choice

	ofComponent bool // its data is in an attribute, or among the properties of a React component
}

// Choice is a place where a field could be taken from.
type Choice struct {
	Field   Field
	Samples []string
}

// Detection has the layouts that may describe a page.
type Detection struct {
	Candidates []Candidate // the best first, at most 5
	Title      string      // of the page
	Terms      string      // address of the site's terms of service, if a link leads there
	Problem    string      // why there are none, as for Page
	Lang       string
}

// Limits of what Detect proposes.
const (
	maxCandidates = 5
	minShare      = 0.5 // of the rows that a person sees, which data in the page must have to come first
)

// Detect proposes layouts for a page: those of data in it (JSON-LD, microdata, embedded JSON) before detected rows,
// unless the data has much less.
func Detect(ctx context.Context, body []byte, contentType, pageURL string) (*Detection, error) {
	d, err := parsePage(ctx, body, contentType, pageURL)
	if err != nil {
		return nil, err
	}
	out := &Detection{Lang: d.lang, Title: d.title(), Terms: d.terms()}
	rows := d.detectRows()
	most := 0
	for i := range rows {
		if rows[i].Score >= rows[0].Score/2 {
			most = max(most, len(rows[i].Page.Rows))
		}
	}
	var late []Candidate
	for _, c := range append(d.detectShapes(), d.detectJSON()...) {
		if float64(len(c.Page.Rows)) < minShare*float64(most) || len(rows) > 0 && (saysLess(c.Page, rows[0].Page) ||
			c.Source == "json" && knowsLess(&c, rows[0].Page) || c.ofComponent && 2*most > len(c.Page.Rows) &&
			len(usualFields(c.Page)) < len(usualFields(rows[0].Page))+2) {
			late = append(late, c)
			continue
		}
		out.Candidates = append(out.Candidates, c)
	}
	out.Candidates = append(append(out.Candidates, rows...), late...)
	out.Candidates = out.Candidates[:min(len(out.Candidates), maxCandidates)]
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(out.Candidates) == 0 {
		out.Problem = d.problem()
	}
	return out, nil
}

// usualFields are the fields that most rows have.
func usualFields(p *Page) []string {
	var out []string
	for _, name := range []string{"title", "price", "image", "date"} {
		n := 0
		for i := range p.Rows {
			if p.Rows[i].has(name) {
				n++
			}
		}
		if float64(n) >= usual*float64(len(p.Rows)) {
			out = append(out, name)
		}
	}
	return out
}

// saysLess reports whether data, or rows, only list the things of which others show more: a list of names and links.
func saysLess(data, shown *Page) bool {
	links := map[string]bool{}
	for i := range shown.Rows {
		links[shown.Rows[i].Link] = true
	}
	same := 0
	for i := range data.Rows {
		if links[data.Rows[i].Link] {
			same++
		}
	}
	told, seen := usualFields(data), usualFields(shown)
	return same*5 >= len(data.Rows)*4 && len(shown.Rows) >= len(data.Rows) && len(told) < len(seen) &&
		!slices.ContainsFunc(told, func(name string) bool { return !slices.Contains(seen, name) })
}

// knowsLess reports whether data tells less of prices than rows do: no currency, or cents without saying so.
func knowsLess(c *Candidate, shown *Page) bool {
	if _, ok := c.Layout.Fields["price"]; !ok { // it has no prices to be compared
		return false
	}
	prices := map[uint64]*Price{}
	for i := range shown.Rows {
		if p := shown.Rows[i].Price; p != nil && p.Currency != "" {
			prices[shown.Rows[i].Key] = p
		}
	}
	byLink, n := 0, 0
	for i := range c.Page.Rows {
		row := &c.Page.Rows[i]
		key := row.Key
		if row.Link != "" {
			key = (&Row{Link: row.Link}).key()
		}
		p := prices[key]
		if p == nil {
			continue
		}
		byLink++
		if row.Price == nil || row.Price.Currency == "" || row.Price.Amount == p.Amount*100 {
			n++
		}
	}
	return n*2 > byLink
}

// try reads the page by a layout, as Read would; nil if that finds no list.
func (d *document) try(l Layout) *Page {
	r, err := l.compile()
	if err != nil {
		return nil
	}
	before := d.steps
	d.steps = d.steps.again(maxSteps)
	p, err := d.read(r)
	d.steps = before
	if err != nil || len(p.Rows) == 0 {
		return nil
	}
	return p
}

// detectShapes proposes the data of schema.org.
func (d *document) detectShapes() []Candidate {
	var out []Candidate
	for _, source := range []string{dataJSONLD, dataMicrodata} {
		l := Layout{Rows: Rows{Data: source}}
		if p := d.try(l); p != nil && len(p.Rows) > 1 {
			out = append(out, Candidate{Source: source, Layout: l, Page: p, Score: quality(p)})
		}
	}
	return out
}

// quality is the completeness of the rows of a page, from 0 to 1.
func quality(p *Page) float64 {
	titles, links := 0, 0
	for i := range p.Rows {
		if p.Rows[i].Title != "" {
			titles++
		}
		if p.Rows[i].Link != "" {
			links++
		}
	}
	n := float64(len(p.Rows))
	return (0.5*float64(titles) + 0.5*float64(links)) / n * math.Min(1, 0.5+math.Log2(n)/8)
}

// detectRows proposes repeated structures.
func (d *document) detectRows() []Candidate {
	type found struct {
		Candidate
		rows []*html.Node
	}
	var all []found
	d.steps = d.steps.again(2 * maxSteps)
	for _, g := range levels(d.findGroups()) {
		if d.steps.left < 0 {
			break
		}
		if c, ok := d.candidateOf(g); ok {
			all = append(all, found{c, g.members})
		}
	}
	byScore := func(a, b found) int { return cmp.Compare(b.Score, a.Score) }
	for i := range all {
		if slices.ContainsFunc(all, func(o found) bool { return d.isDivided(all[i].rows, o.rows, o.Page) }) {
			all[i].Score *= 0.5
		}
	}
	slices.SortStableFunc(all, byScore)
	for i := range all {
		if i > 0 && (d.lead(all[i].rows, all[0].rows) && titleWidth(all[i].Page) > titleWidth(all[0].Page) ||
			2*all[i].Score > all[0].Score && saysLess(all[0].Page, all[i].Page)) {
			all[i].Score = all[0].Score * 1.01
		}
	}
	slices.SortStableFunc(all, byScore)
	var out []Candidate
	for i := range all {
		out = append(out, all[i].Candidate)
	}
	// Scores are relative to that of the best: what they add up from has no upper end.
	for i := range out {
		if i > 0 {
			out[i].Score = out[i].Score / out[0].Score * quality(out[0].Page)
		}
	}
	if len(out) > 0 {
		out[0].Score = quality(out[0].Page)
	}
	return out
}

// isDivided reports whether elements are sections with several rows each: most link to nothing but these.
func (d *document) isDivided(sections, rows []*html.Node, p *Page) bool {
	if len(rows) <= len(sections) || len(p.Rows) < len(rows) || isElement(rows[0], atom.A, atom.Td) {
		return false
	}
	links := map[string]bool{}
	for i := range p.Rows {
		links[p.Rows[i].Link] = true
	}
	n := 0
	for _, section := range sections {
		found, other := false, false
		for e := range section.Descendants() {
			if isElement(e, atom.A) && hasAttr(e, "href") {
				is := links[d.link(attr(e, "href"))]
				found, other = found || is, other || !is
			}
		}
		if found && !other {
			n++
		}
	}
	return n*2 > len(sections) && !slices.ContainsFunc(rows, func(row *html.Node) bool {
		return !slices.ContainsFunc(sections, func(s *html.Node) bool { return contains(s, row) })
	})
}

// lead reports whether rows stand one by one before rows that belong to them, as lines of titles before prices.
func (d *document) lead(rows, others []*html.Node) bool {
	if len(rows) != len(others) {
		return false
	}
	order := d.elementOrder()
	for i, row := range rows {
		if row.Parent == nil || !contains(row.Parent, others[i]) || contains(row, others[i]) ||
			order[row] > order[others[i]] || i > 0 && order[row] < order[others[i-1]] {
			return false
		}
	}
	return true
}

// titleWidth is the usual width of the titles of a page that are links.
func titleWidth(p *Page) float64 {
	var titles []string
	for i := range p.Rows {
		if p.Rows[i].Link != "" {
			titles = append(titles, p.Rows[i].Title)
		}
	}
	return meanWidth(titles)
}

// levels chooses the groups to look at closely. Of one list at several levels that is the best, or one around it that
// scores nearly as well and has more: the heading, the picture, or the link itself.
func levels(groups []*group) []*group {
	var out []*group
	for _, g := range groups[:min(len(groups), 6*maxGroups)] {
		i := slices.IndexFunc(out, func(o *group) bool { return nested(o.members, g.members) })
		switch {
		case i < 0 && len(out) < maxGroups:
			out = append(out, g)
		case i >= 0 && 2*g.score > out[i].score && (g.features >= out[i].features+0.4 ||
			isInLink(out[i].members[0]) && !isInLink(g.members[0])) &&
			membersIn(out[i].members, g.members) > 0 && g.members[0] != out[i].members[0]:
			out[i] = g
		}
	}
	return out
}

// nested reports whether two groups are one list at two levels: nearly each member is in, around or one of the other's.
func nested(a, b []*html.Node) bool {
	return 4*max(membersIn(a, b), membersIn(b, a)) >= 3*max(len(a), len(b))
}

// membersIn counts the elements that are in, or are, one of some others; 0 if two are in the same.
func membersIn(inner, outer []*html.Node) int {
	if len(inner)*4 < len(outer)*3 || len(outer)*4 < len(inner)*3 {
		return 0
	}
	free := make(map[*html.Node]bool, len(outer))
	for _, n := range outer {
		free[n] = true
	}
	found := 0
	for _, n := range inner {
		for p := n; p != nil; p = p.Parent {
			if isFree, ok := free[p]; ok {
				if !isFree {
					return 0
				}
				free[p] = false
				found++
				break
			}
		}
	}
	return found
}

func (d *document) candidateOf(g *group) (Candidate, bool) {
	s, rows := d.selectorFor(g.members)
	if s == "" || len(rows) < 2 {
		return Candidate{}, false
	}
	ads := areAds(rows[:min(len(rows), MaxRows)])
	if ads != nil {
		rows = withoutAds(rows, ads)
	}
	if len(rows) < 2 {
		return Candidate{}, false
	}
	c := d.chooseFields(rows)
	l := Layout{Rows: Rows{Selector: s}, Fields: c.fields(), NoAds: ads != nil}
	p := d.try(l)
	if p == nil || len(p.Rows) < 2 {
		return Candidate{}, false
	}
	// A row without a link or title, or one that repeats another, is a sign that something else is repeated.
	share := quality(p) * min(1, float64(len(p.Rows))/float64(min(leading(rows), MaxRows)))
	if _, ok := l.Fields["link"]; !ok {
		share *= 0.5
	} else {
		share *= linked(p)
	}
	share *= c.coverage()
	return Candidate{Source: "rows", Layout: l, Page: p, Score: g.score * share * share, Choices: c.choices()}, true
}

// leading counts the elements that lead anywhere: headings among the rows of a table do not. If none does, it is all.
func leading(rows []*html.Node) int {
	n := 0
	for _, row := range rows {
		if linkOf(row) != "" {
			n++
		}
	}
	if n == 0 {
		return len(rows)
	}
	return n
}

// linked is the share of rows that have a link.
func linked(p *Page) float64 {
	n := 0
	for i := range p.Rows {
		if p.Rows[i].Link != "" {
			n++
		}
	}
	return float64(n) / float64(len(p.Rows))
}

// withoutAds leaves out the rows that are marked.
func withoutAds(rows []*html.Node, ads []bool) []*html.Node {
	out := make([]*html.Node, 0, len(rows))
	for i, row := range rows {
		if i >= len(ads) || !ads[i] {
			out = append(out, row)
		}
	}
	return out
}

func (d *document) title() string {
	for n := range d.root.Descendants() {
		if isElement(n, atom.Title) {
			return reader.Cut(textOf(n, nil), maxTitle)
		}
	}
	return ""
}

var termsText = pattern.New(`(?i)利用規約|terms of (?:service|use)|terms (?:and|&) conditions|^terms$` +
	`|nutzungsbedingungen|\bAGB\b|conditions (?:générales|d.utilisation)|términos|condizioni|algemene voorwaarden` +
	`|användarvillkor|regulamin|이용약관|服务条款|使用條款`)

// terms finds the link to the site's terms of service.
func (d *document) terms() string {
	for n := range d.root.Descendants() {
		if !isElement(n, atom.A, atom.Link) {
			continue
		}
		rel := strings.Fields(strings.ToLower(attr(n, "rel")))
		if slices.Contains(rel, "terms-of-service") || isElement(n, atom.A) &&
			termsText.MatchString(reader.Cut(textOf(n, nil), 60)) {
			if l := d.link(attr(n, "href")); l != "" {
				return l
			}
		}
	}
	return ""
}

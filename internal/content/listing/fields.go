package listing

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Limits of the choice of fields.
const (
	maxSample   = 40  // rows that fields are chosen by
	maxElements = 150 // elements of a row that are looked at
	maxPlaces   = 160 // places that are compared
	maxChoices  = 6   // offered for a field
	usual       = 0.6 // share of the rows that have a usual field
)

// place is where a field may be: a selector within a row, with what it finds in each row of the sample.
type place struct {
	at    string
	field *fieldReading
	nodes []*html.Node // nil where the row has none
	alike float64      // share of these whose element has the class that most have
	rank  int          // in the order of the page
}

// chooser chooses the fields of all rows together.
type chooser struct {
	*document
	rows    []*html.Node
	allRows []*html.Node
	shifted bool               // cells that reach down shift those of the rows below
	near    map[string]*nearby // of places outside of the rows
	places  []*place
	picks   map[string][]pick // by field, the best first
}

// pick is a field with its score.
type pick struct {
	field  Field
	score  float64
	values []string
	place  *place
}

func (d *document) chooseFields(rows []*html.Node) *chooser {
	c := &chooser{document: d, rows: rows[:min(len(rows), maxSample)], allRows: rows, picks: map[string][]pick{}}
	c.shifted = isElement(rows[0], atom.Tr) && slices.ContainsFunc(c.rows, func(n *html.Node) bool {
		return reachesDown(n) > 1
	})
	c.findPlaces()
	c.pickPrice()
	c.pickDate()
	c.pickStatus()
	c.pickLink()
	c.pickTitle()
	c.pickImage()
	c.pickSeller()
	return c
}

func (c *chooser) setNear(at string, n *nearby) {
	if c.near == nil {
		c.near = map[string]*nearby{}
	}
	c.near[at] = n
}

// fields are the best picks.
func (c *chooser) fields() map[string]Field {
	out := map[string]Field{}
	for name, picks := range c.picks {
		if len(picks) > 0 {
			out[name] = picks[0].field
		}
	}
	return out
}

// findPlaces lists the selectors that find something in the rows.
func (c *chooser) findPlaces() {
	counts, order := map[string]int{}, []string{}
	for _, row := range c.rows {
		seen := map[string]bool{}
		visited := 0
		for n := range row.Descendants() {
			if n.Type != html.ElementNode || n.Namespace != "" || !isPlainTag(n.Data) {
				continue
			}
			if visited++; visited > maxElements {
				break
			}
			places := placesOf(row, n)
			if c.shifted {
				places = append(places, fromEnd(row, n))
			}
			for _, s := range places {
				if s == "" || seen[s] {
					continue
				}
				seen[s] = true
				if counts[s]++; counts[s] == 1 {
					order = append(order, s)
				}
			}
		}
	}
	rank := map[string]int{}
	for i, s := range order {
		rank[s] = i
	}
	// The most frequent are compared; of marks such as "sold", which few rows have, as many as there is room for.
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	order = order[:min(len(order), maxPlaces)]
	slices.SortFunc(order, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
	c.addPlace("", 0)
	for i, s := range order {
		c.addPlace(s, i+1)
	}
	c.findPlacesBetween(len(order) + 1)
}

// maxBetween is how many elements between two rows are looked at.
const maxBetween = 60

// findPlacesBetween lists selectors of what belongs to the rows and follows them: second lines, descriptions.
func (c *chooser) findPlacesBetween(rank int) {
	counts, order := map[string]int{}, []string{}
	if last := c.allRows[len(c.allRows)-1]; !hasElementBehind(last) {
		return // what is between two rows belongs to the one that follows
	}
	for i, row := range c.rows[:len(c.rows)-1] {
		next := c.rows[i+1]
		seen := map[string]bool{}
		visited, run := 0, ""
		for s := row.NextSibling; s != nil && s != next && row.Parent == next.Parent; s = s.NextSibling {
			if s.Type != html.ElementNode {
				continue
			}
			run = runOf(run, s.Data)
			nodes := []*html.Node{s}
			for n := range s.Descendants() {
				if visited++; visited > maxBetween {
					break
				}
				nodes = append(nodes, n)
			}
			for _, n := range nodes {
				if n.Type != html.ElementNode || n.Namespace != "" || !isPlainTag(n.Data) {
					continue
				}
				places := placesOf(s, n)
				if n == s && run != s.Data {
					places = append(places, run)
				}
				for _, place := range places {
					if strings.HasPrefix(place, "> ") || seen[place] {
						continue
					}
					seen[place] = true
					if counts[place]++; counts[place] == 1 {
						order = append(order, place)
					}
				}
			}
		}
	}
	order = slices.DeleteFunc(order, func(s string) bool { return counts[s]*2 < len(c.rows) })
	for i, s := range order[:min(len(order), maxPlaces/4)] {
		c.addPlace("+ "+s, rank+i)
	}
}

// maxRunOf limits selectors such as dd + dd + dd, which count neighbouring elements of the same name.
const maxRunOf = 4

// runOf continues the selector of a run, "dd + dd", with the next element.
func runOf(run, name string) string {
	last := run[strings.LastIndexByte(run, ' ')+1:]
	if last != name || !isPlainTag(name) || strings.Count(run, "+") == maxRunOf-1 {
		return name
	}
	return run + " + " + name
}

func hasElementBehind(n *html.Node) bool {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode {
			return true
		}
	}
	return false
}

func (c *chooser) addPlace(at string, rank int) {
	f := Field{At: at}
	r, err := f.compile("", false)
	if err != nil {
		return
	}
	p := &place{at: at, field: r, rank: rank, nodes: make([]*html.Node, len(c.rows))}
	if r.after {
		nodes, ok := r.sel.find(c.root, 0, c.steps)
		if !ok {
			return
		}
		c.setNear(at, &nearby{order: c.elementOrder(), nodes: nodes, rows: c.allRows})
	}
	found := false
	for i, row := range c.rows {
		if r.after {
			p.nodes[i] = c.near[at].following(row)
		} else if r.sel == nil {
			p.nodes[i] = row
		} else if nodes, ok := r.sel.find(row, 1, c.steps); ok && len(nodes) > 0 {
			p.nodes[i] = nodes[0]
		}
		if p.nodes[i] != nil {
			found = true
		}
	}
	p.alike = alike(p.nodes, func(n *html.Node) string {
		class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
		return class + " " + labelOf(n)
	})
	if found {
		c.places = append(c.places, p)
	}
}

// alike is the share of elements with the commonest name. It is low where an element is in some rows only, so that the
// places behind it hold different things.
func alike(nodes []*html.Node, name func(*html.Node) string) float64 {
	counts, most, all := map[string]int{}, 0, 0
	for _, n := range nodes {
		if n == nil {
			continue
		}
		all++
		s := name(n)
		counts[s]++
		most = max(most, counts[s])
	}
	return float64(most) / float64(max(all, 1))
}

// maxLabel is how wide a label is at most.
const maxLabel = 24

// labelOf is the term before a description, or the head of a cell.
func labelOf(n *html.Node) string {
	for i := 0; n != nil && i < 3; n, i = n.Parent, i+1 {
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type != html.ElementNode {
				continue
			}
			if !isElement(s, atom.Dt, atom.Th) {
				break
			}
			if t := textOf(s, nil); width(t) <= maxLabel {
				return t
			}
			return ""
		}
	}
	return ""
}

// otherAmount are labels of amounts that are not the price.
var otherAmount = pattern.New(`(?i)送料|即決|ポイント|還元|月々|分割|割賦|ローン|実質|下取|初期費用|諸費用|割引額|定価|参考価格|手数料|管理費|敷金|礼金|保証金` +
	`|頭金|税抜|shipping|postage|delivery|deposit|was|rrp|list price|points?|per month|monthly|financ|trade-?in` +
	`|down payment|instal?ments?|buy (?:it )?now|\best(?:\.|imate)|excl`)

// beforeText is the text that stands before an element in the one around it: "Was: ", 送料.
func beforeText(n *html.Node) string {
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		t := ""
		switch {
		case s.Type == html.TextNode:
			t = oneLine(s.Data)
		case isElement(s):
			t = textOf(s, nil)
		}
		if t != "" {
			if width(t) > maxLabel || strings.ContainsAny(t, "0123456789") { // another amount, not the name of this one
				return ""
			}
			return t
		}
	}
	return ""
}

// placesOf writes selectors of an element in a row, the surest first: by meaning, by classes, by place.
func placesOf(row, n *html.Node) []string {
	var out []string
	if a := stableAttribute(n); a != "" {
		out = append(out, a)
	}
	classes := stableClasses(n)
	for _, cl := range classes[:min(len(classes), 3)] {
		out = append(out, n.Data+cl)
	}
	up := n.Parent
	if up != nil && up != row && isPlainTag(up.Data) {
		if a := stableAttribute(up); a != "" {
			out = append(out, a+" > "+n.Data)
		} else if cl := stableClasses(up); len(cl) > 0 {
			out = append(out, up.Data+cl[0]+" > "+n.Data)
		} else if isElement(up, headings...) || isElement(up, atom.Dt, atom.Strong, atom.B) {
			out = append(out, up.Data+" > "+n.Data)
		}
		if i := nth(n); i > 0 {
			if cl := stableClasses(up); len(cl) > 0 {
				out = append(out, up.Data+cl[0]+" > "+n.Data+":nth-of-type("+strconv.Itoa(i)+")")
			}
		}
	}
	if s := steps(row, n); s != "" {
		out = append(out, s)
	}
	return append(out, n.Data)
}

// maxFieldSteps is how many steps lead from a row to a field at most.
const maxFieldSteps = 8

// steps writes the way from a row down to an element of it.
func steps(row, n *html.Node) string {
	s := ""
	for i := 0; n != row; n, i = n.Parent, i+1 {
		if n == nil || i == maxFieldSteps || !isPlainTag(n.Data) {
			return ""
		}
		step := "> " + n.Data
		if j := nth(n); j > 0 {
			step += ":nth-of-type(" + strconv.Itoa(j) + ")"
		}
		s = strings.TrimSuffix(step+" "+s, " ")
	}
	return s
}

// fromEnd writes the place of a cell counted from the end of its row.
func fromEnd(row, n *html.Node) string {
	if n.Parent != row {
		return ""
	}
	i := 1
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode && s.Data == n.Data {
			i++
		}
	}
	return "> " + n.Data + ":nth-last-of-type(" + strconv.Itoa(i) + ")"
}

// nth is the place of an element among its siblings of the same name, from 1; 0 if it is the only one.
func nth(n *html.Node) int {
	if n == nil || n.Type != html.ElementNode {
		return 0
	}
	i, others := 1, 0
	for s := n.PrevSibling; s != nil && i < maxElements; s = s.PrevSibling {
		if s.Type == html.ElementNode && s.Data == n.Data {
			i++
		}
	}
	for s := n.NextSibling; s != nil && others == 0; s = s.NextSibling {
		if s.Type == html.ElementNode && s.Data == n.Data {
			others++
		}
	}
	if i+others == 1 {
		return 0
	}
	return i
}

// values reads a field in the rows of the sample, as Read does.
func (c *chooser) values(name string, f *fieldReading) []string {
	out := make([]string, len(c.rows))
	for i, row := range c.rows {
		out[i], _, _ = c.value(row, name, f, c.near[f.At])
	}
	return out
}

// take adds a pick.
func (c *chooser) take(name string, p pick) {
	if p.place != nil && name != "status" {
		p.score *= 0.6 + 0.4*p.place.alike
	}
	c.picks[name] = append(c.picks[name], p)
}

// settle sorts the picks of a field and drops those that say the same as better ones.
func (c *chooser) settle(name string) {
	picks := c.picks[name]
	slices.SortStableFunc(picks, func(a, b pick) int { return cmp.Compare(b.score, a.score) })
	seen := map[string]bool{}
	var kept []pick
	for _, p := range picks {
		same := strings.Join(p.values, "\x00")
		if len(kept) < maxChoices && !seen[same] {
			seen[same] = true
			kept = append(kept, p)
		}
	}
	c.picks[name] = kept
}

// filled and distinct are shares of values: of those that are not empty, and how many of these differ.
func filled(values []string) float64 {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

func distinct(values []string) float64 {
	all, n := map[string]bool{}, 0
	for _, v := range values {
		if v != "" {
			all[v] = true
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(len(all)) / float64(n)
}

func meanWidth(values []string) float64 {
	sum, n := 0, 0
	for _, v := range values {
		if v != "" {
			sum += width(v)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// share counts the nodes of a place for which something holds.
func (p *place) share(holds func(*html.Node) bool) float64 {
	n, all := 0, 0
	for _, e := range p.nodes {
		if e != nil {
			all++
			if holds(e) {
				n++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// asideLinks are paths that lead to what a thing belongs to.
var asideLinks = pattern.New(`(?i)/(?:tags?|categor(?:y|ies)|cat|topics?|labels?|genre|authors?|users?` +
	`|members?|profile|sellers?|brands?|companies|company|maker|area|by)(?:/|$)|[?&](?:tag|cat|category|author|user` +
	`|site|domain|seller|shop|brand|company)=|#[^/!]*$|/(?:login|signin|cart|compare|favou?rites?|wishlist|share` +
	`|comments?|reviews?|ratings?|report|reply|apply|keep|vote|hide|flag)(?:[/?]|$)`)

// actionLinks are addresses of what is done with a thing.
var actionLinks = pattern.New(`(?i)(?:^|/)(?:add_?)?(?:cart|basket|kago|login|compare|favou?rites?|wishlist|inquiry|toiawase` +
	`|contact|report|order)(?:[/?.]|$)|[?&](?:add|add-to-cart)=|^(?:javascript|mailto):|^#`)

// detailText are the texts of links to the page of a thing.
var detailText = pattern.New(`(?i)詳細|詳しく|続きを読む|もっと見る|^(?:view|see|show|more)(?: \pL+)? ?details?|^details?$` +
	`|^read more|^learn more|^mehr|^zum angebot|^voir|^en savoir plus|^ver (?:más|detalle)|^dettagli|^zobacz` +
	`|^подробнее|자세히|查看`)

// pickLink picks the link in, around or beside the heading, else that with the longest text. Links to tags, categories,
// authors and other hosts come last; links that repeat over rows are left out.
func (c *chooser) pickLink() {
	for _, p := range c.places {
		if p.field.after || p.at != "" && p.share(func(n *html.Node) bool {
			return isElement(n, atom.A, atom.Area)
		}) < 1 {
			continue
		}
		values := c.values("link", p.field)
		for i, v := range values {
			values[i] = c.link(v)
		}
		has, differ := filled(values), distinct(values)
		if has < 0.5 || differ < 0.7 && len(c.rows) > 2 || differ <= 0.5 {
			continue
		}
		score := has * differ * differ
		texts := make([]string, len(p.nodes))
		for i, n := range p.nodes {
			if n != nil {
				texts[i] = reader.Cut(textOf(n, nil), 80)
			}
		}
		if p.at != "" {
			score *= 1 + math.Min(meanWidth(texts), 60)/20*(0.3+0.7*distinct(texts))
		} else if p.share(func(n *html.Node) bool { return isElement(n, atom.A) }) == 1 {
			score *= 3
		} else {
			score *= 0.5
		}
		isMain := p.share(func(n *html.Node) bool {
			return isHeading(n) || inHeadingOf(n, c.rows) || hasHeading(n)
		}) > 0.5
		if isMain {
			score *= 2.5
		}
		if p.share(func(n *html.Node) bool { return namedHere(n, titleName) }) > 0.5 {
			score *= 1.5
		}
		if p.share(isAsideLink) > 0.5 {
			score *= 0.2
		}
		isTitle := meanWidth(texts) > 10 && distinct(texts) == 1 // what a thing belongs to repeats
		if !isMain && !isTitle && c.shareOf(values, func(u *url.URL) bool {
			return asideLinks.MatchString(u.RequestURI()) || u.Fragment != ""
		}) > 0.5 {
			score *= 0.3
		}
		if p.at != "" && looksLike(texts, detailText.MatchString) > 0.5 {
			score *= 1.5
		}
		if c.shareOf(values, func(u *url.URL) bool { return u.Host != c.url.Host }) > 0.5 {
			score *= 0.85
		}
		c.take("link", pick{Field{At: p.at}, score, values, p})
	}
	c.settle("link")
}

func (c *chooser) shareOf(values []string, holds func(*url.URL) bool) float64 {
	n, all := 0, 0
	for _, v := range values {
		if u, err := url.Parse(v); v != "" && err == nil {
			all++
			if holds(u) {
				n++
			}
		}
	}
	return float64(n) / float64(max(all, 1))
}

func isAsideLink(n *html.Node) bool {
	rel := strings.Fields(attr(n, "rel"))
	return slices.Contains(rel, "tag") || slices.Contains(rel, "author") || slices.Contains(rel, "category")
}

func isHeading(n *html.Node) bool {
	return isElement(n, headings...) || n.Type == html.ElementNode && attr(n, "role") == "heading"
}

// inHeadingOf reports whether an element is in a heading below a row.
func inHeadingOf(n *html.Node, rows []*html.Node) bool {
	for p := n.Parent; p != nil && !slices.Contains(rows, p); p = p.Parent {
		if isHeading(p) {
			return true
		}
	}
	return false
}

func hasHeading(n *html.Node) bool {
	for c := range n.Descendants() {
		if isHeading(c) {
			return true
		}
	}
	return false
}

var (
	titleName = pattern.New(`(?i)(?:^|[-_ ])(?:title|name|headline|heading|subject|ttl)|(?:Title|Name` +
		`|Headline)`)
	priceName = pattern.New(`(?i)price|amount|kakaku|preis|prix|precio|prezzo|cena|pris(?:$|[-_ ])|cost` +
		`|rent|fee$`)
	oldPrice = pattern.New(`(?i)(?:^|[^bcfghmst])old|(?:was|prev(?:ious)?|rrp|uvp|msrp)(?:$|[-_ ])|former|line-through|excl|regular|trending|list-?price|before` +
		`|compare|original|strike|shipping|postage|delivery|points?|tax|deposit|unit|base|installment|saving|discount` +
		`|secondary`)
	currentPrice = pattern.New(`(?i)(?:^|[-_ ])(?:final|current|now|actual|today)(?:$|[-_ ])`)
	dateName     = pattern.New(`(?i)date|time|posted|publish|day(?:$|[-_ ])|when|updated`)
	sellerName   = pattern.New(`(?i)seller|author|vendor|shop-?name|store|merchant|byline|(?:^|[-_ ])(?:by` +
		`|user|owner|company|employer)(?:$|[-_ ])`)
	proseName = pattern.New(
		`(?i)desc(?:ription)?(?:$|[-_ ])|snippet|summary|excerpt|teaser|catch-?(?:phrase|copy)`)
	iconName = pattern.New(`(?i)icon|avatar|flag|logo|badge|star|rating|emoji|sprite`)
)

// named reports whether the class of an element, or what else says what it is, has a name.
func named(n *html.Node, name *pattern.Pattern) bool {
	if n == nil || n.Type != html.ElementNode {
		return false
	}
	if name.MatchString(reader.CutBytes(attr(n, "class"), 200)) ||
		name.MatchString(reader.CutBytes(attr(n, "itemprop"), 50)) {
		return true
	}
	return slices.ContainsFunc(testNames, func(a string) bool {
		return name.MatchString(reader.CutBytes(attr(n, a), 60))
	})
}

// isFormer reports whether an element's name means another amount than the price. In "price-shipping--price" the end
// counts.
func isFormer(n *html.Node) bool {
	if n == nil || n.Type != html.ElementNode {
		return false
	}
	class := ""
	for c := range strings.FieldsSeq(reader.CutBytes(attr(n, "class"), 200)) {
		if i := max(strings.LastIndex(c, "--"), strings.LastIndex(c, "__")); i > 0 && priceName.MatchString(c[i:]) {
			c = c[i+len("--"):]
		}
		if !currentPrice.MatchString(c) { // discount_final_price
			class += " " + c
		}
	}
	return oldPrice.MatchString(class) || slices.ContainsFunc(testNames, func(a string) bool {
		return oldPrice.MatchString(reader.CutBytes(attr(n, a), 60))
	})
}

// namedHere also looks at the element around it, if that holds hardly more.
func namedHere(n *html.Node, name *pattern.Pattern) bool {
	if named(n, name) {
		return true
	}
	up := n.Parent
	return named(up, name) && width(textOf(up, nil)) <= width(textOf(n, nil))+maxBadge
}

// pickTitle: the heading, else the text of the link, else another text that differs from row to row.
func (c *chooser) pickTitle() {
	var link *place
	if picks := c.picks["link"]; len(picks) > 0 {
		link = picks[0].place
	}
	for _, p := range c.places {
		values := c.values("title", p.field)
		for i := range values {
			values[i] = reader.Cut(values[i], maxTitle)
		}
		has, differ, long := filled(values), distinct(values), meanWidth(values)
		isNamed := p.share(func(n *html.Node) bool { return namedHere(n, titleName) }) > 0.5
		if p.field.after && !isNamed || has < usual || differ < 0.5 && len(c.rows) > 2 || long < 2 {
			continue
		}
		score := has * differ * differ * math.Sqrt(math.Min(long, 50)/50)
		if long > 160 {
			score *= 0.3
		}
		if p.at == "" {
			score *= 0.5
		}
		isMain := p.share(func(n *html.Node) bool { return isHeading(n) || inHeadingOf(n, c.rows) }) > 0.5
		if isMain {
			score *= 3
		}
		if isNamed {
			score *= 2
		}
		if p.field.after {
			score *= 0.6
		}
		if !isNamed && p.share(func(n *html.Node) bool { return titleLabel.MatchString(labelBeside(n)) }) > 0.5 {
			score *= 2.5
		}
		if !isMain && looksLike(values, isCode) > 0.5 {
			score *= 0.3
		}
		if p.share(hasElements) > 0.5 { // the smaller of two places has no badge and no price in it
			score *= 0.9
		}
		if p.share(hasParagraphs) > 0.5 { // one of them is the title
			score *= 0.5
		}
		if link != nil {
			score *= 1 + 1.5*c.relation(p, link)
		}
		if looksLike(values, c.isPriceOrDate) > 0.5 {
			score *= 0.1
		}
		if looksLike(values, badgeText.MatchString) > 0 ||
			looksLike(values[:min(len(values), maxMatches)], detailText.MatchString) > 0.5 {
			score *= 0.3
		}
		if p.share(func(n *html.Node) bool { return textOf(n, nil) == "" }) > 0.5 { // only the text of a picture
			score *= 0.3
		}
		if c.surrounds(p, "price") || c.surrounds(p, "date") || c.surrounds(p, "status") {
			score *= 0.3
		}
		c.take("title", pick{Field{At: p.at}, score, values, p})
	}
	c.settle("title")
}

// hasParagraphs reports whether an element has several paragraphs or the like with texts of their own.
func hasParagraphs(n *html.Node) bool {
	found := 0
	for c := range n.ChildNodes() {
		if isElement(c, atom.P, atom.Div, atom.Li, atom.Dd) && textOf(c, nil) != "" {
			found++
		}
		if isElement(c, atom.A) && hasParagraphs(c) {
			return true
		}
	}
	return found > 1
}

// titleLabel are labels of what a thing is called.
var titleLabel = pattern.New(`(?i)^(?:職種|件名|タイトル|表題|商品名|品名|物件名|名称|案件名|工事名|業務名|書名|題名|title|job title|position` +
	`|subject|item|name|product|bezeichnung|titel|titre|título|titolo)\s*[:：]?$`)

// labelBeside is the label before an element, or before that which holds nothing else.
func labelBeside(n *html.Node) string {
	if l := labelOf(n); l != "" {
		return l
	}
	text := textOf(n, nil)
	for i := 0; i < 3 && n != nil && textOf(n, nil) == text; n, i = n.Parent, i+1 {
		if l := beforeText(n); l != "" {
			return l
		}
	}
	return ""
}

// isCode reports whether a text is a number of a thing rather than its name: arXiv:2611.20100.
func isCode(s string) bool {
	digits := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return !strings.ContainsAny(s, " ") && digits*2 > len(s)
}

// relation is the share of rows in which an element is the link, in it or around nothing else.
func (c *chooser) relation(p, link *place) float64 {
	n := 0
	for i, e := range p.nodes {
		l := link.nodes[i]
		switch {
		case e == nil || l == nil:
		case e == l, link.at != "" && contains(l, e):
			n++
		case p.at != "" && contains(e, l) && textOf(e, nil) == textOf(l, nil):
			n++
		}
	}
	return float64(n) / float64(len(p.nodes))
}

// surrounds reports whether a place mostly holds that of another field. A title may say itself that a thing is sold.
func (c *chooser) surrounds(p *place, field string) bool {
	picks := c.picks[field]
	if len(picks) == 0 || picks[0].place == nil {
		return false
	}
	n := 0
	for i, e := range p.nodes {
		if o := picks[0].place.nodes[i]; e != nil && o != nil && (e == o && field != "status" || contains(e, o)) {
			n++
		}
	}
	return n*2 > len(p.nodes)
}

func looksLike(values []string, is func(string) bool) float64 {
	n, all := 0, 0
	for _, v := range values {
		if v != "" {
			all++
			if is(v) {
				n++
			}
		}
	}
	return float64(n) / float64(max(all, 1))
}

func (c *chooser) isPriceOrDate(s string) bool {
	if width(s) > 40 {
		return false
	}
	if strings.Trim(s, digits+",. ()#/%-") == "" && !isVersion(s) {
		return true
	}
	if p, ok := c.priceIn(s); ok && p.Currency != "" {
		return true
	}
	_, isDate := c.dateIn(s)
	return isDate
}

var versionText = pattern.New(`^\d{1,4}(?:\.\d{1,4}){2,3}$`)

// isVersion tells 3.0.12 from 1.299.000, and from dates as long as these are looked for too.
func isVersion(s string) bool {
	if !versionText.MatchString(s) {
		return false
	}
	parts := strings.Split(s, ".")
	return slices.ContainsFunc(parts[1:], func(p string) bool { return len(p) != 3 })
}

// maxPriceWidth is how long a text is that holds little more than a price.
const maxPriceWidth = 60

// pickPrice: short texts with an amount and a currency; of several, that whose name says price, then the first.
func (c *chooser) pickPrice() {
	for _, p := range c.places {
		values := c.values("price", p.field)
		priced, free := 0, 0
		var amounts []string
		for i, v := range values {
			if width(v) > maxPriceWidth {
				values[i] = ""
				continue
			}
			q, ok := c.priceIn(v)
			switch {
			case ok && q.Currency != "" && sentence.MatchString(v):
				values[i] = ""
			case ok && q.Currency != "" && !isBareNumber(v):
				priced++
				amounts = append(amounts, strconv.FormatInt(q.Amount, 10))
			case ok && q.Amount == 0 && q.Currency == "":
				free++
			}
		}
		has := float64(priced+free) / float64(len(values))
		if priced < 2 || has < 0.3 {
			continue
		}
		score := has * (0.6 + 0.4*distinct(amounts)) / (1 + meanWidth(values)/40)
		if p.share(func(n *html.Node) bool { return named(n, priceName) || named(n.Parent, priceName) }) > 0.5 {
			score *= 1.6
		}
		score *= 1 - 0.9*p.share(func(n *html.Node) bool {
			return isFormer(n) || isFormer(n.Parent) && !named(n, priceName)
		})
		score *= 1 - 0.7*p.share(func(n *html.Node) bool { return named(n, proseName) && !named(n, priceName) })
		score *= 1 - 0.8*p.share(func(n *html.Node) bool {
			return otherAmount.MatchString(labelOf(n)) || otherAmount.MatchString(beforeText(n))
		})
		score *= 1 + 0.3*p.share(func(n *html.Node) bool { return priceLabel.MatchString(labelBeside(n)) })
		score *= 1 - 0.6*p.share(func(n *html.Node) bool { return p.at != "" && c.isDearer(n) })
		score *= 1 - 0.6*looksLike(values, func(s string) bool {
			return exclTax.MatchString(s) && !inclTax.MatchString(s)
		})
		score *= 1 - 0.7*looksLike(values, otherAmount.MatchString)
		if p.share(hasElements) > 0.5 {
			score *= 0.93
		}
		score *= 1 - 0.2*float64(p.rank)/float64(len(c.places)+1)
		c.take("price", pick{Field{At: p.at}, score, values, p})
	}
	c.settle("price")
}

// sentence are texts that tell of an amount: "We pay a bonus of $500."
var sentence = pattern.New(`\pL{2,}[.!。！]$|(?:\pL{2,} ){4}`)

// priceLabel are labels of the price.
var priceLabel = pattern.New(`(?i)(?:販売|現金|現在|税込|合計|お?支払)[^\d]{0,8}(?:価格|金額|総額)|^(?:価格|値段|支払総額|賃料|家賃|price` +
	`|our price|now|current (?:bid|price)|preis|prix|precio|prezzo|cena|pris)\s*[:：]?$|一括`)

var (
	weekly  = pattern.New(`(?i)\bp\.?w\b|per week|/ ?(?:wk|week)|weekly`)
	monthly = pattern.New(`(?i)\bp\.?c?\.?m\b|per (?:calendar )?month|/ ?mo(?:nth)?\b|monthly`)
)

// isDearer reports whether an element holds a price and, side by side with it and without a word, there is a lower one.
func (c *chooser) isDearer(n *html.Node) bool {
	if n.Parent == nil || slices.Contains(c.rows, n) || slices.Contains(c.rows, n.Parent) {
		return false
	}
	text := priceOf(n.Parent)
	if width(text) > maxPriceWidth {
		return false
	}
	if weekly.MatchString(text) && monthly.MatchString(text) { // a rent in two units: that of the month is the price
		return weekly.MatchString(priceOf(n))
	}
	own, ok := c.priceIn(priceOf(n))
	both, isPrice := c.priceIn(text)
	return ok && isPrice && both.Currency == own.Currency && both.Amount < own.Amount
}

var exclTax = pattern.New(`(?i)税抜|税別|本体|excl|exkl|ekskl|ex\.? ?(?:vat|gst|tax|btw|moms)|netto|nettó` +
	`|bez (?:dph|vat|pdv|ddv)|áfa nélkül|fără tva|без ндс|ilman alv|alv ?0|hors taxes?|\bHT\b|sin iva|sem iva` +
	`|iva esclusa|ohne mwst|zzgl\.? mwst|u\. ?moms|未税|未稅|부가세 별도|\+ ?(?:vat|gst|tax|mwst|tva|iva|btw|moms)\b`)

// inclTax is said of the price where both are: 税込 98,800円（本体価格 89,818円）.
var inclTax = pattern.New(`(?i)税込|incl|inkl|\bTTC\b|iva inclu|inc\.? ?(?:vat|gst)|brutto|含税|含稅`)

// hasElements reports whether something is in an element: of two that say the same, the inner one is meant.
func hasElements(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// isBareNumber reports whether nothing names the unit of a number: 98, (1,182).
func isBareNumber(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsSymbol(r) })
}

// pickDate: what is a date for programs, else texts that are dates; else the term, or the heading, before the row.
func (c *chooser) pickDate() {
	for _, p := range c.places {
		c.tryDate(Field{At: p.at}, p)
	}
	if len(c.picks["date"]) == 0 || c.picks["date"][0].score < 0.3 {
		for _, at := range []string{"< dt", "< time", "< h2", "< h3", "< h4", "< th"} {
			f := Field{At: at}
			r, err := f.compile("", false)
			if err != nil {
				continue
			}
			nodes, ok := r.sel.find(c.root, 0, c.steps)
			if !ok || len(nodes) == 0 || slices.ContainsFunc(nodes, c.inRow) {
				continue
			}
			c.setNear(at, &nearby{order: c.elementOrder(), nodes: nodes})
			c.tryDate(f, nil)
		}
	}
	c.settle("date")
}

// inRow reports whether an element belongs to a row: it says nothing of the next one.
func (c *chooser) inRow(n *html.Node) bool {
	return slices.ContainsFunc(c.rows, func(row *html.Node) bool { return contains(row, n) })
}

func (c *chooser) tryDate(f Field, p *place) {
	r, err := f.compile("", false)
	if err != nil {
		return
	}
	values := c.values("date", r)
	var times []time.Time
	whole := 0 // dates that do not depend on the time of the look
	for i, v := range values {
		m, ok := c.dateIn(v)
		if !ok || width(v) > 80 {
			values[i] = ""
			continue
		}
		times = append(times, m.from(noLook, c.lang))
		if !m.at.IsZero() {
			whole++
		}
	}
	has := float64(len(times)) / float64(len(values))
	if has < usual {
		return
	}
	score := has / (1 + meanWidth(values)/60) * (0.6 + 0.4*inOrder(times)) * (0.8 +
		0.2*float64(whole)/float64(len(times))) * (1 - 0.8*looksLike(values, otherDate.MatchString))
	if p == nil {
		score *= 0.5
	} else {
		if p.share(func(n *html.Node) bool { return isElement(n, atom.Time) || named(n, dateName) }) > 0.5 {
			score *= 1.5
		}
		if p.share(hasElements) > 0.5 {
			score *= 0.93
		}
		score *= 1 - 0.1*float64(p.rank)/float64(len(c.places)+1)
	}
	c.take("date", pick{f, score, values, p})
}

// otherDate are labels of days until which something can be done, or on which it arrives.
var otherDate = pattern.New(`(?i)締め?切|期限|入札日|開札|お届け|到着|まで$|deadline|closing|closes|expires|due\b|delivery|arrives|get it` +
	`|bewerbungsschluss|frist|\bbis\b|livraison|avant le|échéance|마감|배송`)

// inOrder is the share of neighbours in one direction: lists are mostly sorted by the date that matters.
func inOrder(times []time.Time) float64 {
	down, up := 0, 0
	for i := 1; i < len(times); i++ {
		if !times[i].After(times[i-1]) {
			down++
		}
		if !times[i].Before(times[i-1]) {
			up++
		}
	}
	if len(times) < 3 {
		return 0.5
	}
	return float64(max(down, up)) / float64(len(times)-1)
}

// pickImage: a picture that differs from row to row and is no icon.
func (c *chooser) pickImage() {
	for _, p := range c.places {
		if p.share(isPicture) < 1 {
			continue
		}
		values := c.values("image", p.field)
		for i, v := range values {
			values[i] = c.link(v)
		}
		has, differ := filled(values), distinct(values)
		if p.share(isOfPerson) > 0.5 || has < 0.3 || differ < 0.5 && len(c.rows) > 2 || has < usual && differ < 0.9 ||
			looksLike(values, markFile.MatchString) > 0.5 {
			continue
		}
		score := has * differ
		if p.share(func(n *html.Node) bool {
			return named(n, iconName) || isSmall(n)
		}) > 0.5 || looksLike(values, iconName.MatchString) > 0.5 {
			score *= 0.3
		}
		// another format of the picture beside it
		if p.share(func(n *html.Node) bool { return isElement(n, atom.Source) }) > 0.5 {
			score *= 0.8
		}
		score *= 1 - 0.2*float64(p.rank)/float64(len(c.places)+1)
		c.take("image", pick{Field{At: p.at}, score, values, p})
	}
	c.settle("image")
}

// markFile are pictures of marks.
var markFile = pattern.New(`(?i)/(?:(?:ico|icon|mark|bnr|btn)[-_]?)?(?:new|up|update|pdf|word|excel|xls|doc` +
	`|zip|blank|spacer|arrow|external|star|hot|check|bullet|dot|photo|camera|video|noimage` +
	`|no[-_]image)\d*(?:[-_](?:ico|icon|mark|s|l))?\.(?:gif|png|svg|jpg)(?:$|\?)`)

// isOfPerson reports whether a picture is small and in the link to a person or the like.
func isOfPerson(n *html.Node) bool {
	return isSmall(n) && isElement(n.Parent, atom.A) && asideLinks.MatchString(attr(n.Parent, "href"))
}

func isPicture(n *html.Node) bool {
	return isElement(n, atom.Img, atom.Source, atom.Picture) || n.Data == "amp-img" || backgroundOf(n) != ""
}

func isSmall(n *html.Node) bool {
	w, err := strconv.Atoi(attr(n, "width"))
	return err == nil && w < 40
}

// soldClass finds the class of what is sold.
var soldClasses = pattern.New(soldClass)

const soldClass = `(?i)(?:^|[\s_-])(sold-?out|sold|soldout|out-?of-?stock|unavailable)(?:$|[\s_-])`

// pickStatus: short texts, or classes, that say in some rows that the thing is sold, or that it can be bought.
func (c *chooser) pickStatus() {
	for _, p := range c.places {
		if p.at != "" {
			c.tryStatus(Field{At: p.at}, p)
		}
		c.tryStatus(Field{At: p.at, Attr: "class", Match: soldClass}, p)
	}
	c.settle("status")
}

func (c *chooser) tryStatus(f Field, p *place) {
	r := *p.field
	if f.Match != "" {
		r.Attr, r.match, r.size = f.Attr, soldClasses.Regexp(), len(soldClass)
	}
	values := c.values("status", &r)
	sold, sale, other := 0, 0, 0
	for _, v := range values {
		switch status := parseStatus(v); {
		case v == "":
		case status == Sold:
			sold++
		case status == OnSale:
			sale++
		default:
			other++
		}
	}
	n := len(values)
	if sold+sale == 0 || sold == n && n > 1 || sold == 0 && sale*2 < n {
		return
	}
	score := float64(sold*3+sale)/float64(n) - float64(other)/float64(n)/2
	if sold > 0 {
		f.Else = "onSale"
		score = 1.3*score + 0.5 // it knows more than a button that all have
	}
	if f.Attr != "" || isPlainTag(f.At) { // a tag alone soon finds something else
		score *= 0.9
	}
	score /= 1 + meanWidth(values)/100 // the smallest place
	if f.Attr == "" && p.share(hasElements) > 0.5 {
		score *= 0.9
	}
	c.take("status", pick{f, score, values, p})
}

// pickSeller: what is named so.
func (c *chooser) pickSeller() {
	for _, p := range c.places {
		if p.at == "" || p.share(func(n *html.Node) bool {
			return named(n, sellerName) || isAsideLink(n) && attr(n, "rel") != "tag"
		}) < 1 {
			continue
		}
		values := c.values("seller", p.field)
		if has := filled(values); has >= usual && meanWidth(values) < 60 {
			c.take("seller", pick{Field{At: p.at}, has / (1 + meanWidth(values)/60), values, p})
		}
	}
	c.settle("seller")
}

// coverage is how many of the rows have the fields that were found for them. In a list, most do.
func (c *chooser) coverage() float64 {
	sum, n := 1.0, 1.0
	for _, name := range []string{"price", "date", "image"} {
		if picks := c.picks[name]; len(picks) > 0 {
			sum += filled(picks[0].values)
			n++
		}
	}
	return sum / n
}

// choices are the picks for people to choose from.
func (c *chooser) choices() map[string][]Choice {
	out := map[string][]Choice{}
	for _, name := range slices.Sorted(maps.Keys(c.picks)) {
		for _, p := range c.picks[name] {
			var samples []string
			for _, v := range p.values[:min(len(p.values), 3)] {
				samples = append(samples, reader.Cut(v, 100))
			}
			out[name] = append(out[name], Choice{p.field, samples})
		}
	}
	return out
}

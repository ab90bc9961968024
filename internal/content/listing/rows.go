package listing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Limits of the search for rows.
const (
	maxScanned   = 4000 // texts that are read for prices and dates
	maxGroups    = 8    // that are looked at closely
	maxAncestors = 12   // parts of a selector
)

// summary counts the contents of an element.
type summary struct {
	chars, longestLink                       int
	links, headings, prices, dates, pictures int
	index, depth                             int
	path, loosePath                          int      // numbers of the tags above, with and without classes
	inside                                   bool     // in a part of the page that frames it: nav, footer …
	beside                                   *summary // the part with other things that it is in: a ranking
	classes                                  string
}

// group is a repeated structure.
type group struct {
	members  []*html.Node
	score    float64
	features float64 // how many of heading, price, date and picture a member has
}

// finding looks for rows.
type finding struct {
	*document
	of      map[*html.Node]*summary
	paths   map[pathKey]int
	scanned int
	groups  map[groupKey]*group
	order   []groupKey
	besides map[string]bool // what holdsOthers knows of names
}

type pathKey struct {
	parent int
	name   string
}

type groupKey struct {
	path            int
	parent, classes string
}

// findGroups returns the repeated structures of a page, the most promising first.
func (d *document) findGroups() []*group {
	f := &finding{document: d, of: map[*html.Node]*summary{}, paths: map[pathKey]int{}, groups: map[groupKey]*group{},
		besides: map[string]bool{}}
	f.summarise(d.root, &summary{})
	total := f.of[d.root]
	var out []*group
	for _, k := range f.order {
		g := f.groups[k]
		if len(g.members) < 2 {
			continue
		}
		if g.score = f.scoreOf(g, total.chars); g.score > 0 {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b *group) int { return cmp.Compare(b.score, a.score) })
	return out
}

// summarise counts what is in an element and puts it into its groups.
func (f *finding) summarise(n *html.Node, up *summary) *summary {
	s := &summary{inside: up.inside, depth: up.depth + 1, index: len(f.of) + 1}
	f.of[n] = s
	if n.Type == html.ElementNode {
		s.classes = strings.Join(stableClasses(n), "")
		s.path = f.number(up.path, n.Data+"."+s.classes+"#"+stableID(n))
		s.loosePath = f.number(up.loosePath, n.Data)
		s.inside = up.inside || frames(n)
		if s.beside = up.beside; s.beside == nil && f.holdsOthers(n) {
			s.beside = s
		}
	}
	for c := n.FirstChild; c != nil && f.steps.spend(1); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if !isElement(n, atom.Script, atom.Style, atom.Template, atom.Title, atom.Option) {
				f.readText(c.Data, s)
			}
		case html.ElementNode:
			below := f.summarise(c, s)
			s.chars += below.chars
			s.longestLink = max(s.longestLink, below.longestLink)
			s.links += below.links
			s.headings += below.headings
			s.prices += below.prices
			s.dates += below.dates
			s.pictures += below.pictures
		}
	}
	f.countElement(n, s)
	if isElement(n, atom.Tr) && isSecondLine(n) {
		if above := f.of[previousRow(n)]; above != nil {
			above.chars += s.chars
			above.prices += s.prices
			above.dates += s.dates
		}
	}
	if n.Type == html.ElementNode && mayBeRow(n) {
		// The path of an element itself is that of its parent: its own id and classes may differ from row to row.
		f.join(groupKey{f.number(up.path, n.Data), "strict", s.classes}, n)
		f.join(groupKey{f.number(up.path, n.Data), "strict", "*"}, n)
		f.join(groupKey{-up.index, n.Data, s.classes}, n)
		f.join(groupKey{-up.index, n.Data, "*"}, n)
		f.join(groupKey{s.loosePath, up.classes, s.classes}, n)
		f.join(groupKey{s.loosePath, up.classes, "*"}, n)
	}
	return s
}

func (f *finding) number(parent int, name string) int {
	k := pathKey{parent, name}
	if f.paths[k] == 0 {
		f.paths[k] = len(f.paths) + 1
	}
	return f.paths[k]
}

func (f *finding) join(k groupKey, n *html.Node) {
	g := f.groups[k]
	if g == nil {
		g = &group{}
		f.groups[k] = g
		f.order = append(f.order, k)
	}
	g.members = append(g.members, n)
}

// frames tells the parts of a page that hold other things than its contents.
func frames(n *html.Node) bool {
	if isElement(n, atom.Nav, atom.Header, atom.Footer, atom.Aside, atom.Form) {
		// A header within a row, or a form around a table of goods, is none.
		return !isElement(n, atom.Header, atom.Form) || n.Parent != nil && isElement(n.Parent, atom.Body)
	}
	role := attr(n, "role")
	return role == "navigation" || role == "contentinfo" || role == "complementary" || role == "banner"
}

// holdsOthers tells the parts of a page that show other things than it lists, by their name or heading.
func (f *finding) holdsOthers(n *html.Node) bool {
	if !isElement(n, atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Td, atom.Table) {
		return false
	}
	if name := attr(n, "class") + " " + attr(n, "id"); len(name) > 1 {
		is, ok := f.besides[name]
		if !ok {
			is = besideName.MatchString(reader.CutBytes(name, 200))
			f.besides[name] = is
		}
		if is {
			return true
		}
	}
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			return isElement(c, atom.H2, atom.H3, atom.H4) && otherHeading.MatchString(reader.Cut(textOf(c, nil), 60))
		}
	}
	return false
}

// besideName are names of such parts.
var besideName = pattern.New(`(?i)(?:^|[\s_-])(?:related|recommend(?:ed|ations?|s)?|similar|ranking|recently(?:-?viewed)?` +
	`|upsells?|cross-?sells?|also-?\pL+|side-?(?:bar|menu|nav|col(?:umn)?)?|sub-?(?:col(?:umn)?|menu)|widgets?|osusume` +
	`|kanren|best-?sellers?|popular(?:-?\pL+)?|trending|bnr|banners?)(?:$|[\s_-])`)

func mayBeRow(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Head, atom.Body, atom.Script, atom.Style, atom.Link, atom.Meta, atom.Option, atom.Br,
		atom.Img, atom.Source,
		atom.Input, atom.Select, atom.Tbody, atom.Thead, atom.Colgroup, atom.Col, atom.Template, atom.Svg:
		return false
	case atom.Tr:
		return !isHeaderRow(n) && !isSecondLine(n)
	}
	return n.Namespace == "" && isPlainTag(n.Data)
}

// maxLines is how many rows of a table one thing takes.
const maxLines = 4

// isSecondLine reports whether a row belongs to one above it that has a link, because a cell of that reaches down into
// it. With links to other things it is another thing in the same category.
func isSecondLine(tr *html.Node) bool {
	above, links := tr, linksIn(tr)
	for line := 1; line < maxLines; line++ {
		if above = previousRow(above); above == nil {
			return false
		}
		if n := reachesDown(above); n > line && n <= maxLines {
			main := linksIn(above)
			return len(main) > 0 && (len(links) == 0 || slices.Contains(links, main[0]))
		}
	}
	return false
}

// reachesDown is how many rows the tallest cell of a row takes; 0 if it names none.
func reachesDown(tr *html.Node) int {
	most := 0
	for c := range tr.ChildNodes() {
		n, _ := strconv.Atoi(attr(c, "rowspan"))
		most = max(most, n)
	}
	return most
}

func previousRow(tr *html.Node) *html.Node {
	for n := tr.PrevSibling; n != nil; n = n.PrevSibling {
		if isElement(n, atom.Tr) {
			return n
		}
	}
	return nil
}

// linksIn lists the links to things in an element, not those to a cart or the like.
func linksIn(n *html.Node) []string {
	var out []string
	for c := range n.Descendants() {
		if href := attr(c, "href"); isElement(c, atom.A) && href != "" && !actionLinks.MatchString(href) {
			out = append(out, href)
		}
	}
	return out
}

// isHeaderRow reports whether a row of a table has header cells alone, or is the first and only names those below.
func isHeaderRow(tr *html.Node) bool {
	if previousRow(tr) == nil && len(linksIn(tr)) == 0 && !strings.ContainsAny(textOf(tr, nil), digits) {
		for n := tr.NextSibling; n != nil; n = n.NextSibling {
			if isElement(n, atom.Tr) {
				return len(linksIn(n)) > 0
			}
		}
	}
	hasHeader := false
	for c := range tr.ChildNodes() {
		if isElement(c, atom.Td) {
			return false
		}
		hasHeader = hasHeader || isElement(c, atom.Th)
	}
	return hasHeader
}

func (f *finding) readText(text string, s *summary) {
	text = strings.TrimSpace(text)
	s.chars += width(text)
	if text == "" || len(text) > 120 || f.scanned >= maxScanned || !strings.ContainsAny(text, anyDigits) {
		return
	}
	f.scanned++
	if p, ok := f.priceIn(text); ok && p.Currency != "" && strings.ContainsFunc(text, func(r rune) bool {
		return r < '0' || r > '9'
	}) {
		s.prices++
	}
	if _, ok := f.dateIn(text); ok {
		s.dates++
	}
}

// width is the length of a text; one of Chinese or Japanese says as much in half as many characters.
func width(s string) int {
	w := 0
	for _, r := range s {
		if w++; r >= 0x2e80 {
			w++
		}
	}
	return w
}

func (f *finding) countElement(n *html.Node, s *summary) {
	switch n.DataAtom {
	case atom.A:
		if f.link(attr(n, "href")) != "" {
			s.links++
			s.longestLink = max(s.longestLink, s.chars)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		s.headings++
	case atom.Img:
		s.pictures++
	case atom.Time:
		if s.dates == 0 {
			s.dates++
		}
	}
}

// scoreOf scores a group as the page's list: many members with links and titles, and much of the page's text.
func (f *finding) scoreOf(g *group, total int) float64 {
	var sum summary
	withLink, inside, beside, crowded, most := 0, 0, 0, 0, 0
	lengths := make([]int, 0, len(g.members))
	for _, m := range g.members {
		s := f.of[m]
		sum.chars += s.chars
		most = max(most, s.chars)
		sum.headings += min(s.headings, 1)
		sum.prices += min(s.prices, 1)
		sum.dates += min(s.dates, 1)
		sum.pictures += min(s.pictures, 1)
		if s.links > 0 || isInLink(m) {
			withLink++
		}
		if s.inside {
			inside++
		}
		// A part with nearly all of the page has its list, however it is named.
		if s.beside != nil && s.beside != s && s.beside.chars < total*9/10 {
			beside++
		}
		if s.headings > 1 && hasHeadings(m) {
			crowded++
		}
		title := s.chars
		if s.links > 0 && s.longestLink > 1 {
			title = s.longestLink
		}
		lengths = append(lengths, title)
	}
	slices.Sort(lengths)
	n := float64(len(g.members))
	length := math.Min(float64(lengths[len(lengths)/2]), 60)
	if total == 0 || sum.chars == 0 || length < 2 {
		return 0
	}
	features := 1 + (float64(sum.headings+sum.prices+sum.dates)+float64(sum.pictures)/2)/n
	g.features = features
	score := math.Log2(n) * math.Sqrt(length) * (0.15 + float64(withLink)/n) * features * math.Sqrt(
		float64(sum.chars)/float64(total))
	if asides := asidesAmong(g.members); asides < len(g.members) {
		score *= 1 - float64(asides)/n // links to things and to what they belong to
	}
	if inside*2 > len(g.members) {
		score *= 0.15
	}
	score *= 1 - 0.85*math.Sqrt(float64(beside)/n) // the page's list is a group without them
	if crowded*2 > len(g.members) {                // each holds several rows
		score *= 0.3
	}
	if len(g.members) > 2 && most*4 > sum.chars*3 { // the parts of a page
		score *= 0.3
	}
	// a pagination beside the rows is none of them
	score *= 1 - 0.5*(1-alike(g.members, f.classOf)) - strangers(g.members)
	return score / (1 + float64(f.of[g.members[0]].depth)/500) // of the same things, the outer elements
}

// classOf is what is stable of an element's classes: generated ones may differ from row to row.
func (f *finding) classOf(n *html.Node) string { return f.of[n].classes }

// asidesAmong counts the links to categories and the like, of rows that are links.
func asidesAmong(members []*html.Node) int {
	asides := 0
	for _, n := range members {
		if !isElement(n, atom.A) {
			return 0
		}
		if asideLinks.MatchString(attr(n, "href")) {
			asides++
		}
	}
	return asides
}

// hasHeadings reports whether an element has different headings. Cards repeat one, for two widths.
func hasHeadings(n *html.Node) bool {
	first := ""
	for c := range n.Descendants() {
		if !isElement(c, headings...) {
			continue
		}
		switch t := textOf(c, nil); {
		case first == "":
			first = t
		case t != "" && t != first:
			return true
		}
	}
	return false
}

// strangers is the share of elements in which there is nothing of the class of anything in the others.
func strangers(members []*html.Node) float64 {
	sample := members[:min(len(members), maxSample)]
	inside := make([]map[string]bool, len(sample))
	counts := map[string]int{}
	for i, m := range sample {
		inside[i] = map[string]bool{}
		visited := 0
		for n := range m.Descendants() {
			if visited++; visited > maxBetween {
				break
			}
			class, _, _ := strings.Cut(strings.TrimSpace(attr(n, "class")), " ")
			if class != "" && !inside[i][class] {
				inside[i][class] = true
				counts[class]++
			}
		}
	}
	n := 0
	for _, classes := range inside {
		isKnown := len(classes) == 0
		for c := range classes {
			isKnown = isKnown || counts[c] > 1
		}
		if !isKnown {
			n++
		}
	}
	return float64(n) / float64(len(sample))
}

func isInLink(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if isElement(p, atom.A) {
			return true
		}
	}
	return false
}

// selectorsOf writes selectors that find all members of a group, from the shortest to the whole path.
func selectorsOf(members []*html.Node) []string {
	level := slices.Clone(members)
	var out, numbered []string
	tail, numberedTail := "", ""
	for range maxAncestors {
		first := level[0]
		if first == nil || first.Type != html.ElementNode || !isPlainTag(first.Data) {
			break
		}
		part := first.Data + commonAttribute(level)
		if part == first.Data {
			part = first.Data + strings.Join(commonClasses(level), "")
		}
		exact := part
		if allSame(level) {
			if id := stableID(first); id != "" {
				part, exact = "#"+id, "#"+id
			} else if i := nth(first); i > 0 {
				exact += ":nth-of-type(" + strconv.Itoa(i) + ")"
			}
		}
		if tail != "" {
			tail, numberedTail = part+" > "+tail, exact+" > "+numberedTail
		} else {
			tail, numberedTail = part, exact
		}
		if strings.ContainsAny(tail, ".#>[") { // a tag alone finds too much tomorrow
			out, numbered = append(out, tail), append(numbered, numberedTail)
		}
		if strings.HasPrefix(part, "#") || isElement(first, atom.Body) {
			break
		}
		for i := range level {
			if level[i] = level[i].Parent; level[i] == nil || level[i].Data != level[0].Data {
				return append(out, numbered...)
			}
		}
	}
	return append(out, numbered...)
}

func allSame(nodes []*html.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *html.Node) bool { return n != nodes[0] })
}

// commonAttribute is the stable attribute that all elements have.
func commonAttribute(nodes []*html.Node) string {
	common := stableAttribute(nodes[0])
	for _, n := range nodes[1:] {
		if common == "" || n != nodes[0] && stableAttribute(n) != common {
			return ""
		}
	}
	return common
}

// commonClasses are the stable classes that all elements have.
func commonClasses(nodes []*html.Node) []string {
	common := stableClasses(nodes[0])
	for _, n := range nodes[1:] {
		if len(common) == 0 || n == nodes[0] {
			continue
		}
		has := stableClasses(n)
		common = slices.DeleteFunc(common, func(c string) bool { return !slices.Contains(has, c) })
	}
	return common[:min(len(common), 3)]
}

var rowName = pattern.New(`(?i)item|card|row|result|product|entry|post|article|listing|unit|cell|tile|lot` +
	`|job|offer|goods`)

// rowNames are the single names that all members have, those that name a row first.
func rowNames(members []*html.Node) []string {
	if !isPlainTag(members[0].Data) || slices.ContainsFunc(members, func(n *html.Node) bool {
		return n.Data != members[0].Data
	}) {
		return nil
	}
	var out []string
	if a := commonAttribute(members); a != "" {
		out = append(out, members[0].Data+a)
	}
	classes := commonClasses(members)
	slices.SortStableFunc(classes, func(a, b string) int {
		return cmp.Compare(bit(!rowName.MatchString(a)), bit(!rowName.MatchString(b)))
	})
	for _, c := range classes {
		out = append(out, members[0].Data+c)
	}
	if isElement(members[0], atom.Tr) && !slices.ContainsFunc(members, func(n *html.Node) bool {
		return reachesDown(n) == 0
	}) {
		out = append(out, "tr:has([rowspan])", "tr:has([rowspan]):not(:has(tr))")
	}
	return out
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// selectorFor returns the shortest selector that finds the members and nothing else, else that which finds least.
func (d *document) selectorFor(members []*html.Node) (string, []*html.Node) {
	best, found := "", []*html.Node(nil)
	for _, s := range append(rowNames(members), selectorsOf(members)...) {
		sel, err := parseSelector(s)
		if err != nil {
			break
		}
		nodes, ok := sel.find(d.root, 0, d.steps)
		if !ok {
			break
		}
		if best == "" || len(nodes) < len(found) {
			best, found = s, nodes
		}
		if len(nodes) == len(members) {
			break
		}
	}
	return best, found
}

var adWords = set(strings.Fields("ad ads adv advert advertisement advertising sponsored sponsor promoted promotion " +
	"promo pr adunit ad-unit banner"))

// adLabels are texts that mark an advertisement.
var adLabels = set([]string{"ad", "ads", "advertisement", "advertising", "sponsored", "promoted", "promotion",
	"sponsored ad", "paid", "広告", "広告枠", "pr", "スポンサー", "スポンサード", "スポンサー広告", "プロモーション", "タイアップ", "anzeige",
	"gesponsert", "werbung", "annonce sponsorisée",
	"publicidad", "reklama", "publicité", "sponsorisé", "patrocinado", "pubblicità", "annons", "광고", "广告", "廣告"})

// areAds tells which of some rows are advertisements; nil if none is, or so many that the marks mean something else.
func areAds(rows []*html.Node) []bool {
	out, n := make([]bool, len(rows)), 0
	for i, row := range rows {
		if out[i] = isAd(row); out[i] {
			n++
		}
	}
	if n == 0 || n*2 > len(rows) {
		return nil
	}
	return out
}

// maxAdLabel is how long the text of a label is at most, in bytes.
const maxAdLabel = 40

// isAd reports whether a row has the mark of an advertisement: a class, a label, or a link that says so.
func isAd(row *html.Node) bool {
	if hasAdClass(row) || attr(row, "data-ad") != "" || attr(row, "data-ad-slot") != "" {
		return true
	}
	visited := 0
	for n := range row.Descendants() {
		if n.Type == html.TextNode {
			if len(n.Data) <= maxAdLabel && adLabels[strings.ToLower(strings.Trim(n.Data, adTrim))] &&
				!isElement(n.Parent, atom.A, atom.Option, atom.Button) {
				return true
			}
			continue
		}
		if visited++; visited > maxElements {
			break
		}
		if isElement(n, atom.A) && slices.Contains(strings.Fields(strings.ToLower(attr(n, "rel"))), "sponsored") ||
			adLabels[strings.ToLower(strings.TrimSpace(attr(n, "aria-label")))] {
			return true
		}
	}
	return false
}

const adTrim = " \t\r\n\u00a0\u3000[]【】()（）<>＜＞■▼・:："

func hasAdClass(n *html.Node) bool {
	return slices.ContainsFunc(strings.Fields(attr(n, "class")), func(c string) bool {
		return wordClass.MatchString(c) && isAdClass(c)
	})
}

func isAdClass(c string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(c), func(r rune) bool { return r == '-' || r == '_' }) {
		if adWords[word] {
			return true
		}
	}
	return false
}

// wordClassLoose tells a class that can stand in a selector as it is, also a generated one.
func wordClassLoose(c string) bool {
	for i, b := range []byte(c) {
		if !isLetter(b) && b != '_' && (i == 0 || b != '-' && (b < '0' || b > '9')) {
			return false
		}
	}
	return c != "" && len(c) <= 60
}

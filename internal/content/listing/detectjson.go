package listing

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Limits of the search for rows in data.
const (
	maxArrays      = 300 // that are compared
	maxMembers     = 120 // paths within a row
	maxMemberDepth = 4
	maxOfScript    = 2 // proposals
	maxOfData      = 3 // of all scripts
)

// array is one in embedded data, or objects by their names, with how to get there.
type array struct {
	path   []string
	rows   []*value
	score  float64
	fields map[string]Field
}

// detectJSON proposes the arrays in scripts whose objects look most like things that a page lists. If there are none,
// it looks into attributes and into the properties of React components.
func (d *document) detectJSON() []Candidate {
	if out := d.jsonIn(d.scripts()); len(out) > 0 {
		return ranked(out)
	}
	out := d.jsonIn(d.withData())
	if v := d.flight(); v != nil {
		out = append(out, d.arraysOf(flightName, v)...)
	}
	for i := range out {
		out[i].ofComponent = true
	}
	// Components have counters and carousels too, so a list found there must have links.
	return ranked(slices.DeleteFunc(out, func(c Candidate) bool {
		_, ok := c.Layout.Fields["link"]
		return !ok
	}))
}

func (d *document) jsonIn(nodes []*html.Node) []Candidate {
	var out []Candidate
	for _, n := range nodes {
		if strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
			continue
		}
		for _, where := range d.dataIn(n) {
			var v *value
			if isVariable(where) {
				v = d.variable(where)
			} else {
				v = d.dataOf(n)
			}
			if v != nil {
				out = append(out, d.arraysOf(where, v)...)
			}
		}
	}
	return out
}

func (d *document) arraysOf(where string, v *value) []Candidate {
	var out []Candidate
	for _, a := range d.bestArrays(v) {
		l := Layout{Rows: Rows{JSON: where, Path: joinPath(a.path)}, Fields: a.fields}
		if p := d.try(l); p != nil && len(p.Rows) > 1 {
			out = append(out, Candidate{Source: "json", Layout: l, Page: p, Score: a.score * quality(p),
				Choices: d.jsonChoices(a.rows)})
		}
	}
	return out
}

// ranked returns the best, with scores beside those of other sources.
func ranked(out []Candidate) []Candidate {
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	for i := range out {
		if i > 0 {
			out[i].Score = min(1, out[i].Score/out[0].Score) * quality(out[0].Page)
		}
	}
	if len(out) > 0 {
		out[0].Score = quality(out[0].Page)
	}
	return out[:min(len(out), maxOfData)]
}

// bestArrays finds arrays of objects like things: a price, a picture or a date weigh more than their number.
func (d *document) bestArrays(v *value) []*array {
	var all []*array
	left := maxArrays
	merged := map[string]*array{}
	add := func(path []string, rows []*value) {
		if left > 0 && len(rows) > 1 && d.steps.spend(len(rows)) {
			left--
			all = append(all, &array{path: slices.Clone(path), rows: rows})
		}
	}
	var walk func(v *value, path, shape []string)
	walk = func(v *value, path, shape []string) {
		if v.kind == '[' || v.kind == '{' {
			add(path, objectsIn(v))
		}
		if v.kind == '[' && !slices.Equal(path, shape) {
			key := joinPath(shape)
			if merged[key] == nil {
				merged[key] = &array{path: slices.Clone(shape)}
			}
			merged[key].rows = append(merged[key].rows, objectsIn(v)...)
		}
		if v.kind == '{' {
			for prefix, rows := range byPrefix(v) {
				add(append(path, prefix+"*"), rows)
			}
		}
		for i := range v.items {
			switch {
			case left <= 0:
				return
			case v.kind == '{':
				walk(&v.items[i], append(path, v.names[i]), append(shape, v.names[i]))
			case i < maxMatches: // arrays of arrays
				walk(&v.items[i], append(path, strconv.Itoa(i)), append(shape, "*"))
			}
		}
	}
	walk(v, nil, nil)
	for _, key := range slices.Sorted(maps.Keys(merged)) {
		left = max(left, 1)
		add(merged[key].path, merged[key].rows)
	}
	for _, a := range all {
		d.judge(a)
	}
	slices.SortStableFunc(all, func(a, b *array) int { return cmp.Compare(b.score, a.score) })
	all = slices.DeleteFunc(all, func(a *array) bool { return a.score <= 0 })
	return all[:min(len(all), maxOfScript)]
}

// objectsIn returns the objects of an array, or of an object all of whose members are some.
func objectsIn(v *value) []*value {
	var out []*value
	for i := range v.items {
		if v.items[i].kind == '{' {
			out = append(out, &v.items[i])
		} else if v.kind == '{' {
			return nil
		}
	}
	return out
}

// byPrefix groups an object's members by the beginnings of names ("Product:12", "User:1"), as client caches have them.
func byPrefix(v *value) map[string][]*value {
	var out map[string][]*value
	for i, name := range v.names {
		at := strings.IndexAny(name, ":#/")
		if at < 2 || v.items[i].kind != '{' {
			continue
		}
		if out == nil {
			out = map[string][]*value{}
		}
		out[name[:at+1]] = append(out[name[:at+1]], &v.items[i])
	}
	return out
}

// member is a path within the rows of an array, with its values.
type member struct {
	path   []string
	values []*value
	texts  []string
	has    float64
}

func (m *member) name() string {
	for i := len(m.path) - 1; i >= 0; i-- {
		if m.path[i] != "0" {
			return m.path[i]
		}
	}
	return ""
}

var (
	jsonAside = pattern.New(`(?i)menu|nav|facet|filter|categor|breadcrumb|option|footer|header|lang|locale` +
		`|sort|aggregat|bucket|tags?$|config|setting|translation|message|banner|brands|prefecture|countr|region` +
		`|shipping|breakpoint|route|feature`)
	jsonElse = pattern.New(`(?i)recommend|related|similar|ranking|popular|history|recent|advert|sponsor` +
		`|promot|ads?$|pr$|carousel|also`)
	jsonCount = pattern.New(`(?i)^(?:count|doc_?count|hits|numResults|total|quantity)$`)
)

// judge chooses the fields of an array's rows, and says by what they have how much it looks like a list of things.
func (d *document) judge(a *array) {
	members := d.membersOf(a.rows)
	a.fields = map[string]Field{}
	points := 0.0
	for _, field := range jsonFields {
		if m, ok := d.bestMember(members, field, a.fields); ok {
			a.fields[field.name] = Field{At: joinPath(m.path)}
			points += field.points * m.has
		}
	}
	if d.mayBeCents(a.fields, members) {
		a.fields["price"] = Field{} // none, rather than the one by its usual name
	}
	_, hasTitle := a.fields["title"]
	_, hasLink := a.fields["link"]
	_, hasID := a.fields["id"]
	if !hasTitle || !hasLink && !hasID {
		a.score = 0
		return
	}
	a.score = points * math.Sqrt(math.Log2(1+math.Min(float64(len(a.rows)), 64)))
	path := strings.Join(a.path, ".")
	switch {
	case jsonElse.MatchString(path):
		a.score *= 0.3
	case jsonAside.MatchString(path):
		a.score *= 0.4
	}
	_, hasPrice := a.fields["price"]
	if !hasPrice && slices.ContainsFunc(members, func(m *member) bool {
		return len(m.path) == 1 && jsonCount.MatchString(m.name())
	}) {
		a.score *= 0.4
	}
}

// membersOf lists the paths to texts, numbers and truths in a sample of rows.
func (d *document) membersOf(rows []*value) []*member {
	rows = rows[:min(len(rows), maxSample)]
	var out []*member
	index := map[string]*member{}
	var walk func(v *value, path []string, row int)
	walk = func(v *value, path []string, row int) {
		if !d.steps.spend(4) {
			return
		}
		switch v.kind {
		case '"', '0', 'b':
			key := joinPath(path)
			m := index[key]
			if m == nil {
				if len(out) >= maxMembers {
					return
				}
				m = &member{path: slices.Clone(path), values: make([]*value, len(rows)),
					texts: make([]string, len(rows))}
				index[key] = m
				out = append(out, m)
			}
			m.values[row], m.texts[row] = v, reader.Cut(strings.TrimSpace(v.text), maxTitle)
		case '{':
			if len(path) < maxMemberDepth {
				for i, name := range v.names[:min(len(v.names), maxMembers)] {
					walk(&v.items[i], append(path, name), row)
				}
			}
		case '[':
			if len(path) > 0 && len(path) < maxMemberDepth && len(v.items) > 0 {
				walk(&v.items[0], append(path, "0"), row)
			}
		}
	}
	for i, row := range rows {
		walk(row, nil, i)
	}
	for _, m := range out {
		m.has = filled(m.texts)
	}
	return out
}

// jsonField describes how the member of a field is recognised.
type jsonField struct {
	name   string
	points float64 // for a list whose rows have it
	least  float64 // share of the rows that have it
	names  *pattern.Pattern
	not    *pattern.Pattern
	is     func(d *document, m *member, text string) bool
	best   []string // names, the most telling first
}

var jsonFields = []jsonField{
	{name: "price", points: 1.5, least: 0.3,
		names: pattern.New(`(?i)pric(?:e|ing)|amount|cost|kakaku|kingaku|fare|rent$|salary$`),
		not: pattern.New(`(?i)old|was|original|regular|before|compare|strike|unit|month|shipping|postage` +
			`|deliver|point|taxExcl|excl|withoutTax|discount|saving|deposit|install|percent|currency|type|label` +
			`|suffix|prefix|id$|max|high|count|range`),
		is: (*document).isJSONPrice, best: []string{"salePrice", "currentPrice", "sellingPrice", "finalPrice", "price",
			"taxIncluded", "priceIncludingTax", "amount", "value", "current", "lowPrice", "minPrice", "formatted"}},
	{name: "currency", names: pattern.New(`(?i)currency`), least: 0.3,
		is: func(_ *document, _ *member, s string) bool {
			return money.IsCode(strings.ToUpper(s))
		}},
	{name: "date", points: 0.7, least: usual,
		names: pattern.New(`(?i)date|time|at$|on$|published|posted|created|released|listed|updated|day$|start`),
		not: pattern.New(`(?i)format|location|station|option|action|version|condition|region|duration|zone` +
			`|icon|person|reason|description`),
		is: func(d *document, _ *member, s string) bool {
			_, ok := d.dateIn(s)
			return ok
		}, best: []string{"date", "publishedAt", "datePublished", "published", "postedAt", "listedAt", "releasedOn",
			"createdAt", "created", "startDate", "updatedAt", "updated"}},
	{name: "image", points: 1, least: 0.3,
		names: pattern.New(`(?i)image|img|photo|thumb|picture|pic$|cover|media|gallery|visual|gazo`),
		not:   pattern.New(`(?i)avatar|icon|logo|flag|profile|badge|seller|author|user|alt$|width|height`),
		is:    (*document).isJSONImage, best: []string{"image", "imageUrl", "mainImage", "thumbnail", "thumbnailUrl",
			"url", "src", "large", "medium"}},
	{name: "link", points: 1, least: usual, names: pattern.New(`(?i)url|link|href|path|uri$|permalink|slug`),
		not: pattern.New(`(?i)image|img|photo|thumb|picture|avatar|icon|logo|media|cover|seller|shop|store` +
			`|author|user|brand|categor|api|profile|share|video|breadcrumb`),
		is: (*document).isJSONLink, best: []string{"url", "link", "href", "permalink", "canonicalUrl", "productUrl",
			"itemUrl", "detailUrl", "webUrl", "path", "uri", "pageUrl", "slug"}},
	{name: "title", points: 1, least: usual,
		names: pattern.New(`(?i)title|name|headline|label|subject|heading|caption|text$`),
		not: pattern.New(`(?i)seller|shop|store|author|user|brand|categor|maker|vendor|typename|nickname` +
			`|company|organization|status|class|city|place|location|file|sub_?title|alt|prefecture|area|condition` +
			`|badge|option|seo|meta`),
		is: (*document).isJSONTitle, best: []string{"title", "headline", "name", "productName", "itemName",
			"displayName", "subject", "label"}},
	{name: "id", points: 0.2, least: 0.9, names: pattern.New(`(?i)id$|sku|code$|uuid|number$|^no$|asin|slug`),
		not: pattern.New(`(?i)seller|shop|store|author|user|brand|categor|image|photo|parent|group|zip` +
			`|postal|country|currency|area|status`),
		is: func(_ *document, m *member, s string) bool {
			return s != "" && !strings.Contains(s, " ") && len(s) < 80 && distinct(m.texts) == 1
		}, best: []string{"id", "sku", "productId", "productID", "itemId", "listingId", "code", "uuid", "_id"}},
	{name: "status", points: 0.3, least: usual, names: pattern.New(`(?i)status|availab|^state$|sold|stock`),
		not: pattern.New(`(?i)count|date|by$|url`),
		is: func(_ *document, m *member, s string) bool {
			return parseStatus(jsonStatus(&value{kind: kindOf(m), text: s}, strings.ToLower(m.name()), s)) !=
				StatusUnknown
		}},
	{name: "seller", least: usual,
		names: pattern.New(`(?i)seller|shop|vendor|merchant|owner|author|user|company|organi[sz]ation`),
		not:   pattern.New(`(?i)id$|url|image|avatar|type|rating|count|score|icon`),
		is:    func(d *document, _ *member, s string) bool { return d.mayBe("seller", s) && width(s) < 60 }},
}

func kindOf(m *member) byte {
	for _, v := range m.values {
		if v != nil {
			return v.kind
		}
	}
	return 'n'
}

// bestMember chooses the member of a field.
func (d *document) bestMember(members []*member, f jsonField, taken map[string]Field) (*member, bool) {
	var best *member
	most := 0.0
	for _, m := range members {
		if m.has < f.least || len(taken) > 0 && f.name != "id" && isTaken(taken, m) {
			continue
		}
		last, whole := m.name(), strings.Join(m.path, ".")
		if !f.names.MatchString(whole) && !f.names.MatchString(last) || f.not != nil && f.not.MatchString(whole) {
			continue
		}
		n, all := 0, 0
		for _, t := range m.texts {
			if t != "" {
				all++
				if f.is(d, m, t) {
					n++
				}
			}
		}
		if n*10 < all*8 || f.name == "status" && n == 0 {
			continue
		}
		score := m.has * (1 + float64(n)/float64(all)) / (1 + 0.15*float64(len(m.path)-1))
		if f.names.MatchString(last) {
			score *= 1.3
		}
		if i := slices.Index(f.best, last); i >= 0 {
			score *= 1.6 - 0.5*float64(i)/float64(len(f.best))
		}
		switch f.name {
		case "title", "link", "image":
			score *= 0.4 + 0.6*distinct(m.texts)
		case "price": // a number may count cents; what is written for people does not
			score *= 1 + 1.5*looksLike(m.texts, d.isPriceText)
		}
		if score > most {
			best, most = m, score
		}
	}
	return best, best != nil
}

// mayBeCents reports whether prices without a currency are whole numbers that end as prices in cents do.
func (d *document) mayBeCents(fields map[string]Field, members []*member) bool {
	price, ok := fields["price"]
	if _, known := fields["currency"]; known || !ok {
		return false
	}
	for _, m := range members {
		if joinPath(m.path) != price.At || kindOf(m) != '0' || minorName.MatchString(strings.ToLower(m.name())) {
			continue
		}
		n, all := 0, 0
		for _, t := range m.texts {
			if t == "" {
				continue
			}
			p, _ := d.priceIn(t)
			if len(t) < 3 || strings.Contains(t, ".") || money.Digits(p.Currency) != 2 {
				return false
			}
			all++
			if slices.Contains([]string{"00", "50", "90", "95", "99"}, t[len(t)-2:]) {
				n++
			}
		}
		return n*10 >= all*8
	}
	return false
}

func isTaken(taken map[string]Field, m *member) bool {
	at := joinPath(m.path)
	for _, f := range taken {
		if f.At == at {
			return true
		}
	}
	return false
}

func (d *document) isJSONPrice(m *member, s string) bool {
	if kindOf(m) == 'b' {
		return false
	}
	_, ok := d.priceIn(s)
	return ok
}

// isPriceText reports whether a price is written with its currency.
func (d *document) isPriceText(s string) bool {
	p, ok := d.priceIn(s)
	return ok && p.Currency != "" && !isBareNumber(s)
}

var pictureEnd = pattern.New(`(?i)\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|[?#@!])`)

func (d *document) isJSONImage(m *member, s string) bool {
	return kindOf(m) == '"' && !strings.Contains(s, " ") && strings.Contains(s, "/") && d.link(s) != ""
}

func (d *document) isJSONLink(m *member, s string) bool {
	return kindOf(m) == '"' && !strings.ContainsAny(s, " \n") && strings.Contains(s, "/") && d.link(s) != "" &&
		!pictureEnd.MatchString(s)
}

func (d *document) isJSONTitle(m *member, s string) bool {
	return kindOf(m) == '"' && width(s) > 1 && !strings.HasPrefix(s, "http") && !strings.HasPrefix(s, "/") &&
		!d.isJSONPrice(m, s)
}

// jsonChoices lists the members that could be a field, with the texts of the first rows.
func (d *document) jsonChoices(rows []*value) map[string][]Choice {
	out := map[string][]Choice{}
	add := func(at []string) {
		var samples []string
		for i := range rows[:min(len(rows), 3)] {
			samples = append(samples, reader.Cut(oneLine(rows[i].at(at).scalar()), 100))
		}
		if samples[0] == "" {
			return
		}
		for _, field := range FieldNames() {
			if len(out[field]) < maxChoices && d.mayBe(field, samples[0]) {
				out[field] = append(out[field], Choice{Field{At: joinPath(at)}, samples})
			}
		}
	}
	if len(rows) == 0 {
		return out
	}
	first := rows[0]
	for j, name := range first.names[:min(len(first.names), maxSample)] {
		add([]string{name})
		for _, inner := range first.items[j].names[:min(len(first.items[j].names), maxMatches)] {
			add([]string{name, inner})
		}
	}
	return out
}

// mayBe reports whether a text looks like a value of a field.
func (d *document) mayBe(field, text string) bool {
	switch field {
	case "link":
		return d.link(text) != "" && strings.Contains(text, "/")
	case "image":
		return d.link(text) != "" && strings.Contains(text, "/") && strings.Contains(text, ".")
	case "price":
		_, ok := d.priceIn(text)
		return ok
	case "date":
		_, ok := d.dateIn(text)
		return ok
	case "currency":
		return money.IsCode(text)
	case "status":
		return parseStatus(text) != StatusUnknown || text == "true" || text == "false"
	case "id":
		return !strings.Contains(text, " ")
	case "title":
		return width(text) > 3 && d.mayBe("seller", text)
	}
	return field == "seller" && strings.ContainsFunc(text, unicode.IsLetter) && text != "true" && text != "false"
}

// dataIn names the data in a script: the script itself by a selector that finds no other first, or its variables.
func (d *document) dataIn(n *html.Node) []string {
	if !isElement(n, atom.Script) {
		return selectorsOfData(n)
	}
	text := strings.TrimSpace(scriptText(n))
	if text == "" {
		return nil
	}
	if text[0] == '{' || text[0] == '[' {
		var s string
		switch id := attr(n, "id"); {
		case wordClassLoose(id):
			s = "script#" + id
		default:
			s = "script" + attrSelector(n, "type") + attrSelector(n, "data-name") + attrSelector(n, "class")
		}
		return []string{s}
	}
	var out []string
	for at := 0; len(out) < maxMatches; {
		i := strings.Index(text[at:], "window")
		if i < 0 {
			break
		}
		at += i
		name := variableAt(text[at:])
		at += max(len(name), len("window"))
		if name != "" && !slices.Contains(out, name) && strings.HasPrefix(strings.TrimLeft(text[at:], " \t\r\n"), "=") {
			out = append(out, name)
		}
	}
	return out
}

// selectorsOfData returns what selects an element with data in an attribute; none if nothing tells it from others.
func selectorsOfData(n *html.Node) []string {
	id, text := attr(n, "id"), dataText(n)
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Val == text })
	switch name := n.Attr[i].Key; {
	case wordClassLoose(id):
		return []string{"#" + id}
	case wordClassLoose(name):
		return []string{n.Data + "[" + name + "]"}
	case strings.Contains(n.Data, "-"): // an element of the application's own; Vue writes :items
		return []string{n.Data}
	}
	return nil
}

func attrSelector(n *html.Node, name string) string {
	v := attr(n, name)
	if v == "" || len(v) > 60 || strings.ContainsAny(v, `"\`) {
		return ""
	}
	return "[" + name + `="` + v + `"]`
}

// variableAt reads window.NAME or window["NAME"].
func variableAt(s string) string {
	end := len("window")
	if len(s) > end+1 && s[end] == '[' {
		if i := strings.IndexByte(s[:min(len(s), 80)], ']'); i > 0 {
			return s[:i+1]
		}
		return ""
	}
	if len(s) <= end || s[end] != '.' {
		return ""
	}
	end++
	for end < len(s) && end < 80 && (isWord(s[end]) || s[end] == '.') {
		end++
	}
	return strings.TrimRight(s[:end], ".")
}

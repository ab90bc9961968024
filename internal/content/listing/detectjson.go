package listing

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/money"
)

// maxArrays is how many arrays of a script are compared.
const maxArrays = 200

// array is one in embedded data, with how to get there.
type array struct {
	path  []string
	rows  int // objects with a title, and an address or an id
	links int // those with an address
}

// detectJSON proposes the array with the most rows of data in scripts.
func (d *document) detectJSON() []Candidate {
	var out []Candidate
	for _, n := range d.scripts() {
		if strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
			continue
		}
		for _, where := range d.dataIn(n) {
			r := Rows{JSON: where}
			var v *value
			if isVariable(where) {
				v = d.variable(where)
			} else {
				v = d.dataOf(n)
			}
			if v == nil {
				continue
			}
			best := bestArray(v)
			if best == nil {
				continue
			}
			r.Path = joinPath(best.path)
			l := Layout{Rows: r}
			p := d.try(l)
			if p == nil || len(p.Rows) < 2 {
				continue
			}
			rows := v.at(best.path).items
			// The names that are usual are written down, so that people can change them, if they say it all.
			l.Fields = usualFields(rows)
			if named := d.try(l); named == nil || !reflect.DeepEqual(named, p) {
				l.Fields = nil
			}
			out = append(out, Candidate{Source: "json", Layout: l, Page: p, Score: quality(p), Choices: d.jsonChoices(rows)})
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Compare(float64(len(b.Page.Rows))*b.Score, float64(len(a.Page.Rows))*a.Score)
	})
	return out[:min(len(out), 2)]
}

// usualFields are the members that most rows have, by the fields whose usual names they bear.
func usualFields(rows []value) map[string]Field {
	out := map[string]Field{}
	for _, field := range FieldNames() {
		counts := map[string]int{}
		for i := range rows[:min(len(rows), maxSample)] {
			if m, name := usualMember(&rows[i], field); m != nil {
				counts[name]++
			}
		}
		best := ""
		for _, name := range jsonNames[field] {
			if counts[name] > counts[best] {
				best = name
			}
		}
		if best != "" {
			out[field] = Field{At: joinPath([]string{best})}
		}
	}
	return out
}

// jsonChoices lists the members that could be a field, with the texts of the first rows.
func (d *document) jsonChoices(rows []value) map[string][]Choice {
	out := map[string][]Choice{}
	add := func(at []string) {
		var samples []string
		for i := range rows[:min(len(rows), 3)] {
			samples = append(samples, cut(oneLine(rows[i].at(at).scalar()), 100))
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
	first := &rows[0]
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
		_, ok := money.Parse(text, d.lang)
		return ok
	case "date":
		_, ok := findDate(text, d.lang)
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

// bestArray finds the array with the most objects that have a title, and an address or an id.
func bestArray(v *value) *array {
	var best *array
	left := maxArrays
	var walk func(v *value, path []string)
	walk = func(v *value, path []string) {
		if v.kind == '[' && len(v.items) > 1 && left > 0 {
			left--
			a := &array{path: slices.Clone(path)}
			for i := range v.items {
				countRow(&v.items[i], a)
			}
			if a.rows > 1 && (best == nil || a.rows+a.links > best.rows+best.links) {
				best = a
			}
		}
		for i := range v.items {
			switch {
			case v.kind == '{':
				walk(&v.items[i], append(path, v.names[i]))
			case i < 3: // arrays of arrays
				walk(&v.items[i], append(path, strconv.Itoa(i)))
			}
		}
	}
	walk(v, nil)
	return best
}

func countRow(v *value, a *array) {
	if v.kind != '{' {
		return
	}
	title, _ := usualMember(v, "title")
	link, _ := usualMember(v, "link")
	id, _ := usualMember(v, "id")
	if title == nil || link == nil && id == nil || width(title.scalar(jsonMembers["title"]...)) < 2 {
		return
	}
	a.rows++
	if link != nil {
		a.links++
	}
}

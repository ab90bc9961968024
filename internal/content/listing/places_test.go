package listing

import (
	"fmt"
	"strings"
	"testing"
)

// detectedSummary detects a page and returns what its first candidate reads.
func detectedSummary(t *testing.T, page string) string {
	t.Helper()
	d, err := Detect(t.Context(), []byte(page), "text/html; charset=utf-8", "https://a.example/list")
	if err != nil || len(d.Candidates) == 0 {
		t.Fatal(err, "nothing is found")
	}
	return summaryOf(d.Candidates[0].Page)
}

// A place is looked for below its row, not one level too high in the row that stands where the field stands.
func TestPlacesBeginAtTheRow(t *testing.T) {
	t.Parallel()
	var rows, want []string
	for i := range 6 {
		rows = append(rows,
			fmt.Sprintf(`<div><div><img src="/%d.jpg"></div><div><div>Cat</div><div><a href="/i/%d">Thing number `+
				`%d</a></div><div>$%d.00</div></div></div>`, i, i, i, i+3))
		want = append(want, fmt.Sprintf("Thing number %d|/i/%d|%d00USD|", i, i, i+3))
	}
	if got := detectedSummary(t, `<html lang="en"><body><div>`+strings.Join(rows, "")+`</div></body>`); got !=
		strings.Join(want, " ") {
		t.Errorf("%s\nwant %s", got, strings.Join(want, " "))
	}
}

// One advertisement among the rows takes no other row with it, whatever marks it.
func TestAdvertisementAmongRows(t *testing.T) {
	t.Parallel()
	for name, ad := range map[string]string{
		"label without a class": `<li class="x1"><span>広告</span><a href="https://ads.example/1">An offer ` +
			`of somebody</a><b class="label">¥1</b></li>`,
		"short label": `<li class="x1"><div><div><span>[PR]</span></div></div><a ` +
			`href="https://ads.example/1">An offer of somebody</a><b class="label">¥1</b></li>`,
		"label of a class that all have": `<li class="x1"><b class="label">Sponsored</b><a ` +
			`href="https://ads.example/1">An offer of somebody</a></li>`,
		"link": `<li class="x1"><a rel="nofollow sponsored" ` +
			`href="https://ads.example/1">An offer of somebody</a><b class="label">¥1</b></li>`,
		"class": `<li class="x1 item--ad"><a href="https://ads.example/1">An offer of ` +
			`somebody</a><b class="label">¥1</b></li>`,
		"a word that is in another title": `<li class="x1"><i>PR</i><a href="https://ads.example/1">An offer of ` +
			`somebody</a><b class="label">¥1</b></li>`,
	} {
		var rows, want []string
		for i := range 6 {
			rows = append(rows,
				fmt.Sprintf(`<li class="x1"><a href="/i/%d">Spring PR thing number %d</a><b `+
					`class="label">¥%d,000</b></li>`, i, i, i+1))
			want = append(want, fmt.Sprintf("Spring PR thing number %d|/i/%d|%d000JPY|", i, i, i+1))
		}
		rows[2] += ad
		if got := detectedSummary(t, `<html lang="ja"><body><ul>`+strings.Join(rows, "")+`</ul></body>`); got !=
			strings.Join(want, " ") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Marks that most rows have say something else.
func TestMarksOfMostRows(t *testing.T) {
	t.Parallel()
	const page = `<html lang="en"><body><ul>`
	var b strings.Builder
	for i := range 5 {
		b.WriteString(strings.ReplaceAll(`<li class="promo"><a href="/%">A thing with number %</a></li>`, "%",
			fmt.Sprint(i)))
	}
	if got := detectedSummary(t, page+b.String()+`</ul></body>`); strings.Count(got, "A thing") != 5 {
		t.Error(got)
	}
}

func TestBadgesAndBackgrounds(t *testing.T) {
	t.Parallel()
	const rows = `<ul><li><a href="/1"><div style="background: #eee url('/1.jpg') no-repeat"></div><h3><span ` +
		`class="badge">NEW</span>Red chair</h3></a></li><li><a href="/2"><div ` +
		`style="background-image:url(/2.jpg)"></div><h3>Blue chair <em>SOLD</em></h3></a></li><li><a href="/3"><div ` +
		`data-bg="/3.jpg"></div><h3><span class="label">Label maker</span></h3></a></li></ul>`
	p, err := Read(t.Context(), []byte(rows), "text/html", "https://a.example/",
		&Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"title": {At: "h3"}, "image": {At: "div"}}})
	if err != nil || len(p.Rows) != 3 {
		t.Fatal(err, p)
	}
	for i, want := range []string{"Red chair", "Blue chair", "Label maker"} {
		if r := p.Rows[i]; r.Title != want || r.Image != fmt.Sprintf("https://a.example/%d.jpg", i+1) {
			t.Errorf("%q %q, want %q", r.Title, r.Image, want)
		}
	}
}

// ":scope" is the row, and "+" is what follows it before the next one.
func TestScopeAndFollowing(t *testing.T) {
	t.Parallel()
	const page = `<html lang="en"><dl><dt><a href="/1">One</a> <i><a href="/x">x</a></i></dt><dd>2026-11-01</dd><dd ` +
		`class="p">$1.00</dd><dt><a href="/2">Two</a></dt><dd class="p">$2.00</dd><dt><a ` +
		`href="/3">Three</a></dt></dl><p class="p">$9.00</p>`
	p, err := Read(t.Context(), []byte(page), "text/html", "https://a.example/",
		&Layout{Rows: Rows{Selector: "dl > dt"}, Fields: map[string]Field{
			"title": {At: ":scope > a"}, "link": {At: ":scope > a"}, "price": {At: "+ dd.p"},
		}})
	if got, want := summaryOf(p), "One|/1|100USD| Two|/2|200USD| Three|/3||"; err != nil || got != want {
		t.Errorf("%v %s, want %s", err, got, want)
	}
	for _, at := range []string{"+", "+ ["} {
		if err := (&Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"title": {At: at}}}).Check(); err ==
			nil {
			t.Errorf("%q is allowed", at)
		}
	}
}

// What belongs to a row may stand in elements behind it that have no classes: in the table's next row, into which a
// cell reaches down, or in one of several descriptions.
func TestPlacesBehindTheRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, row, after string }{
		"two rows of a table": {`<table><tr><th>写真</th><th>価格</th><th>地域</th></tr>`,
			`<tr><td rowspan="2"><img src="/%[1]d.jpg"></td><td colspan="2"><a href="/i/%[1]d">木製の椅子 %[1]d</a></td>` +
				`</tr><tr><td>%[2]d,000円</td><td>東京都</td></tr>`, `</table>`},
		"a category that reaches down": {`<table>`,
			`<tr><td rowspan="2">家具 %[1]d</td><td><a href="/i/%[1]d">木製の椅子 %[1]d</a></td>` +
				`<td class="p">%[2]d,000円</td></tr>`, `</table>`},
		"the second description": {`<dl>`,
			`<dt><a href="/i/%[1]d">木製の椅子 %[1]d</a></dt><dd>杉並区の家具店 %[2]d号</dd><dd>%[2]d,000円</dd>`, `</dl>`},
	} {
		var rows, want []string
		for i := range 7 {
			row := fmt.Sprintf(c.row, i, i+1)
			if name == "a category that reaches down" && i%2 == 1 {
				_, row, _ = strings.Cut(row, "</td>")
				row = "<tr>" + row
			}
			rows = append(rows, row)
			want = append(want, fmt.Sprintf("木製の椅子 %d|/i/%d|%d000JPY|", i, i, i+1))
		}
		page := `<html lang="ja"><body>` + c.before + strings.Join(rows, "") + c.after + `</body></html>`
		if got := detectedSummary(t, page); got != strings.Join(want, " ") {
			t.Errorf("%s: %s\nwant %s", name, got, strings.Join(want, " "))
		}
	}
}

package listing

import (
	"fmt"
	"strings"
	"testing"
)

// listPage is a page of n rows with what stands around a list.
func listPage(n int, head, extra string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b,
			`<li class="item"><a class="cat" href="/category/%d">Cameras</a><h3><a href="/item/%d">A camera, number `+
				`%d</a></h3><p class="price">¥%d,000</p><span class="label">%s</span></li>`,
			i%2, i, i, i+1, map[bool]string{true: "SOLD", false: ""}[i%3 == 0])
	}
	return `<html lang="ja"><head><title>Cameras</title>` + head +
		`</head><body><nav><ul><li><a href="/">Home page</a></li><li><a href="/new">What is ` +
		`new</a></li></ul></nav><ul class="items">` +
		b.String() + extra +
		`</ul><p><a class="pager-next" href="?page=2">次へ</a></p><footer><a ` +
		`href="/terms">利用規約</a></footer></body></html>`
}

func TestDetectDescribesPage(t *testing.T) {
	t.Parallel()
	ad := `<li class="item ad"><h3><a href="https://ads.example/1">Buy this instead</a></h3><p ` +
		`class="price">¥1</p></li>`
	d, err := Detect(t.Context(), []byte(listPage(9, "", ad)), "text/html; charset=utf-8", "https://a.example/list")
	if err != nil || len(d.Candidates) == 0 {
		t.Fatal(err, d)
	}
	if d.Title != "Cameras" || d.Terms != "https://a.example/terms" || d.Lang != "ja" || d.Problem != "" {
		t.Errorf("%q %q %q %q", d.Title, d.Terms, d.Lang, d.Problem)
	}
	c := d.Candidates[0]
	if c.Source != "rows" || len(c.Page.Rows) != 9 || c.Page.Next != "https://a.example/list?page=2" ||
		c.Score <= 0 || c.Score > 1 {
		t.Errorf("%s, %d rows, next %s, score %f: %+v", c.Source, len(c.Page.Rows), c.Page.Next, c.Score, c.Layout)
	}
	if r := c.Page.Rows[3]; r.Link != "https://a.example/item/3" || r.Title != "A camera, number 3" ||
		*r.Price != (Price{Amount: 4000, Currency: "JPY"}) || r.Status != Sold || c.Page.Rows[1].Status != OnSale {
		t.Errorf("%+v", r)
	}
	for _, field := range []string{"title", "link", "price", "status"} {
		if len(c.Choices[field]) == 0 || len(c.Choices[field][0].Samples) != 3 {
			t.Errorf("choices of %s: %+v", field, c.Choices[field])
		}
	}
}

// Data in the page comes before detected rows, unless it has much less, or tells less of the same things.
func TestOrderOfSources(t *testing.T) {
	t.Parallel()
	const offer = `{"@type":"Offer","price":"1000","priceCurrency":"JPY"}`
	ld := func(n int, more string) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf(
				`{"@type":"ListItem","item":{"@type":"Product","url":"/item/%d","name":"A camera, number %d"%s}}`,
				i, i, more))
		}
		return `<script type="application/ld+json">{"@type":"ItemList","itemListElement":[` +
			strings.Join(items, ",") + `]}</script>`
	}
	const titles = `<script type="application/json">{"l":[{"title":"One camera","url":"/item/0"},{"title":"Two ` +
		`cameras","url":"/item/1"},{"title":"Three","url":"/item/2"},{"title":"Four","url":"/item/3"},` +
		`{"title":"Five","url":"/item/4"}]}</script>`
	data, priced := strings.ReplaceAll(titles, `"}`, `","price":"¥1,000"}`), `,"offers":`+offer
	for name, c := range map[string]struct{ head, want string }{
		"none":                 {"", "rows"},
		"a list":               {ld(9, priced), "json-ld"},
		"a list of names":      {ld(9, ""), "rows"},
		"a list of two":        {ld(2, priced), "rows"},
		"data":                 {data, "json"},
		"data of names":        {titles, "rows"},
		"a list and data":      {ld(9, priced) + data, "json-ld"},
		"short list and data":  {ld(2, priced) + data, "json"},
		"a list that is empty": {ld(0, ""), "rows"},
	} {
		d, err := Detect(t.Context(), []byte(listPage(9, c.head, "")), "text/html; charset=utf-8",
			"https://a.example/list")
		if err != nil || len(d.Candidates) == 0 || len(d.Candidates) > maxCandidates {
			t.Errorf("%s: %v %d candidates", name, err, len(d.Candidates))
			continue
		}
		if got := d.Candidates[0].Source; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestDetectNothing(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"":                  ProblemEmpty,
		"<p>Only text.</p>": ProblemEmpty,
		"<div id=app></div><script src=/app.js></script>":                                        ProblemRendered,
		`<h1>Checking your browser</h1><div class="cf-turnstile"></div><script src=/c></script>`: ProblemChallenge,
	} {
		d, err := Detect(t.Context(), []byte(page), "text/html", "https://a.example/")
		if err != nil || len(d.Candidates) != 0 || d.Problem != want {
			t.Errorf("%s: %v %+v", page, err, d)
		}
	}
}

// A price of before whose element has only a class for it, and is not crossed out, is not the price.
func TestDetectFormerPrice(t *testing.T) {
	t.Parallel()
	for _, class := range []string{"prev", "price-was", "rrp", "former", "secondary-price"} {
		var b strings.Builder
		for i := range 6 {
			fmt.Fprintf(&b, `<li><a href="/g/%d"><h2>Classical guitar %d</h2></a><div class="price">`+
				`<span class=%q>€%d99</span><span class="now"><i>€</i>%d49</span></div></li>`, i, i, class, i+4, i+2)
		}
		_, p := detected(t, class, []byte(`<html lang="en"><ol>`+b.String()+`</ol></html>`), "text/html",
			"https://a.example/")
		for i := range p.Rows {
			if r := &p.Rows[i]; r.Price == nil || r.Price.Amount != int64(i+2)*10_000+4900 {
				t.Errorf("%s: row %d has the price %v (%q)", class, i, r.Price, r.PriceText)
			}
		}
		if len(p.Rows) != 6 {
			t.Errorf("%s: %d rows", class, len(p.Rows))
		}
	}
}

// Which of day and month comes first, one date of a page can show for all.
func TestDetectDayFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		days [4]string
		want [4]string
	}{
		"day first": {[4]string{"04/11/2026", "13/11/2026", "11/12/2026", "05/11/2026"},
			[4]string{"2026-11-04", "2026-11-13", "2026-12-11", "2026-11-05"}},
		"month first": {[4]string{"11/04/2026", "11/13/2026", "12/11/2026", "11/05/2026"},
			[4]string{"2026-11-04", "2026-11-13", "2026-12-11", "2026-11-05"}},
	} {
		var b strings.Builder
		for i, day := range c.days {
			fmt.Fprintf(&b, `<li><a href="/p/%d"><h2>A terraced house, number %d</h2></a><p>Added on %s</p></li>`,
				i, i, day)
		}
		_, p := detected(t, name, []byte(`<html lang="en"><ul>`+b.String()+`</ul></html>`), "text/html",
			"https://a.example/")
		for i := range p.Rows {
			if got := p.Rows[i].Date.Format("2006-01-02"); got != c.want[i] {
				t.Errorf("%s: %s is read as %s, want %s", name, c.days[i], got, c.want[i])
			}
		}
		if len(p.Rows) != len(c.days) {
			t.Errorf("%s: %d rows", name, len(p.Rows))
		}
	}
}

// Rows of header cells between the others, which name groups of them, are no rows of the list.
func TestDetectTableWithGroups(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 8 {
		if i%2 == 0 {
			fmt.Fprintf(&b, `<tr><th colspan="4">第%d部</th></tr>`, i)
		}
		fmt.Fprintf(&b, `<tr><td>%d</td><td><a href="/t/%d.pdf">市道%d号線舗装工事</a></td><td>令和8年12月%d日</td>`+
			`<td>%d,500,000円</td></tr>`, i, i, i+1, i+1, i+1)
	}
	_, p := detected(t, "groups", []byte(`<html lang="ja"><table>`+b.String()+`</table></html>`), "text/html",
		"https://a.example/")
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Price == nil || r.Price.Amount != int64(i+1)*1_000_000+500_000 || r.Date.Day() != i+1 {
			t.Errorf("row %d: %v, %v", i, r.Price, r.Date)
		}
	}
	if len(p.Rows) != 8 {
		t.Errorf("%d rows", len(p.Rows))
	}
}

// Lines that only breaks divide are rows with what stands beside their links.
func TestDetectLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 9 {
		fmt.Fprintf(&b, "2026.11.1%d <a href=\"news/%d.html\">展示会%dのお知らせ</a><br>\n", i, i, i)
	}
	_, p := detected(t, "lines", []byte(`<html lang="ja"><h2>お知らせ</h2><p>`+b.String()+`</p><p>Home<br>`+
		`<a href="/a">About</a><br><a href="/b">Terms</a><br><a href="/c">Privacy</a></p></html>`), "text/html",
		"https://a.example/")
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Title != fmt.Sprintf("展示会%dのお知らせ", i) || r.Date.Day() != 10+i ||
			r.Link != fmt.Sprintf("https://a.example/news/%d.html", i) {
			t.Errorf("row %d: %q, %v, %s", i, r.Title, r.Date, r.Link)
		}
	}
	if len(p.Rows) != 9 {
		t.Errorf("%d rows", len(p.Rows))
	}
}

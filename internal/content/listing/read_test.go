package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// summaryOf writes rows in short: title|link|price|status, …
func summaryOf(p *Page) string {
	var out []string
	for _, r := range p.Rows {
		price := ""
		if r.Price != nil {
			price = fmt.Sprint(r.Price.Amount, r.Price.Currency)
		}
		out = append(out,
			strings.Join([]string{r.Title, strings.TrimPrefix(r.Link, "https://a.example"), price,
				[...]string{"", "onSale", "sold"}[r.Status]}, "|"))
	}
	return strings.Join(out, " ")
}

func TestReadData(t *testing.T) {
	t.Parallel()
	ld := func(s string) string { return `<html lang=en><script type="application/ld+json">` + s + `</script>` }
	offer := func(s string) string {
		return ld(`[{"@type":"Product","name":"A","url":"/a","offers":` + s +
			`},{"@type":"Product","name":"B","url":"/b"}]`)
	}
	for name, c := range map[string]struct{ data, page, want string }{
		"items": {dataJSONLD,
			ld(`{"@context":"https://schema.org","@type":"ItemList","itemListElement":[{"@type":"ListItem",` +
				`"position":1,"item":{"@type":"Product","name":"A &amp; ` +
				`B","url":"/a","sku":"1","offers":{"@type":"Offer","price":"12.50","priceCurrency":"EUR",` +
				`"availability":"https://schema.org/InStock"}}},{"@type":"ListItem","url":"https://a.example/b",` +
				`"name":"B"},"https://a.example/c"]}`),
			"A & B|/a|1250EUR|onSale B|/b|| |/c||"},
		"graph": {dataJSONLD,
			ld(`{"@graph":[{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","name":"x","item":"/x"},` +
				`{"@type":"ListItem","name":"y","item":"/y"}]},{"@type":"WebPage","mainEntity":{"@type":"ItemList",` +
				`"itemListElement":{"@type":"ListItem","name":"A","url":"/a"}}}]}`), "A|/a||"},
		"articles": {dataJSONLD,
			ld(`{"@type":"Blog","blogPost":[{"@type":"BlogPosting","headline":"A","mainEntityOfPage":{"@id":"/a"}},` +
				`{"@type":"BlogPosting","headline":"B","url":"/b"}]}`), "A|/a|| B|/b||"},
		"aggregate": {dataJSONLD,
			offer(`{"@type":"AggregateOffer","lowPrice":1200,"highPrice":3000,"priceCurrency":"JPY",` +
				`"availability":"SoldOut"}`), "A|/a|1200JPY|sold B|/b||"},
		"many offers": {dataJSONLD,
			offer(`[{"@type":"Offer","price":9,"priceCurrency":"USD","availability":"OutOfStock"},{"@type":"Offer",` +
				`"price":12,"priceCurrency":"USD","availability":"http://schema.org/BackOrder"},{"@type":"Offer",` +
				`"price":"11","priceCurrency":"USD","availability":"PreOrder"}]`), "A|/a|1100USD|onSale B|/b||"},
		"a spec": {dataJSONLD,
			offer(`{"@type":"Offer","priceSpecification":{"@type":"UnitPriceSpecification","price":1.299,` +
				`"priceCurrency":"KWD"},"availability":"Discontinued"}`), "A|/a|1299KWD|sold B|/b||"},
		"whole number": {dataJSONLD, offer(`{"@type":"Offer","price":1299,"priceCurrency":"EUR"}`),
			"A|/a|129900EUR| B|/b||"},
		"script links": {dataJSONLD,
			ld(`[{"@type":"Product","name":"<b>A</b>","url":"javascript:alert(1)"},{"@type":"Product","name":"B",` +
				`"url":"/b","image":"data:x"}]`), "<b>A</b>||| B|/b||"},
		"microdata": {dataMicrodata,
			`<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope ` +
				`itemtype="https://schema.org/ListItem"><a itemprop="item" href="/x"><b ` +
				`itemprop="name">X</b></a></ol>` +
				`<div itemscope itemtype="http://schema.org/Product"><a itemprop="url" href="/a"><h2 ` +
				`itemprop="name">A</h2></a><img itemprop="image" src="/a.jpg"><p itemprop="offers" itemscope ` +
				`itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="SEK"><b itemprop="price" ` +
				`content="299.50">299:50</b><link itemprop="availability" href="http://schema.org/SoldOut"></p><div ` +
				`itemprop="review" itemscope itemtype="http://schema.org/Review"><i ` +
				`itemprop="name">Nice</i></div></div>` +
				`<div itemscope itemtype="http://schema.org/Product"><a href="/b"><h2 itemprop="name">B</h2></a></div>`,
			"A|/a|29950SEK|sold B|/b||"},
	} {
		p, err := Read(t.Context(), []byte(c.page), "text/html; charset=utf-8", "https://a.example/list",
			&Layout{Rows: Rows{Data: c.data}})
		if err != nil || summaryOf(p) != c.want {
			t.Errorf("%s: %v %s, want %s", name, err, summaryOf(p), c.want)
		}
	}
}

func TestReadEmbedded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows       Rows
		page, want string
	}{
		"script": {Rows{JSON: "script#d", Path: "a.items"},
			`<html lang=ja><script id=d ` +
				`type="application/json">{"a":{"items":[{"id":1,"title":"A","url":"/a","price":1200,"soldOut":true},` +
				`{"id":2,"name":"B","href":"https://a.example/b","price":{"amount":"3,400","currency":"JPY"},` +
				`"stock":3}]}}</script>`, "A|/a|1200JPY|sold B|/b|3400JPY|onSale"},
		"variable": {Rows{JSON: "window.S", Path: "l"},
			`<html lang=en><script>window.T={};window.S = ` +
				`{l:[{title:'A',url:"/a",price_cents:1250,currency:"USD",},{"title":"B\u00e9","url":"/b?utm_source=` +
				`x","status":"SOLD_OUT"}],f:undefined};run()</script>`, "A|/a|1250USD| Bé|/b?utm_source=x||sold"},
		"parse": {Rows{JSON: `window["S"]`},
			`<script>window["S"]=JSON.parse('[{"title":"A","url":"\/a"},{"title":"B","url":"\/b"}]')</script>`,
			"A|/a|| B|/b||"},
		"object": {Rows{JSON: "script", Path: `by\.id`},
			`<script type="application/json">{"by.id":{"7":{"title":"A","slug":"x"},"3":{"title":"B","slug":"y"}}}</` +
				`script><a href="/p/b">B</a>`, "A||| B|/p/b||"},
		"too deep": {Rows{JSON: "script", Path: "l"}, `<script type="application/json">{"deep":` +
			strings.Repeat("[", 900) + strings.Repeat("]", 900) + `,"l":[{"title":"A","url":"/a"}]}</script>`,
			"A|/a||"},
		"broken": {Rows{JSON: "script", Path: "l"},
			`<script type="application/json">{"l":[{"title":"A","url":"/a"}</script>`, ""},
		"function": {Rows{JSON: "window.S"}, `<script>window.S={l:[f()]}</script>`, ""},
	} {
		p, err := Read(t.Context(), []byte(c.page), "text/html; charset=utf-8", "https://a.example/list",
			&Layout{Rows: c.rows})
		if err != nil || summaryOf(p) != c.want {
			t.Errorf("%s: %v %s, want %s", name, err, summaryOf(p), c.want)
		}
	}
}

func TestReadRows(t *testing.T) {
	t.Parallel()
	const page = `<html lang="en"><head><base href="/shop/"></head><body>
		<h2>1 March 2026</h2><ul><li><a href="a?utm_medium=x&amp;id=1">A <b>thing</b></a> <del>$9.00</del> <ins>$7.00</ins></li><li><a href="a?id=1#top">A again</a></li></ul>
		<h2>2 March 2026</h2><ul><li><a href="javascript:alert(1)">No link</a> ASK</li><li><a href="//b.example/b" title="The whole title of B">The whole…</a> £5</li><li></li></ul>
		<a rel="nofollow next" href="?page=2">more</a></body></html>`
	p, err := Read(t.Context(), []byte(page), "text/html", "https://a.example/list",
		&Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{
			"title": {At: "a"}, "link": {At: "a"}, "date": {At: "< h2"}, "price": {At: "ins"},
		}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := summaryOf(p), "A thing|/shop/a?utm_medium=x&id=1|700USD| No link||| The whole title of "+
		"B|https://b.example/b||"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.Next != "https://a.example/shop/?page=2" {
		t.Errorf("next page %q", p.Next)
	}
	for i, day := range []int{1, 2, 2} {
		if want := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC); !p.Rows[i].Date.Equal(want) {
			t.Errorf("row %d: date %v", i, p.Rows[i].Date)
		}
	}
	p, err = Read(t.Context(), []byte(page), "text/html", "https://a.example/list",
		&Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"price": {}}})
	// not what is crossed out
	if err != nil || len(p.Rows) != 3 || p.Rows[0].Price == nil || p.Rows[0].Price.Amount != 700 {
		t.Errorf("%v %s", err, summaryOf(p))
	}
}

// M-4
func TestKeys(t *testing.T) {
	t.Parallel()
	key := func(r Row) uint64 { return r.key() }
	same := [][2]Row{
		{{Link: "https://a.example/x?utm_source=1"}, {Link: "http://a.example/x/"}},
		{{ID: "7", Link: "https://a.example/x"}, {ID: "7", Link: "https://a.example/y", Title: "t"}},
		{{Title: "t", Image: "i"}, {Title: "t", Image: "i", PriceText: "1"}},
	}
	for i, s := range same {
		if key(s[0]) != key(s[1]) || key(s[0]) == 0 || key(s[0]) >= 1<<48 {
			t.Errorf("%d: %x %x", i, key(s[0]), key(s[1]))
		}
	}
	all := []uint64{key(Row{ID: "x"}), key(Row{Link: "https://a.example/x"}),
		key(Row{Link: "https://a.example/x?id=2"}), key(Row{Title: "x"}), key(Row{Title: "x", Image: "y"})}
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Error("different rows share a key")
	}
}

func TestPagesWithoutRows(t *testing.T) {
	t.Parallel()
	links := strings.Repeat(`<p>Text of a page <a href="/x">with links</a></p>`, 20)
	for name, c := range map[string]struct {
		layout  Layout
		page    string
		empty   bool
		problem string
	}{
		"says so": {Layout{Rows: Rows{Selector: "li"}, Empty: ".none"},
			links + `<p class=none>No results</p>`, true, ""},
		"no items": {Layout{Rows: Rows{Data: dataJSONLD}},
			`<script type="application/ld+json">{"@type":"ItemList","numberOfItems":0,"itemListElement":[]}</script>`,
			true, ""},
		"no elements": {Layout{Rows: Rows{Data: dataJSONLD}},
			`<script type="application/ld+json">{"@type":"ItemList","numberOfItems":"0"}</script>`, true, ""},
		"an empty array": {Layout{Rows: Rows{JSON: "script", Path: "l"}},
			`<script type="application/json">{"l":[]}</script>`, true, ""},
		"changed": {Layout{Rows: Rows{Selector: "li"}, Empty: ".none"}, links, false, ProblemEmpty},
		"empty is a list": {Layout{Rows: Rows{Data: dataJSONLD}},
			`<script type="application/ld+json">{"@type":"ItemList","numberOfItems":3,"itemListElement":[]}</script>` +
				links, false, ProblemEmpty},
		"shell": {Layout{Rows: Rows{Selector: "li"}},
			`<div id=root></div><noscript>Turn on JavaScript</noscript><script src=/app.js></script>`, false,
			ProblemRendered},
		"challenge": {Layout{Rows: Rows{Selector: "li"}},
			`<title>Just a moment...</title><div id="cf-challenge"></div><script src=/c.js></script>`, false,
			ProblemChallenge},
		"captcha in form": {Layout{Rows: Rows{Selector: "li"}}, links + `<form><div class="g-recaptcha"></div></form>`,
			false, ProblemEmpty},
		"nothing": {Layout{Rows: Rows{Selector: "li"}}, ``, false, ProblemEmpty},
	} {
		p, err := Read(t.Context(), []byte(c.page), "text/html", "https://a.example/", &c.layout)
		if err != nil || len(p.Rows) != 0 || p.Empty != c.empty || p.Problem != c.problem {
			t.Errorf("%s: %v %+v", name, err, p)
		}
	}
}

// M-13
func TestReadDetail(t *testing.T) {
	t.Parallel()
	l := &DetailLayout{Price: Field{At: ".price"}, Status: Field{At: ".state", Map: map[string]string{"SOLD": "sold"},
		Else: "onSale"}, SoldAt: Field{At: ".sold time"}}
	l.Gone.Text = "This item was removed"
	const data = `<script type="application/ld+json">{"@type":"Product","name":"A","offers":{"price":"10",` +
		`"priceCurrency":"EUR","availability":"SoldOut"}}</script>`
	for name, c := range map[string]struct {
		layout *DetailLayout
		status int
		page   string
		want   string
	}{
		"on sale": {l, 200, `<p class=price>¥1,200</p>`, "1200JPY onSale"},
		"sold": {l, 200,
			`<p class=price>¥1,200</p><b class=state>Sold</b><p class=sold>on <time ` +
				`datetime="2026-11-20T10:00:00+09:00">20</time></p>`, "1200JPY sold 2026-11-20T01:00:00Z"},
		"removed":        {l, 200, `<p>Sorry. <b>This item</b> was removed.</p>`, "gone"},
		"404":            {nil, 404, ``, "gone"},
		"410":            {l, 410, ``, "gone"},
		"data":           {nil, 200, data, "1000EUR sold"},
		"layout or data": {&DetailLayout{Price: Field{At: "b"}}, 200, data + `<b>€12</b>`, "1200EUR sold"},
		"nothing":        {nil, 200, `<p>text</p>`, ""},
	} {
		d, err := ReadDetail(t.Context(), c.status, []byte(c.page), "text/html", "https://a.example/i/1", c.layout)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		if d.Gone {
			got = append(got, "gone")
		}
		if d.Price != nil {
			got = append(got, fmt.Sprint(d.Price.Amount, d.Price.Currency))
		}
		if d.Status != StatusUnknown {
			got = append(got, [...]string{"", "onSale", "sold"}[d.Status])
		}
		if !d.SoldAt.IsZero() {
			got = append(got, d.SoldAt.Format(time.RFC3339))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
	var e *Error
	if _, err := ReadDetail(t.Context(), 200, nil, "", "", &DetailLayout{Price: Field{At: "["}}); !errors.As(err, &e) ||
		e.Code != CodeLayout || e.Field != "detail.price.at" {
		t.Errorf("%v", err)
	}
}

func TestFindDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, lang, want string }{
		{"2026-11-20", "", "2026-11-20T00:00:00Z"}, {"2026-11-20T10:00:00+09:00", "", "2026-11-20T01:00:00Z"},
		{"更新日：令和8年11月6日（金）", "ja", "2026-11-06T00:00:00Z"},
		{"R8.11.6", "ja", "2026-11-06T00:00:00Z"}, {"2026年 1 月 5 日", "ja", "2026-01-05T00:00:00Z"},
		{"２０２６/０１/０５ 掲載", "ja", "2026-01-05T00:00:00Z"},
		{"Posted on November 5, 2026 by A", "en", "2026-11-05T00:00:00Z"},
		{"Sat, 5th December 2026", "en-GB", "2026-12-05T00:00:00Z"}, {"5.12.2026", "de", "2026-12-05T00:00:00Z"},
		{"05/12/2026", "fr", "2026-12-05T00:00:00Z"}, {"12/05/2026", "en-US", "2026-12-05T00:00:00Z"},
		{"13/05/2026", "en", "2026-05-13T00:00:00Z"},
		{"2026-13-45", "", ""}, {"12345", "", ""},
	} {
		got := ""
		if at, ok := findDate(c.text, c.lang); ok {
			got = at.Format(time.RFC3339)
		}
		if got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.text, c.lang, got, c.want)
		}
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Status{
		"Sold": Sold, "SOLD OUT": Sold, "Sold out!": Sold, "売り切れました": Sold, "在庫切れ": Sold, "ausverkauft": Sold,
		"Nicht mehr lieferbar": Sold, "https://schema.org/SoldOut": Sold,
		"OutOfStock": Sold, "Currently unavailable": Sold, "품절": Sold, "out-of-stock": Sold, "在庫あり（残り5点）": OnSale,
		"In stock: 4": OnSale, "In den Warenkorb": OnSale, "Dostępny": OnSale,
		"PreOrder": OnSale, "onSale": OnSale, "Sold by Anna": StatusUnknown, "Unsold stock": StatusUnknown,
		"A book about gold": StatusUnknown, "": StatusUnknown, "送料無料": StatusUnknown,
	} {
		if got := parseStatus(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

package listing

import (
	"fmt"
	"strings"
	"testing"
)

// Pages of single things are read without a layout: by data in them, else by what they show.
func TestReadDetailWithoutLayout(t *testing.T) {
	t.Parallel()
	const related = `<section class="related"><h2>関連商品</h2><ul><li><a href="/i/2">別の品</a><span ` +
		`class="price">¥500</span><span>SOLD</span></li></ul></section>`
	for name, c := range map[string]struct{ page, want string }{
		"json-ld": {`<script type="application/ld+json">{"@type":"Product","name":"Lamp","description":"A desk ` +
			`lamp.","image":["/a.jpg","/b.jpg"],"offers":{"@type":"Offer","price":"12.50","priceCurrency":"EUR",` +
			`"availability":"https://schema.org/InStock"}}</script><h1>Lamp</h1>`,
			"json-ld Lamp 1250EUR onSale - 2"},
		"json-ld, sold with its end": {
			`<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":"12",` +
				`"priceCurrency":"EUR","availability":"SoldOut","availabilityEnds":"2026-11-20"}}</script>`,
			"json-ld Lamp 1200EUR sold 2026-11-20 0"},
		"json-ld beside related ones": {
			`<script type="application/ld+json">[{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"Product","name":"Other","url":"/i/2","offers":{"price":"1","priceCurrency":"EUR"}}},{"@type":"ListItem","item":{"@type":"Product","name":"Third","url":"/i/3","offers":{"price":"2","priceCurrency":"EUR"}}}]},
			{"@type":"Product","name":"Lamp","offers":{"price":"12","priceCurrency":"EUR","availability":"OutOfStock"}}]</script><h1>Lamp</h1>`,
			"json-ld Lamp 1200EUR sold - 0"},
		"microdata": {`<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp</h1><div ` +
			`itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" ` +
			`content="12.00">12</span><meta itemprop="priceCurrency" content="GBP"><link itemprop="availability" ` +
			`href="https://schema.org/OutOfStock"></div></div>`,
			"microdata Lamp 1200GBP sold - 0"},
		"shown, on sale": {
			`<main><h1>木の椅子</h1><img src="/c.jpg"><p ` +
				`class="item-price">¥4,800<small>税込</small></p><button>カートに入れる</button></main>` + related,
			"page 木の椅子 4800JPY onSale - 1"},
		"shown, sold with its day": {
			`<main><h1>木の椅子</h1><div><span class="price">4,800円</span><div ` +
				`class="state">売り切れ</div><dl><dt>終了日時</dt><dd>2026年11月20日 21:05</dd></dl></div></main>` + related,
			"page 木の椅子 4800JPY sold 2026-11-20 0"},
		"old and new price": {`<main><h1>Oak table</h1><p class="price-old">£120.00</p><p class="price">£99.00</p><a ` +
			`href="/cart">Add to basket</a></main>`,
			"page Oak table 9900GBP onSale - 0"},
		"open graph": {`<head><meta property="og:title" content="Oak table"><meta property="product:price:amount" ` +
			`content="99.00"><meta property="product:price:currency" content="GBP"><meta property="og:image" ` +
			`content="/o.jpg"></head><body><h1>Oak table</h1><p>It is nice.</p></body>`,
			"page Oak table 9900GBP  - 1"},
		"nothing of price or status": {`<h1>Notice of works</h1><p>The road is closed on 2026-11-20.</p>`,
			" Notice of works   - 0"},
		"only related things": {`<h1>Notice of works</h1><p>The road is closed.</p>` + related,
			" Notice of works   - 0"},
	} {
		lang := "en-GB"
		if strings.HasPrefix(name, "shown") {
			lang = "ja"
		}
		d, err := ReadDetail(t.Context(), 200, []byte(`<html lang="`+lang+`">`+c.page), "text/html; charset=utf-8",
			"https://a.example/i/1", nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		day := "-"
		if !d.SoldAt.IsZero() {
			day = d.SoldAt.Format("2006-01-02")
		}
		price := ""
		if d.Price != nil {
			price = fmt.Sprint(d.Price.Amount, d.Price.Currency)
		}
		got := fmt.Sprintf("%s %s %s %s %s %d", d.Source, d.Title, price, [...]string{"", "onSale", "sold"}[d.Status],
			day, len(d.Images))
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

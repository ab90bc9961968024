package listing

import (
	"fmt"
	"strings"
	"testing"
)

// A page's markup says which digits are cents, which notes, and which it crosses out.
func TestPricesInMarkup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, markup string
		amount       int64 // -1: none
		currency     string
	}{
		{"en", `$149<sup>99</sup>`, 14999, "USD"},
		{"en", `149<sup>99</sup> €`, 14999, "EUR"},
		{"en", `$149<sup>.99</sup>`, 14999, "USD"},
		{"en", `$149.99<sup>1</sup>`, 14999, "USD"},
		{"en", `$149<sup>1</sup>`, 14900, "USD"},
		{"en", `$149.99<sup>*</sup>`, 14999, "USD"},
		{"en", `<sup>$</sup>149<sup>99</sup>`, 14999, "USD"},
		{"en", `<span>$</span><span>1,149<span>.</span></span><span>99</span>`, 114999, "USD"},
		{"en", `<span>$149</span><small>99</small>`, 14999, "USD"},
		{"de", `149<sup>99 €</sup>`, 14999, "EUR"},
		{"de", `149 <sup>99</sup> €`, -1, ""},
		{"en", `<span>$149</span><span>9</span>`, -1, ""},
		{"ja", `<b>1</b><i>2,800</i>円`, -1, ""},
		{"ja", `1,980<sup>99</sup>円`, -1, ""},
		{"en", `<del>$20.00</del> $15.00`, 1500, "USD"},
		{"en", `<span style="text-decoration: line-through">$20.00</span>$15.00`, 1500, "USD"},
		{"en", `$1.30/oz $12.99`, 1299, "USD"},
		{"ja", `<span>100gあたり 143円</span><b>429</b><span>円</span>`, 429, "JPY"},
		{"en", `<div>$149</div><div>99</div>`, -1, ""},
		{"pl", `1 200 zł<span>do negocjacji</span>`, 120000, "PLN"},
		{"de", `<b>45 €</b><i>VB</i>`, 4500, "EUR"},
	} {
		page := fmt.Sprintf(`<html lang=%s><ul><li><a href="/1">A thing</a><p>%s</p></li></ul>`, c.lang, c.markup)
		p, err := Read(t.Context(), []byte(page), "text/html; charset=utf-8", "https://a.example/",
			&Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"title": {At: "a"}, "link": {At: "a"},
				"price": {At: "p"}}})
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if r := p.Rows[0].Price; r != nil {
			got = fmt.Sprint(r.Amount, " ", r.Currency)
		}
		want := "none"
		if c.amount >= 0 {
			want = fmt.Sprint(c.amount, " ", c.currency)
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%q)", strings.TrimSpace(c.markup), got, want, p.Rows[0].PriceText)
		}
	}
}

package listing

import "testing"

// The sign at a price counts more than the currency of the page's language.
func TestForeignCurrency(t *testing.T) {
	t.Parallel()
	page := []byte(`<html lang=ja><ul><li><a href=/1>one</a><b>$91.00</b></li><li><a ` +
		`href=/2>two</a><b>1,200</b></li></ul>`)
	l := &Layout{Rows: Rows{Selector: "li"},
		Fields: map[string]Field{"title": {At: "a"}, "link": {At: "a", Attr: "href"}, "price": {At: "b"}}}
	p, err := Read(t.Context(), page, "text/html", "https://shop.example/", l)
	if err != nil || len(p.Rows) != 2 {
		t.Fatalf("%v, %+v", err, p)
	}
	if got := *p.Rows[0].Price; got != (Price{Amount: 9100, Currency: "USD"}) {
		t.Errorf("%+v", got)
	}
	if got := *p.Rows[1].Price; got != (Price{Amount: 1200, Currency: "JPY"}) {
		t.Errorf("%+v", got)
	}
}

package listing

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const demoAdapter = `{ "$schema": "adapter.schema.json", "name": "demo-shop", "version": 1, "hosts": ["shop.example"], "terms": "https://shop.example/terms", "pace": 5, "currency": "JPY",
  "list": { "url": "https://shop.example/search?q={keyword}&cat={category}&min={min}&max={max}&page={page}", "pages": 20,
    "next": "a[rel=next]", "rows": "li.item", "empty": ".no-results",
    "fields": { "id": {"at": "a", "attr": "href", "match": "/item/(\\w+)"}, "title": "h3", "link": "a", "price": ".price", "image": "img",
      "status": {"at": ".badge", "map": {"SOLD": "sold"}, "else": "onSale"}, "seller": ".by", "sellerType": {"at": ".by", "map": {"Shop": "shop"}, "else": "person"} } },
  "detail": { "price": ".price", "status": {"at": ".state", "map": {"SOLD": "sold"}, "else": "onSale"}, "soldAt": ".sold time", "gone": {"codes": [404, 410], "text": "removed"} },
  "examples": [{ "url": "https://shop.example/search?q=a", "page": "<ul><li class=item><a href=/item/x1><h3>One</h3></a><p class=price>¥1,200<p class=badge>SOLD<p class=by>Shop Ito</li><li class=item><a href=/item/x2><h3>Two</h3></a><p class=price>ASK</li></ul>",
    "rows": [{"title": "One", "link": "https://shop.example/item/x1", "price": 1200}, {"title": "Two", "link": "https://shop.example/item/x2"}] }] }`

func TestParseAdapter(t *testing.T) {
	t.Parallel()
	a, err := ParseAdapter([]byte(demoAdapter))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), []byte(a.Examples[0].Page), "text/html", a.Examples[0].URL, &a.List.Layout)
	if err != nil {
		t.Fatal(err)
	}
	one, two := p.Rows[0], p.Rows[1]
	if one.ID != "x1" || one.Status != Sold || one.SellerType != Shop || one.Seller != "Shop Ito" ||
		*one.Price != (Price{Amount: 1200, Currency: "JPY"}) {
		t.Errorf("first row %+v", one)
	}
	if two.Status != OnSale || two.SellerType != Person || two.Price != nil || two.PriceText != "ASK" {
		t.Errorf("second row %+v", two)
	}
}

func TestAdapterMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, replaced, field string }{
		{`"demo-shop"`, `"Demo shop"`, "name"},
		{`"version": 1`, `"version": 0`, "version"},
		{`["shop.example"]`, `[]`, "hosts"},
		{`["shop.example"]`, `["shop.example", "https://x"]`, "hosts.1"},
		{`["shop.example"]`, `["other.example"]`, "list.url"},
		{`"https://shop.example/terms"`, `"javascript:alert(1)"`, "terms"},
		{`"pace": 5`, `"pace": 1`, "pace"},
		{`"pace": 5`, `"pace": 61`, "pace"},
		{`"JPY"`, `"Yen"`, "currency"},
		{`{keyword}`, `{token}`, "list.url"},
		{`{keyword}`, `{keyword`, "list.url"},
		{`https://shop.example/search?q={keyword}`, `https://{keyword}.example/search?q=`, "list.url"},
		{`"pages": 20`, `"pages": 21`, "list.pages"},
		{`"li.item"`, `"li["`, "list.rows"},
		{`"li.item"`, `{"selector": "li", "data": "json-ld"}`, "list.rows"},
		{`"li.item"`, `{"selector": "li", "path": "a"}`, "list.rows.path"},
		{`"li.item"`, `"li:matches(a)"`, "list.rows"},
		{`"li.item"`, `"li:has(:has(:has(a)))"`, "list.rows"},
		{`"title": "h3"`, `"titel": "h3"`, "list.fields.titel"},
		{`"title": "h3"`, `"title": "h3 >"`, "list.fields.title.at"},
		{`/item/(\\w+)`, `/item/(`, "list.fields.id.match"},
		{`/item/(\\w+)`, `(?:a{0,1000}b{0,1000}){0,1}`, "list.fields.id.match"},
		{`/item/(\\w+)`, `(?<!a)b`, "list.fields.id.match"},
		{`{"SOLD": "sold"}, "else": "onSale"}, "seller"`, `{"SOLD": "gone"}}, "seller"`, "list.fields.status"},
		{`".sold time"`, `"< time"`, "detail.soldAt.at"},
		{`[404, 410]`, `[4]`, "detail.gone.codes"},
		{`"title": "One"`, `"title": "Ones"`, "examples.0.rows.0.title"},
		{`"price": 1200`, `"price": 1201`, "examples.0.rows.0.price"},
		{`"link": "https://shop.example/item/x2"`, `"link": "https://shop.example/item/x3"`, "examples.0.rows.1.link"},
		{`, {"title": "Two", "link": "https://shop.example/item/x2"}`, ``, "examples.0.rows"},
		{`"url": "https://shop.example/search?q=a"`, `"url": "https://evil.example/"`, "examples.0.url"},
		{`"pace": 5`, `"headers": {"Cookie": "x"}`, ""},
		{`"pace": 5`, `"script": "x"`, ""},
		{`"One"`, `"` + strings.Repeat("x", MaxAdapter) + `"`, ""},
		{`"list":`, strings.Repeat(`{"list":`, 5000), ""},
	} {
		text := strings.Replace(demoAdapter, c.old, c.replaced, 1)
		if text == demoAdapter {
			t.Errorf("%s is not in the adapter", c.old)
		}
		_, err := ParseAdapter([]byte(text))
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeAdapter || e.Field != c.field || e.Detail == "" {
			t.Errorf("%.60s: %v, want a mistake in %q", c.replaced, err, c.field)
		}
	}
}

// M-6
func TestAddress(t *testing.T) {
	t.Parallel()
	a, err := ParseAdapter([]byte(demoAdapter))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    Query
		page int
		want string
	}{
		{Query{Keyword: "カメラ a&b=c#d", Min: 1000, Max: 20000}, 2,
			"https://shop.example/search?q=%E3%82%AB%E3%83%A1%E3%83%A9+a%26b%3Dc%23d&min=1000&max=20000&page=2"},
		{Query{Category: "../admin?x=1"}, 1, "https://shop.example/search?cat=..%2Fadmin%3Fx%3D1&page=1"},
		{Query{}, 0, "https://shop.example/search?page=1"},
	} {
		if got := a.Address(c.q, c.page); got != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
	a.List.URL, a.Currency = "https://shop.example/{category}/p{page}?max={max}", "EUR"
	if got, want := a.Address(Query{Category: "a/../b", Max: 1250}, 3),
		"https://shop.example/a%2F..%2Fb/p3?max=12.5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The schema names what the code reads, no more and no less.
func TestSchema(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("adapter.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties    map[string]json.RawMessage `json:"properties"`
		Additional    json.RawMessage            `json:"additionalProperties"`
		PropertyNames struct {
			Enum []string `json:"enum"`
		} `json:"propertyNames"`
	}
	var schema struct {
		object
		Defs map[string]struct {
			object
			OneOf []object `json:"oneOf"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	same := func(name string, o object, of any) {
		t.Helper()
		want := jsonNamesOf(reflect.TypeOf(of))
		var got []string
		for n := range o.Properties {
			got = append(got, n)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v in the schema, %v in the code", name, got, want)
		}
		if string(o.Additional) != "false" {
			t.Errorf("%s takes other names than the code does", name)
		}
	}
	same("adapter", schema.object, Adapter{})
	same("list", schema.Defs["list"].object, Adapter{}.List)
	same("rows", schema.Defs["rows"].OneOf[1], Rows{})
	same("field", schema.Defs["field"].OneOf[1], Field{})
	same("detail", schema.Defs["detail"].object, DetailLayout{})
	same("gone", schema.Defs["gone"].object, DetailLayout{}.Gone)
	same("example", schema.Defs["example"].object, Example{})
	if got := schema.Defs["fields"].PropertyNames.Enum; !slices.Equal(got, FieldNames()) {
		t.Errorf("fields %v in the schema, %v in the code", got, FieldNames())
	}
}

func jsonNamesOf(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, jsonNamesOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

package listing

import "testing"

func TestPricesOfData(t *testing.T) {
	t.Parallel()
	page := func(items string) []byte {
		return []byte(`<html lang="en-US"><body><script id="__NEXT_DATA__" type="application/json">{"items":[` + items +
			`]}</script></body></html>`)
	}
	for name, c := range map[string]struct {
		items string
		want  []int64 // 0: none
	}{
		"a lower price beside it": {
			`{"name":"Oak table","url":"/p/1","price":120.5,"salePrice":90.25,"currency":"USD"},{"name":"Ash ` +
				`chair","url":"/p/2","price":45.75,"salePrice":null,"currency":"USD"},{"name":"Elm ` +
				`stool","url":"/p/3","price":33.3,"salePrice":null,"currency":"USD"},{"name":"Fir ` +
				`shelf","url":"/p/4","price":61,"salePrice":null,"currency":"USD"}`, []int64{9025, 4575, 3330, 6100}},
		"cents by name": {
			`{"name":"Oak table","url":"/p/1","priceCents":12050,"currency":"USD"},{"name":"Ash ` +
				`chair","url":"/p/2","priceCents":4575,"currency":"USD"},{"name":"Elm ` +
				`stool","url":"/p/3","priceCents":3330,"currency":"USD"}`, []int64{12050, 4575, 3330}},
		"cents by their look": {
			`{"name":"Oak table","url":"/p/1","price":12000},{"name":"Ash ` +
				`chair","url":"/p/2","price":4595},{"name":"Elm stool","url":"/p/3","price":3350}`, []int64{0, 0, 0}},
		"whole amounts": {`{"name":"Oak table","url":"/p/1","price":122,"currency":"USD"},{"name":"Ash ` +
			`chair","url":"/p/2","price":47,"currency":"USD"},{"name":"Elm ` +
			`stool","url":"/p/3","price":1350,"currency":"USD"}`, []int64{12200, 4700, 135000}},
	} {
		_, p := detected(t, name, page(c.items), "text/html", "https://shop.example/all")
		if len(p.Rows) != len(c.want) {
			t.Errorf("%s: %d rows", name, len(p.Rows))
			continue
		}
		for i, want := range c.want {
			got := int64(0)
			if q := p.Rows[i].Price; q != nil {
				got = q.Amount
			}
			if got != want {
				t.Errorf("%s: row %d costs %d, want %d", name, i, got, want)
			}
		}
	}
}

// An amount that the page's own style sheet crosses out is no price; of two side by side without a word, the lower one
// is asked now.
func TestFormerPricesWithoutAName(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]string{
		"crossed out by the style sheet": `<style>.a1,.x .qz{text-decoration:line-through}</style>`,
		"side by side":                   ""} {
		body := `<html lang="en-GB"><head>` + style + `</head><body><ul>`
		for _, r := range []string{`<span class="qz">£90.00</span><span class="yt">£72.00</span>`,
			`<span class="yk">£31.00</span>`, `<span class="qz">£55.00</span><span class="yt">£44.00</span>`,
			`<span class="yk">£12.00</span>`} {
			body += `<li><a href="/p/` + r[len(r)-12:len(r)-7] + `">A thing of ` + r[len(r)-12:len(r)-7] +
				` wood</a><div>` + r + `</div></li>`
		}
		_, p := detected(t, name, []byte(body+`</ul></body></html>`), "text/html", "https://shop.example/all")
		for i, want := range []int64{7200, 3100, 4400, 1200} {
			if i >= len(p.Rows) || p.Rows[i].Price == nil || p.Rows[i].Price.Amount != want {
				t.Errorf("%s: %+v", name, p.Rows)
				break
			}
		}
	}
}

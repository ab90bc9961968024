package listing

import (
	"fmt"
	"strings"
	"testing"
)

func TestPayloads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows       Rows
		page, want string
	}{
		"places": {Rows{JSON: "script", Path: "data.list"},
			`<script type="application/json">[["ShallowReactive",1],{"data":2},{"list":3},[4,7],{"title":5,"url":6},` +
				`"One","/1",{"title":8,"url":9,"soldOut":10},"Two","/2",true]</script>`, "One|/1|| Two|/2||sold"},
		"a circle": {Rows{JSON: "script", Path: "list"},
			`<script type="application/json">[{"list":1,"self":0},[2],{"title":3,"url":4,"in":1},"One","/1"]</script>`,
			"One|/1||"},
		"plain list": {Rows{JSON: "script"},
			`<script type="application/json">[{"title":"One","url":"/1"},{"title":"Two","url":"/2"},{"title":"Three",` +
				`"url":"/3"}]</script>`, "One|/1|| Two|/2|| Three|/3||"},
		"a function": {Rows{JSON: "window.N", Path: "list"},
			`<script>window.N=(function(a,b,c){return ` +
				`{list:[{title:"One",url:c,soldOut:a},{title:b,url:"\u002F2",soldOut:false}]}}(true,"Two","/1"));</` +
				`script>`, "One|/1||sold Two|/2||onSale"},
		"not called": {Rows{JSON: "window.N", Path: "list"},
			`<script>window.N=(function(a){return {list:[{title:"One",url:"/1",x:a}]}})</script>`, "One|/1||"},
		"other code": {Rows{JSON: "window.N", Path: "list"}, `<script>window.N=(function(a){return f(a)}(1))</script>`,
			""},
		"all members": {Rows{JSON: "script", Path: "groups.*.list"},
			`<script type="application/json">{"groups":[{"list":[{"title":"One","url":"/1"}]},` +
				`{"list":[{"title":"Two","url":"/2"}]},{"other":1}]}</script>`, "One|/1|| Two|/2||"},
		"by name": {Rows{JSON: "script", Path: "Product:*"},
			`<script type="application/json">{"User:1":{"name":"Anna","url":"/u"},"Product:1":{"name":"One","url":"/` +
				`1"},"Product:2":{"name":"Two","url":"/2"}}</script>`, "One|/1|| Two|/2||"},
	} {
		p, err := Read(t.Context(), []byte(c.page), "text/html; charset=utf-8", "https://a.example/list",
			&Layout{Rows: c.rows})
		if err != nil || summaryOf(p) != c.want {
			t.Errorf("%s: %v %s, want %s", name, err, summaryOf(p), c.want)
		}
	}
}

// TestDataInAttributes reads applications that get their data in an attribute of the element that they are shown in.
func TestDataInAttributes(t *testing.T) {
	t.Parallel()
	page := func(n int, before, path, after string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":%d,"name":"ミラーレス一眼 %d","%s":"/items/%d","price":%d000,"currency":"JPY"}`,
				i+1, i+1, path, i+1, i+1)
		}
		return `<html lang="ja"><body><nav><a href="/a">ログイン</a><a href="/b">会員登録</a></nav>` + before + b.String() + after +
			`</body></html>`
	}
	var shown strings.Builder
	for i := range 5 {
		fmt.Fprintf(&shown, `<li class="card"><h3><a href="/shown/%d">A camera that is shown %d</a></h3><p>¥%d00</p></li>`,
			i, i, i+3)
	}
	for name, c := range map[string]struct{ page, source, where string }{
		"Inertia": {page(6, `<div id="app" data-page='{"component":"Items","props":{"items":{"data":[`,
			"url", `]}}}'></div>`), "json", "#app"},
		"a component": {page(6, `<div data-react-class="List" data-react-props='{"items":[`, "url", `]}'></div>`),
			"json", "div[data-react-props]"},
		"a bound attribute": {page(6, `<item-list :items='[`, "url", `]'></item-list>`), "json", "item-list"},
		"rows are shown":    {page(6, shown.String()+`<div data-items='[`, "url", `]'></div>`), "rows", ""},
		"nothing to open":   {page(6, `<div data-counted='[`, "category", `]'></div>`), "", ""},
		"cut short":         {page(6, `<div id="app" data-page='{"items":[`, "url", `'></div>`), "", ""},
	} {
		d, err := Detect(t.Context(), []byte(c.page), "text/html; charset=utf-8", "https://a.example/list")
		if err != nil {
			t.Fatal(err)
		}
		if c.source == "" {
			if len(d.Candidates) > 0 && d.Candidates[0].Source == "json" {
				t.Errorf("%s: proposed is %+v", name, d.Candidates[0].Layout)
			}
			continue
		}
		if len(d.Candidates) == 0 || d.Candidates[0].Source != c.source || d.Candidates[0].Layout.Rows.JSON != c.where {
			t.Errorf("%s: the candidates are %+v", name, d.Candidates)
			continue
		}
		if c.source != "json" {
			continue
		}
		first := d.Candidates[0].Page.Rows[0]
		if n := len(d.Candidates[0].Page.Rows); n != 6 || first.Link != "https://a.example/items/1" ||
			first.Price == nil || first.Price.Amount != 1000 {
			t.Errorf("%s: %d rows, the first %+v", name, n, first)
		}
	}
}

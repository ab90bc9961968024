package listing

import "testing"

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

package listing

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// checkPage holds what is true of every page that is read.
func checkPage(t *testing.T, p *Page) {
	t.Helper()
	if len(p.Rows) > MaxRows {
		t.Fatalf("%d rows", len(p.Rows))
	}
	seen := map[uint64]bool{}
	for _, r := range p.Rows {
		if r.Key == 0 || r.Key >= 1<<keyBits || seen[r.Key] {
			t.Fatalf("key %x, twice: %v", r.Key, seen[r.Key])
		}
		seen[r.Key] = true
		if r.Title == "" && r.Link == "" {
			t.Fatal("a row with nothing in it")
		}
		for _, l := range []string{r.Link, r.Image, p.Next} {
			if l != "" && !isWeb(l) {
				t.Fatalf("link %q", l)
			}
		}
		if r.Price != nil && r.Price.Amount < 0 {
			t.Fatalf("price %v", r.Price)
		}
	}
}

func seedPages(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/unseen/*.html")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files[:4] {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)], "text/html")
	}
	f.Add([]byte(
		`<script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"ListItem","url":"/`+
			`a"}]}</script>`), "")
	f.Add([]byte(`<svg><title><a href=/x>y</a></title></svg><table><a href=1>1<td><b><p></b>`),
		"text/html; charset=shift_jis")
	f.Add([]byte(flightPage(`1:T3,abc2:["$",{"items":[{"title":"One","url":"/1"},{"title":"Two","url":"/2"}]}]`)), "")
}

func FuzzDetect(f *testing.F) {
	seedPages(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		d, err := Detect(t.Context(), body, contentType, "https://a.example/list?page=1")
		if err != nil {
			return
		}
		for _, c := range d.Candidates {
			checkPage(t, c.Page)
		}
		sameWithRead(t, "fuzzed", body, contentType, "https://a.example/list?page=1")
	})
}

func FuzzRead(f *testing.F) {
	for _, l := range []string{
		`{"rows":"li","fields":{"title":"a","date":"< dt"}}`, `{"rows":{"json":"script","path":"a.b"}}`,
		`{"rows":{"json":"window.x","path":"0"}}`,
		`{"rows":{"data":"json-ld"}}`, `{"rows":{"data":"microdata"}}`,
		`{"rows":"tr:has(td) > td + td, dl ~ dd:nth-child(2n+1)","next":"a:not(.x)","empty":"p"}`,
	} {
		f.Add([]byte(l), []byte(`<li><a href="/x">y</a></li><script>window.x=[[{title:'a',url:"/b"}]]</script>`))
	}
	f.Fuzz(func(t *testing.T, layout, body []byte) {
		var l Layout
		if json.Unmarshal(layout, &l) != nil {
			return
		}
		bad := l.Check()
		p, err := Read(t.Context(), body, "text/html", "https://a.example/list", &l)
		var e *Error
		switch {
		case bad != nil && (err == nil || !errors.As(bad, &e) || e.Code != CodeLayout || e.Field == ""):
			t.Fatalf("checked: %v, read: %v", bad, err)
		case err == nil:
			checkPage(t, p)
		}
	})
}

func FuzzParseAdapter(f *testing.F) {
	f.Add([]byte(demoAdapter))
	f.Add([]byte(
		`{"name":"a","version":1,"hosts":["a.example"],"list":{"url":"https://a.example/{page}","rows":"li"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseAdapter(b)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeAdapter {
				t.Fatalf("%v", err)
			}
			return
		}
		if u := a.Address(Query{Keyword: "a b/&?#", Category: "../x", Min: 1, Max: 2}, 3); !isWeb(u) {
			t.Fatalf("address %q", u)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > MaxAdapter { // escapes make it longer
			return
		}
		if _, err := ParseAdapter(text); err != nil {
			t.Fatalf("written as %s: %v", text, err)
		}
	})
}

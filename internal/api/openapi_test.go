package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/docs"
	"github.com/ruri-reader/ruri/internal/api"
)

func document(t *testing.T) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(docs.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestDocumentNamesEveryRoute compares the routes with the paths of docs/openapi.yaml, both ways.
// G-83
func TestDocumentNamesEveryRoute(t *testing.T) {
	t.Parallel()
	var written, served []string
	for path, ops := range document(t)["paths"].(map[string]any) {
		for method := range ops.(map[string]any) {
			if method != "parameters" {
				written = append(written, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range (&api.Server{}).Routes() {
		served = append(served, r.Method+" "+r.Path)
	}
	sort.Strings(written)
	sort.Strings(served)
	if !slices.Equal(written, served) {
		t.Errorf("the document has\n%s\nthe server has\n%s", strings.Join(written, "\n"), strings.Join(served, "\n"))
	}
}

// TestAnswersFitTheDocument checks real answers against the schemas: every required property is there,
// none is there that the document does not name, and each has its type.
// G-50, G-61, C-36
// M-28
func TestAnswersFitTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	id := feeds[len(feeds)-1].Feed.ID
	var page pageAnswer
	w.call("GET", "/api/items", nil, &page)
	item := page.Items[0].ID
	var runs struct{ Runs []struct{ ID string } }
	w.call("GET", "/api/runs", nil, &runs)
	w.clock.Add(time.Minute) // of so many feeds a minute
	watch := w.watch()
	var results struct{ Items []struct{ ID string } }
	w.want(w.call("GET", "/api/watches/"+watch+"/results", nil, &results), 200)
	result := results.Items[0].ID
	doc := document(t)
	for _, c := range []struct {
		method, path, pattern string
		body                  any
		status                string
	}{
		{"GET", "/healthz", "/healthz", nil, "200"},
		{"GET", "/api/me", "/api/me", nil, "200"},
		{"GET", "/api/feeds", "/api/feeds", nil, "200"},
		{"POST", "/api/feeds", "/api/feeds", map[string]string{"url": feeds[0].Feed.URL}, "200"},
		{"POST", "/api/feeds", "/api/feeds", map[string]string{"url": w.publisher.URL + "/plain"}, "422"},
		{"GET", "/api/feeds/" + id, "/api/feeds/{id}", nil, "200"},
		{"GET", "/api/feeds/" + id + "/items", "/api/feeds/{id}/items", nil, "200"},
		{"GET", "/api/items?limit=3", "/api/items", nil, "200"},
		{"GET", "/api/items/bodies?ids=" + item + ",1", "/api/items/bodies", nil, "200"},
		{"GET", "/api/items/" + item, "/api/items/{id}", nil, "200"},
		{"GET", "/api/items/" + item + "/full-text", "/api/items/{id}/full-text", nil, "200"},
		{"PUT", "/api/items/" + item + "/state", "/api/items/{id}/state", map[string]bool{"isRead": true}, "200"},
		{"POST", "/api/feeds/" + id + "/mark-read", "/api/feeds/{id}/mark-read", nil, "200"},
		{"POST", "/api/import/opml", "/api/import/opml",
			`<opml version="2.0"><body><outline text="a" xmlUrl="https://example.org/f"/><outline text="b" ` +
				`xmlUrl="javascript:x"/></body></opml>`, "200"},
		{"GET", "/api/feeds/updated", "/api/feeds/updated", nil, "200"},
		{"GET", "/api/feeds/" + id + "/fetches", "/api/feeds/{id}/fetches", nil, "200"},
		{"POST", "/api/import/starred", "/api/import/starred", `[{"title":"x","url":"https://example.org/x"},{}]`,
			"200"},
		{"POST", "/api/import/reader", "/api/import/reader", map[string]string{"url": "https://reader.example",
			"password": "x"}, "202"},
		{"GET", "/api/imports", "/api/imports", nil, "200"},
		{"PATCH", "/api/feeds/" + id, "/api/feeds/{id}", map[string]string{"url": feeds[len(feeds)-1].Feed.URL}, "200"},
		{"POST", "/api/folders", "/api/folders", map[string]string{"name": "A"}, "201"},
		{"GET", "/api/folders", "/api/folders", nil, "200"},
		{"PATCH", "/api/folders/1", "/api/folders/{id}", map[string]int{"position": 0}, "200"},
		{"POST", "/api/labels", "/api/labels", map[string]string{"name": "A"}, "201"},
		{"PATCH", "/api/labels/1", "/api/labels/{id}", map[string]string{"name": "B"}, "200"},
		{"GET", "/api/labels", "/api/labels", nil, "200"},
		{"PUT", "/api/read-later", "/api/read-later", nil, "200"},
		{"POST", "/api/read-later", "/api/read-later", map[string]string{"url": "example.org/page"}, "201"},
		{"GET", "/api/subscriptions", "/api/subscriptions", nil, "200"},
		{"PUT", "/api/subscriptions/" + id + "/settings", "/api/subscriptions/{id}/settings",
			map[string]any{"folders": []string{"1"}}, "200"},
		{"POST", "/api/subscriptions/bulk", "/api/subscriptions/bulk",
			map[string]any{"changes": []map[string]any{{"id": id, "notify": true}, {"id": "7"}}}, "200"},
		{"PUT", "/api/rules", "/api/rules", `{"revision":"0","rules":[` + aRule + `]}`, "200"},
		{"GET", "/api/rules", "/api/rules", nil, "200"},
		{"POST", "/api/rules/dry-run", "/api/rules/dry-run", `{"rule":` + aRule + `}`, "200"},
		{"POST", "/api/rules/apply", "/api/rules/apply", nil, "200"},
		{"GET", "/api/rules/hidden", "/api/rules/hidden", nil, "200"},
		{"POST", "/api/rules/hidden/" + item + "/show", "/api/rules/hidden/{id}/show", nil, "200"},
		{"POST", "/api/webhooks", "/api/webhooks",
			map[string]any{"url": w.publisher.URL + "/hook", "events": []string{"new"}}, "201"},
		{"GET", "/api/webhooks", "/api/webhooks", nil, "200"},
		{"GET", "/api/runs", "/api/runs", nil, "200"},
		{"GET", "/api/runs/" + runs.Runs[0].ID, "/api/runs/{id}", nil, "200"},
		{"GET", "/api/feeds/99999", "/api/feeds/{id}", nil, "default"},
		{"GET", "/api/watches", "/api/watches", nil, "200"},
		{"POST", "/api/watches", "/api/watches", w.watchWish("/shop"), "200"},
		{"GET", "/api/watches/" + watch, "/api/watches/{id}", nil, "200"},
		{"PUT", "/api/watches/" + watch, "/api/watches/{id}", map[string]any{}, "200"},
		{"PATCH", "/api/watches/" + watch, "/api/watches/{id}", map[string]any{"isPaused": false}, "200"},
		{"GET", "/api/watches/" + watch + "/results?status=all", "/api/watches/{id}/results", nil, "200"},
		{"GET", "/api/crawl/results/" + watch, "/api/crawl/results/{productId}", nil, "200"},
		{"GET", "/api/watches/" + watch + "/results/" + result, "/api/watches/{id}/results/{key}", nil, "200"},
		{"GET", "/api/watches/" + watch + "/trend", "/api/watches/{id}/trend", nil, "200"},
		{"POST", "/api/watches/preview", "/api/watches/preview",
			map[string]any{"url": w.publisher.URL + "/shop", "settings": map[string]int{"max": 900}}, "200"},
		{"POST", "/api/crawl/execute", "/api/crawl/execute", nil, "202"},
		{"GET", "/api/adapters", "/api/adapters", nil, "200"},
		{"GET", "/api/feeds/" + watch + "/items", "/api/feeds/{id}/items", nil, "200"},
	} {
		name := c.method + " " + c.path + " " + c.status
		var src string
		switch b := c.body.(type) {
		case nil:
		case string:
			src = b
		default:
			j, _ := json.Marshal(b)
			src = string(j)
		}
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(src))
		r.Header.Set("Authorization", "Bearer "+w.token)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if c.status != "default" && fmt.Sprint(rec.Code) != c.status {
			t.Errorf("%s answers %d", name, rec.Code)
			continue
		}
		var v any
		if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		op := doc["paths"].(map[string]any)[c.pattern].(map[string]any)[strings.ToLower(c.method)].(map[string]any)
		resp := resolve(doc, op["responses"].(map[string]any)[c.status].(map[string]any))
		schema := resp["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
		for _, e := range fits(doc, schema, v, "") {
			t.Errorf("%s: %s", name, e)
		}
	}
}

func resolve(doc, s map[string]any) map[string]any {
	ref, ok := s["$ref"].(string)
	if !ok {
		return s
	}
	var at any = doc
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[part]
	}
	return resolve(doc, at.(map[string]any))
}

// properties merges a schema's own with those of its allOf.
func properties(doc, s map[string]any) (props map[string]any, required []any) {
	props = map[string]any{}
	s = resolve(doc, s)
	for _, part := range list(s["allOf"]) {
		p, r := properties(doc, part.(map[string]any))
		for k, v := range p {
			props[k] = v
		}
		required = append(required, r...)
	}
	if own, ok := s["properties"].(map[string]any); ok {
		for k, v := range own {
			props[k] = v
		}
	}
	return props, append(required, list(s["required"])...)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// fits lists how a value differs from a schema; the keywords that the document uses are enough.
func fits(doc, s map[string]any, v any, at string) (errs []string) {
	s = resolve(doc, s)
	if one := list(s["oneOf"]); one != nil {
		for _, alt := range one {
			if len(fits(doc, alt.(map[string]any), v, at)) == 0 {
				return nil
			}
		}
		return []string{at + " fits none of its alternatives"}
	}
	if types := typesOf(s); len(types) > 0 && !slices.Contains(types, typeOf(v)) &&
		!(typeOf(v) == "integer" && slices.Contains(types, "number")) {
		return []string{fmt.Sprintf("%s is %s, the document says %v", at, typeOf(v), types)}
	}
	if enum := list(s["enum"]); enum != nil && !slices.Contains(enum, v) {
		errs = append(errs, fmt.Sprintf("%s is %v, which the document does not name", at, v))
	}
	switch v := v.(type) {
	case map[string]any:
		props, required := properties(doc, s)
		for _, r := range required {
			if _, ok := v[r.(string)]; !ok {
				errs = append(errs, at+"."+r.(string)+" is missing")
			}
		}
		for k, x := range v {
			p, ok := props[k].(map[string]any)
			if !ok {
				if s["additionalProperties"] != true && len(props) > 0 {
					errs = append(errs, at+"."+k+" is not in the document")
				}
				continue
			}
			errs = append(errs, fits(doc, p, x, at+"."+k)...)
		}
	case []any:
		if items, ok := s["items"].(map[string]any); ok {
			for i, x := range v {
				errs = append(errs, fits(doc, items, x, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	}
	return errs
}

func typesOf(s map[string]any) (out []string) {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, x := range t {
			out = append(out, x.(string))
		}
	}
	return out
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

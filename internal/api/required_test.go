package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRequiredFields leaves out, for each route of the document that takes JSON, each field that is required, at any
// depth, and has each as null: 400, and a detail that names the field. Nothing is done by mistake. (G-79)
func TestRequiredFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc := document(t)
	ask := func(method, path string, body any) (int, problem) {
		w.clock.Add(time.Minute)                                   // nothing here is about how often one may ask,
		session, _, err := w.auth.NewSession(t.Context(), w.owner) // nor about how long ago one signed in
		if err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(method, path, strings.NewReader(string(j)))
		r.AddCookie(&http.Cookie{Name: "ruri", Value: session})
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		var p problem
		_ = json.Unmarshal(rec.Body.Bytes(), &p)
		return rec.Code, p
	}
	fields := 0
	for pattern, ops := range doc["paths"].(map[string]any) {
		for method, op := range ops.(map[string]any) {
			schema := bodyOf(doc, op)
			if schema == nil {
				continue
			}
			method, path := strings.ToUpper(method),
				strings.NewReplacer("{id}", "5120", "{delivery}", "1").Replace(pattern)
			if code, p := ask(method, path, nil); code != 400 {
				t.Errorf("%s %s with null answers %d %s", method, pattern, code, p.Code)
			}
			whole := wholeOf(doc, schema)
			for _, at := range requiredOf(doc, schema, "") {
				fields++
				for _, as := range []string{"left out", "null"} {
					code, p := ask(method, path, without(whole, strings.Split(at, "."), as == "null"))
					if code != 400 ||
						!slices.ContainsFunc(p.Details, func(d struct{ Field, Code, Message string }) bool {
							return d.Field == at && d.Code == "missing_field" && d.Message != ""
						}) {
						t.Errorf("%s %s with %s %s answers %d %s %v", method, pattern, at, as, code, p.Code, p.Details)
					}
				}
			}
		}
	}
	if fields < 40 {
		t.Errorf("the document requires %d fields", fields)
	}
}

// bodyOf gives the schema of an operation's JSON body; nil where there is none, or any JSON will do.
func bodyOf(doc map[string]any, op any) map[string]any {
	o, _ := op.(map[string]any)
	body, ok := o["requestBody"].(map[string]any)
	if !ok {
		return nil
	}
	kind, ok := resolve(doc, body)["content"].(map[string]any)["application/json"].(map[string]any)
	if !ok {
		return nil
	}
	schema := kind["schema"].(map[string]any)
	if props, _ := properties(doc, schema); len(props) == 0 {
		return nil
	}
	return schema
}

// wholeOf makes a value with all that a schema requires, and one element in each list.
func wholeOf(doc, s map[string]any) any {
	s = resolve(doc, s)
	if enum := list(s["enum"]); enum != nil {
		return enum[0]
	}
	if props, required := properties(doc, s); len(props) > 0 {
		out := map[string]any{}
		for name, p := range props {
			p := resolve(doc, p.(map[string]any))
			if slices.Contains(required, any(name)) || len(requiredOf(doc, p, "")) > 0 {
				out[name] = wholeOf(doc, p)
			}
		}
		return out
	}
	if one := list(s["oneOf"]); one != nil {
		return wholeOf(doc, one[0].(map[string]any))
	}
	if s["format"] == "date-time" {
		return "2026-01-31T12:00:00Z"
	}
	switch typesOf(s)[0] {
	case "array":
		return []any{wholeOf(doc, s["items"].(map[string]any))}
	case "boolean":
		return true
	case "integer":
		return 1
	case "object":
		return map[string]any{}
	}
	return "1"
}

// requiredOf lists the paths of what a schema requires: "rules", "rules[0].id".
func requiredOf(doc, s map[string]any, at string) (out []string) {
	s = resolve(doc, s)
	if items, ok := s["items"].(map[string]any); ok {
		return requiredOf(doc, items, at+"[0]")
	}
	if at != "" {
		at += "."
	}
	props, required := properties(doc, s)
	for _, name := range required {
		out = append(out, at+name.(string))
	}
	for name, p := range props {
		out = append(out, requiredOf(doc, p.(map[string]any), at+name)...)
	}
	return out
}

// without copies a value but for the field at a path.
func without(v any, path []string, null bool) any {
	out := map[string]any{}
	name, inList := strings.CutSuffix(path[0], "[0]")
	for k, x := range v.(map[string]any) {
		switch {
		case k != name:
			out[k] = x
		case len(path) == 1 && null:
			out[k] = nil
		case len(path) == 1:
		case inList:
			out[k] = []any{without(x.([]any)[0], path[1:], null)}
		default:
			out[k] = without(x, path[1:], null)
		}
	}
	return out
}

// A request without a scope, or with an empty id, neither deletes nor marks everything.
func TestEmptyScopeIsNotAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page listed
	w.want(w.call("GET", "/api/items?filter=unread", nil, &page), 200)
	item, unread := page.Items[0].ID, page.Totals.Unread
	var label struct{ ID string }
	w.want(w.call("POST", "/api/labels", `{"name":"later"}`, &label), 201)
	w.want(w.call("PUT", "/api/items/"+item+"/labels", `{"labels":["`+label.ID+`"]}`, nil), 200)
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[`+aRule+`]}`, nil), 200)
	off := strings.Replace(aRule, `"isEnabled":true,`, "", 1)
	for _, c := range []struct {
		method, path, body string
		status             int
		code, field        string
	}{
		{"PUT", "/api/items/" + item + "/labels", `{}`, 400, "missing_field", "labels"},
		{"PUT", "/api/items/" + item + "/labels", `{"labels":null}`, 400, "missing_field", "labels"},
		{"PUT", "/api/rules", `{"revision":"1"}`, 400, "missing_field", "rules"},
		{"PUT", "/api/rules", `{"revision":"1","rules":null}`, 400, "missing_field", "rules"},
		{"PUT", "/api/rules", `{"revision":"1","rules":[` + aRule + `,` + off + `]}`, 400, "missing_field",
			"rules[1].isEnabled"},
		{"PUT", "/api/rules", `{}`, 400, "several_fields", "revision"},
		{"POST", "/api/rules/apply", `{"ruleId":""}`, 404, "rule_not_found", ""},
		{"POST", "/api/rules/apply", `{"ruleId":null}`, 404, "rule_not_found", ""},
		{"POST", "/api/rules/apply", `{"folderId":"0"}`, 400, "bad_json", "folderId"},
		{"POST", "/api/rules/apply", `null`, 400, "bad_json", ""},
		{"POST", "/api/items/mark-read", `{"folder":""}`, 404, "folder_not_found", ""},
		{"POST", "/api/items/mark-read", `{"folder":null}`, 404, "folder_not_found", ""},
		{"POST", "/api/items/mark-read", `{"folder":"0"}`, 404, "folder_not_found", ""},
		{"POST", "/api/items/mark-read", `{"feed":""}`, 400, "bad_json", "feed"},
		{"POST", "/api/items/mark-read", `{"feed":null}`, 400, "bad_json", "feed"},
		{"POST", "/api/items/mark-read", `{"feed":"1","folder":""}`, 400, "mark_ambiguous", ""},
		{"POST", "/api/items/mark-read", `null`, 400, "bad_json", ""},
		{"POST", "/api/items/state", `{"changes":[{"ids":["` + item + `"],"isRead":true},{"ids":["` + item + `"]}]}`,
			400, "nothing_to_change", "changes[1]"},
		{"POST", "/api/items/state", `{"changes":[null]}`, 400, "missing_field", "changes[0].ids"},
		{"POST", "/api/subscriptions/bulk", `{"changes":[{"id":"1","position":"first"}]}`, 400, "bad_json",
			"changes.position"},
		{"PUT", "/api/user/preferences", `null`, 400, "bad_json", ""},
	} {
		var p problem
		resp := w.call(c.method, c.path, c.body, &p)
		named := c.field == ""
		for _, d := range p.Details {
			named = named || d.Field == c.field
		}
		if resp.StatusCode != c.status || p.Code != c.code || !named {
			t.Errorf("%s %s %s answers %d %s %v", c.method, c.path, c.body, resp.StatusCode, p.Code, p.Details)
		}
	}
	var now listed
	w.want(w.call("GET", "/api/items?filter=unread", nil, &now), 200)
	if now.Totals.Unread != unread || fmt.Sprint(now.Items[0].Labels) != "["+label.ID+"]" {
		t.Errorf("%d of %d are unread, labels are %v", now.Totals.Unread, unread, now.Items[0].Labels)
	}
	var set ruleAnswer
	w.want(w.call("GET", "/api/rules", nil, &set), 200)
	if len(set.Rules) != 1 || !set.Rules[0].IsEnabled {
		t.Errorf("the rules are %+v", set)
	}
}

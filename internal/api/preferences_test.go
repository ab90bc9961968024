package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/library"
)

// C-26.
// G-76
func TestPreferencesOfAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.signedIn()
	get := func() map[string]any {
		return answer[map[string]any](t, w.browser(c, "GET", "/api/user/preferences", ""), 200)
	}
	if p := get(); p["theme"] != "auto" || p["itemsPerPage"] != 50.0 || p["showImages"] != true ||
		p["defaultView"] != "list" {
		t.Errorf("the defaults are %v", p)
	}
	put := func(body string) map[string]any {
		t.Helper()
		return answer[map[string]any](t, w.browser(c, "PUT", "/api/user/preferences", body), 200)
	}
	if p := put(`{"theme":"dark","itemsPerPage":100}`); p["theme"] != "dark" || p["itemsPerPage"] != 100.0 ||
		p["showImages"] != true {
		t.Errorf("set: %v", p)
	}
	if p := put(`{"showImages":false}`); p["theme"] != "dark" || p["showImages"] != false {
		t.Errorf("another one set: %v", p)
	}
	if p := put(`{"theme":null}`); p["theme"] != "auto" || !maps.Equal(p, get()) {
		t.Errorf("one set back: %v", p)
	}
	if n := w.spent(func() { put(`{"showImages":false}`) }); len(n) != 0 {
		t.Errorf("setting what is set writes %v", n)
	}
	bad := answer[struct {
		Code    string
		Details []struct{ Field, Code, Message string }
	}](t, w.browser(c, "PUT", "/api/user/preferences", `{"theme":"blue","size":1,"order":"old"}`), 400)
	if bad.Code != "several_fields" || len(bad.Details) != 2 || bad.Details[0].Field != "size" ||
		bad.Details[1].Field != "theme" || bad.Details[1].Message == "" {
		t.Errorf("the errors are %+v", bad)
	}
	if get()["order"] != "new" {
		t.Error("half of a wrong request was done")
	}
}

// The document has the preferences of package reader.
func TestDocumentNamesEveryPreference(t *testing.T) {
	t.Parallel()
	names, values := library.Preferences{}.All()
	schemas := document(t)["components"].(map[string]any)["schemas"].(map[string]any)
	for _, schema := range []string{"Preferences", "PreferencesChange"} {
		properties := schemas[schema].(map[string]any)["properties"].(map[string]any)
		if got := slices.Sorted(maps.Keys(properties)); !slices.Equal(got, slices.Sorted(slices.Values(names))) {
			t.Errorf("%s names %v, there are %v", schema, got, names)
		}
		for i, name := range names {
			p := properties[name].(map[string]any)
			want, _ := json.Marshal(values[i])
			if got, _ := json.Marshal(p["default"]); string(got) != string(want) {
				t.Errorf("%s: the default of %s is %s, documented as %s", schema, name, want, got)
			}
			try := func(v any) error {
				raw, _ := json.Marshal(v)
				_, err := library.Preferences{}.Change(map[string]json.RawMessage{name: raw})
				return err
			}
			if list, ok := p["enum"].([]any); ok {
				for _, v := range list {
					if err := try(v); err != nil {
						t.Errorf("%s: %v is documented: %v", name, v, err)
					}
				}
			}
			if low, ok := p["minimum"].(float64); ok {
				high := p["maximum"].(float64)
				if try(low) != nil || try(high) != nil || try(low-1) == nil || try(high+1) == nil {
					t.Errorf("%s: the bounds are not %v to %v", name, low, high)
				}
			}
		}
	}
}

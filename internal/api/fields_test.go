package api_test

import (
	"slices"
	"strings"
	"testing"
)

// G-79: whatever field of a request is wrong is named, each on its own.
func TestWrongFieldsAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.signedIn()
	feed := w.addSamples()[0].Feed.ID
	long := strings.Repeat("長", 201)
	for _, q := range []struct {
		method, path, body string
		fields             []string
	}{
		{"POST", "/api/tokens", `{"name":"","scopes":["x"],"expiresAt":"2001-01-01T00:00:00Z"}`,
			[]string{"name", "scopes", "expiresAt"}},
		{"POST", "/api/tokens", `{"name":5,"scopes":["read"]}`, []string{"name"}},
		{"POST", "/api/tokens", `{"name":"x","scopes":["read"],"expiresAt":"soon"}`, []string{"expiresAt"}},
		{"POST", "/api/auth/signup", `{"email":"nobody","password":"short"}`, []string{"email", "password"}},
		{"PUT", "/api/users/me/password", `{"password":"short"}`, []string{"password"}},
		{"PUT", "/api/site", `{"signUp":"x"}`, []string{"signUp"}},
		{"POST", "/api/invitations", `{"note":"` + long + `"}`, []string{"note"}},
		{"DELETE", "/api/sessions?all=maybe", "", []string{"all"}},
		{"DELETE", "/api/users/me?confirm=somebody@example.org", "", []string{"confirm"}},
		{"POST", "/api/feeds", `{"url":""}`, []string{"url"}},
		{"POST", "/api/feeds", `{"url":"https://example.org/","folder":"` + long + `"}`, []string{"folder"}},
		{"GET", "/api/discover", "", []string{"url"}},
		{"GET", "/api/discover?url=ftp://example.org/", "", []string{"url"}},
		{"PATCH", "/api/feeds/" + feed, `{"url":"ftp://example.org/"}`, []string{"url"}},
		{"PUT", "/api/subscriptions/" + feed + "/settings", `{"fetchIntervalMinutes":5,"title":"` + long + long + long +
			`","position":-1}`,
			[]string{"title", "fetchIntervalMinutes", "position"}},
		{"GET", "/api/feeds/updated?since=x", "", []string{"since"}},
		{"GET", "/api/items?limit=0", "", []string{"limit"}},
		{"POST", "/api/folders", `{"name":""}`, []string{"name"}},
		{"POST", "/api/labels", `{"name":" "}`, []string{"name"}},
		{"PUT", "/api/user/preferences", `{"theme":"x","nope":1}`, []string{"theme", "nope"}},
	} {
		rec := w.browser(c, q.method, q.path, q.body)
		p := answer[problem](t, rec, 400)
		for _, f := range q.fields {
			if !slices.ContainsFunc(p.Details, func(d struct{ Field, Code, Message string }) bool {
				return d.Field == f && d.Code != "" && d.Message != ""
			}) {
				t.Errorf("%s %s %.60s: %q is not named: %+v", q.method, q.path, q.body, f, p.Details)
			}
		}
		if len(p.Details) != len(q.fields) || len(q.fields) > 1 && p.Code != "several_fields" {
			t.Errorf("%s %s %.60s: %+v", q.method, q.path, q.body, p)
		}
	}
	// Lengths are of characters, whatever they take in bytes.
	for path, body := range map[string]string{
		"/api/tokens":      `{"name":"` + strings.Repeat("長", 100) + `","scopes":["read"]}`,
		"/api/invitations": `{"note":"` + strings.Repeat("長", 200) + `"}`,
	} {
		if rec := w.browser(c, "POST", path, body); rec.Code != 201 {
			t.Errorf("%s of the longest name answers %d: %s", path, rec.Code, rec.Body)
		}
	}
}

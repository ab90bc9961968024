package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
)

// lasting are the operations that make what outlives the session that asked, or that cannot be undone. Each takes a
// sign-in of the last minutes; those marked so take no token of a program at all.
var lasting = map[string]struct {
	path, body string // where they differ from the route's own, or a body is needed
	person     bool
}{
	"POST /api/tokens":            {body: `{"name":"x","scopes":["read","write","admin"]}`, person: true},
	"POST /api/passkeys/options":  {person: true},
	"POST /api/passkeys":          {body: `{"name":"x","credential":{}}`, person: true},
	"DELETE /api/passkeys/{id}":   {path: "/api/passkeys/x", person: true},
	"DELETE /api/identities/{id}": {path: "/api/identities/x", person: true},
	"PUT /api/users/me/password":  {body: `{"password":"battery staple"}`, person: true},
	"PUT /api/users/me/email":     {body: `{"email":"new@example.org"}`, person: true},
	"DELETE /api/users/me":        {path: "/api/users/me?confirm=owner@localhost&owner=true", person: true},
	"POST /api/invitations":       {},
	"PUT /api/site":               {body: `{"signUp":"open"}`},
	"POST /api/shares":            {body: `{"of":"starred"}`},
	"POST /api/webhooks":          {body: `{"url":"https://hook.example/","events":["new"]}`},
	"PATCH /api/webhooks/{id}":    {path: "/api/webhooks/x", body: `{"url":"https://hook.example/"}`},
}

// passing are all other operations that change something: what they leave behind gives nobody access. A new route
// belongs to one of the two.
var passing = []string{
	"DELETE /api/sessions", "DELETE /api/sessions/{id}", "DELETE /api/tokens/{id}", "DELETE /api/shares/{id}",
	"DELETE /api/invitations/{id}",
	// A device ends with its session.
	"PATCH /api/notifications", "POST /api/notifications/devices", "DELETE /api/notifications/devices/{id}",
	"POST /api/notifications/devices/{id}/test",
	"PATCH /api/passkeys/{id}", "DELETE /api/webhooks/{id}", "POST /api/webhooks/{id}/test",
	"POST /api/webhooks/{id}/deliveries/{delivery}/retry", "POST /api/items/{id}/send",
	"POST /api/items/{id}/assist", "PUT /api/assist/agreement",
	"PUT /api/user/preferences", "POST /api/users/me/import",
	"POST /api/feeds", "PATCH /api/feeds/{id}", "DELETE /api/feeds/{id}", "POST /api/feeds/{id}/refresh",
	"POST /api/feeds/{id}/resume",
	"POST /api/refreshes", "POST /api/feeds/{id}/find", "POST /api/feeds/{id}/mark-read",
	"POST /api/feeds/{id}/mark-read/undo", "POST /api/undo",
	"POST /api/import/opml", "POST /api/import/starred", "POST /api/import/reader", "DELETE /api/imports/{id}",
	"PUT /api/imports/{id}/parts/{n}",
	"PUT /api/read-later", "POST /api/read-later",
}

// What outlives a session is made by whoever has just signed in: not at a device that was left open, and not, where it
// is a way in, by a program's token. The walk covers every operation there is.
// C-15
func TestSensitiveChangesNeedAFreshSession(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	owner := e.as("owner@localhost")
	// Without any credential the account's first password is an exception.
	if rec := owner.ask("PUT", "/api/users/me/password",
		json.RawMessage(`{"password":"correct horse","revokeTokens":false}`)); rec.Code != 204 {
		t.Fatalf("a first password: %d %s", rec.Code, rec.Body)
	}
	e.clock.Add(auth.Freshly + time.Second)
	left := maps.Clone(lasting)
	for _, route := range (&api.Server{Options: e.options}).Routes() {
		name := route.Method + " " + route.Path
		if route.Public || route.SignIn || route.Method == http.MethodGet {
			continue
		}
		c, isLasting := lasting[name]
		if !isLasting {
			if !slices.Contains(passing, name) && !isReading(name) {
				t.Errorf("%s is not known to leave nothing behind that gives access: add it to one of the lists", name)
			}
			if route.Fresh {
				t.Errorf("%s asks for a fresh sign-in and is not listed", name)
			}
			continue
		}
		delete(left, name)
		path := c.path
		if path == "" {
			path = route.Path
		}
		var body any
		if c.body != "" {
			body = json.RawMessage(c.body)
		}
		if p := answer[problem](t, owner.ask(route.Method, path, body), 403); p.Code != "sign_in_again" {
			t.Errorf("%s at a device left open: %+v", name, p)
		}
		var p problem
		resp := e.call(route.Method, path, body, &p)
		if c.person && (resp.StatusCode != 403 || p.Code != "session_needed") {
			t.Errorf("%s with a token of all scopes answers %d %s", name, resp.StatusCode, p.Code)
		}
		if !c.person && p.Code == "session_needed" {
			t.Errorf("%s takes no token", name)
		}
	}
	for name := range left {
		t.Errorf("there is no %s", name)
	}
	if to := owner.leads("/auth/google/login?link=1"); to != "/login?e=sign_in_again" {
		t.Errorf("linking an identity leads to %s", to)
	}
	if rec := owner.ask("PATCH", "/api/webhooks/x", json.RawMessage(`{"isEnabled":false}`)); rec.Code != 404 {
		t.Errorf("switching a webhook off answers %d: %s", rec.Code, rec.Body)
	}
}

// isReading tells operations of reading, which are many: items, folders, labels, rules, subscriptions, watches.
func isReading(name string) bool {
	_, path, _ := strings.Cut(name, " ")
	return slices.ContainsFunc([]string{"items", "folders", "labels", "rules", "searches", "subscriptions", "starred",
		"reading", "stats", "watches", "crawl", "adapters"}, func(s string) bool {
		return path == "/api/"+s || strings.HasPrefix(path, "/api/"+s+"/")
	})
}

// A password change and signing out everywhere revoke the API tokens, unless the request keeps them.
// C-15
func TestTokensEndWithTheSessions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, path, body string
		ends               bool
	}{
		"a new password": {"PUT", "/api/users/me/password", `{"password":"battery staple"}`, true},
		"a new password, tokens kept": {"PUT", "/api/users/me/password",
			`{"password":"battery staple","revokeTokens":false}`, false},
		"signing out elsewhere":            {"DELETE", "/api/sessions", "", true},
		"signing out everywhere":           {"DELETE", "/api/sessions?all=true", "", true},
		"signing out, tokens kept":         {"DELETE", "/api/sessions?revokeTokens=false", "", false},
		"signing out, a flag that is none": {"DELETE", "/api/sessions?revokeTokens=no", "", false},
	} {
		e := newEntrance(t)
		var body any
		if c.body != "" {
			body = json.RawMessage(c.body)
		}
		rec := e.as("owner@localhost").ask(c.method, c.path, body)
		if isWrong := strings.HasSuffix(c.path, "=no"); rec.Code >= 400 != isWrong {
			t.Errorf("%s answers %d: %s", name, rec.Code, rec.Body)
		}
		if ended := e.call("GET", "/api/feeds", nil, nil).StatusCode == 401; ended != c.ends {
			t.Errorf("%s: the token has ended: %v", name, ended)
		}
	}
}

// Signing out everywhere with an API token keeps that token.
func TestATokenThatSignsOutStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := w.auth.NewToken(t.Context(), w.owner, "another", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ RevokedTokens int }
	if w.want(w.call("DELETE", "/api/sessions", nil, &out), 200); out.RevokedTokens != 1 {
		t.Errorf("%d tokens ended", out.RevokedTokens)
	}
	w.want(w.callAs(other, "GET", "/api/feeds", nil, nil), 401)
	w.want(w.call("GET", "/api/feeds", nil, nil), 200)
}

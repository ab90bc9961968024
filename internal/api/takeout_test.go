package api_test

import (
	"net/http"
	"testing"
	"time"
)

// G-42, G-60, C-12: removing an account needs a confirmation.
func TestRemovingAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	u, err := w.auth.AddUser(t.Context(), "anna@example.org", "a long password", false)
	if err != nil {
		t.Fatal(err)
	}
	login := func() *http.Cookie {
		rec := w.browser(nil, "POST", "/api/auth/login", `{"email":"anna@example.org","password":"a long password"}`)
		if rec.Code != 200 {
			t.Fatal(rec.Code, rec.Body)
		}
		return rec.Result().Cookies()[0]
	}
	old := login()
	if rec := w.browser(old, "POST", "/api/feeds", `{"url":"`+feeds[0].Feed.URL+`"}`); rec.Code != 201 &&
		rec.Code != 200 {
		t.Fatal(rec.Code, rec.Body)
	}
	reads, err := w.auth.NewToken(t.Context(), u, "reads", "read write", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour)
	refuse := func(path string, status int, code string) {
		t.Helper()
		if p := answer[problem](t, w.browser(old, "DELETE", path, ""), status); p.Code != code || p.Action == "" {
			t.Errorf("%s: %+v", path, p)
		}
	}
	refuse("/api/users/me", 403, "sign_in_again")
	refuse("/api/users/me?confirm=anna@example.org", 403, "sign_in_again")
	w.want(w.callAs(reads, "DELETE", "/api/users/me?confirm=anna@example.org", nil, nil), 403)
	all, err := w.auth.NewToken(t.Context(), u, "all scopes", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var p problem
	if w.want(w.callAs(all, "DELETE", "/api/users/me?confirm=anna@example.org", nil, &p), 403); p.Code !=
		"session_needed" {
		t.Errorf("a token of all scopes is answered %+v", p)
	}
	fresh := login()
	if p := answer[problem](t, w.browser(fresh, "DELETE", "/api/users/me?confirm=else@example.org", ""), 400); p.Code !=
		"bad_confirmation" {
		t.Errorf("another address: %+v", p)
	}
	if rec := w.browser(fresh, "DELETE", "/api/users/me", ""); rec.Code != 204 ||
		rec.Result().Cookies()[0].MaxAge >= 0 {
		t.Fatalf("removal answers %d: %s", rec.Code, rec.Body)
	}
	for name, c := range map[string]*http.Cookie{"the session that asked": fresh, "another": old} {
		if rec := w.browser(c, "GET", "/api/feeds", ""); rec.Code != 401 {
			t.Errorf("%s answers %d", name, rec.Code)
		}
	}
	w.want(w.callAs(reads, "GET", "/api/feeds", nil, nil), 401)
	if rec := w.browser(nil, "POST", "/api/auth/login",
		`{"email":"anna@example.org","password":"a long password"}`); rec.Code != 401 {
		t.Errorf("log-in answers %d", rec.Code)
	}
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items", nil, nil), 200) // shared feeds stay

	owner := w.signedIn()
	if p := answer[problem](t, w.browser(owner, "DELETE", "/api/users/me?confirm=owner@localhost", ""), 409); p.Code !=
		"owner_removal" {
		t.Errorf("the owner: %+v", p)
	}
	if rec := w.browser(owner, "DELETE", "/api/users/me?confirm=OWNER@localhost&owner=true", ""); rec.Code != 204 {
		t.Errorf("the owner's removal answers %d: %s", rec.Code, rec.Body)
	}
	w.want(w.call("GET", "/api/feeds", nil, nil), 401)
}

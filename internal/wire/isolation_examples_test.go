package wire_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// example is one way to ask a route: <feed>, <item> and so on in it are Alice's ids (see settle).
type example struct {
	query, body, kind string
	status            int  // what a caller with a session is answered; 0: anything that tells nothing
	isShared          bool // the ids of this path are everybody's
}

// examples has each route of the OpenAPI document. The ids in paths are filled in by the test, with all kinds of them.
var examples = map[string][]example{
	"GET /healthz":                            {{status: 200}},
	"GET /api/openapi.json":                   {{status: 200}},
	"GET /auth/link/{token}":                  {{}},
	"POST /api/auth/login":                    {{body: `{"email":"bob@example.org","password":"not the right one"}`}},
	"POST /api/auth/logout":                   {{}},
	"GET /api/me":                             {{status: 200}},
	"GET /api/feeds":                          {{status: 200}},
	"POST /api/feeds":                         {{body: `{"url":"<publisher>/bob.xml"}`}, {body: `{"url":"<publisher>/bob.xml","folder":"<folder>"}`}},
	"GET /api/feeds/{id}":                     {{}},
	"DELETE /api/feeds/{id}":                  {{}},
	"POST /api/feeds/{id}/refresh":            {{}},
	"POST /api/feeds/{id}/resume":             {{}},
	"GET /api/feeds/{id}/items":               {{}, {query: "?filter=starred"}},
	"POST /api/feeds/{id}/mark-read":          {{}, {body: `{"upTo":"<item>"}`}},
	"POST /api/feeds/{id}/mark-read/undo":     {{body: `{"undo":"<undo>"}`}},
	"GET /api/items":                          {{status: 200}, {query: "?filter=unread", status: 200}, {query: "?filter=starred", status: 200}},
	"GET /api/items/{id}":                     {{}},
	"PUT /api/items/{id}/state":               {{body: `{"isRead":true}`}, {body: `{"isStarred":true}`}, {body: `{"isStarred":false}`}},
	"POST /api/import/opml":                   {{kind: "text/x-opml", body: `<opml version="2.0"><body><outline text="b" xmlUrl="<publisher>/bob.xml"/></body></opml>`}},
	"GET /api/export/opml":                    {{status: 200}},
	"GET /api/runs":                           {{status: 200}},
	"GET /api/runs/{id}":                      {{isShared: true}},
	"GET /api/stats":                          {{status: 200}},
	"GET /api/stats/dead-letters":             {{}},
	"DELETE /api/stats/dead-letters/{id}":     {{}},
	"POST /api/stats/dead-letters/{id}/retry": {{}},
	"GET /api/sessions":                       {{status: 200}},
	"DELETE /api/sessions":                    {{}},
	"DELETE /api/sessions/{id}":               {{}},
	"GET /api/tokens":                         {{status: 200}},
	"POST /api/tokens":                        {{body: `{"name":"b","scopes":["read"]}`}},
	"DELETE /api/tokens/{id}":                 {{}},
	"GET /api/discover":                       {{query: "?url=<publisher>/bob.xml"}},
}

// settle gives Alice one of everything, through the API where there is a way.
func (h *house) settle() {
	h.t.Helper()
	ctx := h.t.Context()
	_, err := h.app.Auth.EnsureOwner(ctx)
	h.must(err)
	h.alice, err = h.app.Auth.AddUser(ctx, "alice."+strings.ToLower(canary)+"@example.org", "correct horse battery", false)
	h.must(err)
	token, err := h.app.Auth.NewToken(ctx, h.alice, canary)
	h.must(err)
	link, err := h.app.Auth.NewLink(ctx, h.alice)
	h.must(err)
	h.secrets = []string{string(h.alice), store.HashToken(token), store.HashToken(link), "alice."}
	alice := caller{name: "Alice", bearer: token}

	var feed struct {
		Feed struct{ ID string }
	}
	for i := range 3 {
		h.as(alice, "POST", "/api/feeds", fmt.Sprintf(`{"url":"%s/%s/%d.xml","folder":"%s/%d"}`, h.publisher.URL, canary, i, canary, i), &feed)
		h.ids["feed"] = append(h.ids["feed"], feed.Feed.ID)
	}
	var page struct {
		Items []struct{ ID string }
	}
	h.as(alice, "GET", "/api/feeds/"+h.ids["feed"][0]+"/items", "", &page)
	for i, it := range page.Items {
		h.ids["item"] = append(h.ids["item"], it.ID)
		if i < 2 {
			h.as(alice, "PUT", "/api/items/"+it.ID+"/state", `{"isStarred":true}`, nil)
		}
	}
	var marked struct{ Undo string }
	h.as(alice, "POST", "/api/feeds/"+h.ids["feed"][1]+"/mark-read", "", &marked)
	h.ids["undo"] = []string{marked.Undo}
	var runs struct{ Runs []struct{ ID string } }
	h.as(alice, "GET", "/api/runs", "", &runs)
	for _, r := range runs.Runs {
		h.ids["run"] = append(h.ids["run"], r.ID)
	}
	var sessions struct{ Sessions []struct{ ID string } }
	_, _, err = h.app.Auth.NewSession(ctx, h.alice)
	h.must(err)
	h.as(alice, "GET", "/api/sessions", "", &sessions)
	for _, s := range sessions.Sessions {
		h.ids["session"] = append(h.ids["session"], s.ID)
	}
	var made struct{ ID, Token string }
	h.as(alice, "POST", "/api/tokens", `{"name":"`+canary+`","scopes":["read","write","admin"]}`, &made)
	h.ids["token"] = []string{made.ID}
	h.secrets = append(h.secrets, store.HashToken(made.Token))
	h.ids["folder"] = []string{"1"}
	h.ids["user"] = []string{string(h.alice)}
	for kind, list := range h.ids {
		if len(list) == 0 || list[0] == "" {
			h.t.Fatalf("Alice has no %s", kind)
		}
	}
}

// callers is everybody who is not Alice, and Alice when she may no more.
func (h *house) callers() []caller {
	h.t.Helper()
	ctx := h.t.Context()
	owner, err := h.app.Auth.EnsureOwner(ctx)
	h.must(err)
	bob, err := h.app.Auth.AddUser(ctx, "bob@example.org", "another long password", false)
	h.must(err)
	old, _, err := h.app.Auth.NewSession(ctx, h.alice)
	h.must(err)
	h.clock.Add(400 * 24 * time.Hour) // Alice's session is over
	out := []caller{
		{name: "nobody", mayNothing: true},
		{name: "garbage", bearer: "ruri_live_" + strings.Repeat("x", 43), mayNothing: true},
		{name: "a garbled session", cookie: "x.y.z", mayNothing: true},
		{name: "Alice's session of last year", cookie: old, mayNothing: true},
		{name: "Alice's session of last year as a token", bearer: old, mayNothing: true},
	}
	signIn := func(u reader.UserID) func() string {
		return func() string {
			session, _, err := h.app.Auth.NewSession(ctx, u)
			h.must(err)
			return session
		}
	}
	out = append(out, caller{name: "Bob", signIn: signIn(bob)}, caller{name: "the owner", signIn: signIn(owner.ID())})
	for _, scope := range []string{auth.ScopeAll, "read", "write", "admin", "read write", auth.ScopeMetrics} {
		token, err := h.app.Auth.NewScopedToken(ctx, bob, "t", scope)
		h.must(err)
		out = append(out, caller{name: fmt.Sprintf("Bob's token %q", scope), bearer: token})
	}
	for _, c := range out {
		if c.signIn != nil {
			c.cookie = c.signIn()
		}
		if a := h.ask(c, http.MethodGet, "/api/me", "", ""); c.mayNothing != (a.status == http.StatusUnauthorized) {
			h.t.Fatalf("%s is answered %d by /api/me: %s", c.name, a.status, a.body)
		}
	}
	return out
}

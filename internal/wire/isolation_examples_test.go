package wire_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// example is one way to ask a route: <feed>, <item> and so on in it are Alice's ids (see settle).
type example struct {
	query, body, kind string
	status            int  // what a caller with a session is answered; 0: anything that tells nothing
	isShared          bool // the ids of this path are everybody's
}

// examples has each route of the OpenAPI document. The ids in paths are filled in by the test, with all kinds of them.
var examples = map[string][]example{
	"GET /healthz":                   {{status: 200}},
	"GET /api/openapi.json":          {{status: 200}},
	"GET /websub/{id}/{token}":       {{}},
	"POST /websub/{id}/{token}":      {{body: "x", kind: "application/atom+xml"}},
	"GET /auth/link/{token}":         {{}},
	"POST /auth/link/{token}":        {{}},
	"POST /api/auth/login":           {{body: `{"email":"bob@example.org","password":"not the right one"}`}},
	"POST /api/auth/logout":          {{}},
	"GET /api/auth/errors/{code}":    {{status: 200, isShared: true}},
	"GET /api/auth/methods":          {{status: 200}},
	"GET /auth/google/login":         {{}, {query: "?link=1"}},
	"GET /auth/google/callback":      {{query: "?code=x&state=y"}},
	"GET /auth/oidc/login":           {{}, {query: "?link=1"}},
	"GET /auth/oidc/callback":        {{query: "?code=x&state=y"}},
	"GET /auth/invite/{token}":       {{}},
	"POST /api/auth/signup":          {{body: `{"email":"eve@example.org","password":"a long password"}`}},
	"POST /api/auth/passkey/options": {{}},
	"POST /api/auth/passkey/verify":  {{body: `{"credential":{}}`}},
	"GET /api/passkeys":              {{status: 200}},
	"POST /api/passkeys/options":     {{}},
	"POST /api/passkeys":             {{body: `{"name":"b","credential":{}}`}},
	"PATCH /api/passkeys/{id}":       {{body: `{"name":"Bob's"}`}},
	"DELETE /api/passkeys/{id}":      {{}},
	"GET /api/identities":            {{status: 200}},
	"DELETE /api/identities/{id}":    {{}},
	"PUT /api/users/me/password": {
		{body: `{"current":"another long password","password":"another long password","revokeTokens":false}`}},
	"PUT /api/users/me/email": {
		{body: `{"current":"another long password","email":"other@example.org"}`}},
	"GET /api/site":                {{status: 200}},
	"PUT /api/site":                {{body: `{"signUp":"invitation"}`}},
	"GET /api/invitations":         {{}},
	"POST /api/invitations":        {{body: `{"note":"b"}`}},
	"DELETE /api/invitations/{id}": {{}},
	"GET /api/me":                  {{status: 200}},
	"GET /api/feeds":               {{status: 200}},
	"POST /api/feeds": {{body: `{"url":"<publisher>/bob.xml"}`},
		{body: `{"url":"<publisher>/bob.xml","folder":"<folder>"}`}},
	"GET /api/feeds/{id}":                 {{}},
	"DELETE /api/feeds/{id}":              {{}},
	"POST /api/feeds/{id}/refresh":        {{}},
	"POST /api/feeds/{id}/resume":         {{}},
	"POST /api/refreshes":                 {{body: `{"feed":"<feed>"}`}, {body: `{"folder":"<folder>"}`}},
	"GET /api/refreshes/{id}":             {{}},
	"POST /api/feeds/{id}/find":           {{}},
	"GET /api/feeds/{id}/items":           {{}, {query: "?filter=starred"}},
	"POST /api/feeds/{id}/mark-read":      {{}, {body: `{"upTo":"<item>"}`}},
	"POST /api/feeds/{id}/mark-read/undo": {{body: `{"undo":"<undo>"}`}},
	"GET /api/items": {{status: 200}, {query: "?filter=unread", status: 200},
		{query: "?filter=starred", status: 200}, {query: "?order=popular", status: 200}},
	"GET /popular":            {{status: 303}},
	"GET /popular.atom":       {{status: 404}},
	"GET /popular.json":       {{status: 404}},
	"GET /popular/new":        {{status: 303}},
	"GET /popular/new.atom":   {{status: 404}},
	"GET /popular/new.json":   {{status: 404}},
	"GET /popular/tags/{tag}": {{status: 303}},
	"GET /api/entries/new": {{status: 200}, {query: "?threshold=0", status: 200},
		{query: "?tag=text"}},
	"GET /api/tags":                 {{status: 200}, {query: "?period=day", status: 200}},
	"GET /api/tags/{tag}/entries":   {{}}, // one that only others have is unknown
	"GET /api/today":                {{status: 200}},
	"GET /api/entries/hot":          {{status: 200}, {query: "?order=rising", status: 200}},
	"GET /api/items/bodies":         {{query: "?ids=<item>", status: 200}},
	"GET /api/items/{id}":           {{}},
	"GET /api/items/{id}/full-text": {{}},
	"POST /api/items/{id}/assist":   {{body: `{"kind":"sentences"}`}, {body: `{"kind":"summary"}`}},
	"GET /api/assist":               {{status: 200}},
	"PUT /api/assist/agreement":     {{body: `{"host":"x","isAgreed":true}`}},
	"POST /api/items/mark-read": {{body: `{"feed":"<feed>"}`}, {body: `{"below":"<item>"}`},
		{status: 200}},
	"POST /api/items/state": {
		{body: `{"changes":[{"ids":["<item>"],"isRead":true,"isStarred":true}]}`, status: 200}},
	"PUT /api/items/{id}/labels": {{body: `{"labels":[]}`}},
	"POST /api/undo":             {{body: `{"undo":"<undo>"}`}},
	"PUT /api/items/{id}/state": {{body: `{"isRead":true}`}, {body: `{"isStarred":true}`},
		{body: `{"isStarred":false}`}},
	"POST /api/import/opml": {
		{kind: "text/x-opml",
			body: `<opml version="2.0"><body><outline text="b" xmlUrl="<publisher>/bob.xml"/></body></opml>`}},
	"GET /api/feeds/{id}/address":             {{}},
	"GET /api/feeds/{id}/fetches":             {{}},
	"POST /api/import/starred":                {{body: `[{"title":"Bob's","url":"https://example.org/bob"}]`}},
	"POST /api/import/reader":                 {{body: `{"url":"https://reader.example","password":"x"}`, status: 202}},
	"GET /api/export/starred":                 {{status: 200}, {query: "?cursor=<item>", status: 200}},
	"GET /api/imports":                        {{status: 200}},
	"GET /api/imports/{id}":                   {{}},
	"DELETE /api/imports/{id}":                {{}},
	"PUT /api/imports/{id}/parts/{n}":         {{body: "no archive", kind: "application/zip"}},
	"GET /api/export/opml":                    {{status: 200}},
	"GET /api/runs":                           {{status: 200}},
	"GET /api/runs/{id}":                      {{isShared: true}},
	"GET /api/stats":                          {{status: 200}},
	"GET /api/stats/reading":                  {{status: 200}, {query: "?days=30", status: 200}},
	"GET /api/stats/popular":                  {{status: 200}, {query: "?period=month", status: 200}},
	"GET /api/stats/cost":                     {{}},
	"GET /api/stats/dead-letters":             {{}},
	"DELETE /api/stats/dead-letters/{id}":     {{}},
	"POST /api/stats/dead-letters/{id}/retry": {{}},
	"GET /api/feeds/updated":                  {{status: 200}, {query: "?since=2026-01-01T00:00:00Z", status: 200}},
	"PATCH /api/feeds/{id}":                   {{body: `{"url":"<publisher>/bob.xml"}`}},
	"GET /api/subscriptions":                  {{status: 200}},
	"POST /api/subscriptions/bulk": {
		{body: `{"changes":[{"id":"<feed>","unsubscribe":true}]}`},
		{body: `{"changes":[{"id":"<feed>","title":"Bob's","folders":["<folder>"]}]}`},
	},
	"DELETE /api/subscriptions/{id}": {{}},
	"PUT /api/subscriptions/{id}/settings": {
		{body: `{"title":"Bob's","folders":["<folder>"],"fetchIntervalMinutes":720}`}},
	"POST /api/subscriptions/{id}/resume": {{}},
	"GET /api/folders":                    {{status: 200}},
	"POST /api/folders": {{body: `{"name":"Bob's"}`},
		{body: `{"name":"Bob's","parentId":"<folder>"}`}},
	"PUT /api/folders/order": {{body: `{"ids":["<folder>"]}`},
		{body: `{"ids":[],"parentId":"<folder>"}`}},
	"PATCH /api/folders/{id}":  {{body: `{"name":"Bob's"}`}, {body: `{"parentId":"<folder>"}`}},
	"DELETE /api/folders/{id}": {{}},
	"GET /api/labels":          {{status: 200}},
	"POST /api/labels":         {{body: `{"name":"Bob's"}`}},
	"PUT /api/read-later":      {{}},
	"POST /api/read-later":     {{body: `{"url":"https://bob.example/page"}`}},
	"PUT /api/labels/order":    {{body: `{"ids":["<label>"]}`}},
	"PATCH /api/labels/{id}":   {{body: `{"name":"Bob's"}`}},
	"DELETE /api/labels/{id}":  {{}},
	"GET /api/icons/{name}":    {{isShared: true}},
	"GET /api/search": {
		{query: "?q=Public", status: 200}, {query: "?q=" + canary, status: 200},
		{query: "?q=text&filter=starred", status: 200},
		{query: "?q=text&feed=<feed>"}, {query: "?q=text&folder=<folder>"},
	},
	"GET /api/searches": {{status: 200}},
	"POST /api/searches": {{body: `{"name":"b","q":"Public"}`, status: 201},
		{body: `{"name":"b","q":"x","feed":"<feed>"}`}, {body: `{"name":"b","q":"x","folder":"<folder>"}`}},
	"PUT /api/searches/order":           {{body: `{"ids":["<search>"]}`}},
	"PUT /api/searches/{id}":            {{body: `{"name":"b","q":"Public"}`}},
	"DELETE /api/searches/{id}":         {{}},
	"GET /api/searches/{id}/items":      {{}},
	"POST /api/searches/{id}/mark-read": {{body: `{"ids":["<item>"]}`}},
	"GET /api/rules":                    {{status: 200}},
	"PUT /api/rules": {
		{body: `{"revision":"0","rules":[` + rule("<feed>", "<folder>", "<label>", "Public") + `]}`}},
	"POST /api/rules/dry-run": {{body: `{"rule":` + rule("<feed>", "<folder>", "<label>", "Public") +
		`,"feedId":"<feed>"}`}, {body: `{"rule":` + rule("", "", "", "Public") + `,"folderId":"<folder>"}`}},
	"POST /api/rules/apply": {{body: `{"ruleId":"<rule>"}`}, {body: `{"feedId":"<feed>"}`},
		{body: `{"folderId":"<folder>"}`}},
	"GET /api/rules/hidden":            {{status: 200}},
	"POST /api/rules/hidden/{id}/show": {{}},
	"GET /api/users/me/export":         {{}},
	"POST /api/users/me/import":        {{body: "no archive", kind: "application/zip"}},
	"DELETE /api/users/me":             {{query: "?confirm=alice@example.org"}}, // a right one would remove who asks
	"GET /api/user/preferences":        {{status: 200}},
	"PUT /api/user/preferences":        {{body: `{"theme":"dark"}`}},
	"GET /api/sessions":                {{status: 200}},
	"DELETE /api/sessions":             {{query: "?revokeTokens=false"}}, // by which the callers go on
	"DELETE /api/sessions/{id}":        {{}},
	"GET /api/tokens":                  {{status: 200}},
	"POST /api/tokens":                 {{body: `{"name":"b","scopes":["read"]}`}},
	"DELETE /api/tokens/{id}":          {{}},
	"GET /api/discover":                {{query: "?url=<publisher>/bob.xml"}},

	"GET /api/watches": {{status: 200}},
	"POST /api/watches": {
		{body: `{"accepted":true,"settings":` + shopWatch("bob") + `}`},
		{body: `{"accepted":true,"settings":` + shopWatch("bob/2") + `,"folderIds":["<folder>"]}`},
	},
	"POST /api/watches/preview": {{body: `{"previewId":"<preview>"}`},
		{body: `{"url":"<publisher>/shop/bob"}`}},
	"GET /api/watches/{id}": {{}},
	"PUT /api/watches/{id}": {{body: `{}`}},
	"PATCH /api/watches/{id}": {{body: `{"isPaused":true}`},
		{body: `{"settings":` + shopWatch("bob/3") + `,"accepted":true}`}},
	"DELETE /api/watches/{id}":            {{}},
	"POST /api/watches/{id}/run":          {{}},
	"GET /api/watches/{id}/results":       {{query: "?status=all"}, {query: "?format=csv"}},
	"GET /api/watches/{id}/results/{key}": {{}},
	"GET /api/watches/{id}/trend":         {{query: "?range=all"}},
	"GET /api/crawl/results/{productId}":  {{}},
	"POST /api/crawl/execute":             {{status: 202}},
	"GET /api/adapters":                   {{status: 200}},
	"GET /api/adapters/{name}":            {{}},
	"PUT /api/adapters/{name}":            {{body: `{}`}},
	"DELETE /api/adapters/{name}":         {{}},

	"GET /api/shares":         {{status: 200}},
	"POST /api/shares":        {{body: `{"of":"label:<label>"}`}, {body: `{"of":"search:<search>"}`}},
	"DELETE /api/shares/{id}": {{}},
	"GET /api/shared/{token}": {{}},

	"GET /api/notifications":   {{status: 200}},
	"PATCH /api/notifications": {{body: `{"folderIds":["<folder>"]}`, status: 200}},
	"POST /api/notifications/devices": {
		{body: `{"endpoint":"<publisher>/push","keys":{"p256dh":"AA","auth":"AA"}}`}},
	"DELETE /api/notifications/devices/{id}":    {{}},
	"POST /api/notifications/devices/{id}/test": {{}},

	"GET /api/webhooks": {{status: 200}},
	"POST /api/webhooks": {{body: `{"url":"<publisher>/hook","events":["starred"]}`, status: 201},
		{body: `{"url":"<publisher>/hook","events":["starred"],"searchId":"<search>"}`}},
	"PATCH /api/webhooks/{id}":     {{body: `{"isEnabled":false}`}},
	"DELETE /api/webhooks/{id}":    {{}},
	"POST /api/items/{id}/send":    {{body: `{"webhookId":"<webhook>"}`}},
	"POST /api/webhooks/{id}/test": {{}},

	"POST /api/webhooks/{id}/deliveries/{delivery}/retry": {{}},
}

// shopWatch writes the settings of a watch of one of the publisher's lists.
func shopWatch(path string) string {
	return `{"name":"Lamps","url":"<publisher>/shop/` + path +
		`","layout":{"rows":"li.item","fields":{"title":"a","link":"a","price":"b"}}}`
}

// rule writes a rule that hides what has a word in its title.
func rule(feed, folder, label, word string) string {
	list := func(id string) string {
		if id == "" {
			return "[]"
		}
		return `["` + id + `"]`
	}
	act := `{"type":"hide"}`
	if label != "" {
		act += `,{"type":"label","labelId":"` + label + `"}`
	}
	return `{"id":"r1","name":"` + word + `","isEnabled":true,"feeds":` + list(feed) + `,"folders":` + list(folder) +
		`,"match":"all","conditions":[{"field":"title","mode":"any","words":["` + word +
		`"],"isNegated":false}],"actions":[` + act + `],"stop":false}`
}

// settle gives Alice one of everything, through the API where there is a way.
func (h *installation) settle() {
	h.t.Helper()
	ctx := h.t.Context()
	_, err := h.app.Auth.EnsureOwner(ctx)
	h.must(err)
	h.alice, err = h.app.Auth.AddUser(ctx, "alice."+strings.ToLower(canary)+"@example.org",
		"correct horse battery", false)
	h.must(err)
	h.old, _, err = h.app.Auth.NewSession(ctx, h.alice)
	h.must(err)
	h.clock.Add(400 * 24 * time.Hour) // now, so that what comes after it is new
	token, err := h.app.Auth.NewToken(ctx, h.alice, canary, "", time.Time{})
	h.must(err)
	link, err := h.app.Auth.NewLink(ctx, h.alice, auth.LinkLife)
	h.must(err)
	h.secrets = []string{string(h.alice), store.HashToken(token), store.HashToken(link), "alice."}
	alice := caller{name: "Alice", bearer: token}
	// Feeds, folders and labels are numbered from 1: Alice's numbers are to be no others'.
	carol, err := h.app.Auth.AddUser(ctx, "carol@example.org", "correct horse battery", false)
	h.must(err)
	before, err := h.app.Auth.NewToken(ctx, carol, "t", "", time.Time{})
	h.must(err)
	for i := range 20 {
		h.as(caller{name: "Carol", bearer: before}, "POST", "/api/feeds",
			fmt.Sprintf(`{"url":"%s/carol/%d.xml"}`, h.publisher.URL, i), nil)
	}
	for i := range 15 {
		var folder, label struct{ ID string }
		h.as(alice, "POST", "/api/folders", fmt.Sprintf(`{"name":"%s %d"}`, canary, i), &folder)
		h.as(alice, "POST", "/api/labels", fmt.Sprintf(`{"name":"%s %d"}`, canary, i), &label)
		var search struct{ ID string }
		h.as(alice, "POST", "/api/searches", fmt.Sprintf(`{"name":"%s %d","q":"%[1]s"}`, canary, i), &search)
		if i > 12 {
			h.ids["folder"], h.ids["label"] = append(h.ids["folder"], folder.ID), append(h.ids["label"], label.ID)
			h.ids["search"] = append(h.ids["search"], search.ID)
		}
	}

	var feed struct {
		Feed struct{ ID string }
	}
	for i := range 3 {
		h.as(alice, "POST", "/api/feeds", fmt.Sprintf(`{"url":"%s/%s/%d.xml","folder":"%s/%d"}`, h.publisher.URL,
			canary, i, canary, i), &feed)
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
	session, _, err := h.app.Auth.NewSession(ctx, h.alice)
	h.must(err)
	h.as(alice, "GET", "/api/sessions", "", &sessions)
	for _, s := range sessions.Sessions {
		h.ids["session"] = append(h.ids["session"], s.ID)
	}
	var made struct{ ID, Token string }
	h.as(caller{name: "Alice at a device", bearer: session}, "POST", "/api/tokens", `{"name":"`+canary+
		`","scopes":["read","write","admin"]}`, &made)
	h.ids["token"] = []string{made.ID}
	h.secrets = append(h.secrets, store.HashToken(made.Token))
	h.as(alice, "PUT", "/api/subscriptions/"+h.ids["feed"][0]+"/settings", `{"title":"`+canary+`","folders":["`+
		h.ids["folder"][0]+`"]}`, nil)
	var list struct{ ID string }
	h.as(alice, "POST", "/api/import/opml", `<opml version="2.0"><head><title>`+canary+
		`</title></head><body><outline text="x" xmlUrl="javascript:`+canary+`"/></body></opml>`, &list)
	h.ids["import"] = []string{list.ID}
	var rules struct{ Revision string }
	h.as(alice, "GET", "/api/rules", "", &rules)
	h.as(alice, "PUT", "/api/rules", `{"revision":"`+rules.Revision+`","rules":[`+
		rule(h.ids["feed"][2], "", h.ids["label"][0], canary)+`]}`, nil)
	h.ids["rule"] = []string{"r1"}
	h.as(alice, "POST", "/api/rules/apply", `{"ruleId":"r1"}`, nil)
	var watch struct{ Watch struct{ ID string } }
	h.as(alice, "POST", "/api/watches", h.fill(`{"accepted":true,"settings":`+shopWatch(canary)+`}`), &watch)
	h.ids["watch"] = []string{watch.Watch.ID}
	h.look(watch.Watch.ID)
	var results struct{ Items []struct{ ID string } }
	h.as(alice, "GET", "/api/watches/"+watch.Watch.ID+"/results", "", &results)
	for _, r := range results.Items[:2] {
		h.ids["result"] = append(h.ids["result"], r.ID)
	}
	var preview struct{ PreviewID string }
	h.as(alice, "POST", "/api/watches/preview", h.fill(`{"url":"<publisher>/shop/`+canary+`"}`), &preview)
	h.ids["preview"] = []string{preview.PreviewID}
	h.secrets = append(h.secrets, "F#"+watch.Watch.ID+" W#", "F#"+watch.Watch.ID+" WH#") // results and history
	var hook struct{ Webhook struct{ ID, Secret string } }
	h.as(alice, "POST", "/api/webhooks", `{"url":"`+h.publisher.URL+`/`+canary+`","events":["starred"]}`, &hook)
	h.ids["webhook"] = []string{hook.Webhook.ID}
	h.secrets = append(h.secrets, hook.Webhook.Secret)
	h.as(alice, "PUT", "/api/user/preferences", `{"theme":"dark"}`, nil)
	passkey, err := h.app.Store.Accounts.AddPasskey(ctx, h.alice,
		store.PasskeyRow{CredentialID: []byte(canary), PublicKey: []byte("key"), Name: canary})
	h.must(err)
	h.ids["passkey"] = []string{passkey.ID()}
	h.must(h.app.Store.Accounts.PutIdentity(ctx, h.alice,
		store.IdentityRow{Provider: "oidc", Issuer: "https://login.example.org", Subject: canary}))
	identity := store.IdentityHash("https://login.example.org", canary)
	h.must(h.app.Store.Accounts.ClaimIdentity(ctx, identity, h.alice, ""))
	h.ids["identity"] = []string{identity}
	h.ids["user"] = []string{string(h.alice)}
	h.ids["tag"] = []string{canary}
	for kind, list := range h.ids {
		if len(list) == 0 || list[0] == "" {
			h.t.Fatalf("Alice has no %s", kind)
		}
	}
}

// look looks at the page of a watch.
func (h *installation) look(id string) {
	h.t.Helper()
	n, err := reader.ParseFeedID(id)
	h.must(err)
	f, err := h.app.Store.Feeds.Get(h.t.Context(), n, true)
	h.must(err)
	_, err = h.app.Crawler.RunWatch(h.t.Context(), f, false)
	h.must(err)
}

// count gives the items of all feeds bookmarks, and those of the last days tags.
func (h *installation) count() {
	h.t.Helper()
	ctx := h.t.Context()
	var changes []store.ChangedCount
	h.must(h.app.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		for seq := reader.Seq(1); seq <= reader.Seq(f.Seq); seq++ {
			d, err := h.app.Store.Items.At(ctx, f.ID(), seq)
			if err != nil {
				return err
			}
			headers, err := d.Headers()
			if err != nil {
				return err
			}
			header := headers[seq-d.First()]
			changes = append(changes, store.ChangedCount{
				Feed: f.ID(), Seq: seq, N: 10, Sort: header.Sort, Story: reader.StoryHash(reader.StoryURL(header.Link)),
			})
		}
		return nil
	}))
	h.must(h.app.Popular.Switch(ctx, true))
	tick := schedule.TickOf(h.clock.Now())
	row := store.CycleRow{Began: tick.Start().Unix()}
	h.must(h.app.Store.Cycles.Begin(ctx, tick, &row))
	row.SetChanged(changes)
	h.must(h.app.Store.Cycles.End(ctx, tick, &row))
	h.must(h.app.Explore.Nightly(ctx))
}

// callers is everybody who is not Alice, and Alice when she may no more.
func (h *installation) callers() []caller {
	h.t.Helper()
	ctx := h.t.Context()
	owner, err := h.app.Auth.EnsureOwner(ctx)
	h.must(err)
	bob, err := h.app.Auth.AddUser(ctx, "bob@example.org", "another long password", false)
	h.must(err)
	out := []caller{
		{name: "nobody", mayNothing: true},
		{name: "garbage", bearer: "ruri_live_" + strings.Repeat("x", 43), mayNothing: true},
		{name: "a garbled session", cookie: "x.y.z", mayNothing: true},
		{name: "Alice's session of last year", cookie: h.old, mayNothing: true},
		{name: "Alice's session of last year as a token", bearer: h.old, mayNothing: true},
	}
	signIn := func(u reader.UserID) func() string {
		return func() string {
			session, _, err := h.app.Auth.NewSession(ctx, u)
			h.must(err)
			return session
		}
	}
	out = append(out, caller{name: "Bob", signIn: signIn(bob)}, caller{name: "the owner", signIn: signIn(owner.ID())})
	for _, scope := range []string{auth.ScopeAll, "read", "write", "admin", "read write", auth.ScopeMetrics,
		auth.ScopeSync} {
		token, err := h.app.Auth.NewToken(ctx, bob, "t", scope, time.Time{})
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

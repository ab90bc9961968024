package wire_test

import (
	"crypto/md5"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// clientRequests are what other reader apps send, with Alice's ids and names. KEY is the Fever key of whoever asks.
var clientRequests = []string{
	"POST /accounts/ClientLogin Email=alice@example.org&Passwd=PASSWORD",
	"GET /accounts/ClientLogin?Email=alice@example.org&Passwd=PASSWORD", "GET /check/compatibility",
	"GET /reader/api/0/token", "GET /reader/api/0/user-info", "GET /reader/api/0/tag/list?output=json",
	"GET /reader/api/0/subscription/list?output=json", "GET /reader/api/0/unread-count?output=json&all=1",
	"GET /reader/api/0/preference/list", "GET /reader/api/0/preference/stream/list", "GET /reader/api/0/friend/list",
	"GET /reader/api/0/stream/contents?n=1000", "GET /reader/api/0/stream/contents/feed/<feed>?n=1000",
	"GET /reader/api/0/stream/contents/user/-/label/NAME?n=1000",
	"GET /reader/api/0/stream/contents/user/USER/state/com.google/starred",
	"GET /reader/api/0/stream/items/ids?s=feed/<feed>&n=1000", "GET /reader/api/0/stream/items/ids?s=user/-/label/NAME",
	"GET /reader/api/0/stream/items/ids?s=user/-/state/com.google/starred",
	"GET /reader/api/0/stream/items/ids?s=user/USER/state/com.google/reading-list",
	"GET /reader/atom/feed/<feed>?n=1000", "GET /reader/atom/user/-/label/NAME",
	"GET /reader/atom/user/USER/state/com.google/starred",
	"POST /reader/api/0/stream/items/contents i=<item>", "GET /reader/api/0/stream/items/contents?i=<item>",
	"POST /reader/api/0/edit-tag i=<item>&a=user/-/state/com.google/read",
	"POST /reader/api/0/edit-tag i=<item>&a=user/-/state/com.google/starred",
	"POST /reader/api/0/edit-tag i=<item>&r=user/-/state/com.google/starred",
	"POST /reader/api/0/edit-tag i=<item>&a=user/-/label/NAME",
	"POST /reader/api/0/mark-all-as-read s=feed/<feed>", "POST /reader/api/0/mark-all-as-read s=user/-/label/NAME",
	"POST /reader/api/0/mark-all-as-read s=user/USER/state/com.google/reading-list",
	"POST /reader/api/0/rename-tag s=user/-/label/NAME&dest=user/-/label/Other",
	"POST /reader/api/0/disable-tag s=user/-/label/NAME",
	"POST /reader/api/0/subscription/edit ac=edit&s=feed/<feed>&t=Mine",
	"POST /reader/api/0/subscription/edit ac=unsubscribe&s=feed/<feed>",
	"POST /reader/api/0/subscription/quickadd quickadd=<publisher>/bob.xml",
	`POST /reader/api/0/subscription/import <opml version="2.0"><body><outline ` +
		`xmlUrl="<publisher>/bob.xml"/></body></opml>`,
	"GET /reader/api/0/subscription/export", "GET /api/greader.php/reader/api/0/subscription/list?output=json",
	"POST /fever/?api api_key=KEY&groups", "POST /fever/?api api_key=KEY&feeds", "POST /fever?api api_key=KEY&favicons",
	"POST /fever/?api api_key=KEY&items&with_ids=<item>", "POST /fever/?api api_key=KEY&items&since_id=0",
	"POST /fever/?api api_key=KEY&items&max_id=9007199254740991&feed_ids=<feed>&group_ids=<folder>",
	"POST /fever/?api api_key=KEY&unread_item_ids&saved_item_ids", "POST /api/fever.php?api api_key=KEY&links",
	"POST /fever/?api api_key=KEY&mark=item&as=saved&id=<item>",
	"POST /fever/?api api_key=KEY&mark=item&as=read&id=<item>",
	"POST /fever/?api api_key=KEY&mark=feed&as=read&id=<feed>&before=9999999999",
	"POST /fever/?api api_key=KEY&mark=group&as=read&id=<folder>&before=9999999999",
	"POST /api/fever.php/?api api_key=KEY&mark=group&as=read&id=0&unread_item_ids",
	"POST /fever/?api api_key=KEY&unread_recently_read=1",
	"GET /v1/me", "GET /v1/users", "GET /v1/users/alice@example.org",
	`POST /v1/users {"username":"eve","password":"a long password"}`,
	`PUT /v1/users/USER {"is_admin":true}`, "DELETE /v1/users/USER", "PUT /v1/users/USER/mark-all-as-read",
	"PUT /v1/users/1/mark-all-as-read", "GET /v1/categories?counts=true",
	`POST /v1/categories {"title":"Bob's"}`, "GET /v1/categories/<folder>/feeds",
	"GET /v1/categories/<folder>/entries", "PUT /v1/categories/<folder>/mark-all-as-read",
	`PUT /v1/categories/<folder> {"title":"Mine"}`,
	"DELETE /v1/categories/<folder>", "PUT /v1/categories/<folder>/refresh",
	"GET /v1/categories/<folder>/entries/<item>",
	`POST /v1/feeds {"feed_url":"<publisher>/bob2.xml","category_id":<folder>}`,
	`POST /v1/feeds/<feed>/entries/import {"url":"https://example.org/"}`,
	"GET /v1/feeds", "GET /v1/feeds/<feed>", `PUT /v1/feeds/<feed> {"title":"Mine"}`, "DELETE /v1/feeds/<feed>",
	"GET /v1/feeds/<feed>/icon",
	"PUT /v1/feeds/<feed>/refresh", "PUT /v1/feeds/<feed>/mark-all-as-read", "GET /v1/feeds/<feed>/entries",
	"GET /v1/feeds/<feed>/entries/<item>",
	"GET /v1/feeds/counters", "PUT /v1/feeds/refresh", "GET /v1/entries", "GET /v1/entries?category_id=<folder>",
	"GET /v1/entries?feed_id=<feed>", "GET /v1/entries/ids", "GET /v1/entries/<item>",
	`PUT /v1/entries {"entry_ids":[<item>],"status":"read"}`, "PUT /v1/entries/<item>/bookmark",
	"PUT /v1/entries/<item>/star",
	"POST /v1/entries/<item>/save", "GET /v1/entries/<item>/fetch-content", "GET /v1/icons/<feed>",
	"GET /v1/enclosures/ENCLOSURE",
	`PUT /v1/enclosures/ENCLOSURE {"media_progression":1}`, `PUT /v1/entries/<item> {"title":"Mine"}`,
	`POST /v1/import <opml version="2.0"><body><outline xmlUrl="<publisher>/bob.xml"/></body></opml>`,
	"GET /v1/export", "PUT /v1/flush-history", "DELETE /v1/flush-history", "GET /v1/api-keys",
	`POST /v1/api-keys {"description":"x"}`, "DELETE /v1/api-keys/1", "GET /v1/integrations/status", "GET /v1/version",
	`POST /v1/discover {"url":"<publisher>/bob.xml"}`,
}

// TestUsersOfOtherAppsAreIsolated sends what other reader apps send, with Alice's ids and names, as somebody else and
// as nobody: none reads or writes a row of hers, and none is told anything of hers. Without an app password nothing is
// answered. G-7, G-81
func TestUsersOfOtherAppsAreIsolated(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.settle()
	bob, err := h.app.Auth.AddUser(t.Context(), "bob@example.org", "another long password", false)
	h.must(err)
	password, err := h.app.Auth.NewToken(t.Context(), bob, "app", auth.ScopeSync, time.Time{})
	h.must(err)
	whole, err := h.app.Auth.NewToken(t.Context(), bob, "script", auth.ScopeAll, time.Time{})
	h.must(err)
	item, err := strconv.ParseInt(h.ids["item"][0], 10, 64)
	h.must(err)
	before := h.state()
	for _, c := range []caller{
		{name: "Bob", password: password},
		{name: "nobody", mayNothing: true},
		{name: "Bob with a token for our API", password: whole, mayNothing: true},
		{name: "garbage", password: auth.AppPasswordPrefix + "aaaaa-aaaaa-aaaaa-aaaaa", mayNothing: true},
	} {
		for _, line := range clientRequests {
			method, rest, _ := strings.Cut(line, " ")
			path, body, _ := strings.Cut(rest, " ")
			fill := strings.NewReplacer("USER", string(h.alice), "NAME", url.PathEscape(canary+" 0"), "PASSWORD",
				c.password, "ENCLOSURE", strconv.FormatInt(item<<6, 10),
				"KEY", fmt.Sprintf("%x", md5.Sum([]byte("bob@example.org:"+c.password))))
			path, body = h.fill(fill.Replace(path)), fill.Replace(body)
			// Not all of them need to be somebody: the check of an installation, and the answers of Fever to a wrong
			// key.
			isPublic := strings.HasPrefix(path, "/check/") || strings.Contains(path, "/fever")
			e := example{body: body, kind: "application/x-www-form-urlencoded"}
			if strings.HasPrefix(body, "{") {
				e.kind = "application/json"
			}
			for _, wrong := range h.try(c, operation{method, path, isPublic}, path, e) {
				// an echo of the path
				if !strings.Contains(wrong, "is told") || !strings.Contains(path, string(h.alice)) {
					t.Error(wrong)
				}
			}
		}
	}
	after := h.state()
	for k, v := range before {
		if after[k] != v {
			t.Errorf("%s was\n%s\nand is\n%s", k, v, after[k])
		}
	}
	for k := range after {
		if _, ok := before[k]; !ok {
			t.Errorf("%s came to be", k)
		}
	}
	// That all of it is a request of somebody is seen by Bob's own answers.
	if a := h.ask(caller{password: password}, "GET", "/reader/api/0/user-info", "", ""); a.status != 200 ||
		!strings.Contains(a.body, "bob@example.org") {
		t.Errorf("Bob is answered %d: %s", a.status, a.body)
	}
	h.must(h.app.Auth.EndToken(t.Context(), bob, store.TokenID(password)))
	if a := h.ask(caller{password: password}, "GET", "/reader/api/0/user-info", "", ""); a.status != 401 {
		t.Errorf("after its end the app password is answered %d: %s", a.status, a.body)
	}
	if _, err := h.app.Auth.AppPassword(t.Context(), password, ""); !fault.Is(err, fault.Unauthenticated) {
		t.Error(err)
	}
}

package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type savedSearch struct {
	ID, Name, Q, Filter, Sort, Kana string
	Feed, Folder                    *string
}

type savedAnswer struct {
	ID       string
	Searches []savedSearch
}

// names lists saved searches as one text.
func (a *savedAnswer) names() string {
	var list []string
	for _, s := range a.Searches {
		list = append(list, s.ID+" "+s.Name)
	}
	return strings.Join(list, ", ")
}

// TestSavedSearches: they are added, listed, replaced, ordered and deleted, and their ids are not used again. What they
// find follows what was saved, unless the request says otherwise.
func TestSavedSearches(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	folder := l.folder()
	a := l.follow("A", nil, l.owner)
	b := l.follow("B", func(s *store.SubscriptionRow) { s.Folders = []reader.FolderID{1} }, l.owner)
	ids := l.commit(a, titles("cats one", "さくら", "more cats")...)
	l.commit(b, titles("cats two", "サクラ")...)
	l.want(l.call("PUT", "/api/items/"+ids[0]+"/state", map[string]bool{"isRead": true}, nil), 200)
	add := func(body string) (out savedAnswer) {
		t.Helper()
		l.want(l.call("POST", "/api/searches", body, &out), 201)
		return out
	}
	if got := add(`{"name":" Cats  everywhere ","q":"cats"}`); got.ID != "1" || got.names() != "1 Cats everywhere" {
		t.Errorf("the first is %+v", got)
	}
	add(`{"name":"Unread","q":"cats","filter":"unread","sort":"best","feed":"` + a.String() + `"}`)
	got := add(`{"name":"Blossoms","q":"さくら","kana":"fold","folder":"` + folder + `","feed":null}`)
	want := []savedSearch{
		{ID: "1", Name: "Cats everywhere", Q: "cats", Filter: "all", Sort: "date", Kana: "exact"},
		{ID: "2", Name: "Unread", Q: "cats", Filter: "unread", Sort: "best", Kana: "exact"},
		{ID: "3", Name: "Blossoms", Q: "さくら", Filter: "all", Sort: "date", Kana: "fold"},
	}
	for i, s := range got.Searches {
		feed, in := s.Feed, s.Folder
		if s.Feed, s.Folder = nil, nil; s != want[i] {
			t.Errorf("number %d is %+v, want %+v", i, s, want[i])
		}
		if (feed != nil) != (i == 1) || (in != nil) != (i == 2) || feed != nil && *feed != a.String() || in != nil &&
			*in != folder {
			t.Errorf("number %d searches in %v, %v", i, feed, in)
		}
	}
	finds := func(id, want string, pairs ...string) {
		t.Helper()
		found := l.search("/api/searches/"+id+"/items", pairs...)
		if got := strings.Join(found.titles(), ", "); got != want {
			t.Errorf("%s with %q finds %q, want %q", id, pairs, got, want)
		}
	}
	finds("1", "cats two, more cats, cats one")
	finds("1", "more cats", "filter", "unread", "feed", a.String())
	finds("2", "more cats")
	finds("2", "more cats, cats one", "filter", "all")
	finds("2", "cats two", "folder", folder)
	finds("3", "サクラ")
	finds("3", "", "kana", "exact")
	finds("1", "cats two, more cats, cats one", "q", "dogs") // what was saved counts

	var out savedAnswer
	if l.want(l.call("PUT", "/api/searches/order", `{"ids":["3"]}`, &out), 200); out.names() != "3 Blossoms, 1 Cats "+
		"everywhere, 2 Unread" {
		t.Errorf("the order is %s", out.names())
	}
	if l.want(l.call("PUT", "/api/searches/1", `{"name":"Dogs","q":"dogs"}`, &out), 200); out.names() !=
		"3 Blossoms, 1 Dogs, 2 Unread" {
		t.Errorf("after a change they are %s", out.names())
	}
	if l.want(l.call("DELETE", "/api/searches/3", nil, &out), 200); out.names() != "1 Dogs, 2 Unread" {
		t.Errorf("after a deletion they are %s", out.names())
	}
	l.want(l.call("GET", "/api/searches/3/items", nil, nil), 404)
	if got := add(`{"name":"New","q":"new"}`); got.ID != "4" {
		t.Errorf("a new one has the number %s", got.ID)
	}
	if l.want(l.call("GET", "/api/searches", nil, &out), 200); out.names() != "1 Dogs, 2 Unread, 4 New" {
		t.Errorf("there are %s", out.names())
	}

	// What a search looks into may go away.
	l.want(l.call("DELETE", "/api/subscriptions/"+a.String(), nil, nil), 204)
	var p problem
	if l.want(l.call("GET", "/api/searches/2/items", nil, &p), 404); p.Code != "feed_not_found" {
		t.Errorf("a search in a feed that is gone: %+v", p)
	}
}

// TestWrongSavedSearches: each wrong field is named; nothing is saved.
func TestWrongSavedSearches(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	folder := l.folder()
	a := l.follow("A", nil, l.owner)
	l.want(l.call("POST", "/api/searches", `{"name":"x","q":"x"}`, nil), 201)
	for body, want := range map[string]string{
		`{"q":"x"}`:                         "400 missing_field name",
		`{"name":"x"}`:                      "400 missing_field q",
		`{"name":"","q":"x"}`:               "400 bad_name name",
		`{"name":"x","q":"-x"}`:             "400 search_empty q",
		`{"name":"x","q":"before:x y"}`:     "400 bad_search_day q",
		`{"name":"x","q":"x","filter":"x"}`: "400 bad_filter filter",
		`{"name":"x","q":"x","sort":"x"}`:   "400 bad_search_sort sort",
		`{"name":"x","q":"x","kana":"x"}`:   "400 bad_kana kana",
		`{"name":"x","q":"x","feed":"99"}`:  "404 feed_not_found ",
		`{"name":"x","q":"x","folder":"9"}`: "404 folder_not_found ",
		`{"name":"x","q":"x","folder":""}`:  "404 folder_not_found ",
		`{"name":"x","q":"x","more":1}`:     "400 unknown_field more",
		`{"name":"x","q":"x","feed":"` + a.String() + `","folder":"` + folder + `"}`: "400 scope_ambiguous ",
		`{"name":"x","q":"` + strings.Repeat("x", 257) + `"}`:                        "400 search_too_long q",
	} {
		for _, to := range [][2]string{{"POST", "/api/searches"}, {"PUT", "/api/searches/1"}} {
			var p problem
			resp := l.call(to[0], to[1], body, &p)
			got := fmt.Sprint(resp.StatusCode, " ", p.Code, " ")
			if len(p.Details) == 1 {
				got = fmt.Sprint(resp.StatusCode, " ", p.Details[0].Code, " ", p.Details[0].Field)
			}
			if got != want {
				t.Errorf("%s %.60s answers %q, want %q", to[0], body, got, want)
			}
		}
	}
	for _, c := range [][3]string{
		{"PUT", "/api/searches/2", `{"name":"x","q":"x"}`}, {"DELETE", "/api/searches/2", ""},
		{"DELETE", "/api/searches/x", ""},
		{"PUT", "/api/searches/order", `{"ids":["2"]}`}, {"PUT", "/api/searches/order", `{"ids":["x"]}`},
	} {
		var p problem
		if l.want(l.call(c[0], c[1], c[2], &p), 404); p.Code != "saved_search_not_found" {
			t.Errorf("%s %s: %+v", c[0], c[1], p)
		}
	}
	l.want(l.call("PUT", "/api/searches/order", `{"ids":["1","1"]}`, nil), 400)
	var out savedAnswer
	if l.want(l.call("GET", "/api/searches", nil, &out), 200); out.names() != "1 x" {
		t.Errorf("there are %s", out.names())
	}
}

// TestSavedSearchesAtOnce: changes by several devices at the same time are all kept, up to the limit.
func TestSavedSearchesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for { // a device whose change met too many others asks again
				resp := l.call("POST", "/api/searches", fmt.Sprintf(`{"name":"n%d","q":"x"}`, i), nil)
				if resp.StatusCode != http.StatusServiceUnavailable && resp.StatusCode != http.StatusConflict {
					return
				}
			}
		})
	}
	wg.Wait()
	var out savedAnswer
	if l.want(l.call("GET", "/api/searches", nil, &out), 200); len(out.Searches) != 6 {
		t.Errorf("there are %s", out.names())
	}
	for i := len(out.Searches); i < library.MaxSearches; i++ {
		l.want(l.call("POST", "/api/searches", fmt.Sprintf(`{"name":"%d","q":"%s"}`, i, strings.Repeat("桜", 256)), nil),
			201)
	}
	var p problem
	if l.want(l.call("POST", "/api/searches", `{"name":"one too many","q":"x"}`, &p), 409); p.Code !=
		"saved_search_limit" {
		t.Errorf("%+v", p)
	}
}

// TestAWebhookForASavedSearch is made for one that is there, shows it, and is turned off with it.
func TestAWebhookForASavedSearch(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	c := l.signedIn()
	var saved savedAnswer
	l.want(l.call("POST", "/api/searches", `{"name":"x","q":"x"}`, &saved), 201)
	type hookAnswer struct {
		Webhook struct {
			ID, OffReason string
			IsEnabled     bool
			SearchID      *string
		}
	}
	make := func(search string) string {
		return `{"url":"` + l.publisher.URL + `/hook","events":["new"],"searchId":` + search + `}`
	}
	if p := answer[problem](t, l.browser(c, "POST", "/api/webhooks", make(`"99"`)), 404); p.Code !=
		"saved_search_not_found" {
		t.Errorf("for none: %+v", p)
	}
	answer[problem](t, l.browser(c, "POST", "/api/webhooks", make(`99`)), 400)
	hook := answer[hookAnswer](t, l.browser(c, "POST", "/api/webhooks", make(`"1"`)), 201).Webhook
	if hook.SearchID == nil || *hook.SearchID != "1" || !hook.IsEnabled {
		t.Errorf("it is %+v", hook)
	}
	l.want(l.call("DELETE", "/api/searches/1", nil, nil), 200)
	var list struct {
		Webhooks []struct {
			OffReason *string
			IsEnabled bool
		}
	}
	if l.want(l.call("GET", "/api/webhooks", nil, &list), 200); list.Webhooks[0].IsEnabled ||
		list.Webhooks[0].OffReason == nil || *list.Webhooks[0].OffReason != "search_gone" {
		t.Errorf("after its search was deleted it is %+v", list.Webhooks)
	}
	l.want(l.call("PATCH", "/api/webhooks/"+hook.ID, `{"isEnabled":true}`, nil), 404)
	var changed hookAnswer
	if l.want(l.call("PATCH", "/api/webhooks/"+hook.ID, `{"isEnabled":true,"searchId":null}`, &changed),
		200); changed.Webhook.SearchID != nil || !changed.Webhook.IsEnabled {
		t.Errorf("for everything it is %+v", changed.Webhook)
	}
}

package greader_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// TestAuthentication: a header alone and a token alone are enough, anything else is told in the ways that clients know.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	p := w.owner
	c := w.client("")
	token, err := w.app.Auth.NewToken(context.Background(), p.id, "script", "read write", time.Time{})
	w.must(err)
	for name, x := range map[string]struct {
		method, header, t string
		status            int
	}{
		"header":                      {"GET", "GoogleLogin auth=" + p.password, "", 200},
		"header, quoted":              {"GET", `GoogleLogin auth="` + p.password + `"`, "", 200},
		"header, as of others":        {"GET", "googlelogin  Auth = " + p.password, "", 200},
		"bearer":                      {"GET", "Bearer " + p.password, "", 200},
		"header and a wrong T":        {"POST", "GoogleLogin auth=" + p.password, "x", 200},
		"T alone":                     {"POST", "", p.password, 200},
		"T with a newline":            {"POST", "", p.password + "\n", 200},
		"T with a wrong header":       {"POST", "GoogleLogin auth=old", p.password, 200},
		"T alone, not posted":         {"GET", "", p.password, 401},
		"nothing":                     {"GET", "", "", 401},
		"nothing, posted":             {"POST", "", "", 401},
		"wrong":                       {"POST", "GoogleLogin auth=wrong", "x", 401},
		"a header of another kind":    {"GET", "Basic " + p.password, "", 401},
		"a token of the page's API":   {"GET", "GoogleLogin auth=" + token, "", 401},
		"the password of the account": {"GET", "GoogleLogin auth=correct horse battery", "", 401},
	} {
		status, _ := c.do(x.method, api+"stream/items/ids", url.Values{"T": {x.t}}, "Authorization", x.header)
		if status != x.status {
			t.Errorf("%s: %d, want %d", name, status, x.status)
		}
		if bad := c.header.Get("X-Reader-Google-Bad-Token") == "true" &&
			c.header.Get("Google-Bad-Token") == "true"; bad != (x.status == 401) {
			t.Errorf("%s: the headers about a bad token are %v", name, c.header)
		}
	}
	for name, x := range map[string]struct {
		method, email, password, output string
		status                          int
		want                            string
	}{
		"text": {"POST", p.email, p.password, "", 200, "SID=" + p.password + "\nLSID=" + p.password +
			"\nAuth=" + p.password + "\n"},
		"GET": {"GET", p.email, p.password, "", 200, "SID=" + p.password + "\nLSID=" + p.password +
			"\nAuth=" + p.password + "\n"},
		"other letters": {"POST", " ADA@example.org", strings.ToUpper(p.password), "", 200, "SID=" + p.password +
			"\nLSID=" + p.password + "\nAuth=" + p.password + "\n"},
		"JSON": {"POST", p.email, p.password, "json", 200,
			fmt.Sprintf(`{"SID":%[1]q,"LSID":%[1]q,"Auth":%[1]q}`+"\n", p.password)},
		"wrong":          {"POST", p.email, "ruri-22222-22222-22222-22222", "json", 401, "Error=BadAuthentication\n"},
		"wrong address":  {"POST", "eve@example.org", p.password, "", 401, "Error=BadAuthentication\n"},
		"nothing":        {"POST", "", "", "", 401, "Error=BadAuthentication\n"},
		"page's account": {"POST", p.email, "correct horse battery", "", 401, "Error=BadAuthentication\n"},
	} {
		status, body := w.client("").do(x.method, "/accounts/ClientLogin",
			url.Values{"Email": {x.email}, "Passwd": {x.password}, "output": {x.output}})
		if status != x.status || body != x.want {
			t.Errorf("%s: %d %q, want %d %q", name, status, body, x.status, x.want)
		}
	}
}

// TestRevokedPassword: nothing works with an app password that was taken back.
func TestRevokedPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	c := w.client("").logIn(w.owner)
	if status, _ := c.do("GET", api+"user-info", nil); status != 200 {
		t.Fatalf("user-info answers %d", status)
	}
	_, err := w.app.Auth.EndTokens(context.Background(), w.owner.id, "")
	w.must(err)
	if status, _ := c.do("GET", api+"user-info", nil); status != 401 {
		t.Errorf("a revoked password gets %d", status)
	}
	if status, _ := c.do("POST", "/accounts/ClientLogin",
		url.Values{"Email": {w.owner.email}, "Passwd": {w.owner.password}}); status != 401 {
		t.Errorf("ClientLogin with it answers %d", status)
	}
}

// TestNothingOfOthers: the ids, feeds, folders and labels of one user mean nothing to another, whatever is done with
// them.
func TestNothingOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/private", 5)
	id := w.subscribe(w.owner, "https://a.example/private")
	stream := "feed/" + id.String()
	a := w.program(programs[3], w.owner)
	a.sync()
	mine := a.some(5, isUnread)
	a.star(true, mine[0])
	a.send("edit-tag", url.Values{"i": mine[:1], "a": {label + "Secret"}})
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {stream}, "a": {label + "Hidden"}})

	b := w.program(programs[3], w.user("eve@example.org"))
	b.token = nil
	b.send("edit-tag", url.Values{"i": mine, "a": {read, starred, label + "Own"}})
	b.send("mark-all-as-read", url.Values{"s": {stream}})
	b.send("mark-all-as-read", url.Values{"s": {label + "Hidden"}})
	b.send("mark-all-as-read", url.Values{"s": {allItems}})
	b.send("subscription/edit", url.Values{"ac": {"unsubscribe"}, "s": {stream}})
	for _, x := range []struct {
		path string
		form url.Values
	}{
		{"subscription/edit", url.Values{"ac": {"subscribe"}, "s": {stream}}},
		{"subscription/edit", url.Values{"ac": {"edit"}, "s": {stream}, "t": {"Mine"}}},
		{"rename-tag", url.Values{"s": {label + "Hidden"}, "dest": {label + "X"}}},
		{"disable-tag", url.Values{"s": {label + "Secret"}}},
	} {
		if status, body := b.do("POST", api+x.path, x.form); status != 404 {
			t.Errorf("%s %v answers %d %s", x.path, x.form, status, body)
		}
	}
	var added struct{ NumResults int }
	b.post(api+"subscription/quickadd", url.Values{"quickadd": {id.String()}}, &added)
	if added.NumResults != 0 {
		t.Error("a number of another user's feed is subscribed to")
	}
	for _, form := range []url.Values{{"s": {stream}}, {"s": {label + "Hidden"}}, {"s": {label + "Secret"}},
		{"s": {allItems}}, {"s": {starred}}, {"s": {read}}} {
		if ids := b.ids(form); len(ids) > 0 {
			t.Errorf("%v has %v", form, ids)
		}
	}
	status, body := b.do("POST", api+"stream/items/contents", url.Values{"i": mine})
	if status != 200 || b.take(body) != 0 {
		t.Errorf("contents answers %d %s", status, body)
	}
	for _, path := range []string{"tag/list", "subscription/list", "unread-count", "subscription/export",
		"stream/contents", "stream/contents/" + stream, "user-info"} {
		if _, body := b.do("GET", api+path, nil); strings.Contains(body, "private") ||
			strings.Contains(body, "Hidden") || strings.Contains(body, "Secret") || strings.Contains(body, "ada@") {
			t.Errorf("%s answers %s", path, body)
		}
	}
	a.sync()
	a.same(w.owner, "after another user's attempts")
	if len(a.some(5, isUnread)) != 5 || a.feeds[stream] != "Feed private" {
		t.Errorf("there is %v", a.feeds)
	}
}

// TestNonsense: what makes no sense is passed over or told, and nothing fails.
func TestNonsense(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/one", 30)
	w.subscribe(w.owner, "https://a.example/one")
	c := w.client("").logIn(w.owner)
	want := func(name string, n int, form url.Values) {
		t.Helper()
		status, body := c.do("GET", api+"stream/items/ids", form)
		if got := strings.Count(body, `"timestampUsec"`); status != 200 || got != n {
			t.Errorf("%s: %d and %d ids, want %d", name, status, got, n)
		}
	}
	want("no parameters", 20, nil)
	for _, n := range []string{"0", "-1", "x", "", "1e3", "99999999999999999999"} {
		want("n="+n, 20, url.Values{"s": {allItems}, "n": {n}})
	}
	want("a large n", 20, url.Values{"n": {"200000"}, "xt": {read}})
	for _, form := range []url.Values{
		{"c": {"null"}}, {"c": {"-1"}}, {"c": {"x"}}, {"ot": {"null"}}, {"nt": {"soon"}}, {"ot": {"-3"}},
		{"xt": {"user/-/state/com.google/broadcast", "nonsense"}},
		{"it": {"nonsense"}}, {"r": {"x"}}, {"s": {"user/12345/state/com.google/reading-list"}},
		{"s": {"reading-list"}}, {"s": {"feed/https://A.example:443/one#x"}},
		{"s": {"feed/feed:https://a.example/one"}},
	} {
		form.Set("n", "1000")
		want(form.Encode(), 30, form)
	}
	for _, s := range []string{"feed/77", "feed/", "feed/https://nowhere.example/", "user/-/label/",
		"user/-/label/None", "user/-/state/com.google/broadcast", "nonsense", "user/-/state/com.google/like"} {
		want(s, 0, url.Values{"s": {s}})
	}
	for path, status := range map[string]int{
		api + "nothing": 404, "/reader/": 404, "/reader/api/0/": 404, "/accounts/Other": 404,
		"/reader/atom/feed/1": 200, "/reader/atom/": 200,
		"/api/greader.php/reader/api/0/tag/list": 200, "/reader/api/0/tag/list/": 200, "/reader/api/0/edit-tag": 405,
		"/reader/api/0/subscription/quickadd": 200,
		"/reader/api/0/preference/list":       200, "/reader/api/0/preference/stream/list": 200,
		"/reader/api/0/friend/list":                                                  200,
		"/reader/api/0/stream/contents/feed%2F1":                                     200,
		"/reader/api/0/stream/contents/user%2F-%2Fstate%2Fcom.google%2Freading-list": 200,
		"/reader/api/0/stream/contents/":                                             200,
		"/reader/api/0/stream/contents?s=user/-/state/com.google/starred":            200,
	} {
		if got, body := c.do("GET", path, nil); got != status || body == "" {
			t.Errorf("%s answers %d %q, want %d", path, got, body, status)
		}
	}
	c.change(api+"edit-tag", url.Values{"i": {"nonsense", "-4", ""}, "a": {read}})
	c.change(api+"edit-tag", url.Values{"i": {"1"}, "a": {"user/-/state/com.google/like", "nonsense"},
		"r": {"user/-/state/com.google/tracking-kept-unread"}})
	c.change(api+"edit-tag", nil)
	c.change(api+"mark-all-as-read", url.Values{"s": {"user/-/label/None"}})
	if status, body := c.do("POST", api+"mark-all-as-read", nil); status != 400 || body == "" {
		t.Errorf("a mark of no stream answers %d %q", status, body)
	}
	want("after changes of nothing", 20, url.Values{"xt": {read}, "n": {"100"}})
	for name, form := range map[string]url.Values{
		"no action": {"s": {"feed/1"}}, "no feed": {"ac": {"edit"}, "s": {"user/-/label/x"}},
		"an invisible folder": {"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "\u200b"}},
		"no address":          {"ac": {"subscribe"}, "s": {"feed/ht!tp"}},
	} {
		if status, body := c.do("POST", api+"subscription/edit", form); status < 400 || status >= 500 || body == "" {
			t.Errorf("%s: %d %q", name, status, body)
		}
	}
	if status, _ := c.do("POST", api+"subscription/import", nil); status < 400 || status >= 500 {
		t.Errorf("an empty import answers %d", status)
	}
	if status, _ := c.do("POST", api+"edit-tag", url.Values{"i": {strings.Repeat("1", 5<<20)}}); status != 413 {
		t.Errorf("a body beyond the limit answers %d", status)
	}
}

// TestMarkUpToATime: a mark with ts leaves what arrived later, whatever the unit, and in a label as well as in a feed.
func TestMarkUpToATime(t *testing.T) {
	t.Parallel()
	for _, s := range []string{allItems, "feed/1", label + "Folder", label + "Label", starred} {
		w := newWorld(t, false)
		p := w.web.feed("https://a.example/one", 3)
		id := w.subscribe(w.owner, "https://a.example/one")
		c := w.client("").logIn(w.owner)
		c.change(api+"subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "Folder"}})
		var page struct {
			Items []struct{ ID, TimestampUsec, CrawlTimeMsec string }
		}
		c.get(api+"stream/contents", nil, &page)
		last, err := strconv.ParseInt(page.Items[0].TimestampUsec, 10, 64)
		w.must(err)
		w.clock.Add(31*time.Minute + 1*time.Second)
		w.web.publish(p, "Later")
		w.poll(id)
		var all struct{ ItemRefs []struct{ ID string } }
		c.get(api+"stream/items/ids", nil, &all)
		items := url.Values{}
		for _, ref := range all.ItemRefs {
			items.Add("i", ref.ID)
		}
		change := func(name string, values ...string) {
			form := maps.Clone(items)
			form[name] = values
			c.change(api+"edit-tag", form)
		}
		change("a", starred, label+"Label")
		unread := func() int {
			c.get(api+"stream/items/ids", url.Values{"xt": {read}}, &all)
			return len(all.ItemRefs)
		}
		for _, unit := range []func(time.Time) string{
			micro, func(t time.Time) string {
				return strconv.FormatInt(t.UnixMilli(), 10)
			}, func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
		} {
			change("r", read)
			// The time of the newest item that was seen includes it.
			ts := unit(time.UnixMicro(last))
			if c.change(api+"mark-all-as-read", url.Values{"s": {s}, "ts": {ts}}); unread() != 1 {
				t.Errorf("%s, %s: %d are unread, want 1", s, ts, len(all.ItemRefs))
			}
			if c.change(api+"mark-all-as-read", url.Values{"s": {s}}); unread() != 0 {
				t.Errorf("%s: %d are unread after a mark of all", s, len(all.ItemRefs))
			}
		}
	}
}

// TestMarkToTheMillisecond: a mark takes in what arrived in its millisecond, and leaves what arrived in the next.
func TestMarkToTheMillisecond(t *testing.T) {
	t.Parallel()
	for _, s := range []string{allItems, "feed/1", starred} {
		w := newWorld(t, false)
		p := w.web.feed("https://a.example/one", 3)
		id := w.subscribe(w.owner, "https://a.example/one")
		c := w.client("").logIn(w.owner)
		w.clock.Add(time.Hour)
		w.web.publish(p, "Later")
		w.poll(id)
		arrived := w.clock.Now()
		var all struct{ ItemRefs []struct{ ID string } }
		unread := func() int {
			c.get(api+"stream/items/ids", url.Values{"xt": {read}}, &all)
			return len(all.ItemRefs)
		}
		if unread() != 4 {
			t.Fatalf("%d are unread", len(all.ItemRefs))
		}
		items := url.Values{"a": {starred}}
		for _, ref := range all.ItemRefs {
			items.Add("i", ref.ID)
		}
		c.change(api+"edit-tag", items)
		for ts, want := range map[time.Time]int{arrived.Add(-time.Millisecond): 1, arrived: 0,
			arrived.Add(-time.Microsecond): 1} {
			items.Del("a")
			items.Set("r", read)
			c.change(api+"edit-tag", items)
			if c.change(api+"mark-all-as-read", url.Values{"s": {s}, "ts": {micro(ts)}}); unread() != want {
				t.Errorf("%s, marked up to %v of %v: %d are unread, want %d", s, ts, arrived, len(all.ItemRefs), want)
			}
		}
	}
}

// TestNames: a folder and a label of one name are both listed, and the folder is what the name's stream has.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/one", 3)
	w.web.feed("https://a.example/two", 2)
	w.subscribe(w.owner, "https://a.example/one")
	w.subscribe(w.owner, "https://a.example/two")
	a := w.program(programs[3], w.owner)
	a.sync()
	inTwo := a.some(2, func(it *item) bool { return it.feed == "feed/2" })
	a.send("edit-tag", url.Values{"i": inTwo[:1], "a": {label + "News"}})
	a.send("edit-tag", url.Values{"i": inTwo[1:], "a": {label + "Later"}})
	if ids := a.ids(url.Values{"s": {label + "News"}}); !slices.Equal(ids, inTwo[:1]) {
		t.Errorf("the label has %v", ids)
	}
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "News"}})
	if ids := a.ids(url.Values{"s": {label + "News"}}); len(ids) != 3 {
		t.Errorf("the folder has %v", ids)
	}
	_, tags := a.do("GET", api+"tag/list", nil)
	const want = `{"tags":[{"id":"user/-/state/com.google/starred"},{"id":"user/-/label/News","type":"folder"},` +
		`{"id":"user/-/label/News","type":"tag","unread_count":1},{"id":"user/-/label/Later","type":"tag",` +
		`"unread_count":1}]}`
	if strings.TrimSpace(tags) != want {
		t.Errorf("tags are %s", tags)
	}
	_, counts := a.do("GET", api+"unread-count", nil)
	for id, n := range map[string]int{"feed/1": 3, "feed/2": 2, label + "News": 3, label + "Later": 1, allItems: 5} {
		if !strings.Contains(counts, fmt.Sprintf(`{"id":"%s","count":%d,`, id, n)) ||
			strings.Count(counts, `"`+id+`"`) != 1 {
			t.Errorf("%s has not %d in %s", id, n, counts)
		}
	}
	a.send("edit-tag", url.Values{"i": inTwo[:1], "r": {label + "News"}})
	a.send("disable-tag", url.Values{"s": {label + "News"}}) // the folder, then the label
	a.send("disable-tag", url.Values{"s": {label + "News"}})
	a.send("rename-tag", url.Values{"t": {"Later"}, "dest": {"Soon"}}) // by their names alone
	if ids := a.ids(url.Values{"s": {label + "Soon"}}); !slices.Equal(ids, inTwo[1:]) {
		t.Errorf("the renamed label has %v", ids)
	}
	if status, _ := a.do("POST", api+"disable-tag", url.Values{"s": {label + "News"}}); status != 404 {
		t.Errorf("a third deletion answers %d", status)
	}
}

// TestNestedFolders: a folder within another lists its feeds under both, and so does its stream.
func TestNestedFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/one", 3)
	w.subscribe(w.owner, "https://a.example/one")
	var inner reader.FolderID
	_, err := w.app.Store.Trees.Change(context.Background(), w.owner.id, func(t *library.Tree) error {
		inner = t.Ensure([]string{"Tech", "Go"})
		return nil
	})
	w.must(err)
	_, err = w.app.Subscribe.Set(context.Background(), w.owner.id, 1,
		subscribe.Settings{Folders: &[]reader.FolderID{inner}})
	w.must(err)
	a := w.program(programs[3], w.owner)
	folders := func(want ...string) {
		t.Helper()
		if a.structure(); !slices.Equal(a.folders["feed/1"], want) {
			t.Errorf("the feed is in %v, want %v", a.folders["feed/1"], want)
		}
		for _, name := range want {
			if ids := a.ids(url.Values{"s": {label + name}}); len(ids) != 3 {
				t.Errorf("%s has %d items", name, len(ids))
			}
		}
	}
	folders("Tech/Go", "Tech")
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "Tech"}})
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "r": {label + "Tech/Go"}})
	folders("Tech")
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "Tech/Rust"},
		"r": {label + "Tech"}})
	folders("Tech/Rust", "Tech")
	a.send("rename-tag", url.Values{"s": {label + "Tech/Rust"}, "dest": {label + "Oxide"}})
	folders("Oxide")
	a.send("rename-tag", url.Values{"s": {label + "Oxide"}, "dest": {label + "Tech/Oxide"}})
	folders("Tech/Oxide", "Tech")
	if status, _ := a.do("POST", api+"rename-tag",
		url.Values{"s": {label + "Tech/Oxide"}, "dest": {label + "Tech/Go"}}); status != 409 {
		t.Errorf("a name that is taken answers %d", status)
	}
	a.send("disable-tag", url.Values{"s": {label + "Tech/Oxide"}})
	folders("Tech")
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "r": {label + "Tech"}})
	folders()
}

// TestKeptUnread: the pairs of states that programs send mean what their users did.
func TestKeptUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/one", 1)
	w.subscribe(w.owner, "https://a.example/one")
	a := w.program(programs[3], w.owner)
	a.sync()
	id := a.some(1, isUnread)[0]
	for i, x := range []struct {
		add, remove []string
		isUnread    bool
	}{
		{[]string{read}, []string{kept}, false}, {[]string{kept}, []string{read}, true}, {[]string{read}, nil, false},
		{nil, []string{kept}, false},
		{[]string{kept}, nil, true}, {[]string{state + "tracking-kept-unread"}, nil, true}, {nil, []string{kept}, true},
		{[]string{"user/7/state/com.google/read"}, nil, false},
		{nil, []string{read}, true}, {[]string{state + "broadcast", read}, []string{state + "like"}, false},
	} {
		a.send("edit-tag", url.Values{"i": {id}, "a": x.add, "r": x.remove})
		if got := len(a.ids(url.Values{"s": {allItems}, "xt": {read}})) == 1; got != x.isUnread {
			t.Errorf("%d: after a=%v and r=%v the item is unread: %v", i, x.add, x.remove, got)
		}
	}
}

// TestQuickAddLimits: adding respects the user's limits, and says what went wrong.
func TestQuickAddLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	c := w.client("").logIn(w.owner)
	var last int
	for i := range 12 {
		address := fmt.Sprintf("https://h%d.example/f", i)
		w.web.feed(address, 1)
		last, _ = c.do("POST", api+"subscription/quickadd", url.Values{"quickadd": {"feed/" + address}})
		if last != 200 {
			break
		}
	}
	if last != http.StatusTooManyRequests || c.header.Get("Retry-After") == "" {
		t.Errorf("many additions end with %d", last)
	}
	// One that is there already is no addition.
	var added struct {
		NumResults      int
		StreamID, Query string
	}
	c.post(api+"subscription/quickadd", url.Values{"quickadd": {"https://h0.example/f"}}, &added)
	if added.NumResults != 1 || added.StreamID != "feed/1" || added.Query != "https://h0.example/f" {
		t.Errorf("adding again gives %+v", added)
	}
}

// TestOPML: subscriptions go out and in.
func TestOPML(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	w.web.feed("https://a.example/one", 1)
	w.subscribe(w.owner, "https://a.example/one")
	c := w.client("").logIn(w.owner)
	c.change(api+"subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/1"}, "a": {label + "Folder"}})
	status, list := c.do("GET", api+"subscription/export", nil)
	if status != 200 || !strings.Contains(list, "https://a.example/one") || !strings.Contains(list, "Folder") {
		t.Fatalf("export answers %d %s", status, list)
	}
	other := w.client("").logIn(w.user("eve@example.org"))
	r := httptest.NewRequest("POST", api+"subscription/import", strings.NewReader(list))
	r.Header.Set("Authorization", "GoogleLogin auth="+other.auth)
	r.Header.Set("Content-Type", "text/xml")
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	if body, _ := io.ReadAll(rec.Body); rec.Code != 200 || string(body) != "OK" {
		t.Fatalf("import answers %d %s", rec.Code, body)
	}
	_, got := other.do("GET", api+"subscription/list", nil)
	if !strings.Contains(got, "https://a.example/one") || !strings.Contains(got, `"label":"Folder"`) {
		t.Errorf("after the import there is %s", got)
	}
}

// TestIcons: the address of an icon works without a password, and addresses that nobody was given do not.
func TestIcons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	hash, png := bytes.Repeat([]byte{7}, 32), "\x89PNG and so on"
	w.must(w.app.Blobs.Put(t.Context(), store.IconBlobKey(hash), []byte(png), blob.Meta{ContentType: "image/png"}))
	w.web.feed("https://a.example/one", 1)
	id := w.subscribe(w.owner, "https://a.example/one")
	_, err := w.app.Store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.IconHash = hash })
	w.must(err)
	w.start()
	for _, base := range []string{"", "/api/greader.php"} {
		c := w.client(base).logIn(w.owner)
		var list struct{ Subscriptions []struct{ IconURL string } }
		c.get(api+"subscription/list", nil, &list)
		path, isOurs := strings.CutPrefix(list.Subscriptions[0].IconURL, "http://example.com")
		if !isOurs {
			t.Fatalf("the icon is at %q", list.Subscriptions[0].IconURL)
		}
		anybody := w.client("")
		if status, body := anybody.do("GET", path, nil); status != 200 || body != png ||
			anybody.header.Get("Content-Type") != "image/png" {
			t.Errorf("the icon is %d %q, %v", status, body, anybody.header)
		}
		if status, _ := anybody.do("GET", path, nil, "If-None-Match", anybody.header.Get("ETag")); status != 304 {
			t.Errorf("the same icon is answered %d", status)
		}
		other := store.IconName(bytes.Repeat([]byte{8}, 32))
		for _, path := range []string{
			"/reader/icons/", "/reader/icons/" + store.IconName(hash),
			"/reader/icons/00000000000000000000000000000000/" + store.IconName(hash),
			path[:len(path)-len(other)] + other, path + "/", path[:len(path)-4],
			strings.Replace(path, "/reader/icons/", "/reader/icons//", 1),
		} {
			if status, body := c.do("GET", path, nil); status != 404 || strings.Contains(body, png) {
				t.Errorf("%s answers %d %q", path, status, body)
			}
		}
	}
}

// TestOtherAnswers: the small answers have their shapes.
func TestOtherAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	c := w.client("").logIn(w.owner)
	for path, s := range map[string]shape{
		"user-info": userShape, "preference/list": members{"prefs": []shape{members{}}},
		"preference/stream/list": members{"streamprefs": members{}},
		"friend/list":            members{"friends": []shape{members{}}}, "stream/contents": itemsShape,
		"stream/items/ids": idsShape, "unread-count": unreadShape,
		"tag/list": tagsShape, "subscription/list": subscriptionsShape,
	} {
		status, body := c.do("GET", api+path, nil)
		if status != 200 || c.header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s answers %d of the type %s", path, status, c.header.Get("Content-Type"))
		}
		strict(t, body, s)
	}
	_, body := c.do("POST", "/accounts/ClientLogin", url.Values{"Email": {w.owner.email}, "Passwd": {w.owner.password},
		"output": {"json"}})
	strict(t, body, loginShape)
}

// TestManyItems: a first sync of 5,000 items reads each raw feed once, in batches as well as in one request for as many
// items as RSS Guard asks for. A page that has no room ends with a continuation, so that pages together have every item
// once.
func TestManyItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		remote             bool
		feeds, items, page int
		batches            []int
	}{{false, 12, 90, 333, []int{9999, 250}}, {true, 50, 100, 1000, []int{1000}}} {
		w := newWorld(t, c.remote)
		var ids []string
		for i := range c.feeds {
			address := fmt.Sprintf("https://h%d.example/f", i)
			w.web.feed(address, c.items)
			id := w.subscribe(w.owner, address)
			p, err := w.app.Streams.List(context.Background(), w.owner.id,
				stream.Query{Scope: stream.Scope{Feed: id}, Limit: 200})
			w.must(err)
			for _, e := range p.Items {
				ids = append(ids, e.ID.String())
			}
		}
		a := w.program(programs[1], w.owner)
		for _, a.batch = range c.batches {
			w.start() // nothing is in memory
			clear(a.items)
			reads := w.reads.Load()
			a.contents(ids)
			if got := w.reads.Load() - reads; len(a.items) != c.feeds*c.items || got > int64(c.feeds) {
				t.Errorf("%d items of %d in batches of %d, %d raw feeds read for %d", len(a.items), c.feeds*c.items,
					a.batch, got, c.feeds)
			}
		}
		clear(a.items)
		a.pages("stream/contents", url.Values{"n": {"5000"}})
		if len(a.items) != len(ids) {
			t.Errorf("pages have %d items of %d", len(a.items), len(ids))
		}
		a.page = c.page
		if got := a.ids(url.Values{"s": {allItems}}); len(got) != len(ids) ||
			!slices.IsSortedFunc(got, func(x, y string) int {
				return strings.Compare(y, x)
			}) {
			t.Errorf("%d ids of %d", len(got), len(ids))
		}
		got := a.ids(url.Values{"s": {allItems}, "r": {"o"}})
		if len(got) != len(ids) || !slices.IsSorted(got) {
			t.Errorf("%d ids of %d, oldest first", len(got), len(ids))
		}
	}
}

// TestAnswersHaveLimits: behind a gateway a page of long bodies ends early, and none is lost; items that were asked for
// by their ids are all answered, the last ones with snippets.
func TestAnswersHaveLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	const room = 5 << 20
	for i := range 4 {
		address := fmt.Sprintf("https://h%d.example/f", i)
		p := w.web.feed(address, 0)
		p.more = "<p>" + strings.Repeat("A long text. ", 2500) + "</p>"
		for n := range 50 {
			w.web.publish(p, fmt.Sprint("Item ", n))
		}
		w.subscribe(w.owner, address)
	}
	a := w.program(programs[1], w.owner)
	ids := a.ids(url.Values{"s": {allItems}})
	form := url.Values{"n": {"1000"}}
	for pages := 0; ; pages++ {
		_, body := a.do("GET", api+"stream/contents", form)
		a.take(body)
		c, more := strict(t, body, itemsShape).(map[string]any)["continuation"].(string)
		if len(body) > room {
			t.Fatalf("a page has %d bytes", len(body))
		}
		if form.Set("c", c); !more {
			if pages < 2 || len(a.items) != len(ids) || len(ids) != 200 {
				t.Fatalf("%d pages with %d items of %d", pages+1, len(a.items), len(ids))
			}
			break
		}
	}
	for _, it := range a.items {
		if len(it.body) < 30_000 {
			t.Fatalf("a page has %q with %d bytes", it.title, len(it.body))
		}
	}
	_, body := a.do("POST", api+"stream/items/contents", url.Values{"i": ids})
	short := 0
	if n := a.take(body); n != len(ids) || len(body) > room+1<<20 {
		t.Fatalf("%d items of %d in %d bytes", n, len(ids), len(body))
	}
	for _, it := range a.items {
		if it.body == "" {
			t.Fatalf("%q has nothing", it.title)
		}
		if len(it.body) < 30_000 {
			short++
		}
	}
	if short == 0 || short > 150 {
		t.Errorf("%d of %d items have snippets", short, len(ids))
	}
}

// TestAtom: programs of old read items as Atom, in pages, with the states of each.
func TestAtom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	p := w.web.feed("https://a.example/one", 24)
	w.web.publish(p, "A <b> & a \"quote\"")
	w.subscribe(w.owner, "https://a.example/one")
	a := w.program(programs[0], w.owner)
	a.sync()
	a.markRead(a.some(10, isUnread)...)
	a.star(true, a.some(3, isUnread)...)
	type feed struct {
		XMLName      xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Title        string   `xml:"http://www.w3.org/2005/Atom title"`
		Continuation string   `xml:"http://www.google.com/schemas/reader/atom/ continuation"`
		Entries      []struct {
			ID         string `xml:"id"`
			Title      string `xml:"title"`
			Summary    string `xml:"summary"`
			Categories []struct {
				Scheme string `xml:"scheme,attr"`
				Label  string `xml:"label,attr"`
			} `xml:"category"`
			Links []struct {
				Rel  string `xml:"rel,attr"`
				Href string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	seen, form := map[string]bool{}, url.Values{"n": {"7"}}
	for pages := 1; ; pages++ {
		status, body := a.do("GET", "/reader/atom/feed%2F1", form)
		var page feed
		if err := xml.Unmarshal([]byte(body), &page); status != 200 || err != nil || page.Title != "Feed one" ||
			!strings.HasPrefix(a.header.Get("Content-Type"), "application/atom+xml") {
			t.Fatalf("%d, %v in %.300s", status, err, body)
		}
		for _, e := range page.Entries {
			hex, _ := strings.CutPrefix(e.ID, longStart)
			n, err := strconv.ParseInt(hex, 16, 64)
			w.must(err)
			have, labels := a.items[strconv.FormatInt(n, 10)], []string{}
			for _, c := range e.Categories {
				if c.Scheme == "http://www.google.com/reader/" {
					labels = append(labels, c.Label)
				}
			}
			if seen[e.ID] || have == nil || have.title != e.Title || have.body != e.Summary || len(e.Links) != 1 ||
				e.Links[0].Href != have.link ||
				slices.Contains(labels, "read") != have.read || slices.Contains(labels, "fresh") == have.read ||
				slices.Contains(labels, "starred") != have.starred {
				t.Fatalf("%+v for %+v", e, have)
			}
			seen[e.ID] = true
		}
		if form.Set("c", page.Continuation); page.Continuation == "" {
			if pages != 4 || len(seen) != 25 {
				t.Errorf("%d entries on %d pages", len(seen), pages)
			}
			return
		}
	}
}

// TestTimesAreOfArrival: ot and nt include the moment that they name, in any unit, and do not look at when something
// was published.
func TestTimesAreOfArrival(t *testing.T) {
	t.Parallel()
	for _, remote := range []bool{false, true} {
		w := newWorld(t, remote)
		p := w.web.feed("https://a.example/one", 3)
		id := w.subscribe(w.owner, "https://a.example/one")
		w.clock.Add(time.Hour)
		w.web.publish(p, "Published long ago")
		p.items[0].at = w.clock.Now().Add(-30 * 24 * time.Hour)
		w.poll(id)
		w.clock.Add(2 * time.Minute)
		c := w.client("").logIn(w.owner)
		var page struct {
			Items []struct{ Title, CrawlTimeMsec string }
		}
		c.get(api+"stream/contents", nil, &page)
		if len(page.Items) != 4 || page.Items[0].Title != "Published long ago" {
			t.Fatalf("the newest arrival is not first in %+v", page.Items)
		}
		late, err := strconv.ParseInt(page.Items[0].CrawlTimeMsec, 10, 64)
		w.must(err)
		early, err := strconv.ParseInt(page.Items[3].CrawlTimeMsec, 10, 64)
		w.must(err)
		for name, x := range map[string]struct {
			form url.Values
			want int
		}{
			"ot, seconds":      {url.Values{"ot": {strconv.FormatInt(late/1000, 10)}}, 1},
			"ot, rounded up":   {url.Values{"ot": {strconv.FormatInt((late+999)/1000, 10)}}, 1},
			"ot, milliseconds": {url.Values{"ot": {strconv.FormatInt(late, 10)}}, 1},
			"ot, microseconds": {url.Values{"ot": {strconv.FormatInt(late*1000, 10)}}, 1},
			"ot, early":        {url.Values{"ot": {strconv.FormatInt(early/1000, 10)}}, 4},
			"ot, much later":   {url.Values{"ot": {strconv.FormatInt(late/1000+600, 10)}}, 0},
			"nt, early":        {url.Values{"nt": {strconv.FormatInt(early/1000, 10)}}, 3},
			"nt, late":         {url.Values{"nt": {strconv.FormatInt(late/1000, 10)}}, 4},
			"both": {url.Values{"ot": {strconv.FormatInt(late/1000, 10)},
				"nt": {strconv.FormatInt(late/1000, 10)}}, 1},
			"the wrong way round": {url.Values{"ot": {strconv.FormatInt(late/1000, 10)},
				"nt": {strconv.FormatInt(early/1000, 10)}}, 0},
		} {
			for _, path := range []string{"stream/contents", "stream/items/ids"} {
				status, body := c.do("GET", api+path, x.form)
				if got := strings.Count(body, `"timestampUsec"`); status != 200 || got != x.want {
					t.Errorf("%s, %s: %d and %d items, want %d", path, name, status, got, x.want)
				}
			}
		}
	}
}

// TestNothingArrivesLater: a feed that brings items several times within a minute gives them later minutes, and no time
// that programs might go on from is in the future.
func TestNothingArrivesLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	p := w.web.feed("https://a.example/f", 1)
	id := w.subscribe(w.owner, "https://a.example/f")
	w.clock.Add(time.Hour)
	// as after ten times
	_, err := w.app.Store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
		f.Stamp = uint32(reader.MinuteOf(w.clock.Now())) + 9
	})
	w.must(err)
	w.start()
	w.web.publish(p, "Another")
	w.poll(id)
	c, now := w.client("").logIn(w.owner), w.clock.Now().UnixMicro()
	var refs struct {
		ItemRefs []struct{ ID, TimestampUsec string }
	}
	c.get(api+"stream/items/ids", nil, &refs)
	newest, err := strconv.ParseUint(refs.ItemRefs[0].ID, 10, 64)
	w.must(err)
	if ahead := reader.ItemID(newest).Stamp().Time(); len(refs.ItemRefs) != 2 || !ahead.After(w.clock.Now()) {
		t.Fatalf("%d items, the newest at %s", len(refs.ItemRefs), ahead)
	}
	var counts struct {
		UnreadCounts []struct{ NewestItemTimestampUsec string }
	}
	c.get(api+"unread-count", nil, &counts)
	times := []string{counts.UnreadCounts[0].NewestItemTimestampUsec}
	for _, ref := range refs.ItemRefs {
		times = append(times, ref.TimestampUsec)
	}
	for _, text := range times {
		if at, err := strconv.ParseInt(text, 10, 64); err != nil || at > now {
			t.Errorf("a time is %s at %d", text, now)
		}
	}
	var page struct{ Updated int64 }
	if c.get(api+"stream/contents", nil, &page); page.Updated > now/1e6 {
		t.Errorf("the list is of %d at %d", page.Updated, now)
	}
}

// TestAnswersThatCompressPoorly: text that is only halved by compression is more than Lambda can pass on from a page of
// the usual room. Such an answer gets less, and each item comes.
func TestAnswersThatCompressPoorly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2 {
		address := fmt.Sprintf("https://h%d.example/f", i)
		p := w.web.feed(address, 0)
		var text strings.Builder
		for range 14_000 {
			text.WriteRune('\u4e00' + rune(random.IntN(20_000)))
		}
		p.more = "<p>" + text.String() + "</p>"
		for n := range 40 {
			w.web.publish(p, fmt.Sprint("Item ", n))
		}
		w.subscribe(w.owner, address)
	}
	a := w.program(programs[1], w.owner)
	ids := a.ids(url.Values{"s": {allItems}})
	ask := func(method, path string, form url.Values) string {
		status, body := a.do(method, api+path, form, "Accept-Encoding", "gzip")
		if status != 200 {
			t.Fatalf("%s answers %d %.200s", path, status, body)
		}
		z, err := gzip.NewReader(strings.NewReader(body))
		w.must(err)
		text, err := io.ReadAll(z)
		w.must(err)
		return string(text)
	}
	if n := a.take(ask("POST", "stream/items/contents", url.Values{"i": ids})); n != len(ids) || n != 80 {
		t.Errorf("%d items of %d", n, len(ids))
	}
	clear(a.items)
	form := url.Values{"n": {"1000"}}
	for pages := 0; pages == 0 || form.Get("c") != ""; pages++ {
		body := ask("GET", "stream/contents", form)
		a.take(body)
		c, _ := strict(t, body, itemsShape).(map[string]any)["continuation"].(string)
		form.Set("c", c)
	}
	if len(a.items) != len(ids) {
		t.Errorf("the pages have %d items of %d", len(a.items), len(ids))
	}
}

// TestNothingIsPublishedLater: what is dated in the future has the time of its arrival, or programs would show it first
// for ever.
func TestNothingIsPublishedLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	p := w.web.feed("https://a.example/f", 1)
	p.items[0].at = w.clock.Now().AddDate(1, 0, 0)
	w.subscribe(w.owner, "https://a.example/f")
	var page struct {
		Items []struct{ Published, Updated int64 }
	}
	w.client("").logIn(w.owner).get(api+"stream/contents", nil, &page)
	if now := w.clock.Now().Unix(); len(page.Items) != 1 || page.Items[0].Published > now ||
		page.Items[0].Updated > now {
		t.Errorf("at %d the items are %+v", now, page.Items)
	}
}

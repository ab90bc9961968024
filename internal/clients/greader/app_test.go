package greader_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	api       = "/reader/api/0/"
	state     = "user/-/state/com.google/"
	label     = "user/-/label/"
	allItems  = state + "reading-list"
	read      = state + "read"
	starred   = state + "starred"
	kept      = state + "kept-unread"
	longStart = "tag:google.com,2005:reader/item/"
)

// habits are how a program speaks the dialect.
type habits struct {
	name    string
	base    string // where the program looks for the API
	gather  func(*app)
	itemID  func(decimal string) string // the form of ids that it sends
	batch   int                         // ids of one request of contents or changes
	page    int                         // n of id lists
	token   func(*app) []string         // the T that it sends with changes; nil: none
	unread  func(*app, ...string)       // how it marks unread
	noType  bool                        // posts without a content type
	noAuth  bool                        // sends contents without the header
	getAuth bool                        // logs in with GET
}

// item is what a program keeps of an item.
type item struct {
	read, starred bool
	title, body   string
	feed, link    string
}

// app is a program with its own database.
type app struct {
	*client
	habits
	tokenText string
	items     map[string]*item // by decimal id
	feeds     map[string]string
	folders   map[string][]string // of a feed
	since     string              // ot of the next sync
	etags     map[string]string
}

func (w *world) program(h habits, p person) *app {
	w.t.Helper()
	a := &app{client: w.client(h.base), habits: h, items: map[string]*item{}, etags: map[string]string{}}
	form := url.Values{"Email": {p.email}, "Passwd": {p.password}, "service": {"reader"}, "source": {h.name},
		"accountType": {"HOSTED_OR_GOOGLE"}}
	method := "POST"
	if h.getAuth {
		method = "GET"
	}
	status, body := a.do(method, "/accounts/ClientLogin", form)
	if status != 200 {
		w.t.Fatalf("%s: ClientLogin answers %d", h.name, status)
	}
	for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		parts := strings.Split(line, "=")
		if len(parts) != 2 { // NetNewsWire passes over such a line
			w.t.Fatalf("the line %q has %d parts", line, len(parts))
		}
		if parts[0] == "Auth" {
			a.auth = parts[1]
		}
	}
	if last := body[strings.LastIndexByte(body, '=')+1:]; strings.TrimSpace(last) != a.auth { // Capy
		w.t.Fatalf("what follows the last = is %q", last)
	}
	if status, a.tokenText = a.do("GET", api+"token", nil); status != 200 ||
		strings.ContainsAny(a.tokenText, "=+&% \n") || a.tokenText == "" {
		w.t.Fatalf("the token is %d %q", status, a.tokenText)
	}
	return a
}

// send posts a change.
func (a *app) send(path string, form url.Values) {
	a.t.Helper()
	if a.token != nil {
		form["T"] = a.token(a)
	}
	if a.noType {
		status, body := a.do("POST", api+path, form, "Content-Type", "")
		if status != 200 || body != "OK" {
			a.t.Fatalf("%s: %s %v answers %d %q", a.name, path, form, status, body)
		}
		return
	}
	a.change(api+path, form)
}

// list asks for a list of the output JSON, conditionally as NetNewsWire does; isNew is false for 304.
func (a *app) list(path string, s shape) (v any, isNew bool) {
	a.t.Helper()
	status, body := a.do("GET", api+path, url.Values{"output": {"json"}}, "If-None-Match", a.etags[path])
	if status == 304 {
		return nil, false
	}
	if status != 200 {
		a.t.Fatalf("%s: %s answers %d %.200s", a.name, path, status, body)
	}
	a.etags[path] = a.header.Get("ETag")
	return strict(a.t, body, s), true
}

// structure reads tags and subscriptions. A program that files feeds by the ids of both drops those without a match.
func (a *app) structure() {
	a.t.Helper()
	tags := map[string]string{}
	v, tagsAreNew := a.list("tag/list", tagsShape)
	if tagsAreNew {
		for _, x := range v.(map[string]any)["tags"].([]any) {
			kind, _ := x.(map[string]any)["type"].(string)
			if kind != "" && kind != "folder" && kind != "tag" {
				a.t.Fatalf("%s does not know the type %s", a.name, kind)
			}
			tags[x.(map[string]any)["id"].(string)] = kind
		}
	}
	if v, isNew := a.list("subscription/list", subscriptionsShape); isNew {
		a.feeds, a.folders = map[string]string{}, map[string][]string{}
		for _, x := range v.(map[string]any)["subscriptions"].([]any) {
			f := x.(map[string]any)
			id := f["id"].(string)
			if _, err := strconv.Atoi(strings.TrimPrefix(id, "feed/")); err != nil {
				a.t.Fatalf("the id %s is not as newsboat can send it", id)
			}
			a.feeds[id] = f["title"].(string)
			for _, c := range f["categories"].([]any) {
				folder := c.(map[string]any)["id"].(string)
				if kind, ok := tags[folder]; tagsAreNew && (!ok || kind != "folder") {
					a.t.Fatalf("%s: %s is in %s, which is no folder of %v", a.name, id, folder, tags)
				}
				a.folders[id] = append(a.folders[id], c.(map[string]any)["label"].(string))
			}
		}
	}
}

// ids reads a list of ids to its end.
func (a *app) ids(form url.Values) (out []string) {
	a.t.Helper()
	form.Set("n", strconv.Itoa(a.page))
	form.Set("output", "json")
	for range 1000 {
		status, body := a.do("GET", api+"stream/items/ids", form)
		if status != 200 {
			a.t.Fatalf("%s: ids answers %d %.200s", a.name, status, body)
		}
		v := strict(a.t, body, idsShape).(map[string]any)
		for _, ref := range v["itemRefs"].([]any) {
			id := ref.(map[string]any)["id"].(string)
			if _, err := strconv.ParseInt(id, 10, 53); err != nil {
				a.t.Fatalf("%s: the id %s is no number for JavaScript", a.name, id)
			}
			out = append(out, id)
		}
		c, more := v["continuation"].(string)
		if !more {
			return out
		}
		if c == "" {
			a.t.Fatalf("%s would ask for ever", a.name)
		}
		form.Set("c", c)
	}
	a.t.Fatalf("%s: the list of ids does not end", a.name)
	return nil
}

// contents fetches items by their ids, in batches.
func (a *app) contents(ids []string) {
	a.t.Helper()
	for part := range slices.Chunk(ids, a.batch) {
		form := url.Values{"output": {"json"}}
		for _, id := range part {
			form.Add("i", a.itemID(id))
		}
		if a.token != nil {
			form["T"] = a.token(a)
		}
		var headers []string
		if a.noAuth {
			headers = []string{"Authorization", ""}
			form.Set("T", a.auth)
		}
		status, body := a.do("POST", api+"stream/items/contents", form, headers...)
		if status != 200 {
			a.t.Fatalf("%s: contents answers %d %.200s", a.name, status, body)
		}
		if n := a.take(body); n != len(part) {
			a.t.Fatalf("%s: %d items of %d that it asked for", a.name, n, len(part))
		}
	}
}

// take stores the items of an answer, and returns how many there are.
func (a *app) take(body string) int {
	a.t.Helper()
	list := strict(a.t, body, itemsShape).(map[string]any)["items"].([]any)
	for _, x := range list {
		v := x.(map[string]any)
		hex, ok := strings.CutPrefix(v["id"].(string), longStart)
		id, err := strconv.ParseInt(hex, 16, 64)
		if !ok || err != nil || len(hex) != 16 || strings.ToLower(hex) != hex || hex[0] != '0' {
			a.t.Fatalf("%s: the id %s is not in the long form", a.name, v["id"])
		}
		it := &item{title: v["title"].(string), body: v["summary"].(map[string]any)["content"].(string),
			feed: v["origin"].(map[string]any)["streamId"].(string)}
		it.link = v["canonical"].([]any)[0].(map[string]any)["href"].(string)
		for _, link := range v["alternate"].([]any) {
			if link.(map[string]any)["type"] != "text/html" { // RSS Guard would show an enclosure
				a.t.Fatalf("%s: an alternate link has the type %v", a.name, link)
			}
		}
		var tags []string
		for _, c := range v["categories"].([]any) {
			tags = append(tags, c.(string))
		}
		it.read, it.starred = slices.Contains(tags, read), slices.Contains(tags, starred)
		if marked, _ := v["marked"].(bool); marked != it.starred {
			a.t.Fatalf("%s: %s is marked %v and starred %v", a.name, v["id"], marked, it.starred)
		}
		a.items[strconv.FormatInt(id, 10)] = it
	}
	return len(list)
}

// The ways in which programs gather items.

// byIDs compares lists of ids with what is known, and fetches the rest: NetNewsWire, RSS Guard, Reeder, ReadYou, Capy.
func byIDs(a *app) {
	unread := a.ids(url.Values{"s": {allItems}, "xt": {read}})
	stars := a.ids(url.Values{"s": {starred}})
	wanted := append(slices.Clone(unread), stars...)
	if a.since != "" {
		wanted = append(wanted, a.ids(url.Values{"s": {allItems}, "ot": {a.since}})...)
	}
	a.since = strconv.FormatInt(a.clock.Now().Unix(), 10)
	var missing []string
	for _, id := range wanted {
		if a.items[id] == nil && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	a.contents(missing)
	a.settle(unread, stars)
}

// settle gives the items the states of two lists of ids.
func (a *app) settle(unread, stars []string) {
	isUnread, isStarred := map[string]bool{}, map[string]bool{}
	for _, id := range unread {
		isUnread[id] = true
	}
	for _, id := range stars {
		isStarred[id] = true
	}
	for id, it := range a.items {
		it.read, it.starred = !isUnread[id], isStarred[id]
	}
}

// byContents reads the newest items of everything up to the last one known, and then the states: Fluent.
func byContents(a *app) {
	form := url.Values{"output": {"json"}, "n": {strconv.Itoa(a.batch)}}
	if a.since != "" {
		form.Set("ot", a.since)
	}
	newest := int64(0)
	for range 1000 {
		status, body := a.do("GET", api+"stream/contents", form)
		if status != 200 {
			a.t.Fatalf("%s: contents answers %d %.200s", a.name, status, body)
		}
		a.take(body)
		var page struct {
			Items []struct {
				CrawlTimeMsec string
				ID            string
			}
			Continuation *string
		}
		a.must(json.Unmarshal([]byte(body), &page))
		for _, it := range page.Items {
			ms, err := strconv.ParseInt(it.CrawlTimeMsec, 10, 64)
			a.must(err)
			newest = max(newest, (ms+500)/1000)
		}
		if page.Continuation == nil {
			break
		}
		form.Set("c", *page.Continuation)
	}
	if newest > 0 {
		a.since = strconv.FormatInt(newest, 10)
	}
	a.settle(a.ids(url.Values{"s": {allItems}, "xt": {read}}), a.ids(url.Values{"s": {starred}}))
}

// byFeeds reads the newest of each feed and the stars: newsboat, Liferea.
func byFeeds(a *app) {
	clear(a.items)
	for _, id := range slices.Sorted(maps.Keys(a.feeds)) {
		a.pages("stream/contents/"+url.PathEscape(id), url.Values{"n": {"20"}})
	}
	a.pages("stream/contents/"+starred, url.Values{"n": {"20"}})
	status, body := a.do("GET", api+"unread-count", url.Values{"output": {"json"}, "all": {"true"}})
	if status != 200 {
		a.t.Fatalf("%s: unread-count answers %d", a.name, status)
	}
	strict(a.t, body, unreadShape)
}

func (a *app) pages(path string, form url.Values) {
	a.t.Helper()
	for range 1000 {
		status, body := a.do("GET", api+path, form)
		if status != 200 {
			a.t.Fatalf("%s: %s answers %d %.200s", a.name, path, status, body)
		}
		a.take(body)
		c, more := strict(a.t, body, itemsShape).(map[string]any)["continuation"].(string)
		if !more {
			return
		}
		form.Set("c", c)
	}
	a.t.Fatalf("%s: %s does not end", a.name, path)
}

func (a *app) sync() {
	a.t.Helper()
	a.structure()
	a.gather(a)
}

// tag changes items, in batches.
func (a *app) tag(form url.Values, ids ...string) {
	a.t.Helper()
	for part := range slices.Chunk(ids, a.batch) {
		f := maps.Clone(form)
		f["i"] = nil
		for _, id := range part {
			f.Add("i", a.itemID(id))
		}
		a.send("edit-tag", f)
	}
}

func (a *app) markRead(ids ...string) {
	a.t.Helper()
	a.tag(url.Values{"a": {read}, "r": {kept}, "ac": {"edit-tags"}, "async": {"true"}}, ids...)
	for _, id := range ids {
		a.items[id].read = true
	}
}

func (a *app) markUnread(ids ...string) {
	a.t.Helper()
	a.unread(a, ids...)
	for _, id := range ids {
		a.items[id].read = false
	}
}

func (a *app) star(on bool, ids ...string) {
	a.t.Helper()
	form := url.Values{"a": {starred}}
	if !on {
		form = url.Values{"r": {starred}}
	}
	a.tag(form, ids...)
	for _, id := range ids {
		a.items[id].starred = on
	}
}

// The forms of ids.
func longForm(id string) string {
	n, _ := strconv.ParseInt(id, 10, 64)
	return fmt.Sprintf("%s%016x", longStart, n)
}
func unpaddedForm(id string) string {
	n, _ := strconv.ParseInt(id, 10, 64)
	return fmt.Sprintf("%s%x", longStart, n)
}
func hexForm(id string) string     { return strings.TrimPrefix(longForm(id), longStart) }
func decimalForm(id string) string { return id }

// The ways of marking unread.
func plainUnread(a *app, ids ...string) { a.t.Helper(); a.tag(url.Values{"r": {read}}, ids...) }
func keptUnread(a *app, ids ...string) {
	a.t.Helper()
	a.tag(url.Values{"r": {read}, "a": {kept}, "ac": {"edit"}}, ids...)
}
func trackedUnread(a *app, ids ...string) { // Liferea: a second request, which means nothing here
	a.t.Helper()
	keptUnread(a, ids...)
	a.tag(url.Values{"a": {state + "tracking-kept-unread"}}, ids...)
}

func theToken(a *app) []string { return []string{a.tokenText} }
func theAuth(a *app) []string  { return []string{a.auth} }
func blank(*app) []string      { return []string{""} }

// programs are those whose requests are known.
var programs = []habits{
	{name: "newsboat", base: "/api/greader.php", gather: byFeeds, itemID: longForm, batch: 1, page: 20, token: theToken,
		unread: keptUnread},
	{name: "RSS Guard", base: "/api/greader.php", gather: byIDs, itemID: longForm, batch: 200, page: 200_000,
		unread: plainUnread},
	{name: "Liferea", gather: byFeeds, itemID: decimalForm, batch: 50, page: 1000, token: theAuth,
		unread: trackedUnread, noAuth: true},
	{name: "NetNewsWire", gather: byIDs, itemID: longForm, batch: 150, page: 1000, token: theToken,
		unread: plainUnread},
	{name: "NetNewsWire, older", gather: byIDs, itemID: unpaddedForm, batch: 150, page: 1000, token: theToken,
		unread: plainUnread},
	{name: "Reeder", gather: byIDs, itemID: hexForm, batch: 100, page: 10_000, token: func(*app) []string {
		return []string{"x"}
	}, unread: plainUnread},
	{name: "Capy", gather: byIDs, itemID: decimalForm, batch: 250, page: 7, token: theToken, unread: plainUnread},
	{name: "ReadYou", gather: byIDs, itemID: decimalForm, batch: 100, page: 10, token: theToken, unread: plainUnread},
	{name: "Fluent", gather: byContents, itemID: longForm, batch: 9, page: 1000, unread: plainUnread},
	{name: "FeedMe", base: "/api/greader.php", gather: byIDs, itemID: longForm, batch: 500, page: 500, token: blank,
		unread: plainUnread, noType: true, getAuth: true},
}

// micro is a time as ts.
func micro(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/docs"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// endpoint is how one route is measured.
type endpoint struct {
	name   string // of the route, and what is asked for where that matters
	path   string
	body   string
	list   bool // held to what a list may read
	feeds  int  // state changes: feeds touched, each one write unit
	before func(h *seeded, i int)
	each   func(h *seeded, i int) (path, body string)
}

// seeded is a seeded installation with the ids that the requests need.
type seeded struct {
	*env
	n     int
	feeds []string
	items []string // the newest of each feed
	undo  map[int]string
	was   map[string]bool // what was said last of an item's field
	state int
}

// endpoints measures every route that the document names; unmeasured lists the others.
func endpoints() []endpoint {
	item := func(h *seeded, i int) string { return h.items[i%len(h.items)] }
	feed := func(h *seeded, i int) string { return h.feeds[i%len(h.feeds)] }
	mark := func(field string) func(*seeded, int) (string, string) {
		return func(h *seeded, i int) (string, string) {
			k := field + item(h, i)
			h.was[k] = !h.was[k]
			return "/api/items/" + item(h, i) + "/state", fmt.Sprintf(`{"%s":%v}`, field, h.was[k])
		}
	}
	return []endpoint{
		{name: "GET /healthz", path: "/healthz"},
		{name: "GET /api/openapi.json", path: "/api/openapi.json"},
		{name: "GET /api/me", path: "/api/me", list: true},
		{name: "GET /api/feeds", path: "/api/feeds", list: true},
		{name: "GET /api/feeds/{id}", each: func(h *seeded, i int) (string, string) {
			return "/api/feeds/" + feed(h, i), ""
		}},
		{name: "GET /api/feeds/{id}/fetches", list: true, each: func(h *seeded, i int) (string, string) {
			return "/api/feeds/" + feed(h, i) + "/fetches", ""
		}},
		{name: "GET /api/feeds/{id}/items", list: true, each: func(h *seeded, i int) (string, string) {
			return "/api/feeds/" + feed(h, i) + "/items", ""
		}},
		{name: "GET /api/feeds/{id}/items unread", list: true, each: func(h *seeded, i int) (string, string) {
			return "/api/feeds/" + feed(h, i) + "/items?filter=unread", ""
		}},
		{name: "GET /api/items", path: "/api/items", list: true},
		{name: "GET /api/items unread", path: "/api/items?filter=unread", list: true},
		{name: "GET /api/items starred", path: "/api/items?filter=starred", list: true},
		{name: "GET /api/items oldest", path: "/api/items?order=oldest", list: true},
		{name: "GET /api/items oldest unread", path: "/api/items?order=oldest&filter=unread", list: true},
		{name: "GET /api/items popular", path: "/api/items?order=popular", list: true},
		{name: "GET /api/entries/new", path: "/api/entries/new", list: true},
		{name: "GET /api/entries/hot", path: "/api/entries/hot", list: true},
		{name: "GET /api/tags", path: "/api/tags"},
		{name: "GET /api/items since", path: "/api/items?since=2026-11-20T00:00:00Z", list: true},
		{name: "GET /api/items folder", path: "/api/items?folder=1", list: true},
		{name: "GET /api/items label", path: "/api/items?label=1", list: true},
		{name: "GET /api/items 200", path: "/api/items?limit=200"},
		{name: "GET /api/items/bodies", each: func(h *seeded, _ int) (string, string) {
			return "/api/items/bodies?ids=" + strings.Join(h.items[:50], ","), ""
		}},
		{name: "GET /api/items/{id}", each: func(h *seeded, i int) (string, string) {
			return "/api/items/" + item(h, i), ""
		}},
		{name: "PUT /api/items/{id}/state read", feeds: 1, each: mark("isRead")},
		{name: "PUT /api/items/{id}/state star", each: mark("isStarred")},
		{name: "POST /api/feeds/{id}/mark-read", feeds: 1, each: func(h *seeded, i int) (string, string) {
			return "/api/feeds/" + feed(h, i) + "/mark-read", ""
		}},
		{name: "POST /api/feeds/{id}/mark-read/undo", feeds: 1,
			before: func(h *seeded, i int) {
				h.call("PUT", "/api/items/"+item(h, i)+"/state", `{"isRead":false}`)
				var out struct{ Undo string }
				must(h.tb, json.Unmarshal(h.call("POST", "/api/feeds/"+feed(h, i)+"/mark-read", "").Body.Bytes(), &out))
				h.undo[i] = out.Undo
			},
			each: func(h *seeded, i int) (string, string) {
				return "/api/feeds/" + feed(h, i) + "/mark-read/undo", `{"undo":"` + h.undo[i] + `"}`
			}},
		{name: "POST /api/items/state 50 items", feeds: 50, each: func(h *seeded, i int) (string, string) {
			h.was["bulk"] = !h.was["bulk"]
			return "/api/items/state",
				fmt.Sprintf(`{"changes":[{"ids":["%s"],"isRead":%v}]}`,
					strings.Join(h.items[:50], `","`), h.was["bulk"])
		}},
		{name: "POST /api/items/mark-read folder", feeds: 50, before: takeBack,
			each: func(*seeded, int) (string, string) {
				return "/api/items/mark-read", `{"folder":"1"}`
			}},
		{name: "POST /api/undo folder", feeds: 50, before: func(h *seeded, i int) {
			takeBack(h, i)
			h.markFolder()
		}, each: func(h *seeded, _ int) (string, string) { return "/api/undo", `{"undo":"` + h.undo[-1] + `"}` }},
		{name: "PUT /api/items/{id}/labels", each: func(h *seeded, i int) (string, string) {
			k := "labels" + item(h, i)
			h.was[k] = !h.was[k]
			labels := "[]"
			if h.was[k] {
				labels = `["1"]`
			}
			return "/api/items/" + item(h, i) + "/labels", `{"labels":` + labels + `}`
		}},
		{name: "GET /api/export/opml", path: "/api/export/opml", list: true},
		{name: "GET /api/feeds/updated", path: "/api/feeds/updated?since=2026-11-20T00:00:00Z", list: true},
		{name: "GET /api/subscriptions", path: "/api/subscriptions", list: true},
		{name: "PUT /api/subscriptions/{id}/settings", feeds: 1, each: func(h *seeded, i int) (string, string) {
			h.state++
			return "/api/subscriptions/" + feed(h, i) + "/settings", fmt.Sprintf(`{"title":"Own title %d"}`, h.state)
		}},
		{name: "POST /api/subscriptions/bulk", feeds: 10, each: func(h *seeded, i int) (string, string) {
			h.state++
			var list []string
			for k := range 10 {
				list = append(list, fmt.Sprintf(`{"id":"%s","title":"Own title %d"}`, feed(h, 10*i+k), h.state))
			}
			return "/api/subscriptions/bulk", `{"changes":[` + strings.Join(list, ",") + `]}`
		}},
		{name: "GET /api/today", path: "/api/today"},
		{name: "GET /api/folders", path: "/api/folders", list: true},
		{name: "GET /api/labels", path: "/api/labels", list: true},
		{name: "GET /api/rules", path: "/api/rules", list: true},
		{name: "GET /api/rules/hidden", path: "/api/rules/hidden", list: true},
		{name: "GET /api/user/preferences", path: "/api/user/preferences"},
		{name: "PUT /api/user/preferences", each: func(h *seeded, _ int) (string, string) {
			h.state++
			return "/api/user/preferences", fmt.Sprintf(`{"textStep":%d}`, h.state%3)
		}},
		{name: "GET /api/sessions", path: "/api/sessions", list: true},
		{name: "GET /api/tokens", path: "/api/tokens", list: true},
		{name: "GET /api/imports", path: "/api/imports", list: true},
		{name: "GET /api/identities", path: "/api/identities", list: true},
		{name: "GET /api/passkeys", path: "/api/passkeys", list: true},
		{name: "GET /api/invitations", path: "/api/invitations", list: true},
		{name: "GET /api/webhooks", path: "/api/webhooks", list: true},
		{name: "GET /api/site", path: "/api/site"},
		{name: "GET /api/auth/methods", path: "/api/auth/methods"},
		{name: "GET /api/auth/errors/{code}", path: "/api/auth/errors/email_taken"},
		{name: "GET /api/runs", path: "/api/runs", list: true},
		{name: "GET /api/stats", path: "/api/stats"},
		{name: "GET /api/stats/reading", path: "/api/stats/reading"},
		{name: "GET /api/stats/popular", path: "/api/stats/popular"},
		{name: "GET /api/stats/cost", path: "/api/stats/cost"},
		{name: "GET /api/stats/dead-letters", path: "/api/stats/dead-letters"},
	}
}

// markFolder marks the first folder read, and keeps how to take it back.
func (h *seeded) markFolder() {
	var out struct{ Undo *string }
	must(h.tb, json.Unmarshal(h.call("POST", "/api/items/mark-read", `{"folder":"1"}`).Body.Bytes(), &out))
	if out.Undo != nil {
		h.undo[-1] = *out.Undo
	}
}

// takeBack makes an item of each feed of the first folder unread.
func takeBack(h *seeded, _ int) {
	h.call("POST", "/api/items/state", `{"changes":[{"ids":["`+strings.Join(h.items[:50], `","`)+`"],"isRead":false}]}`)
}

// unmeasured are routes whose cost is that of something else, and why; "*" at the end stands for all that begins so.
var unmeasured = map[string]string{
	"POST /auth/link/{token}":      "a few reads and writes for a sign-in",
	"GET /api/feeds/{id}/address":  "part of GET /api/feeds/{id}",
	"GET /auth/*":                  "a few reads and writes for a sign-in",
	"POST /api/auth/*":             "a few reads and writes for a sign-in, argon2id slow on purpose",
	"POST /api/passkeys*":          "a few reads and a write for a passkey",
	"PATCH /api/passkeys/{id}":     "one write",
	"DELETE /api/passkeys/{id}":    "one write",
	"DELETE /api/identities/{id}":  "two writes",
	"POST /api/invitations":        "one write",
	"DELETE /api/invitations/{id}": "one write",
	"PUT /api/site":                "one write",
	"GET /api/tags/{tag}/entries":  "as GET /api/entries/hot",
	"GET /popular*":                "GET /api/entries/hot four times an hour, otherwise two reads",
	"GET /api/search": "internal/api asserts what it reads; the bench's part serve measures " +
		"it with an index",
	"GET /api/searches/{id}/items":      "GET /api/search, and one read",
	"GET /api/searches":                 "one read",
	"POST /api/searches":                "one write",
	"PUT /api/searches/*":               "one write",
	"DELETE /api/searches/{id}":         "one write, and a message when a webhook has it",
	"POST /api/searches/{id}/mark-read": "POST /api/items/state",
	"GET /api/watches*": "a state of at most 2,000 results and the months of its history for " +
		"each watch; package watch bounds them",
	"GET /api/crawl/results/{productId}":        "GET /api/watches/{id}/results",
	"GET /api/adapters*":                        "one read",
	"POST /api/watches*":                        "waits for a publisher, or is five writes and a message",
	"PUT /api/watches/{id}":                     "six writes",
	"PATCH /api/watches/{id}":                   "two writes, and a look at the page",
	"DELETE /api/watches/{id}":                  "as DELETE /api/feeds/{id}",
	"PUT /api/adapters/{name}":                  "one write, and two for each watch that uses it",
	"DELETE /api/adapters/{name}":               "one write",
	"POST /api/crawl/execute":                   "as POST /api/refreshes",
	"POST /api/webhooks":                        "one write and a message, by which workers see to the feeds",
	"PATCH /api/webhooks/{id}":                  "one write, and a message when other things are wanted",
	"DELETE /api/webhooks/{id}":                 "one write and a message",
	"POST /api/items/{id}/send":                 "waits for the webhook's address",
	"GET /api/notifications":                    "a row and a query of at most ten",
	"PATCH /api/notifications":                  "one write",
	"POST /api/notifications/devices":           "two writes and a message",
	"DELETE /api/notifications/devices/{id}":    "a query and a write, and a message with the last one",
	"POST /api/notifications/devices/{id}/test": "waits for the push service",
	"GET /api/shares":                           "as GET /api/tokens",
	"POST /api/shares":                          "as POST /api/tokens",
	"DELETE /api/shares/{id}":                   "as DELETE /api/tokens/{id}",
	"GET /api/shared/{token}":                   "a page of 50 items, made every 15 minutes",
	"POST /api/webhooks/*":                      "waits for the webhook's address, or is a message and one write",
	"POST /api/feeds/{id}/find":                 "waits for a publisher",
	"GET /api/export/starred":                   "a row for each star, and a blob for each large one",
	"GET /api/users/me/export":                  "all rows of the user's",
	"POST /api/users/me/import":                 "a write for each row of the archive",
	"PUT /api/users/me/password":                "argon2id, slow on purpose",
	"PUT /api/users/me/email":                   "argon2id; six writes",
	"DELETE /api/users/me":                      "a delete for each row of the user's",
	"POST /api/feeds":                           "waits for a publisher (P1 measures first crawls)",
	"DELETE /api/feeds/{id}":                    "a write each for subscription, subscriber and feed",
	"POST /api/feeds/{id}/refresh":              "waits for a publisher (P2, P3 measure polls)",
	"POST /api/refreshes":                       "one write and a message, after reads of the side bar's rows",
	"GET /api/refreshes/{id}":                   "two reads",
	"POST /api/feeds/{id}/resume":               "one write, of a stopped feed",
	"PATCH /api/feeds/{id}":                     "waits for a publisher",
	"DELETE /api/subscriptions/{id}":            "DELETE /api/feeds/{id}",
	"POST /api/subscriptions/{id}/resume":       "POST /api/feeds/{id}/resume",
	"GET /api/imports/{id}":                     "a row, and one for each 20 feeds of it",
	"PUT /api/imports/{id}/parts/{n}":           "a blob",
	"DELETE /api/imports/{id}":                  "a delete, and one for each 20 feeds of it",
	"POST /api/import/*":                        "measured by BenchmarkImport",
	"GET /websub/*":                             "one read for a hub's question",
	"POST /websub/*":                            "a blob and a message for a push",
	"GET /api/icons/{name}":                     "a blob, kept by browsers for a year",
	"POST /api/items/{id}/assist":               "reads an item's body; internal/stream/assist has a benchmark",
	"GET /api/assist":                           "three rows",
	"PUT /api/assist/agreement":                 "one row",
	"GET /api/items/{id}/full-text":             "waits for a publisher, or is a row of the cache",
	"GET /api/discover":                         "waits for a publisher",
	"POST /api/folders":                         "one write of the tree's row",
	"PUT /api/folders/order":                    "one write of the tree's row",
	"PATCH /api/folders/{id}":                   "one write of the tree's row",
	"DELETE /api/folders/{id}":                  "one write of the tree's row",
	"POST /api/labels":                          "one write of the tree's row",
	"PUT /api/read-later":                       "one read of the tree's row, once one write",
	"POST /api/read-later":                      "a linked page, one snapshot with its text",
	"PUT /api/labels/order":                     "one write of the tree's row",
	"PATCH /api/labels/{id}":                    "one write of the tree's row",
	"DELETE /api/labels/{id}":                   "one write of the tree's row",
	"PUT /api/rules":                            "one write of the rules' row",
	"POST /api/rules/dry-run":                   "reads a bounded number of items",
	"POST /api/rules/apply":                     "reads a bounded number of items",
	"POST /api/rules/hidden/{id}/show":          "one write",
	"POST /api/tokens":                          "two writes",
	"DELETE /api/tokens/{id}":                   "two writes",
	"DELETE /api/sessions":                      "a write for each session",
	"DELETE /api/sessions/{id}":                 "one write",
	"GET /api/runs/{id}":                        "one row beside the list of feeds",
	"DELETE /api/stats/dead-letters/{id}":       "the queue's",
	"POST /api/stats/dead-letters/{id}/retry":   "the queue's",
}

func whyUnmeasured(route string) (pattern string) {
	for p := range unmeasured {
		if start, isPrefix := strings.CutSuffix(p, "*"); p == route || isPrefix && strings.HasPrefix(route, start) {
			return p
		}
	}
	return ""
}

// TestEveryRouteIsMeasured, or said why not.
//
func TestEveryRouteIsMeasured(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(docs.OpenAPI, &doc))
	known := map[string]bool{}
	for path, ops := range doc.Paths {
		for method := range ops {
			if method == "parameters" {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			known[name] = true
			measured := slices.ContainsFunc(endpoints(), func(e endpoint) bool { return e.route() == name })
			why := whyUnmeasured(name)
			known[why] = true
			if measured == (why != "") {
				t.Errorf("%s: add it to endpoints, or why it is not measured to unmeasured, in "+
					"internal/testkit/bench/endpoints_test.go", name)
			}
		}
	}
	for _, e := range endpoints() {
		if !known[e.route()] {
			t.Errorf("there is no route %s", e.route())
		}
	}
	for name := range unmeasured {
		if !known[name] {
			t.Errorf("there is no route %s", name)
		}
	}
}

// route is the name's method and path.
func (e *endpoint) route() string {
	f := strings.Fields(e.name)
	return f[0] + " " + f[1]
}

func newSeeded(tb testing.TB, feeds, items int) *seeded {
	tb.Helper()
	h := &seeded{env: newEnv(tb, map[string]string{}), n: feeds, undo: map[int]string{}, was: map[string]bool{}}
	h.live(feeds, items)
	for f := 1; f <= feeds; f++ {
		h.feeds = append(h.feeds, fmt.Sprint(f))
	}
	h.forget()
	for _, f := range h.feeds[:min(feeds, 100)] {
		var page struct{ Items []struct{ ID string } }
		must(tb, json.Unmarshal(h.call("GET", "/api/feeds/"+f+"/items?limit=1", "").Body.Bytes(), &page))
		h.items = append(h.items, page.Items[0].ID)
	}
	for _, id := range h.items[:60] {
		h.call("PUT", "/api/items/"+id+"/state", `{"isStarred":true}`)
		h.was["isStarred"+id] = true
	}
	h.call("POST", "/api/labels", `{"name":"Later"}`)
	for _, id := range h.items[60:] {
		h.call("PUT", "/api/items/"+id+"/labels", `{"labels":["1"]}`)
		h.was["labels"+id] = true
	}
	return h
}

// spent is what one request took.
type spent struct {
	reads, writes float64
	cpu           float64 // ms
	allocs        uint64
	plain, zipped int
}

// measure asks once.
func (h *seeded) measure(e *endpoint, i int, header ...string) (s spent) {
	if e.before != nil {
		e.before(h, i)
	}
	path, body := e.path, e.body
	if e.each != nil {
		path, body = e.each(h, i)
	}
	r := httptest.NewRequest(strings.Fields(e.name)[0], path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+h.token)
	for k := 0; k+1 < len(header); k += 2 {
		r.Header.Set(header[k], header[k+1])
	}
	rec := httptest.NewRecorder()
	units := h.table.Meter().Snapshot()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := ownCPU()
	h.handler.ServeHTTP(rec, r)
	s.cpu = millis(ownCPU() - cpu)
	runtime.ReadMemStats(&after)
	now := h.table.Meter().Snapshot()
	if rec.Code >= http.StatusMultipleChoices {
		h.tb.Fatalf("%s: %s answered %d: %.300s", e.name, path, rec.Code, rec.Body)
	}
	s.reads, s.writes = now.TotalReads()-units.TotalReads(), now.TotalWrites()-units.TotalWrites()
	s.allocs = after.Mallocs - before.Mallocs
	if s.plain = rec.Body.Len(); rec.Header().Get("Content-Encoding") == "gzip" {
		s.plain, s.zipped = 0, rec.Body.Len()
	}
	return s
}

// BenchmarkEndpoints measures every route over a seeded installation with 200,000 items.
func BenchmarkEndpoints(b *testing.B) {
	for _, n := range []int{100, 1000} {
		h := newSeeded(b, n, 200_000)
		for _, e := range endpoints() {
			b.Run(fmt.Sprintf("%d/%s", n, strings.ReplaceAll(e.name, " ", "_")), func(b *testing.B) { h.bench(b, &e) })
		}
	}
}

func (h *seeded) bench(b *testing.B, e *endpoint) {
	h.forget()
	h.clock.Add(61e9) // what was remembered of the session is asked anew
	cold := h.measure(e, 0)
	far := h.farAway(e)
	zipped := h.measure(e, 1, "Accept-Encoding", "gzip").zipped
	var sum spent
	b.ResetTimer()
	for i := range b.N {
		s := h.measure(e, i+2)
		sum.reads, sum.writes, sum.cpu, sum.allocs, sum.plain = sum.reads+s.reads, sum.writes+s.writes, sum.cpu+s.cpu,
			sum.allocs+s.allocs, sum.plain+s.plain
	}
	n := float64(b.N)
	b.ReportMetric(cold.cpu, "cold-ms")
	b.ReportMetric(cold.reads, "cold-reads")
	b.ReportMetric(sum.cpu/n, "cpu-ms")
	b.ReportMetric(float64(sum.allocs)/n, "mallocs")
	b.ReportMetric(float64(sum.plain)/n, "bytes")
	b.ReportMetric(float64(zipped), "gzip-bytes")
	b.ReportMetric(sum.reads/n, "reads")
	b.ReportMetric(sum.writes/n, "writes")
	b.ReportMetric(far, "far-reads")
}

// faraway is a table that does not know whether rows changed, as DynamoDB.
type faraway struct{ table.Driver }

// far is the same installation over such a table, with nothing in memory: an instance in the cloud.
func (w *env) far() *env {
	far, seams := *w, w.seams
	far.table = table.New(faraway{w.table.Driver()}, table.Options{Clock: w.clock, Kind: store.Kind})
	seams.Table = far.table
	far.seams = seams
	far.forget()
	return &far
}

// farAway returns the read units of a warm request over such a table.
func (h *seeded) farAway(e *endpoint) float64 {
	near := h.env
	h.env = near.far()
	defer func() { h.env = near; near.forget(); h.measure(e, 4) }()
	h.measure(e, 2)
	return h.measure(e, 3).reads
}

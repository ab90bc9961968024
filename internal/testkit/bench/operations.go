package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
)

// operation is one thing that readers ask for all day.
type operation struct {
	gate, name   string
	must, atRate string               // of the gate: p50 alone in ms; requests a second at 16 at once
	before       func(*visitor) error // once for each visitor, not measured
	next         func(*visitor) ask
	// seen looks at each answer where the next request depends on it; answers are dropped unread without it.
	seen func(*visitor, answer) error
	// check looks at the content of one answer, which is not measured, and counts its items.
	check  func(body []byte) (items int, err error)
	status int        // other than 200
	most   int        // requests of one visitor, none of them to warm up; 0: as many as there is time for
	then   *operation // is asked after each request, and measured for itself
}

const pageSize = 50

// operations are in the order in which they are measured, for so many visitors at once.
func (l *asked) operations(visitors int) []operation {
	get := func(path string, zip bool) func(*visitor) ask {
		return func(*visitor) ask { return ask{method: "GET", path: path, gzip: zip} }
	}
	newest := fmt.Sprintf("/api/items?filter=unread&limit=%d", pageSize)
	return []operation{
		{gate: "P7", name: "feeds with counts", must: "40", next: get("/api/feeds", false), check: l.checkFeeds},
		{gate: "P7", name: "feeds with counts, gzip", must: "40", next: get("/api/feeds", true), check: l.checkFeeds},
		{gate: "P7", name: "feeds with counts, 304", before: func(v *visitor) error {
			a, err := v.do(ask{method: "GET", path: "/api/feeds", gzip: true}, false)
			v.tag = a.tag
			return err
		}, next: func(v *visitor) ask {
			return ask{method: "GET", path: "/api/feeds", gzip: true, tag: v.tag}
		}, status: http.StatusNotModified},
		{gate: "P7", name: "counts alone", next: get(countsPath, true), check: l.checkCounts},
		{gate: "P8", name: "50 entries of a feed", must: "3", next: func(v *visitor) ask {
			return ask{method: "GET",
				path: fmt.Sprintf("/api/feeds/%s/items?limit=%d", l.feeds[v.pick(len(l.feeds))], pageSize)}
		}},
		{gate: "P8", name: "50 newest unread", must: "3", next: get(newest, false),
			check: l.checkPage},
		{gate: "P8", name: "the page after it, and so on", must: "3", next: func(v *visitor) ask {
			if v.made%20 == 0 || v.cursor == "" {
				return ask{method: "GET", path: newest}
			}
			return ask{method: "GET", path: newest + "&cursor=" + url.QueryEscape(v.cursor)}
		}, seen: func(v *visitor, a answer) error {
			v.cursor = field(a.body, "nextCursor")
			return nil
		}, check: l.checkPage},
		{gate: "P14", name: "one entry, first of its feed", most: len(l.fresh) / visitors, next: func(v *visitor) ask {
			return ask{method: "GET", path: "/api/items/" + l.fresh[v.pick(len(l.fresh))][0]}
		}},
		{gate: "P9", name: "one entry, others of these feeds", must: "1",
			most: len(l.fresh) / visitors * othersMost, next: func(v *visitor) ask {
				list := l.fresh[v.pick(len(l.fresh))]
				return ask{method: "GET", path: "/api/items/" + list[1+v.made*visitors/len(l.fresh)%(len(list)-1)]}
			}},
		{gate: "P9", name: "one entry again", must: "1", next: func(v *visitor) ask {
			return ask{method: "GET", path: "/api/items/" + l.opened[v.pick(len(l.opened))]}
		}},
		{gate: "P9", name: "mark one (durable)", must: "1.5", atRate: "1000", next: func(v *visitor) ask {
			e := &l.marked[v.pick(len(l.marked)/v.of*v.of)]
			e.read = !e.read
			return ask{method: "PUT", path: "/api/items/" + e.id + "/state", body: fmt.Sprintf(`{"isRead":%v}`, e.read)}
		}},
	}
}

// markAll marks everything read, and takes it back.
func (l *asked) markAll() operation {
	return operation{
		gate: "P10", name: "mark all read", must: "90", most: 3,
		before: func(v *visitor) error {
			a, err := v.do(ask{method: "GET", path: "/api/feeds"}, true)
			if err == nil {
				_, err = l.checkFeeds(a.body)
			}
			return err
		},
		next: func(*visitor) ask { return ask{method: "POST", path: "/api/items/mark-read", body: "{}"} },
		seen: func(v *visitor, a answer) error {
			if v.undo = field(a.body, "undo"); v.undo == "" {
				return fmt.Errorf("no undo: %.200s", a.body)
			}
			return l.wantUnread(a.body, 0)
		},
		then: &operation{
			gate: "P10", name: "its undo", must: "90",
			next: func(v *visitor) ask {
				return ask{method: "POST", path: "/api/undo", body: `{"undo":"` + v.undo + `"}`}
			},
			seen: func(_ *visitor, a answer) error { return l.wantUnread(a.body, l.unread) },
		},
	}
}

// countsPath is the shortest answer that has the counts of all feeds.
const countsPath = "/api/feeds/updated"

// pick gives a visitor's next place in a list: visitors share no place.
func (v *visitor) pick(n int) int { return (v.number + v.made*v.of) % n }

// field is the text of a member, as it is written; all that is asked for has no escapes in it.
func field(body []byte, name string) string {
	_, rest, ok := bytes.Cut(body, []byte(`"`+name+`":"`))
	if !ok {
		return ""
	}
	text, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(text)
}

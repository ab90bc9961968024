package main

import (
	"encoding/json"
	"fmt"
	"net/url"
)

// appsMost keeps the operations of apps below what a user may ask for in a minute.
const appsMost = 144

// apps are the lists of other reader apps: Miniflux's in each order, which change state and direction from request to
// request, and Google Reader's with bodies, of feeds that nobody has opened and again of the same.
func (l *asked) apps(visitors int) (list []operation) {
	states := []string{"", "&status=unread", "&status=read"}
	for _, order := range []string{"id", "published_at", "changed_at", "status", "title", "author", "category_title"} {
		list = append(list, operation{gate: "P8", name: "Miniflux: entries by " + order, must: "10",
			most: appsMost / visitors,
			next: func(v *visitor) ask {
				path := fmt.Sprintf("/v1/entries?limit=%d&order=%s&direction=%s%s", pageSize, order,
					[]string{"desc", "asc"}[v.made/len(states)%2], states[v.made%len(states)])
				return ask{method: "GET", path: path, app: true}
			}, check: checkEntries})
	}
	bodies := func(at int) ask {
		stream := url.PathEscape("feed/" + l.feeds[at%len(l.feeds)])
		return ask{method: "GET", app: true,
			path: fmt.Sprintf("/reader/api/0/stream/contents/%s?n=%d", stream, pageSize)}
	}
	first := openedMost + (visitors/atOnce)*freshMost // the second pass has others
	return append(list,
		operation{gate: "P8", name: "Google Reader: a feed with bodies, first", must: "8", most: freshMost / visitors,
			next: func(v *visitor) ask { return bodies(first + v.pick(freshMost)) }},
		operation{gate: "P8", name: "Google Reader: a feed with bodies, again", must: "2", most: appsMost / visitors,
			next: func(v *visitor) ask { return bodies(first + v.pick(20)) }})
}

func checkEntries(body []byte) (int, error) {
	var a struct{ Entries []struct{ ID int64 } }
	err := json.Unmarshal(body, &a)
	if err == nil && len(a.Entries) == 0 {
		err = fmt.Errorf("no entries: %.200s", body)
	}
	return len(a.Entries), err
}

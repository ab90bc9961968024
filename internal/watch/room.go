package watch

import (
	"cmp"
	"slices"
)

// room returns how many more results the watch can have. For page 1, the oldest unlisted results make room, silently.
func (c *comparison) room(l *Look, why doubt) int {
	room := maxLive
	var others []Result
	for _, r := range c.s.results {
		if r.isLive() {
			room--
			others = append(others, r)
		}
	}
	if l.Page > 1 || why != trusted || len(c.rows) <= room {
		return room
	}
	need := -room
	onPage := map[Key]bool{}
	for i := range c.rows {
		k := Key(c.rows[i].Key)
		onPage[k] = true
		if r, ok := c.known(k); c.set.Fits(&c.rows[i]) && (!ok || !r.isLive()) {
			need++
		}
	}
	others = slices.DeleteFunc(others, func(r Result) bool { return onPage[r.Key] || c.work[r.Key].Status != 0 })
	slices.SortFunc(others, func(a, b Result) int {
		return cmp.Or(-cmp.Compare(a.Status, b.Status), cmp.Compare(a.FirstSeen, b.FirstSeen),
			cmp.Compare(a.Key, b.Key))
	})
	for _, r := range others[:min(max(need, 0), len(others))] {
		r.Status, r.Source, r.Since = Gone, FromList, c.at
		c.change(entry{Result: r, Told: true})
		room++
	}
	return room
}

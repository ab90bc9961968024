package watch

import "slices"

// trait is something that a known result and a row can have in common.
type trait struct {
	hash  uint32
	price int64
}

// rekey gives known results the page's present keys if most rows are recognised only by link or title: the page has
// changed how it makes its keys, and nothing is new or gone.
func (c *comparison) rekey() {
	onPage, fresh := map[Key]bool{}, map[int]bool{}
	for i := range c.rows {
		k := Key(c.rows[i].Key)
		onPage[k] = true
		if r, ok := c.s.results[k]; !ok || r.Status >= removed {
			fresh[i] = true
		}
	}
	if len(fresh)*2 <= len(c.rows) {
		return // as usual
	}
	var known []Result
	for _, r := range c.s.sorted() {
		if r.isLive() && !onPage[r.Key] && !c.seen[r.Key] {
			known = append(known, r)
		}
	}
	olds := map[int]Result{} // by row
	match := func(ofRow func(i int) trait, ofResult func(r *Result) trait) {
		rows, results := map[trait][]int{}, map[trait][]int{}
		for i := range fresh {
			t := ofRow(i)
			rows[t] = append(rows[t], i)
		}
		for i := range known {
			t := ofResult(&known[i])
			results[t] = append(results[t], i)
		}
		taken := map[Key]bool{}
		for t, at := range rows {
			if of := results[t]; t.hash != 0 && len(at) == 1 && len(of) == 1 {
				olds[at[0]] = known[of[0]]
				delete(fresh, at[0])
				taken[known[of[0]].Key] = true
			}
		}
		known = slices.DeleteFunc(known, func(r Result) bool { return taken[r.Key] })
	}
	match(func(i int) trait {
		return trait{hash: hashOf(c.rows[i].Link)}
	}, func(r *Result) trait { return trait{hash: r.LinkHash} })
	match(func(i int) trait {
		return trait{hash: hashOf(c.rows[i].Title)}
	}, func(r *Result) trait { return trait{hash: r.TitleHash} })
	match(func(i int) trait { return trait{hashOf(c.rows[i].Title), amount(&c.rows[i])} },
		func(r *Result) trait { return trait{r.TitleHash, r.Price} })
	if len(olds)*2 <= len(c.rows) || len(olds) < fewRows {
		return
	}
	for i := range c.rows {
		r, ok := olds[i]
		if !ok {
			continue
		}
		row := &c.rows[i]
		c.change(entry{Result: Result{Key: r.Key, Status: moved, Source: r.Source, FirstSeen: r.FirstSeen, Since: c.at,
			Price: -1, Lowest: -1}})
		e := entry{Result: r, From: r.Key, Text: textOf(row)}
		e.Key, e.LinkHash, e.TitleHash = Key(row.Key), hashOf(row.Link), hashOf(row.Title)
		c.change(e)
	}
}

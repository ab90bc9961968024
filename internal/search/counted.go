package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// By bookmark counts, candidates are ranked before any text is read; then texts are read until the page is full.

// count is the bookmark count for which an item comes first; 0 if it does not.
func (x *finding) count(e *segment.Entry) int {
	if x.r.Count == nil || e.Sort < x.r.CountedFrom {
		return 0
	}
	return x.r.Count(e.Feed, e.Seq)
}

// rank lists the candidates with a count, from where the page begins.
func (x *finding) rank(ctx context.Context) error {
	from := max(x.r.CountedFrom, x.q.From)
	for slices.ContainsFunc(x.closed, func(s store.Segment) bool { return s.Documents > 0 && s.Newest >= from }) {
		if err := x.openMore(ctx); err != nil {
			return err
		}
	}
	if err := x.collect(ctx); err != nil {
		return err
	}
	add := func(c candidate) {
		if c.n = x.count(&c.Entry); c.n > 0 && x.after.leads(c.n, c.Sort, c.ID()) {
			x.ranked = append(x.ranked, c)
		}
	}
	for _, l := range x.leaves {
		for e := l.peek(x); e != nil && e.Sort >= from; e = l.peek(x) {
			add(candidate{Entry: *e, in: l})
			l.at++
		}
	}
	for _, c := range x.fresh {
		add(c)
	}
	slices.SortFunc(x.ranked, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.n, a.n), a.Compare(&b.Entry)) })
	return nil
}

// takeRanked returns the next of the ranked candidates, so many at most.
func (x *finding) takeRanked(n int) []candidate {
	from := x.next
	x.next = min(from+n, len(x.ranked))
	return x.ranked[from:x.next]
}

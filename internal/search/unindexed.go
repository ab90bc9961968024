package search

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// unindexed are the items that no segment has as they are now, read from deltas and raw bodies.
type unindexed struct {
	*Service
	q      *query.Query
	left   atomic.Int64 // deltas that may still be read
	bodies atomic.Int64 // and raw bodies
	// atOnce is how many feeds are read at the same time.
	atOnce int

	mu    sync.Mutex
	found []candidate // that match
	cut   bool        // there is more than may be read
}

// deltasAtOnce feeds are read at the same time.
const deltasAtOnce = 8

// scan reads what the index does not cover of the feeds, the feed with the newest items first.
func (u *unindexed) scan(ctx context.Context, feeds *scope, newest *segment.Tail) error {
	var todo []*scoped
	edits := map[*scoped][]reader.Seq{}
	for i := range feeds.list {
		f := &feeds.list[i]
		var covered segment.Covered
		if newest != nil {
			covered = newest.CoveredOf(f.id)
		}
		f.covered = covered.Seq
		var edited []reader.Seq
		if edited, f.isEdited = f.Row.EditedSince(covered.Edits); f.isEdited {
			f.covered = 0
		}
		edited = slices.DeleteFunc(edited, func(first reader.Seq) bool { return first > f.covered })
		if len(edited) > 0 {
			edits[f] = edited
		}
		if len(edited) > 0 || f.last() > f.covered {
			todo = append(todo, f)
		}
	}
	slices.SortStableFunc(todo, func(a, b *scoped) int { return int(min(max(b.Row.NewestAt-a.Row.NewestAt, -1), 1)) })
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(u.atOnce)
	for _, f := range todo {
		g.Go(func() error { return u.feed(ctx, f, edits[f]) })
	}
	return g.Wait()
}

// feed adds the items of a feed's edited deltas, and of those above what is covered, that match.
func (u *unindexed) feed(ctx context.Context, f *scoped, edited []reader.Seq) error {
	n, err := u.news(ctx, f, edited)
	if err != nil {
		return err
	}
	f.edited, f.isEdited = n.edited, f.isEdited || n.isCut && len(edited) > 0
	for i := range n.items {
		x := &n.items[i]
		if !f.wants(x.seq) || u.q.From > x.header.Sort || u.q.To > 0 && u.q.To <= x.header.Sort || !x.matches(u.q) {
			continue
		}
		e := segment.Entry{Sort: x.header.Sort, Feed: f.id, Seq: x.seq, Stamp: x.stamp}
		u.mu.Lock()
		u.found = append(u.found, candidate{Entry: e, header: &x.header, text: x.text})
		u.mu.Unlock()
	}
	u.mu.Lock()
	u.cut = u.cut || n.isCut || n.isPoor
	u.mu.Unlock()
	return nil
}

// take counts a delta that is about to be read, and reports whether it may be.
func (u *unindexed) take() bool { return u.left.Add(-1) >= 0 }

// item is a header as a query reads it.
func item(h *store.Header, text string) *query.Folded {
	return query.Fold(&query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet, Text: text,
		Categories: h.Categories})
}

package search

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// unindexed are the items that no segment has, or not as they are now. They are read from their deltas.
type unindexed struct {
	store *store.Store
	q     *query.Query
	left  atomic.Int64 // deltas that may still be read
	// atOnce is how many feeds are read at the same time.
	atOnce int

	mu    sync.Mutex
	found []candidate // that match
	cut   bool        // there are more than may be read
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

// feed reads a feed's edited deltas, and those above what is covered, newest first.
func (u *unindexed) feed(ctx context.Context, f *scoped, edited []reader.Seq) error {
	for _, first := range edited {
		if !u.take() {
			f.isEdited = true // none of its old versions is shown
			break
		}
		d, err := u.store.Items.Get(ctx, f.id, first)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err == nil {
			f.edited = append(f.edited, reader.Run{From: d.First(), To: d.Last()})
			err = u.delta(f, d, 1, f.covered)
		}
		if err != nil {
			return err
		}
	}
	from := max(f.covered, f.floor(), f.Above) + 1
	if from > f.last() {
		return nil
	}
	first := f.last() + 1 // of the deltas read
	err := u.store.Items.Between(ctx, f.id, from, f.last(), func(d *store.DeltaRow) (bool, error) {
		if !u.take() {
			first = from
			return false, nil
		}
		first = d.First()
		return true, u.delta(f, d, from, f.last())
	})
	if err != nil || first <= from || !u.take() {
		return err
	}
	// What is wanted begins within a delta.
	d, err := u.store.Items.At(ctx, f.id, from)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return u.delta(f, d, from, first-1)
}

// take counts a delta that is about to be read, and reports whether it may be.
func (u *unindexed) take() bool {
	if u.left.Add(-1) >= 0 {
		return true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cut = true
	return false
}

// delta adds the items of a delta, from a seq to another, that match.
func (u *unindexed) delta(f *scoped, d *store.DeltaRow, from, to reader.Seq) error {
	headers, err := d.Headers()
	if err != nil {
		return err
	}
	for i := range headers {
		h, seq := &headers[i], d.First()+reader.Seq(i)
		if seq < from || seq > to || !f.wants(seq) || u.q.From > h.Sort || u.q.To > 0 && u.q.To <= h.Sort {
			continue
		}
		it := item(h, "")
		if !u.q.Matches(it) {
			continue
		}
		c := candidate{Entry: segment.Entry{Sort: h.Sort, Feed: f.id, Seq: seq, Stamp: reader.Minute(d.Stamp)}, header: h}
		u.mu.Lock()
		u.found = append(u.found, c)
		u.mu.Unlock()
	}
	return nil
}

// item is what a query sees of a header.
func item(h *store.Header, text string) *query.Folded {
	return query.Fold(&query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet, Text: text, Categories: h.Categories})
}

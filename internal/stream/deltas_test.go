package stream_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// retitle edits a feed's first delta.
func (w *world) retitle(st *store.Store, id reader.FeedID, title string) {
	w.t.Helper()
	d, err := st.Items.Get(w.t.Context(), id, 1)
	w.ok(err)
	hs, err := d.Headers()
	w.ok(err)
	for i := range hs {
		hs[i].Title = title
	}
	w.ok(st.Items.Edit(w.t.Context(), d, hs))
}

// edited notes an edit in the feed's row, as a commit does after its edits.
func (w *world) edited(st *store.Store, id reader.FeedID) {
	w.t.Helper()
	_, err := st.Feeds.Modify(w.t.Context(), id, func(f *store.FeedRow) { f.Edited = w.clk.Now().UnixMilli() })
	w.ok(err)
}

// listing returns a function that wants the titles of a page, and its deltas read from memory or not.
func (w *world) listing(s *stream.Service, meter *table.Meter) func(what, title string, oldest, inMemory bool) {
	return func(what, title string, oldest, inMemory bool) {
		w.t.Helper()
		before := meter.Snapshot().Reads["delta"]
		p, err := s.List(w.t.Context(), user, stream.Query{Oldest: oldest})
		w.ok(err)
		if len(p.Items) != 6 {
			w.t.Fatalf("%s: %d items", what, len(p.Items))
		}
		for _, e := range p.Items {
			if e.Header.Title != title {
				w.t.Errorf("%s: %q, want %q", what, e.Header.Title, title)
			}
		}
		if n := meter.Snapshot().Reads["delta"] - before; (n == 0) != inMemory {
			w.t.Errorf("%s: %v read units", what, n)
		}
	}
}

// TestEditsAreShownAtOnce: deltas stay in memory until their feed's row names a later edit, by this process or another.
func TestEditsAreShownAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 301)
	id := w.feed()
	w.news(id, 6)
	w.retitle(w.store, id, "first")
	list := w.listing(w.s, w.meter)
	list("at first", "first", false, false)
	list("again", "first", false, true)
	list("in the other order", "first", true, true)
	w.retitle(w.store, id, "second")
	w.edited(w.store, id)
	list("after an edit", "second", false, false)
	list("again", "second", true, true)
	other := store.New(table.New(w.store.Table().Driver(), table.Options{Clock: w.clk, Kind: store.Kind}), w.clk)
	w.clk.Add(time.Second)
	w.retitle(other, id, "third")
	w.edited(other, id)
	list("after an edit of another process", "third", false, false)
	list("again", "third", false, true)
}

// mayLag counts the queries of deltas that may lag, and is a table without a log of changes.
type mayLag struct {
	table.Driver
	queries int
}

func (l *mayLag) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	if strings.HasPrefix(r.PK, "F#") && !r.Consistent {
		l.queries++
	}
	return l.Driver.Query(ctx, r)
}

// TestNewDeltasAreReadConsistently: where a read of a delta may be older than the feed's row, those of a feed that was
// edited or got items in the last minute are read consistently, so that they can be kept; others at half the price.
func TestNewDeltasAreReadConsistently(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 302)
	id := w.feed()
	w.news(id, 6)
	w.retitle(w.store, id, "first")
	driver := &mayLag{Driver: w.store.Table().Driver()}
	far := table.New(driver, table.Options{Clock: w.clk, Kind: store.Kind})
	fresh := func() func(what, title string, oldest, inMemory bool) {
		return w.listing(stream.New(store.New(far, w.clk), w.blobs, w.clk), far.Meter())
	}
	list := fresh()
	list("after a commit", "first", false, false)
	list("again", "first", false, true)
	w.clk.Add(2 * time.Minute)
	w.retitle(w.store, id, "second")
	w.edited(w.store, id)
	list("after an edit", "second", false, false)
	list("again", "second", false, true)
	if driver.queries > 0 {
		t.Errorf("%d queries may miss what the feed's row speaks of", driver.queries)
	}
	w.clk.Add(2 * time.Minute)
	list("after two minutes", "second", false, true)
	if fresh()("elsewhere", "second", false, false); driver.queries == 0 {
		t.Error("what did not change lately is read at twice the price")
	}
}

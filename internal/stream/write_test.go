package stream_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
)

// TestManyChangesAtOnce: of twenty items of one feed that a program sets at the same time none is refused, and none
// is lost. (G-19)
func TestManyChangesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	id := w.feed()
	w.news(id, 30)
	everything := stream.Query{Scope: stream.Scope{Feed: id}}
	list := w.pages(everything, func() int { return 50 })
	yes, others := true, 0
	behind := faultytable.New(w.store.Table().Driver(), faultytable.Options{Before: func(op faultytable.Op) error {
		if op.Write && op.Conditional && others < 20 { // another one is a moment earlier, each time
			others++
			_, _, err := w.s.SetState(t.Context(), user, list[others].ID, stream.Change{Read: &yes})
			return err
		}
		return nil
	}})
	last := stream.New(store.New(table.New(behind, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk),
		w.blobs, w.clk)
	_, _, err := last.SetState(t.Context(), user, list[0].ID, stream.Change{Read: &yes})
	w.ok(err)
	for i, e := range w.pages(everything, func() int { return 50 }) {
		if e.Read != (i <= 20) {
			t.Errorf("item %d: read is %v", i, e.Read)
		}
	}
}

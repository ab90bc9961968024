package stream_test

import (
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
)

// deleteLabel does what deleting a label does, to its end.
func (w *world) deleteLabel(l reader.LabelID) {
	w.t.Helper()
	_, err := w.store.Trees.Change(w.t.Context(), user, func(tr *library.Tree) error { return tr.DeleteLabel(l) })
	w.ok(err)
	for done := false; !done; {
		done, err = w.s.RemoveLabel(w.t.Context(), user, l)
		w.ok(err)
	}
}

// TestADeletedLabelComesBackOnNoItem: it is deleted at each moment of being put on items, which never leaves it there.
func TestADeletedLabelComesBackOnNoItem(t *testing.T) {
	t.Parallel()
	for _, many := range []bool{false, true} {
		for step := 1; ; step++ {
			w := newWorld(t, 86)
			l := w.labelDefined("x")
			id := w.feed()
			w.news(id, 3)
			items := idsOf(w.pages(stream.Query{}, func() int { return 50 }))
			reached := false
			driver := faultytable.New(w.store.Table().Driver(),
				faultytable.Options{Before: func(op faultytable.Op) error {
					if op.N == step {
						reached = true
						w.deleteLabel(l)
					}
					return nil
				}})
			s := stream.New(store.New(table.New(driver, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk),
				w.blobs, w.clk)
			var err error
			if many {
				_, err = s.Flush(t.Context(), user,
					stream.Flush{
						Changes: []stream.BulkChange{
							{IDs: items, Change: stream.Change{AddLabels: []reader.LabelID{l}}}}})
			} else {
				_, _, err = s.SetLabels(t.Context(), user, items[0], []reader.LabelID{l})
			}
			if err != nil && !fault.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			if !reached {
				break
			}
			sub, err := w.s.Get(t.Context(), user, id)
			w.ok(err)
			rows := 0
			w.ok(w.store.Snapshots.Walk(t.Context(), user, l, 0, true, 9, func(*store.SnapshotRow) (bool, error) {
				rows++
				return true, nil
			}))
			if len(sub.Sub.Labels) > 0 || rows > 0 {
				t.Errorf("many %v, deleted before call %d: bits %x, %d rows", many, step, sub.Sub.Labels, rows)
			}
		}
	}
}

// TestExactlyTheseLabels: also one that is no more, which a crash may have left on an item, goes.
func TestExactlyTheseLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 87)
	old, l := w.labelDefined("old"), w.labelDefined("new")
	id := w.feed()
	w.news(id, 1)
	item := w.pages(stream.Query{}, func() int { return 1 })[0].ID
	_, _, err := w.s.SetLabels(t.Context(), user, item, []reader.LabelID{old})
	w.ok(err)
	_, err = w.store.Trees.Change(t.Context(), user, func(tr *library.Tree) error { return tr.DeleteLabel(old) })
	w.ok(err)
	for _, want := range [][]reader.LabelID{{l}, nil} {
		if e, _, err := w.s.SetLabels(t.Context(), user, item, want); err != nil || !slices.Equal(e.Labels, want) {
			t.Errorf("wanted %v, got %v, %v", want, e.Labels, err)
		}
	}
}

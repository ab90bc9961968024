package stream_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestSearchesWriteNothing: what searches read is as the rules leave it, but stars and states are stored when a person
// reads a list, not before.
func TestSearchesWriteNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 31)
	id := w.feed()
	w.titled(id, "old")
	w.setRules(hide("ads", "ad"), does("gold", "gold", rules.Action{Do: rules.Star}, rules.Action{Do: rules.MarkRead}))
	w.titled(id, "first ad")
	w.titles(stream.All) // from now on the feed alone is judged as well
	w.titled(id, "ad", "news", "gold")

	table, blobs := w.store.Table().Meter(), w.blobs.Meter()
	written := func() int64 { return table.Snapshot().RowsWritten + blobs.Snapshot().Puts }
	before := written()
	for _, sc := range []stream.Scope{{}, {Feed: id}} {
		in, err := w.s.Searchable(t.Context(), user, sc, stream.All, true)
		w.ok(err)
		for filter, want := range map[stream.Filter][]bool{ // of the last three items
			stream.All: {false, true, true}, stream.Hidden: {true, false, false},
			stream.Starred: {false, false, true}, stream.Unread: {false, true, false},
		} {
			wanted := in.Feed(id).Wanted(filter)
			for i := range want {
				if got := wanted(reader.Seq(3 + i)); got != want[i] {
					t.Errorf("scope %+v, filter %q: item %d is wanted: %t", sc, filter, i, got)
				}
			}
		}
	}
	_, err := w.s.FindAll(t.Context(), user, []reader.ItemID{1})
	w.ok(err)
	if n := written() - before; n != 0 {
		t.Errorf("searches made %d writes", n)
	}
	if w.titles(stream.All); written() == before {
		t.Error("a list stored nothing of what the rules decide")
	}
}

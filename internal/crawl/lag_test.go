package crawl

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// lagging is a table whose plain queries do not see deltas yet.
type lagging struct{ table.Driver }

func (l lagging) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	if !r.Consistent && strings.HasPrefix(r.From, "D#") {
		return table.Rows{}, table.Usage{}, nil
	}
	return l.Driver.Query(ctx, r)
}

// An edit of an item whose delta a read that lags does not show is made all the same: the feed row learns the new
// hash, and nobody would look again.
func TestEditsOfItemsJustAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	first := body{version: 1, items: []int{1, 2, 3}, edits: map[int]int{}}
	second := body{version: 2, items: []int{1, 2, 3}, edits: map[int]int{2: 1}}
	for _, b := range []body{first, second} {
		row := w.row()
		c := Crawler{store: w.store(lagging{w.mem}), clock: w.clk, o: Options{Keep: 36500}}
		if _, err := c.commit(t.Context(), row, b.observe(row, w.clk)); err != nil {
			t.Fatal(err)
		}
		w.clk.Add(time.Hour)
	}
	err := w.view.Items.Descend(t.Context(), 1, 0, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if len(hs) != 3 || hs[1].Title != "item 2 edit 1" {
			t.Errorf("the items are %+v", hs)
		}
		return false, err
	})
	if err != nil || w.row().Seq != 3 {
		t.Errorf("seq %d, %v", w.row().Seq, err)
	}
}

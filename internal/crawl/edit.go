package crawl

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxEditScan bounds how many deltas are opened to find the rows of edited items.
const maxEditScan = 200

// edit updates the headers of items whose content changed, in the deltas that hold them. Seqs stay, so that nothing is
// unread again. For an item whose delta is gone only the feed row takes the new hash. It notes the deltas that
// hold the items, also those that an attempt before a crash has edited already: no row has counted it.
func (c *Crawler) edit(ctx context.Context, row *store.FeedRow, items []newItem, raw string, out *committed) error {
	left := make(map[uint64]newItem, len(items))
	for _, it := range items {
		if it.was == 0 {
			it.was = it.Identity
		}
		left[it.was] = it
	}
	opened := 0
	look := func(d *store.DeltaRow) (bool, error) {
		opened++
		before := len(left)
		n, err := c.editDelta(ctx, d, left, raw)
		if len(left) < before && !slices.Contains(out.uncounted, d.First()) {
			out.uncounted = append(out.uncounted, d.First())
		}
		out.loose = out.loose || len(d.Loose) > 0
		if n > 0 {
			out.edited += n
			out.wrote = true
		}
		return len(left) > 0 && opened < maxEditScan, err
	}
	err := c.store.Items.Descend(ctx, row.ID(), reader.Seq(row.Seq), look)
	if err != nil || len(left) == 0 {
		return err
	}
	// An eventually consistent read may not show the delta yet, and once the feed row has the new hash there is no
	// retry.
	opened = 0
	return c.store.Items.DescendLatest(ctx, row.ID(), look)
}

// editDelta rewrites one delta's headers, again after a lost race.
func (c *Crawler) editDelta(ctx context.Context, d *store.DeltaRow, left map[uint64]newItem, raw string) (int, error) {
	for range maxRounds {
		hs, err := d.Headers()
		if err != nil {
			return 0, err
		}
		var held []uint64
		for i := range hs {
			held = append(held, hs[i].Identity)
		}
		done := applyEdits(hs, left, raw)
		if len(done) > 0 {
			err = c.store.Items.Edit(ctx, d, hs)
		}
		if fault.Is(err, fault.Conflict) {
			latest, err := c.store.Items.Get(ctx, d.Feed(), d.First())
			if err != nil {
				return 0, err
			}
			*d = *latest
			continue
		}
		if err != nil {
			return 0, err
		}
		for _, id := range held {
			delete(left, id)
		}
		return len(done), nil
	}
	return 0, errTooManyRaces
}

// applyEdits overwrites the headers whose content differs from an item of left, and names them. Sort
// time, and with it the place in every stream, stays.
func applyEdits(hs []store.Header, left map[uint64]newItem, raw string) (done []uint64) {
	for i := range hs {
		it, ok := left[hs[i].Identity]
		if !ok || hs[i].Content == it.Content && hs[i].Identity == it.Identity {
			continue
		}
		h := it.Header
		h.Sort, h.Estimated, h.Raw = hs[i].Sort, hs[i].Estimated, raw
		hs[i] = h
		done = append(done, h.Identity)
	}
	return done
}

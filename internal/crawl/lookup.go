package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// lookUp compares what seems new or edited with the stored items, where the feed row does not suffice. It notes in the
// listing what it finds, and reports whether that has to be judged again.
func (c *Crawler) lookUp(ctx context.Context, v *verdict, l *itemList, out *committed) (again bool, err error) {
	again, err = c.recall(ctx, out.row, v.fresh, l)
	if again || err != nil {
		return again, err
	}
	again, err = c.renames(ctx, out.row, v.fresh, v.edited, l)
	if again {
		out.renamed = len(l.renamed)
	}
	return again, err
}

// maxRecall bounds how many headers are read to distinguish an item that came back from a new one: as many as a feed
// row can know (C-11).
const maxRecall = store.KnownMax

// recall looks in the deltas for unknown items that the feed row may have forgotten, and notes those that it finds. It
// reports whether the listing has to be compared again.
//
// Forgotten items were last listed on the day Forgot or earlier, so an item published later is new without a lookup. It
// is needed for items that a publisher lists again, and for those without a date.
func (c *Crawler) recall(ctx context.Context, row *store.FeedRow, fresh []newItem, l *itemList) (bool, error) {
	doubtful := map[uint64]*newItem{}
	for i := range fresh {
		it := &fresh[i]
		if mayBeBack(row, it.published, c.clock.Now()) && !l.asked[it.Identity] {
			doubtful[it.Identity] = it
		}
	}
	if len(doubtful) == 0 {
		return false, nil
	}
	for id := range doubtful {
		l.asked[id] = true
	}
	found, read := false, 0
	err := c.store.Items.Descend(ctx, row.ID(), reader.Seq(row.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for _, h := range hs {
			it := doubtful[h.Identity]
			if it == nil {
				continue
			}
			delete(doubtful, h.Identity)
			if h.Content == it.Content || sameItem(it, &storedItem{Header: h}) { // or its guid was given away again
				l.returned[h.Identity], found = h.Content, true
			}
		}
		read += len(hs)
		return len(doubtful) > 0 && read < maxRecall, nil
	})
	return found, err
}

// mayBeBack reports whether an unknown item may be one that was forgotten. A day is allowed for publishers whose
// clock or time zone is wrong.
func mayBeBack(row *store.FeedRow, published, now time.Time) bool {
	if row.Forgot == 0 || int(row.Forgot)+store.KnownDays < int(dayOf(now)) {
		return false
	}
	return published.IsZero() || published.After(now) || dayOf(published) <= row.Forgot+1
}

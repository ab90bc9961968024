package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxRecall bounds how many headers are read to tell an item that came back from a new one: as many as a feed
// row could ever know (C-11).
const maxRecall = store.KnownMax

// recall looks into the deltas for those of some unknown items that the feed row may have known and had to
// forget, and notes what it finds. It reports whether the listing is to be compared anew.
//
// What was forgotten was last listed on the day Forgot, or earlier; so an item published after that day is new
// without a look. Nearly all are: the look is for what a publisher brings back, and for items without a date.
func (c *committer) recall(ctx context.Context, row *store.FeedRow, fresh []newItem, l *listing) (bool, error) {
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

// mayBeBack tells whether an unknown item may be one that was forgotten. A day is allowed for publishers whose
// clock or time zone is wrong.
func mayBeBack(row *store.FeedRow, published, now time.Time) bool {
	if row.Forgot == 0 || int(row.Forgot)+store.KnownDays < int(dayOf(now)) {
		return false
	}
	return published.IsZero() || published.After(now) || dayOf(published) <= row.Forgot+1
}

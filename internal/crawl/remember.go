package crawl

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// remember adds items that were listed on a day to the feed row; whole means that they are all that the body lists, not
// just a part that is committed first.
//
// The day of an entry is written with news only, so the entries with the newest day are those of the previous body,
// which was listed until now: they take the current day, or the day before. Otherwise a feed without changes for a
// month would forget all items with its next one.
func remember(f *store.FeedRow, items []store.KnownItem, today uint16, whole bool) {
	known := merged(store.Known(f.Known), items, today, whole)
	if whole { // before that nothing that a body still lists may go
		var forgot uint16
		known, forgot = known.Forget(items)
		f.Forgot = max(f.Forgot, forgot)
	}
	f.Known = known
}

// dayOf counts days since 2026-01-01, for Known.
func dayOf(t time.Time) uint16 {
	return uint16(max(0, min(t.Sub(reader.Epoch)/day, 1<<16-1)))
}

func knownItems(items []newItem) []store.KnownItem {
	known := make([]store.KnownItem, len(items))
	for i := range items {
		known[i] = store.KnownItem{Identity: items[i].Identity, Content: items[i].Content}
	}
	return known
}

func merged(known store.Known, items []store.KnownItem, today uint16, whole bool) store.Known {
	newest := known.Newest()
	if newest >= today {
		return known.Merge(items, today)
	}
	// Yesterday for items that may have left now, today while the body is not fully committed.
	last := today
	if whole {
		last--
	}
	known = slices.Clone(known)
	entry := len(known) / max(1, known.Len())
	for i := range known.Len() {
		if known.At(i).Day == newest {
			binary.BigEndian.PutUint16(known[(i+1)*entry-2:], last)
		}
	}
	return known.Merge(items, today)
}

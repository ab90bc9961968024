package crawl

import (
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/store"
)

// remember gives what the feed row knows after a commit of these items, on a day; whole tells that they
// are all that the body lists, and not just a part that was committed first.
//
// Day last seen is written with news alone, so the entries of the newest day are those of the body before
// this one, which was listed until now however long ago that day is: the 30 days after which an item may
// count as new again begin now. Without this, a feed that was quiet for a month would lose its memory
// with its next item, and what a crash, a delta of many or the publisher brings back would come twice.
func remember(row *store.FeedRow, items []store.KnownItem, today uint16, whole bool) []byte {
	known := store.Known(row.Known)
	newest := uint16(0)
	for i := range known.Len() {
		newest = max(newest, known.At(i).Day)
	}
	if newest >= today {
		return bounded(known.Merge(items, today), items, whole)
	}
	// Up to yesterday for what may have left just now; up to today where the body is not done with.
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
	return bounded(known.Merge(items, today), items, whole)
}

// bounded forgets the longest unlisted where the whole listing is known: before that nothing that a body
// still lists may go.
func bounded(known store.Known, items []store.KnownItem, whole bool) store.Known {
	if !whole {
		return known
	}
	return known.Forget(items)
}

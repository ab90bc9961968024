package crawl

import (
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// remember writes into a patch what the feed row knows after a commit of these items, on a day; whole tells
// that they are all that the body lists, and not just a part that was committed first.
//
// Day last seen is written with news alone, so the entries of the newest day are those of the body before
// this one, which was listed until now however long ago that day is: the 30 days after which an item may
// count as new again begin now. Without this, a feed that was quiet for a month would lose its memory
// with its next item, and what a crash, a delta of many or the publisher brings back would come twice.
func remember(p store.Patch, row *store.FeedRow, items []store.KnownItem, today uint16, whole bool) {
	known := merged(store.Known(row.Known), items, today, whole)
	if whole { // before that nothing that a body still lists may go
		var forgot uint16
		if known, forgot = known.Forget(items); forgot > row.Forgot {
			p["forgot"] = forgot
		}
	}
	p["known"] = []byte(known)
}

func merged(known store.Known, items []store.KnownItem, today uint16, whole bool) store.Known {
	newest := known.Newest()
	if newest >= today {
		return known.Merge(items, today)
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
	return known.Merge(items, today)
}

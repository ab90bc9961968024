package faults

import (
	"context"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// indexed is an item as the index has it.
type indexed struct {
	title string
	stamp reader.Minute
}

// checkIndex checks that the index of searches has exactly what it claims to cover, each item as its delta has it, and
// returns the keys of its segments. Segments that a dead job has left are found by a monthly listing.
func checkIndex(st *store.Store, blobs *blob.Bucket, fail func(string, ...any)) (segments map[string]bool) {
	ctx := context.Background()
	segments = map[string]bool{}
	row, err := st.Search.Get(ctx, true)
	if err != nil {
		fail("%v", err)
		return segments
	}
	list, err := row.List()
	dropped, err2 := row.ListDropped()
	if err != nil || err2 != nil {
		fail("the row of the index: %v, %v", err, err2)
		return segments
	}
	for _, d := range dropped {
		segments[store.SegmentKey(d.Name)] = true
	}
	has := map[query.Ref]indexed{}
	var newer []*segment.Tail
	for _, x := range slices.Backward(list) {
		key := store.SegmentKey(x.Name)
		segments[key] = true
		file, _, err := blobs.Get(ctx, key)
		if err == nil {
			err = segment.Verify(file)
		}
		if err != nil {
			fail("a segment: %v", err)
			return segments
		}
		t, _ := segment.OpenFile(file)
		for i := range t.Documents {
			e := &t.Documents[i]
			if slices.ContainsFunc(newer, func(n *segment.Tail) bool { return n.Replaced(e.Feed, e.Seq) }) {
				continue
			}
			block, place := e.Text()
			at := t.Text(block)
			texts, err := segment.ReadTexts(file[at.At : at.At+at.Size])
			record, _, err2 := texts.Get(place)
			h, err3 := store.ParseRecord(record)
			if err != nil || err2 != nil || err3 != nil {
				fail("a document: %v, %v, %v", err, err2, err3)
			}
			if _, isTwice := has[query.Ref{Feed: e.Feed, Seq: e.Seq}]; isTwice {
				fail("item %d of feed %d is in the index twice", e.Seq, e.Feed)
			}
			has[query.Ref{Feed: e.Feed, Seq: e.Seq}] = indexed{h.Title, e.Stamp}
		}
		newer = append(newer, t)
	}
	if len(newer) == 0 {
		return segments
	}
	err = st.Feeds.Each(ctx, func(f *store.FeedRow) error {
		c := newer[0].CoveredOf(f.ID())
		edited, all := f.EditedSince(c.Edits)
		if all || f.RemovingSince > 0 || f.Subs == 0 {
			// Its deltas are searched, or nobody finds it. Without subscribers nothing is polled, and a commit that
			// died between an edit and the feed's row, which counts it, is not done again.
			return nil
		}
		return st.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
			if d.Last() > c.Seq || slices.Contains(edited, d.First()) {
				return true, nil
			}
			hs, err := d.Headers()
			for i := range hs {
				seq := d.First() + reader.Seq(i)
				if got := has[query.Ref{Feed: f.ID(), Seq: seq}]; seq > reader.Seq(f.Floor) &&
					got != (indexed{hs[i].Title, reader.Minute(d.Stamp)}) {
					fail("item %d of %s is %+v in the index, and %q of %d in its delta", seq, f.URL, got,
						hs[i].Title, d.Stamp)
				}
			}
			return true, err
		})
	})
	if err != nil {
		fail("%v", err)
	}
	return segments
}

// isSegment reports whether a key is that of a segment.
func isSegment(key string) bool { return strings.HasPrefix(key, store.SearchPrefix) }

package crawl

import (
	"context"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// A publisher who changes programs or hosts often gives every item a new id. To the letter all of them are new, and
// a reader would find a hundred old articles unread. So when most of a listing is unknown and not newer than what
// is stored, the stored items are looked at: those with the same link, or the same title and date, are the same
// items, and take the new identity where they are. Seqs stay, and with them what is read.

const (
	// renamedLeast is how few items may be the same for this to be seen: with fewer there is no flood.
	renamedLeast = 3
	// minRenameScan bounds how many stored items are looked at, with twice the listing.
	minRenameScan = 200
)

// renames looks once in a commit for items that changed their identities alone, and notes what it finds. It
// reports whether the listing is to be compared anew.
func (c *committer) renames(ctx context.Context, row *store.FeedRow, fresh []newItem, l *listing) (bool, error) {
	if l.compared || row.Seq == 0 {
		return false, nil
	}
	var doubtful []newItem
	for _, it := range fresh {
		if it.Published == 0 || it.Published <= row.NewestAt {
			doubtful = append(doubtful, it)
		}
	}
	if len(doubtful) < renamedLeast || 2*len(doubtful) <= len(l.all) {
		return false, nil
	}
	l.compared = true
	stored, err := c.recent(ctx, row, min(max(minRenameScan, 2*len(l.all)), maxRecall))
	if err != nil {
		return false, err
	}
	return l.match(doubtful, stored), nil
}

// recent reads the headers of a feed's newest items.
func (c *committer) recent(ctx context.Context, row *store.FeedRow, most int) (out []store.Header, err error) {
	err = c.store.Items.Descend(ctx, row.ID(), reader.Seq(row.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		out = append(out, hs...)
		return len(out) < most, err
	})
	return out, err
}

// match finds the stored items that doubtful ones are. What is listed under its old identity too is another item,
// and what several items share tells none of them.
func (l *listing) match(doubtful []newItem, stored []store.Header) bool {
	listed := make(map[uint64]bool, len(l.all))
	for _, it := range l.all {
		listed[it.Identity] = true
	}
	stands := map[uint64]uint32{} // stored under the very identity: a crash came after the deltas were edited
	signs := map[string]uint64{}  // 0: not unique
	oldest := int64(0)
	for i := range stored {
		h := &stored[i]
		if listed[h.Identity] {
			stands[h.Identity] = h.Content
			continue
		}
		if h.Published > 0 && (oldest == 0 || h.Published < oldest) {
			oldest = h.Published
		}
		note(signs, h, h.Identity)
	}
	own := map[string]uint64{}
	for i := range doubtful {
		note(own, &doubtful[i].Header, doubtful[i].Identity)
	}
	renamed, back, older, taken := map[uint64]uint64{}, map[uint64]uint32{}, []newItem{}, map[uint64]bool{}
	for i := range doubtful {
		it := &doubtful[i]
		if content, ok := stands[it.Identity]; ok {
			back[it.Identity] = content
			continue
		}
		if was := theSame(it, own, signs); was != 0 && !taken[was] {
			renamed[it.Identity], taken[was] = was, true
		} else if it.Published > 0 && it.Published < oldest {
			older = append(older, *it) // than all that is kept: nothing to compare with
		}
	}
	same := len(renamed) + len(back)
	if same < renamedLeast || 2*same <= len(doubtful)-len(older) {
		return false
	}
	if l.returned == nil {
		l.returned = map[uint64]uint32{}
	}
	l.renamed = renamed
	for id, content := range back {
		l.returned[id] = content
	}
	for _, it := range older { // they were here before, and are not kept any more: not new either (C-11)
		l.returned[it.Identity] = it.Content
	}
	return true
}

// note keeps what tells an item, unless another has it too.
func note(signs map[string]uint64, h *store.Header, id uint64) {
	for _, sign := range signsOf(h) {
		if other, there := signs[sign]; sign != "" && there && other != id {
			signs[sign] = 0
		} else if sign != "" {
			signs[sign] = id
		}
	}
}

// signsOf are the link, without scheme and final slash, and title with date; "" for none.
func signsOf(h *store.Header) [2]string {
	var s [2]string
	if _, rest, ok := strings.Cut(h.Link, "://"); ok {
		s[0] = "l" + strings.TrimSuffix(strings.TrimPrefix(rest, "www."), "/")
	}
	if h.Title != "" && h.Published > 0 {
		s[1] = "t" + strconv.FormatInt(h.Published, 10) + h.Title
	}
	return s
}

// theSame finds the identity under which an item is stored by one of its signs; 0 when there is none.
func theSame(it *newItem, own, signs map[string]uint64) uint64 {
	for _, sign := range signsOf(&it.Header) {
		if was := signs[sign]; sign != "" && was != 0 && own[sign] == it.Identity {
			return was
		}
	}
	return 0
}

// renamedNow notes that stored items have taken their new identities.
func (l *listing) renamedNow(ids []uint64) {
	for _, id := range ids {
		if _, ok := l.renamed[id]; ok {
			delete(l.renamed, id)
			l.returned[id] = l.header[id].Content
		}
	}
}

package crawl

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A publisher who changes software or host often gives every item a new id, and readers would find a hundred old
// articles unread. So when most of a listing is unknown and not newer than what is stored, it is compared with the
// stored items: those with the same link, or the same title and date (or text), are the same and take the new identity.
// Their seqs stay, and the read state. A single item that has changed its id is found as well, with more evidence: it
// replaces one that has left the listing (matchLeft).

const (
	// renamedLeast is the least number of equal items: fewer are no flood.
	renamedLeast = 3
	// minRenameScan bounds how many stored items are looked at, with twice the listing.
	minRenameScan = 200
)

// renames looks once in a commit for items that are stored under other identities: because many changed theirs, or
// because several share one (shared.go). It notes what it finds, and reports whether the listing has to be compared
// again.
func (c *Crawler) renames(ctx context.Context, row *store.FeedRow, fresh, edited []newItem, l *itemList) (bool, error) {
	if l.compared || row.Seq == 0 {
		return false, nil
	}
	var doubtful, shared []newItem
	for _, it := range fresh {
		switch {
		case it.Shared != 0:
			shared = append(shared, it)
		case it.Published == 0 || it.Published <= row.NewestAt:
			doubtful = append(doubtful, it)
		}
	}
	flood := len(doubtful) >= renamedLeast && 2*len(doubtful) > len(l.all)
	if !flood && !l.leftOut(row) {
		doubtful = nil
	}
	edited = l.doubtfulEdits(edited, row)
	if len(doubtful)+len(shared)+len(edited) == 0 {
		return false, nil
	}
	l.compared = true
	stored, err := c.recent(ctx, row, min(max(minRenameScan, 2*len(l.all)), maxRecall))
	if err != nil {
		return false, err
	}
	found := len(edited) > 0 && l.splitReplaced(edited, stored)
	if len(shared) > 0 && l.matchShared(shared, stored, row.Known, c.clock.Now()) {
		found = true
	}
	if flood && l.match(doubtful, stored) || len(doubtful) > 0 && l.matchLeft(doubtful, stored, row) {
		found = true
	}
	return found, nil
}

// storedItem is an item as a delta has it.
type storedItem struct {
	store.Header
	at time.Time // of its arrival
}

// recent reads the headers of a feed's newest items, the newest first.
func (c *Crawler) recent(ctx context.Context, row *store.FeedRow, most int) (out []storedItem, err error) {
	err = c.store.Items.Descend(ctx, row.ID(), reader.Seq(row.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for _, h := range slices.Backward(hs) {
			out = append(out, storedItem{h, time.UnixMilli(d.At)})
		}
		return len(out) < most, err
	})
	return out, err
}

// match finds the stored items that equal doubtful ones. A stored item that is still listed under its old identity is
// another one, and a sign that several items share proves nothing.
func (l *itemList) match(doubtful []newItem, stored []storedItem) bool {
	listed := l.identities()
	stands := map[uint64]uint32{} // stored under the new identity: a crash came after the deltas were edited
	signs := map[string]uint64{}  // 0: not unique
	oldest := int64(0)
	for i := range stored {
		h := &stored[i].Header
		if listed[h.Identity] {
			stands[h.Identity] = h.Content
			continue
		}
		if l.takes(h.Identity) {
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
			older = append(older, *it) // than all that is stored: nothing to compare with
		}
	}
	same := len(renamed) + len(back)
	if same < renamedLeast || 2*same <= len(doubtful)-len(older) {
		return false
	}
	maps.Copy(l.renamed, renamed)
	maps.Copy(l.returned, back)
	l.uncounted = l.uncounted || len(back) > 0
	for _, it := range older { // stored once and removed since: not new either (C-11)
		l.returned[it.Identity] = it.Content
	}
	return true
}

// identities are those of all listed items.
func (l *itemList) identities() map[uint64]bool {
	listed := make(map[uint64]bool, len(l.all))
	for _, it := range l.all {
		listed[it.Identity] = true
	}
	return listed
}

// takes reports whether a listed item was found to be the one stored under was.
func (l *itemList) takes(was uint64) bool {
	for _, id := range l.renamed {
		if id == was {
			return true
		}
	}
	return false
}

// note maps an item's signs to its identity; a sign that another item has too is mapped to 0.
func note(signs map[string]uint64, h *store.Header, id uint64) {
	for _, sign := range signsOf(h) {
		if other, there := signs[sign]; sign != "" && there && other != id {
			signs[sign] = 0
		} else if sign != "" {
			signs[sign] = id
		}
	}
}

// signsOf are the link, without what says nothing of the story, and title with date, or with the text of an item that
// has no date; "" for none.
func signsOf(h *store.Header) [2]string {
	var s [2]string
	if link := reader.StoryURL(h.Link); link != "" {
		s[0] = "l" + strings.TrimPrefix(link, "www.")
	}
	switch {
	case h.Title == "":
	case h.Published > 0:
		s[1] = "t" + strconv.FormatInt(h.Published, 10) + h.Title
	case tells(h.Snippet):
		s[1] = "u" + h.Title + "\n" + h.Snippet
	}
	return s
}

// tells reports whether a text is long enough to tell items apart: "Build passed" comes again.
func tells(text string) bool { return utf8.RuneCountInString(text) >= 40 }

// theSame returns the identity under which an item with one of its signs is stored; 0 when there is none.
func theSame(it *newItem, own, signs map[string]uint64) uint64 {
	for _, sign := range signsOf(&it.Header) {
		if was := signs[sign]; sign != "" && was != 0 && own[sign] == it.Identity {
			return was
		}
	}
	return 0
}

// renamedNow notes that stored items have taken their new identities.
func (l *itemList) renamedNow(edited []newItem) {
	for i := range edited {
		if it := &edited[i]; it.was != 0 {
			delete(l.renamed, it.Identity)
			l.returned[it.Identity] = it.Content
		}
	}
}

// leftOut reports whether a whole listing lacks items that the feed listed last.
func (l *itemList) leftOut(row *store.FeedRow) bool {
	if l.partial {
		return false
	}
	known, listed := store.Known(row.Known), l.identities()
	newest := known.Newest()
	for i := range known.Len() {
		if it := known.At(i); it.Day == newest && !listed[it.Identity] {
			return true
		}
	}
	return false
}

// matchLeft finds doubtful items that are stored ones which have left the listing: of link, title, date and text at
// least three are equal. Where several are alike none is matched, so that a title that recurs never makes two items
// one.
func (l *itemList) matchLeft(doubtful []newItem, stored []storedItem, row *store.FeedRow) bool {
	known, listed := store.Known(row.Known), l.identities()
	links := map[string]int{}
	var left []*store.Header
	found := false
	for i := range stored {
		h := &stored[i].Header
		links[signsOf(h)[0]]++
		if listed[h.Identity] { // a crash came after its delta was edited
			if k := slices.IndexFunc(doubtful, func(it newItem) bool { return it.Identity == h.Identity }); k >= 0 {
				l.returned[h.Identity], l.uncounted, found = h.Content, true, true
				doubtful = slices.Delete(slices.Clone(doubtful), k, k+1)
			}
			continue
		}
		if day, ok := known.Day(h.Identity); ok && day == known.Newest() && !l.takes(h.Identity) {
			left = append(left, h)
		}
	}
	was, rivals := map[uint64]*store.Header{}, map[uint64]int{}
	for i := range doubtful {
		it := &doubtful[i].Header
		for _, h := range left {
			if !isSameNow(it, h, links) {
				continue
			}
			rivals[h.Identity]++
			if was[it.Identity] != nil {
				rivals[h.Identity]++ // it may be either
				rivals[was[it.Identity].Identity]++
			}
			was[it.Identity] = h
		}
	}
	for id, h := range was {
		if rivals[h.Identity] == 1 {
			l.renamed[id], found = h.Identity, true
		}
	}
	return found
}

// isSameNow reports whether three of link, title, date and text are equal; of items without a date a telling text and
// one more. A link that several stored items have proves nothing. That neither has a text does where the dates are
// equal.
func isSameNow(a, b *store.Header, links map[string]int) bool {
	equal := 0
	if link := signsOf(a)[0]; link != "" && link == signsOf(b)[0] && links[link] == 1 {
		equal++
	}
	if a.Title != "" && a.Title == b.Title {
		equal++
	}
	sameDate := a.Published != 0 && a.Published == b.Published
	if sameDate {
		equal++
	}
	if a.Snippet == b.Snippet && (a.Snippet != "" || sameDate) {
		equal++
	}
	isTelling := a.Published == 0 && b.Published == 0 && a.Snippet == b.Snippet && tells(a.Snippet)
	return equal >= 3 || equal == 2 && isTelling
}

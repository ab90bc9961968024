package crawl

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Items that share a guid or link are distinguished by their link, title and date (extract.IdentityWithin). So an item
// gets another identity when one of these is edited, and when the first other item with its guid appears. Unknown items
// are therefore compared with the stored ones of the same guid that are no longer listed: an item that is clearly the
// same keeps its place, and with it read state and star. In doubt it is another item: one too many can be marked as
// read, one that was overwritten is lost. See decision 0302.

const (
	// renewedWithin is how old an item may be that counts as the same because of its title alone, when all items of one
	// guid have changed at once: a table of scores changes every hour, a weekly digest does not.
	renewedWithin = 20 * time.Hour
	// renewedLeast is the least number of items of a table.
	renewedLeast = 3
	// renewedMost limits the items with one guid that may arrive in a day when none stays listed from poll to poll.
	// Further ones replace the newest.
	renewedMost = 24
)

// scanOptions returns options that make a scan skip what the feed's row knows. Texts are taken from later crawls alone:
// the first one brings more than is kept until it is indexed.
func (c *Crawler) scanOptions(f *store.FeedRow) extract.Options {
	known := store.Known(f.Known)
	o := extract.Options{Known: known.Content, Length: true, Text: c.o.Text != nil && len(f.Hash) > 0}
	if _, ok := known.Content(anyShared); ok {
		o.Shared = func(id uint64) bool {
			_, ok := known.Content(extract.SharedMark(id))
			return ok
		}
	}
	return o
}

// mark adds to a listing the marks of values that its items share. They are remembered like items: while listed, and
// for a time after.
func (l *itemList) mark(scan *extract.Feed) {
	marked := map[uint64]bool{}
	for i := range scan.Items {
		if id := scan.Items[i].Shared; id > extract.Nameless && !marked[id] {
			marked[id] = true
			l.marks = append(l.marks, extract.SharedMark(id))
		}
	}
	l.remark()
}

// anyShared marks a feed in which several items share any guid or link: its guids are not reliable.
var anyShared = extract.SharedMark(0)

// remark adds the marks to what is remembered.
func (l *itemList) remark() {
	if len(l.marks) == 0 {
		return
	}
	if !slices.Contains(l.marks, anyShared) {
		l.marks = append(l.marks, anyShared)
	}
	l.all = slices.DeleteFunc(l.all, func(it store.KnownItem) bool { return slices.Contains(l.marks, it.Identity) })
	for _, id := range l.marks {
		l.all = append(l.all, store.KnownItem{Identity: id})
	}
}

// unmarked reports whether a feed row lacks a mark of this listing.
func (l *itemList) unmarked(row *store.FeedRow) bool {
	known := store.Known(row.Known)
	return slices.ContainsFunc(l.marks, func(id uint64) bool {
		_, ok := known.Content(id)
		return !ok
	})
}

// doubtfulEdits returns the edited items that may be other items with the same guid: where the feed lists one item at a
// time, or is known to share guids, or did not list the item lately. Otherwise guids are trusted, unless the item's
// date is after all that the feed had.
func (l *itemList) doubtfulEdits(edited []newItem, row *store.FeedRow) (out []newItem) {
	known := store.Known(row.Known)
	_, shared := known.Content(anyShared)
	shared = shared || len(l.marks) > 0 || len(l.all) == 1 && !l.partial
	newest := known.Newest()
	for _, it := range edited {
		day, ok := known.Day(it.Identity)
		it.trusted = !shared && !(ok && day < newest)
		if it.within != 0 && (!it.trusted || it.Published > row.NewestAt) {
			out = append(out, it)
		}
	}
	return out
}

// splitReplaced judges doubtful edits. Those that are other items are new, and their guid counts as shared from now on.
func (l *itemList) splitReplaced(doubtful []newItem, stored []storedItem) bool {
	found := false
	for _, it := range doubtful {
		i := slices.IndexFunc(stored, func(s storedItem) bool { return s.Identity == it.Identity })
		if i < 0 || it.trusted && !nothingEqual(&it.Header, &stored[i].Header) || !it.trusted &&
			sameItem(&it, &stored[i]) {
			continue
		}
		found = true
		was := it.Identity
		it.Shared, it.Identity, it.within = was, it.within, 0
		delete(l.header, was)
		l.header[it.Identity] = it
		l.order[slices.Index(l.order, was)] = it.Identity
		k := slices.IndexFunc(l.all, func(k store.KnownItem) bool { return k.Identity == was })
		l.all[k].Identity = it.Identity
		l.marks = append(l.marks, extract.SharedMark(was))
	}
	l.remark()
	return found
}

// sameItem reports whether the item listed under an identity is the one stored under it.
func sameItem(it *newItem, s *storedItem) bool {
	f := family{listed: []*newItem{it}, stored: []*storedItem{s}}
	f.index()
	return f.evidence(it, s) > 0
}

// nothingEqual reports whether link, title and date of two items with one guid all differ, and their texts if any: no
// edit does that.
func nothingEqual(a, b *store.Header) bool {
	va, vb := signsOfShared(a), signsOfShared(b)
	for k := range signs {
		if va[k] == vb[k] && (va[k] != "" || k != signText) || k != signText && (va[k] == "" || vb[k] == "") {
			return false
		}
	}
	return true
}

// matchShared finds the stored items that equal unknown ones, which share their guid or link with others.
func (l *itemList) matchShared(unknown []newItem, stored []storedItem, known store.Known, now time.Time) bool {
	listed := l.identities()
	families, doubtful := map[uint64]*family{}, map[uint64]bool{}
	for i := range unknown {
		it := &unknown[i]
		if families[it.Shared] == nil {
			families[it.Shared] = &family{shared: true, continues: l.partial, partial: l.partial}
		}
		f := families[it.Shared]
		f.listed, doubtful[it.Identity] = append(f.listed, it), true
	}
	found, newest := false, known.Newest()
	for i := range slices.Backward(stored) { // the oldest first, as the unknown ones are
		s := &stored[i]
		f := families[cmp.Or(s.Shared, s.Identity)]
		if f == nil && s.Shared == 0 && s.Link == "" {
			f = families[extract.Nameless] // stored before such items had it
		}
		if f == nil {
			continue
		}
		f.stored = append(f.stored, s)
		if now.Sub(s.at) < 24*time.Hour && s.at.After(f.stored[0].at) { // a first body is no flood
			f.arrived++
		}
		switch day, ok := known.Day(s.Identity); {
		case doubtful[s.Identity]: // a crash came after the delta was edited
			l.returned[s.Identity], found, l.uncounted = s.Content, true, true
			f.continues = true
			f.listed = slices.DeleteFunc(f.listed, func(it *newItem) bool { return it.Identity == s.Identity })
		case listed[s.Identity]:
			f.continues = true
			continue
		case ok && day == newest: // it has left just now, or been edited
			f.left = append(f.left, s)
		}
		if !doubtful[s.Identity] {
			f.away = append(f.away, s)
		}
	}
	for _, f := range families {
		f.index()
		for it, s := range f.pairs(now) {
			l.renamed[it.Identity], found = s.Identity, true
		}
	}
	return found
}

// family are items that share a guid or link.
type family struct {
	shared    bool          // several items are known to have it
	listed    []*newItem    // listed and not known, the oldest first
	stored    []*storedItem // all that are stored, the oldest first
	away      []*storedItem // those of stored that are not listed, under whatever identity
	left      []*storedItem // those of stored that the body before this one listed, and this one does not
	continues bool          // some item of that body is still listed
	partial   bool          // what is not listed may be in the feed all the same
	arrived   int           // how many of stored came within a day
	values    [signs]map[string]*holders
}

// A sign is a property by which items of a family may be distinguished.
const (
	signLink = iota
	signTitle
	signText
	signDate
	signs
)

// holders are the items that have one value of a sign.
type holders struct {
	listed, stored int
	left           *storedItem // the newest of those that left
}

func signsOfShared(h *store.Header) [signs]string {
	v := [signs]string{signLink: h.Link, signTitle: h.Title, signText: h.Snippet}
	if h.Published != 0 {
		v[signDate] = strconv.FormatInt(h.Published, 10)
	}
	return v
}

func (f *family) index() {
	for k := range f.values {
		f.values[k] = map[string]*holders{}
	}
	at := func(k int, v string) *holders {
		if f.values[k][v] == nil {
			f.values[k][v] = &holders{}
		}
		return f.values[k][v]
	}
	for _, it := range f.listed {
		for k, v := range signsOfShared(&it.Header) {
			at(k, v).listed++
		}
	}
	for _, s := range f.stored {
		for k, v := range signsOfShared(&s.Header) {
			at(k, v).stored++
		}
	}
	for _, s := range f.left {
		for k, v := range signsOfShared(&s.Header) {
			at(k, v).left = s
		}
	}
}

// own reports whether a value is not empty, and unique among the items listed and those stored.
func (f *family) own(sign int, v string) bool {
	h := f.values[sign][v]
	return v != "" && (h == nil || h.listed <= 1 && h.stored <= 1)
}

// repeats reports whether several items have the same value of a sign.
func (f *family) repeats(sign int) bool {
	for v, h := range f.values[sign] {
		if v != "" && (h.listed > 1 || h.stored > 1) {
			return true
		}
	}
	return false
}

// pairs maps listed items to those that left, by the strongest evidence first.
func (f *family) pairs(now time.Time) map[*newItem]*storedItem {
	type pair struct {
		it       *newItem
		s        *storedItem
		evidence int
	}
	var all []pair
	renewed := f.renewed(now)
	for _, it := range f.listed {
		for k, v := range signsOfShared(&it.Header) {
			h := f.values[k][v]
			if h.left == nil || v == "" {
				continue
			}
			if e := f.evidence(it, h.left); f.own(k, v) && e > 0 || k == signTitle && renewed {
				all = append(all, pair{it, h.left, e})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return b.evidence - a.evidence })
	out, taken := f.back(), map[*storedItem]bool{}
	for _, s := range out {
		taken[s] = true
	}
	for _, p := range all {
		if out[p.it] == nil && !taken[p.s] {
			out[p.it], taken[p.s] = p.s, true
		}
	}
	if f.continues || f.arrived < renewedMost {
		return out
	}
	// Nothing stays from poll to poll: items with neither evidence nor a later date replace others.
	free := slices.DeleteFunc(slices.Clone(f.left), func(s *storedItem) bool { return taken[s] })
	free = free[max(0, len(free)-len(f.listed)):] // the newest, which the body before this one listed
	for _, it := range f.listed {
		ownLink := len(f.values[signLink]) > 1 && f.own(signLink, it.Link) && f.arrived < 10*renewedMost
		if out[it] == nil && len(free) > 0 && !ownLink && !f.later(it) {
			out[it], free = free[0], free[1:]
		}
	}
	return out
}

// back finds items that are stored under the shared guid itself, because they were its only item then, or that were
// forgotten, and are listed unchanged: what identifies them (extract.IdentityWithin) is equal.
func (f *family) back() map[*newItem]*storedItem {
	type sign struct {
		link, title, text string
		date              int64
	}
	of := func(h *store.Header) sign {
		if h.Title == "" || h.Published == 0 {
			return sign{h.Link, h.Title, h.Snippet, h.Published}
		}
		return sign{link: h.Link, title: h.Title, date: h.Published}
	}
	away := map[sign]*storedItem{}
	for _, s := range f.away {
		away[of(&s.Header)] = s
	}
	out := map[*newItem]*storedItem{}
	for _, it := range f.listed {
		v := of(&it.Header)
		if s := away[v]; s != nil && (v.title != "" || v.text != "" || v.date != 0) {
			out[it] = s
			delete(away, v)
		}
	}
	return out
}

// evidence returns how certain it is that a listed item is a stored one of the same guid; 0 is not at all. At most one
// of link, title, text and date may differ, and something unique must be equal: a title that two items have, or the
// link of all of them, proves nothing. A unique time suffices alone; a date does not, because many posts may have it. A
// repeated title does not suffice for an item with a later date.
func (f *family) evidence(it *newItem, s *storedItem) int {
	const day = 24 * 60 * 60
	a, b := signsOfShared(&it.Header), signsOfShared(&s.Header)
	if it.undated && onlyEdited(&s.Header) && it.Published != s.Published {
		if it.Published < s.Published {
			return 0 // an edit does not turn time back
		}
		a[signDate], b[signDate] = "", "" // the date of an edit says nothing
	}
	equal, others, moment := 0, 0, false
	for k := range signs {
		switch {
		case a[k] == b[k] && f.own(k, a[k]) && (k != signLink || len(f.values[k]) > 1 && !f.repeats(k)):
			equal++
			moment = moment || k == signDate
		case a[k] != b[k]:
			others++
		}
	}
	sameMoment := moment && it.Published%day != 0
	switch {
	case f.partial && others > 0 && (a[signDate] == "" || a[signDate] != b[signDate]):
		return 0 // it may be another item that looks like the stored one
	case f.shared && equal == 1 && f.comesAgain(it, s, moment && !sameMoment && others == 1):
		return 0
	case others <= 1:
		return 2 * equal
	case sameMoment:
		return 1
	}
	return 0
}

// comesAgain reports whether the only thing that two items of a shared guid have in common may be a coincidence: a link
// or title with a later date, or a day.
func (f *family) comesAgain(it *newItem, s *storedItem, onlyDay bool) bool {
	ownText := it.Snippet == s.Snippet && f.own(signText, it.Snippet)
	return onlyDay || it.Published > s.Published && !ownText
}

// renewed reports whether a family changed as a whole, with unique titles that were all listed before: a table whose
// rows are updated.
func (f *family) renewed(now time.Time) bool {
	return !f.continues && len(f.listed) >= renewedLeast && !slices.ContainsFunc(f.listed, func(it *newItem) bool {
		h := f.values[signTitle][it.Title]
		return it.Title == "" || h.listed > 1 || h.left == nil || now.Sub(h.left.at) >= renewedWithin
	})
}

// later reports whether an item's date is unique and after those of all stored items.
func (f *family) later(it *newItem) bool {
	return f.own(signDate, signsOfShared(&it.Header)[signDate]) &&
		!slices.ContainsFunc(f.stored, func(s *storedItem) bool { return s.Published >= it.Header.Published })
}

// onlyEdited reports whether the one date of an item is that of its last change.
func onlyEdited(h *store.Header) bool { return h.Published == h.Updated }

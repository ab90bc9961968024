package extract

import (
	"math"
	"slices"
	"sort"
	"time"
)

// Most feeds give each item a guid or link of its own. Some give the same to several, and then what distinguishes
// these items becomes part of their identity (IdentityWithin). That is decided for each guid or link on its own: the
// other items of such a feed keep their identities. An item is distinguished when its body lists another one with the
// same Identity, or when Options.Shared reports that an earlier body did.

// located is the item that was located last. There is one implementation for each kind of document.
type located interface {
	// locate moves to the item that begins at start.
	locate(start int)
	// identify returns the Identity, and whether guid or link made it.
	identify() (id uint64, named bool)
	// within returns the IdentityWithin.
	within(shared uint64) uint64
	// hash covers all that is read of the item; see volatile.go.
	hash() uint64
	// published returns the date by which the newest items are chosen.
	published() time.Time
	// fill decodes the fields that identity and content hash leave out.
	fill(it *Item)
}

// record is an item before it is decoded.
type record struct {
	id, shared, within uint64
	content            uint32
	known              bool
	start, end         int
}

func recordOf(it *Item) record {
	return record{it.Identity, it.Shared, it.Within, it.Content, it.Known, it.Start, it.End}
}

func (r *record) applyTo(it *Item) {
	it.Identity, it.Shared, it.Within, it.Content, it.Known = r.id, r.shared, r.within, r.content, r.known
	it.Start, it.End = r.start, r.end
}

// keep adds the item located last, whose bytes are b[start:end], to the feed. Items beyond MaxItems are not decoded
// until it is known which are the newest.
func (s *scanner) keep(start, end int) {
	if s.feed.itemsEnd == 0 {
		s.feed.itemsStart = start
	}
	s.feed.itemsEnd = end
	id, named := s.item.identify()
	r := record{id: id, start: start, end: end}
	if !named {
		r.shared = Nameless
	}
	if s.isShared(id) && !s.distinguish(&r) {
		s.feed.Repeated++
		return
	}
	r.content = fold24(s.item.hash())
	var edited bool
	if r.known, edited = s.lookup(&r); edited && r.shared == 0 {
		r.within = s.item.within(r.id)
	}
	if len(s.feed.Items) >= s.o.MaxItems {
		s.later = append(s.later, r)
		return
	}
	if s.feed.Items == nil {
		s.feed.Items = make([]Item, 0, min(s.o.MaxItems, 32, (len(s.b)-start)/(max(end-start, 0)+1)+1))
	}
	s.feed.Items = append(s.feed.Items, Item{})
	it := &s.feed.Items[len(s.feed.Items)-1]
	r.applyTo(it)
	if !r.known {
		s.item.fill(it)
	}
}

// lookup reports whether the item is stored with this content, or with another.
func (s *scanner) lookup(r *record) (known, edited bool) {
	if s.o.Known == nil {
		return false, false
	}
	content, ok := s.o.Known(r.id)
	return ok && content == r.content, ok && content != r.content
}

// isShared records an identity, and reports whether several items are known to have it.
func (s *scanner) isShared(id uint64) bool {
	first := !s.seen[id]
	s.seen[id] = true
	if s.shared[id] {
		return true
	}
	if first && (s.o.Shared == nil || !s.o.Shared(id)) {
		return false
	}
	if s.shared == nil {
		s.shared = map[uint64]bool{}
	}
	s.shared[id] = true
	return true
}

// distinguish replaces the shared identity of the item located last with the one within it. It returns false for an
// item that was listed before.
func (s *scanner) distinguish(r *record) bool {
	r.shared, r.id = r.id, s.item.within(r.id)
	if s.distinct[r.id] {
		return false
	}
	if s.distinct == nil {
		s.distinct = map[uint64]bool{}
	}
	s.distinct[r.id] = true
	return true
}

// resolveShared distinguishes the items that were the first with their identity, before it was known to be shared.
// Of equal items the first one stays.
func (s *scanner) resolveShared() {
	if len(s.shared) == 0 {
		return
	}
	repeated := map[uint64]bool{} // identities that a first item has, and a later one too
	resolve := func(r *record) (changed bool) {
		if r.shared > Nameless || !s.shared[r.id] {
			return false
		}
		s.item.locate(r.start)
		if !s.distinguish(r) {
			repeated[r.id] = true
		}
		r.within = 0
		r.known, _ = s.lookup(r)
		return true
	}
	met := map[uint64]bool{}
	repeats := func(id uint64) bool {
		again := repeated[id] && met[id]
		met[id] = true
		if again {
			s.feed.Repeated++
		}
		return again
	}
	for i := range s.feed.Items {
		it := &s.feed.Items[i]
		r := recordOf(it)
		if !resolve(&r) {
			continue
		}
		*it = Item{}
		if r.applyTo(it); !r.known {
			s.item.fill(it)
		}
	}
	for i := range s.later {
		resolve(&s.later[i])
	}
	s.feed.Items = slices.DeleteFunc(s.feed.Items, func(it Item) bool { return repeats(it.Identity) })
	s.later = slices.DeleteFunc(s.later, func(r record) bool { return repeats(r.id) })
}

// finish completes the feed after the pass.
func (s *scanner) finish() *Feed {
	s.resolveShared()
	if len(s.later) > 0 {
		s.chooseNewest()
	}
	f := s.feed
	if f.Format == Atom || f.Format == JSON { // RFC 4287, 4.2.1; JSON Feed 1.1: items inherit the author
		for i := range f.Items {
			if it := &f.Items[i]; it.Author == "" && !it.Known {
				it.Author = f.Author
			}
		}
	}
	f.Channel = channelHash(f)
	return f
}

// chooseNewest keeps the newest MaxItems items of a longer body, in document order.
func (s *scanner) chooseNewest() {
	early := s.feed.Items
	dates := make([]time.Time, len(early)+len(s.later))
	for i := range dates {
		switch {
		case i >= len(early):
			s.item.locate(s.later[i-len(early)].start)
		case early[i].Known:
			s.item.locate(early[i].Start)
		default:
			dates[i] = early[i].Published
			continue
		}
		dates[i] = s.item.published()
	}
	kept := make([]Item, 0, s.o.MaxItems)
	for _, i := range Newest(dates, s.o.MaxItems) {
		if i < len(early) {
			kept = append(kept, early[i])
			continue
		}
		var it Item
		r := &s.later[i-len(early)]
		if r.applyTo(&it); !r.known {
			s.item.locate(r.start)
			s.item.fill(&it)
		}
		kept = append(kept, it)
	}
	s.feed.Items, s.feed.LeftOut = kept, len(dates)-len(kept)
}

// Newest chooses which n of many items to keep: those with the latest dates, in document order (the
// result is ascending). An item without a date ranks as the one before it, or first; items of the same date
// rank in document order. So without any date the first n are kept.
func Newest(dates []time.Time, n int) []int {
	order := make([]int, len(dates))
	rank := make([]int64, len(dates))
	for i, d := range dates {
		order[i] = i
		switch {
		case !d.IsZero():
			rank[i] = d.Unix()
		case i > 0:
			rank[i] = rank[i-1]
		default:
			rank[i] = math.MaxInt64
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return rank[order[a]] > rank[order[b]] })
	order = order[:min(n, len(order))]
	sort.Ints(order)
	return order
}

package extract

import (
	"math"
	"sort"
	"time"
)

// keep takes the item just located (its bytes are b[start:end]) into the feed; it is only noted if the feed is full
// already.
func (s *scanner) keep(start, end int) {
	id, named := s.identifyLocated()
	r := record{start: start, end: end, id: id}
	if !named {
		r.shared = Nameless
	}
	if s.isShared(r.id) && !s.distinguish(&r) {
		s.feed.Repeated++
		return
	}
	r.content = s.hashLocated()
	known, other := s.knows(r.id, r.content)
	if r.known = known; other && r.shared == 0 {
		r.within = s.withinLocated(r.id)
	}
	if len(s.feed.Items) >= s.o.MaxItems {
		s.later = append(s.later, r)
		return
	}
	if s.feed.Items == nil {
		s.feed.Items = make([]Item, 0, min(s.o.MaxItems, 32, (len(s.b)-start)/(end-start+1)+1))
	}
	s.feed.Items = append(s.feed.Items, r.item())
	if !r.known {
		s.fillLocated(&s.feed.Items[len(s.feed.Items)-1])
	}
}

// knows tells whether an item is stored with this very content, or with another.
func (s *scanner) knows(id uint64, content uint32) (known, other bool) {
	if s.o.Known == nil {
		return false, false
	}
	have, ok := s.o.Known(id)
	return ok && have == content, ok && have != content
}

func (s *scanner) identifyLocated() (id uint64, named bool) {
	if s.feed.Format == JSON {
		return s.members.identify(s)
	}
	return s.identify()
}

func (s *scanner) hashLocated() uint32 { return fold24(s.elementHash()) }

// elementHash hashes all that is read of the item located last.
func (s *scanner) elementHash() uint64 {
	if s.feed.Format == JSON {
		return s.members.hash()
	}
	return s.hashNodes()
}

func (s *scanner) fillLocated(it *Item) {
	if s.feed.Format == JSON {
		s.members.fill(s, it)
		return
	}
	s.fill(it)
}

// locateAgain finds the parts of an item seen before.
func (s *scanner) locateAgain(start int) {
	if s.feed.Format == JSON {
		s.locateJSON(start)
		return
	}
	if t, ok := s.startTag(start); ok {
		s.locate(t)
		s.enterItem(t)
	}
}

// finish completes the feed after the pass.
func (s *scanner) finish() *Feed {
	s.settleShared()
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
		if i < len(early) {
			if !early[i].Known {
				dates[i] = early[i].Published
				continue
			}
			s.locateAgain(early[i].Start)
		} else {
			s.locateAgain(s.later[i-len(early)].start)
		}
		dates[i] = s.publishedLocated()
	}
	kept := make([]Item, 0, s.o.MaxItems)
	for _, i := range Newest(dates, s.o.MaxItems) {
		if i < len(early) {
			kept = append(kept, early[i])
			continue
		}
		r := s.later[i-len(early)]
		it := r.item()
		if !r.known {
			s.locateAgain(r.start)
			s.fillLocated(&it)
		}
		kept = append(kept, it)
	}
	s.feed.Items, s.feed.LeftOut = kept, len(dates)-len(kept)
}

// publishedLocated reads the date alone of the item located last.
func (s *scanner) publishedLocated() time.Time {
	if s.feed.Format == JSON {
		return s.members.published(s)
	}
	for _, k := range [...]elem{elPublished, elTermIssued, elDCDate, elCreated, elUpdated, elTermModified} {
		if n, ok := s.find(k); ok {
			if t := s.date(n); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
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

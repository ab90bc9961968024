package extract

import (
	"math"
	"sort"
	"time"
)

// keep takes the item just located (its bytes are b[start:end]) into the feed: dropped if its identity
// occurred before in this body (the first wins), only noted if the feed is full already.
func (s *scanner) keep(start, end int) {
	id := s.identifyLocated()
	if !s.seen.add(id) && !s.o.duplicates {
		s.feed.Repeated++
		return
	}
	content := s.hashLocated()
	known := false
	if s.o.Known != nil {
		have, ok := s.o.Known(id)
		known = ok && have == content
	}
	if len(s.feed.Items) >= s.o.MaxItems {
		s.later = append(s.later, record{start, end, id, content, known})
		return
	}
	if s.feed.Items == nil {
		s.feed.Items = make([]Item, 0, min(s.o.MaxItems, 32, (len(s.b)-start)/(end-start+1)+1))
	}
	s.feed.Items = append(s.feed.Items, Item{Identity: id, Content: content, Known: known, Start: start, End: end})
	if !known {
		s.fillLocated(&s.feed.Items[len(s.feed.Items)-1])
	}
}

func (s *scanner) identifyLocated() uint64 {
	if s.feed.Format == JSON {
		return s.members.identify(s)
	}
	return s.identify()
}

func (s *scanner) hashLocated() uint32 {
	if s.feed.Format == JSON {
		return s.members.contentHash(s)
	}
	return s.contentHash()
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
		it := Item{Identity: r.id, Content: r.content, Known: r.known, Start: r.start, End: r.end}
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

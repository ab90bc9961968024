package stream

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Order is a property by which a program can order a list of items.
type Order uint8

// The orders. Items that are equal in one are in the order of their ids.
const (
	ByArrival Order = iota
	ByPublished
	ByChanged
	ByTitle
	ByAuthor
)

// SortedQuery is a page of a list in any order.
type SortedQuery struct {
	IDQuery // has no scope, is not about stars; Oldest: the least first
	Order   Order
	Offset  int
	// Published and Changed bound these times, exclusively.
	Published, Changed Between
}

// Between bounds a time in Unix seconds, exclusively; zero is no bound.
type Between struct{ After, Before int64 }

func (b Between) has(at int64) bool {
	return (b.After == 0 || at > b.After) && (b.Before == 0 || at < b.Before)
}

// Published is the time of publication in Unix seconds, at most that of arrival: programs sort by it.
func Published(h *store.Header) int64 { return min(h.Shown(), h.Sort) }

// Changed is when an item was listed, or its publisher's last change if that is later. Marking an item does not change
// it.
func (s *Service) Changed(h *store.Header, id reader.ItemID) int64 {
	return changed(h.Updated, s.Listed(id), s.clock.Now().Unix())
}

func changed(updated, listed, now int64) int64 {
	if updated > now {
		return listed
	}
	return max(listed, updated)
}

// Sorted returns a page of the items of some feeds, and the length of the whole list. Rows tell the length; items are
// read only for feeds that can be on the page.
func (s *Service) Sorted(ctx context.Context, u reader.UserID, feeds []*Subscribed,
	q SortedQuery) (page []reader.ItemID, total int, err error) {
	first, last := s.minutes(ctx, &q.IDQuery)
	if first > last {
		return nil, 0, nil
	}
	l := sorting{
		s: s, user: u, q: &q, first: reader.Minute(first), last: reader.Minute(last), now: s.clock.Now().Unix(),
		picks: q.Published != Between{} || q.Changed != Between{},
	}
	for _, x := range feeds {
		if n := q.count(x); n > 0 && int64(x.Feed.Stamp) >= first {
			l.feeds, l.most = append(l.feeds, &listedFeed{Subscribed: x, count: n}), l.most+n
		}
	}
	if !l.picks {
		if err := l.countAll(ctx); err != nil || q.Limit == 0 || l.total <= q.Offset {
			return nil, l.total, err
		}
		l.most = l.total
	}
	l.most = min(l.most, q.Offset+q.Limit)
	if q.Order == ByArrival && !l.picks {
		page, err = l.byArrival(ctx)
	} else {
		page, err = l.byKey(ctx)
	}
	return page[min(q.Offset, len(page)):], l.total, err
}

// count is how many items of a feed are in the query's states.
func (q *IDQuery) count(x *Subscribed) (n int) {
	switch {
	case x.Feed.Seq <= x.Feed.Floor:
		return 0
	case q.Not == AnyState && q.Is == IsUnread:
		return x.unread
	case q.Not == AnyState && q.Is <= IsRead:
		n = x.VisibleCount()
		if q.Is == IsRead {
			n -= x.unread
		}
		return n
	}
	for _, r := range q.wanted(x) {
		n += int(r.To-r.From) + 1
	}
	return n
}

// sorting is a page that is being made.
type sorting struct {
	s           *Service
	user        reader.UserID
	q           *SortedQuery
	feeds       []*listedFeed // those that have something
	first, last reader.Minute
	now         int64
	picks       bool            // only the headers tell which items are wanted
	best        heapOf[sortKey] // the page so far; its last item is on top
	most        int             // how many of them are needed
	total       int
}

// listedFeed is a feed of a list, with what was read of it.
type listedFeed struct {
	*Subscribed
	count    int          // of its items in the query's states
	wanted   []reader.Run // those items
	from     reader.Seq   // the first item of which arrivals and keys are known; 0: none was read
	arrivals arrivals
	keys     [ByAuthor + 1]*sortKeys // of the orders that are needed
}

// countAll counts the items within the query's minutes and ids.
func (l *sorting) countAll(ctx context.Context) error {
	for _, x := range l.feeds {
		newest := reader.NewItemID(reader.Minute(x.Feed.Stamp), x.id, reader.MaxSeq)
		if l.first == 0 && (l.q.Below == 0 || newest < l.q.Below) && x.Feed.Stamp <= uint32(l.last) {
			l.total += x.count
			continue
		}
		wanted := l.q.wanted(x.Subscribed)
		if len(wanted) == 0 {
			continue
		}
		a, err := l.s.arrivalsOf(ctx, x.Feed, wanted[0].From, l.first)
		if err != nil {
			return err
		}
		l.each(x, &a, wanted, func(reader.Seq, reader.ItemID) { l.total++ })
	}
	return nil
}

// each goes through some items of a feed, with their ids, as far as they are within the query's minutes and ids. Where
// the last come first, it begins with them: often they are the page, and all others are too late for it.
func (l *sorting) each(x *listedFeed, a *arrivals, wanted []reader.Run, do func(seq reader.Seq, id reader.ItemID)) {
	i := 0
	for n := range wanted {
		r := wanted[n]
		if !l.q.Oldest {
			r = wanted[len(wanted)-1-n]
		}
		from, to := max(r.From, a.from), min(r.To, a.last())
		for n := reader.Seq(0); from+n <= to; n++ {
			seq := from + n
			if !l.q.Oldest {
				seq = to - n
			}
			if seq > a.list[i].last || seq < a.first(i) {
				i = a.at(seq)
			}
			stamp := a.list[i].stamp
			if stamp == 0 || stamp < l.first || stamp > l.last {
				continue
			}
			if id := reader.NewItemID(stamp, x.id, seq); id > l.q.Above && (l.q.Below == 0 || id < l.q.Below) {
				do(seq, id)
			}
		}
	}
}

func (l *sorting) byArrival(ctx context.Context) ([]reader.ItemID, error) {
	ids := l.q.IDQuery
	ids.Limit = l.most
	list := idList{s: l.s, q: &ids, first: l.first, last: l.last}
	for _, x := range l.feeds {
		list.feeds = append(list.feeds, &idsOfFeed{feed: x.Feed, id: x.id, wanted: ids.wanted(x.Subscribed)})
	}
	if ids.Oldest {
		err := l.s.each(len(list.feeds), func(i int) error {
			x := list.feeds[i]
			return x.read(ctx, l.s, x.wanted[0].From, l.first)
		})
		if err != nil {
			return nil, err
		}
	}
	err := list.run(ctx)
	return list.ids[:min(len(list.ids), l.most)], err
}

// sortKey is an item's place in a list.
type sortKey struct {
	key  uint64
	text string // whole, where many items have the same; else only key tells
	id   reader.ItemID
}

// isCut reports that more of the text than its beginning decides.
func (x sortKey) isCut() bool { return x.key&1 == 1 }

// compare orders a list.
func (l *sorting) compare(a, b sortKey) int {
	c := cmp.Or(cmp.Compare(a.key, b.key), strings.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
	if !l.q.Oldest {
		return -c
	}
	return c
}

// seqsAtOnce is how many items of a feed are looked at where the older ones may not be needed.
const seqsAtOnce = 64

// byKey makes a page by what headers say. Newest first by publication, a feed's row and the minutes of its items bound
// what is left.
func (l *sorting) byKey(ctx context.Context) ([]reader.ItemID, error) {
	l.best = heapOf[sortKey]{before: func(a, b sortKey) bool { return l.compare(a, b) > 0 }}
	isBounded := l.q.Order == ByPublished && !l.q.Oldest && !l.picks
	if isBounded {
		slices.SortStableFunc(l.feeds, func(a, b *listedFeed) int {
			return cmp.Compare(b.Feed.NewestAt, a.Feed.NewestAt)
		})
	} else {
		if err := l.readAhead(ctx); err != nil {
			return nil, err
		}
		if !l.q.Oldest {
			slices.Reverse(l.feeds) // as within a feed, see each
		}
	}
	for _, x := range l.feeds {
		if isBounded && !l.mayHave(x.Feed.NewestAt) {
			break
		}
		wanted := l.wanted(x)
		if len(wanted) == 0 {
			continue
		}
		from, to := wanted[0].From, wanted[len(wanted)-1].To
		isDone := false
		for isBounded && !isDone && to >= from+seqsAtOnce {
			first, err := l.add(ctx, x, clip(wanted, to-seqsAtOnce+1, to))
			if err != nil {
				return nil, err
			}
			to -= seqsAtOnce
			isDone = first > 0 && !l.mayHave(l.s.Listed(first))
		}
		if !isDone {
			if _, err := l.add(ctx, x, clip(wanted, from, to)); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(l.best.list, l.compare)
	if l.q.Order == ByTitle {
		if err := l.settleTexts(ctx); err != nil {
			return nil, err
		}
	}
	ids := make([]reader.ItemID, 0, l.most)
	for _, x := range l.best.list[:min(len(l.best.list), l.most)] {
		ids = append(ids, x.id)
	}
	return ids, nil
}

func clip(list []reader.Run, from, to reader.Seq) []reader.Run {
	return reader.Subtract(list, []reader.Run{{From: 0, To: from - 1}, {From: to + 1, To: reader.MaxSeq}})
}

// mayHave reports whether items published up to a time may be on the page.
func (l *sorting) mayHave(at int64) bool {
	return len(l.best.list) < l.most || timeKey(at) >= l.best.list[0].key
}

// readAhead reads what a page needs of all feeds, some beside one another.
func (l *sorting) readAhead(ctx context.Context) error {
	return l.s.each(len(l.feeds), func(i int) error {
		x := l.feeds[i]
		if wanted := l.wanted(x); len(wanted) > 0 {
			return l.read(ctx, x, wanted[0].From)
		}
		return nil
	})
}

// wanted returns the items of a feed in the query's states.
func (l *sorting) wanted(x *listedFeed) []reader.Run {
	if x.wanted == nil {
		x.wanted = l.q.wanted(x.Subscribed)
	}
	return x.wanted
}

// read reads the arrivals and the needed keys of a feed's items from a seq on.
func (l *sorting) read(ctx context.Context, x *listedFeed, from reader.Seq) (err error) {
	if x.from > 0 && x.from <= from {
		return nil
	}
	if x.arrivals, err = l.s.arrivalsOf(ctx, x.Feed, from, l.first); err != nil {
		return err
	}
	for o, isNeeded := range [...]bool{ByPublished: l.q.Published != Between{}, ByChanged: l.q.Changed != Between{},
		ByAuthor: false} {
		if o := Order(o); isNeeded || o == l.q.Order && o != ByArrival {
			if x.keys[o], err = l.s.keysOf(ctx, x.Feed, o, from); err != nil {
				return err
			}
		}
	}
	x.from = from
	return nil
}

// add takes the items of a feed that may be on the page, and returns the one that arrived first.
func (l *sorting) add(ctx context.Context, x *listedFeed, wanted []reader.Run) (first reader.ItemID, err error) {
	err = l.scan(ctx, x, wanted, func(at sortKey) {
		if first == 0 || at.id < first {
			first = at.id
		}
		if l.picks {
			l.total++
		}
		if h := &l.best; len(h.list) < l.most {
			heap.Push(h, at)
		} else if l.most > 0 && l.compare(at, h.list[0]) < 0 {
			h.list[0] = at
			heap.Fix(h, 0)
		}
	})
	return first, err
}

// scan goes through the items of a feed that are on the list.
func (l *sorting) scan(ctx context.Context, x *listedFeed, wanted []reader.Run, do func(at sortKey)) error {
	if len(wanted) == 0 {
		return nil
	}
	if err := l.read(ctx, x, wanted[0].From); err != nil {
		return err
	}
	l.each(x, &x.arrivals, wanted, func(seq reader.Seq, id reader.ItemID) {
		at := sortKey{x.keys[l.q.Order].of(seq), x.keys[l.q.Order].text(seq), id}
		if l.q.Order == ByChanged || l.q.Changed != (Between{}) {
			changed := changed(keyTime(x.keys[ByChanged].of(seq)), l.s.Listed(id), l.now)
			if !l.q.Changed.has(changed) {
				return
			}
			if l.q.Order == ByChanged {
				at.key = timeKey(changed)
			}
		}
		if l.q.Published == (Between{}) || l.q.Published.has(keyTime(x.keys[ByPublished].of(seq))) {
			do(at)
		}
	})
	return nil
}

// settleTexts puts items whose texts begin alike in the order of the whole texts, as far as the page has them.
func (l *sorting) settleTexts(ctx context.Context) error {
	list := l.best.list
	if n := len(list); n > 0 && n == l.most && list[n-1].isCut() {
		last := list[n-1].key
		list = slices.DeleteFunc(list, func(x sortKey) bool { return x.key == last })
		for _, x := range l.feeds {
			err := l.scan(ctx, x, l.wanted(x), func(at sortKey) {
				if at.key == last {
					list = append(list, at)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	for from := 0; from < min(len(list), l.most); {
		to := from + 1
		for to < len(list) && list[to].key == list[from].key {
			to++
		}
		if to-from > 1 && to > l.q.Offset && list[from].isCut() {
			if err := l.settle(ctx, list[from:to]); err != nil {
				return err
			}
		}
		from = to
	}
	l.best.list = list
	return nil
}

// settle orders items by their texts.
func (l *sorting) settle(ctx context.Context, list []sortKey) error {
	ids, texts := make([]reader.ItemID, len(list)), make(map[reader.ItemID]string, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	found, err := l.s.FindAll(ctx, l.user, ids)
	if err != nil {
		return err
	}
	for _, x := range found {
		if x != nil {
			texts[x.ID] = l.q.Order.text(&x.Header)
		}
	}
	slices.SortFunc(list, func(a, b sortKey) int {
		if c := strings.Compare(texts[a.id], texts[b.id]); c != 0 && !l.q.Oldest {
			return -c
		} else if c != 0 {
			return c
		}
		return l.compare(a, b)
	})
	return nil
}

// sortKeys order a feed's items from a seq on, by times or the beginnings of texts, as of an edit of the feed. Nil has
// none. They are never changed once they are kept.
type sortKeys struct {
	edited int64
	raw    string
	from   reader.Seq
	list   []uint64
	// texts are whole authors: most feeds have few different ones, so that comparing their beginnings would decide
	// little.
	texts []string
}

type sortKeysOf struct {
	feed  reader.FeedID
	order Order
}

// sortKeyBytes bounds the keys in memory: one order of a million items.
const sortKeyBytes = 8 << 20

func (k *sortKeys) last() reader.Seq { return k.from + reader.Seq(len(k.list)) - 1 }

func (k *sortKeys) text(seq reader.Seq) string {
	if k == nil || seq < k.from || int(seq-k.from) >= len(k.texts) {
		return ""
	}
	return k.texts[seq-k.from]
}

// bytes estimates the memory that they take.
func (k *sortKeys) bytes() int {
	n := 120 + 8*len(k.list) + 16*len(k.texts)
	for i, s := range k.texts {
		if i == 0 || s != k.texts[i-1] {
			n += len(s)
		}
	}
	return n
}

func (k *sortKeys) of(seq reader.Seq) uint64 {
	if k == nil || seq < k.from || int(seq-k.from) >= len(k.list) {
		return 0
	}
	return k.list[seq-k.from]
}

// keysOf returns the keys of a feed's items from a seq on.
func (s *Service) keysOf(ctx context.Context, f *store.FeedRow, o Order, from reader.Seq) (*sortKeys, error) {
	last := reader.Seq(f.Seq)
	k, ok := s.sortKeys.Get(sortKeysOf{f.ID(), o})
	switch {
	case !ok, k.edited != f.Edited, k.last() >= last && k.raw != f.Raw:
		k = &sortKeys{from: from}
	case k.last() >= last && k.from <= from:
		return k, nil
	}
	next := &sortKeys{edited: f.Edited, raw: f.Raw, from: min(from, k.from)}
	next.list = make([]uint64, last-next.from+1)
	copy(next.list[k.from-next.from:], k.list)
	if o == ByAuthor {
		next.texts = make([]string, len(next.list))
		copy(next.texts[k.from-next.from:], k.texts)
	}
	if err := s.readKeys(ctx, f, o, next, next.from, k.from-1); err != nil {
		return nil, err
	}
	if err := s.readKeys(ctx, f, o, next, k.last()+1, last); err != nil {
		return nil, err
	}
	s.sortKeys.Put(sortKeysOf{f.ID(), o}, next, next.bytes())
	return next, nil
}

// readKeys fills in the keys of the items from one seq to another.
func (s *Service) readKeys(ctx context.Context, f *store.FeedRow, o Order, into *sortKeys, from, to reader.Seq) error {
	for from <= to {
		list, _, end, err := s.deltas.window(ctx, f, from, false, false, deltasAtMost)
		if err != nil {
			return err
		}
		for _, d := range list {
			for seq := max(d.first, from); seq <= min(d.last, to); seq++ {
				into.set(int(seq-into.from), d.header(seq), o)
			}
			from = max(from, d.last+1)
		}
		if end || len(list) == 0 {
			return nil
		}
	}
	return nil
}

// set sets the key of an item by its header.
func (k *sortKeys) set(i int, h store.Header, o Order) {
	switch o {
	case ByPublished:
		k.list[i] = timeKey(Published(&h))
	case ByChanged:
		k.list[i] = timeKey(h.Updated)
	default:
		text := o.text(&h)
		k.list[i] = textKey(text)
		switch {
		case k.texts == nil:
		case i > 0 && k.texts[i-1] == text:
			k.texts[i] = k.texts[i-1] // not another copy
		default:
			k.texts[i] = strings.Clone(text)
		}
	}
}

// text is the property by which an item is ordered.
func (o Order) text(h *store.Header) string {
	if o == ByAuthor {
		return strings.ToLower(h.Author)
	}
	return strings.ToLower(h.Title)
}

// timeKey is in the order of times.
func timeKey(at int64) uint64 { return uint64(at) ^ 1<<63 }

func keyTime(key uint64) int64 { return int64(key ^ 1<<63) }

// textKey is the beginning of a text, in the order of texts. The last bit says that the text goes on.
func textKey(s string) (key uint64) {
	for i := range 7 {
		key <<= 8
		if i < len(s) {
			key |= uint64(s[i])
		}
	}
	key <<= 8
	if len(s) > 7 {
		key |= 1
	}
	return key
}

package miniflux

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/stream"
)

const (
	// maxOrdered limits the entries that can be ordered by their headers: the newest to arrive. The older ones follow
	// in the order of their ids.
	maxOrdered = 50_000
	// maxFound limits the entries that a search finds.
	maxFound = 4000
	// atOnce limits the headers that are read at once.
	atOnce = 1000
)

// find returns the ids of the page that a query asks for, and how many entries match it in all.
func (r *request) find(q *query, l *account) (page []reader.ItemID, total int, err error) {
	if q.isMerged() {
		return r.merged(q, l)
	}
	ids, err := r.candidates(q, l) // the newest first
	if err != nil {
		return nil, 0, err
	}
	if q.order != "id" && q.order != "created_at" || q.picks() {
		if ids, total, err = r.arranged(q, l, ids); err != nil {
			return nil, 0, err
		}
	} else {
		total = len(ids)
		if !q.descending {
			slices.Reverse(ids)
		}
	}
	from := min(q.offset, len(ids))
	return ids[from:min(from+q.limit, len(ids))], total, nil
}

// isMerged reports whether a list is merged from those of feeds: what words find, stars and tags are looked for one by
// one.
func (q *query) isMerged() bool {
	return q.search == "" && len(q.tags) == 0 && (q.starred == nil || !*q.starred)
}

// orders that stream has.
var streamOrders = map[string]stream.Order{
	"published_at": stream.ByPublished, "changed_at": stream.ByChanged, "title": stream.ByTitle,
	"author": stream.ByAuthor,
}

// merged returns a page of a list that is one of feeds, or several of these after one another: orders by status and by
// category are lists by arrival of each.
func (r *request) merged(q *query, l *account) (page []reader.ItemID, total int, err error) {
	ids := q.ids(stream.Scope{})
	ids.Oldest = !q.descending
	for _, part := range q.parts(l) {
		s := stream.SortedQuery{
			IDQuery: ids, Order: streamOrders[q.order], Offset: max(q.offset-total, 0),
			Published: stream.Between{After: q.publishedAfter, Before: q.publishedBefore},
			Changed:   stream.Between{After: q.changedAfter, Before: q.changedBefore},
		}
		if s.Limit = q.limit - len(page); part.is != stream.AnyState {
			s.Is = part.is
		}
		more, n, err := r.Streams.Sorted(r.Context(), r.user, part.feeds, s)
		if err != nil {
			return nil, 0, err
		}
		page, total = append(page, more...), total+n
	}
	return page, total, nil
}

// part is some feeds' items, or those of them that are in a state.
type part struct {
	feeds []*stream.Subscribed
	is    stream.State
}

// parts divides a list by the criteria that go before the order of arrival.
func (q *query) parts(l *account) []part {
	feeds := q.feeds(l)
	var list []part
	switch q.order {
	case "status":
		if q.read || q.unread {
			return []part{{feeds, stream.AnyState}}
		}
		list = []part{{feeds, stream.IsRead}, {feeds, stream.IsUnread}}
	case "category_id", "category_title":
		list = l.byCategory(feeds, q.order == "category_title")
	default:
		return []part{{feeds, stream.AnyState}}
	}
	if q.descending {
		slices.Reverse(list)
	}
	return list
}

// feeds returns the feeds of a list.
func (q *query) feeds(l *account) []*stream.Subscribed {
	list := l.feeds
	if q.group > 0 {
		list = l.in(q.group)
	}
	return slices.DeleteFunc(slices.Clone(list), func(x *stream.Subscribed) bool {
		isAll := q.feed == 0 && q.group == 0
		return q.feed > 0 && x.Feed.ID() != q.feed || x.Sub.Mute && (q.visible || isAll)
	})
}

// byCategory divides feeds by their categories, in the order of these.
func (l *account) byCategory(feeds []*stream.Subscribed, byTitle bool) (list []part) {
	type key struct {
		title string
		id    clients.GroupID
	}
	byKey := map[key][]*stream.Subscribed{}
	for _, x := range feeds {
		g := l.categoryOf(x.Sub)
		k := key{id: g.ID}
		if byTitle {
			k = key{title: strings.ToLower(g.Title)}
		}
		byKey[k] = append(byKey[k], x)
	}
	keys := slices.SortedFunc(maps.Keys(byKey), func(a, b key) int {
		return cmp.Or(strings.Compare(a.title, b.title), cmp.Compare(a.id, b.id))
	})
	for _, k := range keys {
		list = append(list, part{feeds: byKey[k]})
	}
	return list
}

// candidates returns what ids and states tell to match, in descending order.
func (r *request) candidates(q *query, l *account) ([]reader.ItemID, error) {
	scopes := []stream.Scope{{Feed: q.feed}}
	if q.group > 0 {
		scopes = scopes[:0]
		for _, x := range l.in(q.group) {
			if q.feed == 0 || q.feed == x.Feed.ID() {
				scopes = append(scopes, stream.Scope{Feed: x.Feed.ID()})
			}
		}
	}
	var all []reader.ItemID
	for _, scope := range scopes {
		if x := l.find(int64(scope.Feed)); q.visible && x != nil && x.Sub.Mute {
			continue
		}
		ids, err := r.AllIDs(r.Context(), r.user, q.ids(scope))
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	if len(scopes) > 1 {
		slices.Sort(all)
		slices.Reverse(all)
	}
	if q.search != "" {
		found, err := r.found(q)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(id reader.ItemID) bool { return !found[id] })
	}
	if q.publishedAfter > 0 { // nothing is published after it arrives
		all = slices.DeleteFunc(all, func(id reader.ItemID) bool { return r.Streams.Listed(id) <= q.publishedAfter })
	}
	return all, nil
}

// found returns what the query's words find, the newest first up to maxFound.
func (r *request) found(q *query) (map[reader.ItemID]bool, error) {
	if err := r.Count(r.Context(), r.user, clients.Search); err != nil {
		return nil, err
	}
	ask := find.Query{Text: q.search, Limit: stream.MaxLimit,
		Scope: stream.Scope{Feed: q.feed, Folder: q.group.Folder()}}
	if q.feed > 0 {
		ask.Folder = 0
	}
	if q.starred != nil && *q.starred {
		ask.Filter = stream.Starred
	}
	out := map[reader.ItemID]bool{}
	for range maxFound / stream.MaxLimit {
		p, err := r.Find.Search(r.Context(), r.user, ask)
		if fault.Is(err, fault.NotFound) { // it is off
			return nil, bad(texts.EnglishMessage(err))
		}
		if err != nil {
			return nil, err
		}
		for i := range p.Items {
			out[p.Items[i].ID] = true
			for _, same := range p.Items[i].Also {
				out[same.ID] = true
			}
		}
		if ask.Cursor = p.Next; ask.Cursor == "" {
			break
		}
	}
	return out, nil
}

// key is the sort key of an entry.
type key struct {
	id   reader.ItemID
	at   int64
	text string
}

// arranged returns the entries that a query wants, in its order, from ids in descending order, and how many they are.
// Of a long list the end may be missing that the page does not reach.
func (r *request) arranged(q *query, l *account, ids []reader.ItemID) ([]reader.ItemID, int, error) {
	var keys []key
	var rest []reader.ItemID
	if !q.picks() {
		n := min(len(ids), maxOrdered)
		ids, rest = ids[:n], ids[n:]
	}
	total := len(ids) + len(rest)
	compare := func(a, b key) int {
		c := cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
		if q.descending {
			return -c
		}
		return c
	}
	for from := 0; from < len(ids); from += atOnce {
		found, err := r.Streams.FindAll(r.Context(), r.user, ids[from:min(from+atOnce, len(ids))])
		if err != nil {
			return nil, 0, err
		}
		for _, x := range found {
			if x == nil {
				continue
			}
			changed := r.Streams.Changed(&x.Header, x.ID)
			if q.wants(&x.Entry, changed) {
				keys = append(keys, q.key(x, l, changed))
			}
		}
		if next := from + atOnce; next < len(ids) && q.isKnown(keys, r.Streams.Listed(ids[next]), compare) {
			break
		}
	}
	slices.SortFunc(keys, compare)
	if q.picks() {
		total = len(keys)
	}
	return q.joined(keys, rest), total, nil
}

// joined returns the ids of ordered entries with those that were not ordered, which are older and come in descending
// order.
func (q *query) joined(keys []key, rest []reader.ItemID) []reader.ItemID {
	out := make([]reader.ItemID, 0, len(keys)+len(rest))
	if !q.descending {
		out = append(out, rest...)
		slices.Reverse(out)
	}
	for i := range keys {
		out = append(out, keys[i].id)
	}
	if q.descending {
		out = append(out, rest...)
	}
	return out
}

// isKnown reports whether the page that a query asks for is known although the entries that arrived up to a time were
// not looked at: they were published before it.
func (q *query) isKnown(keys []key, arrived int64, compare func(a, b key) int) bool {
	need := q.offset + q.limit
	if q.order != "published_at" || !q.descending || q.picks() || len(keys) < need {
		return false
	}
	slices.SortFunc(keys, compare)
	return keys[need-1].at > arrived
}

// groupOf is the category of an entry, also of one whose feed is gone.
func (l *account) groupOf(x *stream.Located) *clients.Group {
	if x.Sub == nil {
		return &l.groups[0]
	}
	return l.categoryOf(x.Sub.Sub)
}

// key returns what an entry is ordered by.
func (q *query) key(x *stream.Located, l *account, changed int64) key {
	k := key{id: x.ID}
	switch q.order {
	case "published_at":
		k.at = stream.Published(&x.Header)
	case "changed_at":
		k.at = changed
	case "status":
		k.text = status(&x.Entry)
	case "title":
		k.text = strings.ToLower(x.Header.Title)
	case "author":
		k.text = strings.ToLower(x.Header.Author)
	case "category_id":
		k.at = int64(l.groupOf(x).ID)
	case "category_title":
		k.text = strings.ToLower(l.groupOf(x).Title)
	}
	return k
}

package miniflux

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// entries answers a list of entries: all, or those of the category or feed in the path.
func (r *request) entries() error {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		return err
	}
	l, err := r.account()
	if err != nil {
		return err
	}
	if err := r.scope(&q, l); err != nil {
		return err
	}
	ids, total, err := r.find(&q, l)
	if err != nil {
		return err
	}
	list, err := r.shown(l, ids)
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, struct {
		Total   int          `json:"total"`
		Entries []*entryJSON `json:"entries"`
	}{total, list})
}

// scope sets the category and the feed of a list.
func (r *request) scope(q *query, l *account) error {
	var group, feed int64
	var err error
	if r.PathValue("category") != "" {
		if group, err = r.path("category", "category"); err != nil {
			return err
		}
	}
	if r.PathValue("feed") != "" {
		if feed, err = r.path("feed", "feed"); err != nil {
			return err
		}
	}
	group, feed = number(r.URL.Query(), "category_id", group), number(r.URL.Query(), "feed_id", feed)
	if group > 0 {
		g := l.group(group)
		if g == nil {
			return bad("invalid category ID")
		}
		q.group = g.ID
	}
	if feed > 0 {
		x := l.find(feed)
		if x == nil {
			return bad("invalid feed ID")
		}
		q.feed = x.Feed.ID()
	}
	return nil
}

// shown reads entries with their contents. Those that do not exist any more are left out.
func (r *request) shown(l *account, ids []reader.ItemID) ([]*entryJSON, error) {
	found, err := r.Streams.FindAll(r.Context(), r.user, ids)
	if err != nil {
		return nil, err
	}
	contents, err := r.Contents(r.Context(), r.user, found, r.Room(r.Request))
	if err != nil {
		return nil, err
	}
	list := make([]*entryJSON, 0, len(found))
	for i, x := range found {
		if x != nil {
			list = append(list, r.shape(l, x, contents[i]))
		}
	}
	return list, nil
}

// entryID parses the entry in the path. A number that cannot be one of ours is zero: there is no such entry.
func (r *request) entryID() (reader.ItemID, error) {
	n, err := r.path("id", "entry")
	if id := reader.ItemID(n); err == nil && id.Valid() {
		return id, nil
	}
	return 0, err
}

// located finds the entry in the path.
func (r *request) located() (*stream.Located, error) {
	id, err := r.entryID()
	if err != nil {
		return nil, err
	}
	return r.locate(id)
}

func (r *request) locate(id reader.ItemID) (*stream.Located, error) {
	found, err := r.Streams.FindAll(r.Context(), r.user, []reader.ItemID{id})
	if err == nil && found[0] == nil {
		err = notFound()
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// entry answers one entry; that of another feed or category than the path's is not found.
func (r *request) entry() error {
	var q query
	l, err := r.account()
	if err != nil {
		return err
	}
	x, err := r.located()
	if err != nil {
		return err
	}
	if err := r.scope(&q, l); err != nil {
		return notFound()
	}
	if q.feed > 0 && x.Feed != q.feed || q.group > 0 && (x.Sub == nil || l.categoryOf(x.Sub.Sub).ID != q.group) {
		return notFound()
	}
	list, err := r.shown(l, []reader.ItemID{x.ID})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return notFound()
	}
	return r.answer(http.StatusOK, list[0])
}

// entryIDs answers the ids of entries alone, the newest first.
func (r *request) entryIDs() error {
	v := r.URL.Query()
	if s := v.Get("starred"); v.Has("starred") && s != "true" && s != "false" {
		return bad(`invalid starred parameter, must be "true" or "false"`)
	}
	if s := v.Get("status"); v.Has("status") && s != read && s != unread {
		return bad(`invalid status parameter, must be "read" or "unread"`)
	}
	limit := int(number(v, "limit", maxLimit))
	if limit == 0 || limit > maxLimit {
		limit = maxLimit
	}
	q := query{order: "id", descending: true, limit: limit, offset: offset(v),
		read: v.Get("status") == read, unread: v.Get("status") == unread}
	if v.Has("starred") {
		yes := v.Get("starred") == "true"
		q.starred = &yes
	}
	feeds, err := r.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	ids, total, err := r.find(&q, &account{feeds: feeds})
	if err != nil {
		return err
	}
	out := struct {
		Total int      `json:"total"`
		IDs   []uint64 `json:"entry_ids"`
	}{total, make([]uint64, len(ids))}
	for i, id := range ids {
		out.IDs[i] = uint64(id)
	}
	return r.answer(http.StatusOK, out)
}

// changeEntries sets the state of entries. Those that do not exist are skipped.
func (r *request) changeEntries() error {
	var in struct {
		IDs     []int64 `json:"entry_ids"`
		Status  string  `json:"status"`
		Starred *bool   `json:"starred"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	switch {
	case len(in.IDs) == 0:
		return bad("the list of entries cannot be empty")
	case len(in.IDs) > maxLimit:
		return bad("the list of entries is too long")
	case in.Status == "" && in.Starred == nil:
		return bad("either the status or the starred field must be specified")
	case in.Status != "" && in.Status != read && in.Status != unread:
		return badStatus()
	}
	change := stream.Change{Starred: in.Starred}
	if in.Status != "" {
		isRead := in.Status == read
		change.Read = &isRead
	}
	var ids []reader.ItemID
	for _, n := range in.IDs {
		if id := reader.ItemID(n); n > 0 && id.Valid() {
			ids = append(ids, id)
		}
	}
	for len(ids) > 0 {
		n := min(len(ids), stream.MaxFlush)
		if err := r.change(ids[:n], change); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return r.done(nil)
}

func (r *request) change(ids []reader.ItemID, c stream.Change) error {
	_, err := r.Streams.Flush(r.Context(), r.user, stream.Flush{Changes: []stream.BulkChange{{IDs: ids, Change: c}}})
	return err
}

func (r *request) toggleStar() error {
	x, err := r.located()
	if err != nil {
		return err
	}
	starred := !x.Starred
	return r.done(r.change([]reader.ItemID{x.ID}, stream.Change{Starred: &starred}))
}

// save would send an entry to another service.
func (r *request) save() error {
	if _, err := r.entryID(); err != nil {
		return err
	}
	return bad("no third-party integration enabled")
}

// fetchContent answers the text of the page that an entry links to. The entry keeps its own.
func (r *request) fetchContent() error {
	x, err := r.located()
	if err != nil {
		return err
	}
	if r.FullText == nil {
		return notFound()
	}
	if err := r.Count(r.Context(), r.user, clients.Page); err != nil {
		return err
	}
	t, err := r.FullText.Of(r.Context(), x.Header.Link)
	if err != nil {
		return err
	}
	if t.State != fulltext.OK {
		return bad(texts.FullText(string(t.State), t.Code).In(texts.English))
	}
	return r.answer(http.StatusOK, struct {
		Content     string `json:"content"`
		ReadingTime int    `json:"reading_time"`
	}{t.HTML, readingTime(t.Lang, t.Characters)})
}

// file finds the file of an entry in the path.
func (r *request) file() (*enclosureJSON, error) {
	n, err := r.path("enclosure", "enclosure")
	if err != nil {
		return nil, err
	}
	id, i := reader.ItemID(n>>enclosureBits), int(n&(1<<enclosureBits-1))
	if !id.Valid() {
		return nil, notFound()
	}
	x, err := r.locate(id)
	if err != nil {
		return nil, err
	}
	list := enclosures(&x.Entry)
	if i >= len(list) {
		return nil, notFound()
	}
	return &list[i], nil
}

func (r *request) enclosure() error {
	f, err := r.file()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK, f)
}

// changeEnclosure takes how far somebody listened, which is not kept.
func (r *request) changeEnclosure() error {
	var in struct {
		Progress int64 `json:"media_progression"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.Progress < 0 {
		return bad("media progression must be a non-negative integer")
	}
	_, err := r.file()
	return r.done(err)
}

// markAll marks what the page's list of all items has.
func (r *request) markAll() error {
	user, err := r.path("user", "user")
	if err != nil {
		return err
	}
	if user != userNumber {
		return r.forbidden()
	}
	return r.markRead(stream.Scope{})
}

func (r *request) markRead(scopes ...stream.Scope) error {
	for _, scope := range scopes {
		if _, err := r.Streams.MarkRead(r.Context(), r.user, stream.Mark{Scope: scope}); err != nil {
			return err
		}
	}
	return r.done(nil)
}

func (r *request) markFeed() error {
	x, _, err := r.subscribed()
	if err != nil {
		return err
	}
	return r.markRead(stream.Scope{Feed: x.Feed.ID()})
}

func (r *request) markCategory() error {
	g, l, err := r.group()
	if err != nil {
		return err
	}
	return r.markRead(l.scopes(g.ID)...)
}

// scopes are the streams that together have the entries of a category: its folder's where that has just its feeds, else
// each feed's.
func (l *account) scopes(id clients.GroupID) []stream.Scope {
	feeds := l.in(id)
	if folder := id.Folder(); folder > 0 && len(l.group(int64(id)).Feeds) == len(feeds) {
		return []stream.Scope{{Folder: folder}}
	}
	out := make([]stream.Scope, len(feeds))
	for i, x := range feeds {
		out[i].Feed = x.Feed.ID()
	}
	return out
}

// flushHistory would remove what was read. Items go with their retention.
func (r *request) flushHistory() error {
	r.w.Header().Set("Content-Type", "application/json")
	r.w.WriteHeader(http.StatusAccepted)
	return nil
}

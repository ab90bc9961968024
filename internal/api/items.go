package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

type pageJSON struct {
	Items  []itemJSON  `json:"items"`
	Next   *string     `json:"nextCursor"`
	AsOf   *string     `json:"asOf"`
	Unread int         `json:"unreadCount"`
	Total  *int        `json:"total,omitempty"`
	Feed   *listedJSON `json:"feed,omitempty"`
	Totals *totalsJSON `json:"totals,omitempty"`
}

// listedJSON is the feed whose items are listed.
type listedJSON struct {
	countsJSON
	Title       string `json:"title"`
	Description string `json:"description"`
	SiteURL     string `json:"siteUrl"`
	Language    string `json:"language"`
}

func (s *Server) itemRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/feeds/{id}/items", Handle: s.listFeedItems},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read", Handle: s.markRead},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read/undo", Handle: s.undoMarkRead},
		{Method: "GET", Path: "/api/items", Handle: s.listItems},
		{Method: "POST", Path: "/api/items/mark-read", Handle: s.markStreamRead},
		{Method: "POST", Path: "/api/items/state", Handle: s.setItemStates},
		{Method: "GET", Path: "/api/items/{id}", Handle: s.getItem},
		{Method: "GET", Path: "/api/items/{id}/full-text", Handle: s.getFullText},
		{Method: "PUT", Path: "/api/items/{id}/labels", Handle: s.setItemLabels},
		{Method: "PUT", Path: "/api/items/{id}/state", Handle: s.setItemState},
		{Method: "POST", Path: "/api/undo", Handle: s.undo},
	}
}

// pageQuery reads what both lists take: ?filter= ?order= ?since= ?limit= ?cursor=.
func (r *request) pageQuery() (q stream.Query, err error) {
	v := r.URL.Query()
	if q.Filter, err = stream.ParseFilter(v.Get("filter")); err != nil {
		return
	}
	if q.Oldest, err = oldest(v.Get("order")); err != nil {
		return
	}
	if since := v.Get("since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return q, fault.Newf(fault.Invalid, "bad_since", "The time is one like 2026-01-31T12:00:00Z.").At("since")
		}
		q.Since = max(at.Unix(), 0) // zero and what is before it bound nothing
	}
	q.Limit, err = r.limit()
	q.Cursor = v.Get("cursor")
	q.Anew = strings.Contains(r.Request.Header.Get("Cache-Control"), "no-cache") // RFC 9111 5.2.1.4
	return q, err
}

// oldest reads an order of a stream.
func oldest(order string) (bool, error) {
	switch order {
	case "", "newest":
		return false, nil
	case "oldest":
		return true, nil
	}
	return false, fault.Newf(fault.Invalid, "bad_item_order", "The order is newest or oldest.").At("order")
}

// ambiguous refuses what names more than one place: neither is it all of them, nor is one to be guessed.
func ambiguous() error {
	return fault.Newf(fault.Invalid, "scope_ambiguous", "Name a feed, a folder or a label, and not several of them.")
}

// folderAndLabel reads a stream's folder and label, at most one of them.
func folderAndLabel(folder, label string) (sc stream.Scope, err error) {
	if folder != "" && label != "" {
		return sc, ambiguous()
	}
	if folder != "" {
		n, err := number31(folder)
		if err != nil {
			return sc, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
		}
		sc.Folder = reader.FolderID(n)
	}
	if label != "" {
		n, err := number31(label)
		if err != nil {
			return sc, fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
		}
		sc.Label = reader.LabelID(n)
	}
	return sc, nil
}

func number31(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err == nil && n <= 0 {
		err = strconv.ErrRange
	}
	return int32(n), err
}

func (s *Server) listFeedItems(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	q, err := r.pageQuery()
	if err != nil {
		return err
	}
	q.Feed = id
	p, err := s.Streams.List(r.Context(), r.user, q)
	if err != nil {
		return err
	}
	out, x := page(&p), &p.Feeds[0]
	total := x.ItemCount()
	out.Total = &total
	out.Feed = &listedJSON{counts(x), x.Feed.DisplayTitle(), x.Feed.About, x.Feed.Site, x.Feed.Lang}
	return r.json(http.StatusOK, out)
}

func (s *Server) listItems(r *request) error {
	q, err := r.pageQuery()
	if err != nil {
		return err
	}
	if q.Scope, err = folderAndLabel(r.URL.Query().Get("folder"), r.URL.Query().Get("label")); err != nil {
		return err
	}
	p, err := s.Streams.List(r.Context(), r.user, q)
	if err != nil {
		return err
	}
	out, t := page(&p), totals(stream.Sum(p.Feeds))
	out.Totals = &t
	return r.json(http.StatusOK, out)
}

func page(p *stream.Page) pageJSON {
	out := pageJSON{Items: make([]itemJSON, len(p.Items)), Next: orNull(p.Next), AsOf: orNull(p.AsOf), Unread: p.Unread}
	for i := range p.Items {
		e := &p.Items[i]
		out.Items[i] = item(e, p.Feed(e.Feed))
	}
	return out
}

func (s *Server) getItem(r *request) error {
	id, err := r.itemID()
	if err != nil {
		return err
	}
	e, sub, err := s.Streams.Find(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	b, err := s.Streams.Body(r.Context(), r.user, e, &sub)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"item": bodyJSON{
		itemJSON: item(&e, sub.Feed), ContentHTML: b.HTML, ContentState: string(b.State), Characters: b.Characters,
		FullText: s.ofOpened(r, &e, &sub),
	}})
}

func (s *Server) setItemState(r *request) error {
	id, err := r.itemID()
	if err != nil {
		return err
	}
	var in struct {
		IsRead    *bool `json:"isRead"`
		IsStarred *bool `json:"isStarred"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.IsRead == nil && in.IsStarred == nil {
		return fault.Newf(fault.Invalid, "nothing_to_change", "Give isRead, isStarred or both.")
	}
	e, sub, err := s.Streams.SetState(r.Context(), r.user, id, stream.Change{Read: in.IsRead, Starred: in.IsStarred})
	if err != nil {
		return err
	}
	t, err := s.Streams.Totals(r.Context(), r.user, sub)
	if err != nil {
		return err
	}
	out := struct {
		Item struct {
			ID        string `json:"id"`
			IsRead    bool   `json:"isRead"`
			IsStarred bool   `json:"isStarred"`
		} `json:"item"`
		Feed   *countsJSON `json:"feed"`
		Totals totalsJSON  `json:"totals"`
	}{Totals: totals(t)}
	out.Item.ID, out.Item.IsRead, out.Item.IsStarred = id.String(), e.Read, e.Starred
	if sub.Feed != nil {
		c := counts(&sub)
		out.Feed = &c
	}
	return r.json(http.StatusOK, out)
}

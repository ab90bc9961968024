package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

type pageJSON struct {
	Items  []itemJSON  `json:"items"`
	Next   *string     `json:"nextCursor"`
	Feed   *countsJSON `json:"feed,omitempty"`
	Totals *totalsJSON `json:"totals,omitempty"`
}

func (s *Server) itemRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/feeds/{id}/items", Handle: s.listFeedItems},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read", Handle: s.markRead},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read/undo", Handle: s.undoMarkRead},
		{Method: "GET", Path: "/api/items", Handle: s.listItems},
		{Method: "GET", Path: "/api/items/{id}", Handle: s.getItem},
		{Method: "GET", Path: "/api/items/{id}/full-text", Handle: s.getFullText},
		{Method: "PUT", Path: "/api/items/{id}/state", Handle: s.setItemState},
	}
}

// pageQuery reads ?filter= ?limit= ?cursor=.
func (r *request) pageQuery() (f stream.Filter, limit int, cursor string, err error) {
	if f, err = stream.ParseFilter(r.URL.Query().Get("filter")); err != nil {
		return
	}
	limit, err = r.limit()
	return f, limit, r.URL.Query().Get("cursor"), err
}

func (s *Server) listFeedItems(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	f, limit, cursor, err := r.pageQuery()
	if err != nil {
		return err
	}
	p, sub, err := s.Streams.Items(r.Context(), r.user, id, f, cursor, limit)
	if err != nil {
		return err
	}
	c := counts(&sub)
	return r.json(http.StatusOK, page(p, func(reader.FeedID) *store.FeedRow { return sub.Feed }, &c, nil))
}

func (s *Server) listItems(r *request) error {
	f, limit, cursor, err := r.pageQuery()
	if err != nil {
		return err
	}
	p, list, err := s.Streams.AllItems(r.Context(), r.user, f, cursor, limit)
	if err != nil {
		return err
	}
	byID := make(map[reader.FeedID]*store.FeedRow, len(list))
	for i := range list {
		byID[list[i].Feed.ID()] = list[i].Feed
	}
	t := totals(stream.Sum(list))
	return r.json(http.StatusOK, page(p, func(id reader.FeedID) *store.FeedRow { return byID[id] }, nil, &t))
}

func page(p stream.Page, feed func(reader.FeedID) *store.FeedRow, c *countsJSON, t *totalsJSON) pageJSON {
	out := pageJSON{Items: make([]itemJSON, len(p.Items)), Next: orNull(p.Next), Feed: c, Totals: t}
	for i := range p.Items {
		out.Items[i] = item(&p.Items[i], feed(p.Items[i].Feed))
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

// marked is the answer to a change of a whole feed: new counts, and how to take it back.
type marked struct {
	Feed   countsJSON `json:"feed"`
	Totals totalsJSON `json:"totals"`
	Undo   *string    `json:"undo"`
}

func (s *Server) answerMarked(r *request, sub *stream.Subscribed, undo string) error {
	t, err := s.Streams.Totals(r.Context(), r.user, *sub)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, marked{Feed: counts(sub), Totals: totals(t), Undo: orNull(undo)})
}

func (s *Server) markRead(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	var in struct {
		UpTo reader.ItemID `json:"upTo"`
	}
	if err := r.decodeIfAny(&in); err != nil {
		return err
	}
	sub, undo, err := s.Streams.MarkAll(r.Context(), r.user, id, in.UpTo)
	if err != nil {
		return err
	}
	return s.answerMarked(r, &sub, undo)
}

func (s *Server) undoMarkRead(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	var in struct {
		Undo string `json:"undo"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	sub, err := s.Streams.Undo(r.Context(), r.user, id, in.Undo)
	if err != nil {
		return err
	}
	return s.answerMarked(r, &sub, "")
}

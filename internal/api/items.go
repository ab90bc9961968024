package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

type pageJSON struct {
	Items  []itemJSON  `json:"items"`
	Next   *string     `json:"nextCursor"`
	Part   bool        `json:"isPartial,omitempty"`
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
		{Method: "GET", Path: "/api/feeds/{id}/items", ID: pathFeed, Handle: s.listFeedItems},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read", ID: pathFeed, Handle: withBody(maxJSON, true, s.markRead)},
		{Method: "POST", Path: "/api/feeds/{id}/mark-read/undo", ID: pathFeed, Handle: with(s.undoMarkRead)},
		{Method: "GET", Path: "/api/items", Handle: s.listItems},
		{Method: "POST", Path: "/api/items/mark-read", Handle: withBody(maxStates, true, s.markStreamRead)},
		{Method: "POST", Path: "/api/items/state", Handle: withBody(maxStates, false, s.setItemStates)},
		{Method: "GET", Path: "/api/items/bodies", Background: true, Handle: s.getBodies},
		{Method: "GET", Path: "/api/items/{id}", ID: pathItem, Handle: s.getItem},
		{Method: "GET", Path: "/api/items/{id}/full-text", ID: pathItem, Heavy: true, Handle: s.getFullText},
		{Method: "PUT", Path: "/api/items/{id}/labels", ID: pathItem, Handle: with(s.setItemLabels)},
		{Method: "PUT", Path: "/api/items/{id}/state", ID: pathItem, Handle: with(s.setItemState)},
		{Method: "POST", Path: "/api/undo", Handle: withBody(maxStates, false, s.undo)},
	}
}

// pageQuery parses the parameters of lists: ?filter= ?order= ?since= ?limit= ?cursor=.
func (r *request) pageQuery() (q stream.Query, err error) {
	v := r.URL.Query()
	if q.Filter, err = reader.ParseFilter(v.Get("filter")); err != nil {
		return
	}
	if v.Get("order") != byPopularity {
		if q.Oldest, err = oldest(v.Get("order")); err != nil {
			return
		}
	}
	if since := v.Get("since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return q, fault.Coded(fault.Invalid, "bad_since").At("since")
		}
		q.Since = max(at.Unix(), 0) // zero and earlier: no bound
	}
	q.Limit, err = r.limit()
	q.Cursor = v.Get("cursor")
	q.Fresh = r.isFresh()
	return q, err
}

// byPopularity is the order of lists whose items with a bookmark count come first.
const byPopularity = "popular"

// list answers a page of a stream in the order that is asked for.
func (s *Server) list(r *request, q stream.Query) (stream.Page, error) {
	if r.URL.Query().Get("order") == byPopularity {
		return s.Explore.Items(r.Context(), r.user, q)
	}
	return s.Streams.List(r.Context(), r.user, q)
}

// oldest parses an order by time, and reports whether it is oldest first.
func oldest(order string) (bool, error) {
	switch order {
	case "", "newest":
		return false, nil
	case "oldest":
		return true, nil
	}
	return false, fault.Coded(fault.Invalid, "bad_item_order").At("order")
}

// ambiguous rejects a request that names more than one scope.
func ambiguous() error {
	return fault.Coded(fault.Invalid, "scope_ambiguous")
}

// folderAndLabel parses a stream's folder and label, of which at most one is given.
func folderAndLabel(folder, label string) (sc stream.Scope, err error) {
	if folder != "" && label != "" {
		return sc, ambiguous()
	}
	if folder != "" {
		sc.Folder, err = parseFolderID(folder)
	}
	if label != "" {
		sc.Label, err = parseLabelID(label)
	}
	return sc, err
}

func (s *Server) listFeedItems(r *request) error {
	q, err := r.pageQuery()
	if err != nil {
		return err
	}
	q.Feed = r.feed
	p, err := s.list(r, q)
	if err != nil {
		return err
	}
	out, x := page(&p, s.counts(r)), p.Feeds[0]
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
	p, err := s.list(r, q)
	if err != nil {
		return err
	}
	out, t := page(&p, s.counts(r)), totals(p.Totals)
	out.Totals = &t
	return r.json(http.StatusOK, out)
}

// counts returns the bookmark counts of items; none where they are off.
func (s *Server) counts(r *request) *popular.Counts {
	if s.Popular == nil {
		return nil
	}
	return s.Popular.Counts(r.Context())
}

func page(p *stream.Page, c *popular.Counts) pageJSON {
	out := pageJSON{Items: make([]itemJSON, len(p.Items)), Next: orNull(p.Next), Part: p.IsPartial,
		AsOf: orNull(p.AsOf), Unread: p.Unread}
	for i := range p.Items {
		e := &p.Items[i]
		out.Items[i] = item(e, p.Feed(e.Feed), c)
	}
	return out
}

func (s *Server) getItem(r *request) error {
	e, sub, err := s.Streams.Find(r.Context(), r.user, r.item)
	if err != nil {
		return err
	}
	b, err := s.Streams.Body(r.Context(), r.user, e, sub)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK,
		map[string]any{"item": itemWithBody(&e, sub, b, s.counts(r), s.fullTextIfWanted(r, &e, sub))})
}

func itemWithBody(e *stream.Entry, sub *stream.Subscribed, b stream.Body, c *popular.Counts,
	text *fullTextJSON) bodyJSON {
	return bodyJSON{
		itemJSON: item(e, sub.FeedRow(), c), ContentHTML: b.HTML, ContentState: string(b.State),
		Characters: b.Characters, FullText: text,
	}
}

func (s *Server) setItemState(r *request, in struct {
	IsRead    *bool `json:"isRead"`
	IsStarred *bool `json:"isStarred"`
}) error {
	if in.IsRead == nil && in.IsStarred == nil {
		return fault.Coded(fault.Invalid, "nothing_to_change")
	}
	e, sub, err := s.Streams.SetState(r.Context(), r.user, r.item,
		stream.Change{Read: in.IsRead, Starred: in.IsStarred})
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
	out.Item.ID, out.Item.IsRead, out.Item.IsStarred = r.item.String(), e.Read, e.Starred
	if sub != nil {
		c := counts(sub)
		out.Feed = &c
	}
	return r.json(http.StatusOK, out)
}

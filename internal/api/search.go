package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/stream"
)

const (
	// searchesPerMinute limits the searches of a user: each may read hundreds of blocks of the index.
	searchesPerMinute = 30
	// typedPerMinute limits those that look at titles alone, as one types: they read what they show.
	typedPerMinute = 120
)

func (s *Server) searchRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/search", Handle: s.search},
		{Method: "GET", Path: "/api/searches", Handle: s.listSearches},
		{Method: "POST", Path: "/api/searches", Handle: with(s.addSearch)},
		{Method: "PUT", Path: "/api/searches/order", Handle: with(s.orderSearches)},
		{Method: "PUT", Path: "/api/searches/{id}", ID: pathSearch, Handle: with(s.changeSearch)},
		{Method: "DELETE", Path: "/api/searches/{id}", ID: pathSearch, Handle: s.deleteSearch},
		{Method: "GET", Path: "/api/searches/{id}/items", ID: pathSearch, Handle: s.listSearch},
		{Method: "POST", Path: "/api/searches/{id}/mark-read", ID: pathSearch,
			Handle: withBody(maxStates, false, s.markSearchRead)},
	}
}

type foundPageJSON struct {
	Items []foundItemJSON `json:"items"`
	Next  *string         `json:"nextCursor"`
	AsOf  *string         `json:"asOf"`
	State string          `json:"state"` // ready, building
	// Reached is set if the page ended early.
	Reached moment `json:"reached"`
	// Total is that of all pages, with the first one.
	Total *totalJSON `json:"total"`
}

// totalJSON says how much a search finds; IsLeast: or more.
type totalJSON struct {
	Items   int  `json:"items"`
	Feeds   int  `json:"feeds"`
	IsLeast bool `json:"isAtLeast"`
}

type foundItemJSON struct {
	itemJSON
	Highlight highlightJSON `json:"highlight"`
}

// highlightJSON has texts that are alternately outside and inside of a match, beginning outside: one alone where
// nothing matches.
type highlightJSON struct {
	Title []string `json:"title"`
	Text  []string `json:"text"`
}

// search answers a page of results. The words are in no log, metric or error.
func (s *Server) search(r *request) error {
	q := find.Query{Text: r.URL.Query().Get("q")}
	if r.URL.Query().Get("kana") == "" {
		p, err := s.Store.Preferences.Get(r.Context(), r.user)
		if err != nil {
			return err
		}
		q.Kana = p.FoldsKana()
	}
	return s.answerSearch(r, q)
}

// answerSearch answers a search with the parameters of the request.
func (s *Server) answerSearch(r *request, q find.Query) error {
	if err := s.searchable(); err != nil {
		return err
	}
	if err := s.searchQuery(r, &q); err != nil {
		return err
	}
	limit := s.limits.searches
	if q.IsOfTitles() {
		limit = s.limits.typed
	}
	if err := limit.take(string(r.user)); err != nil {
		return err
	}
	p, err := s.Find.Search(r.Context(), r.user, q)
	if err != nil {
		return err
	}
	out := foundPageJSON{Items: make([]foundItemJSON, len(p.Items)), Next: orNull(p.Next), AsOf: orNull(p.AsOf),
		State: "ready", Reached: moment(p.Reached)}
	if p.IsBuilding {
		out.State = "building"
	}
	if q.Cursor == "" {
		out.Total = new(totalJSON(p.Total))
	}
	bookmarks := s.counts(r)
	for i := range p.Items {
		it := &p.Items[i]
		out.Items[i] = foundItemJSON{item(&it.Entry, p.Feed(it.Feed).FeedRow(), bookmarks),
			highlightJSON{pieces(it.Title, it.Header.Title), pieces(it.Text, it.Header.Snippet)}}
	}
	return r.json(http.StatusOK, out)
}

// pieces returns a text cut at its matches, or whole.
func pieces(h query.Highlight, text string) []string {
	if h == nil {
		return []string{text}
	}
	return h
}

func (s *Server) searchable() error {
	if s.Find.Mode() == search.Off {
		return fault.Coded(fault.NotFound, "search_off")
	}
	return nil
}

// searchQuery parses the parameters of searches but q. Absent parameters leave their part as it is.
func (s *Server) searchQuery(r *request, q *find.Query) (err error) {
	v := r.URL.Query()
	feed, folder := v.Get("feed"), v.Get("folder")
	if feed != "" && folder != "" {
		return ambiguous()
	}
	if feed != "" || folder != "" {
		q.Scope = stream.Scope{}
	}
	if feed != "" {
		if q.Feed, err = parseFeedID(feed); err != nil {
			return err
		}
	}
	if folder != "" {
		if q.Folder, err = parseFolderID(folder); err != nil {
			return err
		}
	}
	if f := v.Get("filter"); f != "" || q.Filter == "" {
		if q.Filter, err = reader.ParseFilter(f); err != nil {
			return err
		}
	}
	if sort := v.Get("sort"); sort != "" {
		if q.Sort, err = library.ParseSearchSort(sort); err != nil {
			return err
		}
	}
	if q.Zone, err = zone(v.Get("tz")); err != nil {
		return err
	}
	if q.From, err = dayStart(v.Get("from"), q.Zone, "from"); err != nil {
		return err
	}
	if q.To, err = dayStart(v.Get("to"), q.Zone, "to"); err != nil {
		return err
	}
	if kana := v.Get("kana"); kana != "" {
		if q.Kana, err = foldsKana(kana); err != nil {
			return err
		}
	}
	q.Limit, err = r.limit()
	q.Since, q.Cursor, q.Fresh = v.Get("since"), v.Get("cursor"), r.isFresh()
	return err
}

// foldsKana parses how kana are compared, and reports whether katakana and hiragana are the same.
func foldsKana(kana string) (bool, error) {
	switch kana {
	case "fold", "exact":
		return kana == "fold", nil
	}
	return false, fault.Coded(fault.Invalid, "bad_kana").At("kana")
}

// zone parses a time zone: minutes east of UTC. Names of zones would need a database that not every machine has.
func zone(minutes string) (*time.Location, error) {
	if minutes == "" {
		return time.UTC, nil
	}
	n, err := strconv.Atoi(minutes)
	if err != nil || n < -14*60 || n > 14*60 {
		return nil, fault.Coded(fault.Invalid, "bad_time_zone").At("tz")
	}
	return time.FixedZone("", n*60), nil
}

// dayStart parses a day and returns its start in Unix seconds; 0 without one.
func dayStart(day string, in *time.Location, field string) (int64, error) {
	if day == "" {
		return 0, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, day, in)
	if err != nil {
		return 0, fault.Coded(fault.Invalid, "bad_search_day").At(field)
	}
	return t.Unix(), nil
}

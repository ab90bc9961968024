package api

import (
	"cmp"
	"math"
	"net/http"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular/explore"
)

func (s *Server) entryRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/entries/new", Handle: s.newEntries},
		{Method: "GET", Path: "/api/entries/hot", Handle: s.hotEntries},
		{Method: "GET", Path: "/api/tags", Handle: s.tags},
		{Method: "GET", Path: "/api/tags/{tag}/entries", Handle: s.tagEntries},
	}
}

type entriesJSON struct {
	Entries []entryJSON `json:"entries"`
	Next    *string     `json:"nextCursor"`
	State   string      `json:"state"` // off, collecting, ready
	Counted moment      `json:"countedAt"`
	Related []tagJSON   `json:"relatedTags"`
	Yahoo   bool        `json:"namesYahoo"`
}

// tagJSON is a tag of several entries.
type tagJSON struct {
	Name    string  `json:"name"`
	Entries int     `json:"entries"`
	Score   float64 `json:"score"`
}

// entryTagJSON is a tag of one.
type entryTagJSON struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// entryJSON is a page that feeds list. Its item is the first that listed it.
type entryJSON struct {
	ID            *string        `json:"id"`
	Host          string         `json:"host"`
	BookmarkCount *int           `json:"bookmarkCount"`
	Growth        *int           `json:"growth"`
	Tags          []entryTagJSON `json:"tags"`
	Item          itemJSON       `json:"item"`
}

func (s *Server) newEntries(r *request) error {
	return s.answerEntries(r, explore.Query{Order: explore.Newest})
}

func (s *Server) hotEntries(r *request) error {
	q := explore.Query{Order: explore.Hot}
	switch r.URL.Query().Get("order") {
	case "", "count":
	case "rising":
		q.Order = explore.Rising
	default:
		return fault.Coded(fault.Invalid, "bad_hot_order").At("order")
	}
	return s.answerEntries(r, q)
}

// tagEntries answers the entries with a tag, the newest first.
func (s *Server) tagEntries(r *request) error {
	return s.answerEntries(r, explore.Query{Order: explore.Newest, Tag: r.PathValue("tag")})
}

// tags answers the tags of the user's feeds.
func (s *Server) tags(r *request) error {
	p, err := explore.ParsePeriod(r.URL.Query().Get("period"), explore.Month)
	if err != nil {
		return err
	}
	list, err := s.Explore.Tags(r.Context(), r.user, p, r.isFresh())
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, struct {
		Tags  []tagJSON `json:"tags"`
		State string    `json:"state"`
		Yahoo bool      `json:"namesYahoo"`
	}{sums(list.Tags), string(list.State), s.Explore.NamesYahoo(r.Context())})
}

func sums(list []explore.TagSum) []tagJSON {
	out := make([]tagJSON, len(list))
	for i, t := range list {
		out[i] = tagJSON{t.Name, t.Entries, math.Round(1000*t.Score) / 1000}
	}
	return out
}

// maxThreshold is more than anything is bookmarked.
const maxThreshold = 1_000_000

// answerEntries answers a page of entries, with the parameters of the request: ?threshold= ?period= ?tag= ?limit=
// ?offset= ?cursor=. The threshold is 1, and 0 for the entries with a tag.
func (s *Server) answerEntries(r *request, q explore.Query) (err error) {
	v := r.URL.Query()
	q.Tag = cmp.Or(q.Tag, v.Get("tag"))
	least := 1
	if q.Tag != "" && q.Order == explore.Newest {
		least = 0
	}
	if q.Period, err = explore.ParsePeriod(v.Get("period"), explore.Ever); err != nil {
		return err
	}
	if q.Threshold, err = r.number("threshold", maxThreshold, least,
		fault.Coded(fault.Invalid, "bad_threshold")); err != nil {
		return err
	}
	if q.Offset, err = r.number("offset", explore.MaxOffset, 0,
		fault.Coded(fault.Invalid, "bad_offset", explore.MaxOffset)); err != nil {
		return err
	}
	if q.Limit, err = r.limit(); err != nil {
		return err
	}
	q.Cursor, q.Fresh = v.Get("cursor"), r.isFresh()
	p, err := s.Explore.Entries(r.Context(), r.user, q)
	if err != nil {
		return err
	}
	out := entriesJSON{Entries: make([]entryJSON, len(p.Entries)), Next: orNull(p.Next), State: string(p.State),
		Counted: moment(p.Counted), Related: sums(p.Related), Yahoo: s.Explore.NamesYahoo(r.Context())}
	for i := range p.Entries {
		out.Entries[i] = entry(&p.Entries[i], &p)
	}
	return r.json(http.StatusOK, out)
}

func entry(e *explore.Entry, p *explore.Page) entryJSON {
	out := entryJSON{
		ID: orNull(e.Page), Host: fetch.HostOf(e.Header.Link), Growth: orNull(e.Grew),
		Item: item(&e.Entry, p.Feed(e.Feed).FeedRow(), p.Counts),
		Tags: make([]entryTagJSON, len(e.Tags)),
	}
	for i, t := range e.Tags {
		out.Tags[i] = entryTagJSON{t.Name, t.Score}
	}
	if e.IsCounted {
		out.BookmarkCount = &e.N
	}
	return out
}

// number parses a query parameter from 0 to most; the error is bad for another value.
func (r *request) number(name string, most, absent int, bad *fault.Error) (int, error) {
	if r.URL.Query().Get(name) == "0" {
		return 0, nil
	}
	return r.count(name, most, absent, bad)
}

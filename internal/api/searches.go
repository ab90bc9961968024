package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/find"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/stream"
)

// searchJSON is a saved search.
type searchJSON struct {
	ID     numberJSON     `json:"id"`
	Name   string         `json:"name"`
	Query  string         `json:"q"`
	Feed   *reader.FeedID `json:"feed"`
	Folder *numberJSON    `json:"folder"`
	Filter string         `json:"filter"`
	Sort   string         `json:"sort"` // date, best, popular
	Kana   string         `json:"kana"` // fold, exact
}

// searchInput is a search to be saved.
type searchInput struct {
	Name   string           `json:"name" required:"true"`
	Query  string           `json:"q" required:"true"`
	Feed   *reader.FeedID   `json:"feed"`
	Folder optional[string] `json:"folder"`
	Filter string           `json:"filter"`
	Sort   string           `json:"sort"`
	Kana   string           `json:"kana"`
}

func searchShape(x library.Search) searchJSON {
	out := searchJSON{
		ID: numberJSON(x.ID), Name: x.Name, Query: x.Query, Feed: orNull(x.Feed), Folder: orNull(numberJSON(x.Folder)),
		Filter: x.Filter, Sort: string(x.Sort), Kana: "exact",
	}
	if x.Kana {
		out.Kana = "fold"
	}
	return out
}

func searchShapes(l library.Searches) []searchJSON { return mapped(l.List, searchShape) }

// search parses a search, except whether its feed or folder exists.
func (in *searchInput) search() (out library.Search, err error) {
	if out.Name, err = library.Name(in.Name); err != nil {
		return out, err
	}
	out.Query = in.Query
	if _, err = find.Parse(in.Query, query.Options{}); err != nil {
		return out, err
	}
	if in.Feed != nil {
		out.Feed = *in.Feed
	}
	if in.Folder.value != nil {
		if out.Folder, err = parseFolderID(*in.Folder.value); err != nil {
			return out, err
		}
	}
	if out.Feed != 0 && out.Folder != 0 {
		return out, ambiguous()
	}
	f, err := stream.ParseFilter(in.Filter)
	if err != nil {
		return out, err
	}
	out.Filter = string(f)
	if out.Sort, err = library.ParseSearchSort(in.Sort); err != nil {
		return out, err
	}
	if in.Kana != "" {
		out.Kana, err = foldsKana(in.Kana)
	}
	return out, err
}

// scoped is search for a feed or a folder that exists.
func (s *Server) scoped(r *request, in *searchInput) (library.Search, error) {
	out, err := in.search()
	if err == nil {
		err = s.Streams.HasScope(r.Context(), r.user, stream.Scope{Feed: out.Feed, Folder: out.Folder})
	}
	return out, err
}

func (s *Server) listSearches(r *request) error {
	list, err := s.Store.Searches.Get(r.Context(), r.user)
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) changeSearches(r *request, change func(*library.Searches) error) error {
	list, err := s.Store.Searches.Change(r.Context(), r.user, change)
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) addSearch(r *request, in searchInput) error {
	if err := s.searchable(); err != nil {
		return err
	}
	made, err := s.scoped(r, &in)
	if err != nil {
		return err
	}
	list, err := s.Store.Searches.Change(r.Context(), r.user, func(l *library.Searches) (err error) {
		made, err = l.Add(made)
		return err
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": numberJSON(made.ID), "searches": searchShapes(list)})
}

func (s *Server) changeSearch(r *request, in searchInput) error {
	next, err := s.scoped(r, &in)
	if err != nil {
		return err
	}
	next.ID = r.search
	return s.changeSearches(r, func(l *library.Searches) error { return l.Replace(next) })
}

func (s *Server) deleteSearch(r *request) error {
	list, err := s.Store.Searches.Change(r.Context(), r.user, func(l *library.Searches) error {
		return l.Delete(r.search)
	})
	if err == nil {
		err = s.Webhooks.SearchDeleted(r.Context(), r.user, r.search)
	}
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) orderSearches(r *request, in struct {
	IDs []string `json:"ids" required:"true"`
}) error {
	ids, err := parseIDs(in.IDs, parseSearchID)
	if err != nil {
		return err
	}
	return s.changeSearches(r, func(l *library.Searches) error { return l.Order(ids) })
}

// saved reads the saved search that the path names.
func (s *Server) saved(r *request) (library.Search, error) {
	list, err := s.Store.Searches.Get(r.Context(), r.user)
	if err != nil {
		return library.Search{}, err
	}
	return list.Get(r.search)
}

// listSearch answers a page of what a saved search finds. Parameters of the request replace what was saved.
func (s *Server) listSearch(r *request) error {
	x, err := s.saved(r)
	if err != nil {
		return err
	}
	return s.answerSearch(r, find.Query{
		Text: x.Query, Scope: stream.Scope{Feed: x.Feed, Folder: x.Folder}, Filter: stream.Filter(x.Filter),
		Sort: x.Sort, Kana: x.Kana,
	})
}

// markSearchRead marks items that a saved search showed.
func (s *Server) markSearchRead(r *request, in struct {
	IDs []itemRef `json:"ids" required:"true"`
}) error {
	if _, err := s.saved(r); err != nil {
		return err
	}
	if len(in.IDs) > stream.MaxFlush {
		return fault.Coded(fault.Invalid, "too_many_items", stream.MaxFlush).At("ids")
	}
	read := true
	c := stream.BulkChange{Change: stream.Change{Read: &read}}
	for _, one := range in.IDs {
		if one.id != 0 {
			c.IDs = append(c.IDs, one.id)
		}
	}
	done, err := s.Streams.Flush(r.Context(), r.user, stream.Flush{Changes: []stream.BulkChange{c}, Remember: true})
	if err != nil {
		return err
	}
	return s.answerMarkedAll(r, done.Feeds, done.Undo)
}

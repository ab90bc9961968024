package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
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
		Filter: string(x.Filter), Sort: string(x.Sort), Kana: "exact",
	}
	if x.Kana {
		out.Kana = "fold"
	}
	return out
}

func searchShapes(l library.Searches) []searchJSON { return mapped(l.List, searchShape) }

func (in *searchInput) search() (out library.Search, err error) {
	out = library.Search{Name: in.Name, Query: in.Query, Filter: reader.Filter(in.Filter),
		Sort: library.SearchSort(in.Sort)}
	if in.Feed != nil {
		out.Feed = *in.Feed
	}
	if in.Folder.value != nil {
		if out.Folder, err = parseFolderID(*in.Folder.value); err != nil {
			return out, err
		}
	}
	if in.Kana != "" {
		out.Kana, err = foldsKana(in.Kana)
	}
	return out, err
}

func (s *Server) listSearches(r *request) error {
	list, err := s.Store.Searches.Get(r.Context(), r.user)
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) addSearch(r *request, in searchInput) error {
	if err := s.searchable(); err != nil {
		return err
	}
	x, err := in.search()
	if err != nil {
		return err
	}
	list, id, err := s.library.AddSearch(r.Context(), r.user, x)
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": numberJSON(id), "searches": searchShapes(list)})
}

func (s *Server) changeSearch(r *request, in searchInput) error {
	x, err := in.search()
	if err != nil {
		return err
	}
	x.ID = r.search
	list, err := s.library.ReplaceSearch(r.Context(), r.user, x)
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) deleteSearch(r *request) error {
	list, err := s.library.DeleteSearch(r.Context(), r.user, r.search)
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

func (s *Server) orderSearches(r *request, in struct {
	IDs []string `json:"ids" required:"true"`
}) error {
	ids, err := parseIDs(in.IDs, parseSearchID)
	if err != nil {
		return err
	}
	list, err := s.Store.Searches.Change(r.Context(), r.user, func(l *library.Searches) error { return l.Order(ids) })
	return answerOne(r, http.StatusOK, "searches", list, searchShapes, err)
}

// saved reads the saved search that the path names.
func (s *Server) saved(r *request) (library.Search, error) {
	list, err := s.Store.Searches.Get(r.Context(), r.user)
	if err != nil {
		return library.Search{}, err
	}
	return list.Get(r.search)
}

// listSearch answers a page of a saved search's results. Parameters of the request replace those of the search.
func (s *Server) listSearch(r *request) error {
	x, err := s.saved(r)
	if err != nil {
		return err
	}
	return s.answerSearch(r, find.Query{
		Text: x.Query, Scope: stream.Scope{Feed: x.Feed, Folder: x.Folder}, Filter: x.Filter,
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

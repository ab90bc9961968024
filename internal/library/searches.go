package library

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// MaxSearches limits the saved searches of a user: all of them are one row.
const MaxSearches = 50

// Search is a search that a user saved.
type Search struct {
	ID   reader.SearchID `json:"id"`
	Name string          `json:"name"`
	// Query is the search as typed: valid when it was saved.
	Query string `json:"q"`
	// Feed or Folder is where to search; neither means all feeds that are not muted.
	Feed   reader.FeedID   `json:"feed,omitempty"`
	Folder reader.FolderID `json:"folder,omitempty"`
	Filter reader.Filter   `json:"filter,omitempty"`
	Sort   SearchSort      `json:"sort,omitempty"`
	Kana   bool            `json:"kana,omitempty"` // katakana and hiragana are the same
}

// check normalises a search and sets its defaults. Whether its feed or folder exists is not looked at.
func (x *Search) check() (err error) {
	if x.Name, err = Name(x.Name); err != nil {
		return err
	}
	if _, err = query.Parse(x.Query, query.Options{}); err != nil {
		return err
	}
	if x.Feed != 0 && x.Folder != 0 {
		return fault.Coded(fault.Invalid, "scope_ambiguous")
	}
	if x.Filter, err = reader.ParseFilter(string(x.Filter)); err != nil {
		return err
	}
	x.Sort, err = ParseSearchSort(string(x.Sort))
	return err
}

// SearchSort is the order of results.
type SearchSort string

// The orders.
const (
	ByDate       SearchSort = "date"    // newest first
	BestFirst    SearchSort = "best"    // titles that match come first
	PopularFirst SearchSort = "popular" // bookmarked items first, the greatest count leading
)

// ParseSearchSort parses an order; an empty one is ByDate.
func ParseSearchSort(s string) (SearchSort, error) {
	switch o := SearchSort(s); o {
	case "":
		return ByDate, nil
	case ByDate, BestFirst, PopularFirst:
		return o, nil
	}
	return "", fault.Coded(fault.Invalid, "bad_search_sort").At("sort")
}

// Searches are a user's saved searches, in order. Operations change them in place, or leave them unchanged and return a
// fault. The zero value has none.
type Searches struct {
	List []Search        `json:"list,omitempty"`
	Last reader.SearchID `json:"last,omitempty"` // the highest number ever used
}

// Get returns a search; fault.NotFound when there is none.
func (s *Searches) Get(id reader.SearchID) (Search, error) {
	i := s.index(id)
	if i < 0 {
		return Search{}, searchGone()
	}
	return s.List[i], nil
}

// Add appends a search and returns it with its number.
func (s *Searches) Add(x Search) (Search, error) {
	if len(s.List) >= MaxSearches {
		return Search{}, fault.Coded(fault.Conflict, "saved_search_limit", MaxSearches)
	}
	s.Last++
	x.ID = s.Last
	s.List = append(s.List, x)
	return x, nil
}

// Merge adds searches of another installation, in their order, unless there is one that is the same. It returns an
// error for each that could not be added.
func (s *Searches) Merge(list []Search) (failed []error) {
	for _, x := range list {
		x.Name = cleanName(x.Name)
		err := x.check()
		same := func(have Search) bool {
			have.ID = 0
			return have == x
		}
		if err == nil && !slices.ContainsFunc(s.List, same) {
			_, err = s.Add(x)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

// Replace replaces the search with the number of another.
func (s *Searches) Replace(x Search) error {
	i := s.index(x.ID)
	if i < 0 {
		return searchGone()
	}
	s.List[i] = x
	return nil
}

// Delete removes a search.
func (s *Searches) Delete(id reader.SearchID) error {
	i := s.index(id)
	if i < 0 {
		return searchGone()
	}
	s.List = slices.Delete(s.List, i, i+1)
	return nil
}

// Order puts the searches that are named first; the others follow as they were.
func (s *Searches) Order(ids []reader.SearchID) error {
	for _, id := range ids {
		if s.index(id) < 0 {
			return searchGone()
		}
	}
	next, err := reorder(s.List, func(x Search) reader.SearchID { return x.ID }, ids)
	if err == nil {
		s.List = next
	}
	return err
}

// MoveFeed lets the searches in a feed search in another.
func (s *Searches) MoveFeed(from, to reader.FeedID) {
	for i := range s.List {
		if s.List[i].Feed == from {
			s.List[i].Feed = to
		}
	}
}

func (s *Searches) index(id reader.SearchID) int {
	return slices.IndexFunc(s.List, func(x Search) bool { return x.ID == id })
}

func searchGone() error { return fault.Coded(fault.NotFound, "saved_search_not_found") }

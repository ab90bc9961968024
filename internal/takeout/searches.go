package takeout

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// searchJSON is a saved search, with the address of its feed or the path of its folder.
type searchJSON struct {
	Name    string   `json:"name"`
	Query   string   `json:"q"`
	FeedURL string   `json:"feedUrl,omitempty"`
	Folder  []string `json:"folderPath,omitempty"`
	Filter  string   `json:"filter,omitempty"`
	Sort    string   `json:"sort,omitempty"`
	Kana    bool     `json:"kana,omitempty"`
}

// filters are those that a saved search may have.
var filters = []string{"all", "unread", "starred", "hidden"}

// searches writes the saved searches, in order. One whose feed or folder is gone is left out: without it, it would
// search everything.
func (e *exporter) searches(ctx context.Context, now time.Time) error {
	list, err := e.store.Searches.Get(ctx, e.user)
	if err != nil {
		return err
	}
	out := []searchJSON{}
	for _, x := range list.List {
		j := searchJSON{Name: x.Name, Query: x.Query, Folder: e.tree.Path(x.Folder), Filter: x.Filter,
			Sort: string(x.Sort), Kana: x.Kana}
		if f := e.feeds[x.Feed]; f != nil {
			j.FeedURL = f.URL
		}
		if (x.Feed == 0 || j.FeedURL != "") && (x.Folder == 0 || len(j.Folder) > 0) {
			out = append(out, j)
		}
	}
	return e.file(searchesFile, now, out)
}

// searches adds the saved searches that the account does not have. Archives of older versions have none.
func (i *importer) searches(ctx context.Context) error {
	if i.files[searchesFile] == nil {
		return nil
	}
	var in []searchJSON
	if err := i.value(ctx, searchesFile, &in); err != nil {
		return err
	}
	if len(in) > library.MaxSearches {
		return tooLarge(searchesFile)
	}
	if len(in) == 0 {
		return nil
	}
	var failed []error
	_, err := i.store.Searches.Change(ctx, i.user, func(l *library.Searches) error {
		failed = nil
		for _, j := range in {
			x, err := i.search(j)
			if err == nil && !slices.ContainsFunc(l.List, func(have library.Search) bool {
				have.ID = 0
				return have == x
			}) {
				_, err = l.Add(x)
			}
			if err != nil {
				failed = append(failed, err)
			}
		}
		return nil
	})
	for _, one := range failed {
		i.fail("", one)
	}
	return err
}

// search replaces the address and the path by this installation's numbers.
func (i *importer) search(j searchJSON) (library.Search, error) {
	x := library.Search{Query: j.Query, Filter: j.Filter, Kana: j.Kana}
	if x.Filter == "" {
		x.Filter = filters[0]
	}
	var err error
	if x.Name, err = library.NameFrom(j.Name); err != nil {
		return x, err
	}
	if _, err := query.Parse(j.Query, query.Options{}); err != nil {
		return x, err
	}
	if x.Sort, err = library.ParseSearchSort(j.Sort); err != nil {
		return x, err
	}
	if !slices.Contains(filters, x.Filter) {
		return x, fault.Coded(fault.Invalid, "bad_filter")
	}
	if j.FeedURL != "" {
		f := i.feeds[j.FeedURL]
		if f == nil {
			return x, fault.Coded(fault.NotFound, "feed_not_found")
		}
		x.Feed = f.ID()
		return x, nil
	}
	folders, err := i.folders([][]string{j.Folder})
	if len(folders) > 0 {
		x.Folder = folders[0]
	}
	return x, err
}

package takeout

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
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

// searches writes the saved searches, in order. One whose feed or folder is gone is left out: without it, it would
// search everything.
func (e *exporter) searches(ctx context.Context) error {
	list, err := e.store.Searches.Get(ctx, e.user)
	if err != nil {
		return err
	}
	out := []searchJSON{}
	for _, x := range list.List {
		j := searchJSON{Name: x.Name, Query: x.Query, Folder: e.tree.Path(x.Folder), Filter: string(x.Filter),
			Sort: string(x.Sort), Kana: x.Kana}
		if f := e.feeds[x.Feed]; f != nil {
			j.FeedURL = f.URL
		}
		if (x.Feed == 0 || j.FeedURL != "") && (x.Folder == 0 || len(j.Folder) > 0) {
			out = append(out, j)
		}
	}
	return e.file(searchesFile, out)
}

// searches adds the saved searches that the account does not have.
func (i *importer) searches(ctx context.Context) error {
	if i.isBehind() || i.files[searchesFile] == nil {
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
	list := make([]library.Search, 0, len(in))
	for _, j := range in {
		x, err := i.search(ctx, j)
		if err != nil {
			if err = i.failLine("", err); err != nil {
				return err
			}
			continue
		}
		list = append(list, x)
	}
	var failed []error
	_, err := i.store.Searches.Change(ctx, i.user, func(l *library.Searches) error {
		failed = l.Merge(list)
		return nil
	})
	for _, one := range failed {
		i.fail("", one)
	}
	return err
}

// search replaces the address and the path by this installation's numbers.
func (i *importer) search(ctx context.Context, j searchJSON) (library.Search, error) {
	x := library.Search{Name: j.Name, Query: j.Query, Filter: reader.Filter(j.Filter), Sort: library.SearchSort(j.Sort),
		Kana: j.Kana}
	if j.FeedURL != "" {
		f, err := i.feed(ctx, j.FeedURL)
		if err != nil {
			return x, err
		}
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

package cleanup

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Every indexDays the segments of the index are listed. Jobs delete useless segments themselves, except after a stop of
// minutes: then a job may put a segment that no row names.
const indexDays = 30

// cleanIndex removes segments that the index does not name, once a month. An index that is off is removed at once.
func (r *run) cleanIndex(ctx context.Context) error {
	isTurn := r.until/indexDays != r.from/indexDays
	if !r.o.NoSearch && !isTurn {
		return nil
	}
	if r.o.NoSearch {
		row, err := r.store.Search.Get(ctx, false)
		if err != nil || !row.Exists() && !isTurn {
			return err
		}
	}
	named := map[string]bool{}
	var found []string
	err := r.eachPage(ctx, store.SearchPrefix, "", func(page []blob.Object, _ bool) (bool, error) {
		for _, o := range page {
			if r.o.NoSearch || o.Modified.Before(r.started.Add(-transitTime)) {
				found = append(found, o.Key)
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	if !r.o.NoSearch && len(found) > 0 {
		if named, err = r.namedSegments(ctx); err != nil {
			return err
		}
	}
	for _, key := range found {
		if !named[key] {
			if err := r.removeOrphans(ctx, key); err != nil {
				return err
			}
		}
	}
	if r.o.NoSearch {
		return r.store.Search.Remove(ctx)
	}
	return nil
}

// namedSegments returns the keys of the segments that the index has, makes or is about to delete.
func (r *run) namedSegments(ctx context.Context) (map[string]bool, error) {
	row, err := r.store.Search.Get(ctx, true)
	if err != nil {
		return nil, err
	}
	list, err := row.List()
	if err != nil {
		return nil, err
	}
	dropped, err := row.ListDropped()
	if err != nil {
		return nil, err
	}
	named := map[string]bool{store.SegmentKey(row.Making): true}
	for _, x := range list {
		named[store.SegmentKey(x.Name)] = true
	}
	for _, x := range dropped {
		named[store.SegmentKey(x.Name)] = true
	}
	return named, nil
}

package cleanup

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// removeOrphanedRaws removes the raw bodies that no delta and no feed row names. Bodies of today stay: the same bytes
// fetched again today would have the same key.
func (r *run) removeOrphanedRaws(ctx context.Context, keys []string) error {
	today := startOfDay(r.until)
	byFeed := map[string][]string{}
	for _, k := range keys {
		if day, feed, ok := store.ParseRawKey(k); ok && day.Before(today) {
			byFeed[feed] = append(byFeed[feed], k)
		}
	}
	if len(byFeed) == 0 {
		return nil
	}
	if err := r.loadFeeds(ctx); err != nil {
		return err
	}
	for _, feed := range slices.Sorted(maps.Keys(byFeed)) {
		if err := r.removeOrphanedRawsOf(ctx, feed, byFeed[feed]); err != nil {
			return err
		}
	}
	return nil
}

// loadFeeds reads all feeds, once in a run.
func (r *run) loadFeeds(ctx context.Context) error {
	if r.feeds != nil {
		return nil
	}
	feeds := map[string]feedRef{}
	r.icons = map[string]bool{}
	err := r.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.IsWatch() && !f.Damaged { // which has no raw bodies, and may have the address of a feed
			feeds[store.RawFeedHash(f.URL)] = feedRef{f.ID(), f.Raw}
		}
		r.icons[store.IconBlobKey(f.IconHash)] = true
		if f.Loose > 0 {
			r.loose = append(r.loose, f)
		}
		return nil
	})
	if err == nil {
		r.feeds = feeds
	}
	return err
}

// removeOrphanedRawsOf checks bodies of one feed: first by cheap reads, which find nearly all names, then by consistent
// ones.
func (r *run) removeOrphanedRawsOf(ctx context.Context, folder string, keys []string) error {
	feed, ok := r.feeds[folder]
	if !ok {
		// The feed has a new address, or its row was not seen yet: the blob's metadata names the feed.
		id, err := r.owner(ctx, keys[0])
		if err != nil || id == 0 {
			return err
		}
		feed.id = id
	}
	left := make(map[string]bool, len(keys))
	for _, k := range keys {
		left[k] = true
	}
	delete(left, feed.raw)
	named := func(d *store.DeltaRow) (bool, error) {
		keys, err := bodies(d)
		for _, k := range keys {
			delete(left, k)
		}
		return len(left) > 0, err
	}
	if err := r.store.Items.Descend(ctx, feed.id, 0, named); err != nil || len(left) == 0 {
		return err
	}
	row, err := r.store.Feeds.Get(ctx, feed.id, true)
	switch {
	case err == nil:
		delete(left, row.Raw)
	case store.IsDamaged(err):
		return nil // perhaps it names one of them
	case !fault.Is(err, fault.NotFound):
		return err
	}
	if err := r.store.Items.DescendLatest(ctx, feed.id, named); err != nil {
		return err
	}
	return r.removeOrphans(ctx, slices.Sorted(maps.Keys(left))...)
}

// bodies returns the keys of the raw bodies that a delta names; some may be empty.
func bodies(d *store.DeltaRow) ([]string, error) {
	hs, err := d.Headers()
	keys := []string{d.Raw}
	for _, h := range hs {
		keys = append(keys, h.Raw)
	}
	return keys, err
}

// removeLoose removes the bodies that headers named until items were edited.
func (r *run) removeLoose(ctx context.Context) error {
	if err := r.loadFeeds(ctx); err != nil {
		return err
	}
	for _, f := range r.loose {
		if err := r.removeLooseOf(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) removeLooseOf(ctx context.Context, f *store.FeedRow) error {
	named := map[string]bool{}
	var deltas []*store.DeltaRow
	err := r.store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		keys, err := bodies(d)
		for _, k := range keys {
			named[k] = true
		}
		if len(d.Loose) > 0 {
			deltas = append(deltas, d)
		}
		return true, err
	})
	if err != nil {
		return err
	}
	later := false
	for _, d := range deltas {
		var left []string
		for _, k := range d.Loose {
			day, _, ok := store.ParseRawKey(k)
			switch {
			case named[k] || !ok:
			case day.Before(startOfDay(r.until)):
				if err := r.removeOrphans(ctx, k); err != nil {
					return err
				}
			default:
				left = append(left, k) // the same bytes may be fetched again today
			}
		}
		later = later || len(left) > 0
		if len(left) == len(d.Loose) {
			continue
		}
		err := r.store.Items.SetLoose(ctx, d, left)
		if later = later || fault.Is(err, fault.Conflict); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	if later {
		return nil
	}
	next := *f
	next.Loose = 0
	_, err = r.store.Feeds.Change(ctx, f, &next, store.SameLoose)
	return fault.Ignore(err, fault.Conflict) // edited again meanwhile
}

// owner returns the feed that a raw body's metadata names; 0 without one, or when the body is gone.
func (r *run) owner(ctx context.Context, key string) (reader.FeedID, error) {
	m, err := r.blobs.Stat(ctx, key)
	if err != nil {
		return 0, fault.Ignore(err, fault.NotFound)
	}
	n, err := strconv.ParseUint(m.User["feedid"], 10, 32)
	if err != nil {
		return 0, nil //nolint:nilerr // without a known feed the body is kept
	}
	return reader.FeedID(n), nil
}

// removeOrphanedStars removes the bodies of stars and labels whose row is gone or names another body. Bodies with an
// unknown form of key stay.
func (r *run) removeOrphanedStars(ctx context.Context, keys []string) error {
	for _, k := range keys {
		u, label, id, ok := store.ParseSnapshotBlobKey(k)
		if !ok {
			continue
		}
		// The cheap read first, and a consistent one before anything is removed.
		row, err := r.store.Snapshots.Get(ctx, u, label, id)
		if err == nil && row.Blob != k || fault.Is(err, fault.NotFound) {
			row, err = r.store.Snapshots.Latest(ctx, u, label, id)
		}
		if err = fault.Ignore(err, fault.NotFound); err == nil && (row == nil || row.Blob != k) {
			err = r.removeOrphans(ctx, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package tidy

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// raws removes those of some raw bodies that no delta and no feed row names. A body of today is left alone: the same
// bytes fetched again today would have the same key.
func (r *run) raws(ctx context.Context, keys []string) error {
	today := r.today()
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
		if err := r.rawsOf(ctx, feed, byFeed[feed]); err != nil {
			return err
		}
	}
	return nil
}

// loadFeeds reads how the feeds' folders are named, once in a run.
func (r *run) loadFeeds(ctx context.Context) error {
	if r.feeds != nil {
		return nil
	}
	feeds := map[string]feedRef{}
	r.named = map[string]bool{}
	err := r.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		feeds[store.RawFeedHash(f.URL)] = feedRef{f.ID(), f.Raw}
		r.named[store.IconBlobKey(f.IconHash)] = true
		if f.Loose > 0 {
			r.loosed = append(r.loosed, f)
		}
		return nil
	})
	if err == nil {
		r.feeds = feeds
	}
	return err
}

// rawsOf judges bodies of one feed: by a cheap look, which clears nearly all, then what is left by the latest state.
func (r *run) rawsOf(ctx context.Context, folder string, keys []string) error {
	feed, ok := r.feeds[folder]
	if !ok {
		// The feed has another address since, or its row is not seen yet: the blob knows whose it is.
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
		delete(left, d.Raw)
		hs, err := d.Headers()
		for _, h := range hs {
			delete(left, h.Raw)
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
	case !fault.Is(err, fault.NotFound):
		return err
	}
	if err := r.store.Items.DescendLatest(ctx, feed.id, named); err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(left)) {
		if err := r.remove(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// today is when the day began on which the run was started.
func (r *run) today() time.Time {
	return schedule.Tick(schedule.DayOf(schedule.TickOf(r.started)) * int32(schedule.TicksPerDay)).Start()
}

// loose removes what edits of items left behind: bodies of any day that a header named until a later edit.
func (r *run) loose(ctx context.Context) error {
	if err := r.loadFeeds(ctx); err != nil {
		return err
	}
	for _, f := range r.loosed {
		if err := r.looseOf(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) looseOf(ctx context.Context, f *store.FeedRow) error {
	named := map[string]bool{}
	var deltas []*store.DeltaRow
	err := r.store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		named[d.Raw] = true
		hs, err := d.Headers()
		for _, h := range hs {
			named[h.Raw] = true
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
			case day.Before(r.today()):
				if err := r.remove(ctx, k); err != nil {
					return err
				}
			default:
				left = append(left, k) // the same bytes may come again today
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
	_, err = r.store.Feeds.Update(ctx, f.ID(), store.Patch{"loose": int64(0)}, table.IfEqual("loose", f.Loose))
	if fault.Is(err, fault.Conflict) {
		return nil // edited again meanwhile
	}
	return err
}

// owner is the feed that a raw body says it is of; 0 when it does not say, or is gone.
func (r *run) owner(ctx context.Context, key string) (reader.FeedID, error) {
	m, err := r.blobs.Stat(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(m.User["feedid"], 10, 32)
	if err != nil {
		return 0, nil //nolint:nilerr // nobody's we know of: what cannot be judged is kept
	}
	return reader.FeedID(n), nil
}

// stars removes the bodies of stars and labels whose row is gone or names another.
func (r *run) stars(ctx context.Context, keys []string) error {
	for _, k := range keys {
		gets := r.keptRow(k)
		named := gets == nil
		// The cheap look first, and the latest state before anything is removed.
		for _, get := range gets {
			row, err := get(ctx)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
			if named = err == nil && row.Blob == k; named {
				break
			}
		}
		if named {
			continue
		}
		if err := r.remove(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// keptRow gives the ways to read the row that a body is of, the cheap one first; none for a key of a shape that we do
// not know.
func (r *run) keptRow(key string) []func(context.Context) (*store.StarRow, error) {
	if u, id, ok := store.ParseStarBlobKey(key); ok {
		return []func(context.Context) (*store.StarRow, error){
			func(ctx context.Context) (*store.StarRow, error) { return r.store.Stars.Get(ctx, u, id) },
			func(ctx context.Context) (*store.StarRow, error) { return r.store.Stars.Latest(ctx, u, id) },
		}
	}
	if u, label, id, ok := store.ParseLabelBlobKey(key); ok {
		return []func(context.Context) (*store.StarRow, error){
			func(ctx context.Context) (*store.StarRow, error) { return r.store.Labels.Get(ctx, u, label, id) },
			func(ctx context.Context) (*store.StarRow, error) { return r.store.Labels.Latest(ctx, u, label, id) },
		}
	}
	return nil
}

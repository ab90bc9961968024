package tidy

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// passing is how long a blob on its way may take.
const passing = 24 * time.Hour

// expireBlobs removes blobs past their time, where no bucket's lifecycle does. A raw body that was put again
// (refresh) is as young as its last putting.
func (r *run) expireBlobs(ctx context.Context) error {
	err := r.expireIn(ctx, store.RawPrefix, RawDays*24*time.Hour)
	for _, folder := range []string{store.ImportPrefix, store.PushPrefix} {
		if err == nil {
			err = r.expireIn(ctx, folder, passing)
		}
	}
	return err
}

func (r *run) expireIn(ctx context.Context, folder string, age time.Duration) error {
	oldest, cursor := r.started.Add(-age), ""
	for {
		page, next, err := r.blobs.List(ctx, folder, cursor, 0)
		if err != nil {
			return err
		}
		for _, o := range page {
			// The folders of raw bodies are in order of days, and none is older than its key says.
			if day, _, ok := store.ParseRawKey(o.Key); ok && !day.Before(oldest) {
				return nil
			}
			if !o.Modified.Before(oldest) {
				continue
			}
			if err := r.blobs.Delete(ctx, o.Key); err != nil {
				return err
			}
			r.report.Expired++
		}
		if next == "" || r.late() {
			return nil // tomorrow is soon enough for the rest
		}
		cursor = next
	}
}

// icons removes icons that no feed names. One may be about to be named: those of the last day are left, and what is
// left over after a first look is judged again by a look at the feeds that begins after the listing.
func (r *run) icons(ctx context.Context) error {
	if err := r.loadFeeds(ctx); err != nil {
		return err
	}
	var doubtful []string
	err := r.eachBlob(ctx, store.IconPrefix, func(o blob.Object) {
		if _, ok := store.ParseIconBlobKey(o.Key); ok && !r.named[o.Key] && o.Modified.Before(r.started.Add(-passing)) {
			doubtful = append(doubtful, o.Key)
		}
	})
	if err != nil || len(doubtful) == 0 {
		return err
	}
	named := map[string]bool{}
	err = r.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		named[store.IconBlobKey(f.IconHash)] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range doubtful {
		if named[key] {
			continue
		}
		// Who names it anew puts it anew before.
		m, err := r.blobs.Stat(ctx, key)
		if err == nil && !m.Modified.Before(r.started.Add(-passing)) || fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := r.remove(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// eachBlob lists a folder whole.
func (r *run) eachBlob(ctx context.Context, folder string, each func(blob.Object)) error {
	for cursor := ""; ; {
		page, next, err := r.blobs.List(ctx, folder, cursor, 0)
		if err != nil {
			return err
		}
		for _, o := range page {
			each(o)
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

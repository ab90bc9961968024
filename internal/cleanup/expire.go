package cleanup

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// transitTime bounds the duration of a write of several steps, such as an import.
const transitTime = 24 * time.Hour

// expireBlobs removes blobs past their retention, where no lifecycle of the bucket does. The age of a raw body counts
// from its last write (refresh).
func (r *run) expireBlobs(ctx context.Context) error {
	err := r.expireIn(ctx, store.RawPrefix, RawDays*24*time.Hour)
	for _, folder := range []string{store.ImportPrefix, store.PushPrefix, store.PreviewPrefix} {
		if err == nil {
			err = r.expireIn(ctx, folder, transitTime)
		}
	}
	return err
}

func (r *run) expireIn(ctx context.Context, folder string, age time.Duration) error {
	oldest := r.started.Add(-age)
	return r.eachPage(ctx, folder, "", func(page []blob.Object, _ bool) (bool, error) {
		for _, o := range page {
			// Raw bodies are listed in order of days, and none is older than its key says.
			if day, _, ok := store.ParseRawKey(o.Key); ok && !day.Before(oldest) {
				return false, nil
			}
			if !o.Modified.Before(oldest) {
				continue
			}
			if err := r.blobs.Delete(ctx, o.Key); err != nil {
				return false, err
			}
			r.report.Expired++
		}
		return !r.isOverBudget(), nil // tomorrow is soon enough for the rest
	})
}

// removeUnusedIcons removes icons that no feed names. Those of the last day stay, because a row may be about to name
// them: it does so within half a day after the icon was last written (package icon).
func (r *run) removeUnusedIcons(ctx context.Context) error {
	isOld := func(modified time.Time) bool { return modified.Before(r.started.Add(-transitTime)) }
	var candidates []string
	err := r.eachPage(ctx, store.IconPrefix, "", func(page []blob.Object, _ bool) (bool, error) {
		for _, o := range page {
			if _, ok := store.ParseIconBlobKey(o.Key); ok && isOld(o.Modified) {
				candidates = append(candidates, o.Key)
			}
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	if err := r.loadFeeds(ctx); err != nil {
		return err
	}
	for _, key := range candidates {
		if r.icons[key] {
			continue
		}
		m, err := r.blobs.Stat(ctx, key)
		if err == nil && isOld(m.Modified) {
			err = r.removeOrphans(ctx, key)
		}
		if fault.Ignore(err, fault.NotFound) != nil {
			return err
		}
	}
	return nil
}

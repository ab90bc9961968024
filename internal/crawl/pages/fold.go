package pages

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

const (
	// Changes are folded when they are foldAfter ticks old: the chains of that time have ended.
	foldAfter = 2
	// They are folded after foldLatest at the latest, before rows of silent changes expire.
	foldLatest = 30 * 24 * time.Hour
	// A base is written again without changes after renewAfter, before it expires.
	renewAfter = store.BaseLife / 2
)

// fold writes a new base of a watch's results when it is due, and before it the months of history with the same
// changes. A crash anywhere leads to the same bytes when it is repeated.
func (p *Pages) fold(ctx context.Context, f *store.FeedRow, set *watch.Settings, r *comparison) error {
	now := p.Clock.Now()
	upTo := schedule.TickOf(now) - foldAfter
	since := r.since()
	isOld := func(c *watch.Changes) bool { return !c.IsEmpty() && c.At < now.Add(-foldLatest).UnixMilli() }
	isRipe := func(c *watch.Changes) bool { return c.Tick <= upTo }
	isDue := (watch.NeedsBase(since) || slices.ContainsFunc(since, isOld)) && slices.ContainsFunc(since, isRipe)
	if !isDue && !r.log.IsOld(schedule.TickOf(now.Add(-renewAfter))) {
		return nil
	}
	id := f.ID()
	log, err := p.Store.Watches.Log(ctx, f, true)
	if err != nil || log.Orphan != nil { // its changes belong to this time
		return err
	}
	before, err := log.Base()
	if err != nil {
		return err
	}
	st, folded, err := log.Fold(upTo)
	if err != nil {
		return err
	}
	months, err := watch.Record(before, folded, func(month string) (*watch.History, error) {
		return p.Store.Watches.History(ctx, id, month)
	})
	for month, h := range months {
		if err == nil {
			err = p.Store.Watches.PutHistory(ctx, id, month, h)
		}
	}
	if err == nil {
		err = p.Store.Watches.PutBase(ctx, id, log, st)
	}
	if err == nil && set.Months > 0 {
		err = p.Store.Watches.DropHistory(ctx, id, watch.Month(now.AddDate(0, -set.Months, 0).Unix()), st.Needs)
	}
	return err
}

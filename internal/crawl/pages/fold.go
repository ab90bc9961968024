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
	if !p.isDue(r.log, r.since()) {
		return nil
	}
	return p.foldNow(ctx, f, set)
}

// Fold folds old changes of a watch whose page has not been read for long: it is paused, or its site fails. Rows of
// silent changes expire, and what they say of results would be lost.
func (p *Pages) Fold(ctx context.Context, f *store.FeedRow) error {
	log, err := p.Store.Watches.Log(ctx, f, false)
	if err != nil || !p.isDue(log, log.Changes()) {
		return err
	}
	row, err := p.Store.Watches.Settings(ctx, f.ID())
	if err != nil {
		return err
	}
	set, err := row.Decode()
	if err != nil {
		return err
	}
	return p.foldNow(ctx, f, set)
}

// isDue reports whether a watch needs a new base, for these changes since the one that it has or for its age.
func (p *Pages) isDue(log *store.WatchLog, since []*watch.Changes) bool {
	now := p.Clock.Now()
	isOld := func(c *watch.Changes) bool { return !c.IsEmpty() && c.At < now.Add(-foldLatest).UnixMilli() }
	isRipe := func(c *watch.Changes) bool { return c.Tick <= schedule.TickOf(now)-foldAfter }
	return (watch.NeedsBase(since) || slices.ContainsFunc(since, isOld)) && slices.ContainsFunc(since, isRipe) ||
		log.IsOld(schedule.TickOf(now.Add(-renewAfter)))
}

func (p *Pages) foldNow(ctx context.Context, f *store.FeedRow, set *watch.Settings) error {
	now, id := p.Clock.Now(), f.ID()
	upTo := schedule.TickOf(now) - foldAfter
	log, err := p.Store.Watches.Log(ctx, f, true)
	if err != nil {
		return err
	}
	if log.Orphan != nil {
		ch, err := watch.DecodeChanges(log.Orphan.Changes)
		if err != nil {
			return err
		}
		upTo = min(upTo, ch.Tick-1) // a base that has the time of an orphan would hide its changes once they count
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

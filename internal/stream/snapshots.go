package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxScanned is how many snapshots a page scans for matching ones before it ends early.
const maxScanned = 4 * MaxLimit

// snapshots lists the snapshots of starred items, or of those with the query's label, in order of the items' ids, which is
// that of arrival. They need neither the feed nor the subscription.
func (s *Service) snapshots(ctx context.Context, u reader.UserID, q Query, c cursor, bar *sideBar) (Page, error) {
	var p Page
	last, scanned := c.ID, 0
	some := q.Feed > 0 || q.Folder > 0
	err := s.store.Snapshots.Walk(ctx, u, q.Label, c.ID, !q.Oldest, q.Limit+1, func(row *store.SnapshotRow) (bool, error) {
		if len(p.Items) == q.Limit || scanned == maxScanned {
			p.Next, p.IsPartial = cursor{Mark: q.hash(), Sort: 1, ID: last}.encode(), len(p.Items) < q.Limit
			return false, nil
		}
		scanned++
		last = row.ID()
		sub := find(bar.all, reader.FeedID(row.Feed))
		if some && (sub == nil || !bar.has(sub)) {
			return true, nil
		}
		e, err := snapshotEntry(row)
		if err != nil {
			return false, err
		}
		e.Starred = q.Label == 0
		e.stateOf(sub)
		if q.Label > 0 && !slices.Contains(e.Labels, q.Label) {
			e.Labels = append(e.Labels, q.Label)
		}
		if q.keeps(&e) {
			p.Items = append(p.Items, e)
		}
		return true, nil
	})
	return p, err
}

// keeps reports whether a snapshot matches the query.
func (q *Query) keeps(e *Entry) bool {
	switch {
	case q.Filter == Unread && e.Read, q.Filter == Hidden && !e.Hidden, q.Filter == Starred && !e.Starred:
		return false
	}
	return e.Header.Sort >= q.Since && !q.first.has(e.Feed, e.Seq)
}

// stateOf sets an item's state from its subscription; without one it counts as read.
func (e *Entry) stateOf(sub *Subscribed) {
	if sub == nil {
		return
	}
	e.Read, e.Hidden = e.Seq <= reader.Seq(sub.Feed.Floor) || sub.State.IsRead(e.Seq), sub.State.Hid.Has(e.Seq)
	e.Starred = e.Starred || sub.State.Stars.Has(e.Seq)
	e.Labels = sub.State.Labels.On(e.Seq)
	e.FeedTitle = sub.Title()
}

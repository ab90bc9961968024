package stream

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxScanned is how many snapshots a page scans for matching ones before it ends early.
const maxScanned = 4 * MaxLimit

// snapshots lists starred items, or those with the query's label, in order of arrival. Neither feed nor subscription is
// needed.
func (s *Service) snapshots(ctx context.Context, u reader.UserID, q Query, c cursor, bar *sideBar) (Page, error) {
	var p Page
	last, scanned := c.ID, 0
	some := q.Feed > 0 || q.Folder > 0
	edited := map[*Subscribed][]int{} // items whose feeds have edited something since
	err := s.store.Snapshots.Walk(ctx, u, q.Label, c.ID, !q.Oldest, q.Limit+1,
		func(row *store.SnapshotRow) (bool, error) {
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
				if sub.editedSince(row) {
					edited[sub] = append(edited[sub], len(p.Items))
				}
				p.Items = append(p.Items, e)
			}
			return true, nil
		})
	if err == nil {
		err = s.refresh(ctx, p.Items, edited)
	}
	if err == nil {
		err = s.LabelKept(ctx, u, p.Items, bar.all)
	}
	return p, err
}

// editLag is by how many seconds a snapshot may have been made of an item as it was before an edit.
const editLag = 3600

// editedSince reports whether a feed may have edited an item since its snapshot was made.
func (s *Subscribed) editedSince(row *store.SnapshotRow) bool {
	return s != nil && max(s.Feed.Edited, -s.Feed.Edited) > (row.At-editLag)*1000
}

// refresh gives items the present headers of their feeds, which may have been edited since the snapshot.
func (s *Service) refresh(ctx context.Context, items []Entry, edited map[*Subscribed][]int) error {
	subs := slices.SortedFunc(maps.Keys(edited), func(a, b *Subscribed) int { return cmp.Compare(a.id, b.id) })
	return s.each(len(subs), func(i int) error {
		look := lookup{s: s, sub: subs[i]}
		for _, at := range edited[subs[i]] {
			e := &items[at]
			now, err := look.inFeed(ctx, e.ID)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			e.Header, e.Raw = now.Header, now.Raw
		}
		return nil
	})
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

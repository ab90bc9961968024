package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SetLabels gives an item exactly these labels.
func (s *Service) SetLabels(ctx context.Context, u reader.UserID, id reader.ItemID, labels []reader.LabelID) (ItemState,
	*Subscribed, error) {
	tree, err := s.treeWith(ctx, u, labels)
	if err != nil {
		return ItemState{}, nil, err
	}
	drop, err := s.otherLabels(ctx, u, id.Feed(), &tree, labels)
	if err != nil {
		return ItemState{}, nil, err
	}
	st, sub, err := s.SetState(ctx, u, id, Change{AddLabels: labels, RemoveLabels: drop})
	if err != nil {
		return ItemState{}, nil, err
	}
	gone, err := s.unlabelGone(ctx, u, labels)
	st.Labels = without(st.Labels, gone)
	return st, sub, err
}

// otherLabels returns the labels that may have to be taken off an item: existing ones, and deleted ones that are still
// on items.
func (s *Service) otherLabels(ctx context.Context, u reader.UserID, id reader.FeedID, tree *library.Tree,
	keep []reader.LabelID) (drop []reader.LabelID, err error) {
	sub, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	for _, l := range tree.Labels {
		drop = append(drop, l.ID)
	}
	if err == nil {
		for l := range reader.LabelSets(sub.Labels).All() {
			drop = append(drop, l)
		}
	}
	slices.Sort(drop)
	return without(slices.Compact(drop), keep), nil
}

// unlabelGone runs after items were labelled, and takes labels off that were deleted meanwhile. A deletion removes the
// definition before it looks for items, so one of the two sees the other.
func (s *Service) unlabelGone(ctx context.Context, u reader.UserID, labels []reader.LabelID) (gone []reader.LabelID,
	err error) {
	if len(labels) == 0 {
		return nil, nil
	}
	tree, err := s.store.Trees.Get(ctx, u, table.Consistent())
	if err != nil {
		return nil, err
	}
	for _, l := range labels {
		if _, ok := tree.Label(l); ok || slices.Contains(gone, l) {
			continue
		}
		for done := false; !done; {
			if done, err = s.RemoveLabel(ctx, u, l); err != nil {
				return nil, err
			}
		}
		gone = append(gone, l)
	}
	return gone, nil
}

func without(list, drop []reader.LabelID) []reader.LabelID {
	return slices.DeleteFunc(slices.Clone(list), func(l reader.LabelID) bool { return slices.Contains(drop, l) })
}

// treeWith returns the user's tree; NotFound when it lacks one of the labels.
func (s *Service) treeWith(ctx context.Context, u reader.UserID, labels []reader.LabelID) (library.Tree, error) {
	tree, err := s.store.Trees.Get(ctx, u)
	for _, l := range labels {
		if _, ok := tree.Label(l); err == nil && !ok {
			err = library.LabelGone()
		}
	}
	return tree, err
}

// removedAtOnce bounds the snapshots that one call of RemoveLabel removes.
const removedAtOnce = 500

// RemoveLabel takes a deleted label off all items: first the bits, in one write per feed, then the snapshots. One call
// does a part and reports whether all is done; calling again continues, also after a crash.
func (s *Service) RemoveLabel(ctx context.Context, u reader.UserID, label reader.LabelID) (done bool, err error) {
	var list []mutation
	err = s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		if len(reader.LabelSets(row.Labels).Of(label)) > 0 {
			list = append(list, mutation{feed: row.Feed(), edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
				set := slices.Collect(sub.State.Labels.Of(label).All())
				return s.applied(sub,
					reader.Change{Ops: []reader.Op{{Kind: reader.OpUnlabel, Label: label, Seqs: set}}, Counts: true})
			}})
		}
		return nil
	})
	if err == nil {
		_, err = s.updateAll(ctx, u, list)
	}
	if err != nil {
		return false, err
	}
	var ids []reader.ItemID
	err = s.store.Snapshots.Walk(ctx, u, label, 0, true, removedAtOnce+1, func(row *store.SnapshotRow) (bool, error) {
		ids = append(ids, row.ID())
		return len(ids) <= removedAtOnce, nil
	})
	if err != nil {
		return false, err
	}
	done = len(ids) <= removedAtOnce
	if !done {
		ids = ids[:removedAtOnce]
	}
	return done, s.each(len(ids), func(i int) error { return s.removeSnapshot(ctx, u, label, ids[i]) })
}

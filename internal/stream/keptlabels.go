package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// An item's labels are bits of its subscription. Without a subscription, only snapshots show them.

// eachLabelled calls for each labelled item, with or without its feed. all are the user's subscriptions.
func (s *Service) eachLabelled(ctx context.Context, u reader.UserID, all []*Subscribed,
	each func(reader.ItemID, library.Label)) error {
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return err
	}
	places := make([][]store.SnapshotPlace, len(tree.Labels))
	err = s.each(len(places), func(i int) (err error) {
		places[i], err = s.keptPlaces(ctx, u, tree.Labels[i].ID, all)
		return err
	})
	if err != nil {
		return err
	}
	for i, l := range tree.Labels {
		for _, at := range places[i] {
			each(at.ID, l)
		}
	}
	return nil
}

// LabelKept sets the labels of the items that no subscription has.
func (s *Service) LabelKept(ctx context.Context, u reader.UserID, items []Entry, all []*Subscribed) error {
	kept := map[reader.ItemID]*Entry{}
	for i := range items {
		if find(all, items[i].Feed) == nil {
			kept[items[i].ID], items[i].Labels = &items[i], nil
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return s.eachLabelled(ctx, u, all, func(id reader.ItemID, l library.Label) {
		if e := kept[id]; e != nil {
			e.Labels = append(e.Labels, l.ID)
		}
	})
}

package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SetLabels gives an item exactly these labels.
func (s *Service) SetLabels(ctx context.Context, u reader.UserID, id reader.ItemID, labels []reader.LabelID) (Entry, Subscribed, error) {
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return Entry{}, Subscribed{}, err
	}
	if err := known(&tree, labels); err != nil {
		return Entry{}, Subscribed{}, err
	}
	drop, err := s.labelsBut(ctx, u, id.Feed(), &tree, labels)
	if err != nil {
		return Entry{}, Subscribed{}, err
	}
	out, err := s.flushFeed(ctx, u, id.Feed(), Flush{Changes: []BulkChange{{IDs: []reader.ItemID{id}, AddLabels: labels, RemoveLabels: drop}}}, []int{0})
	if err != nil {
		return Entry{}, Subscribed{}, err
	}
	st := out.items[id]
	if st.Gone {
		return Entry{}, Subscribed{}, fault.New(fault.NotFound, "item_not_found", "stream: labels", nil)
	}
	gone, err := s.unlabelGone(ctx, u, labels)
	if err != nil {
		return Entry{}, Subscribed{}, err
	}
	st.Labels = without(st.Labels, gone)
	return Entry{ID: id, Feed: id.Feed(), Read: st.Read, Starred: st.Starred, Labels: st.Labels}, out.sub, nil
}

// labelsBut gives all labels that an item of a feed may have to lose: those that there are, and any that is on one of
// the feed's items though it is no more.
func (s *Service) labelsBut(ctx context.Context, u reader.UserID, id reader.FeedID, tree *reader.Tree, keep []reader.LabelID) (drop []reader.LabelID, err error) {
	sub, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	for _, l := range tree.Labels {
		drop = append(drop, l.ID)
	}
	if err == nil {
		for l := range sub.State().Labels.All() {
			drop = append(drop, l)
		}
	}
	slices.Sort(drop)
	return without(slices.Compact(drop), keep), nil
}

// unlabelGone looks, after labels were put on items, whether each is still there, and takes off all items those that
// were deleted meanwhile: whoever deletes one takes its definition away before it looks for items, so one of the two
// sees what the other did.
func (s *Service) unlabelGone(ctx context.Context, u reader.UserID, labels []reader.LabelID) (gone []reader.LabelID, err error) {
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

// known verifies that labels are the user's.
func known(tree *reader.Tree, labels []reader.LabelID) error {
	for _, l := range labels {
		if _, ok := tree.Label(l); !ok {
			return fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
		}
	}
	return nil
}

// LabelCount is what a label has in feeds that are subscribed to.
type LabelCount struct{ Items, Unread int }

// LabelCounts counts the items of each label that is in use.
func LabelCounts(list []Subscribed) map[reader.LabelID]LabelCount {
	out := map[reader.LabelID]LabelCount{}
	for i := range list {
		for l, set := range list[i].State.Labels.All() {
			c := out[l]
			c.Items += set.Len()
			c.Unread += list[i].LabelledUnread(l)
			out[l] = c
		}
	}
	return out
}

// removedAtOnce bounds the snapshots that one call of RemoveLabel takes away.
const removedAtOnce = 500

// RemoveLabel takes a label that is no more off all items: the bits of each feed in one write, then the snapshots.
// One call does a part of it and tells whether all is done; calling again goes on, also after a crash. Since a
// label's number is not given out again, what is left meanwhile shows nowhere.
func (s *Service) RemoveLabel(ctx context.Context, u reader.UserID, label reader.LabelID) (done bool, err error) {
	var bits []Subscribed
	err = s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		if st := row.State(); len(st.Labels.Of(label)) > 0 {
			bits = append(bits, Subscribed{Sub: row})
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	_, exact := s.store.Subscriptions.Version(ctx, u)
	err = s.each(exact, len(bits), func(i int) error {
		_, err := s.update(ctx, u, bits[i].Sub.Feed(), 0, func(sub *Subscribed) (reader.State, bool) {
			set := slices.Collect(sub.State.Labels.Of(label).All())
			return reader.Apply(sub.State, s.change(sub, []reader.Op{{Kind: reader.OpUnlabel, Label: label, Seqs: set}}))
		})
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return false, err
	}
	var ids []reader.ItemID
	err = s.store.Labels.Walk(ctx, u, label, 0, true, removedAtOnce+1, func(row *store.StarRow) (bool, error) {
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
	return done, s.each(exact, len(ids), func(i int) error { return s.removeLabelled(ctx, u, label, ids[i]) })
}

package store

import (
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Two who change the tree at once both find their change in it.
func TestTreeChangesMerge(t *testing.T) {
	t.Parallel()
	st, _ := newStore()
	_, err := st.Trees.Change(ctx, "u1", func(tree *library.Tree) error {
		if !tree.Has(1) { // the first time, somebody else is faster
			if _, err := st.Trees.Change(ctx, "u1", func(o *library.Tree) error {
				_, err := o.AddFolder(0, "Other")
				return err
			}); err != nil {
				return err
			}
		}
		_, err := tree.AddFolder(0, "Mine")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := st.Trees.Get(ctx, "u1")
	if err != nil || len(tree.Folders) != 2 || tree.Folders[0].Name != "Other" || tree.Folders[1].Name != "Mine" {
		t.Errorf("%+v, %v", tree, err)
	}
	before := st.Table().Meter().Snapshot().TotalWrites()
	if _, err := st.Trees.Change(ctx, "u1", func(*library.Tree) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := st.Table().Meter().Snapshot().TotalWrites() - before; n != 0 {
		t.Errorf("a change of nothing wrote %v units", n)
	}
	if tree, err := st.Trees.Get(ctx, "u2"); err != nil || len(tree.Folders) != 0 {
		t.Errorf("another user's: %+v, %v", tree, err)
	}
}

// A change of settings and a change of the reading never undo each other, whichever was read first.
// R-115, G-74
func TestSettingsAndReadingMeet(t *testing.T) {
	t.Parallel()
	st, _ := newStore()
	if err := st.Subscriptions.Add(ctx, "u1", 7, SubscriptionRow{Since: 1}); err != nil {
		t.Fatal(err)
	}
	stale, err := st.Subscriptions.Get(ctx, "u1", 7)
	if err != nil {
		t.Fatal(err)
	}
	change := func(read *SubscriptionRow, edit func(*SubscriptionRow)) (*SubscriptionRow, error) {
		next := *read
		edit(&next)
		return st.Subscriptions.Change(ctx, "u1", read, &next)
	}
	now, err := change(stale, func(f *SubscriptionRow) {
		f.Title, f.Folders, f.Mute = "Mine", []reader.FolderID{3, 4}, true
	})
	if err != nil || now.Title != "Mine" || !slices.Equal(now.Folders, []reader.FolderID{3, 4}) || !now.Mute ||
		now.Rev != 0 || now.Since != 1 {
		t.Fatalf("%+v, %v", now, err)
	}
	read, changed := reader.Apply(stale.state(),
		reader.Change{Ops: []reader.Op{{Kind: reader.OpRead, Seqs: []reader.Seq{1}}}, Last: 5})
	if _, err := st.Subscriptions.ChangeState(ctx, "u1", stale, read); !changed || !fault.Is(err, fault.Conflict) {
		t.Errorf("a reading over older settings: %v", err)
	}
	if _, err := change(stale, func(f *SubscriptionRow) { f.Title = "Theirs" }); !fault.Is(err, fault.Conflict) {
		t.Errorf("settings over other settings: %v", err)
	}
	if _, err := st.Subscriptions.ChangeState(ctx, "u1", now, read); err != nil {
		t.Fatal(err)
	}
	// A change of settings does not touch a reading that came after it was read.
	last, err := change(now, func(f *SubscriptionRow) { f.Title, f.Folders, f.Mute = "", nil, false })
	if err != nil || last.Title != "" || last.Folders != nil || last.Mute || last.Rev != 1 || !last.state().IsRead(1) {
		t.Errorf("%+v, %v", last, err)
	}
	gone := SubscriptionRow{rowKey: keyed(subscriptionKey("u1", 9))}
	if _, err := change(&gone, func(f *SubscriptionRow) { f.Title = "x" }); !fault.Is(err, fault.Conflict) {
		t.Errorf("settings of what is not there: %v", err)
	}
}

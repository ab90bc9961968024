package transfer

import (
	"bytes"
	_ "embed"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// archive2026 was written by the program of 24 November 2026: six feeds, two folders, a label and a star.
//
//go:embed testdata/2026-11-24.tar.gz
var archive2026 []byte

// TestArchiveOfNovember2026: what older programs stored goes by an archive into this one.
func TestArchiveOfNovember2026(t *testing.T) {
	t.Parallel()
	at := clock.NewManual(time.Date(2026, 11, 28, 5, 0, 0, 0, time.UTC))
	to := newDisk("to")
	_, err := restore(t.Context(), bytes.Clone(archive2026), to.place(at, calm), Options{Clock: at})
	ok(t, err)
	s := store.New(table.New(to.table, table.Options{Clock: at, Kind: store.Kind}), at)
	owner, err := s.Accounts.Owner(t.Context())
	ok(t, err)
	tree, err := s.Trees.Get(t.Context(), owner.ID())
	ok(t, err)
	if len(tree.Folders) != 2 || tree.Folders[1].Name != "Evening" || len(tree.Labels) != 1 ||
		tree.Labels[0].Name != "later" {
		t.Errorf("folders and labels: %+v", tree)
	}
	var subs []store.SubscriptionRow
	ok(t, s.Subscriptions.Each(t.Context(), owner.ID(), func(r *store.SubscriptionRow) error {
		subs = append(subs, *r)
		return nil
	}))
	if len(subs) != 6 {
		t.Fatalf("%d subscriptions", len(subs))
	}
	i := slices.IndexFunc(subs, func(r store.SubscriptionRow) bool { return r.Title == "Sounds" })
	if i < 0 || subs[i].Interval != 120 || subs[i].Folders[0] != tree.Folders[1].ID {
		t.Errorf("the settings of a subscription: %+v", subs)
	}
	labelled := 0
	ok(t, s.Snapshots.EachLatest(t.Context(), owner.ID(), func(r *store.SnapshotRow) error {
		labelled++
		return nil
	}))
	if labelled != 2 {
		t.Errorf("%d items have the star or the label", labelled)
	}
}

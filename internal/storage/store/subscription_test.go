package store

import (
	"fmt"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Refile replaces one folder of the feeds that are in it, keeps their others, and writes nothing when repeated.
func TestRefile(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	for i, folders := range [][]reader.FolderID{nil, {2}, {1, 2, 3}, {2, 1}, {3}} {
		ok(t, s.Subscriptions.Add(ctx, "u", reader.FeedID(i+1), SubscriptionRow{Folders: folders}))
	}
	ok(t, s.Subscriptions.Add(ctx, "another", 1, SubscriptionRow{Folders: []reader.FolderID{2}}))
	folders := func(u reader.UserID) string {
		var out [][]reader.FolderID
		ok(t, s.Subscriptions.EachLatest(ctx, u, func(row *SubscriptionRow) error {
			out = append(out, row.Folders)
			return nil
		}))
		return fmt.Sprint(out)
	}
	ok(t, s.Subscriptions.Refile(ctx, "u", 2, 1))
	if got := folders("u") + folders("another"); got != "[[] [1] [1 3] [1] [3]][[2]]" {
		t.Error(got)
	}
	writes := s.Table().Meter().Snapshot().TotalWrites()
	ok(t, s.Subscriptions.Refile(ctx, "u", 2, 1))
	if n := s.Table().Meter().Snapshot().TotalWrites() - writes; n != 0 {
		t.Errorf("%v write units for nothing", n)
	}
}

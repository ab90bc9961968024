package store

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// ChangeKind says which row of a side bar changed.
type ChangeKind int

// The rows that a side bar is made of.
const (
	SubscriptionChanged ChangeKind = iota
	FeedChanged
	RulingChanged    // rules, or the tree
	PositionsChanged // the user's
)

// Change is a written or deleted row of a side bar.
type Change struct {
	At   uint64 // position in the log
	Kind ChangeKind
	Feed reader.FeedID // of the first two
}

// Changes returns the changed rows of a user's side bar, and changed feeds of anybody; see table.Changes.
func (s *Store) Changes(ctx context.Context, u reader.UserID, after uint64) (list []Change, now uint64, complete bool) {
	logged, now, complete := s.table.Changes(ctx, after)
	own := userPK(u)
	for i := range logged {
		if kind, feed, ok := changeOf(logged[i].Key, own); ok {
			list = append(list, Change{logged[i].At, kind, feed})
		}
	}
	return list, now, complete
}

func changeOf(k table.Key, userPK string) (ChangeKind, reader.FeedID, bool) {
	switch {
	case k.PK == userPK && (k.SK == settingsSK(rulesName) || k.SK == settingsSK(treeName)):
		return RulingChanged, 0, true
	case k.PK == userPK && k.SK == positionsSK:
		return PositionsChanged, 0, true
	case k.PK == userPK && strings.HasPrefix(k.SK, subscriptionsPrefix):
		return SubscriptionChanged, parseFeedSK(k.SK[len(subscriptionsPrefix):]), true
	case strings.HasPrefix(k.PK, blocksPrefix):
		return FeedChanged, parseFeedSK(k.SK), true
	}
	return 0, 0, false
}

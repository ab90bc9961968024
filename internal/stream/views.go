package stream

import (
	"context"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// views holds decoded side bars in memory where the engine can tell exactly whether rows changed: a
// person's feeds are then neither read nor decoded again for each request. Where it cannot (DynamoDB),
// every request reads: two queries for 100 feeds.
type views struct {
	store *store.Store

	mu     sync.Mutex
	byUser map[reader.UserID]*view
}

// view is one user's side bar as of some versions. The list is never changed in place once handed out.
type view struct {
	subs   uint64         // version of the user's partition
	blocks map[int]uint64 // versions of the blocks its feeds lie in
	list   []Subscribed
	ruling store.Ruling // the user's rules
	whole  bool         // every subscription has its feed
}

// maxViews bounds how many users' side bars are held.
const maxViews = 64

func newViews(s *store.Store) *views {
	return &views{store: s, byUser: map[reader.UserID]*view{}}
}

// feeds gives the user's side bar in order of feed number, and the user's rules.
func (v *views) feeds(ctx context.Context, u reader.UserID) ([]Subscribed, store.Ruling, error) {
	// Versions are taken before the rows are read: a row that changes in between is read again.
	subs, exact := v.store.Subscriptions.Version(ctx, u)
	if !exact {
		built, err := v.build(ctx, u, nil)
		if err != nil {
			return nil, store.Ruling{}, err
		}
		return built.list, built.ruling, nil
	}
	v.mu.Lock()
	old := v.byUser[u]
	v.mu.Unlock()
	if old != nil && old.subs == subs && v.current(ctx, old) {
		return old.list, old.ruling, nil
	}
	if old != nil && old.subs != subs {
		old = nil
	}
	built, err := v.build(ctx, u, old)
	if err != nil {
		return nil, store.Ruling{}, err
	}
	if !built.whole {
		return built.list, built.ruling, nil
	}
	built.subs = subs
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byUser) >= maxViews {
		clear(v.byUser)
	}
	v.byUser[u] = built
	return built.list, built.ruling, nil
}

func (v *views) current(ctx context.Context, w *view) bool {
	for b, seen := range w.blocks {
		if now, exact := v.store.Feeds.Version(ctx, b); !exact || now != seen {
			return false
		}
	}
	return true
}

// build reads a side bar; where the subscriptions of an older view still hold, only changed blocks.
func (v *views) build(ctx context.Context, u reader.UserID, old *view) (*view, error) {
	w := &view{blocks: map[int]uint64{}}
	if old != nil {
		w.list, w.ruling = slices.Clone(old.list), old.ruling
	} else {
		var err error
		w.ruling, err = v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
			w.list = append(w.list, Subscribed{Sub: sub})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	// Rows are in order of feed number, so those of a block lie together.
	for i := 0; i < len(w.list); {
		b := store.Block(w.list[i].Sub.Feed())
		j := i
		for j < len(w.list) && store.Block(w.list[j].Sub.Feed()) == b {
			j++
		}
		version, exact := v.store.Feeds.Version(ctx, b)
		w.blocks[b] = version
		if old == nil || !exact || old.blocks[b] != version {
			if err := v.fill(ctx, w.list[i:j]); err != nil {
				return nil, err
			}
		}
		i = j
	}
	// A subscription whose feed row is not there is not shown; such a list is not held, or the feed
	// would stay away when its row comes back.
	n := len(w.list)
	w.list = slices.DeleteFunc(w.list, func(s Subscribed) bool { return s.Feed == nil })
	w.whole = len(w.list) == n
	return w, nil
}

// fill reads the feed rows of subscriptions that lie in one block.
func (v *views) fill(ctx context.Context, list []Subscribed) error {
	ids := make([]reader.FeedID, len(list))
	at := make(map[reader.FeedID]int, len(list))
	for i := range list {
		ids[i] = list[i].Sub.Feed()
		at[ids[i]] = i
		list[i].Feed = nil
	}
	return v.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if i, ok := at[f.ID()]; ok {
			// What lists never need is let go: it is most of the row.
			f.Known = nil
			list[i] = subscribed(f, list[i].Sub)
		}
		return nil
	})
}

// replaced takes over one changed subscription without reading the others again, if nothing else
// happened in the user's partition since `before`.
func (v *views) replaced(ctx context.Context, u reader.UserID, before uint64, sub *store.SubscriptionRow) {
	now, exact := v.store.Subscriptions.Version(ctx, u)
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.byUser[u]
	if w == nil {
		return
	}
	if !exact || w.subs != before || now != before+1 {
		delete(v.byUser, u)
		return
	}
	i, ok := slices.BinarySearchFunc(w.list, sub.Feed(), func(s Subscribed, f reader.FeedID) int {
		return int(s.Sub.Feed()) - int(f)
	})
	if !ok {
		delete(v.byUser, u)
		return
	}
	list := slices.Clone(w.list)
	list[i] = subscribed(list[i].Feed, sub)
	v.byUser[u] = &view{subs: now, blocks: w.blocks, list: list, ruling: w.ruling, whole: true}
}

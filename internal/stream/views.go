package stream

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// views caches decoded side bars where the engine can detect changed rows: a person's feeds are then not read again for each
// request. Where it cannot (DynamoDB), every request reads the subscriptions, and lists of items may use feed rows that are
// a minute old: these are three quarters of a side bar's bytes and change by polls alone. The user's own changes are never
// old.
type views struct {
	store *store.Store
	clock clock.Clock

	byUser *cache[reader.UserID, *view]
	held   *cache[reader.FeedID, heldFeed]
}

// heldFeed is a feed's row as it was read some time ago.
type heldFeed struct {
	row *store.FeedRow
	at  time.Time
}

const (
	// feedsHeld is how long feeds' rows may serve lists of items.
	feedsHeld = time.Minute
	// maxFeedsHeld bounds how many are held, of a kilobyte each at most.
	maxFeedsHeld = 20_000
)

// view is one user's side bar as of some versions. The list is never changed in place once handed out.
type view struct {
	subs   uint64         // version of the user's partition
	blocks map[int]uint64 // versions of the blocks its feeds lie in
	list   []*Subscribed  // in order of feed number
	totals Totals         // of the list
	ruling store.Ruling   // the user's rules
	whole  bool           // every subscription has its feed
	// bytes of rows read for it: of subscriptions and of feeds
	subBytes, feedBytes int
}

// spent is what building the view took, in half read units.
func (w *view) spent() int { return (w.subBytes+4095)/4096 + (w.feedBytes+4095)/4096 }

// maxViews bounds how many users' side bars are held.
const maxViews = 64

func newViews(s *store.Store, c clock.Clock) *views {
	return &views{store: s, clock: c, byUser: newCache[reader.UserID, *view](maxViews), held: newCache[reader.FeedID, heldFeed](maxFeedsHeld)}
}

// feeds returns the user's side bar in order of feed number with the user's rules, and its cost in half read units. With
// held, feeds' rows may be a minute old.
func (v *views) feeds(ctx context.Context, u reader.UserID, held bool) (*view, int, error) {
	// Versions are taken before the rows are read: a row that changes in between is read again.
	subs, exact := v.store.Subscriptions.Version(ctx, u)
	if !exact {
		built, err := v.build(ctx, u, nil, held)
		if err != nil {
			return nil, 0, err
		}
		return built, built.spent(), nil
	}
	old, _ := v.byUser.get(u)
	if old != nil && old.subs != subs {
		old = nil
	}
	if old != nil && v.current(ctx, old) {
		return old, 0, nil
	}
	built, err := v.build(ctx, u, old, false)
	if err != nil {
		return nil, 0, err
	}
	if built.whole {
		built.subs = subs
		v.byUser.put(u, built, 1)
	}
	return built, built.spent(), nil
}

func (v *views) current(ctx context.Context, w *view) bool {
	for b, seen := range w.blocks {
		if now, exact := v.store.Feeds.Version(ctx, b); !exact || now != seen {
			return false
		}
	}
	return true
}

// build reads a side bar; from an older view with the same subscriptions, only changed blocks.
func (v *views) build(ctx context.Context, u reader.UserID, old *view, held bool) (*view, error) {
	w := &view{blocks: map[int]uint64{}}
	if old != nil {
		w.list, w.ruling = slices.Clone(old.list), old.ruling
	} else {
		var err error
		w.ruling, err = v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
			w.subBytes += sub.Bytes()
			w.list = append(w.list, &Subscribed{Sub: sub})
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
			if !held || !v.take(w.list[i:j]) {
				n, err := v.fill(ctx, w.list[i:j], !exact)
				if err != nil {
					return nil, err
				}
				w.feedBytes += n
			}
		}
		i = j
	}
	// A subscription without its feed row is not shown; such a list is not cached, or the feed would stay hidden when its
	// row comes back.
	n := len(w.list)
	w.list = slices.DeleteFunc(w.list, func(s *Subscribed) bool { return s.Feed == nil })
	w.whole = len(w.list) == n
	w.totals = Sum(w.list)
	return w, nil
}

// fill reads the feed rows of subscriptions in one block, and returns about how many bytes.
func (v *views) fill(ctx context.Context, list []*Subscribed, hold bool) (bytes int, err error) {
	ids := make([]reader.FeedID, len(list))
	at := make(map[reader.FeedID]int, len(list))
	for i := range list {
		ids[i] = list[i].Sub.Feed()
		at[ids[i]] = i
		list[i] = &Subscribed{Sub: list[i].Sub} // the old one is another view's
	}
	now := v.clock.Now()
	err = v.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		bytes += f.Bytes()
		if i, ok := at[f.ID()]; ok {
			// Known is most of the row, and lists never need it.
			f.Known = nil
			list[i] = subscribed(f, list[i].Sub)
		}
		return nil
	})
	for i := range list {
		if f := list[i].Feed; f != nil && err == nil && hold {
			v.held.put(f.ID(), heldFeed{f, now}, 1)
		}
	}
	return bytes, err
}

// take sets the feeds of subscriptions from the cache; false when one is missing or too old. A feed before its first crawl is
// always read: somebody is waiting for it.
func (v *views) take(list []*Subscribed) bool {
	oldest := v.clock.Now().Add(-feedsHeld)
	for i := range list {
		h, ok := v.held.get(list[i].Sub.Feed())
		if !ok || !h.at.After(oldest) || h.row.Seq == 0 {
			return false
		}
		list[i] = subscribed(h.row, list[i].Sub)
	}
	return true
}

// wrote updates a cached view after so many writes to the user's partition, if nothing else was written to it since `before`:
// of the changed subscriptions, of the positions that change them, or one that no side bar shows, such as a snapshot.
func (v *views) wrote(ctx context.Context, u reader.UserID, before uint64, writes int, subs ...*Subscribed) {
	now, exact := v.store.Subscriptions.Version(ctx, u)
	w, ok := v.byUser.get(u)
	if !ok || !exact || w.subs != before || now != before+uint64(writes) {
		return // its version shows that the view is stale
	}
	changed := make([]*Subscribed, len(subs))
	for i, x := range subs {
		was := find(w.list, x.Sub.Feed())
		if was == nil {
			return
		}
		if changed[i] = x; x.Feed != was.Feed {
			changed[i] = was.with(x.Sub)
		}
	}
	next := *w.with(changed)
	next.subs = now
	v.byUser.put(u, &next, 1)
}

// with returns the view with other states of some of its subscriptions.
func (w *view) with(changed []*Subscribed) *view {
	if len(changed) == 0 {
		return w
	}
	next := *w
	next.list = slices.Clone(w.list)
	for _, x := range changed {
		if i, ok := search(next.list, x.Sub.Feed()); ok {
			next.totals.add(next.list[i], -1)
			next.totals.add(x, 1)
			next.list[i] = x
		}
	}
	return &next
}

// find returns the subscription to a feed in a list in order of feed number; nil when there is none.
func find(list []*Subscribed, id reader.FeedID) *Subscribed {
	if i, ok := search(list, id); ok {
		return list[i]
	}
	return nil
}

func search(list []*Subscribed, id reader.FeedID) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(s *Subscribed, id reader.FeedID) int { return cmp.Compare(s.Sub.Feed(), id) })
}

package stream

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// views holds decoded side bars in memory where the engine can tell exactly whether rows changed: a
// person's feeds are then neither read nor decoded again for each request. Where it cannot (DynamoDB),
// every request reads the subscriptions, and lists of items may take feeds' rows that are a minute old: these
// are three quarters of a side bar's bytes and change by polls alone. What a person did is never old.
type views struct {
	store *store.Store
	clock clock.Clock

	mu     sync.Mutex
	byUser map[reader.UserID]*view
	feedAt map[reader.FeedID]heldFeed
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
	list   []Subscribed
	ruling store.Ruling // the user's rules
	whole  bool         // every subscription has its feed
	// bytes of rows read for it: of subscriptions and of feeds
	subBytes, feedBytes int
}

// spent is what building the view took, in half read units.
func (w *view) spent() int { return (w.subBytes+4095)/4096 + (w.feedBytes+4095)/4096 }

// maxViews bounds how many users' side bars are held.
const maxViews = 64

func newViews(s *store.Store, c clock.Clock) *views {
	return &views{store: s, clock: c, byUser: map[reader.UserID]*view{}, feedAt: map[reader.FeedID]heldFeed{}}
}

func (v *views) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.feedAt)
}

// feeds gives the user's side bar in order of feed number with the user's rules, and about how many half read units that took. With
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
	v.mu.Lock()
	old := v.byUser[u]
	v.mu.Unlock()
	if old != nil && old.subs == subs && v.current(ctx, old) {
		return old, 0, nil
	}
	if old != nil && old.subs != subs {
		old = nil
	}
	built, err := v.build(ctx, u, old, false)
	if err != nil {
		return nil, 0, err
	}
	if !built.whole {
		return built, built.spent(), nil
	}
	built.subs = subs
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byUser) >= maxViews {
		clear(v.byUser)
	}
	v.byUser[u] = built
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

// build reads a side bar; where the subscriptions of an older view still hold, only changed blocks.
func (v *views) build(ctx context.Context, u reader.UserID, old *view, held bool) (*view, error) {
	w := &view{blocks: map[int]uint64{}}
	if old != nil {
		w.list, w.ruling = slices.Clone(old.list), old.ruling
	} else {
		var err error
		w.ruling, err = v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
			w.subBytes += sub.Bytes()
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
	// A subscription whose feed row is not there is not shown; such a list is not held, or the feed
	// would stay away when its row comes back.
	n := len(w.list)
	w.list = slices.DeleteFunc(w.list, func(s Subscribed) bool { return s.Feed == nil })
	w.whole = len(w.list) == n
	return w, nil
}

// fill reads the feed rows of subscriptions that lie in one block, and gives about how many bytes that were.
func (v *views) fill(ctx context.Context, list []Subscribed, hold bool) (bytes int, err error) {
	ids := make([]reader.FeedID, len(list))
	at := make(map[reader.FeedID]int, len(list))
	for i := range list {
		ids[i] = list[i].Sub.Feed()
		at[ids[i]] = i
		list[i].Feed = nil
	}
	now := v.clock.Now()
	err = v.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		bytes += f.Bytes()
		if i, ok := at[f.ID()]; ok {
			// What lists never need is let go: it is most of the row.
			f.Known = nil
			list[i] = subscribed(f, list[i].Sub)
		}
		return nil
	})
	if err == nil && hold {
		v.hold(list, now)
	}
	return bytes, err
}

// hold keeps feeds' rows for a while.
func (v *views) hold(list []Subscribed, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.feedAt)+len(list) > maxFeedsHeld {
		clear(v.feedAt)
	}
	for i := range list {
		if f := list[i].Feed; f != nil {
			v.feedAt[f.ID()] = heldFeed{f, now}
		}
	}
}

// take fills in the feeds of subscriptions from what is held; false when something is missing or too old. A feed
// that waits for its first crawl is looked at each time: somebody is waiting with it.
func (v *views) take(list []Subscribed) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	oldest := v.clock.Now().Add(-feedsHeld)
	for i := range list {
		h, ok := v.feedAt[list[i].Sub.Feed()]
		if !ok || !h.at.After(oldest) || h.row.Seq == 0 {
			return false
		}
		list[i] = subscribed(h.row, list[i].Sub)
	}
	return true
}

// passed takes note of one write to the user's partition that no side bar shows, a snapshot of an item: what is held
// still holds, if nothing else happened since `before`.
func (v *views) passed(ctx context.Context, u reader.UserID, before uint64) {
	now, exact := v.store.Subscriptions.Version(ctx, u)
	v.mu.Lock()
	defer v.mu.Unlock()
	if w := v.byUser[u]; w != nil && exact && w.subs == before && now == before+1 {
		same := *w
		same.subs = now
		v.byUser[u] = &same
	}
}

// replaced takes over changed subscriptions without reading the others again, if nothing else happened in the
// user's partition since `before`.
func (v *views) replaced(ctx context.Context, u reader.UserID, before uint64, subs ...*store.SubscriptionRow) {
	now, exact := v.store.Subscriptions.Version(ctx, u)
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.byUser[u]
	if w == nil || len(subs) == 0 {
		return
	}
	if !exact || w.subs != before || now != before+uint64(len(subs)) {
		delete(v.byUser, u)
		return
	}
	list := slices.Clone(w.list)
	bar := sideBar{all: list}
	for _, sub := range subs {
		x := bar.of(sub.Feed())
		if x == nil {
			delete(v.byUser, u)
			return
		}
		*x = subscribed(x.Feed, sub)
	}
	v.byUser[u] = &view{subs: now, blocks: w.blocks, list: list, ruling: w.ruling, whole: true}
}

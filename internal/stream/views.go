package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// views returns side bars. Those of the last users stay in memory as long as the table tells what has changed
// (live.go). Where it does not, each request reads the subscriptions, and lists may use feed rows up to a minute old.
// The user's own changes are always seen.
type views struct {
	store *store.Store
	clock clock.Clock

	mu    sync.Mutex // of the first access to a user's
	users *lru.Cache[reader.UserID, *live]
	held  *lru.Cache[reader.FeedID, heldFeed]
	calm  calm
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
	// viewBytes bounds the side bars in memory, and maxViews how many there are.
	viewBytes = 96 << 20
	maxViews  = 64
)

// view is a user's side bar at one time. It is never changed once handed out.
type view struct {
	list    []*Subscribed // in order of feed number
	totals  Totals        // of the list
	ruling  store.Ruling  // the user's rules
	rules   int           // of the side bar in memory that it is from
	unruled []*Subscribed // those that the rules may not have judged yet, in order; without rules none
}

func newViews(s *store.Store, c clock.Clock) *views {
	return &views{
		store: s, clock: c, users: lru.New[reader.UserID, *live](viewBytes),
		held: lru.New[reader.FeedID, heldFeed](maxFeedsHeld), calm: calm{written: s.Table().Meter().Written()},
	}
}

// of returns the user's side bar. With held, feeds' rows may be a minute old where it is unknown what has changed.
func (v *views) of(ctx context.Context, u reader.UserID, held bool) (*view, error) {
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	isKnown, err := v.catchUp(ctx, u, l)
	if err != nil {
		return nil, err
	}
	if !isKnown {
		return v.readFor(ctx, u, l, held)
	}
	return l.snapshot(), nil
}

// readSubs reads the rows of the user.
func (v *views) readSubs(ctx context.Context, u reader.UserID) (list []row, ruling store.Ruling, err error) {
	ruling, err = v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
		list = append(list, row{id: sub.Feed(), sub: sub})
		return nil
	})
	return list, ruling, err
}

// readFeeds reads the feeds of rows, which are in order of number.
func (v *views) readFeeds(ctx context.Context, list []row) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]reader.FeedID, len(list))
	for i := range list {
		ids[i], list[i].feed = list[i].id, nil
	}
	return v.store.Feeds.Listed(ctx, ids, func(f *store.FeedRow) error {
		if i, ok := slices.BinarySearch(ids, f.ID()); ok {
			list[i].feed = f
		}
		return nil
	})
}

// read reads a side bar, as far as feeds' rows are not held.
func (v *views) read(ctx context.Context, u reader.UserID, held bool) (*view, error) {
	l := &live{}
	rows, ruling, err := v.readSubs(ctx, u)
	if err != nil {
		return nil, err
	}
	l.rows = rows
	var missing []row
	for list := l.rows; len(list) > 0; {
		// Those of a block are read together, so they are used together.
		n := 1
		for n < len(list) && store.Block(list[n].id) == store.Block(list[0].id) {
			n++
		}
		if !held || !v.take(list[:n]) {
			missing = append(missing, list[:n]...)
		}
		list = list[n:]
	}
	if err := v.readFeeds(ctx, missing); err != nil {
		return nil, err
	}
	now := v.clock.Now()
	for _, r := range missing {
		if l.set(r); r.feed != nil {
			v.held.Put(r.id, heldFeed{r.feed, now}, 1)
		}
	}
	l.assemble()
	l.rule(ruling)
	w := l.snapshot()
	w.rules = 0 // nothing of it is kept
	return w, nil
}

// take uses held rows of feeds; false if one is missing or too old. A feed before its first crawl is always read.
func (v *views) take(list []row) bool {
	oldest := v.clock.Now().Add(-feedsHeld)
	for i := range list {
		h, ok := v.held.Get(list[i].id)
		if !ok || !h.at.After(oldest) || h.row.Seq == 0 {
			return false
		}
		list[i].feed = h.row
	}
	return true
}

// hostOf is the host of a feed; parsing its address is skipped when an older state has it.
func hostOf(f *store.FeedRow, was *Subscribed) string {
	if was != nil && was.Feed.URL == f.URL {
		return was.Host
	}
	return fetch.HostOf(f.URL)
}

// with returns the view with other states of some of its subscriptions.
func (w *view) with(changed []*Subscribed) *view {
	if len(changed) == 0 {
		return w
	}
	next := *w
	next.list = slices.Clone(w.list)
	for _, x := range changed {
		if i, ok := search(next.list, x.id); ok {
			next.totals.add(next.list[i], -1)
			next.totals.add(x, 1)
			next.list[i] = x
		}
	}
	return &next
}

// find returns the subscription to a feed from a list in order of feed number; nil when it has none.
func find(list []*Subscribed, id reader.FeedID) *Subscribed {
	if i, ok := search(list, id); ok {
		return list[i]
	}
	return nil
}

func search(list []*Subscribed, id reader.FeedID) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(s *Subscribed, id reader.FeedID) int { return cmp.Compare(s.id, id) })
}

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

// views returns side bars. Where the table has a log of changes, those of the last users stay in memory and are kept
// current by it, row by row (live.go). Where it has none (DynamoDB), every request reads the subscriptions, and lists
// of items may use feed rows that are a minute old: these are three quarters of a side bar's bytes and change by polls
// alone. The user's own changes are never old.
type views struct {
	store *store.Store
	clock clock.Clock

	mu     sync.Mutex // of the first access to a user's
	users  *lru.Cache[reader.UserID, *live]
	held   *lru.Cache[reader.FeedID, heldFeed]
	synced *lru.Cache[reader.UserID, syncedView]
	calm   calm
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
	rules   int           // of the live side bar that it is from
	unruled []*Subscribed // those that the rules may not have judged yet, in order; without rules none
}

func newViews(s *store.Store, c clock.Clock) *views {
	return &views{
		store: s, clock: c, users: lru.New[reader.UserID, *live](viewBytes),
		held:   lru.New[reader.FeedID, heldFeed](maxFeedsHeld),
		synced: lru.New[reader.UserID, syncedView](maxFeedsHeld), calm: calm{written: s.Table().Meter().Written()},
	}
}

// of returns the user's side bar. With held, feeds' rows may be a minute old where the table has no log.
func (v *views) of(ctx context.Context, u reader.UserID, held bool) (*view, error) {
	if !v.store.Table().Logs() {
		return v.readFor(ctx, u, held)
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := v.catchUp(ctx, u, l); err != nil {
		return nil, err
	}
	return l.snapshot(), nil
}

// rows are what a side bar is made of.
type rows struct {
	subs   []*store.SubscriptionRow // in order of feed number
	feeds  map[reader.FeedID]*store.FeedRow
	ruling store.Ruling
	bytes  int // about, without what is dropped
}

// readSubs reads the rows of the user.
func (v *views) readSubs(ctx context.Context, u reader.UserID) (r rows, err error) {
	r.ruling, err = v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
		r.bytes += sub.Bytes()
		r.subs = append(r.subs, sub)
		return nil
	})
	r.feeds = make(map[reader.FeedID]*store.FeedRow, len(r.subs))
	return r, err
}

// ids returns the feeds that are subscribed to.
func (r *rows) ids() []reader.FeedID {
	ids := make([]reader.FeedID, len(r.subs))
	for i, sub := range r.subs {
		ids[i] = sub.Feed()
	}
	return ids
}

// shown returns the subscriptions. Without its feed a subscription is not shown.
func (r *rows) shown() []*Subscribed {
	list := make([]*Subscribed, 0, len(r.subs))
	for _, sub := range r.subs {
		if f := r.feeds[sub.Feed()]; f != nil {
			list = append(list, (&Subscribed{Feed: f, Host: hostOf(f, nil)}).with(sub))
		}
	}
	return list
}

// readFeeds reads rows of feeds.
func (v *views) readFeeds(ctx context.Context, r *rows, ids []reader.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	return v.store.Feeds.Listed(ctx, ids, func(f *store.FeedRow) error {
		r.bytes += f.Bytes()
		r.feeds[f.ID()] = f
		return nil
	})
}

// read reads a side bar, as far as feeds' rows are not held.
func (v *views) read(ctx context.Context, u reader.UserID, held bool) (*view, error) {
	r, err := v.readSubs(ctx, u)
	if err != nil {
		return nil, err
	}
	var missing []reader.FeedID
	for i := 0; i < len(r.subs); {
		// Those of a block are read together, so they are used together.
		b, j := store.Block(r.subs[i].Feed()), i
		var ids []reader.FeedID
		for ; j < len(r.subs) && store.Block(r.subs[j].Feed()) == b; j++ {
			ids = append(ids, r.subs[j].Feed())
		}
		if !held || !v.take(&r, ids) {
			missing = append(missing, ids...)
		}
		i = j
	}
	if err := v.readFeeds(ctx, &r, missing); err != nil {
		return nil, err
	}
	now := v.clock.Now()
	for _, id := range missing {
		if f := r.feeds[id]; f != nil {
			v.held.Put(id, heldFeed{f, now}, 1)
		}
	}
	w := &view{ruling: r.ruling, list: r.shown()}
	w.totals = Sum(w.list)
	if len(w.ruling.Rules) > 0 {
		w.unruled = w.list
	}
	return w, nil
}

// take takes the rows of feeds that are held; false when one is missing or too old. A feed before its first crawl is
// always read: somebody is waiting for it.
func (v *views) take(r *rows, ids []reader.FeedID) bool {
	oldest := v.clock.Now().Add(-feedsHeld)
	for _, id := range ids {
		h, ok := v.held.Get(id)
		if !ok || !h.at.After(oldest) || h.row.Seq == 0 {
			return false
		}
		r.feeds[id] = h.row
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

// find returns the subscription to a feed in a list in order of feed number; nil when there is none.
func find(list []*Subscribed, id reader.FeedID) *Subscribed {
	if i, ok := search(list, id); ok {
		return list[i]
	}
	return nil
}

func search(list []*Subscribed, id reader.FeedID) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(s *Subscribed, id reader.FeedID) int { return cmp.Compare(s.id, id) })
}

// Package stream reads and changes what a user sees: the side bar, pages of items, one item with its body, and read and
// starred state. Lists come from metadata alone; a body is parsed when somebody opens it, sanitised, and cached.
package stream

import (
	"context"
	"crypto/sha256"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Filter chooses items of a stream.
type Filter = reader.Filter

// The filters.
const (
	All     = reader.FilterAll
	Unread  = reader.FilterUnread
	Starred = reader.FilterStarred
	Hidden  = reader.FilterHidden
)

// Service reads streams and changes state.
type Service struct {
	store    *store.Store
	blobs    *blob.Bucket
	clock    clock.Clock
	views    *views
	places   places
	deltas   *deltas
	arrivals *lru.Cache[reader.FeedID, arrivals]
	sortKeys *lru.Cache[sortKeysOf, *sortKeys]
	// arrivalsRead are the users whose row of arrivals was read.
	arrivalsRead *lru.Cache[reader.UserID, bool]
	cursors      *lru.Cache[cursorOf, cursor]
	documents    *lru.Cache[string, *parse.Document] // by the name of the raw body
	bodies       *lru.Cache[bodyKey, Body]
	damaged      *lru.Cache[string, bool] // raw bodies that were reported
	unstored     *unstored
	compiled     *lru.Cache[[sha256.Size]byte, *rules.Set]
	opened       func(isCached bool)
	onDamage     func(raw string, err error)
	// onStar runs before a star is written; its error aborts the star. May be nil.
	onStar func(ctx context.Context, u reader.UserID, id reader.ItemID) error
	// onSend sends items to a webhook, as rules say. May be nil.
	onSend func(ctx context.Context, u reader.UserID, hook string, items []job.Spot) error
}

// New makes a service over its stores.
func New(s *store.Store, b *blob.Bucket, c clock.Clock) *Service {
	return &Service{
		store: s, blobs: b, clock: c, views: newViews(s, c), places: places{lru.New[commit, reader.Run](maxPlaces)},
		deltas:       &deltas{s, c, lru.New[reader.FeedID, keptDeltas](deltaBytes)},
		arrivals:     lru.New[reader.FeedID, arrivals](arrivalBytes),
		sortKeys:     lru.New[sortKeysOf, *sortKeys](sortKeyBytes),
		arrivalsRead: lru.New[reader.UserID, bool](maxArrivalsRead),
		cursors:      lru.New[cursorOf, cursor](cursorBytes),
		documents:    lru.New[string, *parse.Document](documentBytes), bodies: lru.New[bodyKey, Body](bodyBytes),
		compiled: lru.New[[sha256.Size]byte, *rules.Set](maxCompiled),
		unstored: &unstored{list: lru.New[reader.UserID, library.Places](mostWaiting)},
		damaged:  lru.New[string, bool](damagedBytes), opened: func(bool) {}, onDamage: func(string, error) {},
	}
}

// OnSend registers what sends items to webhooks. To be called before the service is used.
func (s *Service) OnSend(send func(ctx context.Context, u reader.UserID, hook string,
	items []job.Spot) error) *Service {
	s.onSend = send
	return s
}

// OnStar registers a hook that runs before a star is written; its error aborts the star. To be called before the
// service is used.
func (s *Service) OnStar(hook func(ctx context.Context, u reader.UserID, id reader.ItemID) error) *Service {
	s.onStar = hook
	return s
}

// OnBody registers a hook that gets whether each opened item was found in memory or in the cache of the table. To be
// called before the service is used.
func (s *Service) OnBody(hook func(isCached bool)) *Service {
	s.opened = hook
	return s
}

// OnDamage registers a hook that gets the name of a stored feed that cannot be read, once for each. To be called before
// the service is used.
func (s *Service) OnDamage(hook func(raw string, err error)) *Service {
	s.onDamage = hook
	return s
}

// Subscribed is a feed as one user has it, made of two rows. It is never changed: the same pointer means the same
// content.
type Subscribed struct {
	Feed *store.FeedRow
	Sub  *store.SubscriptionRow
	// Host is the publisher's host; only in side bars.
	Host  string
	State reader.State // of Sub in Feed

	id              reader.FeedID // decoded from a key; lists are searched by it
	unread, starred int
}

func subscribed(f *store.FeedRow, sub *store.SubscriptionRow) *Subscribed {
	return (&Subscribed{Feed: f}).with(sub)
}

// with returns the subscription with another row.
func (s *Subscribed) with(sub *store.SubscriptionRow) *Subscribed {
	x := *s
	x.id, x.Sub, x.State = sub.Feed(), sub, sub.StateIn(x.Feed)
	x.unread, x.starred = x.State.Unread(reader.Seq(x.Feed.Floor), reader.Seq(x.Feed.Seq)), x.State.Stars.Len()
	return &x
}

// FeedRow is the feed's row; nil without a subscription.
func (s *Subscribed) FeedRow() *store.FeedRow {
	if s == nil {
		return nil
	}
	return s.Feed
}

// ItemCount is how many items are kept of the feed.
func (s *Subscribed) ItemCount() int { return int(s.Feed.Seq - s.Feed.Floor) }

// VisibleCount is how many of them the user can see: rules hide some.
func (s *Subscribed) VisibleCount() int {
	return s.ItemCount() - s.State.Hid.Count(reader.Seq(s.Feed.Floor)+1, reader.Seq(s.Feed.Seq))
}

// Unread is how many of the feed's items are unread.
func (s *Subscribed) Unread() int { return s.unread }

// LabelledUnread counts the unread items that have a label.
func (s *Subscribed) LabelledUnread(label reader.LabelID) (n int) {
	for seq := range s.State.Labels.Of(label).All() {
		if seq > reader.Seq(s.Feed.Floor) && seq <= reader.Seq(s.Feed.Seq) && !s.State.IsRead(seq) {
			n++
		}
	}
	return n
}

// StarredCount is how many of the feed's items are starred.
func (s *Subscribed) StarredCount() int { return s.starred }

// Title is the user's own title, the publisher's, or the host.
func (s *Subscribed) Title() string {
	if s.Sub.Title != "" {
		return s.Sub.Title
	}
	return s.Feed.DisplayTitle()
}

// Get returns one of the user's feeds; fault.NotFound when the user has no such subscription.
func (s *Service) Get(ctx context.Context, u reader.UserID, id reader.FeedID) (*Subscribed, error) {
	return s.get(ctx, u, id, false)
}

// Latest is Get that sees every acknowledged write, for answers to a change.
func (s *Service) Latest(ctx context.Context, u reader.UserID, id reader.FeedID) (*Subscribed, error) {
	return s.get(ctx, u, id, true)
}

// get takes the subscription from the side bar in memory, which is as new as any row, or else reads its rows.
func (s *Service) get(ctx context.Context, u reader.UserID, id reader.FeedID, latest bool) (*Subscribed, error) {
	if sub := s.views.one(ctx, u, id); sub != nil {
		return sub, nil
	}
	sub, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	f, err := s.store.Feeds.Get(ctx, id, latest)
	if fault.Is(err, fault.NotFound) && !latest {
		// There is a subscription, so there is a feed: the read lags. A star would be kept and not counted.
		f, err = s.store.Feeds.Get(ctx, id, true)
	}
	if err != nil {
		return nil, err
	}
	return subscribed(f, sub), nil
}

// Totals are the sums over a user's subscriptions. Unread items of muted feeds are not counted.
type Totals struct {
	Feeds, Unread, Starred int
}

// Totals returns the sums over the side bar. Subscriptions that the caller just wrote replace older ones; nil is
// ignored.
func (s *Service) Totals(ctx context.Context, u reader.UserID, changed ...*Subscribed) (Totals, error) {
	v, err := s.sideBar(ctx, u, true, s.foresee)
	if err != nil {
		return Totals{}, err
	}
	return v.totals.with(v.list, changed), nil
}

// with returns the totals of a list with other states of some of its subscriptions.
func (t Totals) with(list, changed []*Subscribed) Totals {
	for _, x := range changed {
		if x == nil {
			continue
		}
		if was := find(list, x.id); was != nil && was != x {
			t.add(was, -1)
			t.add(x, 1)
		}
	}
	return t
}

// Sum adds up a list of subscriptions.
func Sum(list []*Subscribed) (t Totals) {
	for _, x := range list {
		t.add(x, 1)
	}
	return t
}

func (t *Totals) add(s *Subscribed, times int) {
	t.Feeds += times
	if !s.Sub.Mute {
		t.Unread += times * s.unread
	}
	t.Starred += times * s.starred
}

// Feeds returns a user's side bar in order of feed number. The list is shared and must not be changed.
func (s *Service) Feeds(ctx context.Context, u reader.UserID) ([]*Subscribed, error) {
	end, isCut := s.settled(ctx)
	v, err := s.sideBar(ctx, u, false, s.keepVerdicts)
	switch {
	case err != nil:
		return nil, err
	case isCut:
		return s.upTo(ctx, end, v.list)
	}
	return v.list, nil
}

// sideBar is Feeds for lists and sums. With held, feeds' rows may be a minute old where changes are unknown.
func (s *Service) sideBar(ctx context.Context, u reader.UserID, held bool, settle settle) (*view, error) {
	v, err := s.views.of(ctx, u, held)
	if err != nil {
		return nil, err
	}
	return s.judged(ctx, u, v, settle)
}

// Package stream answers what a reader asks: the side bar, pages of items, one item with its body, and
// changes of read and starred state. Lists come from metadata alone; a body is parsed when somebody
// opens it, sanitised, and cached.
package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// Filter chooses items of a stream.
type Filter string

// The filters (G-18).
const (
	All     Filter = "all"
	Unread  Filter = "unread"
	Starred Filter = "starred"
	Hidden  Filter = "hidden" // what rules hid; no other stream shows it
)

// ParseFilter reads a filter; empty means All.
func ParseFilter(s string) (Filter, error) {
	switch f := Filter(s); f {
	case "":
		return All, nil
	case All, Unread, Starred, Hidden:
		return f, nil
	}
	return "", fault.Newf(fault.Invalid, "bad_filter", "The filter is one of all, unread, starred and hidden.").At("filter")
}

// Service reads streams and changes state.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	clock clock.Clock
	memo  *memo
	views *views
	rules *compiled
	found func(where string)
}

// New binds the service to its seams.
func New(s *store.Store, b *blob.Bucket, c clock.Clock) *Service {
	return &Service{store: s, blobs: b, clock: c, memo: newMemo(memoBytes), views: newViews(s), rules: &compiled{}, found: func(string) {}}
}

// Where the parsed bodies of a feed were found.
const (
	FoundInMemory = "memory"
	FoundInTable  = "table"
	FoundNowhere  = "" // they were parsed
)

// Watched lets count hear of where each body was found. It is to be called before the service is used.
func (s *Service) Watched(count func(where string)) *Service {
	s.found = count
	return s
}

// Subscribed is a feed as one user has it.
type Subscribed struct {
	Feed *store.FeedRow
	Sub  *store.SubscriptionRow
	// Host is whom the feed's requests count for, worked out once for a side bar that is listed often.
	Host string
	// State is the read state that holds: that of the row, or for a subscription made before the
	// first crawl and never touched, one with the newest items unread.
	State reader.State
}

// newestUnread is how many items are unread when a feed is first crawled after it was subscribed to.
const newestUnread = 20

func subscribed(f *store.FeedRow, sub *store.SubscriptionRow) Subscribed {
	s := Subscribed{Feed: f, Sub: sub, Host: fetch.HostOf(f.URL), State: sub.State()}
	if sub.Rev == 0 && sub.Upto == 0 && f.FirstSeq > newestUnread {
		s.State.Upto = reader.Seq(f.FirstSeq - newestUnread)
	}
	return s
}

// Unread counts the feed's unread items: a pure function of the two rows, which cannot drift.
func (s *Subscribed) Unread() int {
	return s.State.Unread(reader.Seq(s.Feed.Floor), reader.Seq(s.Feed.Seq))
}

// StarredCount counts the starred items of the feed.
func (s *Subscribed) StarredCount() int { return s.State.Stars.Len() }

// Title is what the user sees: the own title, the publisher's, or the host.
func (s *Subscribed) Title() string {
	if s.Sub.Title != "" {
		return s.Sub.Title
	}
	return s.Feed.DisplayTitle()
}

// Get gives one of the user's feeds; fault.NotFound when the user has no such subscription.
func (s *Service) Get(ctx context.Context, u reader.UserID, id reader.FeedID) (Subscribed, error) {
	return s.get(ctx, u, id, false)
}

// Latest is Get that sees every acknowledged write: for answers to a change.
func (s *Service) Latest(ctx context.Context, u reader.UserID, id reader.FeedID) (Subscribed, error) {
	return s.get(ctx, u, id, true)
}

func (s *Service) get(ctx context.Context, u reader.UserID, id reader.FeedID, latest bool) (Subscribed, error) {
	sub, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return Subscribed{}, err
	}
	f, err := s.store.Feeds.Get(ctx, id, latest)
	if fault.Is(err, fault.NotFound) && !latest {
		// There is a subscription, so there is a feed: the read lags. A star would be kept and not counted.
		f, err = s.store.Feeds.Get(ctx, id, true)
	}
	if err != nil {
		return Subscribed{}, err
	}
	return subscribed(f, sub), nil
}

// Totals are the sums over a user's subscriptions.
type Totals struct {
	Feeds, Unread, Starred int
}

// Totals sums up the side bar, with one subscription as the caller just wrote it: a list may not show
// that yet. A zero one changes nothing.
func (s *Service) Totals(ctx context.Context, u reader.UserID, changed Subscribed) (Totals, error) {
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return Totals{}, err
	}
	t := Sum(list)
	if changed.Feed == nil {
		return t, nil
	}
	for i := range list {
		if list[i].Feed.ID() == changed.Feed.ID() {
			t.Unread += changed.Unread() - list[i].Unread()
			t.Starred += changed.StarredCount() - list[i].StarredCount()
			break
		}
	}
	return t, nil
}

// Sum adds up a list of subscriptions.
func Sum(list []Subscribed) Totals {
	t := Totals{Feeds: len(list)}
	for i := range list {
		t.Unread += list[i].Unread()
		t.Starred += list[i].StarredCount()
	}
	return t
}

// Feeds gives a user's side bar in order of feed number.
func (s *Service) Feeds(ctx context.Context, u reader.UserID) ([]Subscribed, error) {
	list, r, err := s.views.feeds(ctx, u)
	if err != nil || len(r.Rules) == 0 {
		return list, err
	}
	return s.judged(ctx, u, list, s.rules.ruling(r))
}

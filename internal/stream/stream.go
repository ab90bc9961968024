// Package stream answers what a reader asks: the side bar, pages of items, one item with its body, and
// changes of read and starred state. Lists come from metadata alone; a body is parsed when somebody
// opens it, sanitised, and cached.
package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
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
	// places are where items lie that were shown of late.
	places *places
	found  func(where string)
	// starring hears of items before their stars are written.
	starring func(ctx context.Context, u reader.UserID, id reader.ItemID) error
}

// New binds the service to its seams.
func New(s *store.Store, b *blob.Bucket, c clock.Clock) *Service {
	return &Service{store: s, blobs: b, clock: c, memo: newMemo(memoBytes), views: newViews(s, c), rules: &compiled{}, places: &places{}, found: func(string) {}}
}

// Where the parsed bodies of a feed were found.
const (
	FoundInMemory = "memory"
	FoundInTable  = "table"
	FoundNowhere  = "" // they were parsed
)

// Starring lets tell hear of each item that is about to be starred; what it cannot take is not starred, for nobody
// would hear of it later. It is to be called before the service is used.
func (s *Service) Starring(tell func(ctx context.Context, u reader.UserID, id reader.ItemID) error) *Service {
	s.starring = tell
	return s
}

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

// ItemCount is how many items are kept of the feed: its row tells.
func (s *Subscribed) ItemCount() int { return int(s.Feed.Seq - s.Feed.Floor) }

// Unread counts the feed's unread items: a pure function of the two rows, which cannot drift.
func (s *Subscribed) Unread() int {
	return s.State.Unread(reader.Seq(s.Feed.Floor), reader.Seq(s.Feed.Seq))
}

// LabelledUnread counts the unread items that have a label.
func (s *Subscribed) LabelledUnread(label reader.LabelID) (n int) {
	for seq := range s.State.Labels.Of(label).All() {
		if seq > reader.Seq(s.Feed.Floor) && seq <= reader.Seq(s.Feed.Seq) && !s.State.IsRead(seq) {
			n++
		}
	}
	return n
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

// Totals are the sums over a user's subscriptions. Unread items of muted feeds are not counted.
type Totals struct {
	Feeds, Unread, Starred int
}

// Totals sums up the side bar, with subscriptions as the caller just wrote them: a list may not show that yet.
// A zero one changes nothing.
func (s *Service) Totals(ctx context.Context, u reader.UserID, changed ...Subscribed) (Totals, error) {
	list, _, err := s.sideBar(ctx, u, true)
	if err != nil {
		return Totals{}, err
	}
	t := Sum(list)
	bar := sideBar{all: list}
	for i := range changed {
		if changed[i].Feed == nil {
			continue
		}
		if was := bar.of(changed[i].Feed.ID()); was != nil {
			t.add(was, -1)
			t.add(&changed[i], 1)
		}
	}
	return t, nil
}

// Sum adds up a list of subscriptions.
func Sum(list []Subscribed) Totals {
	t := Totals{Feeds: len(list)}
	for i := range list {
		t.add(&list[i], 1)
	}
	return t
}

func (t *Totals) add(s *Subscribed, times int) {
	if !s.Sub.Mute {
		t.Unread += times * s.Unread()
	}
	t.Starred += times * s.StarredCount()
}

// Feeds gives a user's side bar in order of feed number.
func (s *Service) Feeds(ctx context.Context, u reader.UserID) ([]Subscribed, error) {
	list, _, err := s.sideBar(ctx, u, false)
	return list, err
}

// sideBar is Feeds for lists of items and sums: with held, where the engine cannot tell whether feeds changed, their
// rows may be a minute old. It also gives what reading took, in half read units.
func (s *Service) sideBar(ctx context.Context, u reader.UserID, held bool) ([]Subscribed, int, error) {
	v, spent, err := s.views.feeds(ctx, u, held)
	if err != nil {
		return nil, 0, err
	}
	list, err := s.ruled(ctx, u, v)
	return list, spent, err
}

// ruled gives a side bar's feeds with the rules carried out.
func (s *Service) ruled(ctx context.Context, u reader.UserID, v *view) ([]Subscribed, error) {
	if len(v.ruling.Rules) == 0 {
		return v.list, nil
	}
	return s.judged(ctx, u, v.list, s.rules.ruling(v.ruling))
}

// Forget lets go of what is held of feeds' rows, for who knows that they changed.
func (s *Service) Forget() { s.views.forget() }

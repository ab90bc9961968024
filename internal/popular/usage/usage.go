// Package usage counts what the people of an installation click, open and search for, by day.
//
// A page sends notes of that with the next change of an item's state, and they wait in the row of a subscription that
// is written for it (reader.Notes): counting costs no write but one a day. Each night the sums of the last days are
// computed anew, so that a repeated night does no harm. What only one of several people did is in no sum.
package usage

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxSums bounds the sums of one kind that are kept of a day.
const maxSums = 50

// Service counts, and reads what was counted. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	atOnce int
}

// New makes the service, which reads so many feeds or users at once.
func New(s *store.Store, c clock.Clock, atOnce int) *Service { return &Service{s, c, atOnce} }

// done is an action that several people may take on the same day.
type done struct {
	day  reader.Day
	note reader.Note
}

// tally counts how often something was done, and by how many people.
type tally struct{ n, people int }

// Nightly sums up the last days before today, and writes those that differ from what is stored.
func (s *Service) Nightly(ctx context.Context) error {
	today := reader.DayOf(s.clock.Now().UnixMilli())
	users, err := s.users(ctx)
	if err != nil {
		return err
	}
	lists := make([]map[done]int, len(users))
	if err := s.each(ctx, len(users), func(ctx context.Context, i int) (err error) {
		lists[i], err = s.of(ctx, users[i])
		return err
	}); err != nil {
		return err
	}
	sums := map[done]tally{}
	for _, list := range lists {
		for what, n := range list {
			t := sums[what]
			sums[what] = tally{t.n + n, t.people + 1}
		}
	}
	only := reader.UserID("")
	if len(users) == 1 {
		only = users[0]
	}
	return s.put(ctx, today, only, sums)
}

// users are those who have a subscription, in order.
func (s *Service) users(ctx context.Context) ([]reader.UserID, error) {
	var feeds []reader.FeedID
	if err := s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.Subs > 0 {
			feeds = append(feeds, f.ID())
		}
		return nil
	}); err != nil {
		return nil, err
	}
	lists := make([][]store.Subscriber, len(feeds))
	if err := s.each(ctx, len(feeds), func(ctx context.Context, i int) (err error) {
		lists[i], err = s.store.Subscriptions.Subscribers(ctx, feeds[i])
		return err
	}); err != nil {
		return nil, err
	}
	found := map[reader.UserID]bool{}
	for _, list := range lists {
		for _, sub := range list {
			found[sub.User] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// each calls do for n feeds or users, some of them at once, until one fails.
func (s *Service) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.atOnce)
	for i := range n {
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}

// of counts what a user did, if that may be counted.
func (s *Service) of(ctx context.Context, u reader.UserID) (map[done]int, error) {
	prefs, err := s.store.Preferences.Get(ctx, u)
	if err != nil || !prefs.CountsUse() {
		return nil, err
	}
	counts := map[done]int{}
	return counts, s.store.Subscriptions.Each(ctx, u, func(r *store.SubscriptionRow) error {
		for day, note := range reader.Notes(r.Notes).All() {
			counts[done{day, note}]++
		}
		return nil
	})
}

// put writes the sums of the days that are over.
func (s *Service) put(ctx context.Context, today reader.Day, only reader.UserID, sums map[done]tally) error {
	first := today - reader.NoteDays
	stored, err := s.store.Uses.Days(ctx, first, today-1)
	if err != nil {
		return err
	}
	for day := first; day < today; day++ {
		var use store.Use
		for what, t := range sums {
			if what.day != day || only == "" && t.people < 2 {
				continue
			}
			list := listOf(&use, what.note.Kind)
			*list = append(*list, &store.UseSum{Item: what.note.Item, Text: what.note.Text, N: t.n})
		}
		for _, kind := range []reader.NoteKind{reader.Clicked, reader.TagOpened, reader.Searched} {
			list := listOf(&use, kind)
			*list = most(*list, maxSums)
		}
		if isStored(stored, day, only, use) {
			continue
		}
		if err := s.store.Uses.Put(ctx, day, only, use); err != nil {
			return err
		}
	}
	return nil
}

func listOf(u *store.Use, kind reader.NoteKind) *[]*store.UseSum {
	switch kind {
	case reader.Clicked:
		return &u.Clicks
	case reader.TagOpened:
		return &u.Tags
	}
	return &u.Searches
}

// most sorts sums, most first, and cuts the list.
func most(list []*store.UseSum, n int) []*store.UseSum {
	slices.SortFunc(list, func(a, b *store.UseSum) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(b.Item, a.Item), cmp.Compare(a.Text, b.Text))
	})
	return list[:min(len(list), n)]
}

// isStored reports whether a day's row has these sums; a day without any needs no row. A row that cannot be read is
// written anew.
func isStored(rows []*store.UseRow, day reader.Day, only reader.UserID, use store.Use) bool {
	i := slices.IndexFunc(rows, func(r *store.UseRow) bool { return r.Day() == day })
	if i < 0 {
		return len(use.Clicks)+len(use.Tags)+len(use.Searches) == 0
	}
	was, err := rows[i].Use()
	return err == nil && rows[i].Only == string(only) && reflect.DeepEqual(was, use)
}

// Popular returns what was done most in some days that are over, up to yesterday. A user sees sums of several people,
// and their own where they are the only one.
func (s *Service) Popular(ctx context.Context, u reader.UserID, days int) (store.Use, error) {
	today := reader.DayOf(s.clock.Now().UnixMilli())
	rows, err := s.store.Uses.Days(ctx, today-reader.Day(days), today-1)
	if err != nil {
		return store.Use{}, err
	}
	var clicks, tags, searches sums
	for _, r := range rows {
		if r.Only != "" && r.Only != string(u) {
			continue
		}
		use, err := r.Use()
		if err != nil {
			return store.Use{}, err
		}
		clicks.add(use.Clicks)
		tags.add(use.Tags)
		searches.add(use.Searches)
	}
	return store.Use{Clicks: clicks.most(), Tags: tags.most(), Searches: searches.most()}, nil
}

// sums adds up the sums of several days; what they are of is the key, with N = 0.
type sums map[store.UseSum]int

func (s *sums) add(list []*store.UseSum) {
	if *s == nil {
		*s = sums{}
	}
	for _, x := range list {
		(*s)[store.UseSum{Item: x.Item, Text: x.Text}] += x.N
	}
}

func (s sums) most() []*store.UseSum {
	list := make([]*store.UseSum, 0, len(s))
	for x, n := range s {
		list = append(list, &store.UseSum{Item: x.Item, Text: x.Text, N: n})
	}
	return most(list, len(list))
}

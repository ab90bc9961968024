package subscribe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// importing is one pass over outlines of a list.
type importing struct {
	s    *Service
	user reader.UserID
	// since marks the subscriptions that this import makes, in Unix seconds: one that broke off and is gone on with
	// knows those that it has made already. 0: none are told apart.
	since int64

	have map[reader.FeedID]int64 // since when
	room int
	// marks are read once for all feeds, when the first one comes that has items.
	marks func() (map[reader.FeedID]*marks, error)

	mu   sync.Mutex
	urls map[reader.FeedID]string // still to be crawled for the first time
	out  Imported
}

// importing looks at what the user has. The latest: a read that lags still shows what was just left, and the import
// would pass it over.
func (s *Service) importing(ctx context.Context, u reader.UserID, since int64) (*importing, error) {
	have := map[reader.FeedID]int64{}
	err := s.store.Subscriptions.EachLatest(ctx, u, func(r *store.SubscriptionRow) error {
		have[r.Feed()] = r.Since
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	return &importing{
		s: s, user: u, since: since, have: have, room: s.Cap(a) - len(have), urls: map[reader.FeedID]string{},
		marks: sync.OnceValues(func() (map[reader.FeedID]*marks, error) { return s.allMarks(ctx, u) }),
	}, nil
}

// entry is an outline on its way.
type entry struct {
	opml.Feed
	address string
	feed    *store.FeedRow // nil while nobody knows it
	folders []int32
}

// work imports outlines. Only a failing store ends it; all else is one outline's failure. What finds a place under
// the cap is decided in the order of the list, so that a pass that is repeated decides the same.
func (im *importing) work(ctx context.Context, feeds []opml.Feed) error {
	list := im.once(feeds)
	err := im.each(ctx, list, func(ctx context.Context, e *entry) (err error) {
		e.feed, err = im.s.existing(ctx, e.address)
		return err
	})
	if err != nil {
		return err
	}
	todo := im.places(list)
	if err := im.file(ctx, todo); err != nil {
		return err
	}
	return im.each(ctx, todo, im.subscribe)
}

func (im *importing) each(ctx context.Context, list []*entry, do func(context.Context, *entry) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(im.s.atOnce)
	for _, e := range list {
		g.Go(func() error { return do(gctx, e) })
	}
	return g.Wait()
}

// once leaves out outlines whose address was listed before, as we write addresses, and those without a good one.
func (im *importing) once(feeds []opml.Feed) []*entry {
	seen := make(map[string]bool, len(feeds))
	out := make([]*entry, 0, len(feeds))
	for _, o := range feeds {
		address, err := Normalise(o.XMLURL)
		switch {
		case err != nil:
			im.fail(o, err)
		case seen[address]:
			im.out.AlreadySubscribed++
		default:
			seen[address] = true
			out = append(out, &entry{Feed: o, address: address})
		}
	}
	return out
}

// places takes a place under the cap for each outline that needs one.
func (im *importing) places(list []*entry) []*entry {
	var todo []*entry
	taken := map[reader.FeedID]bool{} // two addresses of one merged feed
	for _, e := range list {
		if e.feed != nil {
			since, had := im.have[e.feed.ID()]
			switch {
			case taken[e.feed.ID()], had && (im.since == 0 || since != im.since):
				im.out.AlreadySubscribed++
				continue
			case had: // by an earlier try of this very import
				im.made(e.feed)
				continue
			}
		}
		if im.room <= 0 {
			im.fail(e.Feed, fault.Newf(fault.Conflict, "subscription_limit", "There is no room for more subscriptions in this account."))
			continue
		}
		im.room--
		if e.feed != nil {
			taken[e.feed.ID()] = true
		}
		todo = append(todo, e)
	}
	return todo
}

// file makes the folders of outlines, all in one write.
func (im *importing) file(ctx context.Context, list []*entry) error {
	if !slices.ContainsFunc(list, func(e *entry) bool { return len(e.Path) > 0 }) {
		return nil
	}
	_, err := im.s.store.Trees.Change(ctx, im.user, func(t *reader.Tree) error {
		known := map[string]reader.FolderID{}
		for _, e := range list {
			e.folders = nil
			for _, path := range append([][]string{e.Path}, e.Also...) {
				key := strings.Join(path, "\x00")
				id, ok := known[key]
				if !ok {
					id = t.Ensure(path)
					known[key] = id
				}
				if id != 0 && !slices.Contains(e.folders, int32(id)) && len(e.folders) < maxIn {
					e.folders = append(e.folders, int32(id))
				}
			}
		}
		return nil
	})
	return err
}

// subscribe makes the feed of an outline where there is none, and subscribes the user to it.
func (im *importing) subscribe(ctx context.Context, e *entry) error {
	f := e.feed
	if f == nil {
		var err error
		if f, err = im.s.store.Feeds.Ensure(ctx, e.address, im.s.fresh(e.Title, e.HTMLURL)); err != nil {
			return err
		}
	}
	made, err := im.s.attach(ctx, im.user, f, Wish{
		Title: ownTitle(e.Title), Folders: e.folders, since: im.since,
		marks: func(context.Context, reader.UserID) (map[reader.FeedID]*marks, error) { return im.marks() },
	})
	if err != nil {
		return err
	}
	if !made && im.since > 0 {
		// The same message may be at work twice at this moment.
		row, err := im.s.store.Subscriptions.Get(ctx, im.user, f.ID())
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		made = err == nil && row.Since == im.since
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if !made {
		im.out.AlreadySubscribed++
		return nil
	}
	im.made(f)
	return nil
}

// made notes a subscription of this import.
func (im *importing) made(f *store.FeedRow) {
	im.out.Feeds = append(im.out.Feeds, f)
	if f.Fresh() {
		im.urls[f.ID()] = f.URL
	}
}

// ownTitle cuts the title of a list to what a person's own may be.
func ownTitle(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxOwnTitle {
			return s[:i]
		}
	}
	return s
}

func (im *importing) fail(o opml.Feed, err error) {
	f := Failure{URL: o.XMLURL, Title: o.Title, Code: fault.CodeOf(err), Message: err.Error(), Path: o.Path}
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" {
		f.Message = fe.Message
	}
	im.out.Failed = append(im.out.Failed, f)
}

package subscribe

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// importing is one pass over outlines of a list.
type importing struct {
	s    *Service
	user reader.UserID
	// since marks the subscriptions that this import makes, in Unix seconds, so that an import that is continued after
	// a crash recognises them. 0: no marking.
	since int64

	have     map[reader.FeedID]int64 // since when
	capacity int
	isFull   error // the reason why nothing is subscribed beyond it
	// marks are read once for all feeds, when the first feed with items comes.
	marks func() (map[reader.FeedID]*marks, error)

	mu   sync.Mutex
	urls map[reader.FeedID]string // still to be crawled for the first time
	out  Imported
}

// importing reads the user's subscriptions consistently: a stale read would still show what was just left, and the
// import would skip it.
func (s *Service) importing(ctx context.Context, u reader.UserID, since int64) (*importing, error) {
	have := map[reader.FeedID]int64{}
	err := s.Store.Subscriptions.EachLatest(ctx, u, func(r *store.SubscriptionRow) error {
		have[r.Feed()] = r.Since
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := s.Store.Accounts.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	return &importing{
		s: s, user: u, since: since, have: have, capacity: s.Cap(a) - len(have), isFull: s.limitOf(a),
		urls:  map[reader.FeedID]string{},
		marks: sync.OnceValues(func() (map[reader.FeedID]*marks, error) { return s.allMarks(ctx, u) }),
	}, nil
}

// entry is an outline that is being imported.
type entry struct {
	opml.Feed
	address string
	feed    *store.FeedRow // nil if there is none yet
	folders []reader.FolderID
}

// work imports outlines. Only a failing store ends it; anything else is one outline's failure. The order of the list
// decides what fits under the cap, so that a repeated pass decides the same.
func (im *importing) work(ctx context.Context, feeds []opml.Feed) error {
	list := im.distinct(feeds)
	err := each(ctx, im.s, list, func(ctx context.Context, e *entry) (err error) {
		e.feed, err = im.s.existing(ctx, e.address)
		return err
	})
	if err != nil {
		return err
	}
	todo := im.claim(list)
	if err := im.makeFolders(ctx, todo); err != nil {
		return err
	}
	if err := each(ctx, im.s, todo, im.subscribe); err != nil {
		return err
	}
	return im.makeWatches(ctx, feeds)
}

// each calls do for each element, several at once.
func each[T any](ctx context.Context, s *Service, list []T, do func(context.Context, T) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(s.Concurrency)
	for _, e := range list {
		g.Go(func() error { return do(gctx, e) })
	}
	return g.Wait()
}

// distinct leaves out duplicates, by normalised address, and outlines without a valid one or with a folder whose name
// is too long.
func (im *importing) distinct(feeds []opml.Feed) []*entry {
	seen := make(map[string]bool, len(feeds))
	out := make([]*entry, 0, len(feeds))
	for _, o := range feeds {
		if o.Watch != "" {
			continue // see makeWatches
		}
		address, err := Normalise(o.XMLURL)
		for _, path := range append([][]string{o.Path}, o.Also...) {
			err = cmp.Or(err, library.CheckPath(path))
		}
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

// claim takes capacity under the cap for each outline that needs it.
func (im *importing) claim(list []*entry) []*entry {
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
		if im.capacity <= 0 {
			im.fail(e.Feed, im.isFull)
			continue
		}
		im.capacity--
		if e.feed != nil {
			taken[e.feed.ID()] = true
		}
		todo = append(todo, e)
	}
	return todo
}

// makeFolders creates the folders of outlines, all in one write.
func (im *importing) makeFolders(ctx context.Context, list []*entry) error {
	if !slices.ContainsFunc(list, func(e *entry) bool { return len(e.Path) > 0 }) {
		return nil
	}
	_, err := im.s.Store.Trees.Change(ctx, im.user, func(t *library.Tree) error {
		for _, e := range list {
			e.folders = nil
			for _, path := range append([][]string{e.Path}, e.Also...) {
				if id := t.Ensure(path); id != 0 && !slices.Contains(e.folders, id) &&
					len(e.folders) < library.MaxFoldersOfFeed {
					e.folders = append(e.folders, id)
				}
			}
		}
		return nil
	})
	return err
}

// subscribe creates the feed of an outline if there is none, and subscribes the user to it.
func (im *importing) subscribe(ctx context.Context, e *entry) error {
	o := Options{Title: reader.Cut(e.Title, library.MaxTitle), Folders: e.folders, since: im.since, marks: im.marks}
	var made bool
	attach := func(f *store.FeedRow) (err error) {
		made, err = im.s.attach(ctx, im.user, f, o)
		return err
	}
	f := e.feed
	var err error
	if f == nil {
		f, err = im.s.ensure(ctx, e.address, e.Title, e.HTMLURL, attach)
	} else {
		err = attach(f)
	}
	if err != nil {
		return err
	}
	if !made && im.since > 0 {
		// The same message may be processed twice at this moment.
		row, err := im.s.Store.Subscriptions.Get(ctx, im.user, f.ID())
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

// made records a subscription of this import.
func (im *importing) made(f *store.FeedRow) {
	im.out.Feeds = append(im.out.Feeds, f)
	if f.Fresh() {
		im.urls[f.ID()] = f.URL
	}
}

func (im *importing) fail(o opml.Feed, err error) {
	im.out.Failed = append(im.out.Failed, store.ImportFailure{URL: reader.ShownURL(cmp.Or(o.XMLURL, o.HTMLURL)),
		Title: o.Title, Code: fault.CodeOf(err), Path: o.Path})
}

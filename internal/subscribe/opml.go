package subscribe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// Failure is one outline that was not imported, and why.
type Failure struct {
	URL     string
	Title   string
	Code    string
	Message string
}

// Imported is what an import did. Feeds are those newly subscribed.
type Imported struct {
	Feeds             []*store.FeedRow
	AlreadySubscribed int
	Failed            []Failure
}

// importers is how many outlines are written at once where nothing else is set: writes of one machine share a commit, and on
// DynamoDB the table's token bucket paces them.
const importers = 8

// Import subscribes a user to every feed of an OPML document. The document's structure is read whole
// or refused; each feed then succeeds or fails by itself (C-14). First crawls go through the queue.
func (s *Service) Import(ctx context.Context, u reader.UserID, doc opml.Document) (*Imported, error) {
	have := map[reader.FeedID]bool{}
	// The latest: a read that lags still shows what was just left, and the import would pass it over.
	err := s.store.Subscriptions.EachLatest(ctx, u, func(r *store.SubscriptionRow) error {
		have[r.Feed()] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	im := &importing{s: s, user: u, have: have, room: s.Cap(a) - len(have), urls: map[reader.FeedID]string{}}
	for _, e := range doc.Problems {
		im.out.Failed = append(im.out.Failed, Failure{URL: e.URL, Title: e.Title, Code: e.Code, Message: e.Message})
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(s.atOnce)
	for _, o := range im.once(doc.Feeds) {
		g.Go(func() error { return im.one(gctx, o) })
	}
	err = g.Wait()
	// What was subscribed before a failure is crawled all the same.
	if sendErr := s.sendFirst(ctx, im.urls); err == nil {
		err = sendErr
	}
	slices.SortFunc(im.out.Feeds, func(a, b *store.FeedRow) int { return cmp.Compare(a.ID(), b.ID()) })
	return &im.out, err
}

// once leaves out outlines whose address was listed before, as we write addresses: two at work on one
// feed would each take a place under the cap.
func (im *importing) once(feeds []opml.Feed) []opml.Feed {
	seen := make(map[string]bool, len(feeds))
	out := make([]opml.Feed, 0, len(feeds))
	for _, o := range feeds {
		address, err := Normalise(o.XMLURL)
		if err == nil && seen[address] {
			im.out.AlreadySubscribed++
			continue
		}
		seen[address] = true
		out = append(out, o)
	}
	return out
}

type importing struct {
	s    *Service
	user reader.UserID

	mu   sync.Mutex
	have map[reader.FeedID]bool
	room int
	urls map[reader.FeedID]string // still to be crawled for the first time
	out  Imported
}

// one imports an outline. Only a failing store ends the import; all else is this outline's failure.
func (im *importing) one(ctx context.Context, o opml.Feed) error {
	address, err := Normalise(o.XMLURL)
	if err != nil {
		im.fail(o, err)
		return nil
	}
	f, err := im.s.existing(ctx, address)
	if err != nil {
		return err
	}
	switch im.reserve(f) {
	case had:
		return nil
	case full:
		im.fail(o, fault.Newf(fault.Conflict, "subscription_limit", "There is no room for more subscriptions in this account."))
		return nil
	}
	if f == nil {
		if f, err = im.s.store.Feeds.Ensure(ctx, address, im.s.fresh(o.Title, o.HTMLURL)); err != nil {
			return err
		}
	}
	made, err := im.s.attach(ctx, im.user, f, Wish{Title: o.Title, Folder: o.Path})
	if isGone(err) {
		if f, err = im.s.store.Feeds.Ensure(ctx, address, im.s.fresh(o.Title, o.HTMLURL)); err == nil {
			made, err = im.s.attach(ctx, im.user, f, Wish{Title: o.Title, Folder: o.Path})
		}
	}
	if err != nil {
		return err
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	im.have[f.ID()] = true
	if !made {
		im.out.AlreadySubscribed++
		im.room++
		return nil
	}
	im.out.Feeds = append(im.out.Feeds, f)
	if f.Fresh() {
		im.urls[f.ID()] = f.URL
	}
	return nil
}

// place is what an outline finds under the cap.
type place int

const (
	free place = iota
	had
	full
)

// reserve takes a place for a feed, nil for one that nobody knows yet.
func (im *importing) reserve(f *store.FeedRow) place {
	im.mu.Lock()
	defer im.mu.Unlock()
	switch {
	case f != nil && im.have[f.ID()]:
		im.out.AlreadySubscribed++
		return had
	case im.room <= 0:
		return full
	}
	im.room--
	return free
}

func (im *importing) fail(o opml.Feed, err error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	f := Failure{URL: o.XMLURL, Title: o.Title, Code: fault.CodeOf(err), Message: err.Error()}
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" {
		f.Message = fe.Message
	}
	im.out.Failed = append(im.out.Failed, f)
}

func (s *Service) sendFirst(ctx context.Context, urls map[reader.FeedID]string) error {
	if len(urls) == 0 {
		return nil
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	var bodies [][]byte
	for _, j := range job.Group(job.First, job.Parts(s.parts, n), urls) {
		bodies = append(bodies, j.Encode())
	}
	return s.queue.Send(ctx, bodies, 0)
}

// Export gives a user's subscriptions for an OPML document, by folder and title.
func (s *Service) Export(ctx context.Context, u reader.UserID) ([]opml.Feed, error) {
	subs := map[reader.FeedID]*store.SubscriptionRow{}
	var ids []reader.FeedID
	err := s.store.Subscriptions.Each(ctx, u, func(r *store.SubscriptionRow) error {
		subs[r.Feed()] = r
		ids = append(ids, r.Feed())
		return nil
	})
	if err != nil {
		return nil, err
	}
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	feeds := make([]opml.Feed, 0, len(ids))
	err = s.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		sub := subs[f.ID()]
		title := sub.Title
		if title == "" {
			title = f.DisplayTitle()
		}
		feeds = append(feeds, opml.Feed{Title: title, XMLURL: f.URL, HTMLURL: f.Site, Path: pathOf(&tree, sub)})
		return nil
	})
	slices.SortStableFunc(feeds, func(a, b opml.Feed) int {
		return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.Title, b.Title), cmp.Compare(a.XMLURL, b.XMLURL))
	})
	return feeds, err
}

// pathOf is the folder that a list with one place for each feed shows it in: the first that is there.
func pathOf(t *reader.Tree, sub *store.SubscriptionRow) []string {
	for _, id := range sub.Folders {
		if path := t.Path(reader.FolderID(id)); path != nil {
			return path
		}
	}
	return nil
}

package subscribe

import (
	"cmp"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Failure is one outline that was not imported, and why.
type Failure struct {
	URL     string
	Title   string
	Code    string
	Message string
	Path    []string // of the folders that the list has a feed in, from the outside in
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
	im, err := s.importing(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	im.out.Failed = problems(doc)
	err = im.work(ctx, doc.Feeds)
	// What was subscribed before a failure is crawled all the same.
	if sendErr := s.sendFirst(ctx, im.urls); err == nil {
		err = sendErr
	}
	slices.SortFunc(im.out.Feeds, func(a, b *store.FeedRow) int { return cmp.Compare(a.ID(), b.ID()) })
	return &im.out, err
}

// problems are the entries of a document that are no feeds.
func problems(doc opml.Document) []Failure {
	var out []Failure
	for _, e := range doc.Problems {
		out = append(out, Failure{URL: e.URL, Title: e.Title, Code: e.Code, Message: e.Message})
	}
	return out
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
		out := opml.Feed{Title: title, XMLURL: f.URL, HTMLURL: f.Site}
		if paths := pathsOf(&tree, sub); len(paths) > 0 {
			out.Path, out.Also = paths[0], paths[1:]
		}
		feeds = append(feeds, out)
		return nil
	})
	slices.SortStableFunc(feeds, func(a, b opml.Feed) int {
		return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.Title, b.Title), cmp.Compare(a.XMLURL, b.XMLURL))
	})
	return feeds, err
}

// pathsOf are the folders of a subscription that are there; none at the top.
func pathsOf(t *reader.Tree, sub *store.SubscriptionRow) (paths [][]string) {
	for _, id := range sub.Folders {
		if path := t.Path(reader.FolderID(id)); path != nil {
			paths = append(paths, path)
		}
	}
	return paths
}

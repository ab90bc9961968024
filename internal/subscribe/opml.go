package subscribe

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Imported is the result of an import. Feeds are those newly subscribed.
type Imported struct {
	Feeds             []*store.FeedRow
	AlreadySubscribed int
	Failed            []store.ImportFailure
}

// Import subscribes a user to every feed of an OPML document; each feed succeeds or fails by itself (C-14). The queue
// runs the first crawls.
func (s *Service) Import(ctx context.Context, u reader.UserID, doc opml.Document) (*Imported, error) {
	out, err := s.importFeeds(ctx, u, doc.Feeds)
	if out != nil {
		out.Failed = append(problems(doc), out.Failed...)
		slices.SortFunc(out.Feeds, func(a, b *store.FeedRow) int { return cmp.Compare(a.ID(), b.ID()) })
	}
	return out, err
}

// importFeeds imports feeds in one pass. Feeds subscribed before a failure are crawled all the same.
func (s *Service) importFeeds(ctx context.Context, u reader.UserID, feeds []opml.Feed) (*Imported, error) {
	im, err := s.importing(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	err = im.work(ctx, feeds)
	return &im.out, cmp.Or(err, s.FirstCrawls(ctx, im.urls))
}

// problems are the invalid entries of a document.
func problems(doc opml.Document) []store.ImportFailure {
	var out []store.ImportFailure
	for _, e := range doc.Problems {
		out = append(out, store.ImportFailure{URL: reader.ShownURL(e.URL), Title: e.Title, Code: e.Code})
	}
	return out
}

// FirstCrawls sends feeds that were never crawled to the queue.
func (s *Service) FirstCrawls(ctx context.Context, urls map[reader.FeedID]string) error {
	if len(urls) == 0 {
		return nil
	}
	jobs, err := s.grouped(ctx, job.First, urls)
	if err != nil {
		return err
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// grouped returns messages for feeds, by parts of hosts.
func (s *Service) grouped(ctx context.Context, kind string, urls map[reader.FeedID]string) ([]job.Job, error) {
	n, err := s.Store.Feeds.Count(ctx)
	return job.Group(kind, job.Parts(s.Parts, n), urls), err
}

// Export gives a user's subscriptions for an OPML document, by folder and title.
func (s *Service) Export(ctx context.Context, u reader.UserID) ([]opml.Feed, error) {
	subs := map[reader.FeedID]*store.SubscriptionRow{}
	var ids []reader.FeedID
	err := s.Store.Subscriptions.Each(ctx, u, func(r *store.SubscriptionRow) error {
		subs[r.Feed()] = r
		ids = append(ids, r.Feed())
		return nil
	})
	if err != nil {
		return nil, err
	}
	tree, err := s.Store.Trees.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	feeds := make([]opml.Feed, 0, len(ids))
	err = s.Store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if f.Damaged {
			return nil // its address is not known
		}
		sub := subs[f.ID()]
		title := sub.Title
		if title == "" {
			title = f.DisplayTitle()
		}
		out := opml.Feed{Title: title, XMLURL: f.URL, HTMLURL: f.Site}
		if f.IsWatch() {
			out.XMLURL, out.HTMLURL, out.Minutes = "", f.URL, int(cmp.Or(sub.Interval, reader.DefaultInterval))
			if out.Watch, err = s.watchSettings(ctx, u, f.ID()); err != nil {
				return err
			}
		}
		if paths := tree.Paths(sub.Folders); len(paths) > 0 {
			out.Path, out.Also = paths[0], paths[1:]
		}
		feeds = append(feeds, out)
		return nil
	})
	slices.SortStableFunc(feeds, func(a, b opml.Feed) int {
		return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.Title, b.Title), cmp.Compare(a.XMLURL, b.XMLURL),
			cmp.Compare(a.Watch, b.Watch))
	})
	return feeds, err
}

// watchSettings returns the settings of a user's watch as JSON.
func (s *Service) watchSettings(ctx context.Context, u reader.UserID, f reader.FeedID) (string, error) {
	row, err := s.Store.Watches.Settings(ctx, f)
	if err != nil {
		return "", err
	}
	if row.Owner != string(u) {
		return "", fault.Coded(fault.NotFound, "watch_not_found")
	}
	set, err := row.Decode()
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(set)
	return string(b), err
}

package subscribe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// RefreshScope selects the feeds to poll: one feed, a folder with the folders in it, all watches, or all feeds.
type RefreshScope struct {
	Feed    reader.FeedID
	Folder  reader.FolderID
	Watches bool
}

func (s RefreshScope) name() string {
	switch {
	case s.Feed > 0:
		return fmt.Sprintf("feed:%d", s.Feed)
	case s.Folder > 0:
		return fmt.Sprintf("folder:%d", s.Folder)
	case s.Watches:
		return "watches"
	}
	return "all"
}

// Refreshing is a refresh and its progress.
type Refreshing struct {
	store.Refresh
	store.Progress
}

// Refresh polls the feeds of a scope now, except those that may not be polled yet, which are counted. If a refresh of
// the same scope is running, that one is returned. It writes one row of the user's; the messages, one for each part of
// the hosts, do the rest (crawl, requested.go). If no feed may be polled, nothing is written or sent, and the refresh
// has no name.
func (s *Service) Refresh(ctx context.Context, u reader.UserID, scope RefreshScope) (*Refreshing, error) {
	var r *Refreshing
	err := store.Retry("settings_contended", func() (err error) {
		r, err = s.refresh(ctx, u, scope)
		return err
	})
	return r, err
}

func (s *Service) refresh(ctx context.Context, u reader.UserID, scope RefreshScope) (*Refreshing, error) {
	now := s.Clock.Now()
	others, rev, err := s.Store.Refreshes.List(ctx, u, now)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(others, func(r store.Refresh) bool { return r.Scope == scope.name() }); i >= 0 {
		p, err := s.Store.Refreshes.Progress(ctx, &others[i], now)
		if err != nil || !p.Done {
			return &Refreshing{others[i], p}, err
		}
	}
	r := store.Refresh{Scope: scope.name()}
	urls, err := s.refreshable(ctx, u, scope, &r)
	if err != nil || len(urls) == 0 {
		return &Refreshing{r, store.Progress{Done: true}}, err
	}
	jobs, err := s.grouped(ctx, job.Refresh, urls)
	if err != nil {
		return nil, err
	}
	r.Name, r.Feeds = store.RefreshName(now, rand.Uint32()), len(urls)
	for i := range jobs {
		jobs[i].List = r.Name
		r.Parts = append(r.Parts, jobs[i].Part)
	}
	if err := s.Store.Refreshes.Put(ctx, u, append([]store.Refresh{r}, others...), rev, now); err != nil {
		return nil, err
	}
	if err := job.Send(ctx, s.Queue, 0, jobs...); err != nil {
		// Withdrawn: the next request must not be answered with a refresh that never runs.
		if undo := s.Store.Refreshes.Put(ctx, u, others, rev+1, now); undo != nil {
			s.Log.Warn("a refresh that was not started stays recorded", "error", undo)
		}
		return nil, err
	}
	return &Refreshing{Refresh: r}, nil
}

// refreshable returns the feeds of a scope that may be polled now, and counts the others.
func (s *Service) refreshable(ctx context.Context, u reader.UserID, scope RefreshScope,
	r *store.Refresh) (map[reader.FeedID]string, error) {
	ids, err := s.scoped(ctx, u, scope)
	if err != nil {
		return nil, err
	}
	n, err := s.Store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	parts := job.Parts(s.Parts, n)
	var feeds []store.PolledFeed
	err = s.Store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if scope.Watches && (!f.IsWatch() || f.Paused) {
			return nil
		}
		feeds = append(feeds, store.PolledFeed{FeedRow: f, Part: job.PartOf(f.URL, parts)})
		return nil
	})
	if err == nil {
		err = s.Store.Checks.Prepare(ctx, feeds)
	}
	if err != nil {
		return nil, err
	}
	now, urls := s.Clock.Now(), map[reader.FeedID]string{}
	for _, f := range feeds {
		if !f.Live() {
			r.Skipped++
			continue
		}
		last, err := s.Store.Checks.Last(ctx, f.FeedRow, f.Part)
		if err != nil {
			return nil, err
		}
		at := schedule.RefreshAt(last, time.Unix(f.NotBefore, 0).UTC())
		if !at.After(now) {
			urls[f.ID()] = f.URL
			continue
		}
		r.Skipped++
		if r.NextAt == 0 || at.Unix() < r.NextAt {
			r.NextAt = at.Unix()
		}
	}
	return urls, nil
}

// scoped returns the numbers of a scope's feeds.
func (s *Service) scoped(ctx context.Context, u reader.UserID, scope RefreshScope) ([]reader.FeedID, error) {
	if scope.Feed > 0 {
		row, err := s.Store.Subscriptions.Get(ctx, u, scope.Feed)
		if err != nil {
			return nil, err
		}
		return []reader.FeedID{row.Feed()}, nil
	}
	var within []reader.FolderID
	if scope.Folder > 0 {
		tree, err := s.Store.Trees.Get(ctx, u)
		if err != nil {
			return nil, err
		}
		if within, err = tree.Within(scope.Folder); err != nil {
			return nil, err
		}
	}
	var ids []reader.FeedID
	err := s.Store.Subscriptions.Each(ctx, u, func(row *store.SubscriptionRow) error {
		in := scope.Folder == 0 || row.In(within)
		if in {
			ids = append(ids, row.Feed())
		}
		return nil
	})
	return ids, err
}

// RefreshProgress returns one of the user's refreshes by its name.
func (s *Service) RefreshProgress(ctx context.Context, u reader.UserID, name string) (*Refreshing, error) {
	now := s.Clock.Now()
	list, _, err := s.Store.Refreshes.List(ctx, u, now)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(r store.Refresh) bool { return r.Name == name })
	if i < 0 {
		return nil, fault.Coded(fault.NotFound, "refresh_not_found")
	}
	p, err := s.Store.Refreshes.Progress(ctx, &list[i], now)
	return &Refreshing{list[i], p}, err
}

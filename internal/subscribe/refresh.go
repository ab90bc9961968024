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

// RefreshScope says which of their feeds a person wants polled: one, those of a folder and of the folders in it,
// or all.
type RefreshScope struct {
	Feed   reader.FeedID
	Folder reader.FolderID
}

func (s RefreshScope) name() string {
	switch {
	case s.Feed > 0:
		return fmt.Sprintf("feed:%d", s.Feed)
	case s.Folder > 0:
		return fmt.Sprintf("folder:%d", s.Folder)
	}
	return "all"
}

// Refreshing is a refresh and how far it is.
type Refreshing struct {
	store.Refresh
	store.Progress
}

// refreshTries bounds how often a refresh is begun anew after another one of the same user came between.
const refreshTries = 4

// Refresh has the feeds of a scope polled now, but for those that may not be yet, which are counted. One that is
// under way for the same scope is given instead of a second one. What is written is one row of the user's; the
// messages, one for each part of the hosts, do the rest (crawl, requested.go). Where nothing may be polled, nothing
// is written or sent, and the refresh has no name.
func (s *Service) Refresh(ctx context.Context, u reader.UserID, scope RefreshScope) (*Refreshing, error) {
	for range refreshTries {
		r, err := s.refresh(ctx, u, scope)
		if !fault.Is(err, fault.Conflict) {
			return r, err
		}
	}
	return nil, fault.New(fault.Unavailable, "settings_contended", "subscribe: refresh", nil)
}

func (s *Service) refresh(ctx context.Context, u reader.UserID, scope RefreshScope) (*Refreshing, error) {
	now := s.clock.Now()
	others, rev, err := s.store.Refreshes.List(ctx, u, now)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(others, func(r store.Refresh) bool { return r.Scope == scope.name() }); i >= 0 {
		p, err := s.store.Refreshes.Progress(ctx, &others[i], now)
		if err != nil || !p.Done {
			return &Refreshing{others[i], p}, err
		}
	}
	r := store.Refresh{Scope: scope.name()}
	urls, err := s.refreshable(ctx, u, scope, &r)
	if err != nil || len(urls) == 0 {
		return &Refreshing{r, store.Progress{Done: true}}, err
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	r.Name, r.Feeds = store.RefreshName(now, rand.Uint32()), len(urls)
	var messages [][]byte
	for _, j := range job.Group(job.Refresh, job.Parts(s.parts, n), urls) {
		j.List = r.Name
		r.Parts = append(r.Parts, j.Part)
		messages = append(messages, j.Encode())
	}
	if err := s.store.Refreshes.Put(ctx, u, append([]store.Refresh{r}, others...), rev, now); err != nil {
		return nil, err
	}
	if err := s.queue.Send(ctx, messages, 0); err != nil {
		// Nothing will come of it: the next try is not to wait for this one.
		if undo := s.store.Refreshes.Put(ctx, u, others, rev+1, now); undo != nil {
			s.log.Warn("a refresh that was not begun stays noted", "error", undo)
		}
		return nil, err
	}
	return &Refreshing{Refresh: r}, nil
}

// refreshable gives the feeds of a scope that may be polled now, and counts the others.
func (s *Service) refreshable(ctx context.Context, u reader.UserID, scope RefreshScope, r *store.Refresh) (map[reader.FeedID]string, error) {
	ids, err := s.scoped(ctx, u, scope)
	if err != nil {
		return nil, err
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	parts := job.Parts(s.parts, n)
	var feeds []store.PolledFeed
	err = s.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		feeds = append(feeds, store.PolledFeed{FeedRow: f, Part: job.PartOf(f.URL, parts)})
		return nil
	})
	if err == nil {
		err = s.store.Checks.Prepare(ctx, feeds)
	}
	if err != nil {
		return nil, err
	}
	now, urls := s.clock.Now(), map[reader.FeedID]string{}
	for _, f := range feeds {
		if !f.Live() || f.Status == string(reader.StatusStopped) {
			r.Skipped++
			continue
		}
		last, err := s.store.Checks.Last(ctx, f.FeedRow, f.Part)
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

// scoped gives the numbers of a scope's feeds.
func (s *Service) scoped(ctx context.Context, u reader.UserID, scope RefreshScope) ([]reader.FeedID, error) {
	if scope.Feed > 0 {
		row, err := s.store.Subscriptions.Get(ctx, u, scope.Feed)
		if err != nil {
			return nil, err
		}
		return []reader.FeedID{row.Feed()}, nil
	}
	var within []reader.FolderID
	if scope.Folder > 0 {
		tree, err := s.store.Trees.Get(ctx, u)
		if err != nil {
			return nil, err
		}
		if within = tree.Within(scope.Folder); len(within) == 0 {
			return nil, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
		}
	}
	var ids []reader.FeedID
	err := s.store.Subscriptions.Each(ctx, u, func(row *store.SubscriptionRow) error {
		in := scope.Folder == 0 || slices.ContainsFunc(row.Folders, func(f int32) bool { return slices.Contains(within, reader.FolderID(f)) })
		if in {
			ids = append(ids, row.Feed())
		}
		return nil
	})
	return ids, err
}

// RefreshProgress gives a refresh of the user's by its name.
func (s *Service) RefreshProgress(ctx context.Context, u reader.UserID, name string) (*Refreshing, error) {
	now := s.clock.Now()
	list, _, err := s.store.Refreshes.List(ctx, u, now)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(r store.Refresh) bool { return r.Name == name })
	if i < 0 {
		return nil, fault.Newf(fault.NotFound, "refresh_not_found", "There is no such refresh, or it is no longer kept.")
	}
	p, err := s.store.Refreshes.Progress(ctx, &list[i], now)
	return &Refreshing{list[i], p}, err
}

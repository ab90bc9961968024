package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

func (s *Server) parts(ctx context.Context) (int, error) {
	n, err := s.Store.Feeds.Count(ctx)
	return job.Parts(s.Parts, n), err
}

func (s *Server) feedRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/feeds", Handle: s.listFeeds},
		{Method: "POST", Path: "/api/feeds", Handle: with(s.addFeed)},
		{Method: "GET", Path: "/api/feeds/updated", Handle: s.updatedFeeds},
		{Method: "GET", Path: "/api/feeds/{id}", ID: pathFeed, Handle: s.getFeed},
		{Method: "PATCH", Path: "/api/feeds/{id}", ID: pathFeed, Handle: with(s.repointFeed)},
		{Method: "DELETE", Path: "/api/feeds/{id}", ID: pathFeed, Handle: s.deleteFeed},
		{Method: "GET", Path: "/api/feeds/{id}/address", Person: true, ID: pathFeed, Handle: s.feedAddress},
		{Method: "GET", Path: "/api/feeds/{id}/fetches", ID: pathFeed, Handle: s.listFetches},
		{Method: "POST", Path: "/api/feeds/{id}/refresh", ID: pathFeed, Handle: s.refreshFeed},
		{Method: "POST", Path: "/api/refreshes", Handle: with(s.refreshList)},
		{Method: "GET", Path: "/api/refreshes/{id}", Handle: s.getRefresh},
		{Method: "POST", Path: "/api/feeds/{id}/resume", ID: pathFeed, Handle: s.resumeFeed},
	}
}

func (s *Server) getFeed(r *request) error {
	x, err := s.Streams.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	return s.answer(r, http.StatusOK, x)
}

// answerFeed answers a change with the feed after it.
func (s *Server) answerFeed(r *request, status int, id reader.FeedID) error {
	x, err := s.Streams.Latest(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	return s.answer(r, status, x)
}

func (s *Server) answer(r *request, status int, x *stream.Subscribed) error {
	parts, err := s.parts(r.Context())
	if err != nil {
		return err
	}
	tree, err := s.treeFor(r, x.Sub)
	if err != nil {
		return err
	}
	f, err := s.feed(r.Context(), newFeedShape(r.language(), &tree), x, job.PartOf(x.Feed.URL, parts))
	if err != nil {
		return err
	}
	return r.json(status, map[string]any{"feed": f})
}

func (s *Server) addFeed(r *request, in struct {
	URL    string `json:"url" required:"true"`
	Folder string `json:"folder"`
}) error {
	r.w.host = fetch.HostOf(in.URL)
	if utf8.RuneCountInString(in.Folder) > 200 {
		return fault.Coded(fault.Invalid, "bad_folder").At("folder")
	}
	if err := s.countRegistration(r); err != nil {
		return err
	}
	f, made, err := s.Subscribe.Add(r.Context(), r.user, in.URL, subscribe.Options{Folder: folderPath(in.Folder)})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return s.answerFeed(r, status, f.ID())
}

func (s *Server) deleteFeed(r *request) error {
	return r.done(s.Subscribe.Leave(r.Context(), r.user, r.feed))
}

// feedAddress answers a feed's full URL, including a password, for the form that changes it. Other answers omit the
// password.
func (s *Server) feedAddress(r *request) error {
	x, err := s.Streams.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusOK, struct {
		URL      string  `json:"url"`
		Proposed *string `json:"proposedUrl"`
	}{x.Feed.URL, orNull(x.Feed.Proposed)})
}

// repointFeed changes the address of the user's subscription (C-30). It answers the feed at that address, which has
// another id unless the address is the same.
func (s *Server) repointFeed(r *request, in struct {
	URL string `json:"url" required:"true"`
}) error {
	r.w.host = fetch.HostOf(in.URL)
	if err := s.countRegistration(r); err != nil {
		return err
	}
	f, err := s.Subscribe.Repoint(r.Context(), r.user, r.feed, in.URL)
	if err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, f.ID())
}

// countRegistration counts an added feed against the limits: in memory first, then for all instances together (C-3).
func (s *Server) countRegistration(r *request) error {
	if err := s.limits.adds.take(string(r.user)); err != nil {
		return err
	}
	err := s.Auth.CountRegistration(r.Context(), r.user)
	if many, ok := errors.AsType[*auth.TooManyError](err); ok {
		return &limited{many.RetryAfter}
	}
	return err
}

// refreshFeed polls one feed now, unless it was just polled or its publisher asked to wait.
func (s *Server) refreshFeed(r *request) error {
	ctx := r.Context()
	x, err := s.Streams.Get(ctx, r.user, r.feed)
	if err != nil {
		return err
	}
	part, parts, err := s.mayRefresh(ctx, x.Feed)
	if err != nil {
		return err
	}
	if _, err := s.Crawler.Run(ctx, job.Job{Kind: job.Refresh, Part: part, Feeds: []reader.FeedID{r.feed}},
		parts); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, r.feed)
}

// mayRefresh refuses to poll a feed that is stopped, or too soon after its last poll. It returns the part of the feed's
// host.
func (s *Server) mayRefresh(ctx context.Context, f *store.FeedRow) (part, parts int, err error) {
	if f.Status == string(reader.StatusStopped) {
		return 0, 0, fault.Coded(fault.Conflict, "feed_stopped")
	}
	if parts, err = s.parts(ctx); err != nil {
		return 0, 0, err
	}
	part = job.PartOf(f.URL, parts)
	at, err := s.Crawler.NextAllowed(ctx, f, part)
	if err == nil && at.After(s.Clock.Now()) {
		// A longer wait than our own was requested by the feed or its host.
		err = &tooSoon{at: at, asked: at.Sub(s.Clock.Now()) > schedule.RefreshGap}
	}
	return part, parts, err
}

// refreshJSON is the progress of a refresh.
type refreshJSON struct {
	ID      *string `json:"id"` // null: nothing could be polled
	Total   int     `json:"total"`
	Checked int     `json:"checked"`
	New     int     `json:"newItems"`
	Failed  int     `json:"failed"`
	Skipped int     `json:"skipped"`
	NextAt  moment  `json:"nextAt"` // time when the first of the skipped feeds can be polled
	Done    bool    `json:"isDone"`
}

// refreshList starts to poll the feeds of a list: all, those of a folder, or one.
func (s *Server) refreshList(r *request, in struct {
	Feed   *string `json:"feed"`
	Folder *string `json:"folder"`
}) error {
	var scope subscribe.RefreshScope
	var err error
	switch {
	case in.Feed != nil:
		scope.Feed, err = parseFeedID(*in.Feed)
	case in.Folder != nil:
		scope.Folder, err = parseFolderID(*in.Folder)
	}
	if err != nil {
		return err
	}
	if err := s.limits.refreshes.take(string(r.user)); err != nil {
		return err
	}
	x, err := s.Subscribe.Refresh(r.Context(), r.user, scope)
	if err != nil {
		return err
	}
	return s.answerRefresh(r, http.StatusAccepted, x)
}

func (s *Server) getRefresh(r *request) error {
	x, err := s.Subscribe.RefreshProgress(r.Context(), r.user, r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.answerRefresh(r, http.StatusOK, x)
}

func (s *Server) answerRefresh(r *request, status int, x *subscribe.Refreshing) error {
	return r.json(status, map[string]any{"refresh": refreshing(x)})
}

func refreshing(x *subscribe.Refreshing) refreshJSON {
	return refreshJSON{
		ID: orNull(x.Name), Total: x.Feeds, Checked: x.Polled, New: x.NewItems, Failed: x.Progress.Failed,
		// Deferred and lost feeds are polled at their next turn.
		Skipped: x.Refresh.Skipped + x.Progress.Skipped + x.Deferred + x.Lost, NextAt: moment(x.NextAt), Done: x.Done,
	}
}

// resume resumes a stopped feed of the user.
func (s *Server) resume(r *request) error {
	if _, err := s.Streams.Get(r.Context(), r.user, r.feed); err != nil {
		return err
	}
	_, err := s.Subscribe.Resume(r.Context(), r.feed)
	return err
}

func (s *Server) resumeFeed(r *request) error {
	if err := s.resume(r); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, r.feed)
}

// folderPath parses a folder: names separated by slashes.
func folderPath(s string) []string {
	var path []string
	for _, name := range strings.Split(s, "/") {
		if name = strings.TrimSpace(name); name != "" {
			path = append(path, name)
		}
	}
	return path
}

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
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
		{Method: "POST", Path: "/api/feeds", Handle: s.addFeed},
		{Method: "GET", Path: "/api/feeds/updated", Handle: s.updatedFeeds},
		{Method: "GET", Path: "/api/feeds/{id}", Handle: s.getFeed},
		{Method: "PATCH", Path: "/api/feeds/{id}", Handle: s.repointFeed},
		{Method: "DELETE", Path: "/api/feeds/{id}", Handle: s.deleteFeed},
		{Method: "GET", Path: "/api/feeds/{id}/address", Person: true, Handle: s.feedAddress},
		{Method: "GET", Path: "/api/feeds/{id}/fetches", Handle: s.listFetches},
		{Method: "POST", Path: "/api/feeds/{id}/refresh", Handle: s.refreshFeed},
		{Method: "POST", Path: "/api/refreshes", Handle: s.refreshList},
		{Method: "GET", Path: "/api/refreshes/{id}", Handle: s.getRefresh},
		{Method: "POST", Path: "/api/feeds/{id}/resume", Handle: s.resumeFeed},
	}
}

func (s *Server) listFeeds(r *request) error {
	a, err := s.Auth.Account(r.Context(), r.user)
	if err != nil {
		return err
	}
	tree, err := s.Store.Trees.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	buf := buffer()
	defer giveBack(buf)
	b, err := s.appendSideBar(r.Context(), append(buf.AvailableBuffer(), '{'), a, &tree)
	if err != nil {
		return err
	}
	return r.bytes(http.StatusOK, jsonType, append(b, "}\n"...))
}

// appendSideBar writes the members of an object that a side bar is made of: feeds, totals and limits.
func (s *Server) appendSideBar(ctx context.Context, b []byte, a *store.Account, tree *reader.Tree) ([]byte, error) {
	list, err := s.Streams.Feeds(ctx, a.ID())
	if err != nil {
		return nil, err
	}
	list = byPosition(list)
	parts, err := s.parts(ctx)
	if err != nil {
		return nil, err
	}
	polled := make([]store.PolledFeed, len(list))
	for i := range list {
		polled[i] = store.PolledFeed{FeedRow: list[i].Feed, Part: schedule.Part(list[i].Host, parts)}
	}
	if err := s.Store.Checks.Prepare(ctx, polled); err != nil {
		return nil, err
	}
	b = append(slices.Grow(b, feedBytes*(len(list)+1)), `"feeds":[`...)
	for i := range list {
		f, err := s.feed(ctx, &list[i], polled[i].Part, tree)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = f.append(b)
	}
	sum := stream.Sum(list)
	return fmt.Appendf(b, `],"totals":{"feeds":%d,"unread":%d,"starred":%d},"limits":{"feeds":%d,"uploadBytes":%d}`,
		sum.Feeds, sum.Unread, sum.Starred, s.Subscribe.Cap(a), s.upload(maxTakeout)), nil
}

// byPosition gives the feeds by position, and those of one position as they were, by id. So the feeds of each folder
// stand in the order that the user gave them. The list is shared, and most have no positions: it is copied only for a
// change.
func byPosition(list []stream.Subscribed) []stream.Subscribed {
	order := func(a, b stream.Subscribed) int { return cmp.Compare(a.Sub.Position, b.Sub.Position) }
	if slices.IsSortedFunc(list, order) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, order)
	return list
}

// feedBytes is how long a feed is in JSON, as a rule.
const feedBytes = 700

func (s *Server) getFeed(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	x, err := s.Streams.Get(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	return s.answer(r, http.StatusOK, x)
}

// answerFeed answers a change with the feed as it is now.
func (s *Server) answerFeed(r *request, status int, id reader.FeedID) error {
	x, err := s.Streams.Latest(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	return s.answer(r, status, x)
}

func (s *Server) answer(r *request, status int, x stream.Subscribed) error {
	parts, err := s.parts(r.Context())
	if err != nil {
		return err
	}
	tree, err := s.treeFor(r, x.Sub)
	if err != nil {
		return err
	}
	f, err := s.feed(r.Context(), &x, job.PartOf(x.Feed.URL, parts), &tree)
	if err != nil {
		return err
	}
	return r.json(status, map[string]any{"feed": f})
}

func (s *Server) addFeed(r *request) error {
	var in struct {
		URL    string `json:"url" required:"true"`
		Folder string `json:"folder"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	r.w.host = logs.Host(in.URL)
	if utf8.RuneCountInString(in.Folder) > 200 {
		return fault.Newf(fault.Invalid, "bad_folder", "A folder's name has at most 200 characters.").At("folder")
	}
	if err := s.countRegistration(r); err != nil {
		return err
	}
	f, made, err := s.Subscribe.Add(r.Context(), r.user, in.URL, subscribe.Wish{Folder: folderPath(in.Folder)})
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
	id, err := r.feedID()
	if err != nil {
		return err
	}
	if err := s.Subscribe.Leave(r.Context(), r.user, id); err != nil {
		return err
	}
	return r.noContent()
}

// feedAddress gives the address of a subscription whole, with its password if it has one: for the form that changes it.
// Everywhere else it is shown without.
func (s *Server) feedAddress(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	x, err := s.Streams.Get(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusOK, struct {
		URL      string  `json:"url"`
		Proposed *string `json:"proposedUrl"`
	}{x.Feed.URL, orNull(x.Feed.Proposed)})
}

// repointFeed gives this user's subscription another address (C-30). The answer is the feed there, which has
// another id unless the address is the feed's own.
func (s *Server) repointFeed(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	var in struct {
		URL string `json:"url" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	r.w.host = logs.Host(in.URL)
	if err := s.countRegistration(r); err != nil {
		return err
	}
	f, err := s.Subscribe.Repoint(r.Context(), r.user, id, in.URL)
	if err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, f.ID())
}

// countRegistration counts a feed that is registered: in memory first, which costs nothing, and then for all instances
// together (C-3).
func (s *Server) countRegistration(r *request) error {
	if wait := s.limits.add(r.user); wait > 0 {
		return &limited{wait}
	}
	err := s.Auth.CountRegistration(r.Context(), r.user)
	var many *auth.TooManyError
	if errors.As(err, &many) {
		return &limited{many.RetryAfter}
	}
	return err
}

// refreshFeed polls one feed now, unless it was polled a moment ago or its publisher asked to wait.
func (s *Server) refreshFeed(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	ctx := r.Context()
	x, err := s.Streams.Get(ctx, r.user, id)
	if err != nil {
		return err
	}
	if x.Feed.Status == string(reader.StatusStopped) {
		return fault.Newf(fault.Conflict, "feed_stopped", "This feed is stopped. Resume it first.")
	}
	parts, err := s.parts(ctx)
	if err != nil {
		return err
	}
	part := job.PartOf(x.Feed.URL, parts)
	at, err := s.Crawler.NextAllowed(ctx, x.Feed, part)
	if err != nil {
		return err
	}
	if at.After(s.Clock.Now()) {
		// What is longer than our own gap was asked for: by the feed, or by its host.
		return &tooSoon{at: at, asked: at.Sub(s.Clock.Now()) > schedule.RefreshGap}
	}
	if _, err := s.Crawler.Run(ctx, job.Job{Kind: job.Refresh, Part: part, Feeds: []reader.FeedID{id}}, parts); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, id)
}

// refreshJSON is how far a refresh is.
type refreshJSON struct {
	ID      *string `json:"id"` // null: nothing could be polled, so there is nothing to follow
	Total   int     `json:"total"`
	Checked int     `json:"checked"`
	New     int     `json:"newItems"`
	Failed  int     `json:"failed"`
	Skipped int     `json:"skipped"`
	NextAt  *string `json:"nextAt"` // from when the first of those left out before the start may be polled
	Done    bool    `json:"isDone"`
}

// refreshList has the feeds of a list polled now: all, those of a folder, or one.
func (s *Server) refreshList(r *request) error {
	var in struct {
		Feed   *string `json:"feed"`
		Folder *string `json:"folder"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	var scope subscribe.RefreshScope
	var err error
	switch {
	case in.Feed != nil:
		if scope.Feed, err = reader.ParseFeedID(*in.Feed); err != nil {
			return fault.Newf(fault.NotFound, "feed_not_found", "There is no such feed among your subscriptions.")
		}
	case in.Folder != nil:
		if scope.Folder, err = folderID(*in.Folder); err != nil {
			return err
		}
	}
	if wait := s.limits.refresh(r.user); wait > 0 {
		return &limited{wait}
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
	return r.json(status, map[string]any{"refresh": refreshJSON{
		ID: orNull(x.Name), Total: x.Feeds, Checked: x.Polled, New: x.NewItems, Failed: x.Progress.Failed,
		// What a run had no time for, or lost, comes with its next turn.
		Skipped: x.Refresh.Skipped + x.Progress.Skipped + x.Deferred + x.Lost, NextAt: unix(x.NextAt), Done: x.Done,
	}})
}

func (s *Server) resumeFeed(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	if _, err := s.Streams.Get(r.Context(), r.user, id); err != nil {
		return err
	}
	if _, err := s.Subscribe.Resume(r.Context(), id); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, id)
}

// folderPath reads a folder as people write it: names with slashes between.
func folderPath(s string) []string {
	var path []string
	for _, name := range strings.Split(s, "/") {
		if name = strings.TrimSpace(name); name != "" {
			path = append(path, name)
		}
	}
	return path
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

func (s *Server) watchRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/watches", Handle: s.listWatches},
		{Method: "POST", Path: "/api/watches", Handle: with(s.addWatch)},
		{Method: "POST", Path: "/api/watches/preview", Heavy: true, Handle: with(s.previewWatch)},
		{Method: "GET", Path: "/api/watches/{id}", ID: pathWatch, Handle: s.getWatch},
		{Method: "PUT", Path: "/api/watches/{id}", ID: pathWatch, Handle: with(s.restoreWatch)},
		{Method: "PATCH", Path: "/api/watches/{id}", ID: pathWatch, Handle: with(s.changeWatch)},
		{Method: "DELETE", Path: "/api/watches/{id}", ID: pathWatch, Handle: s.deleteWatch},
		{Method: "POST", Path: "/api/watches/{id}/run", ID: pathWatch, Handle: s.runWatch},
		{Method: "GET", Path: "/api/watches/{id}/results", ID: pathWatch, Handle: s.listResults},
		{Method: "GET", Path: "/api/watches/{id}/results/{key}", ID: pathWatch, Handle: s.getResult},
		{Method: "GET", Path: "/api/watches/{id}/trend", ID: pathWatch, Handle: s.watchTrend},
		{Method: "POST", Path: "/api/crawl/execute", Handle: s.executeCrawl},
		{Method: "GET", Path: "/api/crawl/results/{productId}", ID: pathProduct, Handle: s.listResults},
		{Method: "GET", Path: "/api/adapters", Handle: s.listAdapters},
		{Method: "GET", Path: "/api/adapters/{name}", Owner: true, ID: pathAdapter, Handle: s.getAdapter},
		{Method: "PUT", Path: "/api/adapters/{name}", Owner: true, ID: pathAdapter, Heavy: true, Handle: s.putAdapter},
		{Method: "DELETE", Path: "/api/adapters/{name}", Owner: true, ID: pathAdapter, Handle: s.deleteAdapter},
	}
}

func pathWatch(r *request) error { return r.watchID("id") }

// pathProduct parses the id of a watch as the source document calls it (M-30).
func pathProduct(r *request) error { return r.watchID("productId") }

func (r *request) watchID(name string) (err error) {
	if r.feed, err = reader.ParseFeedID(r.PathValue(name)); err != nil {
		return fault.Coded(fault.NotFound, "watch_not_found")
	}
	r.w.feed = r.feed
	return nil
}

type watchJSON struct {
	ID          string            `json:"id"`
	FeedID      string            `json:"feedId"`
	Name        string            `json:"name"`
	URL         string            `json:"url"`
	Host        string            `json:"host"`
	Settings    *watch.Settings   `json:"settings"`
	Interval    int               `json:"interval"`
	IsPaused    bool              `json:"isPaused"`
	Lowest      *lowestJSON       `json:"lowest"`
	Change      *int64            `json:"change7d"`
	OnSale      int               `json:"onSale"`
	Sold        int               `json:"sold"`
	Gone        int               `json:"gone"`
	Sparkline   []*int64          `json:"sparkline"`
	LastChecked moment            `json:"lastCheckedAt"`
	NextCheck   moment            `json:"nextCheckAt"`
	NextWhy     reasonJSON        `json:"nextCheckWhy"`
	Problem     *watchProblemJSON `json:"problem"`
	Terms       moment            `json:"terms"`
	Created     moment            `json:"createdAt"`
}

type lowestJSON struct {
	Price    int64  `json:"price"`
	IsFrom   bool   `json:"isFrom"`
	Currency string `json:"currency"`
	ResultID string `json:"resultId"`
}

// watchProblemJSON says why a page could not be read.
type watchProblemJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Help    string `json:"help"`
	Since   moment `json:"since"`
}

func watchProblem(lang, code string, since int64) *watchProblemJSON {
	if code == "" {
		return nil
	}
	t := texts.Feed(code)
	return &watchProblemJSON{code, t.Message.In(lang), t.Action.In(lang), moment(since)}
}

// amount returns a price, or nil for none.
func amount(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// watch shapes a watch with its results.
func (s *Server) watch(r *request, o *watching.Overview) (watchJSON, error) {
	parts, err := s.parts(r.Context())
	if err != nil {
		return watchJSON{}, err
	}
	checked, err := s.Store.Checks.Check(r.Context(), o.Feed, job.PartOf(o.Feed.URL, parts))
	if err != nil {
		return watchJSON{}, err
	}
	lang, next := r.language(), o.Feed.Checking(s.Clock.Now())
	out := watchJSON{
		ID: o.ID().String(), FeedID: o.ID().String(), Name: o.Title(), URL: o.Feed.URL, Host: fetch.HostOf(o.Feed.URL),
		Settings: o.Settings,
		Interval: int(o.Interval()), IsPaused: o.Feed.Paused, OnSale: o.OnSale, Sold: o.Sold, Gone: o.Gone,
		Sparkline:   mapped(o.Sparkline, amount),
		LastChecked: momentOf(checked.At), NextCheck: momentOf(next.Next), NextWhy: checkReason(lang, next.NextWhy),
		Problem: watchProblem(lang, o.Feed.ErrCode, o.Feed.ErrSince), Terms: moment(o.Accepted),
		Created: moment(o.Sub.Since),
	}
	if l := o.Lowest; l != nil {
		out.Lowest = &lowestJSON{l.Price, l.IsFrom, l.Currency, resultID(l.Key)}
	}
	if o.HasChange {
		out.Change = &o.Change
	}
	return out, nil
}

func (s *Server) listWatches(r *request) error {
	limit, err := s.Subscribe.WatchCap(r.Context(), r.user)
	if err != nil {
		return err
	}
	list, err := s.Watching.List(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]watchJSON, len(list))
	for i, o := range list {
		if out[i], err = s.watch(r, o); err != nil {
			return err
		}
	}
	return r.json(http.StatusOK, map[string]any{"watches": out, "limit": limit, "demoUrl": orNull(s.DemoShop)})
}

func (s *Server) getWatch(r *request) error {
	w, err := s.Watching.Get(r.Context(), r.user, r.feed)
	if err != nil {
		return err
	}
	return s.answerWatch(r, http.StatusOK, w, nil)
}

// answerWatch answers a watch, and more fields.
func (s *Server) answerWatch(r *request, status int, w *watching.Watch, more map[string]any) error {
	o, err := s.Watching.Overview(r.Context(), w)
	if err != nil {
		return err
	}
	shaped, err := s.watch(r, o)
	if err != nil {
		return err
	}
	out := map[string]any{"watch": shaped}
	for name, v := range more {
		out[name] = v
	}
	return r.json(status, out)
}

func (s *Server) addWatch(r *request, in struct {
	Settings watch.Settings `json:"settings" required:"true"`
	Interval *int32         `json:"interval"`
	Folders  []string       `json:"folderIds"`
	Accepted bool           `json:"accepted" required:"true"`
}) error {
	r.w.host = fetch.HostOf(in.Settings.URL)
	folders, err := parseIDs(in.Folders, parseFolderID)
	if err != nil {
		return err
	}
	wish := watching.Wish{Settings: in.Settings, Interval: reader.DefaultInterval, Folders: folders,
		Accepted: in.Accepted}
	if in.Interval != nil {
		wish.Interval = *in.Interval
	}
	if err := s.countRegistration(r); err != nil {
		return err
	}
	w, made, err := s.Watching.Add(r.Context(), r.user, wish)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return s.answerWatch(r, status, w, nil)
}

func (s *Server) changeWatch(r *request, in struct {
	Settings *watch.Settings `json:"settings"`
	Interval *int32          `json:"interval"`
	IsPaused *bool           `json:"isPaused"`
	Accepted bool            `json:"accepted"`
}) error {
	if in.Settings == nil && in.Interval == nil && in.IsPaused == nil {
		return fault.Coded(fault.Invalid, "nothing_to_change")
	}
	w, err := s.Watching.Change(r.Context(), r.user, r.feed, watching.Change{
		Settings: in.Settings, Interval: in.Interval, Paused: in.IsPaused, Accepted: in.Accepted,
	})
	if err != nil {
		return err
	}
	return s.answerWatch(r, http.StatusOK, w, nil)
}

// restoreWatch takes back a watch that was deleted.
func (s *Server) restoreWatch(r *request, in struct {
	Interval *int32   `json:"interval"`
	Folders  []string `json:"folderIds"`
}) error {
	folders, err := parseIDs(in.Folders, parseFolderID)
	if err != nil {
		return err
	}
	interval := int32(reader.DefaultInterval)
	if in.Interval != nil {
		interval = *in.Interval
	}
	w, err := s.Watching.Restore(r.Context(), r.user, r.feed, interval, folders)
	if err != nil {
		return err
	}
	return s.answerWatch(r, http.StatusOK, w, nil)
}

func (s *Server) deleteWatch(r *request) error {
	return r.done(s.Watching.Remove(r.Context(), r.user, r.feed))
}

// A request waits for a look at a page for runTime.
const runTime = 20 * time.Second

// runWatch looks at the page of a watch now, unless that was just done or its site asked to wait.
func (s *Server) runWatch(r *request) error {
	ctx, cancel := context.WithTimeout(r.Context(), runTime)
	defer cancel()
	w, err := s.Watching.Get(ctx, r.user, r.feed)
	if err != nil {
		return err
	}
	if w.Feed.Paused {
		return fault.Coded(fault.Conflict, "watch_paused")
	}
	if _, _, err := s.mayRefresh(ctx, w.Feed); err != nil {
		return err
	}
	o, err := s.Crawler.RunWatch(ctx, w.Feed, false)
	if err != nil {
		return err
	}
	if w, err = s.Watching.Latest(r.Context(), r.user, r.feed); err != nil {
		return err
	}
	return s.answerWatch(r, http.StatusOK, w, map[string]any{"newItems": o.New})
}

// executeCrawl looks at the pages of all watches of the user.
func (s *Server) executeCrawl(r *request) error {
	if err := s.limits.refreshes.take(string(r.user)); err != nil {
		return err
	}
	x, err := s.Subscribe.Refresh(r.Context(), r.user, subscribe.RefreshScope{Watches: true})
	if err != nil {
		return err
	}
	return r.json(http.StatusAccepted, map[string]any{"refresh": refreshing(x), "runs": notNil(x.RunIDs())})
}

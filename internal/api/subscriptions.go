package api

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// A subscription's id is its feed's.
func (s *Server) subscriptionRoutes() []Route {
	return slices.Concat([]Route{
		{Method: "GET", Path: "/api/subscriptions", Handle: s.listSubscriptions},
		{Method: "POST", Path: "/api/subscriptions/bulk", Handle: withBody(maxBulkBody, false, s.changeSubscriptions)},
		{Method: "PUT", Path: "/api/subscriptions/{id}/settings", ID: pathFeed, Handle: with(s.setSubscription)},
		{Method: "DELETE", Path: "/api/subscriptions/{id}", ID: pathFeed, Handle: s.deleteFeed},
		{Method: "POST", Path: "/api/subscriptions/{id}/resume", ID: pathFeed, Handle: s.resumeSubscription},
	}, s.folderRoutes(), s.labelRoutes())
}

// subscriptionJSON is a user's settings for a feed (G-62).
type subscriptionJSON struct {
	ID            string   `json:"id"`
	UserID        string   `json:"userId"`
	FeedID        string   `json:"feedId"`
	FeedTitle     string   `json:"feedTitle"`
	FeedURL       string   `json:"feedUrl"`
	FaviconURL    *string  `json:"faviconUrl"`
	FetchInterval int      `json:"fetchIntervalMinutes"`
	FeedStatus    string   `json:"feedStatus"`
	ErrorMessage  *string  `json:"errorMessage"`
	UnreadCount   int      `json:"unreadCount"`
	HasUnread     bool     `json:"hasUnread"`
	CreatedAt     moment   `json:"createdAt"`
	Title         *string  `json:"title"`
	Folders       []string `json:"folders"`
	Position      int      `json:"position"`
	IsMuted       bool     `json:"isMuted"`
	FullText      bool     `json:"fullText"`
	Notify        bool     `json:"notify"`
	NeverCount    bool     `json:"neverCount"`
}

func subscription(lang string, u reader.UserID, x *stream.Subscribed, tree *library.Tree) subscriptionJSON {
	f, n := x.Feed, x.Unread()
	out := subscriptionJSON{
		ID: f.ID().String(), UserID: string(u), FeedID: f.ID().String(), FeedTitle: f.DisplayTitle(),
		FeedURL:       reader.ShownURL(f.URL),
		FetchInterval: int(cmp.Or(x.Sub.Interval, f.Asked)), FeedStatus: f.Status,
		UnreadCount: n, HasUnread: n > 0, CreatedAt: moment(x.Sub.Since), Title: orNull(x.Sub.Title),
		Folders: foldersOf(x.Sub, tree), Position: int(x.Sub.Position), IsMuted: x.Sub.Mute,
		FullText: x.Sub.FullText, Notify: x.Sub.Notify, NeverCount: x.Sub.NeverCount, FaviconURL: iconPath(f.IconHash),
	}
	if why := feedFault(lang, f.ErrCode, 0); why != nil {
		out.ErrorMessage = &why.Message
	}
	return out
}

// foldersOf returns the ids of a subscription's existing folders.
func foldersOf(sub *store.SubscriptionRow, tree *library.Tree) []string {
	out := []string{}
	for _, id := range sub.Folders {
		if tree.Has(id) {
			out = append(out, strconv.Itoa(int(id)))
		}
	}
	return out
}

func (s *Server) listSubscriptions(r *request) error {
	tree, err := s.Store.Trees.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	titles := make(map[*stream.Subscribed]string, len(list))
	for _, x := range list {
		titles[x] = strings.ToLower(x.Title())
	}
	list = slices.SortedStableFunc(slices.Values(list), func(a, b *stream.Subscribed) int {
		return cmp.Or(cmp.Compare(a.Sub.Position, b.Sub.Position), cmp.Compare(titles[a], titles[b]))
	})
	shape := func(x *stream.Subscribed) subscriptionJSON { return subscription(r.language(), r.user, x, &tree) }
	return r.json(http.StatusOK, map[string]any{"subscriptions": mapped(list, shape), "total": len(list)})
}

// settingsJSON is a change of settings; what is left out stays.
type settingsJSON struct {
	Interval   *int32   `json:"fetchIntervalMinutes"`
	Title      *string  `json:"title"`
	Folders    []string `json:"folders"`
	Position   *int32   `json:"position"`
	Mute       *bool    `json:"isMuted"`
	FullText   *bool    `json:"fullText"`
	Notify     *bool    `json:"notify"`
	NeverCount *bool    `json:"neverCount"`
}

func (j *settingsJSON) settings() (subscribe.Settings, error) {
	w := subscribe.Settings{
		Title: j.Title, Position: j.Position, Interval: j.Interval, Mute: j.Mute, FullText: j.FullText,
		Notify: j.Notify, NeverCount: j.NeverCount,
	}
	if j.Folders == nil {
		return w, nil
	}
	ids, err := parseIDs(j.Folders, parseFolderID)
	w.Folders = &ids
	return w, err
}

func (j *settingsJSON) empty() bool {
	return j.Interval == nil && j.Title == nil && j.Folders == nil && j.Position == nil && j.Mute == nil &&
		j.FullText == nil && j.Notify == nil && j.NeverCount == nil
}

func (s *Server) setSubscription(r *request, in settingsJSON) error {
	if in.empty() {
		return fault.Coded(fault.Invalid, "nothing_to_change")
	}
	w, err := in.settings()
	if err != nil {
		return err
	}
	if _, err := s.Subscribe.Set(r.Context(), r.user, r.feed, w); err != nil {
		return err
	}
	return s.answerSubscription(r, r.feed)
}

// answerSubscription answers a change with the subscription after it.
func (s *Server) answerSubscription(r *request, id reader.FeedID) error {
	x, err := s.Streams.Latest(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	tree, err := s.treeFor(r, x.Sub)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"subscription": subscription(r.language(), r.user, x, &tree)})
}

func (s *Server) resumeSubscription(r *request) error {
	if err := s.resume(r); err != nil {
		return err
	}
	return s.answerSubscription(r, r.feed)
}

// maxBulkBody bounds the body of a thousand changes.
const maxBulkBody = 1 << 20

// changeSubscriptions applies many changes, each with its own result.
func (s *Server) changeSubscriptions(r *request, in struct {
	Changes []struct {
		ID          string   `json:"id" required:"true"`
		Unsubscribe bool     `json:"unsubscribe"`
		Interval    *int32   `json:"fetchIntervalMinutes"` // and the rest, as in settingsJSON
		Title       *string  `json:"title"`
		Folders     []string `json:"folders"`
		Position    *int32   `json:"position"`
		Mute        *bool    `json:"isMuted"`
		FullText    *bool    `json:"fullText"`
		Notify      *bool    `json:"notify"`
		NeverCount  *bool    `json:"neverCount"`
	} `json:"changes" required:"true"`
}) error {
	type result struct {
		ID      string  `json:"id"`
		OK      bool    `json:"ok"`
		Code    *string `json:"code"`
		Message *string `json:"message"`
	}
	results := make([]result, len(in.Changes))
	changes, at := make([]subscribe.BulkChange, 0, len(in.Changes)), make([]int, 0, len(in.Changes))
	lang := r.language()
	fail := func(i int, err error) {
		p := describe(err, s.Clock.Now(), lang)
		results[i].Code, results[i].Message = &p.Code, &p.Message
	}
	for i, c := range in.Changes {
		results[i].ID = c.ID
		id, err := parseFeedID(c.ID)
		x := settingsJSON{c.Interval, c.Title, c.Folders, c.Position, c.Mute, c.FullText, c.Notify, c.NeverCount}
		var w subscribe.Settings
		if err == nil {
			w, err = x.settings()
		}
		if err == nil && !c.Unsubscribe && x.empty() {
			err = fault.Coded(fault.Invalid, "nothing_to_change")
		}
		if err != nil {
			fail(i, err)
			continue
		}
		changes, at = append(changes, subscribe.BulkChange{Feed: id, Leave: c.Unsubscribe, Settings: w}), append(at, i)
	}
	errs, err := s.Subscribe.Bulk(r.Context(), r.user, changes)
	if err != nil {
		return err
	}
	done := 0
	for k, e := range errs {
		if e != nil {
			fail(at[k], e)
			continue
		}
		results[at[k]].OK = true
		done++
	}
	return r.json(http.StatusOK, map[string]any{"results": results, "done": done, "failed": len(results) - done})
}

// updatedJSON is a feed in the list of those that changed.
type updatedJSON struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	URL         string `json:"url"`
	LastUpdated moment `json:"feedLastUpdated"`
	LastRead    moment `json:"lastCheckedByUser"`
	HasUnread   bool   `json:"hasUnread"`
	UnreadCount int    `json:"unreadCount"`
}

// updatedFeeds lists the feeds that changed since a time, the newest first by the publishers' dates.
func (s *Server) updatedFeeds(r *request) error {
	since, err := instant(r.URL.Query().Get("since"))
	if err != nil {
		return err
	}
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	list = slices.Clone(list)
	if since > 0 { // without a bound, all feeds
		list = slices.DeleteFunc(list, func(x *stream.Subscribed) bool { return x.Feed.Changed <= since })
	}
	slices.SortStableFunc(list, func(a, b *stream.Subscribed) int {
		return cmp.Compare(b.Feed.LastUpdated(), a.Feed.LastUpdated())
	})
	return r.json(http.StatusOK, map[string]any{"feeds": mapped(list, updated), "total": len(list)})
}

func updated(x *stream.Subscribed) updatedJSON {
	c := counts(x)
	return updatedJSON{ID: c.ID, Title: x.Title(), URL: reader.ShownURL(x.Feed.URL),
		LastUpdated: moment(x.Feed.LastUpdated()), LastRead: c.LastReadAt, HasUnread: c.HasUnread,
		UnreadCount: c.UnreadCount}
}

// instant parses a time in RFC 3339 or Unix seconds; 0 for none.
func instant(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		return n, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fault.Coded(fault.Invalid, "bad_time").At("since")
	}
	return t.Unix(), nil
}

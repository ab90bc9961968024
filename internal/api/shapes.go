package api

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// The JSON shapes. Times are RFC 3339 in UTC, ids decimal strings, unknown values null.

type feedJSON struct {
	feedFacts
	feedTimes
}

// feedFacts are the members that change with the feed and its subscription.
type feedFacts struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Title       string     `json:"title"`
	CustomTitle *string    `json:"customTitle"`
	Description string     `json:"description"`
	SiteURL     string     `json:"siteUrl"`
	Language    string     `json:"language"`
	IconURL     *string    `json:"iconUrl"`
	Folder      string     `json:"folder"`
	Folders     []string   `json:"folders"`
	Position    int        `json:"position"`
	UnreadCount int        `json:"unreadCount"`
	HasUnread   bool       `json:"hasUnread"`
	StarCount   int        `json:"starredCount"`
	ItemCount   int        `json:"itemCount"`
	LastItemAt  moment     `json:"lastItemAt"`
	Status      string     `json:"status"`
	IsActive    bool       `json:"isActive"`
	Error       *faultJSON `json:"error"`
	Proposed    *string    `json:"proposedUrl"`
	ProposedWhy *string    `json:"proposedReason"`
	LastChanged moment     `json:"lastChangedAt"`
	LastUpdated moment     `json:"feedLastUpdated"`
	Interval    int        `json:"intervalMinutes"`
	IntervalWhy reasonJSON `json:"intervalReason"`
	OwnInterval int        `json:"ownIntervalMinutes"`
	IsMuted     bool       `json:"isMuted"`
	FullText    bool       `json:"fullText"`
	Notify      bool       `json:"notify"`
	NeverCount  bool       `json:"neverCount"`
	LeftOut     int        `json:"itemsLeftOut"`
	LastRead    moment     `json:"lastReadAt"`
	Subscribed  moment     `json:"subscribedAt"`
	IsSample    bool       `json:"isSample"`
	IsWatch     bool       `json:"isWatch"`
}

// feedTimes are the members that change with the clock too.
type feedTimes struct {
	Weekly      *float64   `json:"itemsPerWeek"`
	LastChecked moment     `json:"lastCheckedAt"`
	NextCheck   moment     `json:"nextCheckAt"`
	Reason      reasonJSON `json:"nextCheckReason"`
}

type faultJSON struct {
	Code     string `json:"code"`
	Category string `json:"category"` // network, http, parse, storage, policy
	Message  string `json:"message"`
	Action   string `json:"action"`
	Since    moment `json:"since"`
}

type reasonJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type countsJSON struct {
	ID          string `json:"id"`
	UnreadCount int    `json:"unreadCount"`
	HasUnread   bool   `json:"hasUnread"`
	LastReadAt  moment `json:"lastReadAt"`
}

type totalsJSON struct {
	Feeds   int `json:"feeds"`
	Unread  int `json:"unread"`
	Starred int `json:"starred"`
}

type itemJSON struct {
	ID            string          `json:"id"`
	FeedID        string          `json:"feedId"`
	FeedTitle     string          `json:"feedTitle"`
	Title         string          `json:"title"`
	Link          string          `json:"link"`
	Author        string          `json:"author"`
	PublishedAt   string          `json:"publishedAt"`
	SortedAt      moment          `json:"sortedAt"`
	DateEstimated bool            `json:"isDateEstimated"`
	UpdatedAt     moment          `json:"updatedAt"`
	Snippet       string          `json:"snippet"`
	ImageURL      *string         `json:"imageUrl"`
	ImageWidth    *int            `json:"imageWidth"`
	ImageHeight   *int            `json:"imageHeight"`
	Categories    []string        `json:"categories"`
	Lang          string          `json:"lang"`
	Minutes       *int            `json:"readingMinutes"`
	IsRead        bool            `json:"isRead"`
	IsStarred     bool            `json:"isStarred"`
	IsHidden      bool            `json:"isHidden"`
	Labels        []string        `json:"labels"`
	AlsoIn        []otherJSON     `json:"alsoIn"`
	BookmarkCount *int            `json:"bookmarkCount"`
	Offer         *webhook.Offer  `json:"offer"`
	Enclosures    []enclosureJSON `json:"enclosures"`
}

// otherJSON is the same story in another feed.
type otherJSON struct {
	FeedID reader.FeedID `json:"feedId"`
	ItemID reader.ItemID `json:"itemId"`
	Title  string        `json:"title"`
	IsRead bool          `json:"isRead"`
}

type enclosureJSON struct {
	URL    string `json:"url"`
	Type   string `json:"type"`
	Length int64  `json:"length"`
}

type bodyJSON struct {
	itemJSON
	ContentHTML  string `json:"contentHtml"`
	ContentState string `json:"contentState"`
	Characters   int    `json:"characters"`
	// FullText is of the linked page, if the subscription asks for it.
	FullText *fullTextJSON `json:"fullText,omitempty"`
}

type runJSON struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	State     string `json:"state"`
	Tick      int32  `json:"tick"`
	Part      int    `json:"part"`
	StartedAt moment `json:"startedAt"`
	store.RunSums
}

// moment is a time in Unix seconds on the wire RFC 3339 in UTC, or null when it is unknown.
type moment int64

// MarshalJSON implements json.Marshaler.
func (m moment) MarshalJSON() ([]byte, error) {
	if m <= 0 {
		return []byte("null"), nil
	}
	b := append(make([]byte, 0, len(time.RFC3339)+2), '"')
	return append(time.Unix(int64(m), 0).UTC().AppendFormat(b, time.RFC3339), '"'), nil
}

// momentOf returns the moment of a time; the zero time is unknown.
func momentOf(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.Unix())
}

// orNull returns nil for a zero value, which is null in JSON.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// notNil returns an empty list for nil, which would be null in JSON.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// tenths rounds to one decimal.
func tenths(x float64) *float64 {
	x = math.Round(x*10) / 10
	return &x
}

func counts(s *stream.Subscribed) countsJSON {
	n := s.Unread()
	return countsJSON{ID: s.Feed.ID().String(), UnreadCount: n, HasUnread: n > 0,
		LastReadAt: moment(s.State.ReadAt / 1000)}
}

func totals(t stream.Totals) totalsJSON { return totalsJSON(t) }

// feedShape is the context for shaping feeds: a language, and the texts of the folders that were needed.
type feedShape struct {
	lang string
	tree *library.Tree

	folders map[reader.FolderID]folderText
}

type folderText struct{ id, path string }

func newFeedShape(lang string, tree *library.Tree) *feedShape {
	return &feedShape{lang: lang, tree: tree, folders: map[reader.FolderID]folderText{}}
}

// folder returns the texts of a folder; none if it does not exist.
func (h *feedShape) folder(id reader.FolderID) folderText {
	t, ok := h.folders[id]
	if !ok {
		if h.tree.Has(id) {
			t = folderText{strconv.Itoa(int(id)), strings.Join(h.tree.Path(id), "/")}
		}
		h.folders[id] = t
	}
	return t
}

// feed shapes one subscription. part is that of its host.
func (s *Server) feed(ctx context.Context, h *feedShape, x *stream.Subscribed, part int) (feedJSON, error) {
	checked, err := s.Store.Checks.Check(ctx, x.Feed, part)
	if err != nil {
		return feedJSON{}, err
	}
	return s.feedAsOf(h, x, checked, s.Clock.Now()), nil
}

// feedAsOf is feed with the checks known at a time.
func (s *Server) feedAsOf(h *feedShape, x *stream.Subscribed, checked store.Check, now time.Time) feedJSON {
	f, n := x.Feed, x.Unread()
	out := feedJSON{feedTimes: feedTimes{LastChecked: momentOf(checked.At)}, feedFacts: feedFacts{
		ID: f.ID().String(), URL: reader.ShownURL(f.URL), Title: f.DisplayTitle(), Description: f.About,
		SiteURL: f.Site, Language: f.Lang, UnreadCount: n, HasUnread: n > 0, StarCount: x.StarredCount(),
		ItemCount: x.ItemCount(), LastItemAt: moment(f.NewestAt), Status: f.Status, IsActive: f.Live(),
		LastRead:    moment(x.State.ReadAt / 1000),
		LastChanged: moment(f.Changed), LastUpdated: moment(f.LastUpdated()), LeftOut: int(f.LeftOut),
		Subscribed: moment(x.Sub.Since), IsSample: x.Sub.Sample, IsWatch: f.IsWatch(), Position: int(x.Sub.Position),
		OwnInterval: int(x.Sub.Interval), IsMuted: x.Sub.Mute, FullText: x.Sub.FullText, Notify: x.Sub.Notify,
		NeverCount: x.Sub.NeverCount,
	}}
	if weekly, known := f.Weekly(now); known {
		out.Weekly = tenths(weekly)
	}
	for _, id := range x.Sub.Folders {
		t := h.folder(id)
		if t.id == "" {
			continue
		}
		if len(out.Folders) == 0 {
			out.Folder = t.path
		}
		out.Folders = append(out.Folders, t.id)
	}
	out.Folders = notNil(out.Folders)
	out.IconURL, out.Proposed, out.ProposedWhy = iconPath(f.IconHash), orNull(reader.ShownURL(f.Proposed)),
		orNull(f.ProposedWhy)
	if x.Sub.Title != "" && x.Sub.Title != f.Title {
		out.CustomTitle = &x.Sub.Title
	}
	out.Error = feedFault(h.lang, f.ErrCode, f.ErrSince)
	if x.Sub.Damaged {
		out.Status, out.Error = string(reader.StatusError), feedFault(h.lang, reader.CodeRowDamaged, 0)
	}
	c := f.Checking(now)
	out.NextCheck = momentOf(c.Next)
	out.Interval, out.IntervalWhy, out.Reason = int(c.Interval/time.Minute), checkReason(h.lang, c.Why),
		checkReason(h.lang, c.NextWhy)
	return out
}

func item(e *stream.Entry, f *store.FeedRow, c *popular.Counts) itemJSON {
	h := &e.Header
	out := itemJSON{
		ID: e.ID.String(), FeedID: e.Feed.String(), Title: h.Title, Link: h.Link, Author: h.Author,
		PublishedAt: time.Unix(h.Shown(), 0).UTC().Format(time.RFC3339), DateEstimated: h.Estimated,
		UpdatedAt: moment(h.Updated),
		Snippet:   h.Snippet, ImageURL: orNull(sanitize.Secure(h.Image)), Categories: notNil(h.Categories),
		Lang: e.Lang(f), Minutes: orNull(e.Minutes(f)),
		FeedTitle: e.FeedTitle, IsRead: e.Read, IsStarred: e.Starred, IsHidden: e.Hidden, Labels: labelIDs(e.Labels),
		Offer:      webhook.OfferOf(e.Feed, h.Offer),
		AlsoIn:     mapped(e.Also, func(o stream.Other) otherJSON { return otherJSON{o.Feed, o.ID, o.Title, o.Read} }),
		Enclosures: mapped(h.Enclosures, func(n store.Enclosure) enclosureJSON { return enclosureJSON(n) }),
	}
	if h.Sort != h.Shown() {
		out.SortedAt = moment(h.Sort)
	}
	if w, n := int(h.ImageSize.Width), int(h.ImageSize.Height); out.ImageURL != nil && w > 0 && n > 0 {
		out.ImageWidth, out.ImageHeight = &w, &n
	}
	if n, isKnown := c.Of(f, e.Seq, e.ID.Stamp(), h.Link); isKnown {
		out.BookmarkCount = &n
	}
	return out
}

func labelIDs(list []reader.LabelID) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(int(n))
	}
	return out
}

func run(r *store.RunRow) runJSON {
	return runJSON{
		ID: r.ID(), Kind: r.Kind, State: r.State, Tick: r.Tick, Part: r.Part,
		StartedAt: moment(r.Started / 1000), RunSums: r.RunSums,
	}
}

package api

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// The JSON shapes. Times are RFC 3339 in UTC, ids decimal strings, unknown values null.

type feedJSON struct {
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
	Weekly      *float64   `json:"itemsPerWeek"`
	Status      string     `json:"status"`
	IsActive    bool       `json:"isActive"`
	Error       *faultJSON `json:"error"`
	Proposed    *string    `json:"proposedUrl"`
	ProposedWhy *string    `json:"proposedReason"`
	LastChecked moment     `json:"lastCheckedAt"`
	LastChanged moment     `json:"lastChangedAt"`
	NextCheck   moment     `json:"nextCheckAt"`
	Reason      reasonJSON `json:"nextCheckReason"`
	Interval    int        `json:"intervalMinutes"`
	IntervalWhy reasonJSON `json:"intervalReason"`
	OwnInterval int        `json:"ownIntervalMinutes"`
	IsMuted     bool       `json:"isMuted"`
	FullText    bool       `json:"fullText"`
	Notify      bool       `json:"notify"`
	LeftOut     int        `json:"itemsLeftOut"`
	LastRead    moment     `json:"lastReadAt"`
	Subscribed  moment     `json:"subscribedAt"`
	IsSample    bool       `json:"isSample"`
}

type faultJSON struct {
	Code     string  `json:"code"`
	Category string  `json:"category"` // network, http, parse, storage, policy
	Message  string  `json:"message"`
	Action   string  `json:"action"`
	Since    *string `json:"since"`
}

type reasonJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type countsJSON struct {
	ID          string  `json:"id"`
	UnreadCount int     `json:"unreadCount"`
	HasUnread   bool    `json:"hasUnread"`
	LastReadAt  *string `json:"lastReadAt"`
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
	SortedAt      *string         `json:"sortedAt"`
	DateEstimated bool            `json:"isDateEstimated"`
	UpdatedAt     *string         `json:"updatedAt"`
	Snippet       string          `json:"snippet"`
	ImageURL      *string         `json:"imageUrl"`
	ImageWidth    *int            `json:"imageWidth"`
	ImageHeight   *int            `json:"imageHeight"`
	Categories    []string        `json:"categories"`
	Lang          string          `json:"lang"`
	IsRead        bool            `json:"isRead"`
	IsStarred     bool            `json:"isStarred"`
	IsHidden      bool            `json:"isHidden"`
	Labels        []string        `json:"labels"`
	AlsoIn        []otherJSON     `json:"alsoIn"`
	BookmarkCount *int            `json:"bookmarkCount"`
	Enclosures    []enclosureJSON `json:"enclosures"`
}

// otherJSON is the same story in another feed.
type otherJSON struct {
	FeedID string `json:"feedId"`
	ItemID string `json:"itemId"`
	Title  string `json:"title"`
	IsRead bool   `json:"isRead"`
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
	// FullText is the text of the linked page, where the subscription asks for it.
	FullText *fullTextJSON `json:"fullText,omitempty"`
}

type runJSON struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	State     string `json:"state"`
	Tick      int32  `json:"tick"`
	Part      int    `json:"part"`
	StartedAt string `json:"startedAt"`
	store.RunSums
}

func unix(s int64) *string {
	if s <= 0 {
		return nil
	}
	t := rfc3339(time.Unix(s, 0))
	return &t
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// tenths rounds what is shown to people.
func tenths(x float64) *float64 {
	x = math.Round(x*10) / 10
	return &x
}

func counts(s *stream.Subscribed) countsJSON {
	n := s.Unread()
	return countsJSON{ID: s.Feed.ID().String(), UnreadCount: n, HasUnread: n > 0, LastReadAt: readAt(s.State.ReadAt)}
}

func totals(t stream.Totals) totalsJSON { return totalsJSON(t) }

// feed shapes one subscription. The part of its host is needed to find its runs, the user's tree its folders.
func (s *Server) feed(ctx context.Context, x *stream.Subscribed, part int, tree *reader.Tree) (feedJSON, error) {
	f, n := x.Feed, x.Unread()
	out := feedJSON{
		ID: f.ID().String(), URL: reader.ShownURL(f.URL), Title: f.DisplayTitle(), Description: f.About, SiteURL: f.Site,
		Language: f.Lang, UnreadCount: n, HasUnread: n > 0, StarCount: x.StarredCount(),
		ItemCount: x.ItemCount(), LastItemAt: moment(f.NewestAt), Status: f.Status, IsActive: f.Live() && f.Status != string(reader.StatusStopped), LastRead: moment(x.State.ReadAt / 1000),
		LastChanged: moment(f.Changed), LeftOut: int(f.LeftOut),
		Subscribed: moment(x.Sub.Since), IsSample: x.Sub.Sample, Position: int(x.Sub.Position),
		OwnInterval: int(x.Sub.Interval), IsMuted: x.Sub.Mute, FullText: x.Sub.FullText, Notify: x.Sub.Notify,
	}
	if weekly, known := f.Weekly(s.Clock.Now()); known {
		out.Weekly = tenths(weekly)
	}
	out.Folders = foldersOf(x.Sub, tree)
	if len(out.Folders) > 0 {
		first, _ := folderID(out.Folders[0])
		out.Folder = strings.Join(tree.Path(first), "/")
	}
	out.IconURL, out.Proposed, out.ProposedWhy = iconPath(f.IconHash), orNull(reader.ShownURL(f.Proposed)), orNull(f.ProposedWhy)
	if x.Sub.Title != "" && x.Sub.Title != f.Title {
		out.CustomTitle = &x.Sub.Title
	}
	if f.ErrCode != "" {
		why := sayFault(ctx, f.ErrCode, f.ErrDetail)
		why.Since = unix(f.ErrSince)
		out.Error = &why
	}
	checked, err := s.Store.Checks.Last(ctx, f, part)
	if err != nil {
		return out, err
	}
	if !checked.IsZero() {
		out.LastChecked = moment(checked.Unix())
	}
	c := f.Checking(s.Clock.Now())
	if !c.Next.IsZero() {
		out.NextCheck = moment(c.Next.Unix())
	}
	out.Interval, out.IntervalWhy, out.Reason = int(c.Interval/time.Minute), sayReason(ctx, c.Why), sayReason(ctx, c.NextWhy)
	return out, nil
}

func item(e *stream.Entry, f *store.FeedRow) itemJSON {
	h := &e.Header
	out := itemJSON{
		ID: e.ID.String(), FeedID: e.Feed.String(), Title: h.Title, Link: h.Link, Author: h.Author,
		PublishedAt: rfc3339(time.Unix(h.Shown(), 0)), DateEstimated: h.Estimated, UpdatedAt: unix(h.Updated),
		Snippet: h.Snippet, ImageURL: orNull(sanitize.Secure(h.Image)), Categories: h.Categories, Lang: e.Lang(f),
		FeedTitle: e.FeedTitle, IsRead: e.Read, IsStarred: e.Starred, IsHidden: e.Hidden, Labels: labelIDs(e.Labels),
		AlsoIn: make([]otherJSON, len(e.Also)), Enclosures: make([]enclosureJSON, 0, len(h.Enclosures)),
	}
	if h.Sort != h.Shown() {
		out.SortedAt = unix(h.Sort)
	}
	if w, n := int(h.ImageSize.Width), int(h.ImageSize.Height); out.ImageURL != nil && w > 0 && n > 0 {
		out.ImageWidth, out.ImageHeight = &w, &n
	}
	if out.Categories == nil {
		out.Categories = []string{}
	}
	for i, o := range e.Also {
		out.AlsoIn[i] = otherJSON{FeedID: o.Feed.String(), ItemID: o.ID.String(), Title: o.Title, IsRead: o.Read}
	}
	for _, n := range h.Enclosures {
		out.Enclosures = append(out.Enclosures, enclosureJSON(n))
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
		StartedAt: rfc3339(time.UnixMilli(r.Started)), RunSums: r.RunSums,
	}
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

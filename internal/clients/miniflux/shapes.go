package miniflux

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// userNumber is the number of every user: programs see only their own.
const userNumber = 1

type categoryJSON struct {
	ID     clients.GroupID `json:"id"`
	Title  string          `json:"title"`
	User   int             `json:"user_id"`
	Hidden bool            `json:"hide_globally"`
	Feeds  *int            `json:"feed_count,omitempty"`
	Unread *int            `json:"total_unread,omitempty"`
}

func category(g *clients.Group) categoryJSON {
	return categoryJSON{ID: g.ID, Title: g.Title, User: userNumber}
}

type feedIconJSON struct {
	FeedID   int64  `json:"feed_id"`
	IconID   int64  `json:"icon_id"`
	External string `json:"external_icon_id"`
}

// feedJSON has all members of Miniflux's: some programs refuse a feed that lacks one.
type feedJSON struct {
	ID                 int64         `json:"id"`
	User               int           `json:"user_id"`
	URL                string        `json:"feed_url"`
	Site               string        `json:"site_url"`
	Title              string        `json:"title"`
	Description        string        `json:"description"`
	Language           string        `json:"language"`
	Checked            time.Time     `json:"checked_at"`
	Next               time.Time     `json:"next_check_at"`
	ETag               string        `json:"etag_header"`
	LastModified       string        `json:"last_modified_header"`
	Error              string        `json:"parsing_error_message"`
	Errors             int           `json:"parsing_error_count"`
	ScraperRules       string        `json:"scraper_rules"`
	RewriteRules       string        `json:"rewrite_rules"`
	BlocklistRules     string        `json:"blocklist_rules"`
	KeeplistRules      string        `json:"keeplist_rules"`
	BlockRules         string        `json:"block_filter_entry_rules"`
	KeepRules          string        `json:"keep_filter_entry_rules"`
	URLRewriteRules    string        `json:"urlrewrite_rules"`
	UserAgent          string        `json:"user_agent"`
	Cookie             string        `json:"cookie"`
	Username           string        `json:"username"`
	Password           string        `json:"password"`
	Disabled           bool          `json:"disabled"`
	NoMediaPlayer      bool          `json:"no_media_player"`
	IgnoreHTTPCache    bool          `json:"ignore_http_cache"`
	SelfSigned         bool          `json:"allow_self_signed_certificates"`
	ViaProxy           bool          `json:"fetch_via_proxy"`
	Hidden             bool          `json:"hide_globally"`
	DisableHTTP2       bool          `json:"disable_http2"`
	Pushover           bool          `json:"pushover_enabled"`
	Ntfy               bool          `json:"ntfy_enabled"`
	Crawler            bool          `json:"crawler"`
	IgnoreEntryUpdates bool          `json:"ignore_entry_updates"`
	Apprise            string        `json:"apprise_service_urls"`
	Webhook            string        `json:"webhook_url"`
	NtfyPriority       int           `json:"ntfy_priority"`
	NtfyTopic          string        `json:"ntfy_topic"`
	PushoverPriority   int           `json:"pushover_priority"`
	Proxy              string        `json:"proxy_url"`
	Category           *categoryJSON `json:"category,omitempty"`
	Icon               *feedIconJSON `json:"icon"`
}

type entryJSON struct {
	ID          int64           `json:"id"`
	User        int             `json:"user_id"`
	FeedID      int64           `json:"feed_id"`
	Status      string          `json:"status"`
	Hash        string          `json:"hash"`
	Title       string          `json:"title"`
	URL         string          `json:"url"`
	CommentsURL string          `json:"comments_url"`
	Language    string          `json:"language"`
	Published   time.Time       `json:"published_at"`
	Created     time.Time       `json:"created_at"`
	Changed     time.Time       `json:"changed_at"`
	Content     string          `json:"content"`
	Author      string          `json:"author"`
	ShareCode   string          `json:"share_code"`
	Starred     bool            `json:"starred"`
	ReadingTime int             `json:"reading_time"`
	Enclosures  []enclosureJSON `json:"enclosures"`
	Feed        *feedJSON       `json:"feed,omitempty"`
	Tags        []string        `json:"tags"`
}

type enclosureJSON struct {
	ID       int64  `json:"id"`
	User     int    `json:"user_id"`
	Entry    int64  `json:"entry_id"`
	URL      string `json:"url"`
	Type     string `json:"mime_type"`
	Size     int64  `json:"size"`
	Progress int64  `json:"media_progression"`
}

// account has the feeds and folders of a user.
type account struct {
	tree   library.Tree
	feeds  []*stream.Subscribed // in order of number
	groups []clients.Group
	at     map[clients.GroupID]int // position of a category among them
	icons  clients.Icons
	now    time.Time
}

func (r *request) account() (*account, error) {
	feeds, err := r.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return nil, err
	}
	return r.accountOf(feeds)
}

func (r *request) accountOf(feeds []*stream.Subscribed) (*account, error) {
	tree, err := r.Streams.Tree(r.Context(), r.user)
	if err != nil {
		return nil, err
	}
	l := &account{tree, feeds, clients.Groups(&tree, feeds), map[clients.GroupID]int{},
		clients.IconsOf(feeds), r.Clock.Now()}
	for i := range l.groups {
		l.at[l.groups[i].ID] = i
	}
	return l, nil
}

// group finds a category; nil when there is none.
func (l *account) group(id int64) *clients.Group {
	if i, ok := l.at[clients.GroupID(id)]; ok && int64(clients.GroupID(id)) == id {
		return &l.groups[i]
	}
	return nil
}

// categoryOf is the one category of a feed: that of the first of its folders.
func (l *account) categoryOf(sub *store.SubscriptionRow) *clients.Group {
	for _, id := range sub.Folders {
		if i, ok := l.at[clients.GroupOf(id)]; ok {
			return &l.groups[i]
		}
	}
	return &l.groups[0]
}

// in returns the feeds of a category. A feed has one, so that each is in one list only.
func (l *account) in(id clients.GroupID) (list []*stream.Subscribed) {
	for _, x := range l.feeds {
		if l.categoryOf(x.Sub).ID == id {
			list = append(list, x)
		}
	}
	return list
}

// find returns a feed; nil when the user does not follow it.
func (l *account) find(id int64) *stream.Subscribed {
	i, ok := slices.BinarySearchFunc(l.feeds, id, func(x *stream.Subscribed, id int64) int {
		return cmp.Compare(int64(x.Feed.ID()), id)
	})
	if !ok {
		return nil
	}
	return l.feeds[i]
}

// feed shapes a feed. When it was last checked is known without reading anything: at its last turn.
func (l *account) feed(x *stream.Subscribed) *feedJSON {
	f := x.Feed
	out := &feedJSON{
		ID: int64(f.ID()), User: userNumber, URL: reader.ShownURL(f.URL), Site: f.Site, Title: x.Title(),
		Description: f.About, Language: f.Lang,
		Next: f.NextCheck(l.now).UTC(), ETag: f.ETag, LastModified: f.LastModified, Errors: int(f.Errors),
		Disabled: f.Status == string(reader.StatusStopped), Hidden: x.Sub.Mute, Crawler: x.Sub.FullText,
	}
	if out.Site == "" {
		out.Site = out.URL
	}
	if f.ErrCode != "" {
		out.Error = texts.Feed(f.ErrCode).Message.In(texts.English)
	}
	if turn := f.Turns().LastTurn(schedule.TickOf(l.now)); !f.Fresh() && turn > 0 {
		out.Checked = turn.Start().UTC()
	}
	if at := time.Unix(f.Polled, 0).UTC(); f.Polled > 0 && at.After(out.Checked) {
		out.Checked = at
	}
	c := category(l.categoryOf(x.Sub))
	out.Category = &c
	out.Icon = &feedIconJSON{FeedID: out.ID}
	if id := l.icons.Of(f); id > 0 {
		out.Icon.IconID, out.Icon.External = int64(id), hex.EncodeToString(f.IconHash)
	}
	return out
}

// gone shapes the feed of a star that outlived its subscription.
func (l *account) gone(e *stream.Entry) *feedJSON {
	c := category(&l.groups[0])
	id := int64(e.Feed)
	return &feedJSON{ID: id, User: userNumber, Title: e.FeedTitle, Category: &c, Icon: &feedIconJSON{FeedID: id}}
}

// entry shapes an item with its content.
func (r *request) shape(l *account, x *stream.Located, c clients.Content) *entryJSON {
	e, h := &x.Entry, &x.Header
	now := r.Clock.Now().Unix()
	arrived := min(r.Streams.Listed(e.ID), now) // programs go on from the newest time, which must not be ahead
	out := &entryJSON{
		ID: int64(e.ID), User: userNumber, FeedID: int64(e.Feed), Status: status(e),
		Hash: fmt.Sprintf("%016x", h.Identity), Title: h.Title,
		URL: h.Link, Language: e.Lang(x.Sub.FeedRow()), Published: at(stream.Published(h)), Created: at(arrived),
		Changed: at(min(r.Streams.Changed(h, e.ID), now)),
		Content: c.HTML, Author: h.Author, Starred: e.Starred, Enclosures: enclosures(e), Tags: h.Categories,
	}
	out.ReadingTime = readingTime(out.Language, c.Characters)
	if out.Tags == nil {
		out.Tags = []string{}
	}
	if x.Sub != nil {
		out.Feed = l.feed(x.Sub)
	} else {
		out.Feed = l.gone(e)
	}
	return out
}

// The states of an entry.
const (
	read   = "read"
	unread = "unread"
)

func status(e *stream.Entry) string {
	if e.Read {
		return read
	}
	return unread
}

func at(unix int64) time.Time { return time.Unix(unix, 0).UTC() }

const cjkPerMinute, othersPerMinute = 500, 1300

// readingTime is in minutes; a minute reads fewer characters of a text in Chinese, Japanese or Korean.
func readingTime(lang string, characters int) int {
	perMinute := othersPerMinute
	if len(lang) >= 2 {
		switch lang[:2] {
		case "ja", "zh", "ko":
			perMinute = cjkPerMinute
		}
	}
	return (characters + perMinute - 1) / perMinute
}

// maxEnclosures limits the files of an item that have numbers.
const maxEnclosures = 32

// enclosures shapes the files of an item. A file's number is that of its item, shifted, and its place: a program that
// rounds it to 53 bits names the first file.
func enclosures(e *stream.Entry) []enclosureJSON {
	out := []enclosureJSON{}
	for i, f := range e.Header.Enclosures[:min(len(e.Header.Enclosures), maxEnclosures)] {
		out = append(out, enclosureJSON{
			ID: int64(e.ID)<<enclosureBits | int64(i), User: userNumber, Entry: int64(e.ID), URL: f.URL, Type: f.Type,
			Size: f.Length,
		})
	}
	return out
}

const enclosureBits = 6

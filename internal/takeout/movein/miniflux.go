package movein

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// miniflux speaks Miniflux's REST API.
type miniflux struct{ client }

func (m *miniflux) signIn(ctx context.Context) error {
	m.auth = func(r *http.Request) {
		if m.Login == "" {
			r.Header.Set("X-Auth-Token", m.Password)
			return
		}
		r.SetBasicAuth(m.Login, m.Password)
	}
	var me struct {
		Username string `json:"username"`
	}
	err := m.get(ctx, "/v1/me", &me)
	if err == errMissing || err == nil && me.Username == "" { //nolint:errorlint // it is not wrapped
		return fault.Newf(fault.NotFound, "no_api", "At %s there is no API of Miniflux.", m.URL)
	}
	return err
}

// noCategory is the one that Miniflux puts feeds without any into.
const noCategory = "All"

type minifluxFeed struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	Site     string `json:"site_url"`
	URL      string `json:"feed_url"`
	Category struct {
		Title string `json:"title"`
	} `json:"category"`
}

// Subscriptions implements Source.
func (m *miniflux) Subscriptions(ctx context.Context) (out []Subscription, err error) {
	var list []minifluxFeed
	err = m.get(ctx, "/v1/feeds", &list)
	for _, f := range list {
		s := Subscription{ID: strconv.FormatInt(f.ID, 10), URL: f.URL, Title: f.Title, Site: f.Site,
			Folder: f.Category.Title}
		if s.Folder == noCategory {
			s.Folder = ""
		}
		out = append(out, s)
	}
	return out, err
}

type minifluxEntry struct {
	ID        int64        `json:"id"`
	Status    string       `json:"status"`
	Title     string       `json:"title"`
	URL       string       `json:"url"`
	Author    string       `json:"author"`
	Content   string       `json:"content"`
	Published time.Time    `json:"published_at"`
	FeedID    int64        `json:"feed_id"`
	Feed      minifluxFeed `json:"feed"`
}

func (m *miniflux) entries(ctx context.Context, path string, q url.Values) (out []Entry, last int64, err error) {
	var page struct {
		Entries []minifluxEntry `json:"entries"`
	}
	err = m.get(ctx, path+"?"+q.Encode(), &page)
	for _, e := range page.Entries {
		last = e.ID
		out = append(out, Entry{
			Feed: strconv.FormatInt(e.FeedID, 10), FeedTitle: e.Feed.Title, Site: e.Feed.Site, Link: e.URL,
			Title: e.Title, Author: e.Author, HTML: e.Content, Published: e.Published.Unix(),
			Read: e.Status != "unread",
		})
	}
	return out, last, err
}

const minifluxPage = 100

// Entries implements Source. Its cursor is an offset.
func (m *miniflux) Entries(ctx context.Context, s *Subscription, cursor string) ([]Entry, string, error) {
	at, _ := strconv.Atoi(cursor) // "" is 0
	page, _, err := m.entries(ctx, "/v1/feeds/"+s.ID+"/entries", url.Values{"order": {"published_at"},
		"direction": {"desc"}, "limit": {strconv.Itoa(minifluxPage)}, "offset": {strconv.Itoa(at)}})
	if len(page) < minifluxPage {
		return page, "", err
	}
	return page, strconv.Itoa(at + len(page)), err
}

// Starred implements Source. Its cursor is the id of an entry.
func (m *miniflux) Starred(ctx context.Context, cursor string) ([]Entry, string, error) {
	q := url.Values{"starred": {"true"}, "order": {"id"}, "direction": {"asc"}, "limit": {strconv.Itoa(minifluxPage)}}
	if cursor != "" {
		q.Set("after_entry_id", cursor)
	}
	page, last, err := m.entries(ctx, "/v1/entries", q)
	if len(page) < minifluxPage {
		return page, "", err
	}
	return page, strconv.FormatInt(last, 10), err
}

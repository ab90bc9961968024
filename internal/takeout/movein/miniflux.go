package movein

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
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
	if err == nil && me.Username == "" {
		return errMissing
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
	Status    string       `json:"status"`
	Title     string       `json:"title"`
	URL       string       `json:"url"`
	Author    string       `json:"author"`
	Content   string       `json:"content"`
	Published time.Time    `json:"published_at"`
	FeedID    int64        `json:"feed_id"`
	Feed      minifluxFeed `json:"feed"`
}

// Labels implements Source: Miniflux has none, its tags are the publishers'.
func (m *miniflux) Labels(context.Context) ([]string, error) { return nil, nil }

// Page implements Source. Its cursor is an offset.
func (m *miniflux) Page(ctx context.Context, l List, cursor string) (out []Entry, next string, err error) {
	path, q := "/v1/entries?", url.Values{"starred": {"true"}, "order": {"id"}, "direction": {"asc"}}
	if l.Feed != "" {
		path, q = "/v1/feeds/"+l.Feed+"/entries?", url.Values{"order": {"published_at"}, "direction": {"desc"}}
	}
	at, _ := strconv.Atoi(cursor) // "" is 0
	q.Set("limit", strconv.Itoa(pageSize))
	q.Set("offset", strconv.Itoa(at))
	var page struct {
		Entries []minifluxEntry `json:"entries"`
	}
	err = m.get(ctx, path+q.Encode(), &page)
	for _, e := range page.Entries {
		out = append(out, Entry{
			Feed: strconv.FormatInt(e.FeedID, 10), FeedTitle: e.Feed.Title, Site: e.Feed.Site, Link: e.URL,
			Title: e.Title, Author: e.Author, HTML: e.Content, Published: e.Published.Unix(),
			Read: e.Status != "unread",
		})
	}
	if len(out) == pageSize {
		next = strconv.Itoa(at + pageSize)
	}
	return out, next, err
}

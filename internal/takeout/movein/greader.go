package movein

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// greader speaks the Google Reader API, as FreshRSS, Inoreader, BazQux and others have it.
type greader struct{ client }

// connectGReader signs in at the first address that has the API: the one that was given, or that of FreshRSS below it.
func connectGReader(ctx context.Context, a Account) (Source, error) {
	base := a.URL
	var why error
	for _, below := range []string{"", "/api/greader.php"} {
		a.URL = base + below
		g := &greader{client{a, nil}}
		body, err := g.do(ctx, http.MethodPost, "/accounts/ClientLogin",
			url.Values{"Email": {a.Login}, "Passwd": {a.Password}, "client": {"ruri"},
				"accountType": {"HOSTED_OR_GOOGLE"},
				"service":     {"reader"}})
		token := ""
		for line := range strings.Lines(string(body)) {
			if t, ok := strings.CutPrefix(strings.TrimSpace(line), "Auth="); ok {
				token = t
			}
		}
		if err == nil && token != "" {
			g.auth = func(r *http.Request) { r.Header.Set("Authorization", "GoogleLogin auth="+token) }
			return g, nil
		}
		if err != nil && !errors.Is(err, errMissing) {
			why = err
		}
	}
	if why == nil {
		why = fault.Newf(fault.NotFound, "no_api", "At %s there is neither the API of Miniflux nor that of Google "+
			"Reader. "+
			"Give the address of the reader itself, or of its API (FreshRSS: …/api/greader.php).", base)
	}
	return nil, why
}

const (
	greaderAPI  = "/reader/api/0/"
	greaderPage = 100
	readTag     = "/state/com.google/read"
	labelTag    = "/label/"
)

// Subscriptions implements Source.
func (g *greader) Subscriptions(ctx context.Context) (out []Subscription, err error) {
	var list struct {
		Subscriptions []struct {
			ID         string `json:"id"`
			Title      string `json:"title"`
			URL        string `json:"url"`
			Site       string `json:"htmlUrl"`
			Categories []struct {
				ID    string `json:"id"`
				Label string `json:"label"`
			} `json:"categories"`
		} `json:"subscriptions"`
	}
	err = g.get(ctx, greaderAPI+"subscription/list?output=json", &list)
	for _, s := range list.Subscriptions {
		sub := Subscription{ID: s.ID, URL: cmp.Or(s.URL, strings.TrimPrefix(s.ID, "feed/")), Title: s.Title,
			Site: s.Site}
		for _, c := range s.Categories {
			if _, name, ok := strings.Cut(c.ID, labelTag); ok && sub.Folder == "" {
				sub.Folder = cmp.Or(c.Label, name)
			}
		}
		out = append(out, sub)
	}
	return out, err
}

type greaderItem struct {
	Title     string `json:"title"`
	Author    string `json:"author"`
	Published int64  `json:"published"`
	Canonical []link `json:"canonical"`
	Alternate []link `json:"alternate"`
	Summary   struct {
		Content string `json:"content"`
	} `json:"summary"`
	Content struct {
		Content string `json:"content"`
	} `json:"content"`
	Categories []string `json:"categories"`
	Origin     struct {
		ID    string `json:"streamId"`
		Title string `json:"title"`
		Site  string `json:"htmlUrl"`
	} `json:"origin"`
}

type link struct {
	Href string `json:"href"`
}

func (i *greaderItem) entry() Entry {
	e := Entry{
		Feed: i.Origin.ID, FeedTitle: i.Origin.Title, Site: i.Origin.Site, Title: i.Title, Author: i.Author,
		HTML: cmp.Or(i.Content.Content, i.Summary.Content), Published: i.Published,
	}
	for _, l := range append(i.Canonical, i.Alternate...) {
		e.Link = cmp.Or(e.Link, l.Href)
	}
	for _, c := range i.Categories {
		e.Read = e.Read || strings.HasPrefix(c, "user/") && strings.HasSuffix(c, readTag)
	}
	return e
}

// stream reads a page of a stream; its cursor is the API's own.
func (g *greader) stream(ctx context.Context, id, cursor string) (out []Entry, next string, err error) {
	q := url.Values{"output": {"json"}, "n": {strconv.Itoa(greaderPage)}}
	if cursor != "" {
		q.Set("c", cursor)
	}
	var page struct {
		Items        []greaderItem   `json:"items"`
		Continuation json.RawMessage `json:"continuation"` // FreshRSS has had it as a number
	}
	err = g.get(ctx, greaderAPI+"stream/contents/"+id+"?"+q.Encode(), &page)
	for k := range page.Items {
		out = append(out, page.Items[k].entry())
	}
	return out, strings.Trim(string(page.Continuation), `"`), err
}

// Entries implements Source. Slashes in an address are escaped: they are no part of the path.
func (g *greader) Entries(ctx context.Context, s *Subscription, cursor string) ([]Entry, string, error) {
	return g.stream(ctx, "feed/"+url.PathEscape(strings.TrimPrefix(s.ID, "feed/")), cursor)
}

// Starred implements Source.
func (g *greader) Starred(ctx context.Context, cursor string) ([]Entry, string, error) {
	return g.stream(ctx, "user/-/state/com.google/starred", cursor)
}

package movein

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// greader speaks the Google Reader API, as FreshRSS, Inoreader, BazQux and others have it.
type greader struct{ client }

// connectGReader signs in at the first address that has the API: the one that was given, or that of FreshRSS below it.
func connectGReader(ctx context.Context, a Account) (Source, error) {
	base := a.URL
	for _, below := range []string{"", "/api/greader.php"} {
		a.URL = base + below
		g := &greader{client{a, nil}}
		body, err := g.do(ctx, http.MethodPost, "/accounts/ClientLogin",
			url.Values{"Email": {a.Login}, "Passwd": {a.Password}, "client": {"ruri"},
				"accountType": {"HOSTED_OR_GOOGLE"}, "service": {"reader"}})
		if err != nil && !errors.Is(err, errMissing) {
			return nil, err // here it is, and it refuses or fails
		}
		for line := range strings.Lines(string(body)) {
			if token, ok := strings.CutPrefix(strings.TrimSpace(line), "Auth="); ok && token != "" {
				g.auth = func(r *http.Request) { r.Header.Set("Authorization", "GoogleLogin auth="+token) }
				return g, nil
			}
		}
	}
	return nil, errMissing
}

const (
	greaderAPI = "/reader/api/0/"
	readTag    = "/state/com.google/read"
	labelTag   = "/label/"
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

// Labels implements Source. The names of folders are among the tags; a label that has one's is its articles' folder.
func (g *greader) Labels(ctx context.Context) (out []string, err error) {
	var list struct {
		Tags []struct {
			ID   string `json:"id"`
			Type string `json:"type"` // not everywhere
		} `json:"tags"`
	}
	subs, err := g.Subscriptions(ctx)
	if err == nil {
		err = g.get(ctx, greaderAPI+"tag/list?output=json&types=1", &list)
	}
	if errors.Is(err, errMissing) {
		err = nil
	}
	folders := map[string]bool{}
	for _, s := range subs {
		folders[s.Folder] = true
	}
	for _, t := range list.Tags {
		_, name, ok := strings.Cut(t.ID, labelTag)
		if folders[name] = folders[name] || t.Type == "folder"; ok && !folders[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
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

// Page implements Source. Slashes in an address are escaped: they are no part of the path.
func (g *greader) Page(ctx context.Context, l List, cursor string) (out []Entry, next string, err error) {
	stream := "user/-/state/com.google/starred"
	if l.Feed != "" {
		stream = "feed/" + url.PathEscape(strings.TrimPrefix(l.Feed, "feed/"))
	} else if l.Label != "" {
		stream = "user/-/label/" + url.PathEscape(l.Label)
	}
	q := url.Values{"output": {"json"}, "n": {strconv.Itoa(pageSize)}}
	if cursor != "" {
		q.Set("c", cursor)
	}
	var page struct {
		Items        []greaderItem   `json:"items"`
		Continuation json.RawMessage `json:"continuation"` // FreshRSS has had it as a number
	}
	err = g.get(ctx, greaderAPI+"stream/contents/"+stream+"?"+q.Encode(), &page)
	for k := range page.Items {
		out = append(out, page.Items[k].entry())
	}
	return out, strings.Trim(string(page.Continuation), `"`), err
}

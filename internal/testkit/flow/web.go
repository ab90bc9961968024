package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

// Web is the set of publishers, by URL.
type Web struct {
	// Meanwhile, when set, is called during each request, for what may happen concurrently.
	Meanwhile func()
	// Check, when set, is called before each response, Seen after. The site is the requested one, before redirects.
	Check func(asked *Site, v Visit)
	Seen  func(asked *Site, v Visit, maxAge, retryAfter time.Duration)

	w     *Env
	mu    sync.Mutex
	sites map[string]*Site
	open  map[string]int // open requests, by host
	worst int
}

// Visit is one request as a publisher sees it.
type Visit struct {
	At            time.Time // true time
	ETag          string
	LastModified  string
	Unconditional bool
	Subscribers   int
	Status        int // of the response; 0: there was none
}

// Site is one feed's publisher. Its fields may be changed at any time.
type Site struct {
	URL string
	// Items are the listed ones, the newest first; Version counts changes.
	Items   []Entry
	Keep    int // maximum number of listed items; 0 = 10, or as many as were published at once
	Version int
	Title   string
	Head    string // further elements of the channel

	NoValidators bool
	Fickle       bool // a new ETag in each response
	MaxAge       time.Duration
	Latency      time.Duration
	Permanent    string // target of a 301 redirect
	ContentType  string
	// Answer, when set, replaces the normal response with a status, a Retry-After or an error; 200 means normal.
	Answer func(v Visit) (status int, retryAfter time.Duration, err error)
	// Body, when set, replaces the feed.
	Body func() string

	Visits  []Visit
	Count   int  // of visits, even when Light
	Light   bool // keeps no Visits
	answers int
}

// Entry is one item.
type Entry struct {
	ID        int
	Title     string
	Published time.Time // zero: the feed has no date
	Text      string
}

func newWeb(w *Env) *Web {
	return &Web{w: w, sites: map[string]*Site{}, open: map[string]int{}}
}

// Site adds a publisher with some items.
func (web *Web) Site(url string, items int) *Site {
	s := &Site{URL: url, Title: "Feed of " + fetch.HostOf(url)}
	s.Publish(web.w.now.Add(-24*time.Hour), items)
	web.sites[url] = s
	return s
}

// Of returns the publisher of a URL, nil if there is none.
func (web *Web) Of(url string) *Site { return web.sites[url] }

// Sites returns all publishers, sorted by URL.
func (web *Web) Sites() []*Site {
	all := make([]*Site, 0, len(web.sites))
	for _, s := range web.sites {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Site) int { return strings.Compare(a.URL, b.URL) })
	return all
}

// WorstOverlap returns the maximum number of concurrent requests to one host.
func (web *Web) WorstOverlap() int { return web.worst }

// Publish adds items at the top and drops old ones.
func (s *Site) Publish(at time.Time, n int) {
	for i := range n {
		id := 1
		if len(s.Items) > 0 {
			id = s.Items[0].ID + 1
		}
		s.Items = slices.Insert(s.Items, 0, Entry{
			ID: id, Title: fmt.Sprintf("Item %d", id), Published: at.Add(time.Duration(i) * time.Second),
			Text: fmt.Sprintf("The text of item %d.", id),
		})
	}
	s.Items = s.Items[:min(len(s.Items), max(10, n, s.Keep))]
	s.Version++
}

// ETag returns the current validator.
func (s *Site) ETag() string {
	if s.Fickle {
		return fmt.Sprintf(`W/"%d-%d"`, s.Version, s.answers)
	}
	return fmt.Sprintf(`"v%d"`, s.Version)
}

// Feed returns the current document, RSS 2.0.
func (s *Site) Feed() string {
	if s.Body != nil {
		return s.Body()
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title><link>%s</link>%s`,
		s.Title, s.URL, s.Head)
	for _, e := range s.Items {
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s#%d</guid><title>%s</title><link>%s/%d</link>`, s.URL, e.ID,
			e.Title, s.URL, e.ID)
		if !e.Published.IsZero() {
			fmt.Fprintf(&b, `<pubDate>%s</pubDate>`, e.Published.Format(time.RFC1123Z))
		}
		fmt.Fprintf(&b, `<description>%s</description></item>`, e.Text)
	}
	b.WriteString(`</channel></rss>`)
	return b.String()
}

// visitor is the HTTP client of one process.
type visitor struct {
	web  *Web
	dead func() bool
}

// Visitor returns an HTTP client that fails once dead returns true.
func (w *Env) Visitor(dead func() bool) fetch.Fetcher { return &visitor{web: w.Web, dead: dead} }

// Do implements fetch.Fetcher.
func (v *visitor) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	if v.dead() {
		return nil, errDead
	}
	if err := ctx.Err(); err != nil {
		return nil, &fetch.Error{Code: fetch.CodeCancelled, Cause: err}
	}
	web := v.web
	web.mu.Lock()
	defer web.mu.Unlock()
	s, ok := web.sites[r.URL]
	if !ok {
		return nil, &fetch.Error{Code: fetch.CodeDNSFailure, NoResponse: true}
	}
	asked, moved := s, ""
	for s.Permanent != "" && web.sites[s.Permanent] != nil {
		s.Count++
		s, moved = web.sites[s.Permanent], s.Permanent
	}
	resp, err := web.exchange(asked, s, r)
	if err == nil {
		resp.FinalURL = s.URL
		if resp.Status == 200 || resp.NotModified {
			resp.PermanentURL = moved
		}
	}
	return resp, err
}

// exchange is one request to a site, including its latency.
func (web *Web) exchange(asked, s *Site, r fetch.Request) (*fetch.Response, error) {
	host := fetch.HostOf(s.URL)
	visit := Visit{
		At: web.w.now, ETag: r.ETag, LastModified: r.LastModified, Subscribers: r.Subscribers,
		Unconditional: r.ETag == "" && r.LastModified == "",
	}
	web.open[host]++
	web.worst = max(web.worst, web.open[host])
	defer func() { web.open[host]-- }()
	if web.Check != nil {
		web.Check(asked, visit)
	}
	s.Count++
	web.w.Advance(s.Latency)
	if web.Meanwhile != nil {
		web.mu.Unlock()
		web.Meanwhile()
		web.mu.Lock()
	}
	resp, err := s.answer(visit, r)
	if err != nil {
		resp = &fetch.Response{}
	}
	visit.Status = resp.Status
	if web.Seen != nil {
		web.Seen(asked, visit, resp.MaxAge, resp.RetryAfter)
	}
	if !s.Light {
		s.Visits = append(s.Visits, visit)
	}
	return resp, err
}

// answer returns the response of the publisher.
func (s *Site) answer(v Visit, r fetch.Request) (*fetch.Response, error) {
	if s.Answer != nil {
		status, retryAfter, err := s.Answer(v)
		if err != nil {
			return nil, err
		}
		if status != 200 {
			return &fetch.Response{Status: status, RetryAfter: retryAfter}, nil
		}
	}
	resp := &fetch.Response{Status: 200, MaxAge: s.MaxAge, ContentType: "application/rss+xml"}
	if s.ContentType != "" {
		resp.ContentType = s.ContentType
	}
	if !s.NoValidators {
		s.answers++
		resp.ETag = s.ETag()
		if r.ETag == resp.ETag {
			resp.Status, resp.NotModified, resp.ContentType = 304, true, ""
			return resp, nil
		}
	}
	resp.Body = []byte(s.Feed())
	resp.WireBytes = int64(len(resp.Body))
	return resp, nil
}

// Timeout returns the error of a request that times out.
func Timeout() error {
	return &fetch.Error{Code: fetch.CodeTimeout}
}

package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/explore"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The public pages show what is popular in feeds that the owner chose. They are the same for everybody: they look at no cookie and
// set none, and each variant is made at most four times an hour.

// publicFormats are how a list is answered, by the end of its path.
var publicFormats = map[string]func(*publicPage) (contentType string, body []byte, err error){
	"": (*publicPage).html, ".atom": (*publicPage).atom, ".json": (*publicPage).json,
}

var publicOrders = map[string]explore.Order{"/popular": explore.Hot, "/popular/new": explore.Newest}

func (s *Server) publicRoutes() (list []Route) {
	for path := range publicOrders {
		for ending := range publicFormats {
			list = append(list, Route{Method: "GET", Path: path + ending, Public: true, Uncounted: true, Handle: func(r *request) error {
				return s.publicList(r, path, ending)
			}})
		}
	}
	slices.SortFunc(list, func(a, b Route) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// publicPage is a list that is to be shown.
type publicPage struct {
	path, origin, lang string
	query              explore.Query
	entries            []explore.PublicEntry
}

const (
	// publicFor is how long a page is kept, here and by caches.
	publicFor = 15 * time.Minute
	// siteFor is how long the owner's choice is kept.
	siteFor = time.Minute
	// publicBytes bounds the memory of pages.
	publicBytes = 4 << 20
)

// publicPages are the pages made lately.
type publicPages struct {
	mu     sync.Mutex // one is made at a time
	pages  *lru.Cache[string, madePage]
	site   *store.SiteRow
	siteAt time.Time
}

type madePage struct {
	at   time.Time
	kind string
	body []byte
}

func newPublicPages() *publicPages {
	return &publicPages{pages: lru.New[string, madePage](publicBytes)}
}

// forget lets the owner's choice be read again.
func (p *publicPages) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.site = nil
}

// publicList answers a list: ?period= ?threshold= ?lang=, each of a few values, so that caches have few variants.
func (s *Server) publicList(r *request, path, ending string) error {
	p := publicPage{path: path, origin: s.origin(r), query: explore.Query{Order: publicOrders[path], Limit: explore.PublicLimit}}
	made, err := s.publicPage(r, &p, ending)
	if err != nil {
		return err
	}
	h := r.Header()
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(publicFor/time.Second)))
	h.Set("Content-Language", p.lang)
	h.Set("Content-Security-Policy", publicPolicy)
	return r.bytes(http.StatusOK, made.kind, made.body)
}

// publicPage makes a page, unless it was made lately.
func (s *Server) publicPage(r *request, p *publicPage, ending string) (made madePage, err error) {
	s.public.mu.Lock()
	defer s.public.mu.Unlock()
	site, err := s.publicSite(r.Context())
	if err != nil {
		return made, err
	}
	if len(site.PublicFolders) == 0 {
		return made, nothingHere()
	}
	if err := p.parse(r, site); err != nil {
		return made, err
	}
	now := s.Clock.Now()
	key := fmt.Sprint(r.URL.Path, p.origin, p.lang, p.query.Period, p.query.Threshold, site.PublicUser, site.PublicFolders)
	made, isThere := s.public.pages.Get(key)
	if age := now.Sub(made.at); !isThere || age >= publicFor || age < 0 {
		if p.entries, err = s.Explore.Public(r.Context(), site, p.query); err != nil {
			return made, err
		}
		made.at = now
		if made.kind, made.body, err = publicFormats[ending](p); err != nil {
			return made, err
		}
		s.public.pages.Put(key, made, len(key)+len(made.body))
	}
	return made, nil
}

// publicSite returns the owner's choice, at most a minute old.
func (s *Server) publicSite(ctx context.Context) (*store.SiteRow, error) {
	if now := s.Clock.Now(); s.public.site == nil || now.Sub(s.public.siteAt) >= siteFor || now.Before(s.public.siteAt) {
		site, err := s.Store.Accounts.Site(ctx)
		if err != nil {
			return nil, err
		}
		s.public.site, s.public.siteAt = site, now
	}
	return s.public.site, nil
}

// parse reads the parameters.
func (p *publicPage) parse(r *request, site *store.SiteRow) (err error) {
	v := r.URL.Query()
	if p.query.Period, err = explore.ParsePeriod(v.Get("period"), explore.Week); err != nil {
		return err
	}
	p.query.Threshold = int(site.PublicThreshold)
	if n := v.Get("threshold"); n != "" {
		if p.query.Threshold, err = strconv.Atoi(n); err != nil || !slices.Contains(explore.Thresholds, p.query.Threshold) {
			return fault.Coded(fault.Invalid, "bad_public_threshold").At("threshold")
		}
	}
	switch p.lang = v.Get("lang"); p.lang {
	case "":
		p.lang = languageOf(r.Request.Header)
	case texts.English, texts.Japanese:
	default:
		return fault.Coded(fault.Invalid, "bad_language").At("lang")
	}
	return nil
}

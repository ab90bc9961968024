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
)

// The public pages show what is popular in feeds that the owner chose. They are the same for everybody: they look at no cookie and
// set none, and each list is made at most four times an hour.

// publicFormats are how a list is answered, by the end of its path.
var publicFormats = map[string]func(*publicPage) (contentType string, body []byte, err error){
	"": (*publicPage).html, ".atom": (*publicPage).atom, ".json": (*publicPage).json,
}

var publicOrders = map[string]explore.Order{"/popular": explore.Hot, "/popular/new": explore.Newest}

func (s *Server) publicRoutes() (list []Route) {
	for path := range publicOrders {
		for ending := range publicFormats {
			list = append(list, Route{Method: "GET", Path: path + ending, Public: true, Handle: func(r *request) error {
				return s.publicPage(r, path, ending)
			}})
		}
	}
	slices.SortFunc(list, func(a, b Route) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// publicPage is a list that is to be shown.
type publicPage struct {
	path, origin string
	lang         string // of the page
	asked        string // the language in its address; empty where Accept-Language decided
	query        explore.Query
	threshold    int // the owner's, and so the least
	publicList
}

const (
	// publicFor is how long a list is kept, here and by caches.
	publicFor = 15 * time.Minute
	// publicBytes bounds the memory of lists.
	publicBytes = 4 << 20
	// publicPeriod is the period without one in the address.
	publicPeriod = explore.Week
)

// publicLists are the lists made lately.
type publicLists struct {
	mu    sync.Mutex // one is made at a time
	lists *lru.Cache[string, publicList]
}

type publicList struct {
	made    time.Time
	entries []explore.PublicEntry
}

func newPublicLists() *publicLists {
	return &publicLists{lists: lru.New[string, publicList](publicBytes)}
}

// publicPage answers a list: ?period= ?threshold= ?lang=, each of a few values, so that caches have few variants.
func (s *Server) publicPage(r *request, path, ending string) error {
	public, err := s.Explore.Published(r.Context())
	if err != nil {
		return err
	}
	if public == nil {
		return nothingHere()
	}
	p := publicPage{path: path, origin: s.origin(r), threshold: public.Threshold, query: explore.Query{Order: publicOrders[path]}}
	if err := p.parse(r); err != nil {
		return err
	}
	if p.publicList, err = s.publicList(r.Context(), public, p.query); err != nil {
		return err
	}
	kind, body, err := publicFormats[ending](&p)
	if err != nil {
		return err
	}
	h := r.Header()
	h.Set("Cache-Control", publicCache+", max-age="+strconv.Itoa(int(publicFor/time.Second)))
	h.Set("Content-Language", p.lang)
	h.Set("Content-Security-Policy", publicPolicy)
	return r.bytes(http.StatusOK, kind, body)
}

// publicList makes a list, unless it was made lately. What the owner changed since names another list.
func (s *Server) publicList(ctx context.Context, public *explore.Published, q explore.Query) (publicList, error) {
	key := fmt.Sprint(q.Order, q.Period, q.Threshold, public.User, public.Folders)
	now := s.Clock.Now()
	s.public.mu.Lock()
	defer s.public.mu.Unlock()
	list, isThere := s.public.lists.Get(key)
	if age := now.Sub(list.made); isThere && age >= 0 && age < publicFor {
		return list, nil
	}
	entries, err := s.Explore.Public(ctx, public, q)
	if err != nil {
		return publicList{}, err
	}
	size := len(key)
	for _, e := range entries {
		size += 200 + len(e.Link) + len(e.Title) + len(e.Excerpt) + len(e.Feed)
	}
	list = publicList{now, entries}
	s.public.lists.Put(key, list, size)
	return list, nil
}

// parse reads the parameters.
func (p *publicPage) parse(r *request) (err error) {
	v := r.URL.Query()
	if p.query.Period, err = explore.ParsePeriod(v.Get("period"), publicPeriod); err != nil {
		return err
	}
	p.query.Threshold = p.threshold
	if n := v.Get("threshold"); n != "" {
		asked, err := strconv.Atoi(n)
		if err != nil || !slices.Contains(explore.Thresholds, asked) {
			return fault.Coded(fault.Invalid, "bad_public_threshold").At("threshold")
		}
		p.query.Threshold = max(asked, p.threshold)
	}
	switch p.asked = v.Get("lang"); p.asked {
	case "":
		p.lang = languageOf(r.Request.Header)
	case texts.English, texts.Japanese:
		p.lang = p.asked
	default:
		return fault.Coded(fault.Invalid, "bad_language").At("lang")
	}
	return nil
}

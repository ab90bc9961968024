package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/search/find"
)

// The public pages show what is popular in feeds that the owner chose. They are the same for everybody: they look at no
// cookie and set none, and each list is made at most four times an hour.

func (s *Server) publicRoutes() (list []Route) {
	for _, ending := range []string{"", ".atom", ".json"} {
		for _, path := range []string{"/popular", "/popular/new"} {
			list = append(list, Route{Method: "GET", Path: path + ending, Public: true, Handle: func(r *request) error {
				return s.publicPage(r, publicPage{path: path}, ending)
			}})
		}
	}
	return append(list, Route{Method: "GET", Path: tagsPath + "{tag}", Public: true, Handle: func(r *request) error {
		tag, ending := r.PathValue("tag"), ""
		for _, e := range []string{".atom", ".json"} {
			if name, isCut := strings.CutSuffix(tag, e); isCut {
				tag, ending = name, e
			}
		}
		if tag == "" {
			return nothingHere()
		}
		return s.publicPage(r, publicPage{path: tagPath(tag), tag: tag}, ending)
	}})
}

// publicPage is a list that is to be shown.
type publicPage struct {
	path, origin string
	base         string // what is before the path in addresses
	lang         string // of the page
	asked        string // the language in its address; empty where Accept-Language decided
	query        explore.Query
	threshold    int // the owner's, and so the least
	tag          string
	publicTags   []explore.TagSum
	namesYahoo   bool
	publicList
}

const (
	// publicFor is the time for which a list is kept, here and by caches.
	publicFor = 15 * time.Minute
	// publicBytes bounds the memory of lists.
	publicBytes = 4 << 20
	// publicPeriod is the period without one in the address, and tagPeriod that of a tag: tags are those of a month.
	publicPeriod = explore.Week
	tagPeriod    = explore.Month
)

const tagsPath = "/popular/tags/"

func tagPath(tag string) string { return tagsPath + url.PathEscape(tag) }

// periodOf is the period of a page without one in the address.
func periodOf(path string) explore.Period {
	if strings.HasPrefix(path, tagsPath) {
		return tagPeriod
	}
	return publicPeriod
}

// publicLists are the lists made lately.
type publicLists struct {
	mu    sync.Mutex // one is made at a time
	lists *lru.Cache[string, publicList]
}

// publicList is a list of entries or of tags, or one that a person shares.
type publicList struct {
	made    time.Time
	entries []explore.PublicEntry
	tags    []explore.TagSum
	shared  []find.SharedItem
}

// publicPage answers a list: ?period= ?threshold= ?lang=, each of a few values, so that caches have few variants.
func (s *Server) publicPage(r *request, p publicPage, ending string) error {
	public, err := s.Explore.Published(r.Context())
	if err != nil {
		return err
	}
	switch {
	case public == nil && ending == "": // a person who typed the address may have an account
		r.Header().Set("Cache-Control", "no-store")
		return s.redirect(r, "/my/popular")
	case public == nil:
		return nothingHere()
	}
	p.origin, p.base, p.threshold = s.origin(r), s.path, public.Threshold
	if p.query.Order = explore.Newest; p.path == "/popular" {
		p.query.Order = explore.Hot
	}
	if err := p.parse(r); err != nil {
		return err
	}
	if err := s.fill(r.Context(), public, &p); err != nil {
		return err
	}
	p.namesYahoo = len(p.publicTags) > 0 && s.Explore.NamesYahoo(r.Context())
	h := r.Header()
	h.Set("Cache-Control", publicCache+", max-age="+strconv.Itoa(int(publicFor/time.Second)))
	h.Set("Content-Language", p.lang)
	h.Set("Content-Security-Policy", publicPolicy)
	if ending != "" {
		return p.feed(ending).answer(r, ending == ".atom")
	}
	return r.bytes(http.StatusOK, "text/html; charset=utf-8", p.html())
}

// fill makes the lists of a page. A tag must be among those of the public feeds: all others are NotFound.
func (s *Server) fill(ctx context.Context, public *explore.Published, p *publicPage) error {
	of := fmt.Sprint(public.User, public.Folders, public.Threshold)
	tags, err := s.public.list(s.Clock.Now(), of, func() (list publicList, err error) {
		list.tags, err = s.Explore.PublicTags(ctx, public)
		return list, err
	})
	if err != nil {
		return err
	}
	if p.publicTags = tags.tags; p.tag != "" {
		i := slices.IndexFunc(p.publicTags, func(t explore.TagSum) bool { return t.Name == p.tag })
		if i < 0 {
			return nothingHere()
		}
		p.query.Tag = p.tag
	}
	p.publicList, err = s.public.list(s.Clock.Now(), fmt.Sprintf("%s %s %s %d %q", of, p.query.Order, p.query.Period,
		p.query.Threshold, p.tag), func() (list publicList, err error) {
		list.entries, err = s.Explore.Public(ctx, public, p.query)
		return list, err
	})
	return err
}

// list makes a list, unless it was made lately. After a change by the owner it has another key.
func (l *publicLists) list(now time.Time, key string, read func() (publicList, error)) (publicList, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, isThere := l.lists.Get(key)
	if age := now.Sub(list.made); isThere && age >= 0 && age < publicFor {
		return list, nil
	}
	list, err := read()
	if err != nil {
		return publicList{}, err
	}
	list.made = now
	size := len(key) + 200*(len(list.entries)+len(list.tags))
	for _, e := range list.entries {
		size += len(e.Link) + len(e.Title) + len(e.Excerpt) + len(e.Feed)
	}
	for _, it := range list.shared {
		size += 300 + len(it.Link) + len(it.Title) + len(it.Snippet) + len(it.Author) + len(it.Feed)
	}
	l.lists.Put(key, list, size)
	return list, nil
}

// parse reads the parameters.
func (p *publicPage) parse(r *request) (err error) {
	v := r.URL.Query()
	if p.query.Period, err = explore.ParsePeriod(v.Get("period"), periodOf(p.path)); err != nil {
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

// Package movein takes what a person has in another reader: subscriptions with their folders, what was read, and
// starred articles. Sources are its APIs (miniflux.go, greader.go); package takeout adds what they have to an account.
//
// Other readers do not say by which id a publisher names an article, so articles are matched by their links, and else
// by title and day. Every step can be repeated without effect; progress is saved after each, so that an interrupted run
// goes on where it was.
package movein

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// Source is an account of another reader.
type Source interface {
	Subscriptions(ctx context.Context) ([]Subscription, error)
	// Entries returns a page of a subscription's articles, the newest first, and the cursor of the next; "" after the
	// last.
	Entries(ctx context.Context, s *Subscription, cursor string) (page []Entry, next string, err error)
	// Starred returns a page of the starred articles.
	Starred(ctx context.Context, cursor string) (page []Entry, next string, err error)
}

// Subscription is one of the other reader's; ID is its own name for it.
type Subscription struct {
	ID, URL, Title, Site string
	Folder               string // "": none
}

// Entry is an article. Times are in Unix seconds.
type Entry struct {
	Feed                      string // ID of the subscription
	FeedTitle, Site           string
	Link, Title, Author, HTML string
	Published                 int64
	Read                      bool
}

// State is how far a run is.
type State struct {
	From  string   `json:"from"`
	User  string   `json:"user"`
	Read  []string `json:"read,omitempty"`  // subscriptions whose read state is here, by address
	Stars string   `json:"stars,omitempty"` // cursor of the next page
}

// Result is what a run has brought.
type Result struct {
	Feeds   int               `json:"feeds"`
	Read    int               `json:"read"`
	Unread  int               `json:"unread"`
	Starred int               `json:"starred"`
	Waiting int               `json:"waiting"` // feeds that could not be fetched yet
	Failed  []takeout.Failure `json:"failed"`
}

// Mover moves one account.
type Mover struct {
	Store   *store.Store
	Takeout *takeout.Service
	Feeds   takeout.Feeds
	User    reader.UserID
	// Poll fetches feeds for the first time.
	Poll func(ctx context.Context, feeds []*store.FeedRow) error
	// Save keeps the state after each step.
	Save     func(State) error
	Progress func(stage string, done, total int)
}

const (
	chunk     = 50        // subscriptions brought at once
	maxFeeds  = 5000      // of the other reader
	pagesOf   = 10        // of a subscription's articles, at most
	maxPages  = 5000      // of stars
	maxKnown  = 200       // feeds whose articles are in memory
	sameTitle = 36 * 3600 // seconds between two articles of one title that are the same
)

// Run moves what is not here yet.
func (m *Mover) Run(ctx context.Context, from Source, st State) (res Result, err error) {
	subs, err := from.Subscriptions(ctx)
	if err != nil {
		return res, err
	}
	subs = subs[:min(len(subs), maxFeeds)]
	if err := m.subscribe(ctx, subs, &res); err != nil {
		return res, err
	}
	local, err := m.poll(ctx, subs, &res)
	if err != nil {
		return res, err
	}
	if err := m.readState(ctx, from, subs, local, &st, &res); err != nil {
		return res, err
	}
	return res, m.stars(ctx, from, subs, local, &st, &res)
}

func (m *Mover) subscribe(ctx context.Context, subs []Subscription, res *Result) error {
	done := 0
	for part := range slices.Chunk(subs, chunk) {
		var b takeout.Brought
		for _, s := range part {
			b.Subscriptions = append(b.Subscriptions, s.line())
			if s.Folder != "" {
				b.Folders = append(b.Folders, []string{s.Folder})
			}
		}
		got, err := m.bring(ctx, &b, res)
		if err != nil {
			return err
		}
		res.Feeds += got.Feeds
		done += len(part)
		m.Progress("subscribing", done, len(subs))
	}
	return nil
}

func (s *Subscription) line() takeout.Subscription {
	line := takeout.Subscription{URL: s.URL, FeedTitle: s.Title, SiteURL: s.Site}
	if s.Folder != "" {
		line.Folders = [][]string{{s.Folder}}
	}
	return line
}

func (m *Mover) bring(ctx context.Context, b *takeout.Brought, res *Result) (*takeout.Imported, error) {
	got, err := m.Takeout.Bring(ctx, m.User, b)
	if got != nil {
		res.Failed = append(res.Failed, got.Failed...)
	}
	return got, err
}

// poll fetches the new feeds, and returns the row of each subscription by its ID.
func (m *Mover) poll(ctx context.Context, subs []Subscription, res *Result) (map[string]*store.FeedRow, error) {
	find := func() (rows map[string]*store.FeedRow, fresh []*store.FeedRow, err error) {
		rows = map[string]*store.FeedRow{}
		for _, s := range subs {
			f, err := m.Feeds.Subscribed(ctx, m.User, s.URL)
			if err != nil {
				return nil, nil, err
			}
			if f == nil {
				continue // reported as failed
			}
			if rows[s.ID] = f; f.Fresh() {
				fresh = append(fresh, f)
			}
		}
		return rows, fresh, nil
	}
	rows, fresh, err := find()
	if err != nil || len(fresh) == 0 {
		return rows, err
	}
	m.Progress("fetching feeds", 0, len(fresh))
	if err := m.Poll(ctx, fresh); err != nil {
		return nil, err
	}
	rows, fresh, err = find()
	res.Waiting = len(fresh)
	return rows, err
}

// readState marks as read and unread what is so in the other reader. What its list does not have any more was read
// there; what is newer than all that it has is news.
func (m *Mover) readState(ctx context.Context, from Source, subs []Subscription, local map[string]*store.FeedRow,
	st *State, res *Result) error {
	done := map[string]bool{}
	for _, u := range st.Read {
		done[u] = true
	}
	for n, s := range subs {
		m.Progress("read state", n, len(subs))
		f := local[s.ID]
		if f == nil || f.Fresh() || done[s.URL] {
			continue
		}
		known, err := m.known(ctx, f)
		if err != nil {
			return err
		}
		read, err := known.compare(ctx, from, &s)
		if err != nil {
			return err
		}
		line := s.line()
		line.Folders = nil
		for _, id := range slices.Sorted(maps.Keys(read)) {
			if read[id] {
				line.Read = append(line.Read, takeout.Identity(id))
			} else {
				line.Unread = append(line.Unread, takeout.Identity(id))
			}
		}
		if _, err := m.bring(ctx, &takeout.Brought{Subscriptions: []takeout.Subscription{line}}, res); err != nil {
			return err
		}
		res.Read, res.Unread = res.Read+len(line.Read), res.Unread+len(line.Unread)
		st.Read = append(st.Read, s.URL)
		if err := m.Save(*st); err != nil {
			return err
		}
	}
	return nil
}

func (m *Mover) stars(ctx context.Context, from Source, subs []Subscription, local map[string]*store.FeedRow,
	st *State, res *Result) error {
	byID := map[string]*Subscription{}
	for k := range subs {
		byID[subs[k].ID] = &subs[k]
	}
	cache := map[reader.FeedID]*articles{}
	for range maxPages {
		page, next, err := from.Starred(ctx, st.Stars)
		if err != nil {
			return err
		}
		var b takeout.Brought
		for k := range page {
			e := &page[k]
			item := e.item()
			if s := byID[e.Feed]; s != nil {
				item.FeedURL = s.URL
			}
			if f := local[e.Feed]; f != nil && !f.Fresh() {
				if cache[f.ID()] == nil {
					if len(cache) == maxKnown {
						clear(cache)
					}
					if cache[f.ID()], err = m.known(ctx, f); err != nil {
						return err
					}
				}
				if h := cache[f.ID()].find(e); h != nil {
					item.Identity, item.Title, item.Link = takeout.Identity(h.Identity), h.Title, h.Link
				}
			}
			b.Items = append(b.Items, item)
		}
		got, err := m.bring(ctx, &b, res)
		if err != nil {
			return err
		}
		res.Starred += got.Items
		m.Progress("stars", res.Starred, 0)
		if next == "" || next == st.Stars {
			return nil
		}
		st.Stars = next
		if err := m.Save(*st); err != nil {
			return err
		}
	}
	return nil
}

// item returns a star. Its identity is that of an article without an id, unless the feed still lists it.
func (e *Entry) item() takeout.Item {
	at := time.Unix(max(e.Published, 1), 0).UTC().Format(time.RFC3339)
	return takeout.Item{
		FeedTitle: e.FeedTitle, SiteURL: e.Site, Starred: at, Published: at, Title: e.Title, Link: e.Link,
		Author: e.Author, HTML: e.HTML, Identity: takeout.Identity(extract.Identity("", e.Link, e.Title, at, "")),
	}
}

// articles are those that a feed lists here.
type articles struct {
	list    []store.Header
	byLink  map[string]*store.Header
	byTitle map[string]*store.Header
}

func (m *Mover) known(ctx context.Context, f *store.FeedRow) (*articles, error) {
	var list []store.Header
	err := m.Store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		list = append(list, hs...)
		return true, err
	})
	return newArticles(list), err
}

func newArticles(list []store.Header) *articles {
	a := &articles{list, map[string]*store.Header{}, map[string]*store.Header{}}
	for k := range list {
		a.byLink[linkKey(list[k].Link)], a.byTitle[titleKey(list[k].Title)] = &list[k], &list[k]
	}
	delete(a.byLink, "")
	delete(a.byTitle, "")
	return a
}

// find returns the article here that an entry of the other reader is.
func (a *articles) find(e *Entry) *store.Header {
	if h := a.byLink[linkKey(e.Link)]; h != nil {
		return h
	}
	h := a.byTitle[titleKey(e.Title)]
	if h != nil && (e.Published < h.Shown()-sameTitle || e.Published > h.Shown()+sameTitle) {
		return nil
	}
	return h
}

// compare returns by identity whether an article was read in the other reader, of those that it says something about.
func (a *articles) compare(ctx context.Context, from Source, s *Subscription) (map[uint64]bool, error) {
	read, newest := map[uint64]bool{}, int64(0)
	cursor := ""
	for range pagesOf {
		page, next, err := from.Entries(ctx, s, cursor)
		if err != nil {
			return nil, err
		}
		for k := range page {
			newest = max(newest, page[k].Published)
			if h := a.find(&page[k]); h != nil {
				read[h.Identity] = page[k].Read
			}
		}
		if cursor = next; cursor == "" || len(read) == len(a.list) {
			break
		}
	}
	for _, h := range a.list {
		if _, known := read[h.Identity]; !known && h.Shown() <= newest {
			read[h.Identity] = true
		}
	}
	return read, nil
}

// linkKey is what two spellings of a link have in common.
func linkKey(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Host == "" {
		return ""
	}
	q := u.Query()
	maps.DeleteFunc(q, func(name string, _ []string) bool { return strings.HasPrefix(name, "utm_") })
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.") + strings.TrimSuffix(u.EscapedPath(), "/") + "?" +
		q.Encode()
}

func titleKey(title string) string { return strings.ToLower(strings.Join(strings.Fields(title), " ")) }

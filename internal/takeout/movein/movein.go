// Package movein takes what a person has in another reader: subscriptions with their folders, what was read, starred
// and labelled articles. Sources are its APIs (miniflux.go, greader.go); package takeout adds what they have to an
// account. It is done in steps (steps.go), by messages for the page and one after the other on the command line.
//
// Other readers do not say by which id a publisher names an article, so articles are matched by their links, and else
// by title and day. Everything can be repeated without effect; an interrupted run goes on after its last step.
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
	// Labels names the labels of articles.
	Labels(ctx context.Context) ([]string, error)
	// Page returns a page of a list, and the cursor of the next; "" after the last.
	Page(ctx context.Context, l List, cursor string) (page []Entry, next string, err error)
}

// List is a list of articles: those of a subscription, the newest first; or else those with a label, or else the
// starred ones.
type List struct{ Feed, Label string }

// pageSize is how many articles are asked for at once.
const pageSize = 100

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

// state is the progress of a run.
type state struct {
	Feeds  bool   `json:"feeds,omitempty"`  // the subscriptions are here
	Read   string `json:"read,omitempty"`   // address of the last one whose read state is here
	Lists  int    `json:"lists,omitempty"`  // of the lists of starred and labelled articles so many are here
	Cursor string `json:"cursor,omitempty"` // of the next page of the list that follows
}

const (
	chunk     = 50        // subscriptions brought at once
	maxFeeds  = 5000      // of the other reader
	maxLabels = 200       // of the other reader
	pagesOf   = 10        // of a subscription's articles, at most
	maxPages  = 5000      // of a list of stars
	maxKnown  = 200       // feeds whose articles are in memory
	sameTitle = 36 * 3600 // seconds between two articles of one title that are the same
)

// mover does a step.
type mover struct {
	*Mover
	user    reader.UserID
	state   state
	until   time.Time // when the step ends
	percent int
	res     store.ImportChunk
	failed  []takeout.Failure
	local   map[string]*store.FeedRow // of each subscription, by its ID
	cache   map[reader.FeedID]*articles
}

// run moves what is not here yet.
func (m *mover) run(ctx context.Context, from Source) error {
	subs, err := from.Subscriptions(ctx)
	if err != nil {
		return err
	}
	subs = subs[:min(len(subs), maxFeeds)]
	slices.SortFunc(subs, func(a, b Subscription) int { return strings.Compare(a.URL, b.URL) })
	if !m.state.Feeds {
		return m.subscribe(ctx, subs)
	}
	if err := m.poll(ctx, subs); err != nil {
		return err
	}
	if err := m.readState(ctx, from, subs); err != nil {
		return err
	}
	return m.marks(ctx, from, subs)
}

// save keeps how far the step is, and ends it when its time is over.
func (m *mover) save(from, share, done, total int) error {
	m.percent = max(m.percent, from+share*done/max(total, 1))
	if m.Clock.Now().After(m.until) {
		return errEnough
	}
	return nil
}

// subscribe is a step of its own: new feeds are fetched meanwhile.
func (m *mover) subscribe(ctx context.Context, subs []Subscription) error {
	for part := range slices.Chunk(subs, chunk) {
		var b takeout.Brought
		for _, s := range part {
			b.Subscriptions = append(b.Subscriptions, s.line())
			if s.Folder != "" {
				b.Folders = append(b.Folders, []string{s.Folder})
			}
		}
		got, err := m.bring(ctx, &b)
		if err != nil {
			return err
		}
		m.res.Made, m.res.Had = append(m.res.Made, got.Made...), m.res.Had+got.Feeds-len(got.Made)
	}
	m.state.Feeds, m.percent = true, 20
	return errEnough
}

func (s *Subscription) line() takeout.Subscription {
	line := takeout.Subscription{URL: s.URL, FeedTitle: s.Title, SiteURL: s.Site}
	if s.Folder != "" {
		line.Folders = [][]string{{s.Folder}}
	}
	return line
}

func (m *mover) bring(ctx context.Context, b *takeout.Brought) (*takeout.Imported, error) {
	got, err := m.Takeout.Bring(ctx, m.user, b)
	if got != nil {
		m.failed = append(m.failed, got.Failed...)
	}
	return got, err
}

// poll has the new feeds fetched, and finds the row of each subscription.
func (m *mover) poll(ctx context.Context, subs []Subscription) error {
	for isPolled := false; ; isPolled = true {
		m.local = map[string]*store.FeedRow{}
		var fresh []*store.FeedRow
		for _, s := range subs {
			f, err := m.Feeds.Subscribed(ctx, m.user, s.URL)
			if err != nil {
				return err
			}
			if f == nil {
				continue // reported as failed
			}
			if m.local[s.ID] = f; f.Fresh() {
				fresh = append(fresh, f)
			}
		}
		if m.res.Waiting = len(fresh); isPolled || len(fresh) == 0 {
			return nil
		}
		if err := m.Poll(ctx, fresh); err != nil {
			return err
		}
	}
}

// readState takes over which articles are read in the other reader. Those that its list does not have any more were
// read there; later articles are news.
func (m *mover) readState(ctx context.Context, from Source, subs []Subscription) error {
	for n, s := range subs {
		f := m.local[s.ID]
		if s.URL <= m.state.Read || f == nil || f.Fresh() {
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
		line := takeout.Subscription{URL: s.URL}
		for _, id := range slices.Sorted(maps.Keys(read)) {
			if read[id] {
				line.Read = append(line.Read, takeout.Identity(id))
			} else {
				line.Unread = append(line.Unread, takeout.Identity(id))
			}
		}
		if _, err := m.bring(ctx, &takeout.Brought{Subscriptions: []takeout.Subscription{line}}); err != nil {
			return err
		}
		m.state.Read = s.URL
		if err := m.save(20, 40, n, len(subs)); err != nil {
			return err
		}
	}
	return nil
}

// marks brings the starred articles, and then those with each label.
func (m *mover) marks(ctx context.Context, from Source, subs []Subscription) error {
	labels, err := from.Labels(ctx)
	if err != nil {
		return err
	}
	addresses := map[string]string{}
	for _, s := range subs {
		addresses[s.ID] = s.URL
	}
	lists := append([]string{""}, labels[:min(len(labels), maxLabels)]...)
	for pages := 0; m.state.Lists < len(lists) && pages < maxPages; pages++ {
		label := lists[m.state.Lists]
		page, next, err := from.Page(ctx, List{Label: label}, m.state.Cursor)
		if err != nil {
			return err
		}
		b := takeout.Brought{Label: label}
		for k := range page {
			item, err := m.item(ctx, &page[k], label)
			if err != nil {
				return err
			}
			item.FeedURL = addresses[page[k].Feed]
			b.Items = append(b.Items, item)
		}
		if len(page) == 0 || next == m.state.Cursor {
			next = ""
		}
		if len(page) > 0 { // an empty list makes no label
			got, err := m.bring(ctx, &b)
			if err != nil {
				return err
			}
			m.res.Items += got.Items
		}
		if m.state.Cursor = next; next == "" {
			m.state.Lists++
		}
		if err := m.save(60, 39, m.state.Lists, len(lists)); err != nil {
			return err
		}
	}
	return nil
}

// item returns the line of a starred or labelled article. Its identity is that of an article without an id, unless its
// feed still lists it.
func (m *mover) item(ctx context.Context, e *Entry, label string) (takeout.Item, error) {
	at := time.Unix(max(e.Published, 1), 0).UTC().Format(time.RFC3339)
	item := takeout.Item{
		FeedTitle: e.FeedTitle, SiteURL: e.Site, Published: at, Title: e.Title, Link: e.Link,
		Author: e.Author, HTML: e.HTML, Identity: takeout.Identity(extract.Identity("", e.Link, e.Title, at, "")),
	}
	if item.Label = label; label == "" {
		item.Starred = at
	} else {
		item.Labelled = at
	}
	f := m.local[e.Feed]
	if f == nil || f.Fresh() {
		return item, nil
	}
	known, err := m.known(ctx, f)
	if err != nil {
		return item, err
	}
	if h := known.find(e); h != nil {
		item.Identity, item.Title, item.Link = takeout.Identity(h.Identity), h.Title, h.Link
	}
	return item, nil
}

// articles are those that a feed lists here.
type articles struct {
	list    []store.Header
	byLink  map[string]*store.Header
	byTitle map[string]*store.Header
}

func (m *mover) known(ctx context.Context, f *store.FeedRow) (*articles, error) {
	if a := m.cache[f.ID()]; a != nil {
		return a, nil
	}
	var list []store.Header
	err := m.Store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		list = append(list, hs...)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	if len(m.cache) == maxKnown {
		clear(m.cache)
	}
	m.cache[f.ID()] = newArticles(list)
	return m.cache[f.ID()], nil
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
		page, next, err := from.Page(ctx, List{Feed: s.ID}, cursor)
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

// linkKey is a normal form of a link: the same for different spellings.
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

// Package find answers searches: it combines the feeds and items that a person may see (package stream), the typed
// query (search/query) and the candidates of the index (search). The API and the native clients' APIs share it.
package find

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Engine finds items in feeds: a search.Service.
type Engine interface {
	Search(ctx context.Context, r search.Request) (search.Result, error)
}

// Service answers searches. It is safe for concurrent use.
type Service struct {
	streams *stream.Service
	engine  Engine
	popular *popular.Service
	mode    search.Mode
}

// New returns a service; in mode search.Off it answers no search. p is nil where nothing is counted.
func New(s *stream.Service, e Engine, p *popular.Service, m search.Mode) *Service {
	return &Service{streams: s, engine: e, popular: p, mode: m}
}

// Mode says which texts are indexed. It is Off for a nil service.
func (s *Service) Mode() search.Mode {
	if s == nil || s.mode == "" {
		return search.Off
	}
	return s.mode
}

// Query selects a page of what a search finds.
type Query struct {
	stream.Scope        // a feed, a folder with those below it, or all feeds that are not muted; not a label
	Text         string // what was typed
	Filter       stream.Filter
	From, To     int64          // bounds of the sort time, in Unix seconds: From <= sort < To; zero is no bound
	Zone         *time.Location // of the days in the text; nil: UTC
	Kana         bool           // katakana and hiragana are the same
	Sort         library.SearchSort
	Since        string // the AsOf of an earlier answer: only what arrived after it
	Cursor       string
	Limit        int
	Fresh        bool // see stream.Query
}

// IsOfTitles reports whether only titles and authors are searched, which reads little more than what is shown. Of a
// text that is no query it is false.
func (q *Query) IsOfTitles() bool {
	parsed, err := query.Parse(q.Text, query.Options{Kana: q.Kana, Zone: q.Zone})
	return err == nil && !parsed.ReadsTexts()
}

// Page is a page of found items. Only an empty Next means the end.
type Page struct {
	Items []Item
	Next  string
	AsOf  string // for Query.Since; set on the first page
	// Reached is the sort time down to which was searched, if the page ended early; else zero.
	Reached int64
	// IsBuilding reports that many items are not indexed yet, so that some could not be searched.
	IsBuilding bool
	Total      search.Total // of all pages; only with the first one
	in         stream.Searchable
}

// Feed returns the subscription of an item; nil where only a snapshot is left.
func (p *Page) Feed(id reader.FeedID) *stream.Subscribed { return p.in.Feed(id) }

// Item is a found item, with the matches marked in its title and in an excerpt of its text.
type Item struct {
	stream.Entry
	Title, Text query.Highlight
}

// Search returns a page of results. Stars that no subscribed feed has any more come last, in order of arrival, and only
// with the filter stream.Starred.
//
// Errors are fault.NotFound search_off and those of the scope, fault.Invalid with the API's field, and the engine's.
func (s *Service) Search(ctx context.Context, u reader.UserID, q Query) (Page, error) {
	if s.Mode() == search.Off {
		return Page{}, fault.Coded(fault.NotFound, "search_off")
	}
	parsed, err := query.Parse(q.Text, query.Options{Kana: q.Kana, Zone: q.Zone})
	if err != nil {
		return Page{}, err
	}
	f := finding{s: s, u: u, q: q, parsed: bounded(parsed, q.From, q.To), limit: stream.Limit(q.Limit)}
	f.fold.Off = q.Feed > 0 || q.Filter == stream.Hidden
	if q.Since != "" {
		if f.since, err = stream.Since(q.Since); err != nil {
			return Page{}, fault.Coded(fault.Invalid, "bad_search_since").At("since")
		}
	}
	place, err := q.place()
	if err != nil {
		return Page{}, err
	}
	if f.in, err = s.streams.Searchable(ctx, u, q.Scope, q.Filter, q.Fresh); err != nil {
		return Page{}, err
	}
	return f.page(ctx, place)
}

// bounded returns a query with further bounds of the time.
func bounded(q *query.Query, from, to int64) *query.Query {
	out := *q
	out.From = max(out.From, from)
	if to != 0 && (out.To == 0 || to < out.To) {
		out.To = to
	}
	return &out
}

// place is the start of a page: in the engine's results, or among the kept stars.
type place struct {
	engine  string
	isStars bool
	before  reader.ItemID // of stars; zero for all
}

const (
	engineCursor = "i"
	starsCursor  = "s"
)

// place decodes the cursor.
func (q *Query) place() (place, error) {
	kind, rest := "", ""
	if q.Cursor != "" {
		kind, rest = q.Cursor[:1], q.Cursor[1:]
	}
	switch {
	case kind == "":
		return place{}, nil
	case kind == engineCursor && rest != "":
		return place{engine: rest}, nil
	case kind == starsCursor:
		mark, id, _ := strings.Cut(rest, ".")
		n, err := strconv.ParseUint(id, 36, 64)
		if err == nil && mark == strconv.FormatUint(uint64(q.mark()), 36) && q.Filter == stream.Starred {
			return place{isStars: true, before: reader.ItemID(n)}, nil
		}
	}
	return place{}, fault.Coded(fault.Invalid, "bad_cursor").At("cursor")
}

// starsFrom is the cursor of the stars older than an id.
func (q *Query) starsFrom(id reader.ItemID) string {
	return starsCursor + strconv.FormatUint(uint64(q.mark()), 36) + "." + strconv.FormatUint(uint64(id), 36)
}

// mark distinguishes the cursors of different searches.
func (q *Query) mark() uint32 {
	offset := 0
	if q.Zone != nil {
		_, offset = time.Unix(0, 0).In(q.Zone).Zone()
	}
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%q %d %d %s %d %d %d %t %s %s", q.Text, q.Scope.Feed, q.Folder, q.Filter, q.From, q.To,
		offset, q.Kana, q.Sort, q.Since)
	return h.Sum32()
}

// finding is a page that is being made.
type finding struct {
	s      *Service
	u      reader.UserID
	q      Query
	parsed *query.Query
	since  map[reader.FeedID]reader.Seq
	in     stream.Searchable
	limit  int
	fold   stream.Folding
	out    Page
	shown  []stream.Entry // of the page
}

func (f *finding) page(ctx context.Context, from place) (Page, error) {
	p := &f.out
	p.in = f.in
	if f.q.Cursor == "" {
		p.AsOf = f.in.AsOf
	}
	if !from.isStars {
		if err := f.engine(ctx, from.engine); err != nil {
			return Page{}, err
		}
	}
	if p.Next == "" && f.q.Filter == stream.Starred && f.since == nil {
		if err := f.stars(ctx, from.before); err != nil {
			return Page{}, err
		}
	}
	for i := range p.Items {
		p.Items[i].Entry = f.shown[i]
	}
	f.total()
	return *p, nil
}

// total counts what the first page shows, unless there is more, which the engine has counted.
func (f *finding) total() {
	p := &f.out
	switch {
	case f.q.Cursor != "":
		p.Total = search.Total{}
	case p.Next == "" || f.q.Filter == stream.Starred: // with stars that the engine does not know
		feeds := map[reader.FeedID]bool{}
		for i := range p.Items {
			feeds[p.Items[i].Feed] = true
		}
		p.Total = search.Total{Items: max(p.Total.Items, len(p.Items)), Feeds: max(p.Total.Feeds, len(feeds)),
			IsLeast: p.Next != ""}
	}
}

// engine adds the results from the feeds.
func (f *finding) engine(ctx context.Context, cursor string) error {
	r := search.Request{Query: f.parsed, Feeds: f.feeds(), Cursor: cursor, Mark: f.q.mark(), Limit: f.limit,
		Best: f.q.Sort == library.BestFirst && f.parsed.ReadsTexts()} // else all matches are titles
	if len(r.Feeds) == 0 {
		return nil
	}
	var counts popular.OfList
	if f.q.Sort == library.PopularFirst && f.s.popular != nil {
		var err error
		if counts, r.Cursor, err = f.s.popular.ForList(ctx, cursor, popular.ListedFor); err != nil {
			return err
		}
		r.Count, r.CountedFrom = counts.At, counts.From
	}
	got, err := f.s.engine.Search(ctx, r)
	if err != nil {
		return err
	}
	for _, h := range got.Hits {
		sub := f.in.Feed(h.Feed)
		if sub == nil {
			continue // not one of the given feeds
		}
		f.add(sub.Entry(h.Seq, h.Stamp, h.Header, h.Header.Raw), h.Title, h.Text)
	}
	f.out.Reached, f.out.IsBuilding, f.out.Total = got.Reached, got.IsBuilding, got.Total
	f.out.Total.Items -= len(got.Hits) - len(f.out.Items)
	if got.Next != "" {
		if r.Count != nil {
			got.Next = counts.Cursor(got.Next)
		}
		f.out.Next = engineCursor + got.Next
	}
	return nil
}

// add puts an item into the page, or into its story.
func (f *finding) add(e stream.Entry, title, text query.Highlight) {
	if !f.fold.Into(f.shown, &e) {
		f.shown = append(f.shown, e)
		f.out.Items = append(f.out.Items, Item{Title: title, Text: text})
	}
}

// feeds returns the feeds that can have results, in order of number.
func (f *finding) feeds() []search.Feed {
	filters := f.filters()
	list := make([]search.Feed, 0, len(f.in.Feeds))
	for _, x := range f.in.Feeds {
		above := f.since[x.Feed.ID()]
		if reader.Seq(x.Feed.Seq) <= above {
			continue
		}
		if wants := wants(x, filters); wants != nil {
			list = append(list, search.Feed{Row: x.Feed, Wants: wants, Above: above})
		}
	}
	return list
}

// filters are the filter of the request and the states in the typed query.
func (f *finding) filters() []stream.Filter {
	list := []stream.Filter{f.q.Filter}
	if f.parsed.Unread {
		list = append(list, stream.Unread)
	}
	if f.parsed.Starred {
		list = append(list, stream.Starred)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// wants returns which of a feed's items all filters want; nil when they can want none.
func wants(x *stream.Subscribed, filters []stream.Filter) func(reader.Seq) bool {
	first := x.Wanted(filters[0])
	if first == nil || len(filters) == 1 {
		return first
	}
	rest := wants(x, filters[1:])
	if rest == nil {
		return nil
	}
	return func(seq reader.Seq) bool { return first(seq) && rest(seq) }
}

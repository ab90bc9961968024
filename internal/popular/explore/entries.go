package explore

import (
	"context"
	"iter"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Entry is a page that some of the user's feeds list, shown as the first of their items with the others.
type Entry struct {
	stream.Entry
	Page string // its reader.EntryID; empty where the link is to a whole site
	// N is the greatest count of its items; IsCounted reports whether any is known.
	N         int
	IsCounted bool
	Grew      int // in a day; only in order Rising
	Tags      []tags.Tag
}

// State is the state of counting.
type State string

// The states.
const (
	Off        State = "off"        // nothing is counted: what several feeds link to is popular
	Collecting State = "collecting" // nothing has been asked for yet, so that it is as above
	Ready      State = "ready"
)

// Page is a page of entries. Only an empty Next means the end.
type Page struct {
	Entries []Entry
	Next    string
	State   State
	Counted int64 // when the newest counts are of, in Unix seconds; 0 if there are none
	// Counts are those that the page was made from.
	Counts *popular.Counts
	// Related are the tags that occur together with Query.Tag; on the first page only.
	Related []TagSum
	in      stream.Searchable
}

// Feed returns the subscription of an entry; nil without one.
func (p *Page) Feed(id reader.FeedID) *stream.Subscribed { return p.in.Feed(id) }

// Entries returns a page of entries from unmuted feeds. Errors are fault.Invalid with the API's field.
func (s *Service) Entries(ctx context.Context, u reader.UserID, q Query) (Page, error) {
	if q.Offset > 0 && q.Cursor != "" {
		return Page{}, fault.Coded(fault.Invalid, "bad_offset", MaxOffset).At("offset")
	}
	q.Limit = stream.Limit(q.Limit)
	counts, rest, err := s.popular.ForList(ctx, q.Cursor, q.Period.length())
	if err != nil {
		return Page{}, err
	}
	p := Page{Counts: counts.Counts, State: stateOf(counts.Counts)}
	if counts.Tick > 0 {
		p.Counted = counts.Tick.Start().Unix()
	}
	q.byLinks = p.State != Ready
	if q.Order == Newest && q.Tag == "" && (q.Threshold == 0 || q.byLinks && q.Offset == 0) {
		return s.plain(ctx, u, &q, p, counts, rest)
	}
	from, err := q.behind(rest)
	if err != nil {
		return Page{}, err
	}
	if p.in, err = s.streams.Searchable(ctx, u, stream.Scope{}, stream.All, q.Fresh); err != nil {
		return Page{}, err
	}
	items := counted(p.Counts)
	switch {
	case q.Tag != "":
		items, err = s.tagged(ctx, u, &q, &p)
	case q.byLinks:
		items, err = s.linked(ctx, u, q.Fresh)
	}
	if err != nil {
		return Page{}, err
	}
	list := q.rank(p.Counts, p.in.Feeds, items, counts.From)
	list = list[min(q.Offset, len(list)):]
	if from != nil {
		i, isThere := slices.BinarySearchFunc(list, from, func(a *ranked, b *place) int { return a.compare(b) })
		if isThere {
			i++
		}
		list = list[i:]
	}
	if len(list) > q.Limit {
		list = list[:q.Limit]
		p.Next = counts.Cursor(q.cursor(&list[q.Limit-1].place))
	}
	if p.Entries, err = s.read(ctx, &p.in, list); err != nil {
		return Page{}, err
	}
	for i := range p.Entries {
		if e := &p.Entries[i]; !e.IsCounted {
			e.N, e.IsCounted = p.count(&e.Entry)
		}
	}
	s.tag(ctx, &p)
	return p, nil
}

// count returns an item's count, and whether it is known.
func (p *Page) count(e *stream.Entry) (int, bool) {
	return p.Counts.Of(p.Feed(e.Feed).FeedRow(), e.Seq, e.ID.Stamp(), e.Header.Link)
}

// tag tells what the entries of a page are about.
func (s *Service) tag(ctx context.Context, p *Page) {
	t := s.lastNight(ctx)
	for i := range p.Entries {
		e := &p.Entries[i]
		if it := t.find(e.Feed, e.Seq); it != nil {
			e.Tags = t.tagsOf(it)
		} else {
			e.Tags = tagsOf(&e.Header, t.feed(e.Feed).usual, nil)
		}
	}
}

// tagged gives the user's items with the tag of a query.
func (s *Service) tagged(ctx context.Context, u reader.UserID, q *Query, p *Page) (inFeed, error) {
	t, err := s.withToday(ctx, u, q.Fresh)
	if err != nil {
		return nil, err
	}
	id, isThere := t.id(q.Tag)
	items := func(x *stream.Subscribed) iter.Seq[reader.BookmarkCount] { return t.with(x, id, p.Counts) }
	if !isThere || !slices.ContainsFunc(p.in.Feeds, func(x *stream.Subscribed) bool {
		for range items(x) {
			return true
		}
		return false
	}) {
		return nil, fault.Coded(fault.Invalid, "unknown_tag").At("tag")
	}
	if q.Cursor == "" {
		p.Related = t.related(p.in.Feeds, id)
	}
	return items, nil
}

func stateOf(c *popular.Counts) State {
	switch {
	case !c.IsOn():
		return Off
	case !c.HasAsked():
		return Collecting
	}
	return Ready
}

// plain returns a page of all entries in order of time.
func (s *Service) plain(ctx context.Context, u reader.UserID, q *Query, p Page, counts popular.OfList,
	cursor string) (Page, error) {
	if q.Offset > 0 {
		return Page{}, fault.Coded(fault.Invalid, "offset_without_threshold").At("offset")
	}
	list, err := s.streams.List(ctx, u, stream.Query{Filter: stream.All, Since: counts.From, Cursor: cursor,
		Limit: q.Limit, Fresh: q.Fresh})
	if err != nil {
		return Page{}, err
	}
	p.in.All = list.Feeds
	if list.Next != "" {
		p.Next = counts.Cursor(list.Next)
	}
	for _, e := range list.Items {
		x := Entry{Entry: e, Page: reader.EntryID(reader.StoryURL(e.Header.Link))}
		x.N, x.IsCounted = p.count(&e)
		p.Entries = append(p.Entries, x)
	}
	s.tag(ctx, &p)
	return p, nil
}

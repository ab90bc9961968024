package stream

import (
	"context"
	"iter"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Query selects a page of a stream: of one feed, of a folder with the folders in it, of a label, or of all unmuted
// feeds.
type Query struct {
	Scope
	Filter Filter
	Oldest bool  // oldest first
	Since  int64 // nothing published before, Unix seconds; 0 = no such bound
	Cursor string
	Limit  int
	// Fresh reads the feeds' rows now; without it, those of a remote table may be a minute old.
	Fresh bool
	// Counts puts items with a count first, those with the greatest counts leading; nil: all are in order of time.
	Counts Counts
	// CountedSince bounds the items that come first by their sort time, in Unix seconds.
	CountedSince int64
	// Unfolded shows a story once for each feed that has it.
	Unfolded bool
	// every turns folding and the budget off.
	every bool
	// first are the items of the first part of a list by popularity, while the second part is made.
	first *firstPart
}

// Counts are the bookmark counts of items: popular.Counts.
type Counts interface {
	// InFeed gives the items of a feed above a seq that have a count, in order of seq.
	InFeed(f reader.FeedID, above reader.Seq) iter.Seq[reader.BookmarkCount]
}

// Scope is the source of a stream; at most one field is not zero.
type Scope struct {
	Feed   reader.FeedID
	Folder reader.FolderID
	Label  reader.LabelID
}

// Page is one page of a stream. Only an empty Next means the end.
type Page struct {
	Items []Entry
	Next  string
	// IsPartial reports that the page is shorter than the limit, because a page may read only so much, and that more
	// follows.
	IsPartial bool
	// AsOf encodes the newest item of each feed in this list: a mark with it leaves later items unread. Set on the
	// first page of streams that can be marked.
	AsOf string
	// Feeds are the subscriptions that the page was made from: one, or all of the user's.
	Feeds []*Subscribed
	// Totals are the sums over Feeds.
	Totals Totals
	// Unread counts the unread items of the stream, whatever the filter.
	Unread int
}

// Feed returns the row of a feed of the page; nil where only a snapshot is left.
func (p *Page) Feed(id reader.FeedID) *store.FeedRow {
	return find(p.Feeds, id).FeedRow()
}

const (
	// DefaultLimit is how many items a page has by default (C-24).
	DefaultLimit = 50
	// MaxLimit is how many it may have.
	MaxLimit = 200
)

// Limit bounds a page's size; 0 means the default.
func Limit(n int) int {
	if n <= 0 {
		return DefaultLimit
	}
	return min(n, MaxLimit)
}

// List returns a page of a stream.
func (s *Service) List(ctx context.Context, u reader.UserID, q Query) (Page, error) {
	q.Limit = Limit(q.Limit)
	behind, token, err := q.countedCursor()
	if err != nil {
		return Page{}, err
	}
	c, err := s.readCursor(u, token, q.hash())
	if err != nil {
		return Page{}, err
	}
	bar, err := s.scope(ctx, u, q.Scope, q.Fresh, s.keepVerdicts)
	if err != nil {
		return Page{}, err
	}
	var p Page
	if q.Counts != nil {
		p, err = s.counted(ctx, &q, behind, &bar)
	}
	switch {
	case err != nil, len(p.Items) > 0:
	case q.Label > 0, q.Filter == Starred:
		p, err = s.snapshots(ctx, u, q, c, &bar)
	default:
		p, err = s.merged(ctx, u, q, c, &bar)
	}
	if err != nil {
		return Page{}, err
	}
	if q.first != nil {
		p.Items = slices.DeleteFunc(p.Items, q.first.tells)
		p.IsPartial = p.Next != "" && len(p.Items) < q.Limit
		if p.Next != "" {
			p.Next = restCursor + p.Next
		}
	}
	if q.Cursor == "" && q.Filter != Hidden && q.Filter != Starred && q.Label == 0 {
		p.AsOf = bar.asOf()
	}
	p.Feeds, p.Totals, p.Unread = bar.all, bar.totals, bar.unread(q.Scope)
	return p, err
}

// sideBar has the subscriptions and positions from which a stream is made.
type sideBar struct {
	all    []*Subscribed          // the user's subscriptions, or the one asked for
	in     func(*Subscribed) bool // tells those in the stream; nil for all
	within []reader.FolderID      // the stream's folders, if it has some
	totals Totals                 // of all
}

func (b *sideBar) has(x *Subscribed) bool { return b.in == nil || b.in(x) }

// chosen returns the subscriptions in the stream.
func (b *sideBar) chosen() (list []*Subscribed) {
	if b.in == nil {
		return b.all
	}
	for _, x := range b.all {
		if b.in(x) {
			list = append(list, x)
		}
	}
	return list
}

func (b *sideBar) unread(sc Scope) (n int) {
	if sc == (Scope{}) {
		return b.totals.Unread
	}
	for _, x := range b.all {
		switch {
		case sc.Label > 0:
			n += x.LabelledUnread(sc.Label)
		case b.has(x):
			n += x.Unread()
		}
	}
	return n
}

// scope reads what a stream is made from.
func (s *Service) scope(ctx context.Context, u reader.UserID, sc Scope, fresh bool, settle settle) (sideBar, error) {
	if sc.Feed > 0 {
		sub, err := s.Get(ctx, u, sc.Feed)
		if err == nil {
			sub, err = s.judgedFeed(ctx, u, sub, settle)
		}
		return sideBar{all: []*Subscribed{sub}}, err
	}
	v, err := s.sideBar(ctx, u, !fresh, settle)
	if err != nil {
		return sideBar{}, err
	}
	bar := sideBar{all: v.list, totals: v.totals}
	switch {
	case sc.Label > 0:
		_, err = s.treeWith(ctx, u, []reader.LabelID{sc.Label})
	case sc.Folder > 0:
		bar.within, err = s.within(ctx, u, sc.Folder)
		bar.in = inFolders(bar.within)
	default:
		bar.in = func(x *Subscribed) bool { return !x.Sub.Mute }
	}
	return bar, err
}

// choose returns the subscriptions in a scope; NotFound when it does not exist.
func (s *Service) choose(ctx context.Context, u reader.UserID, sc Scope, list []*Subscribed) ([]*Subscribed, error) {
	switch {
	case sc.Feed > 0:
		if x := find(list, sc.Feed); x != nil {
			return []*Subscribed{x}, nil
		}
		return nil, fault.New(fault.NotFound, "feed_not_found", "stream: scope", nil)
	case sc.Label > 0:
		_, err := s.treeWith(ctx, u, []reader.LabelID{sc.Label})
		return list, err
	case sc.Folder == 0:
		return list, nil
	}
	within, err := s.within(ctx, u, sc.Folder)
	if err != nil {
		return nil, err
	}
	return (&sideBar{all: list, in: inFolders(within)}).chosen(), nil
}

// within returns a folder and those below it; NotFound when it does not exist.
func (s *Service) within(ctx context.Context, u reader.UserID, folder reader.FolderID) ([]reader.FolderID, error) {
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	return tree.Within(folder)
}

func inFolders(within []reader.FolderID) func(*Subscribed) bool {
	return func(x *Subscribed) bool { return x.Sub.In(within) }
}

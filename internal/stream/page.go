package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Query selects a page of a stream: of one feed, of a folder with the folders in it, of a label, or of all unmuted feeds.
type Query struct {
	Scope
	Filter Filter
	Oldest bool  // oldest first
	Since  int64 // nothing published before, Unix seconds; 0 = no such bound
	Cursor string
	Limit  int
	// Fresh reads the feeds' rows now; without it, those of a remote table may be a minute old.
	Fresh bool
	// every turns folding and the budget off.
	every bool
}

// Scope is the source of a stream; at most one field is not zero.
type Scope struct {
	Feed   reader.FeedID
	Folder reader.FolderID
	Label  reader.LabelID
}

// Page is one page of a stream. It may be shorter than the limit: only an empty Next means the end.
type Page struct {
	Items []Entry
	Next  string
	// AsOf encodes the newest item of each feed in this list: a mark with it leaves later items unread. Set on the first
	// page of streams that can be marked.
	AsOf string
	// Feeds are the subscriptions that the page was made from: one, or all of the user's.
	Feeds []*Subscribed
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
	c, err := decodeCursor(q.Cursor, q.hash())
	if err != nil {
		return Page{}, err
	}
	bar, err := s.scope(ctx, u, q.Scope, q.Fresh)
	if err != nil {
		return Page{}, err
	}
	var p Page
	switch {
	case q.Label > 0, q.Filter == Starred:
		p, err = s.snapshots(ctx, u, q, c, bar)
	default:
		p, err = s.merged(ctx, q, c, bar)
		if err == nil && q.Cursor == "" && q.Filter != Hidden {
			p.AsOf = newestSeqs(bar.chosen).encode()
		}
	}
	p.Feeds, p.Unread = bar.all, bar.unread(q.Label)
	return p, err
}

// sideBar is what a stream is made from.
type sideBar struct {
	all    []*Subscribed // the user's subscriptions, or the one asked for
	chosen []*Subscribed // those in the stream
	spent  int           // half read units that reading them took
}

func (b *sideBar) unread(label reader.LabelID) (n int) {
	for _, x := range b.chosen {
		if label > 0 {
			n += x.LabelledUnread(label)
		} else {
			n += x.Unread()
		}
	}
	return n
}

// scope reads what a stream is made from.
func (s *Service) scope(ctx context.Context, u reader.UserID, sc Scope, fresh bool) (sideBar, error) {
	if sc.Feed > 0 {
		sub, err := s.Get(ctx, u, sc.Feed)
		if err == nil {
			sub, err = s.judgedFeed(ctx, u, sub)
		}
		one := []*Subscribed{sub}
		return sideBar{all: one, chosen: one}, err
	}
	v, spent, err := s.sideBar(ctx, u, !fresh)
	if err != nil {
		return sideBar{}, err
	}
	bar := sideBar{all: v.list, spent: spent}
	bar.chosen, err = s.choose(ctx, u, sc, v.list)
	if sc.Folder > 0 {
		bar.spent++
	}
	if sc == (Scope{}) {
		bar.chosen = slices.DeleteFunc(slices.Clone(v.list), func(x *Subscribed) bool { return x.Sub.Mute })
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
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return nil, err
	}
	within := tree.Within(sc.Folder)
	if within == nil {
		return nil, fault.Coded(fault.NotFound, "folder_not_found")
	}
	var out []*Subscribed
	for _, x := range list {
		if x.Sub.In(within) {
			out = append(out, x)
		}
	}
	return out, nil
}

package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Query asks for a page of a stream: of one feed, of a folder with the folders in it, of a label, or when none
// of them is named of all feeds that are not muted.
type Query struct {
	Scope
	Filter Filter
	Oldest bool  // oldest first
	Since  int64 // nothing published before, Unix seconds; 0 = no such bound
	Cursor string
	Limit  int
	// Anew has each feed's row read now; without it, far tables' may be a minute old.
	Anew bool
	// every asks for each item on its own and for whole pages, whatever they take.
	every bool
}

// Scope is what a stream is made of; at most one is not zero.
type Scope struct {
	Feed   reader.FeedID
	Folder reader.FolderID
	Label  reader.LabelID
}

// Page is one page of a stream. It may be shorter than was asked: Next is the truth, empty at the end.
type Page struct {
	Items []Entry
	Next  string
	// AsOf says up to which item of each feed this list shows: what is marked read by it touches nothing that
	// came later. Given with the first page of streams that can be marked.
	AsOf string
	// Feeds are the subscriptions that the page was made from: one, or all of the user's.
	Feeds []Subscribed
	// Unread counts the unread items of the stream, whatever the filter.
	Unread int
}

// Feed gives the row of a feed of the page; nil where only a snapshot is left.
func (p *Page) Feed(id reader.FeedID) *store.FeedRow {
	if x := (&sideBar{all: p.Feeds}).of(id); x != nil {
		return x.Feed
	}
	return nil
}

const (
	// DefaultLimit is how many items a page has when nobody asks otherwise (C-24).
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

// List gives a page of a stream.
func (s *Service) List(ctx context.Context, u reader.UserID, q Query) (Page, error) {
	q.Limit = Limit(q.Limit)
	c, err := decodeCursor(q.Cursor, q.mark())
	if err != nil {
		return Page{}, err
	}
	bar, err := s.scope(ctx, u, q.Scope, q.Anew)
	if err != nil {
		return Page{}, err
	}
	var p Page
	switch {
	case q.Label > 0:
		p, err = s.labelled(ctx, u, q, c, bar)
	case q.Filter == Starred:
		p, err = s.starred(ctx, u, q, c, bar)
	default:
		p, err = s.merged(ctx, q, c, bar)
		if err == nil && q.Cursor == "" && q.Filter != Hidden {
			p.AsOf = positionsOf(bar.chosen).encode()
		}
	}
	p.Feeds, p.Unread = bar.all, bar.unread(q.Label)
	return p, err
}

// sideBar is what a stream is made from.
type sideBar struct {
	all    []Subscribed // the user's subscriptions, or the one asked for
	chosen []Subscribed // those in the stream
	spent  int          // half read units that reading them took
}

// state finds the subscription to a feed.
func (b *sideBar) of(id reader.FeedID) *Subscribed {
	i, ok := slices.BinarySearchFunc(b.all, id, func(s Subscribed, id reader.FeedID) int {
		return int(s.Feed.ID()) - int(id)
	})
	if !ok {
		return nil
	}
	return &b.all[i]
}

func (b *sideBar) unread(label reader.LabelID) (n int) {
	for i := range b.chosen {
		if x := &b.chosen[i]; label > 0 {
			n += x.LabelledUnread(label)
		} else {
			n += x.Unread()
		}
	}
	return n
}

// scope reads what a stream is made from.
func (s *Service) scope(ctx context.Context, u reader.UserID, sc Scope, anew bool) (sideBar, error) {
	if sc.Feed > 0 {
		sub, err := s.Get(ctx, u, sc.Feed)
		if err == nil {
			sub, err = s.judgedFeed(ctx, u, sub)
		}
		if err != nil {
			return sideBar{}, err
		}
		one := []Subscribed{sub}
		return sideBar{all: one, chosen: one}, nil
	}
	list, spent, err := s.sideBar(ctx, u, !anew)
	if err != nil {
		return sideBar{}, err
	}
	bar := sideBar{all: list, spent: spent}
	if sc.Label > 0 {
		tree, err := s.store.Trees.Get(ctx, u)
		if err == nil {
			err = known(&tree, []reader.LabelID{sc.Label})
		}
		bar.chosen = list
		return bar, err
	}
	wanted := func(x *Subscribed) bool { return !x.Sub.Mute }
	if sc.Folder > 0 {
		tree, err := s.store.Trees.Get(ctx, u)
		if err != nil {
			return bar, err
		}
		bar.spent++
		within := tree.Within(sc.Folder)
		if within == nil {
			return bar, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
		}
		wanted = func(x *Subscribed) bool { return x.in(within) }
	}
	for i := range list {
		if wanted(&list[i]) {
			bar.chosen = append(bar.chosen, list[i])
		}
	}
	return bar, nil
}

// in tells whether a subscription lies in one of some folders.
func (s *Subscribed) in(folders []reader.FolderID) bool {
	return slices.ContainsFunc(s.Sub.Folders, func(f int32) bool { return slices.Contains(folders, reader.FolderID(f)) })
}

// Items gives a page of one feed, newest sort time first.
func (s *Service) Items(ctx context.Context, u reader.UserID, id reader.FeedID, f Filter, cur string, limit int) (Page, Subscribed, error) {
	p, err := s.List(ctx, u, Query{Scope: Scope{Feed: id}, Filter: f, Cursor: cur, Limit: limit})
	if err != nil {
		return p, Subscribed{}, err
	}
	return p, p.Feeds[0], nil
}

// AllItems gives a page over all of a user's feeds, merged by sort time.
func (s *Service) AllItems(ctx context.Context, u reader.UserID, f Filter, cur string, limit int) (Page, []Subscribed, error) {
	p, err := s.List(ctx, u, Query{Filter: f, Cursor: cur, Limit: limit})
	return p, p.Feeds, err
}

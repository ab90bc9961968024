package stream

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// lookedThrough bounds the deltas in which one import of stars looks for items that are there, in all feeds together;
// lookedInFeed those of one.
const (
	lookedThrough = 4000
	lookedInFeed  = 200
)

// present are the items of a list that the user's feeds have, and the bits that they are to get.
type present struct {
	feeds map[string]*Subscribed // by address
	items map[string]map[string]*Entry
	byID  map[reader.FeedID]*Subscribed
	bits  map[reader.FeedID][]reader.Seq
}

// present looks for the wanted items of a list by feed and link, in the newest deltas of the feeds that are subscribed
// to.
func (s *Service) present(ctx context.Context, u reader.UserID, items []starred.Item, wanted func(*starred.Item) bool) (*present, error) {
	p := &present{
		feeds: map[string]*Subscribed{}, items: map[string]map[string]*Entry{},
		byID: map[reader.FeedID]*Subscribed{}, bits: map[reader.FeedID][]reader.Seq{},
	}
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return nil, err
	}
	for i := range list {
		p.feeds[list[i].Feed.URL], p.byID[list[i].Feed.ID()] = &list[i], &list[i]
	}
	var urls []string
	for i := range items {
		it := &items[i]
		if it.Link == "" || p.feeds[it.FeedURL] == nil || !wanted(it) {
			continue
		}
		if p.items[it.FeedURL] == nil {
			p.items[it.FeedURL] = map[string]*Entry{}
			urls = append(urls, it.FeedURL)
		}
		p.items[it.FeedURL][it.Link] = nil
	}
	var left atomic.Int64
	left.Store(lookedThrough)
	_, exact := s.store.Subscriptions.Version(ctx, u)
	return p, s.each(exact, len(urls), func(i int) error {
		return s.lookFor(ctx, p.feeds[urls[i]], p.items[urls[i]], &left)
	})
}

// lookFor finds a feed's items by their links.
func (s *Service) lookFor(ctx context.Context, sub *Subscribed, links map[string]*Entry, left *atomic.Int64) error {
	if left.Load() <= 0 || sub.Feed.Seq == sub.Feed.Floor {
		return nil
	}
	missing, deltas := len(links), 0
	return s.store.Items.Descend(ctx, sub.Feed.ID(), reader.Seq(sub.Feed.Seq), func(d *store.DeltaRow) (bool, error) {
		list, err := entries(sub, d)
		if err != nil {
			return false, err
		}
		for i := range list {
			if e, asked := links[list[i].Header.Link]; asked && e == nil {
				links[list[i].Header.Link] = &list[i]
				missing--
			}
		}
		deltas++
		return missing > 0 && deltas < lookedInFeed && left.Add(-1) > 0 && d.First() > reader.Seq(sub.Feed.Floor)+1, nil
	})
}

func (p *present) find(it *starred.Item) *Entry { return p.items[it.FeedURL][it.Link] }

// complete notes the bit of a star whose feed is subscribed to: an import that broke off may have left it out.
func (p *present) complete(row *store.StarRow) {
	id, seq := reader.FeedID(row.Feed), reader.Seq(row.Seq)
	if sub := p.byID[id]; sub != nil && seq > 0 && !sub.State.Stars.Has(seq) && !slices.Contains(p.bits[id], seq) {
		p.bits[id] = append(p.bits[id], seq)
	}
}

// starPresent keeps a snapshot of an item that is there, with the body that the list has.
func (s *Service) starPresent(ctx context.Context, u reader.UserID, e *Entry, sub *Subscribed, it *starred.Item) error {
	key := func() string { return store.StarBlobKey(u, e.ID, s.clock.Now()) }
	html := sanitize.HTML(it.HTML, it.Link)
	var row store.StarRow
	var err error
	if html == "" {
		row, err = s.snapshot(ctx, *e, sub, key)
	} else {
		row = store.StarRow{Feed: uint32(e.Feed), Seq: uint32(e.Seq), At: s.clock.Now().Unix(), Title: sub.Title()}
		if row.Head, err = store.PackHeaders([]store.Header{e.Header}); err == nil {
			err = s.keepBody(ctx, &row, html, key)
		}
	}
	if err != nil {
		return err
	}
	if at := unixOf(it.Starred); at > 0 {
		row.At = at
	}
	return s.aside(ctx, u, func() error { return s.store.Stars.Put(ctx, u, e.ID, row) })
}

// setBits sets the bits, a write for each feed. It counts nothing as the person's reading of today.
func (s *Service) setBits(ctx context.Context, u reader.UserID, p *present) error {
	ids := make([]reader.FeedID, 0, len(p.bits))
	for id := range p.bits {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	_, exact := s.store.Subscriptions.Version(ctx, u)
	return s.each(exact, len(ids), func(i int) error {
		_, err := s.update(ctx, u, ids[i], slices.Max(p.bits[ids[i]]), func(sub *Subscribed) (reader.State, bool) {
			c := s.change(sub, []reader.Op{{Kind: reader.OpStar, Seqs: p.bits[ids[i]]}})
			c.Counts = false
			return reader.Apply(sub.State, c)
		})
		if fault.Is(err, fault.NotFound) {
			return nil // left meanwhile
		}
		return err
	})
}

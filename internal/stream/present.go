package stream

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// lookedThrough and lookedInFeed bound the deltas, of all feeds and of one, in which an import of stars looks for
// items.
const (
	lookedThrough = 4000
	lookedInFeed  = 200
)

// present are the items of a list that the user's feeds have, and the bits of stars and labels to set.
type present struct {
	feeds map[string]*Subscribed // by address
	items map[string]map[string]*Entry
	byID  map[reader.FeedID]*Subscribed
	bits  map[reader.FeedID]map[reader.LabelID][]reader.Seq
}

// present searches for the wanted items of a list by feed and link, in the newest deltas of the subscribed feeds.
func (s *Service) present(ctx context.Context, u reader.UserID, items []starred.Item,
	wanted func(*starred.Item) bool) (*present, error) {
	p := &present{
		feeds: map[string]*Subscribed{}, items: map[string]map[string]*Entry{},
		byID: map[reader.FeedID]*Subscribed{}, bits: map[reader.FeedID]map[reader.LabelID][]reader.Seq{},
	}
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return nil, err
	}
	for i := range list {
		p.feeds[list[i].Feed.URL], p.byID[list[i].Feed.ID()] = list[i], list[i]
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
	return p, s.each(len(urls), func(i int) error {
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

// complete sets the bit of a star or label in a subscribed feed, which a crashed import may have missed.
func (p *present) complete(at store.SnapshotPlace, label reader.LabelID) {
	id, seq := at.ID.Feed(), at.Seq
	sub := p.byID[id]
	if sub == nil || seq == 0 {
		return
	}
	has := sub.State.Stars
	if label != store.Star {
		has = sub.State.Labels.Of(label)
	}
	if has.Has(seq) || slices.Contains(p.bits[id][label], seq) {
		return
	}
	if p.bits[id] == nil {
		p.bits[id] = map[reader.LabelID][]reader.Seq{}
	}
	p.bits[id][label] = append(p.bits[id][label], seq)
}

// setBits sets the bits, a write for each feed. It does not count as today's reading.
func (s *Service) setBits(ctx context.Context, u reader.UserID, p *present) error {
	var list []mutation
	for _, id := range slices.Sorted(maps.Keys(p.bits)) {
		labels := p.bits[id]
		var ops []reader.Op
		known := reader.Seq(0)
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			op := reader.Op{Kind: reader.OpStar, Seqs: labels[label]}
			if label != store.Star {
				op.Kind, op.Label = reader.OpLabel, label
			}
			ops, known = append(ops, op), max(known, slices.Max(op.Seqs))
		}
		list = append(list, mutation{feed: id, known: known, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
			return s.applied(sub, reader.Change{Ops: ops})
		}})
	}
	_, err := s.updateAll(ctx, u, list)
	return err
}

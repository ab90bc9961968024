package stream

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// barPart is a part of a side bar: the subscriptions to feeds with adjacent numbers.
type barPart struct {
	subs   []*store.SubscriptionRow // in order of feed number
	list   []*Subscribed
	hidden []*store.SubscriptionRow // those whose feed has no row
	bytes  int                      // of the rows, about
}

const (
	// partShift makes parts small enough to keep all cores busy until the end.
	partShift = 8
	// partsAtOnce is how many parts' feeds are read at the same time.
	partsAtOnce = 4
)

// readParts reads a user's side bar. The first list after a start waits for it, so the feeds of each part are read
// beside the subscriptions that follow.
func (v *views) readParts(ctx context.Context, u reader.UserID) ([]*barPart, store.Ruling, error) {
	g, partCtx := errgroup.WithContext(ctx)
	g.SetLimit(partsAtOnce)
	var parts []*barPart
	last := &barPart{}
	fill := func(p *barPart) {
		if len(p.subs) > 0 {
			g.Go(func() error { return v.fill(partCtx, p) })
		}
	}
	ruling, err := v.store.Subscriptions.EachRuled(ctx, u, func(sub *store.SubscriptionRow) error {
		if len(last.subs) == 0 || last.subs[0].Feed()>>partShift != sub.Feed()>>partShift {
			fill(last)
			last = &barPart{}
			parts = append(parts, last)
		}
		last.subs = append(last.subs, sub)
		return nil
	})
	fill(last)
	if failed := g.Wait(); err == nil {
		err = failed
	}
	return parts, ruling, err
}

// fill reads the feeds of a part.
func (v *views) fill(ctx context.Context, p *barPart) error {
	ids := make([]reader.FeedID, len(p.subs))
	for i, sub := range p.subs {
		ids[i] = sub.Feed()
		p.bytes += sub.Bytes()
	}
	next := 0
	p.list = make([]*Subscribed, 0, len(ids))
	err := v.store.Feeds.Listed(ctx, ids, func(f *store.FeedRow) error {
		p.bytes += f.Bytes()
		for ; ids[next] != f.ID(); next++ {
			p.hidden = append(p.hidden, p.subs[next])
		}
		p.list = append(p.list, (&Subscribed{Feed: f, Host: hostOf(f, nil)}).with(p.subs[next]))
		next++
		return nil
	})
	p.hidden = append(p.hidden, p.subs[next:]...)
	return err
}

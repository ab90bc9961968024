package store

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// denseShare is the share of a block from which one query of the whole is cheaper than single reads:
// a query costs the sum of bytes, a batch get rounds each row of about 0.7 KB up to 4 KB.
const denseShare = 6

// Load reads many feed rows by number, choosing for each block between one query and single reads.
// Absent feeds are simply missing; the order is not promised. Calls of each follow one another.
func (s *Feeds) Load(ctx context.Context, ids []reader.FeedID, each func(*FeedRow) error) error {
	byBlock := map[int][]reader.FeedID{}
	for _, f := range ids {
		byBlock[block(f)] = append(byBlock[block(f)], f)
	}
	highest, err := s.Count(ctx)
	if err != nil {
		return err
	}
	var single []table.Key
	blocks := loading{wanted: map[reader.FeedID]bool{}, each: each}
	for b, list := range byBlock {
		rows := min(1<<BlockShift, highest-b<<BlockShift+1)
		if len(list)*denseShare < rows {
			for _, f := range list {
				single = append(single, feedKey(f))
			}
			continue
		}
		for _, f := range list {
			blocks.wanted[f] = true
		}
		blocks.list = append(blocks.list, b)
	}
	if err := blocks.read(ctx, s); err != nil {
		return err
	}
	var found []*FeedRow
	err = s.t.BatchGet(ctx, single, func(r table.Row) error {
		row, err := s.damage.feed(r, r.Decode)
		found = append(found, row)
		return err
	})
	for _, row := range found {
		if err == nil {
			err = each(row)
		}
	}
	return err
}

// Listed reads what lists need of feeds: their rows without what is known of their items, which is half of the bytes.
// The feeds are in order of number, as they are passed to each, and of one block. Absent ones are missing.
func (s *Feeds) Listed(ctx context.Context, ids []reader.FeedID, each func(*FeedRow) error) error {
	decode := func(r table.Row) (*FeedRow, error) {
		return s.damage.feed(r, func(out any) error { return r.DecodeWithout("known", out) })
	}
	first, last := ids[0], ids[len(ids)-1]
	if len(ids)*denseShare < int(last-first)+1 {
		keys := make([]table.Key, len(ids))
		for i, id := range ids {
			keys[i] = feedKey(id)
		}
		var found []*FeedRow
		err := s.t.BatchGet(ctx, keys, func(r table.Row) error {
			row, err := decode(r)
			found = append(found, row)
			return err
		})
		slices.SortFunc(found, func(a, b *FeedRow) int { return strings.Compare(a.SK, b.SK) })
		for _, row := range found {
			if err == nil {
				err = each(row)
			}
		}
		return err
	}
	for r, err := range s.t.Query(ctx, table.Query{PK: feedKey(first).PK, From: feedKey(first).SK,
		To: feedKey(last + 1).SK}) {
		if err != nil {
			return err
		}
		f := parseFeedSK(r.Key.SK)
		for len(ids) > 0 && ids[0] < f {
			ids = ids[1:]
		}
		if len(ids) == 0 || ids[0] != f {
			continue
		}
		row, err := decode(r)
		if err == nil {
			err = each(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blocksAtOnce is how many blocks are read at the same time: rows are decoded by all cores, and a remote table answers
// while others are decoded.
const blocksAtOnce = 4

// loading reads whole blocks for some of their rows.
type loading struct {
	list   []int
	wanted map[reader.FeedID]bool
	each   func(*FeedRow) error
	mu     sync.Mutex // held for each
}

func (l *loading) read(ctx context.Context, s *Feeds) error {
	if len(l.list) == 1 {
		return s.eachOfBlock(ctx, l.list[0], l.row)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(blocksAtOnce)
	for _, b := range l.list {
		g.Go(func() error { return s.eachOfBlock(ctx, b, l.row) })
	}
	return g.Wait()
}

func (l *loading) row(f *FeedRow) error {
	if !l.wanted[f.ID()] {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.each(f)
}

package store

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// denseShare is the share of a range from which one query costs less than single reads, which round rows of about 0.7
// KB up to 4 KB.
const denseShare = 6

// Load reads feed rows by number, each block by one query or by single reads. Absent feeds are missing; the order is
// undefined. Calls of each do not overlap.
func (s *Feeds) Load(ctx context.Context, ids []reader.FeedID, each func(*FeedRow) error) error {
	return s.load(ctx, ids, func(r table.Row) (*FeedRow, error) { return s.damage.feed(r, r.Decode) }, each)
}

// Listed is Load for lists: it leaves out FeedRow.Known, which is half of the bytes.
func (s *Feeds) Listed(ctx context.Context, ids []reader.FeedID, each func(*FeedRow) error) error {
	return s.load(ctx, ids, func(r table.Row) (*FeedRow, error) {
		return s.damage.feed(r, func(out any) error { return r.DecodeWithout("known", out) })
	}, each)
}

func (s *Feeds) load(ctx context.Context, ids []reader.FeedID, decode func(table.Row) (*FeedRow, error),
	each func(*FeedRow) error) error {
	byBlock := map[int][]reader.FeedID{}
	for _, f := range ids {
		byBlock[block(f)] = append(byBlock[block(f)], f)
	}
	var single []table.Key
	ranges := loading{wanted: map[reader.FeedID]bool{}, decode: decode, each: each}
	for _, list := range byBlock {
		first, last := slices.Min(list), slices.Max(list)
		if len(list)*denseShare < int(last-first)+1 {
			for _, f := range list {
				single = append(single, feedKey(f))
			}
			continue
		}
		for _, f := range list {
			ranges.wanted[f] = true
		}
		ranges.list = append(ranges.list, [2]reader.FeedID{first, last})
	}
	if err := ranges.read(ctx, s); err != nil {
		return err
	}
	var found []*FeedRow
	err := s.t.BatchGet(ctx, single, func(r table.Row) error {
		row, err := decode(r)
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

// blocksAtOnce limits how many blocks are read at the same time.
const blocksAtOnce = 4

// loading reads ranges of rows, each within a block, for some of them.
type loading struct {
	list   [][2]reader.FeedID // the first and the last
	wanted map[reader.FeedID]bool
	decode func(table.Row) (*FeedRow, error)
	each   func(*FeedRow) error
	mu     sync.Mutex // held for each
}

func (l *loading) read(ctx context.Context, s *Feeds) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(blocksAtOnce)
	for _, r := range l.list {
		g.Go(func() error { return l.rows(ctx, s, feedKey(r[0]), feedKey(r[1]+1).SK) })
	}
	return g.Wait()
}

func (l *loading) rows(ctx context.Context, s *Feeds, from table.Key, to string) error {
	for r, err := range s.t.Query(ctx, table.Query{PK: from.PK, From: from.SK, To: to}) {
		if err != nil {
			return err
		}
		if !l.wanted[parseFeedSK(r.Key.SK)] {
			continue
		}
		f, err := l.decode(r)
		if err == nil {
			l.mu.Lock()
			err = l.each(f)
			l.mu.Unlock()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

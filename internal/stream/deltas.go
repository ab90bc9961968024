package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// delta is a delta's row with its headers inflated. It is shared by requests and never changed.
type delta struct {
	first, last reader.Seq
	stamp       reader.Minute
	at          int64 // arrival in Unix milliseconds, as the clock was
	arrived     int64 // arrival in Unix seconds, never before that of an earlier delta
	raw         string
	headers     store.HeaderList
}

func unpack(d *store.DeltaRow) (*delta, error) {
	hs, err := d.List()
	if err != nil {
		return nil, err
	}
	first := d.First()
	return &delta{first, first + reader.Seq(hs.Len()) - 1, reader.Minute(d.Stamp), d.At, d.Arrived() / 1000, d.Raw, hs},
		nil
}

// header decodes the header of an item.
func (d *delta) header(seq reader.Seq) store.Header { return d.headers.Get(int(seq - d.first)) }

// sort is the position of an item in lists.
func (d *delta) sort(seq reader.Seq) int64 { return d.headers.Sort(int(seq - d.first)) }

func (d *delta) id(f reader.FeedID, seq reader.Seq) reader.ItemID {
	return reader.NewItemID(d.stamp, f, seq)
}

// weight estimates the memory that the delta takes, in bytes.
func (d *delta) weight() int { return 150 + d.headers.Bytes() }

// deltas reads deltas and keeps the last ones inflated in memory.
//
// Committed deltas change only by edits, and each edit ends with a new `edited` in the feed's row. So kept deltas are
// valid for a row with the same `edited`, if they were read consistently while a commit or edit was recent.
type deltas struct {
	store  *store.Store
	clock  clock.Clock
	byFeed *lru.Cache[reader.FeedID, keptDeltas]
}

const (
	// deltaBytes bounds the memory of the deltas that are kept: 20,000 headers or so.
	deltaBytes = 8 << 20
)

// keptDeltas are deltas of one feed in order of seq, as they are after an edit.
type keptDeltas struct {
	edited int64
	raw    string // edits within one millisecond differ in it
	list   []*delta
}

// of returns the kept deltas of a feed if they are as recent as its row.
func (c *deltas) of(f *store.FeedRow) keptDeltas {
	kept, ok := c.byFeed.Get(f.ID())
	if !ok || kept.edited != f.Edited || kept.raw != f.Raw {
		return keptDeltas{edited: f.Edited, raw: f.Raw}
	}
	return kept
}

// from returns up to n deltas that follow one another, from the one that holds a seq on.
func (k *keptDeltas) from(seq reader.Seq, desc bool, n int) []*delta {
	i, ok := slices.BinarySearchFunc(k.list, seq, func(d *delta, seq reader.Seq) int {
		if d.last < seq {
			return -1
		}
		return int(int64(d.first) - int64(min(seq, d.first)))
	})
	if !ok {
		return nil
	}
	if !desc {
		j := i + 1
		for j < len(k.list) && j-i < n && k.list[j].first == k.list[j-1].last+1 {
			j++
		}
		return k.list[i:j]
	}
	j := i
	for j > 0 && i-j+1 < n && k.list[j-1].last+1 == k.list[j].first {
		j--
	}
	list := slices.Clone(k.list[j : i+1])
	slices.Reverse(list)
	return list
}

// window returns up to n committed deltas: newest first from the one at or before a seq, or oldest first from the one
// at or after it. spent is the cost in half read units, end means that nothing follows, and begins that the seq is
// known to begin a delta.
func (c *deltas) window(ctx context.Context, f *store.FeedRow, from reader.Seq, desc, begins bool,
	n int) (list []*delta, spent int, end bool, err error) {
	kept := c.of(f)
	if list := kept.from(from, desc, n); len(list) > 0 {
		return list, 0, false, nil
	}
	var rows []*store.DeltaRow
	if !desc && !begins {
		// The seq may lie within a delta, which is read first.
		rows, spent, _, err = c.store.Items.Window(ctx, f.ID(), from, true, 1, f.ChangedLately(c.clock.Now()))
		if len(rows) > 0 && rows[0].Last() < from {
			rows = nil
		}
	}
	if err == nil && len(rows) == 0 {
		var more int
		rows, more, end, err = c.store.Items.Window(ctx, f.ID(), from, desc, n, f.ChangedLately(c.clock.Now()))
		spent += more
	}
	if err != nil {
		return nil, spent, false, err
	}
	for _, row := range rows {
		if row.First() > reader.Seq(f.Seq) {
			end = end || !desc // not committed yet
			continue
		}
		d, err := unpack(row)
		if err != nil {
			return nil, spent, false, err
		}
		list = append(list, d)
	}
	c.keep(f, kept, list)
	return list, spent, end || len(rows) == 0, nil
}

// keep adds deltas to those kept of a feed.
func (c *deltas) keep(f *store.FeedRow, kept keptDeltas, list []*delta) {
	if len(list) == 0 || f.Edited < 0 {
		return
	}
	kept.list = append(slices.Clone(kept.list), list...)
	slices.SortFunc(kept.list, func(a, b *delta) int { return int(int64(a.first) - int64(b.first)) })
	kept.list = slices.CompactFunc(kept.list, func(a, b *delta) bool { return a.first == b.first })
	weight := 0
	for _, d := range kept.list {
		weight += d.weight()
	}
	c.byFeed.Put(f.ID(), kept, weight)
}

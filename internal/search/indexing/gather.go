package indexing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// gatherTime bounds how long a job reads; the rest of its time is for the merge.
const gatherTime = 45 * time.Second

// gathered has the items that a job adds to the index.
type gathered struct {
	s       *Service
	part    segment.Part
	started time.Time
	bytes   int                          // of records and texts
	more    bool                         // there is more than one job takes
	changed bool                         // the index reaches elsewhere than before
	floors  map[reader.FeedID]reader.Seq // see inventory
	texts   *texts.Reader
}

// inventory is the list of feeds, shared by consecutive steps, because reading all feed rows costs more than the items.
type inventory struct {
	// floors are the floors of all existing feeds; items not above the floor are gone.
	floors map[reader.FeedID]reader.Seq
	behind []*store.FeedRow // in order of number
	more   bool             // others are behind too
}

// maxListed bounds the rows in memory.
const maxListed = 500

// list reads the rows of all feeds.
func (s *Service) list(ctx context.Context, covered map[reader.FeedID]segment.Covered) (*inventory, error) {
	l := &inventory{floors: map[reader.FeedID]reader.Seq{}}
	return l, s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		l.add(f, covered[f.ID()])
		return nil
	})
}

// add adds a feed that has been read.
func (l *inventory) add(f *store.FeedRow, c segment.Covered) {
	if f.RemovingSince > 0 {
		return
	}
	l.floors[f.ID()] = reader.Seq(f.Floor)
	switch {
	case !isBehind(f, c):
	case len(l.behind) < maxListed:
		l.behind = append(l.behind, f)
	default:
		l.more = true
	}
}

// gather reads the new and edited items of the feeds of an inventory, and removes these feeds from it.
//
// Deltas are read consistently, because an item that is missed here, or read in an old version, would stay so. The rows
// of feeds may lag: the next job does the rest.
func (s *Service) gather(ctx context.Context, was []segment.Covered, l *inventory) (*gathered, error) {
	g := &gathered{s: s, started: s.clock.Now(), texts: s.o.Texts.Reader()}
	covered := make(map[reader.FeedID]segment.Covered, len(was))
	for _, c := range was {
		covered[c.Feed] = c
	}
	if len(l.behind) == 0 && (l.more || l.floors == nil) {
		fresh, err := s.list(ctx, covered)
		if err != nil {
			return nil, err
		}
		*l = *fresh
	}
	// A feed that is not in the inventory was removed, or the inventory lags.
	for _, c := range was {
		if _, isListed := l.floors[c.Feed]; isListed {
			continue
		}
		f, err := s.store.Feeds.Get(ctx, c.Feed, true)
		if err == nil {
			l.add(f, c)
		}
		if fault.Ignore(err, fault.NotFound) != nil {
			return nil, err
		}
	}
	for len(l.behind) > 0 && !g.isFull() {
		f := l.behind[0]
		c, err := g.feed(ctx, f, cmp.Or(covered[f.ID()], segment.Covered{Feed: f.ID()}))
		if err != nil {
			return nil, err
		}
		if covered[f.ID()] = c; isBehind(f, c) {
			break // it has more than one job takes
		}
		l.behind = l.behind[1:]
	}
	g.more, g.floors, g.texts = l.more || len(l.behind) > 0, l.floors, nil
	for f, c := range covered {
		if _, isThere := l.floors[f]; isThere && (c.Seq > 0 || c.Edits > 0) {
			g.part.Covered = append(g.part.Covered, c)
		}
	}
	slices.SortFunc(g.part.Covered, func(a, b segment.Covered) int { return cmp.Compare(a.Feed, b.Feed) })
	return g, nil
}

func (g *gathered) isFull() bool {
	return len(g.part.Documents) >= g.s.stepItems || g.bytes >= g.s.stepBytes ||
		g.s.clock.Now().Sub(g.started) > gatherTime
}

// feed gathers a feed's items, and returns how far the index will cover it.
func (g *gathered) feed(ctx context.Context, f *store.FeedRow, was segment.Covered) (c segment.Covered, err error) {
	if c = was; !isBehind(f, c) {
		return c, nil // another job has been here since
	}
	if err = g.edited(ctx, f, &c); err == nil {
		err = g.added(ctx, f, &c)
	}
	g.changed = g.changed || c != was
	return c, err
}

// isBehind reports whether the index lacks items or edits of a feed. During a replay edits are ignored: searches read
// the deltas then, and the end of the replay counts as an edit.
func isBehind(f *store.FeedRow, c segment.Covered) bool {
	return reader.Seq(f.Seq) > c.Seq || f.Edits > c.Edits && f.Edited >= 0
}

// edited gathers the items that the index has, of deltas that were edited since.
func (g *gathered) edited(ctx context.Context, f *store.FeedRow, c *segment.Covered) error {
	if f.Edited < 0 || f.Edits <= c.Edits {
		return nil
	}
	firsts, all := f.EditedSince(c.Edits)
	c.Edits = f.Edits
	if all {
		// The whole feed is read again, as if it were new.
		for seq := reader.Seq(f.Floor) + 1; seq <= c.Seq; seq++ {
			g.part.Replaces = append(g.part.Replaces, query.Ref{Feed: c.Feed, Seq: seq})
		}
		c.Seq = 0
		return nil
	}
	for _, first := range firsts {
		if first > c.Seq {
			continue
		}
		d, err := g.named(ctx, f, first)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for seq := max(d.First(), reader.Seq(f.Floor)+1); seq <= d.Last(); seq++ {
			g.part.Replaces = append(g.part.Replaces, query.Ref{Feed: c.Feed, Seq: seq})
		}
		if err := g.delta(ctx, f, d); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathered) named(ctx context.Context, f *store.FeedRow, first reader.Seq) (*store.DeltaRow, error) {
	if g.s.careless.staleEdits {
		return g.s.store.Items.At(ctx, f.ID(), first)
	}
	return g.s.store.Items.Get(ctx, f.ID(), first)
}

// added gathers the items that the index lacks. Missing deltas have expired, since reads are consistent.
func (g *gathered) added(ctx context.Context, f *store.FeedRow, c *segment.Covered) error {
	last := reader.Seq(f.Seq)
	if last <= c.Seq {
		return nil
	}
	isCut := false
	err := g.s.store.Items.Ascend(ctx, f.ID(), c.Seq+1, !g.s.careless.staleNews, func(d *store.DeltaRow) (bool, error) {
		if d.Last() > last {
			return false, nil // not committed according to the row
		}
		if isCut = g.isFull(); isCut {
			return false, nil
		}
		if c.Seq = d.Last(); c.Seq <= reader.Seq(f.Floor) {
			return true, nil
		}
		return true, g.delta(ctx, f, d)
	})
	if err == nil && !isCut {
		c.Seq = last
	}
	return err
}

// delta gathers the items of a delta that are above the feed's floor.
func (g *gathered) delta(ctx context.Context, f *store.FeedRow, d *store.DeltaRow) error {
	hs, err := d.Headers()
	if err != nil {
		g.s.log.Error("the items of a delta cannot be indexed", "feed_id", uint32(f.ID()), "first",
			uint32(d.First()), "error", err)
		return nil
	}
	for i := range hs {
		seq := d.First() + reader.Seq(i)
		if seq <= reader.Seq(f.Floor) {
			continue
		}
		h := &hs[i]
		text := ""
		if g.s.o.Bodies {
			if text, err = g.texts.Text(ctx, f, cmp.Or(h.Raw, d.Raw), h); err != nil {
				return err
			}
		}
		doc := segment.Document{
			Feed: f.ID(), Seq: seq, Stamp: reader.Minute(d.Stamp), Sort: h.Sort, Record: h.Record(),
			Item: query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet,
				Categories: h.Categories, Text: text},
		}
		g.part.Documents = append(g.part.Documents, doc)
		g.bytes += len(doc.Record) + len(text)
	}
	return nil
}

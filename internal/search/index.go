package search

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// index reads the index and caches what it reads. Segments never change, so cached parts never become stale.
type index struct {
	store *store.Store
	blobs *blob.Bucket
	gap   int // parts of a file that are this close together are read with one request, gap included
	// atOnce is the number of concurrent requests of one search.
	atOnce int

	tails *lru.Cache[string, *segment.Tail]
	terms *lru.Cache[blockOf, segment.Terms]
	texts *lru.Cache[blockOf, segment.Texts]
}

// blockOf names a block of a segment.
type blockOf struct {
	segment string
	block   int
}

const (
	tailBytes = 8 << 20
	termBytes = 4 << 20
	textBytes = 8 << 20
	// weightless is the approximate memory of a cache entry in addition to its contents.
	weightless = 150

	// usualAtOnce is the number of concurrent requests of one search.
	usualAtOnce = 16
)

// Limits of what may be read in requests, each of which counts as many bytes as a gap (blob.Driver).
const (
	batchWorth = 2 << 20  // usually, of a batch of candidates: beyond it, larger gaps are read too
	pageWorth  = 40 << 20 // of a page, which ends when it is reached
	newsWorth  = 12 << 20 // of the raw bodies of items that are not indexed
)

func newIndex(s *store.Store, b *blob.Bucket) *index {
	return &index{
		store: s, blobs: b, gap: b.Gap(), atOnce: usualAtOnce,
		tails: lru.New[string, *segment.Tail](tailBytes),
		terms: lru.New[blockOf, segment.Terms](termBytes), texts: lru.New[blockOf, segment.Texts](textBytes),
	}
}

// segments returns the segments, in order of creation; latest sees every acknowledged write.
func (x *index) segments(ctx context.Context, latest bool) ([]store.Segment, error) {
	row, err := x.store.Search.Get(ctx, latest)
	if err != nil || row.Format != segment.Format { // another one is about to be made again
		return nil, err
	}
	return row.List()
}

// part is a part of a segment to read, with the function that takes its bytes.
type part struct {
	segment *store.Segment
	segment.Span
	use func([]byte) error
}

// joined are parts of a segment that are read with one request.
type joined struct {
	parts []*part // in order of place
	segment.Span
}

func (j *joined) end() int { return j.At + j.Size }

// join joins parts that are close to each other. The newest segments come first: their names are random.
func join(parts []*part, gap int) (list []joined) {
	slices.SortFunc(parts, func(a, b *part) int {
		return cmp.Or(cmp.Compare(b.segment.Newest, a.segment.Newest), cmp.Compare(b.segment.Oldest, a.segment.Oldest),
			cmp.Compare(a.segment.Name, b.segment.Name), cmp.Compare(a.At, b.At))
	})
	for _, p := range parts {
		if n := len(list) - 1; n >= 0 && list[n].parts[0].segment.Name == p.segment.Name && p.At-list[n].end() < gap {
			list[n].parts = append(list[n].parts, p)
			list[n].Size = p.At + p.Size - list[n].At
			continue
		}
		list = append(list, joined{[]*part{p}, p.Span})
	}
	return list
}

// fewer joins the closest parts until few enough requests remain, unless that would read too many bytes.
func fewer(list []joined, most, bytes int) []joined {
	size := 0
	for i := range list {
		size += list[i].Size
	}
	for len(list) > most {
		best, least := -1, bytes-size
		for i := range list[1:] {
			if list[i].parts[0].segment == list[i+1].parts[0].segment {
				if gap := list[i+1].At - list[i].end(); gap <= least {
					best, least = i, gap
				}
			}
		}
		if best < 0 {
			break
		}
		a, b := &list[best], &list[best+1]
		a.parts = append(a.parts, b.parts...)
		a.Size = b.end() - a.At
		size += least
		list = slices.Delete(list, best+1, best+2)
	}
	return list
}

// fetch reads parts, and counts the requests.
func (x *index) fetch(ctx context.Context, list []joined, gets *atomic.Int64) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(x.atOnce)
	for _, j := range list {
		g.Go(func() error {
			gets.Add(1)
			b, err := x.blobs.GetRange(ctx, store.SegmentKey(j.parts[0].segment.Name), int64(j.At), int64(j.Size))
			if err != nil {
				return err
			}
			for _, p := range j.parts {
				from := p.At - j.At
				if err := p.use(b[min(from, len(b)):min(from+p.Size, len(b))]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// opened is a segment with its tail.
type opened struct {
	info *store.Segment
	*segment.Tail
}

// open reads the tails of segments.
func (x *index) open(ctx context.Context, list []opened, gets *atomic.Int64) error {
	var parts []joined
	for i := range list {
		o := &list[i]
		if tail, ok := x.tails.Get(o.info.Name); ok {
			o.Tail = tail
			continue
		}
		at := segment.Span{At: o.info.Size - o.info.Tail, Size: o.info.Tail}
		parts = append(parts, joined{[]*part{{o.info, at, func(b []byte) (err error) {
			if o.Tail, err = segment.Open(b, o.info.Size); err == nil {
				err = o.Check(o.info.Documents, o.info.Newest, o.info.Oldest)
			}
			if err == nil {
				x.tails.Put(o.info.Name, o.Tail, weightless+o.Tail.Bytes())
			}
			return err
		}}}, at})
	}
	return x.fetch(ctx, parts, gets)
}

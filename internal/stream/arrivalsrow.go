package stream

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// For a list of ids, a new process reads many deltas, and in the cloud processes are short-lived. So the arrivals of a
// user's feeds are cached in one row, which a process reads once, and writes if it had to read more than that costs.

const (
	arrivalsTTL = 7 * 24 * time.Hour
	// deltasWorth and deltasWorthKB are the number of deltas that justifies a write, which costs as much as five reads.
	deltasWorth, deltasWorthKB = 24, 2
	// mostStretches bounds what is cached: the newest of each feed.
	mostStretches = 100_000
	// maxArrivalsRead bounds the users of whom a process remembers that it has read their row.
	maxArrivalsRead = 4096
)

type countedKey struct{}

// countDeltas counts deltas that were read for a list of ids.
func countDeltas(ctx context.Context, n int) {
	if c, ok := ctx.Value(countedKey{}).(*atomic.Int64); ok {
		c.Add(int64(n))
	}
}

func arrivalsHash(u reader.UserID) string { return store.HashToken("arrivals " + string(u)) }

// withArrivals loads the cached arrivals of a user once. The function that it returns caches those that were read
// since.
func (s *Service) withArrivals(ctx context.Context, u reader.UserID,
	bar *sideBar) (counting context.Context, save func()) {
	if _, ok := s.arrivalsRead.Get(u); !ok {
		s.arrivalsRead.Put(u, true, 1)
		if packed, err := s.store.Cache.Get(ctx, arrivalsHash(u)); err == nil {
			s.unpackArrivals(packed)
		}
	}
	var read atomic.Int64
	return context.WithValue(ctx, countedKey{}, &read), func() {
		if read.Load() < deltasWorth || len(bar.all) < 2 { // else it is a list of one feed
			return
		}
		packed := reader.Deflate(nil, s.packArrivals(bar.all))
		if read.Load() >= int64(deltasWorth+deltasWorthKB*len(packed)>>10) {
			_ = s.store.Cache.PutFor(ctx, arrivalsHash(u), packed, arrivalsTTL) // what is not cached is read again
		}
	}
}

// packArrivals packs the arrivals that are in memory. Per feed: its number, the number of stretches, the first seq; per
// stretch: its length, and its minute as a difference.
func (s *Service) packArrivals(feeds []*Subscribed) (b []byte) {
	for _, x := range feeds {
		known, ok := s.arrivals.Get(x.id)
		if !ok {
			continue
		}
		list, from := known.list, known.from
		if more := len(list) - mostStretches/len(feeds); more > 0 {
			from, list = known.first(more), list[more:]
		}
		if len(list) == 0 {
			continue
		}
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.id)), uint64(len(list))),
			uint64(from))
		stamp := reader.Minute(0)
		for _, t := range list {
			b = binary.AppendVarint(binary.AppendUvarint(b, uint64(t.last+1-from)), int64(t.stamp)-int64(stamp))
			from, stamp = t.last+1, t.stamp
		}
	}
	return b
}

// unpackArrivals takes over what packArrivals packed, except for feeds that are in memory.
func (s *Service) unpackArrivals(packed []byte) {
	plain, err := store.Inflate(packed)
	if err != nil {
		return
	}
	for d := (&reader.Decoder{Rest: string(plain)}); !d.Done(); {
		id := reader.FeedID(d.Uvarint())
		list := make([]stretch, d.Count())
		a := arrivals{from: reader.Seq(d.Uvarint()), list: list}
		last, stamp := a.from-1, int64(0)
		for i := range list {
			last += reader.Seq(d.Uvarint())
			stamp += d.Varint()
			list[i] = stretch{last, reader.Minute(stamp)}
		}
		if d.Bad {
			return
		}
		if _, ok := s.arrivals.Get(id); !ok {
			s.arrivals.Put(id, a, 100+8*len(list))
		}
	}
}

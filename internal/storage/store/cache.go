package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// CacheTTL is how long a parsed feed stays in the table.
	CacheTTL = time.Hour
	// MaxCacheRow is how large a compressed parsed feed may be to be cached in the table: from here on even a hit
	// costs more than the raw body from the blob store and a parse (4 read units, 0.5 millionths of a dollar).
	MaxCacheRow = 32 << 10
)

type cacheRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	Body []byte `dynamo:"b"`
	TTL  int64  `dynamo:"ttl"`
}

// Cache keeps parsed and sanitised feeds, keyed by the hash of the raw body and of the parser's version.
type Cache struct {
	t     *table.Table
	clock clock.Clock
}

// Get gives the cached bytes; fault.NotFound when there are none or they expired.
func (s *Cache) Get(ctx context.Context, hash string) ([]byte, error) {
	var row cacheRow
	if err := s.t.Get(ctx, cacheKey(hash), &row); err != nil {
		return nil, err
	}
	return row.Body, nil
}

// Put caches bytes for an hour; larger ones than MaxCacheRow are silently not kept.
func (s *Cache) Put(ctx context.Context, hash string, body []byte) error {
	if len(body) > MaxCacheRow {
		return nil
	}
	return s.PutFor(ctx, hash, body, CacheTTL)
}

// MaxFetchedRow is how large a row may be that spares a stranger a request: as large as a row can be, with room.
const MaxFetchedRow = 350 << 10

// PutFor caches bytes for some time that cannot be had again without asking a stranger; larger ones than
// MaxFetchedRow are silently not kept.
func (s *Cache) PutFor(ctx context.Context, hash string, body []byte, ttl time.Duration) error {
	if len(body) > MaxFetchedRow {
		return nil
	}
	k := cacheKey(hash)
	return s.t.Put(ctx, cacheRow{PK: k.PK, SK: k.SK, Body: body, TTL: s.clock.Now().Add(ttl).Unix()})
}

package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

type cacheRow struct {
	rowKey
	Body []byte `dynamo:"b"`
	TTL  int64  `dynamo:"ttl"`
}

// Cache keeps parsed bodies and data fetched from other sites for a while, by a hash.
type Cache struct {
	t     *table.Table
	clock clock.Clock
}

// Get returns the cached bytes: NotFound when there are none, or when they have expired.
func (s *Cache) Get(ctx context.Context, hash string) ([]byte, error) {
	var row cacheRow
	if err := s.t.Get(ctx, cacheKey(hash), &row); err != nil {
		return nil, err
	}
	return row.Body, nil
}

// MaxFetchedRow bounds a row, which mostly saves a request to another site: nearly the largest row there can be.
const MaxFetchedRow = 350 << 10

// PutFor caches fetched bytes for ttl. More than MaxFetchedRow are not cached, which is no error.
func (s *Cache) PutFor(ctx context.Context, hash string, body []byte, ttl time.Duration) error {
	if len(body) > MaxFetchedRow {
		return nil
	}
	return put(ctx, s.t, cacheKey(hash), &cacheRow{Body: body, TTL: s.clock.Now().Add(ttl).Unix()})
}

// Forget removes what is cached.
func (s *Cache) Forget(ctx context.Context, hash string) error {
	return s.t.Delete(ctx, cacheKey(hash))
}

// maxCachedJSON bounds what a cached value may inflate to.
const maxCachedJSON = 2 << 20

// GetJSON reads a value that PutJSON cached, and reports whether there was one. Any fault is as if there were none.
func (s *Cache) GetJSON(ctx context.Context, hash string, v any) bool {
	packed, err := s.Get(ctx, hash)
	return err == nil && reader.UnpackJSON(packed, maxCachedJSON, v) == nil
}

// PutJSON caches a value for ttl, deflated. What cannot be cached has to be fetched or made again.
func (s *Cache) PutJSON(ctx context.Context, hash string, v any, ttl time.Duration) {
	if packed, err := reader.PackJSON(nil, v); err == nil {
		_ = s.PutFor(ctx, hash, packed, ttl)
	}
}

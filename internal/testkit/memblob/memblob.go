// Package memblob is a blob driver that keeps blobs in memory, for tests and simulations.
package memblob

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// Driver holds the blobs. Safe for concurrent use.
type Driver struct {
	// Light drops the bodies and keeps the keys, for runs of months.
	Light bool
	// Fail, when set, is called before each put; its error fails the put.
	Fail func(key string) error
	// Clock, when set, gives the time of modification.
	Clock clock.Clock
	// PerRequest is Gap; 0 is that of files.
	PerRequest int

	mu   sync.Mutex
	rows map[string]stored
}

type stored struct {
	body []byte
	meta blob.Meta
}

// New returns an empty driver.
func New() *Driver { return &Driver{rows: map[string]stored{}} }

// Keys returns all keys, sorted.
func (b *Driver) Keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.rows))
}

// Put implements blob.Driver.
func (b *Driver) Put(_ context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	if b.Fail != nil {
		if err := b.Fail(key); err != nil {
			return false, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.rows[key]; ok && ifAbsent {
		return false, nil
	}
	m.Size = int64(len(body))
	if b.Clock != nil {
		m.Modified = b.Clock.Now()
	}
	if b.Light {
		body = nil
	}
	b.rows[key] = stored{bytes.Clone(body), m}
	return true, nil
}

// Get implements blob.Driver.
func (b *Driver) Get(_ context.Context, key string, limit int64) ([]byte, blob.Meta, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.rows[key]
	if !ok {
		return nil, blob.Meta{}, fault.New(fault.NotFound, "blob_not_found", "memblob", nil)
	}
	if s.meta.Size > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", "memblob", nil)
	}
	return bytes.Clone(s.body), s.meta, nil
}

// GetRange implements blob.Driver.
func (b *Driver) GetRange(_ context.Context, key string, offset, n int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.rows[key]
	if !ok {
		return nil, fault.New(fault.NotFound, "blob_not_found", "memblob", nil)
	}
	size := int64(len(s.body))
	offset = min(offset, size)
	return bytes.Clone(s.body[offset:min(offset+n, size)]), nil
}

// Stat implements blob.Driver.
func (b *Driver) Stat(_ context.Context, key string) (blob.Meta, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.rows[key]
	if !ok {
		return blob.Meta{}, fault.New(fault.NotFound, "blob_not_found", "memblob", nil)
	}
	return s.meta, nil
}

// Delete implements blob.Driver.
func (b *Driver) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, key)
	return nil
}

// List implements blob.Driver.
func (b *Driver) List(_ context.Context, prefix, after string, limit int) (page []blob.Object, more bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []string
	for k := range b.rows {
		if strings.HasPrefix(k, prefix) && k > after {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys[:min(limit, len(keys))] {
		m := b.rows[k].meta
		page = append(page, blob.Object{Key: k, Size: m.Size, Modified: m.Modified})
	}
	return page, len(keys) > limit, nil
}

// Gap implements blob.Driver.
func (b *Driver) Gap() int { return cmp.Or(b.PerRequest, 16<<10) }

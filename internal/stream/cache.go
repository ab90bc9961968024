package stream

import "sync"

// cache holds values by key, up to a total weight; what would exceed it empties the cache first, and what exceeds it alone is
// not cached. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	most int

	mu     sync.Mutex
	weight int
	values map[K]weighed[V]
}

type weighed[V any] struct {
	value  V
	weight int
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, values: map[K]weighed[V]{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.values[key]
	return x.value, ok
}

func (c *cache[K, V]) put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if weight > c.most {
		return
	}
	c.weight += weight - c.values[key].weight
	if c.weight > c.most {
		clear(c.values)
		c.weight = weight
	}
	c.values[key] = weighed[V]{value, weight}
}

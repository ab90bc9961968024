// Package lru has a cache that forgets what was not used for longest.
package lru

import (
	"container/list"
	"sync"
)

// Cache holds values by key, up to a total weight. The least recently used ones make room, and a value heavier than the
// total is not cached. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int

	mu     sync.Mutex
	weight int
	used   *list.List // of *weighed[K, V], the one used last first
	values map[K]*list.Element
}

type weighed[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

// New makes a cache of values that together weigh so much at most.
func New[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: most, used: list.New(), values: map[K]*list.Element{}}
}

// Len is the number of values.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.values)
}

// Get returns a value, if it is there.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.values[key]
	if !ok {
		return value, false
	}
	c.used.MoveToFront(at)
	return at.Value.(*weighed[K, V]).value, true
}

// Put adds a value, or replaces it.
func (c *Cache[K, V]) Put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.values[key]; ok {
		c.remove(at)
	}
	if weight > c.most {
		return
	}
	for c.weight += weight; c.weight > c.most; {
		c.remove(c.used.Back())
	}
	c.values[key] = c.used.PushFront(&weighed[K, V]{key, value, weight})
}

func (c *Cache[K, V]) remove(at *list.Element) {
	x := c.used.Remove(at).(*weighed[K, V])
	c.weight -= x.weight
	delete(c.values, x.key)
}

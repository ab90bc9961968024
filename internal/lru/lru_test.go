package lru_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/lru"
)

// What was not used for longest makes room, and what is too heavy is not kept.
func TestCache(t *testing.T) {
	t.Parallel()
	c := lru.New[string, int](10)
	has := func(key string, want int) {
		t.Helper()
		if got, ok := c.Get(key); ok != (want > 0) || got != want {
			t.Errorf("%s: %d, %v; want %d", key, got, ok, want)
		}
	}
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	has("a", 1)
	c.Put("c", 3, 4) // b was not used for longest
	has("b", 0)
	has("a", 1)
	has("c", 3)
	c.Put("a", 4, 8) // heavier now: c makes room
	has("a", 4)
	has("c", 0)
	c.Put("a", 5, 11)
	has("a", 0)
	if n := c.Len(); n != 0 {
		t.Errorf("%d values are left", n)
	}
}

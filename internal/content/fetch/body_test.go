package fetch

import "testing"

// A pooled buffer has room for what was asked and at most half as much again: with 64 feeds in flight they are most of
// a crawl's memory.
func TestBuffersFit(t *testing.T) {
	t.Parallel()
	p := new(pools)
	for _, n := range []int{0, 1, smallBuffer, smallBuffer + 1, 25 << 10, 70 << 10, 100 << 10, 130 << 10, 700 << 10,
		800 << 10, 1 << 20} {
		size := cap(p.getBuffer(int64(n)).b)
		if size < n || size > max(smallBuffer, n+n/2) {
			t.Errorf("a buffer of %d for %d bytes", size, n)
		}
	}
	if last := bufferSize(bufferSizes - 1); last != 1<<20 {
		t.Errorf("the largest is %d", last)
	}
}

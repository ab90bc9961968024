package extract

import "strings"

// arena hands out strings cut from a few large ones, since a feed's strings live and die together.
type arena struct{ b strings.Builder }

// A channel's strings fit in the first chunk; items that are new need more.
const (
	firstChunk = 2 << 10
	arenaChunk = 8 << 10
)

// grow makes room for n bytes; earlier strings keep the old memory.
func (a *arena) grow(n int) {
	size := arenaChunk
	if a.b.Cap() == 0 {
		size = firstChunk
	}
	a.b = strings.Builder{}
	a.b.Grow(max(size, n))
}

// take makes a string of b.
func (a *arena) take(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if a.b.Cap()-a.b.Len() < len(b) {
		a.grow(len(b))
	}
	start := a.b.Len()
	a.b.Write(b)
	return a.b.String()[start:]
}

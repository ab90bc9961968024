package extract

import "strings"

// arena hands out strings cut from a few large ones, since a feed's strings live and die together.
type arena struct{ b strings.Builder }

const arenaChunk = 16 << 10

// take makes a string of b.
func (a *arena) take(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if a.b.Cap()-a.b.Len() < len(b) {
		a.b = strings.Builder{} // earlier strings keep the old memory
		a.b.Grow(max(arenaChunk, len(b)))
	}
	start := a.b.Len()
	a.b.Write(b)
	return a.b.String()[start:]
}

// takeString copies a string that points into something larger.
func (a *arena) takeString(v string) string {
	if v == "" {
		return ""
	}
	if a.b.Cap()-a.b.Len() < len(v) {
		a.b = strings.Builder{}
		a.b.Grow(max(arenaChunk, len(v)))
	}
	start := a.b.Len()
	a.b.WriteString(v)
	return a.b.String()[start:]
}

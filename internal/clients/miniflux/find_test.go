package miniflux

import (
	"net/url"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

// TestJoined: what is too old to be ordered is at the end, or at the beginning, of a list that is the other direction's
// reversed.
func TestJoined(t *testing.T) {
	t.Parallel()
	keys, rest := []key{{id: 7}, {id: 9}, {id: 8}}, []reader.ItemID{3, 2, 1}
	up := (&query{}).joined(keys, rest)
	slices.Reverse(keys)
	down := (&query{descending: true}).joined(keys, rest)
	if want := []reader.ItemID{1, 2, 3, 7, 9, 8}; !slices.Equal(up, want) {
		t.Errorf("ascending: %v, want %v", up, want)
	}
	slices.Reverse(down)
	if !slices.Equal(up, down) {
		t.Errorf("descending, reversed: %v, want %v", down, up)
	}
}

// TestPagesBeyondAll: a list that begins after any number of entries can be asked for.
func TestPagesBeyondAll(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"0", "4", "9223372036854775807", "9223372036854775808"} {
		q, err := parseQuery(url.Values{"offset": {n}, "direction": {"desc"}})
		if err != nil {
			t.Fatal(err)
		}
		if q.isKnown(make([]key, 50), 1, func(key, key) int { return 0 }) {
			t.Errorf("with the offset %s a page is known that was not read", n)
		}
	}
}

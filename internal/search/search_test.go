package search_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/search"
)

// Whatever has happened, a search finds all items that match, and nothing else, in order; also while segments are
// merged between its pages.
func TestSearchFindsWhatMatches(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		w := newWorld(t, seed)
		for range 1 + w.rnd.IntN(4) {
			w.feed()
		}
		for range 30 {
			w.step()
			r := w.randomRequest()
			w.compare("a random search", r, func(search.Result) {
				if len(w.list) > 1 && w.rnd.IntN(2) == 0 {
					w.put(1+w.rnd.IntN(3), nil)
				}
			})
		}
	}
}

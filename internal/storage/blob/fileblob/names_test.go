package fileblob

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/blob"
)

func TestFileOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 200)
	for key, want := range map[string]string{
		"a": "a@", "a/b": "a@b@", "a/b/c": "a/b@c@", "feeds/2026/11/21/x/y.gz": "feeds/2026/11/21/x@y.gz@",
		"a/" + long + "/" + long: "a/" + long + "/" + long + "@",
	} {
		if got := fileOf(key); got != want {
			t.Errorf("%s is the file %s, want %s", key, got, want)
		}
	}
}

// Keys of every depth that share beginnings are listed as a sorted list would be, from every prefix and after
// every key, whichever of them share a file name.
func TestListIsASortedList(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	b := blob.New(open(t, t.TempDir()))
	parts := []string{"a", "b", "a-b", "a.b", "ab", strings.Repeat("l", 180)}
	var keys []string
	for range 120 {
		key := parts[r.IntN(len(parts))]
		for range r.IntN(4) {
			if next := key + "/" + parts[r.IntN(len(parts))]; len(next) <= blob.MaxKey {
				key = next
			}
		}
		if err := b.Put(t.Context(), key, nil, blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	prefixes := map[string]bool{"": true, "x": true}
	for _, k := range keys {
		prefixes[k[:1+r.IntN(len(k))]] = true
		if i := strings.LastIndexByte(k, '/'); i > 0 {
			prefixes[k[:i]], prefixes[k[:i+1]] = true, true
		}
	}
	for prefix := range prefixes {
		var want, got []string
		for _, k := range keys {
			if strings.HasPrefix(k, prefix) {
				want = append(want, k)
			}
		}
		for cursor := ""; ; {
			page, next, err := b.List(t.Context(), prefix, cursor, 1+r.IntN(7))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range page {
				got = append(got, o.Key)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("under %q: %d keys %v, want %d %v", prefix, len(got), got, len(want), want)
		}
	}
}

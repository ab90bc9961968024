package search

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

// FuzzCursor: any text is a cursor of the search, which leads where its own form leads, or it is refused.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", "AQ", "!", "\xff", spot{}.encode(0), spot{titles, 0, -5, 77}.encode(7),
		spot{others, 0, 1 << 40, 1 << 52}.encode(7), spot{counted, 12, 5, 77}.encode(7)} {
		f.Add(s, uint32(7))
	}
	f.Fuzz(func(t *testing.T, cursor string, mark uint32) {
		s, err := decodeCursor(cursor, mark)
		if err != nil {
			if fault.CodeOf(err) != "bad_cursor" {
				t.Fatal(err)
			}
			return
		}
		if s.tier < byDate || s.tier > uncounted {
			t.Fatalf("%q leads to %+v", cursor, s)
		}
		if again, err := decodeCursor(s.encode(mark), mark); err != nil || again != s {
			t.Fatalf("%q leads to %+v, and what it stands for to %+v, %v", cursor, s, again, err)
		}
	})
}

package table

import (
	"testing"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
)

// FuzzCursor: a cursor gives its key back to its own query, and to no other.
func FuzzCursor(f *testing.F) {
	f.Add("p", "a#", "", "", "a#1", false, "x")
	f.Add("U#1", "", "a", "z", "日", true, "AQ")
	f.Fuzz(func(t *testing.T, pk, prefix, from, to, after string, desc bool, forged string) {
		q := Query{PK: pk, Prefix: prefix, From: from, To: to, Desc: desc}
		q.Cursor = forged
		r, err := (&Table{}).rangeOf(q)
		if err == nil && r.After != "" && !r.Contains(r.After) {
			t.Fatalf("the forged cursor %q leads out of the range to %q", forged, r.After)
		}
		q.Cursor = q.encodeCursor(after)
		r, err = (&Table{}).rangeOf(q)
		if err != nil {
			if fault.CodeOf(err) == "bad_cursor" && utf8.ValidString(after) && len(after) <= MaxSK && r.Contains(after) {
				t.Fatalf("its own cursor is refused: %v", err)
			}
			return
		}
		if r.After != after {
			t.Fatalf("after %q became %q", after, r.After)
		}
		if after == "" {
			return
		}
		for _, other := range []Query{
			{PK: pk + "x", Prefix: prefix, From: from, To: to, Desc: desc}, {PK: pk, Prefix: prefix, From: from, To: to, Desc: !desc},
			{PK: pk, Prefix: prefix, From: from + "a", To: to, Desc: desc}, {PK: pk, Prefix: prefix, From: to, To: from, Desc: desc},
		} {
			if other == (Query{PK: pk, Prefix: prefix, From: from, To: to, Desc: desc}) {
				continue
			}
			other.Cursor = q.Cursor
			if _, err := (&Table{}).rangeOf(other); err == nil {
				t.Fatalf("the cursor of %+v opens %+v", q, other)
			}
		}
	})
}

func TestSuccessor(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{"": "", "a": "b", "a#": "a$", "\xff": "", "a\xff\xff": "b", "é": "\xc3\xaa", "\U0010ffff": "\xf4\x8f\xbf\xc0"} {
		if got := successor(p); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
}

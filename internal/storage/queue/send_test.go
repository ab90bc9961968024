package queue

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBatchLen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes []int
		want  int
	}{
		"all":               {[]int{1, 2, 3}, 3},
		"ten":               {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 10},
		"eleven":            {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 10},
		"by bytes":          {[]int{MaxBody / 2, MaxBody / 2, 1}, 2},
		"the largest alone": {[]int{MaxBody, 1}, 1},
	} {
		var bodies [][]byte
		for _, n := range c.sizes {
			bodies = append(bodies, make([]byte, n))
		}
		if got := batchLen(bodies); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestCleanReasons(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "unknown", " \x00\n": "unknown", "a\nb\x00c": "a b c", "瑠\xff": "瑠?"} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	// Cut in the middle of a letter, the rest of it does not survive as garbage.
	if got := clean(strings.Repeat("瑠", 500)); len(got) > maxReason || !utf8.ValidString(got) {
		t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
	}
}

func FuzzReasonsAreSendable(f *testing.F) {
	f.Add("a\x00\uffff\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, s string) {
		if c := clean(s); !sendable([]byte(c)) || c == "" {
			t.Errorf("%q becomes %q", s, c)
		}
	})
}

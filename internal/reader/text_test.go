package reader_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/reader"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in           string
		n            int
		runes, bytes string
	}{
		{"", 0, "", ""}, {"abc", 0, "", ""}, {"abc", 2, "ab", "ab"}, {"abc", 3, "abc", "abc"}, {"abc", 9, "abc", "abc"},
		{"長い名", 2, "長い", ""}, {"長い名", 3, "長い名", "長"}, {"長い名", 5, "長い名", "長"}, {"a👩b", 4, "a👩b", "a"},
		{"a👩b", 5, "a👩b", "a👩"}, {"\x80\x80", 1, "\x80", ""},
	} {
		if r, b := reader.Cut(c.in, c.n), reader.CutBytes(c.in, c.n); r != c.runes || b != c.bytes {
			t.Errorf("%q cut to %d: %q, %q", c.in, c.n, r, b)
		}
	}
}

func FuzzCutBytes(f *testing.F) {
	f.Add("長い名", 4)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 0 {
			return
		}
		got := reader.CutBytes(s, n)
		if len(got) > n || !strings.HasPrefix(s, got) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q cut to %d: %q", s, n, got)
		}
	})
}

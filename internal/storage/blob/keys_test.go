package blob

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

//
func TestKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"a": true, "feeds/2026/11/21/ab-C_d/9f.gz": true, ".hidden": true, "a/.b": true, "-": true,
		strings.Repeat("a", 250): true, strings.Repeat("abcdefg/", 63) + "abcdefgh": true,
		"": false, "/a": false, "a/": false, "a//b": false, "a/../b": false, "..": false, "a..b": false, ".": false,
		"./a": false, "a/./b": false, "a/.": false, "a b": false, "é": false, "a\x00": false,
		"a\\b": false, "a@": false,
		strings.Repeat("a", 251): false, strings.Repeat("abcdefg/", 63) + "abcdefghi": false,
	} {
		if got := goodKey(key); got != want {
			t.Errorf("key %q: %v, want %v", key, got, want)
		}
	}
}

func TestEscapeRoundTrip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain/\"x\"": "plain/\"x\"", "": "", "日本": "%E6%97%A5%E6%9C%AC", " a b ": "%20a%20b%20",
		"100%": "100%25", "%41": "%2541", "a\r\nb": "a%0D%0Ab", "\xff": "%FF",
	} {
		if got := escape(in); got != want {
			t.Errorf("escape %q: %q, want %q", in, got, want)
		}
		if got := unescape(want); got != in {
			t.Errorf("unescape %q: %q, want %q", want, got, in)
		}
	}
	for _, odd := range []string{"%", "%4", "100%", "%zz", "%e6"} {
		if got := unescape(odd); got != odd {
			t.Errorf("unescape %q: %q, want it left alone", odd, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("日本 %41\x00")
	f.Fuzz(func(t *testing.T, s string) {
		e := escape(s)
		if unescape(e) != s || !headerValue(e) && len(e) <= 256 {
			t.Errorf("%q becomes %q and then %q", s, e, unescape(e))
		}
	})
}

//
func TestMetaLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m    Meta
		want fault.Kind
	}{
		"upper-case key":        {Meta{User: map[string]string{"ETag": "x"}}, fault.Invalid},
		"empty key":             {Meta{User: map[string]string{"": "x"}}, fault.Invalid},
		"line break in type":    {Meta{ContentType: "text/html\r\nX: y"}, fault.Invalid},
		"non-ASCII encoding":    {Meta{ContentEncoding: "gzíp"}, fault.Invalid},
		"too much once escaped": {Meta{User: map[string]string{"a": strings.Repeat("日", 300)}}, fault.TooLarge},
	} {
		if _, err := encodeMeta("test", c.m); !fault.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

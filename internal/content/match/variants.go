package match

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The variants of a sign that people type with one key, and the invisible characters between letters.

// isHidden reports whether a rune is not seen: a soft hyphen, a joiner, an order of direction, a selector of a variant.
func isHidden(r rune) bool {
	if r < 0x200b {
		return r == 0xad || r == 0x34f || r == 0x61c || 0x180b <= r && r <= 0x180f
	}
	return r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || 0xfe00 <= r &&
		r <= 0xfe0f || r == 0xfeff ||
		0xe0000 <= r && r <= 0xe01ef
}

// appendSeen appends the visible characters of a text before it is normalised: NFKC turns an acute accent into a space
// with a combining accent.
func appendSeen(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '´' || r == '\u0384' || r == '\u1fbd' || r == '\u1fbf' || r == '\u1ffd' || r == '\u1ffe':
			b = append(b, '\'')
		case !isHidden(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// Normal returns a text in NFKC without invisible characters, so that a query's parser need not know how characters
// were typed.
func Normal(s string) string { return string(norm.NFKC.Bytes(appendSeen(nil, s))) }

// variants are the signs that are written as others: also the letters that Persian keyboards have for two Arabic ones,
// and the digits of other scripts.
var variants = func() map[rune]rune {
	m := map[rune]rune{
		'`': '\'', 'ʹ': '\'', 'ʻ': '\'', 'ʼ': '\'', 'ʽ': '\'', '‘': '\'', '’': '\'', '‛': '\'', '′': '\'', '‵': '\'',
		'՚': '\'', '׳': '\'', 'ꞌ': '\'',
		'־': '-', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-', '֊': '-', '⁃': '-',
		'“': '"', '”': '"', '„': '"', '‟': '"', '〝': '"', '〞': '"', '〟': '"', '״': '"',
		'〜': '~', '∼': '~', '〰': '~', '⁄': '/', '∕': '/', '♯': '#', 'ی': 'ي', 'ک': 'ك',
	}
	for _, x := range unicode.Nd.R16[1:] { // in tens, behind those of ASCII
		for r := x.Lo; r <= x.Hi; r++ {
			m[rune(r)] = '0' + rune(r-x.Lo)%10
		}
	}
	return m
}()

// unwritten are the Hebrew and Arabic signs for vowels, and the stroke that makes an Arabic word longer.
var unwritten = &unicode.RangeTable{R16: []unicode.Range16{
	{0x591, 0x5bd, 1}, {0x5bf, 0x5bf, 1}, {0x5c1, 0x5c2, 1}, {0x5c4, 0x5c5, 1}, {0x5c7, 0x5c7, 1}, {0x610, 0x61a, 1},
	{0x640, 0x640, 1},
	{0x64b, 0x652, 1}, {0x656, 0x65f, 1}, {0x670, 0x670, 1}, {0x6d6, 0x6dc, 1}, {0x6df, 0x6e4, 1}, {0x6e7, 0x6e8, 1},
	{0x6ea, 0x6ed, 1},
}}

// sign returns the usual variant of a normalised rune; -1 for one that is left out.
func sign(r rune) rune {
	switch {
	case r > '`' && r < 0x2b9 || 0x2be <= r && r < 0x55a || 0x3030 < r && r < 0xa620 || r >= 0xac00:
		// most of what there is
		return r
	case unicode.Is(unwritten, r):
		return -1
	}
	if usual, ok := variants[r]; ok {
		return usual
	}
	return r
}

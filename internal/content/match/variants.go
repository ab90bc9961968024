package match

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The variants of a sign that people type with one key, and what is not seen between letters.

// isHidden reports whether a rune is not seen: a soft hyphen, a joiner, an order of direction, a selector of a variant.
func isHidden(r rune) bool {
	if r < 0x200b {
		return r == 0xad || r == 0x34f || r == 0x61c || 0x180b <= r && r <= 0x180f
	}
	return r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || 0xfe00 <= r && r <= 0xfe0f || r == 0xfeff ||
		0xe0000 <= r && r <= 0xe01ef
}

// appendSeen appends what is seen of a text, before it is normalised: NFKC makes a blank with an accent of an acute.
func appendSeen(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '´' || r == '\u1ffd':
			b = append(b, '\'')
		case !isHidden(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// Normal is a text by NFKC, without what is not seen: what is left to a query's parser of how characters were typed.
func Normal(s string) string { return string(norm.NFKC.Bytes(appendSeen(nil, s))) }

// sign returns the usual variant of a normalised rune; -1 for what is left out: Hebrew and Arabic signs for vowels, and
// the stroke that makes an Arabic word longer.
func sign(r rune) rune {
	switch {
	case r < 0x2b9:
		if r == '`' {
			return '\''
		}
	case r < 0x2010:
		switch {
		case r == 'ʹ' || r == 'ʻ' || r == 'ʼ' || r == 'ʽ':
			return '\''
		case r < 0x591 || r > 0x6ed:
		case r <= 0x5c7 && r != '־' && r != '׀' && r != '׃' && r != '׆', 0x610 <= r && r <= 0x61a, r == 0x640, 0x64b <= r && r <= 0x652,
			0x656 <= r && r <= 0x65f, r == 0x670, 0x6d6 <= r && r != 0x6dd && r != 0x6de && r != 0x6e5 && r != 0x6e6 && r != 0x6e9:
			return -1
		case r == '־':
			return '-'
		}
	case r <= 0x2015 || r == '−':
		return '-'
	case r < 0x2040:
		switch r {
		case '‘', '’', '‛', '′', '‵':
			return '\''
		case '“', '”', '„', '‟':
			return '"'
		}
	case r == '〜' || r == '∼' || r == '〰':
		return '~'
	case r == '〝' || r == '〞' || r == '〟':
		return '"'
	}
	return r
}

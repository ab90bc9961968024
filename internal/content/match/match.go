// Package match compares words with text, for rules and for searches. Both are folded first; a word of a script that
// separates words (Latin, Greek, Cyrillic, ...) begins where a word begins, one of a script that does not (Japanese,
// Chinese, Thai, ...) anywhere.
package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts that do not separate words, or join endings to them.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// IsWord reports whether a rune is part of words: a letter, number or mark of any script, an underscore, or a picture,
// which is a word by itself.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return isCJK(r) || isPicture(r) || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isPicture reports whether a rune is an emoji, or one of the signs in their blocks; stars, arrows and the like are
// signs of texts.
func isPicture(r rune) bool {
	switch {
	case r < 0x231a:
		return false
	case r < 0x2b56:
		return (r < 0x2400 || 0x2600 <= r && r <= 0x27bf && r != '★' && r != '☆' || r >= 0x2b1b) &&
			unicode.Is(unicode.S, r)
	}
	return 0x1f000 <= r && r < 0x1fb00
}

// Spaced reports whether a rune belongs to words that have boundaries. The marks of kana belong to no script.
func Spaced(r rune) bool {
	if r < utf8.RuneSelf {
		return IsWord(r)
	}
	if isCJK(r) || 0x3000 <= r && r <= 0x30ff {
		return false
	}
	return IsWord(r) && !isPicture(r) && !unicode.In(r, unspaced...)
}

// isCJK spares the usual letters of Chinese, Japanese and Korean the search in tables.
func isCJK(r rune) bool {
	return 0x3041 <= r && r <= 0x3096 || 0x30a1 <= r && r <= 0x30fe && r != '・' || 0x4e00 <= r && r <= 0x9fff ||
		0xac00 <= r && r <= 0xd7a3
}

// Find returns the first place of a folded word in folded text. The word must end where a word of the text ends, unless
// it is open.
func Find(text, word string, isOpen bool) (lo, hi int, ok bool) {
	if word == "" {
		return 0, 0, false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return 0, 0, false
		}
		lo, hi = at+i, at+i+len(word)
		if border(text, lo) && (isOpen || border(text, hi)) {
			return lo, hi, true
		}
		_, n := utf8.DecodeRuneInString(text[lo:])
		at = lo + n
	}
}

// border reports whether a word may begin or end at a place.
func border(text string, at int) bool {
	before, n := utf8.DecodeLastRuneInString(text[:at])
	after, m := utf8.DecodeRuneInString(text[at:])
	return n == 0 || m == 0 || !Spaced(before) || !Spaced(after)
}

package extract

import (
	"html"
	"unicode/utf8"
)

// maxEntity bounds the search for the ';' of a reference; the longest HTML name has 31 letters.
const maxEntity = 34

// appendEntity decodes the character reference at b[0] == '&' and returns the number of bytes read; 0 when
// it is no reference that XML or HTML define, so that the '&' stands for itself. References need their
// ';' ("&copy=1" in an address is no reference). Entities that a document declares are replaced before (dtd.go).
func appendEntity(dst, b []byte) ([]byte, int) {
	end := 0
	for i := 1; i < len(b) && i < maxEntity; i++ {
		c := b[i]
		if c == ';' {
			end = i
			break
		}
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '#' && i == 1) {
			return dst, 0
		}
	}
	if end < 2 {
		return dst, 0
	}
	name := b[1:end]
	if name[0] == '#' {
		return appendNumeric(dst, name[1:], end+1)
	}
	switch string(name) {
	case "lt":
		return append(dst, '<'), 4
	case "gt":
		return append(dst, '>'), 4
	case "amp":
		return append(dst, '&'), 5
	case "quot":
		return append(dst, '"'), 6
	case "apos":
		return append(dst, '\''), 6
	case "nbsp":
		return append(dst, "\u00a0"...), 6
	}
	src := string(b[:end+1])
	if out := html.UnescapeString(src); out != src && out[len(out)-1] != ';' {
		return append(dst, out...), end + 1
	}
	return dst, 0
}

// cp1252 has the characters that HTML makes of references to 0x80..0x9f (WHATWG, numeric character reference end
// state).
var cp1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// appendNumeric decodes the digits of a numeric reference. Code points that XML forbids vanish.
func appendNumeric(dst, digits []byte, n int) ([]byte, int) {
	base := rune(10)
	if len(digits) > 1 && (digits[0] == 'x' || digits[0] == 'X') {
		base, digits = 16, digits[1:]
	}
	if len(digits) == 0 {
		return dst, 0
	}
	var r rune
	for _, c := range digits {
		d := rune(99)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = rune(c-'A') + 10
		}
		if d >= base {
			return dst, 0
		}
		if r = r*base + d; r > utf8.MaxRune {
			return dst, n
		}
	}
	switch {
	case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r == 0x7f, r >= 0xd800 && r <= 0xdfff, r&0xfffe == 0xfffe:
		return dst, n
	case r >= 0x80 && r <= 0x9f:
		r = cp1252[r-0x80]
	}
	return utf8.AppendRune(dst, r), n
}

package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Line normalises one line of text (a name, a title): NFC, white space runs as one blank, trimmed. It is not good when
// nothing of it is visible, when it has more than `most` characters, or when it has control characters.
func Line(s string, most int) (line string, good bool) {
	line = norm.NFC.String(strings.Join(strings.Fields(s), " "))
	return line, Shows(line) && utf8.ValidString(line) && utf8.RuneCountInString(line) <= most &&
		!strings.ContainsFunc(line, unicode.IsControl)
}

// Shows reports whether anything of a text is visible: not white space, control and format characters, what Unicode
// allows to be invisible (Default_Ignorable_Code_Point: joiners, fillers, selectors), and the empty Braille cell alone.
func Shows(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\u2800' && !unicode.IsSpace(r) &&
			!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
				unicode.Variation_Selector)
	})
}

// Cut returns the first n characters of a text.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// CutBytes returns at most the first n bytes of a text, and no part of a character.
func CutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

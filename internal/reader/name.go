package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ruri-reader/ruri/internal/fault"
)

const maxNameRunes = 120

// Line normalises one line of text (a name, a title): NFC, white space runs as one blank, trimmed. It is not good when
// nothing of it is visible, when it has more than `most` characters, or when it has control characters.
func Line(s string, most int) (line string, good bool) {
	line = trim(s)
	return line, plain(line, most) && Shows(line)
}

func trim(s string) string { return norm.NFC.String(strings.Join(strings.Fields(s), " ")) }

func plain(s string, most int) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= most &&
		!strings.ContainsFunc(s, unicode.IsControl)
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

// Name is Line for a folder or a label.
func Name(s string) (string, error) {
	name, good := Line(s, maxNameRunes)
	if !good {
		return "", fault.Coded(fault.Invalid, "bad_name", maxNameRunes).At("name")
	}
	return name, nil
}

// keptName reports whether a name is normalised. It may be invisible: older versions accepted that.
func keptName(name string) bool { return trim(name) == name && plain(name, maxNameRunes) }

// NameFrom is Name for one from a file, without the characters that no name may have.
func NameFrom(s string) (string, error) { return Name(cleanName(s)) }

// CutName turns any text into a name: cut where it is too long; empty when nothing is visible.
func CutName(s string) string {
	s = cleanName(s)
	if cut := CutRunes(s, maxNameRunes); len(cut) < len(s) {
		s = strings.TrimSpace(cut)
	}
	if !Shows(s) {
		return ""
	}
	return s
}

// cleanName leaves out of a name from elsewhere what no name may contain. It may be empty, invisible or too long.
func cleanName(s string) string {
	return trim(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// CutRunes returns the first n runes of a text.
func CutRunes(s string, n int) string {
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

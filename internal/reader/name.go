package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ruri-reader/ruri/internal/fault"
)

const maxNameRunes = 120

// Line brings one line that a person writes (a name, a title) into the form that is kept: NFC, each run of white space
// one blank, none at the ends. It is not good where it shows nothing, is longer than that or holds control characters.
func Line(s string, most int) (line string, good bool) {
	line = trim(s)
	return line, plain(line, most) && Shows(line)
}

func trim(s string) string { return norm.NFC.String(strings.Join(strings.Fields(s), " ")) }

func plain(s string, most int) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

// Shows tells whether a text has anything to be seen: not white space, control and format characters, what Unicode lets
// be drawn as nothing (Default_Ignorable_Code_Point: joiners, fillers, selectors), and the empty Braille cell alone.
func Shows(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\u2800' && !unicode.IsSpace(r) &&
			!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// Name is Line for a folder or a label.
func Name(s string) (string, error) {
	name, good := Line(s, maxNameRunes)
	if !good {
		return "", fault.Newf(fault.Invalid, "bad_name", "A name has something to be seen, at most %d characters, and none that control.", maxNameRunes).At("name")
	}
	return name, nil
}

// keptName tells whether a name is in the form that is kept. One that shows nothing may be from before it was refused.
func keptName(name string) bool { return trim(name) == name && plain(name, maxNameRunes) }

// CutName makes a name of any text, as lists from elsewhere hold it: cut where it is too long; empty when nothing
// is left to be seen.
func CutName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = trim(s)
	n := 0
	for i := range s {
		if n++; n > maxNameRunes {
			s = strings.TrimSpace(s[:i])
			break
		}
	}
	if !Shows(s) {
		return ""
	}
	return s
}

package library

import (
	"strings"
	"unicode"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	maxNameRunes = 120
	// MaxTitle limits a person's own title of a feed, in characters.
	MaxTitle = 200
)

// Name is reader.Line for a folder or a label.
func Name(s string) (string, error) {
	name, good := reader.Line(s, maxNameRunes)
	if !good {
		return "", fault.Coded(fault.Invalid, "bad_name", maxNameRunes).At("name")
	}
	return name, nil
}

// isName reports whether a name is as Name returns it.
func isName(name string) bool {
	line, err := Name(name)
	return err == nil && line == name
}

// Title is reader.Line for a person's own title of a feed. Empty, it stands for the publisher's.
func Title(s string) (string, *fault.Error) {
	title, good := reader.Line(s, MaxTitle)
	if !good && title != "" {
		return "", fault.Coded(fault.Invalid, "bad_title", MaxTitle).At("title")
	}
	return title, nil
}

// CutName turns any text into a name: cut where it is too long; empty when nothing is visible.
func CutName(s string) string { return cutLine(s, maxNameRunes) }

// CutTitle turns any text into a title likewise.
func CutTitle(s string) string { return cutLine(s, MaxTitle) }

func cutLine(s string, most int) string {
	s = cleanName(s)
	if cut := reader.Cut(s, most); len(cut) < len(s) {
		s = strings.TrimSpace(cut)
	}
	if !reader.Shows(s) {
		return ""
	}
	return s
}

// cleanName leaves out of a name from elsewhere what no name may contain. It may be empty, invisible or too long.
func cleanName(s string) string {
	line, _ := reader.Line(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")), maxNameRunes)
	return line
}

package assist

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// mostAnswer bounds an answer in characters; what a model writes beyond is not read.
const mostAnswer = 6000

var (
	thought   = pattern.New(`(?is)<(think|thinking|reasoning)>.*?(</(think|thinking|reasoning)>|$)`)
	markup    = pattern.New(`(?s)<[a-zA-Z/!?][^<>]*(>|$)`)
	image     = pattern.New(`!\[[^\]]*\](\([^)]*(\)|$)|\[[^\]]*\])?`)
	link      = pattern.New(`\[([^\]]*)\](\([^)]*(\)|$)|\[[^\]]*\])`)
	address   = pattern.New(`(?i)\b([a-z][a-z0-9+.-]*://|data:|javascript:|mailto:|www\.)[!-~]*`)
	emphasis  = pattern.New("(\\*\\*|__|`+)")
	heading   = pattern.New(`(?m)^\s*(#{1,6}|>)\s+`)
	bullet    = pattern.New(`(?m)^\s*([*•・–]|\d{1,2}[.)])\s*`)
	emptyLine = pattern.New(`\s*\n\s*`)
)

// plain makes of a model's answer what may be shown: lines of text, some beginning with "- ". What articles can make a
// model write (links that carry data away, images, markup, invisible characters) is removed.
func plain(answer string) string {
	s := strings.ToValidUTF8(answer, "")
	s = thought.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t', r == '\r', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d', unicode.Is(unicode.Co, r):
			return -1 // of Cf: writing directions, tags, what joins nothing
		}
		return r
	}, s)
	// What one pass joins the next removes, so that nothing can hide in another thing; a few passes are enough for all
	// but what only wants to take long, and of that the brackets go.
	for range 4 {
		before := s
		for _, r := range []struct {
			of *pattern.Pattern
			by string
		}{{image, ""}, {link, "$1"}, {markup, ""}, {address, ""}} {
			s = r.of.ReplaceAllString(s, r.by)
		}
		if s == before {
			break
		}
	}
	s = emphasis.ReplaceAllString(s, "")
	s = heading.ReplaceAllString(s, "")
	s = bullet.ReplaceAllString(s, "- ")
	s = emptyLine.ReplaceAllString(strings.TrimSpace(s), "\n")
	s = strings.NewReplacer("<", "‹", ">", "›", "://", " ").Replace(s)
	if n := utf8.RuneCountInString(s); n > mostAnswer {
		s = string([]rune(s)[:mostAnswer])
	}
	return s
}

// settled is the part of an answer so far that later text does not change: without the end, which may be half a word,
// link or tag.
func settled(answer string) string {
	return plain(strings.TrimRightFunc(answer, func(r rune) bool {
		return r > ' ' && r < utf8.RuneSelf || r == utf8.RuneError
	}))
}

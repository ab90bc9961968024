package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Highlight is a text cut at its matches: alternately outside and inside of a match, beginning outside. It is nil where
// nothing matches.
type Highlight []string

// The excerpt of a text, in characters, and how many of them stand before its first match.
const (
	excerptLength = 160
	excerptBefore = 40
)

// Highlight marks the first match of each term in the title and in an excerpt: the snippet, or 160 characters of the
// text around its first match.
func (q *Query) Highlight(f *Folded) (title, text Highlight) {
	title = cut(f.title.plain, q.spans(&f.title, true))
	if text = cut(f.snippet.plain, q.spans(&f.snippet, false)); text == nil {
		text = excerpt(f.text.plain, q.spans(&f.text, false))
	}
	return title, text
}

// span is a match: bytes [from, to) of a text.
type span struct{ from, to int }

// spans returns the first match of each term in a text, in order, without overlaps.
func (q *Query) spans(x *text, isTitle bool) []span {
	var found []span
	for i := range q.Terms {
		t := &q.Terms[i]
		if t.Not || t.Field == Author || t.Field == Title && !isTitle {
			continue
		}
		if from, to, ok := t.locate(x); ok {
			found = append(found, span{startOf(x.plain, from), endOf(x.plain, to)})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return a.from - b.from })
	var out []span
	for _, x := range found {
		if last := len(out) - 1; last >= 0 && x.from <= out[last].to {
			out[last].to = max(out[last].to, x.to)
		} else {
			out = append(out, x)
		}
	}
	return out
}

func cut(s string, at []span) Highlight {
	if len(at) == 0 {
		return nil
	}
	out, done := make(Highlight, 0, 2*len(at)+1), 0
	for _, x := range at {
		out = append(out, s[done:x.from], s[x.from:x.to])
		done = x.to
	}
	return append(out, s[done:])
}

// excerpt is the text around its first match.
func excerpt(s string, at []span) Highlight {
	if len(at) == 0 {
		return nil
	}
	from := startOf(s, back(s, at[0].from, excerptBefore))
	to := forth(s, from, excerptLength)
	if to == len(s) {
		from = startOf(s, back(s, to, excerptLength))
	}
	if from > 0 { // whole words, where words are separated
		if blank := strings.IndexFunc(s[from:at[0].from], unicode.IsSpace); blank >= 0 {
			from += blank
		}
	}
	to = endOf(s, to)
	var within []span
	for _, x := range at {
		if x.from < to {
			within = append(within, span{x.from - from, min(x.to, to) - from})
		}
	}
	out := cut(s[from:to], within)
	if last := len(out) - 1; to < len(s) {
		out[last] = strings.TrimRightFunc(out[last], unicode.IsSpace) + "…"
	}
	if out[0] = strings.TrimLeftFunc(out[0], unicode.IsSpace); from > 0 {
		out[0] = "…" + out[0]
	}
	return out
}

// back and forth return the place n characters before or after one.
func back(s string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

func forth(s string, at, n int) int {
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// maxJoined bounds how far a position is moved to the edge of a displayed character.
const maxJoined = 32

// startOf and endOf move a position to the start or end of the displayed character that it is in.
func startOf(s string, at int) int {
	for n := 0; n < maxJoined && joined(s, at); n++ {
		at = back(s, at, 1)
	}
	return at
}

func endOf(s string, at int) int {
	for n := 0; n < maxJoined && joined(s, at); n++ {
		at = forth(s, at, 1)
	}
	return at
}

// joined reports whether the characters on both sides of a place are drawn as one: letters with marks, parts of Korean
// syllables, and emoji that are put together.
func joined(s string, at int) bool {
	before, n := utf8.DecodeLastRuneInString(s[:at])
	after, m := utf8.DecodeRuneInString(s[at:])
	const joiner = '\u200d'
	isFlag := func(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }
	return n > 0 && m > 0 && (unicode.IsMark(after) || after == joiner || before == joiner || 0x1160 <= after &&
		after <= 0x11ff ||
		0x1f3fb <= after && after <= 0x1f3ff || isFlag(before) && isFlag(after))
}

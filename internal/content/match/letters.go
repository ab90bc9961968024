package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stop is a full stop that was left out: where it was, in the text with it.
type stop struct{ from, size int }

// withoutStops leaves the full stops of abbreviations out, U.S.A. being USA: single letters with a full stop between
// each two, and perhaps one at the end, where no word stands before or behind.
func withoutStops(s string) (string, []stop) {
	var out strings.Builder
	var stops []stop
	done := 0
	wide := strings.Contains(s, "．")
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '.')
		if wide {
			i = strings.IndexAny(s[at:], ".．")
		}
		if i < 0 {
			break
		}
		i += at
		at = i + stopLen(s[i:])
		n := lastLetter(s[:i])
		if n == 0 || !isApart(s[:i-n]) {
			continue
		}
		end, some := abbreviation(s, i)
		if at = max(at, end); some == nil {
			continue
		}
		for _, x := range some {
			out.WriteString(s[done:x.from])
			done = x.from + x.size
		}
		stops = append(stops, some...)
	}
	if stops == nil {
		return s, nil
	}
	out.WriteString(s[done:])
	return out.String(), stops
}

// abbreviation reads on from the full stop after a single letter, and returns where it stopped and the full stops to be
// left out.
func abbreviation(s string, at int) (end int, stops []stop) {
	for letters := 1; ; letters++ {
		n := stopLen(s[at:])
		if n == 0 { // after a letter
			if !isEnd(s[at:]) {
				return at, nil
			}
			return at, stops
		}
		m := letterLen(s[at+n:])
		if m == 0 { // at the end, perhaps with a full stop
			if letters < 2 || !isEnd(s[at+n:]) {
				return at + n, nil
			}
			return at + n, append(stops, stop{at, n})
		}
		stops = append(stops, stop{at, n})
		at += n + m
	}
}

func stopLen(s string) int {
	for _, x := range [...]string{".", "．"} {
		if strings.HasPrefix(s, x) {
			return len(x)
		}
	}
	return 0
}

// isLetter reports whether a letter, as NFKC has it, may be part of an abbreviation: one that no accent is a part of.
func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || 'α' <= r && r <= 'ω' || 'Α' <= r && r <= 'Ω' || 'А' <= r &&
		r <= 'я' && r != 'й' && r != 'Й'
}

func letterLen(s string) int {
	if s == "" {
		return 0
	}
	if r, n, isPlain := decode(s); isPlain && isLetter(r) {
		return n
	}
	return 0
}

// lastLetter is the length of the letter that a text ends with.
func lastLetter(s string) int {
	_, n := utf8.DecodeLastRuneInString(s)
	return min(n, letterLen(s[len(s)-n:]))
}

// isApart reports whether a word may begin after a text, isEnd whether it ends before one. Next to an invisible
// character or a mark, it is not known.
func isApart(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n == 0 || stopLen(s[len(s)-n:]) == 0 && isBorder(r)
}

func isEnd(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == 0 || isBorder(r)
}

func isBorder(r rune) bool { return !Spaced(r) && !isHidden(r) && !unicode.IsMark(r) }

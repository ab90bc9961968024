package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold normalises text for comparing words: NFKC (full-width letters, half-width kana), case folded, white space runs as one blank.
func fold(s string) string {
	f := folding{b: make([]byte, 0, len(s)+8)}
	f.add(s)
	return string(f.b)
}

// folding folds text piece by piece; pieces must begin at boundaries of normalisation.
type folding struct {
	b     []byte
	blank bool // the last one was a blank
}

func (f *folding) add(s string) {
	if !ascii(s) {
		s = norm.NFKC.String(s)
	}
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !f.blank {
				f.b = append(f.b, ' ')
			}
			f.blank = true
			continue
		}
		f.blank = false
		f.b = utf8.AppendRune(f.b, foldCase(r))
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldCase is simple case folding; it also unifies letters such as the two small sigmas.
func foldCase(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// locate maps bytes [lo, hi) of the folded form of s back to bytes of s.
func locate(s string, lo, hi int) (from, to int) {
	f := folding{b: make([]byte, 0, len(s)+8)}
	from, to = -1, len(s)
	for i := 0; i < len(s); {
		n := norm.NFKC.NextBoundaryInString(s[i:], true)
		if n <= 0 {
			n = len(s) - i
		}
		f.add(s[i : i+n])
		if from < 0 && len(f.b) > lo {
			from = i
		}
		i += n
		if len(f.b) >= hi {
			to = i
			break
		}
	}
	return max(from, 0), to
}

// unspaced are the scripts that do not separate words, or join endings to them.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// spaced reports whether a rune belongs to words that have boundaries. The marks of kana belong to no script.
func spaced(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || r == '_'
	}
	if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
		return false
	}
	return (r < 0x3000 || r > 0x30ff) && !unicode.In(r, unspaced...)
}

// find returns the first place of a folded word in folded text.
func find(text, word string) (lo, hi int, ok bool) {
	if word == "" {
		return 0, 0, false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return 0, 0, false
		}
		lo, hi = at+i, at+i+len(word)
		if border(text, lo) && border(text, hi) {
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
	return n == 0 || m == 0 || !spaced(before) || !spaced(after)
}

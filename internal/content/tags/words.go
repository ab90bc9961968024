package tags

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWords limits the words of a phrase.
const maxWords = 3

// word is a word of a text that is written with spaces.
type word struct {
	text      string
	isName    bool // begins with a capital where that means something, or has one inside
	isStop    bool // names nothing
	isNumber  bool
	isEnd     bool // punctuation or a possessive follows
	isOpening bool // punctuation stands before it
}

// readWords finds candidates in a text that is written with spaces: words between stop words and punctuation. Where the
// writing shows names by capitals, a name is a phrase of its own.
func readWords(text string, add func(phrase string, score float64)) {
	words := split(text)
	markNames(words)
	for i := 0; i < len(words); {
		if words[i].isStop || words[i].isNumber {
			i++
			continue
		}
		end := i + 1
		for end < len(words) && words[end].follows(&words[end-1], end+1 < len(words) && words[end+1].isName) {
			end++
		}
		for end > i && words[end-1].isNumber {
			end--
		}
		phrasesOf(words[i:end], add)
		i = end
	}
}

// follows reports whether a word belongs to the phrase of the one before. A number does only between names: "iPhone 17
// Pro".
func (w *word) follows(before *word, isNameNext bool) bool {
	if before.isEnd || w.isOpening || w.isStop {
		return false
	}
	if w.isNumber {
		return before.isName && isNameNext && !w.isEnd
	}
	return before.isNumber || w.isName == before.isName
}

// phrasesOf hands on a run of words, cut from its end where it is long: what a phrase is about stands at its end.
func phrasesOf(run []word, add func(phrase string, score float64)) {
	for len(run) > 0 {
		n := len(run)
		if n > maxWords {
			n = 2
		}
		part := run[len(run)-n:]
		run = run[:len(run)-n]
		texts := make([]string, 0, n)
		for _, w := range part {
			texts = append(texts, w.text)
		}
		add(strings.Join(texts, " "), scoreOf(part))
	}
}

func scoreOf(part []word) float64 {
	score := 1.0
	if len(part) == 1 {
		switch n := utf8.RuneCountInString(part[0].text); {
		case n < 2 && !part[0].isName:
			return 0.05
		case n < 4 && !part[0].isName:
			score = 0.4
		default:
			score = 0.7
		}
	}
	if part[0].isName {
		score *= 1.3
	}
	return score
}

// split cuts a text into words. A word may have marks inside: Node.js, C++, AT&T, CI/CD, don't.
func split(text string) (words []word) {
	isOpening := false
	for _, field := range strings.Fields(text) {
		core := strings.TrimFunc(field, isMark)
		for len(core) > 0 {
			i := strings.IndexFunc(core, func(r rune) bool { return strings.ContainsRune("—–:;,()[]{}“”\"…", r) })
			part, rest := core, ""
			if i >= 0 {
				part, rest = core[:i], strings.TrimLeftFunc(core[i:], isMark)
			}
			at := strings.Index(field, part)
			w := word{text: part, isOpening: isOpening || at > 0, isEnd: i >= 0}
			if rest == "" {
				tail := field[at+len(part):]
				if strings.HasPrefix(tail, "+") || strings.HasPrefix(tail, "#") { // C++, C#
					mark := tail[:len(tail)-len(strings.TrimLeft(tail, "+#"))]
					w.text += mark
					tail = tail[len(mark):]
				}
				w.isEnd = tail != ""
			}
			for _, s := range []string{"'s", "’s"} {
				if cut, isPossessive := strings.CutSuffix(w.text, s); isPossessive {
					w.text, w.isEnd = cut, true
				}
			}
			w.isNumber = isNumber(w.text)
			w.isStop = isStopWord(strings.ToLower(w.text))
			if w.text != "" {
				words = append(words, w)
			}
			core, isOpening = rest, rest != ""
		}
		if strings.TrimFunc(field, isMark) == "" {
			isOpening = true // a dash between spaces
			if n := len(words); n > 0 {
				words[n-1].isEnd = true
			}
		}
	}
	return words
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isNumber reports whether a word is a number, a version or a measure: 2026, v1.24, 10x, 40%, 3rd.
func isNumber(s string) bool {
	s = strings.TrimLeft(s, "v$€£¥#'’")
	digits := 0
	for digits < len(s) &&
		(s[digits] >= '0' && s[digits] <= '9' || strings.IndexByte(".,-/:x", s[digits]) >= 0 && digits > 0) {
		digits++
	}
	return digits > 0 && (digits == len(s) || isUnit(s[digits:]))
}

// isUnit reports whether what follows digits makes them a measure.
func isUnit(s string) bool {
	const units = " % st nd rd th s am pm k m bn b kg g km cm mm gb mb tb kb gbps mbps ms mhz ghz hz fps w kw kwh " +
		"mah mp px pt in ft lb lbs mph km/h "
	// not 5G and 4K
	return strings.Contains(units, " "+strings.ToLower(s)+" ") && (len(s) > 1 || s != strings.ToUpper(s) || s == "%")
}

// markNames finds which words are names. Capitals mean nothing in a headline that capitalises each word or is in
// capitals altogether, and little at the beginning of a sentence.
func markNames(words []word) {
	capital, lower, upper := 0, 0, 0
	for i, w := range words {
		if isFirst(words, i) || w.isNumber || w.isStop && len(w.text) < 5 { // short ones are small in any headline
			continue
		}
		r, _ := utf8.DecodeRuneInString(w.text)
		switch {
		case !unicode.IsUpper(r):
			lower++
		case len(w.text) > 4 && strings.ToUpper(w.text) == w.text:
			upper++
			capital++
		default:
			capital++
		}
	}
	isShouted := upper > 1 && 2*upper > capital+lower
	isTitleCase := 3*lower < capital
	for i := len(words) - 1; i >= 0; i-- {
		w := &words[i]
		first, size := utf8.DecodeRuneInString(w.text)
		hasInner := strings.ContainsFunc(w.text[size:], func(r rune) bool {
			return unicode.IsUpper(r) || unicode.IsDigit(r)
		})
		switch {
		case w.isNumber:
		case isShouted:
			w.text = strings.ToLower(w.text)
		case isTitleCase:
			w.isName = true // all alike: no phrase ends where capitals do
		case isFirst(words, i):
			isAlone := w.isEnd || i+1 == len(words) || words[i+1].isStop || words[i+1].isNumber
			w.isName = unicode.IsUpper(first) && (hasInner || isAlone || words[i+1].isName)
		default:
			w.isName = unicode.IsUpper(first) || hasInner
			w.isStop = w.isStop && !(unicode.IsUpper(first) && !isCalendarWord(w.text)) // Go, Will Smith
		}
	}
}

func isFirst(words []word, i int) bool { return i == 0 || words[i-1].isEnd }

package tags

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// script is a kind of character in Japanese text.
type script byte

const (
	other script = iota // punctuation and other ends of a run
	hiragana
	kanji
	katakana
	latin
	number
)

// piece is a part of a text in one script.
type piece struct {
	script
	text string
}

// readJapanese finds candidates in Japanese text, which has no spaces: runs of kanji, katakana, Latin letters and
// digits. Particles and endings are in hiragana and end a run. A run is a candidate, and so are its parts between two
// scripts.
func readJapanese(text string, add func(phrase string, score float64)) {
	text = readTitles(text, add)
	pieces := joinWords(cut(text))
	for i := 0; i < len(pieces); {
		if pieces[i].script < kanji {
			i++
			continue
		}
		end := i + 1
		for end < len(pieces) && pieces[end].script >= kanji {
			end++
		}
		early := 1 - 0.15*float64(i)/float64(len(pieces))
		for _, run := range measured(pieces[i:end]) {
			readRun(run, func(phrase string, score float64) { add(phrase, score*early) })
		}
		i = end
	}
}

// readTitles finds the names of works, in 『』, and takes them out of the text.
func readTitles(text string, add func(phrase string, score float64)) string {
	for range 8 {
		before, rest, isOpen := strings.Cut(text, "『")
		title, after, isClosed := strings.Cut(rest, "』")
		if !isOpen || !isClosed {
			break
		}
		if n := utf8.RuneCountInString(title); n < 2 || n > 20 {
			text = before + "「" + title + "」" + after
			continue
		}
		add(title, 1)
		text = before + "、" + after
	}
	return text
}

// cut separates a text into pieces of one script.
func cut(text string) (pieces []piece) {
	runes := []rune(text)
	last := other
	start := 0
	end := func(i int) {
		if i > start {
			pieces = append(pieces, piece{last, string(runes[start:i])})
		}
		start = i
	}
	for i, r := range runes {
		s := scriptOf(r)
		if s == other && i > 0 && i+1 < len(runes) {
			before, after := last, scriptOf(runes[i+1])
			switch {
			case r == ' ' && (before == latin || before == number) && after == latin,
				strings.ContainsRune(".-+#/&'_", r) && (before == latin && after >= latin || before == number &&
					after == latin),
				strings.ContainsRune("+#", r) && before == latin:
				s = latin
			case r == '・' && before == katakana && after == katakana:
				s = katakana
			case strings.ContainsRune(".,/-:", r) && before == number && after == number:
				s = number
			}
		}
		if s == number && last == latin {
			s = latin // GPT4
		}
		if s == latin && last == number && unicode.IsLetter(r) {
			last = latin // 3D, 10GB
		}
		if s != last || s == other {
			end(i)
			last = s
		}
	}
	end(len(runes))
	return pieces
}

func scriptOf(r rune) script {
	switch {
	case r == '々' || r == 'ヶ' || r == 'ヵ' || r == '〆' || unicode.Is(unicode.Han, r):
		return kanji
	case r == 'ー' || unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.IsDigit(r):
		return number
	case unicode.IsLetter(r):
		return latin
	}
	return other
}

// joinWords puts words together whose inflection is written in hiragana: 使い方, 値上げ, 祭り.
func joinWords(pieces []piece) []piece {
	out := pieces[:0:0]
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		for p.script == kanji && i+1 < len(pieces) && pieces[i+1].script == hiragana {
			tail := pieces[i+1].text
			next := piece{}
			if i+2 < len(pieces) {
				next = pieces[i+2]
			}
			if next.script == kanji && (strings.Contains("きりちけえみびぎれ", tail) && utf8.RuneCountInString(tail) == 1 ||
				tail == "い" && strings.HasPrefix(next.text, "方")) {
				p.text += tail + next.text
				i += 2
				continue
			}
			r, size := utf8.DecodeRuneInString(tail)
			after, _ := utf8.DecodeRuneInString(tail[size:])
			if strings.ContainsRune("げりきみえけめれびぎ", r) &&
				(len(tail) == size && next.script <= other || strings.ContainsRune("をがはのにでとも", after)) {
				p.text += string(r)
				pieces[i+1].text = tail[size:]
				if len(tail) == size {
					i++
				}
			}
			break
		}
		out = append(out, p)
	}
	return out
}

// measured cuts a run at its numbers and takes the units away that follow them: 300万円, 10年ぶり, 5キロ.
func measured(run []piece) (runs [][]piece) {
	start := 0
	for i := range run {
		isMeasure := run[i].script == latin && isNumber(run[i].text)
		if run[i].script != number && !isMeasure {
			continue
		}
		if i > start {
			runs = append(runs, run[start:i])
		}
		start = i + 1
		if i+1 < len(run) && !isMeasure {
			next := &run[i+1]
			next.text = withoutUnit(next.text)
			if next.text == "" {
				start++
			}
		}
	}
	if start < len(run) {
		runs = append(runs, run[start:])
	}
	return runs
}

// withoutUnit takes a counter from the beginning of a text, and numerals in kanji before it.
func withoutUnit(s string) string {
	s = strings.TrimLeft(s, "十百千万億兆")
	for _, unit := range japaneseUnits {
		if rest, has := strings.CutPrefix(s, unit); has {
			return rest
		}
	}
	return s
}

// readRun hands on the parts of a run, and the whole.
func readRun(run []piece, add func(phrase string, score float64)) {
	whole, parts := "", 0
	for _, p := range run {
		part := core(p)
		if part != "" {
			add(part, lengthScore(p.script, utf8.RuneCountInString(part)))
		} else if p.script == kanji &&
			(p.text == "新" || !isJapaneseStop(p.text) && utf8.RuneCountInString(p.text) == 1) {
			part = p.text // クルーズ船, 新NISA
		}
		if part != "" {
			whole += part
			parts++
		}
	}
	if n := utf8.RuneCountInString(whole); parts > 1 && parts == len(run) && n <= 16 {
		add(whole, lengthScore(kanji, n))
	}
}

// core is a piece without the general words at its ends; empty if nothing is left that names something.
func core(p piece) string {
	s := p.text
	switch p.script {
	case latin:
		words := strings.Fields(s)
		for len(words) > 0 && (isStopWord(words[0]) || isNumber(words[0])) {
			words = words[1:]
		}
		for n := len(words); n > 0 && (isStopWord(words[n-1]) || isNumber(words[n-1])); n-- {
			words = words[:n-1]
		}
		s = strings.Join(words[:min(len(words), maxWords)], " ")
	case katakana:
		if isJapaneseStop(s) {
			return ""
		}
	default:
		for trimmed := true; trimmed; {
			trimmed = false
			if isJapaneseStop(s) {
				return ""
			}
			runes := []rune(s)
			for n := min(4, len(runes)-2); n >= 2 && !trimmed; n-- {
				head, tail := string(runes[:n]), string(runes[len(runes)-n:])
				switch {
				case isJapaneseStop(tail):
					s, trimmed = strings.TrimSuffix(s, tail), true
				case isJapaneseStop(head):
					s, trimmed = strings.TrimPrefix(s, head), true
				}
			}
		}
	}
	if utf8.RuneCountInString(s) < 2 {
		return ""
	}
	return s
}

// lengthScore grows with the length: long words say more.
func lengthScore(s script, n int) float64 {
	switch s {
	case latin:
		return min(1, 0.6+0.06*float64(n))
	case katakana:
		n-- // a katakana character says less
	}
	switch {
	case n <= 1:
		return 0.4
	case n == 2:
		return 0.6
	case n == 3:
		return 0.75
	case n == 4:
		return 0.9
	case n <= 12:
		return 1
	}
	return 0.8
}

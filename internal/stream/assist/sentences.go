package assist

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// KeySentences are sentences of an article, word for word, that stand for it.
type KeySentences struct {
	Sentences []string // in the article's order
	Of        int      // how many it has
}

const (
	// mostKey sentences are selected, one less of an article under shortArticle sentences, none under leastSentences.
	mostKey        = 3
	shortArticle   = 6
	leastSentences = 3
	// mostScored bounds the work: of longer articles, the beginning is scored.
	mostScored = 400
	// wordLimit bounds a sentence in characters: a longer one is a list without punctuation.
	wordLimit = 400
)

// keySentences selects by what the sentences say most (the words that the article and its title repeat), where they
// stand, and how they begin. The same article always gives the same ones.
func keySentences(title string, list []paragraph) KeySentences {
	var all []scored
	for _, p := range list {
		if !p.isProse {
			continue
		}
		for _, s := range split(p.text) {
			all = append(all, scored{text: s, terms: unique(terms(s))})
		}
	}
	out := KeySentences{Of: len(all)}
	if len(all) < leastSentences {
		return out
	}
	all = all[:min(len(all), mostScored)]
	weigh(title, all)
	want := mostKey
	if len(all) < shortArticle {
		want--
	}
	for _, i := range choose(all, want) {
		out.Sentences = append(out.Sentences, all[i].text)
	}
	return out
}

// scored is a sentence with its terms, each once.
type scored struct {
	text  string
	terms []string
	score float64
}

const titleWeight = 3 // a term of the title counts as if the article had it so often more

// weigh scores each sentence: the mean weight of its terms in the article, with more for those that say more, times
// what its place, length and beginning are worth.
func weigh(title string, all []scored) {
	in := map[string]float64{} // in how many sentences a term is
	for i := range all {
		for _, t := range all[i].terms {
			in[t]++
		}
	}
	for _, t := range unique(terms(title)) {
		in[t] += titleWeight
	}
	for i := range all {
		s := &all[i]
		for _, t := range s.terms {
			if in[t] > 1 {
				s.score += in[t]
			}
		}
		// Between the sum, which prefers long sentences, and the mean, which prefers short ones.
		s.score /= 4 + float64(len(s.terms))*0.75
		switch {
		case i == 0:
			s.score *= 1.4
		case i < 3, i == len(all)-1:
			s.score *= 1.1
		}
		switch n := width(s.text); {
		case n < 40:
			s.score *= 0.4
		case n > 280:
			s.score *= 0.7
		}
		if strings.HasSuffix(s.text, "?") || strings.HasSuffix(s.text, "？") {
			s.score *= 0.5
		}
		if refersBack(s.text) {
			s.score *= 0.7
		}
	}
}

// choose takes the best sentence, then each time the best one that repeats little of those taken, and returns their
// places in order.
func choose(all []scored, want int) []int {
	var taken []int
	said := map[string]bool{}
	for len(taken) < want {
		best, bestScore := -1, 0.0
		for i := range all {
			if slices.Contains(taken, i) || len(all[i].terms) == 0 {
				continue
			}
			repeated := 0
			for _, t := range all[i].terms {
				if said[t] {
					repeated++
				}
			}
			share := float64(repeated) / float64(len(all[i].terms))
			if score := all[i].score * (1 - share); score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			break
		}
		taken = append(taken, best)
		for _, t := range all[best].terms {
			said[t] = true
		}
	}
	slices.Sort(taken)
	return taken
}

// backward are beginnings of sentences that cannot be understood without the one before.
var backward = []string{"it ", "they ", "this ", "these ", "those ", "that ", "he ", "she ", "but ", "and ", "so ",
	"or ", "however", "instead", "then ", "also ", "which ", "これ", "それ", "その", "この", "あれ", "そこ", "しかし", "だが",
	"でも", "また", "一方", "ただ", "そして", "なお", "つまり", "さらに"}

func refersBack(s string) bool {
	begin := strings.ToLower(s[:min(len(s), 24)])
	return slices.ContainsFunc(backward, func(w string) bool { return strings.HasPrefix(begin, w) })
}

// split divides a paragraph into sentences: after 。！？ outside quotation marks, and after . ! ? before a space and
// what can begin a sentence.
func split(text string) []string {
	var out []string
	from, depth := 0, 0
	add := func(to int) {
		if s := strings.TrimSpace(text[from:to]); s != "" && utf8.RuneCountInString(s) <= wordLimit {
			out = append(out, s)
		}
		from = to
	}
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case '「', '『', '（':
			depth++
		case '」', '』', '）':
			depth = max(depth-1, 0)
		case '。', '！', '？', '．':
			if depth == 0 && !strings.HasPrefix(text[next:], "」") && !endsAgain(text[next:]) {
				add(next)
			}
		case '.', '!', '?':
			end := next + len(text[next:]) - len(strings.TrimLeft(text[next:], `"')”’»]`))
			if begins(text[end:]) && !(r == '.' && isAbbreviation(text[from:i])) {
				add(end)
			}
		}
	}
	add(len(text))
	return out
}

func endsAgain(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r == '。' || r == '！' || r == '？'
}

// begins reports whether a sentence can begin here: after a space, not with a small letter.
func begins(rest string) bool {
	if rest == "" || rest[0] != ' ' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, ` "'(“‘«[`))
	return !unicode.IsLower(r) && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

var abbreviations = []string{"mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "cf", "vol", "fig",
	"approx", "inc", "ltd", "co", "jr", "sr", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
	"nov", "dec"}

// isAbbreviation reports whether the last word before a full stop does not end a sentence: an abbreviation, or a single
// letter, as of a name.
func isAbbreviation(before string) bool {
	word := strings.ToLower(before[strings.LastIndexAny(before, " (“\"")+1:])
	if utf8.RuneCountInString(word[strings.LastIndexByte(word, '.')+1:]) == 1 && word != "i" {
		r, _ := utf8.DecodeLastRuneInString(word)
		return unicode.IsLetter(r) && r < unicode.MaxLatin1
	}
	return slices.Contains(abbreviations, word)
}

// common words say nothing about an article.
var common = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`a about after again all also an and any are as at be because been before being but by
		can could did do does down each even few for from had has have he her here him his how i if in into is it its just
		like made make many may me more most much my new no not now of on one only or other our out over own said same she
		should so some still such than that the their them then there these they this those through to too under up us very
		was we well were what when where which while who why will with would you your`) {
		words[w] = true
	}
	return words
}()

// terms are the words of a text that may say what it is about: of scripts without spaces, pairs of neighbouring kanji
// or katakana.
func terms(s string) []string {
	var list []string
	var word []rune
	isPaired := false
	end := func() {
		switch {
		case isPaired:
			for i := 1; i < len(word); i++ {
				list = append(list, string(word[i-1:i+1]))
			}
		case len(word) > 1:
			if w := strings.ToLower(string(word)); !common[w] {
				list = append(list, stem(w))
			}
		}
		word = word[:0]
	}
	for _, r := range s {
		paired := unicode.Is(unicode.Han, r) || unicode.Is(unicode.Katakana, r) || r == 'ー'
		isWord := paired || (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Hiragana, r)
		if !isWord || paired != isPaired {
			end()
		}
		if isWord {
			word, isPaired = append(word, r), paired
		}
	}
	end()
	return list
}

// stem takes a plural for its singular; more would need a language's rules.
func stem(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// width is the length of a text, in which characters of East Asia count twice.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x2E80 {
			n++
		}
	}
	return n
}

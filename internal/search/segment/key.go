package segment

import (
	"cmp"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Key is an index term: a number of 128 bits, so that a dictionary is a sorted list of numbers and a prefix is a range.
// Its first byte is the field (of package query) and the kind. Words of scripts that separate words are their first
// fifteen characters, a byte each: those of ASCII unchanged, others so that collisions only add candidates. Texts of
// other scripts are grams: each character with the next one, and the last one of a run alone, so that a single
// character is the range of its grams.
//
// Pairs are two words that follow one another and are not both short, as one of the numbers that all pairs share: a
// phrase is looked for in the few documents that have the numbers of its pairs.
type Key struct{ hi, lo uint64 }

// compare orders keys.
func (k Key) compare(o Key) int {
	if k.hi != o.hi {
		return cmp.Compare(k.hi, o.hi)
	}
	return cmp.Compare(k.lo, o.lo)
}

const (
	fieldShift = 58
	gramKind   = 1 << 56
	pairKind   = 2 << 56
	hiBytes    = 7
	wordBytes  = hiBytes + 8
	runeBits   = 24

	// pairNumbers is such that few texts of a thousand words have the number of a phrase by chance.
	pairNumbers = 1 << 16
	// eachLetters and pairLetters are the least letters of each word of a pair, and of both: shorter pairs ("of the")
	// are in most texts.
	eachLetters, pairLetters = 3, 7
)

func fieldKey(f query.Field) uint64 { return uint64(f) << fieldShift }

func gramKey(a, b rune) Key { return Key{hi: gramKind | uint64(a)<<runeBits | uint64(b)} }

// pairKey is the key of two words that follow one another.
func pairKey(a, b Key) Key {
	h := (a.hi*0x9e3779b97f4a7c15 ^ a.lo) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>29 ^ b.hi) * 0x94d049bb133111eb
	h = (h ^ h>>32 ^ b.lo) * 0x9e3779b97f4a7c15
	return Key{hi: pairKind | h>>32%pairNumbers}
}

// classes of runes.
const (
	noWord = iota
	wordRune
	gramRune
)

func class(r rune) int {
	switch {
	case match.Spaced(r):
		return wordRune
	case match.IsWord(r):
		return gramRune
	}
	return noWord
}

// asciiClass spares the usual characters a call.
var asciiClass = func() (t [utf8.RuneSelf]uint8) {
	for r := range t {
		t[r] = uint8(class(rune(r)))
	}
	return t
}()

func wordByte(r rune) uint64 {
	if r < utf8.RuneSelf {
		return uint64(r)
	}
	return uint64(r&0x7f | 0x80)
}

// word is a word that is being read, and the one before it.
type word struct {
	key     Key
	letters int
	before  Key // zero unless it may be the first of a pair
	had     int // its letters
}

// add adds a letter.
func (w *word) add(b uint64) {
	switch {
	case w.letters < hiBytes:
		w.key.hi |= b << (8 * (hiBytes - 1 - w.letters))
	case w.letters < wordBytes:
		w.key.lo |= b << (8 * (wordBytes - 1 - w.letters))
	}
	w.letters++
}

// end ends the word, and returns the key of its pair with the one before.
func (w *word) end() (pair Key, ok bool) {
	if w.letters >= eachLetters {
		if w.before != (Key{}) && w.had+w.letters >= pairLetters {
			pair, ok = pairKey(w.before, w.key), true
		}
		w.before, w.had = w.key, w.letters
	} else {
		w.before = Key{}
	}
	w.key, w.letters = Key{}, 0
	return pair, ok
}

// scan calls add for each index term of a folded text, as of the field query.Any. Terms may come several times.
func scan(folded []byte, add func(Key)) {
	var w word
	var before rune // in a run of grams
	end := func() {
		if w.letters > 0 {
			add(w.key)
			if pair, ok := w.end(); ok {
				add(pair)
			}
		}
		if before != 0 {
			add(gramKey(before, 0))
			before, w.before = 0, Key{}
		}
	}
	for i := 0; i < len(folded); {
		if c := folded[i]; c < utf8.RuneSelf {
			i++
			if asciiClass[c] == noWord {
				end()
				continue
			}
			if before != 0 {
				end()
			}
			w.add(uint64(c))
			continue
		}
		r, n := utf8.DecodeRune(folded[i:])
		i += n
		switch class(r) {
		case wordRune:
			if before != 0 {
				end()
			}
			w.add(wordByte(r))
		case gramRune:
			if before != 0 {
				add(gramKey(before, r))
			} else {
				end()
			}
			before = r
		default:
			end()
		}
	}
	end()
}

// Range is the index terms from Lo to Hi.
type Range struct{ Lo, Hi Key }

// In returns the range in another field; r is one of query.Any. Pairs are of all fields.
func (r Range) In(f query.Field) Range {
	if r.Lo.hi&pairKind == 0 {
		r.Lo.hi |= fieldKey(f)
		r.Hi.hi |= fieldKey(f)
	}
	return r
}

// Ranges returns ranges of index terms of the field query.Any: a document that a term of a query finds has an index
// term of each. Exact reports that the opposite is true as well. A term without letters has no ranges.
func Ranges(t *query.Term) (ranges []Range, exact bool) {
	folded := []rune(t.Index)
	exact = t.IsExact
	var w word
	for i := 0; i < len(folded); {
		kind, from := class(folded[i]), i
		for i++; i < len(folded) && class(folded[i]) == kind; i++ {
		}
		exact = exact && from == 0 && i == len(folded)
		switch run := folded[from:i]; {
		case kind == wordRune:
			isOpen := t.IsOpen && i == len(folded)
			for _, c := range run {
				w.add(wordByte(c))
			}
			r, isExact := wordRange(w.key, run, isOpen)
			ranges, exact = append(ranges, r), exact && isExact
			if pair, ok := w.end(); ok && !isOpen {
				ranges = append(ranges, Range{pair, pair})
			}
		case kind == gramRune && len(run) == 1:
			ranges = append(ranges, Range{gramKey(run[0], 0), gramKey(run[0], 1<<runeBits-1)})
			w = word{}
		case kind == gramRune:
			exact = exact && len(run) == 2
			for j := range run[1:] {
				key := gramKey(run[j], run[j+1])
				ranges = append(ranges, Range{key, key})
			}
			w = word{}
		}
	}
	return ranges, exact && len(ranges) == 1
}

// wordRange returns the index terms of a word, which the text's word may go on after if it is open.
func wordRange(key Key, letters []rune, isOpen bool) (r Range, exact bool) {
	n, isASCII := len(letters), true
	for _, c := range letters {
		isASCII = isASCII && c < utf8.RuneSelf
	}
	r = Range{key, key}
	if isOpen {
		if n < hiBytes {
			r.Hi.hi |= 1<<(8*(hiBytes-n)) - 1
		}
		r.Hi.lo |= 1<<(8*(wordBytes-max(min(n, wordBytes), hiBytes))) - 1
	}
	// Of more characters than a key has it is not known how the word goes on.
	return r, isASCII && (n < wordBytes || n == wordBytes && isOpen)
}

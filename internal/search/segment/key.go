package segment

import (
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// An index term is a number, so that a dictionary is a sorted list of numbers and a prefix is a range. Its first byte is the
// field (of package query) and whether it is a gram. Words of scripts that separate words are their first seven characters, a
// byte each: those of ASCII unchanged, others so that collisions only add candidates. Texts of other scripts are grams: each
// character with the next one, and the last one of a run alone, so that a single character is the range of its grams.
const (
	fieldShift = 57
	gramKind   = 1 << 56
	wordBytes  = 7
	runeBits   = 24
)

func fieldKey(f query.Field) uint64 { return uint64(f) << fieldShift }

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

// scan calls add for each index term of a folded text, as of the field query.Any. Terms may come several times.
func scan(folded []byte, add func(key uint64)) {
	word, shift := uint64(0), 8*wordBytes // of the next byte
	var before rune                       // in a run of grams
	end := func() {
		if shift < 8*wordBytes {
			add(word)
			word, shift = 0, 8*wordBytes
		}
		if before != 0 {
			add(gramKind | uint64(before)<<runeBits)
			before = 0
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
			if shift > 0 {
				shift -= 8
				word |= uint64(c) << shift
			}
			continue
		}
		r, n := utf8.DecodeRune(folded[i:])
		i += n
		switch class(r) {
		case wordRune:
			if before != 0 {
				end()
			}
			if shift > 0 {
				shift -= 8
				word |= wordByte(r) << shift
			}
		case gramRune:
			if before != 0 {
				add(gramKind | uint64(before)<<runeBits | uint64(r))
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
type Range struct{ Lo, Hi uint64 }

// In returns the range in another field; r is one of query.Any.
func (r Range) In(f query.Field) Range { return Range{r.Lo | fieldKey(f), r.Hi | fieldKey(f)} }

// Ranges returns ranges of index terms of the field query.Any: a document that a term of a query finds has an index term of
// each. Exact reports that the opposite is true as well. A term without letters has no ranges.
func Ranges(t *query.Term) (ranges []Range, exact bool) {
	folded := []rune(t.Index)
	exact = t.IsExact
	for i := 0; i < len(folded); {
		kind, from := class(folded[i]), i
		for i++; i < len(folded) && class(folded[i]) == kind; i++ {
		}
		exact = exact && from == 0 && i == len(folded)
		switch run := folded[from:i]; {
		case kind == wordRune:
			r, isExact := wordRange(run, t.IsOpen && i == len(folded))
			ranges, exact = append(ranges, r), exact && isExact
		case kind == gramRune && len(run) == 1:
			key := gramKind | uint64(run[0])<<runeBits
			ranges = append(ranges, Range{key, key | (1<<runeBits - 1)})
		case kind == gramRune:
			exact = exact && len(run) == 2
			for j := range run[1:] {
				key := gramKind | uint64(run[j])<<runeBits | uint64(run[j+1])
				ranges = append(ranges, Range{key, key})
			}
		}
	}
	return ranges, exact && len(ranges) == 1
}

// wordRange returns the index terms of a word, which the text's word may go on after if it is open.
func wordRange(word []rune, isOpen bool) (r Range, exact bool) {
	shift, isASCII := 8*wordBytes, true
	for _, c := range word[:min(len(word), wordBytes)] {
		shift -= 8
		r.Lo |= wordByte(c) << shift
		isASCII = isASCII && c < utf8.RuneSelf
	}
	r.Hi = r.Lo
	if isOpen {
		r.Hi |= 1<<shift - 1
	}
	// Of seven characters it is not known whether the word ends there.
	return r, isASCII && (len(word) < wordBytes || len(word) == wordBytes && isOpen)
}

package match

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// loosen adds a rune of the strict form as the form has it. It drops only marks that words continue over, so that words begin
// and end at the same places in all forms.
func (f *folding) loosen(r rune) {
	switch {
	case r < utf8.RuneSelf:
		f.b = append(f.b, byte(r))
		return
	case f.form == Strict:
	case 0x2e80 <= r && r < 0xa640: // has no diacritics
		if f.form == Kana {
			r = hiragana(r)
		}
	case 0xc0 <= r && r < latinEnd:
		r = bases()[r-0xc0]
	case 0x1e00 <= r && r < 0x1f00:
		r = bases()[r-0x1e00+latinEnd-0xc0]
	case 0x300 <= r && unicode.Is(unicode.Mn, r) && Spaced(r):
		if last, _ := utf8.DecodeLastRune(f.b); unicode.Is(unicode.Latin, last) {
			return
		}
	}
	f.b = utf8.AppendRune(f.b, r)
}

// hiragana turns katakana into hiragana, as far as there are some.
func hiragana(r rune) rune {
	if 0x30a1 <= r && r <= 0x30f6 || r == 'ヽ' || r == 'ヾ' {
		r -= 'ア' - 'あ'
	}
	return r
}

// latinEnd is the end of the first block of accented Latin letters; the second is U+1E00 to U+1EFF.
const latinEnd = 0x250

// stroked are letters whose stroke is no mark for Unicode, but a diacritic for who types the word without it.
var stroked = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ŧ': 't'}

// bases has the letters without diacritics of the two blocks.
var bases = sync.OnceValue(func() []rune {
	var out []rune
	for _, block := range [][2]rune{{0xc0, latinEnd}, {0x1e00, 0x1f00}} {
		for r := block[0]; r < block[1]; r++ {
			base := r
			if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil {
				base, _ = utf8.DecodeRune(d)
			}
			if plain, ok := stroked[base]; ok {
				base = plain
			}
			out = append(out, base)
		}
	}
	return out
})

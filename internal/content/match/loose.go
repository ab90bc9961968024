package match

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// loosen adds a rune of the strict form as the form has it. It drops only marks that words continue over, so that words
// begin and end at the same places in all forms.
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
	case 0x1e00 <= r && r < 0x2000:
		r = bases()[r-0x1e00+accentedEnd-0xc0]
	case (0x300 <= r && r < 0x370 || r >= 0x483) && unicode.Is(unicode.Mn, r) && Spaced(r):
		last, _ := utf8.DecodeLastRune(f.b)
		if unicode.IsLetter(last) && unicode.In(last, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			return
		}
	case 0xc0 <= r && r < accentedEnd:
		switch r = bases()[r-0xc0]; r { // written as two letters where a keyboard lacks them
		case 'æ', 'œ':
			f.b = append(f.b, "ao"[r&1], 'e') // æ is even
			return
		case 'þ':
			f.b = append(f.b, "th"...)
			return
		}
	case 0x622 <= r && r < 0x6d3:
		if usual, ok := arabic[r]; ok {
			r = usual
		}
	}
	f.b = utf8.AppendRune(f.b, r)
}

// hiragana replaces katakana by the corresponding hiragana, where there is one.
func hiragana(r rune) rune {
	if 0x30a1 <= r && r <= 0x30f6 || r == 'ヽ' || r == 'ヾ' {
		r -= 'ア' - 'あ'
	}
	return r
}

// accentedEnd is the end of the first block of accented letters, Latin, Greek and Cyrillic; the second is U+1E00 to
// U+1FFF.
const accentedEnd = 0x460

// stroked are letters whose stroke or missing dot is no mark for Unicode, but a diacritic for who types the word
// without it.
var stroked = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ŧ': 't', 'ı': 'i', 'ð': 'd', 'ŋ': 'n'}

// arabic are letters that are usually typed without their signs, or as another letter of the same form.
var arabic = map[rune]rune{
	'آ': 'ا', 'أ': 'ا', 'إ': 'ا', 'ٱ': 'ا', 'ى': 'ي', 'ے': 'ي',
	'ة': 'ه', 'ۀ': 'ه', 'ہ': 'ه', 'ۂ': 'ه', 'ھ': 'ه', 'ە': 'ه', 'ۃ': 'ه',
}

// lettered are Cyrillic letters of their own, although Unicode takes them apart.
const lettered = "йїўѓќ"

// bases has the letters without diacritics of the two blocks.
var bases = sync.OnceValue(func() []rune {
	var out []rune
	for _, block := range [][2]rune{{0xc0, accentedEnd}, {0x1e00, 0x2000}} {
		for r := block[0]; r < block[1]; r++ {
			base := r
			if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil &&
				!strings.ContainsRune(lettered, r) {
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

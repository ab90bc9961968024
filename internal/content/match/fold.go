package match

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Form is a way to fold text for comparing words. Texts that are equal in one form are equal in every later one.
type Form uint8

// The forms.
const (
	// Strict is NFKC (full-width letters, half-width kana), case folded, with runs of white space as one blank, and the
	// signs that share a key as one: apostrophes, hyphens. Invisible characters are left out (variants.go), and so are
	// the full stops of abbreviations (letters.go).
	Strict Form = iota
	// Loose is Strict, and letters of the Latin, Greek, Cyrillic and Arabic scripts lose their diacritics; ligatures
	// are two letters.
	Loose
	// Kana is Loose, and katakana become hiragana. The index of searches is made of it.
	Kana
)

// MaxFolded is the length of a text's strict form that is compared, in bytes; every form ends at the same place of the
// text.
const MaxFolded = 128 << 10

// scratch is where texts are folded: a search folds hundreds of articles.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// Fold folds text.
func (f Form) Fold(s string) string {
	b := scratch.Get().(*[]byte)
	defer scratch.Put(b)
	*b = f.AppendFold((*b)[:0], s)
	return string(*b)
}

// AppendFold appends what Fold returns to an empty slice, whose memory it reuses.
func (f Form) AppendFold(b []byte, s string) []byte {
	s, _ = withoutStops(s)
	x := folding{form: f, b: b}
	x.add(s)
	return x.b
}

// Loosen turns the strict form of a text into this one.
func (f Form) Loosen(strict string) string {
	x := folding{form: f, b: make([]byte, 0, len(strict))}
	for _, r := range strict {
		x.loosen(r)
	}
	return string(x.b)
}

// folding folds text piece by piece; pieces must begin at boundaries of normalisation.
type folding struct {
	form  Form
	b     []byte
	n     int  // bytes of the strict form
	blank bool // the last one was a blank
	full  bool // the strict form has MaxFolded bytes
	norm  []byte
	seen  []byte
}

func (f *folding) add(s string) {
	for i := 0; i < len(s) && !f.full; {
		n := f.ascii(s[i:])
		if n == 0 {
			n = f.cjk(s[i:])
		}
		if n == 0 {
			n = f.plain(s[i:])
		}
		if n > 0 {
			i += n
			continue
		}
		n = pieceLen(s[i:])
		f.seen = appendSeen(f.seen[:0], s[i:i+n])
		f.norm = norm.NFKC.Append(f.norm[:0], f.seen...)
		for b := f.norm; len(b) > 0; {
			r, n := utf8.DecodeRune(b)
			f.put(r)
			b = b[n:]
		}
		i += n
	}
}

// asciiFold has each ASCII character in lower case, and white space as a blank.
var asciiFold = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		t[c] = byte(foldCase(rune(c)))
		if isSpace(rune(c)) {
			t[c] = ' '
		}
	}
	t['`'] = '\''
	return t
}()

// asciiBlank is 1 for white space.
var asciiBlank = func() (t [utf8.RuneSelf]uint8) {
	for c := range t {
		if asciiFold[c] == ' ' {
			t[c] = 1
		}
	}
	return t
}()

// ascii adds the ASCII characters that a text begins with, all but one that the next character may change, and returns
// how many bytes they take. The text from MaxFolded on is left to plain.
func (f *folding) ascii(s string) int {
	fits := s[:min(len(s), MaxFolded-f.n)]
	n := 0
	for n < len(fits) && fits[n] < utf8.RuneSelf {
		n++
	}
	if n < len(s) {
		n--
	}
	if n <= 0 {
		return 0
	}
	begin := len(f.b)
	b := slices.Grow(f.b, n)[:begin+n]
	out, end, blank := b[begin:], 0, 0
	if f.blank {
		blank = 1
	}
	for i := range n { // without a branch, which at the ends of words nothing foretells
		c := s[i] & (utf8.RuneSelf - 1)
		out[end] = asciiFold[c] // a further blank is written over
		is := int(asciiBlank[c])
		end += 1 - is&blank
		blank = is
	}
	f.n += end
	f.b, f.blank = b[:begin+end], blank == 1
	return n
}

// cjk does the same for letters of Chinese, Japanese and Korean and their usual punctuation.
func (f *folding) cjk(s string) int {
	fits := s[:min(len(s), MaxFolded-f.n)]
	n, last := 0, 0
	for n < len(fits) {
		r, m := utf8.DecodeRuneInString(fits[n:])
		if !isCJK(r) && (r < 0x3001 || r > 0x3011) {
			break
		}
		n, last = n+m, m
	}
	if n < len(s) {
		n -= last
	}
	if n == 0 {
		return 0
	}
	if f.form == Kana {
		b := f.b
		for _, r := range s[:n] {
			b = utf8.AppendRune(b, hiragana(r))
		}
		f.b = b
	} else {
		f.b = append(f.b, s[:n]...)
	}
	f.n, f.blank = f.n+n, false
	return n
}

// plain adds the plain runes that a text begins with, all but one that what follows may change, and returns how many
// bytes they take.
func (f *folding) plain(s string) int {
	done := 0
	r, n, isPlain := decode(s)
	for isPlain && !f.full {
		rest := s[done+n:]
		if rest == "" {
			f.put(r)
			return len(s)
		}
		next, m, nextPlain := decode(rest)
		if !nextPlain && r != utf8.RuneError || done > 0 &&
			(r < utf8.RuneSelf && next < utf8.RuneSelf || isCJK(r) && isCJK(next)) {
			break // the rest is for NFKC, or for ascii or cjk
		}
		f.put(r)
		done += n
		r, n, isPlain = next, m, nextPlain
	}
	return done
}

// put adds a rune of the normalised text.
func (f *folding) put(r rune) {
	if isSpace(r) {
		if f.blank {
			return
		}
		r = ' '
	}
	if r >= utf8.RuneSelf || r == '`' {
		if r == 'ß' || r == 'ẞ' {
			f.put('s')
			r = 's'
		}
		if r = sign(r); r < 0 {
			return
		}
	}
	r, f.blank = foldCase(r), r == ' '
	if f.n += utf8.RuneLen(r); f.n > MaxFolded {
		f.full = true
		return
	}
	f.loosen(r)
}

func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || '\t' <= r && r <= '\r'
	}
	return r <= 0x3000 && unicode.IsSpace(r)
}

// foldCase is simple case folding; it also unifies letters such as the two small sigmas.
func foldCase(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if 0x2e80 <= r && r < 0xa640 { // most of Chinese and Japanese has no case
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

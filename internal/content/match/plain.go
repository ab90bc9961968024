package match

import "unicode/utf8"

// plainRanges are runes that NFKC leaves alone, whatever stands before them: those of usual text, in order.
var plainRanges = [...][2]rune{
	// Latin
	{0x00, 0x9f}, {0xc0, 0x131}, {0x134, 0x13e}, {0x141, 0x148}, {0x14a, 0x17e}, {0x180, 0x1c3}, {0x1cd, 0x1f0},
	{0x1f4, 0x2af},
	{0x388, 0x38a}, {0x38c, 0x38c}, {0x38e, 0x3a1}, {0x3a3, 0x3cf}, {0x400, 0x482}, {0x48a, 0x52f}, // Greek, Cyrillic
	{0x5d0, 0x5ea}, {0x621, 0x64a}, {0x904, 0x939}, // Hebrew, Arabic, Devanagari
	{0xe01, 0xe30}, {0xe32, 0xe32}, {0xe40, 0xe46}, // Thai
	{0x1e00, 0x1e99}, {0x1e9c, 0x1eff}, // more Latin
	{0x2012, 0x2016}, {0x2018, 0x2023}, {0x2190, 0x21ff}, {0x2500, 0x27bf}, // signs
	// Chinese, Japanese, Korean
	{0x3001, 0x3029}, {0x3041, 0x3096}, {0x30a1, 0x30fe}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3},
	{utf8.RuneError, utf8.RuneError}, // also for each broken byte, behind which norm would not go on
	{0x1f300, 0x1faff}, {0x20000, 0x2a6df},
}

// plain returns what NFKC makes of a rune that it turns into one rune, whatever stands before it; false for every rune
// that is not known to be like that. Asking the tables of norm costs more than all the rest of folding.
func plain(r rune) (rune, bool) {
	switch {
	case isCJK(r):
		return r, true
	case 0xff01 <= r && r <= 0xff5e:
		return r - 0xff01 + '!', true
	case r == 0x3000:
		return ' ', true
	}
	for i := range plainRanges {
		if r <= plainRanges[i][1] {
			return r, r >= plainRanges[i][0]
		}
	}
	return 0, false
}

// decode returns the first rune of a text as NFKC has it, if it is a plain one, and how many bytes it takes.
func decode(s string) (r rune, n int, isPlain bool) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1, true
	}
	r, n = utf8.DecodeRuneInString(s)
	r, isPlain = plain(r)
	return r, n, isPlain
}

// pieceLen is the length of the piece that a text begins with, which is normalised alone: one plain rune, or everything
// up to the next one. A rune that is not plain may change the plain one before it.
func pieceLen(s string) int {
	r, n, _ := decode(s)
	for n < len(s) && r != utf8.RuneError {
		_, m, isPlain := decode(s[n:])
		if isPlain {
			break
		}
		n += m
	}
	return n
}

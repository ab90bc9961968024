package extract

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// sniffSample bounds how much of a body is decoded to guess at its charset.
const sniffSample = 16 << 10

// sniff guesses the charset of bytes that are not UTF-8 and declare nothing that fits. A candidate must
// decode without error; among those the one with the most characters of its language wins. It is sure of Japanese
// with its kana, which no text in another charset looks like.
func sniff(body []byte) (best encoding.Encoding, sure bool) {
	// scripts and styles may fill the beginning
	sample := body[max(0, bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })):]
	if len(sample) > sniffSample {
		sample = sample[:sniffSample]
		if i := bytes.LastIndexByte(sample, '<'); i > 0 {
			sample = sample[:i] // do not cut a character in two
		}
	}
	candidates := []struct {
		enc   encoding.Encoding
		score func(rune) int
	}{
		{japanese.ShiftJIS, japaneseScore},
		{japanese.EUCJP, japaneseScore},
		{korean.EUCKR, koreanScore},
		{simplifiedchinese.GBK, chineseScore},
		{traditionalchinese.Big5, chineseScore},
	}
	best = charmap.Windows1252
	bestScore := 0
	for _, c := range candidates {
		out := run(c.enc, sample)
		if bytes.Contains(out, []byte("\ufffd")) {
			continue
		}
		score, n := 0, 0
		for _, r := range string(out) {
			if r >= 0x80 {
				score += c.score(r)
				n++
			}
		}
		// A lone accented letter before an ASCII letter also reads as a double byte: ask for some text.
		if n >= 3 && score > bestScore && score*2 >= n {
			best, bestScore = c.enc, score
			sure = (best == japanese.ShiftJIS || best == japanese.EUCJP) && score*2 >= n*3
		}
	}
	return best, sure
}

// Kana are half of Japanese text and rare in misreadings; misreadings have half-width kana instead.
func japaneseScore(r rune) int {
	switch {
	case r >= 0x3040 && r <= 0x30ff:
		return 3
	case r >= 0xff61 && r <= 0xff9f:
		return -2
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3000 && r <= 0x303f, r >= 0xff01 && r <= 0xff5e:
		return 1
	}
	return -1
}

// The syllables that Microsoft added to EUC-KR are rare in Korean and frequent in misreadings.
func koreanScore(r rune) int {
	if r < 0xac00 || r > 0xd7a3 {
		return -1
	}
	if b, err := korean.EUCKR.NewEncoder().Bytes([]byte(string(r))); err != nil || b[0] <= 0xa0 || b[1] <= 0xa0 {
		return -1
	}
	return 2
}

func chineseScore(r rune) int {
	if r >= 0x4e00 && r <= 0x9fff || r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff5e {
		return 1
	}
	return -1
}

// countUTF8 counts the multi-byte sequences of UTF-8 in a body, and the bytes that fit nowhere; a cut at the very end
// is none.
func countUTF8(b []byte) (good, bad int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			if i >= len(b)-3 && !utf8.FullRune(b[i:]) {
				break
			}
			bad++
		} else {
			good++
		}
		i += n
	}
	return good, bad
}

// mendUTF8 makes UTF-8 valid. A stray byte between letters of ASCII is one of windows-1252, pasted in from elsewhere;
// what else is wrong becomes U+FFFD, once in a row.
func mendUTF8(b []byte) []byte {
	out := make([]byte, 0, len(b)+64)
	for i, broken := 0, false; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			out, broken = append(out, b[i:i+n]...), false
		case isStray(b, i):
			out, broken = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(b[i])), false
		case !broken:
			out, broken = append(out, "\ufffd"...), true
		}
		i += n
	}
	return out
}

// isStray reports whether the byte at i is a character of windows-1252. Most of those that begin a character of UTF-8
// are rather the rest of one that was cut.
func isStray(b []byte, i int) bool {
	before, after := byte(' '), byte(' ')
	if i > 0 {
		before = b[i-1]
	}
	if i+1 < len(b) {
		after = b[i+1]
	}
	if before >= utf8.RuneSelf || after >= utf8.RuneSelf || charmap.Windows1252.DecodeByte(b[i]) < 0xa0 {
		return false
	}
	switch c := b[i]; {
	case c < 0xc0:
		return true
	case c == 0xc2 || c == 0xc3 || c == 0xe2:
		return false
	}
	return isLetter(before) || isLetter(after)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

func hasThreeByte(b []byte) bool {
	return slices.ContainsFunc(b, func(c byte) bool { return c >= 0xe0 })
}

// hasISO2022JP looks for the escape sequences that switch to a Japanese set (RFC 1468).
func hasISO2022JP(b []byte) bool {
	return bytes.Contains(b, []byte("\x1b$B")) || bytes.Contains(b, []byte("\x1b$@")) ||
		bytes.Contains(b, []byte("\x1b(J"))
}

func isDoubleByte(e encoding.Encoding) bool {
	return e == simplifiedchinese.GBK || e == simplifiedchinese.GB18030 || e == korean.EUCKR ||
		e == traditionalchinese.Big5 || e == japanese.EUCJP
}

func isMultiByte(e encoding.Encoding) bool { return isDoubleByte(e) || e == japanese.ShiftJIS }

// isSingleByteDefault names the charsets that web servers add to text types without knowing.
func isSingleByteDefault(e encoding.Encoding) bool {
	return e == charmap.Windows1252 || e == charmap.ISO8859_1 || e == charmap.ISO8859_15
}

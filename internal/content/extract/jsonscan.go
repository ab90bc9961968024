package extract

import (
	"bytes"
	"encoding/hex"
	"unicode/utf16"
	"unicode/utf8"
)

// Results of the JSON walkers in place of a position.
const (
	jsonCut  = -1 // the document ends inside the value
	jsonBad  = -2 // not JSON (RFC 8259)
	jsonDeep = -3 // nested deeper than maxJSONDepth
)

// maxJSONDepth bounds recursion; JSON Feed needs 5 levels, publishers' extensions a few more.
const maxJSONDepth = 100

// skipSpace returns the position of the next byte that is no white space; len(b) at the end.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// jsonEnd returns the position after the value at b[i].
func jsonEnd(b []byte, i, depth int) int {
	if i >= len(b) {
		return jsonCut
	}
	if depth > maxJSONDepth {
		return jsonDeep
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{':
		return eachMember(b, i, depth, nil)
	case '[':
		return eachElement(b, i, depth, nil)
	}
	j := i
	for j < len(b) && (b[j] >= '0' && b[j] <= '9' || b[j]|0x20 >= 'a' && b[j]|0x20 <= 'z' || b[j] == '-' ||
		b[j] == '+' || b[j] == '.') {
		j++
	}
	if j >= len(b) {
		return jsonCut
	}
	switch string(b[i:min(j, i+5)]) {
	case "true", "false", "null":
		return j
	}
	if j == i || b[i] != '-' && (b[i] < '0' || b[i] > '9') {
		return jsonBad
	}
	return j
}

// stringEnd returns the position after the string at b[i] == '"'.
func stringEnd(b []byte, i int) int {
	for j := i + 1; ; {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return jsonCut
		}
		j += k
		if b[j-1] != '\\' {
			return j + 1
		}
		n := 0
		for p := j - 1; p > i && b[p] == '\\'; p-- {
			n++
		}
		j++
		if n%2 == 0 {
			return j
		}
	}
}

// eachMember walks the object at b[i] == '{' and returns the position after it. visit gets each key without
// its quotes and where the value begins; it returns the value's end, or 0 to have it skipped.
func eachMember(b []byte, i, depth int, visit func(key []byte, start int) int) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) {
			return jsonCut
		}
		if b[i] != '"' {
			return jsonBad
		}
		k := stringEnd(b, i)
		if k < 0 {
			return k
		}
		key := b[i+1 : k-1]
		if i = skipSpace(b, k); i >= len(b) {
			return jsonCut
		}
		if b[i] != ':' {
			return jsonBad
		}
		i = skipSpace(b, i+1)
		end := 0
		if visit != nil {
			end = visit(key, i)
		}
		if end == 0 {
			end = jsonEnd(b, i, depth+1)
		}
		if end < 0 {
			return end
		}
		var done bool
		if i, done = afterValue(b, end, '}'); done || i < 0 {
			return i
		}
	}
}

// firstKey returns the first key of the object at b[i] == '{', without its quotes; nil when there is none.
func firstKey(b []byte, i int) (key []byte) {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '"' {
		if end := stringEnd(b, i); end > 0 {
			key = b[i+1 : end-1]
		}
	}
	return key
}

func isNumber(key []byte) bool {
	return len(key) > 0 && len(bytes.Trim(key, "0123456789")) == 0
}

// eachElement walks the array at b[i] == '['.
func eachElement(b []byte, i, depth int, visit func(start int) int) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		end := 0
		if visit != nil && i < len(b) {
			end = visit(i)
		}
		if end == 0 {
			end = jsonEnd(b, i, depth+1)
		}
		if end < 0 {
			return end
		}
		var done bool
		if i, done = afterValue(b, end, ']'); done || i < 0 {
			return i
		}
	}
}

// afterValue reads the comma or the closing bracket after a value.
func afterValue(b []byte, i int, closing byte) (next int, done bool) {
	i = skipSpace(b, i)
	switch {
	case i >= len(b):
		return jsonCut, false
	case b[i] == closing:
		return i + 1, true
	case b[i] != ',':
		return jsonBad, false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == closing {
		return jsonBad, false // a trailing comma
	}
	return i, false
}

// appendJSON decodes the inside of a JSON string, up to about limit bytes, and returns the number of bytes
// read. Halves of surrogate pairs and escapes that JSON does not have become U+FFFD and themselves.
func appendJSON(dst, raw []byte, limit int) ([]byte, int) {
	i, stop := 0, len(dst)+limit
	for i < len(raw) && len(dst) < stop {
		k := bytes.IndexByte(raw[i:], '\\')
		if k < 0 {
			k = len(raw) - i
		}
		if k > stop-len(dst) {
			k = stop - len(dst)
			for k < len(raw)-i && !utf8.RuneStart(raw[i+k]) {
				k++
			}
		}
		dst = append(dst, raw[i:i+k]...)
		i += k
		if i+1 >= len(raw) {
			return dst, len(raw) // a lone backslash at the end, if anything
		}
		if raw[i] != '\\' {
			continue
		}
		if raw[i+1] == 'u' {
			r, n := unicodeEscape(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		dst = append(dst, simpleEscape(raw[i+1]))
		i += 2
	}
	return dst, min(i, len(raw))
}

func simpleEscape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b', 'f':
		return ' '
	}
	return c
}

// unicodeEscape decodes \uXXXX at b[0], or a surrogate pair of two.
func unicodeEscape(b []byte) (rune, int) {
	r, ok := hex4(b)
	if !ok {
		return utf8.RuneError, 2
	}
	if !utf16.IsSurrogate(r) {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\r' {
			r = ' '
		}
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if r2, ok := hex4(b[6:]); ok {
			if pair := utf16.DecodeRune(r, r2); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return utf8.RuneError, 6
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 {
		return 0, false
	}
	var v [2]byte
	_, err := hex.Decode(v[:], b[2:6])
	return rune(v[0])<<8 | rune(v[1]), err == nil
}

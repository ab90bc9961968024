package match

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Locate maps bytes [lo, hi) of the folded form of s back to bytes of s.
func (f Form) Locate(s string, lo, hi int) (from, to int) {
	s, stops := withoutStops(s)
	from, to = f.locate(s, lo, hi)
	for _, at := range stops {
		if at.from <= from {
			from += at.size
		}
		if at.from < to {
			to += at.size
		}
	}
	return from, to
}

func (f Form) locate(s string, lo, hi int) (from, to int) {
	x := folding{form: f, b: make([]byte, 0, len(s)+8)}
	from = -1
	isNear := false
	for i := 0; i < len(s); {
		if n := strideLen(s[i:]); n > 0 && !isNear {
			was := x
			if x.add(s[i : i+n]); len(x.b) <= lo && len(x.b) < hi {
				i += n
				continue
			}
			x, isNear = was, true
		}
		n := pieceLen(s[i:])
		was := x
		x.add(s[i : i+n])
		if len(x.b) > lo || len(x.b) >= hi {
			at := i
			for _, p := range was.parts(s[i:i+n], x.b[len(was.b):]) {
				if from < 0 && len(was.b)+p.folded > lo {
					from = at
				}
				at = i + p.plain
				if len(was.b)+p.folded >= hi {
					return max(from, 0), at
				}
			}
		}
		i += n
	}
	return max(from, 0), len(s)
}

// stride is the number of bytes that are folded at once as long as the place is far.
const stride = 256

// strideLen is the length of some pieces together, about a stride; 0 if there are not that many, or one does not end
// there.
func strideLen(s string) int {
	if len(s) <= stride {
		return 0
	}
	n := stride
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if _, _, isPlain := decode(s[n:]); !isPlain {
		return 0
	}
	return n
}

// part is the end of a part of a piece: in the text, and in its folded form.
type part struct{ plain, folded int }

// parts cuts a piece at the boundaries of normalisation within it. A piece whose parts fold to something else stays
// whole: NFKC cuts long runs of marks.
func (f *folding) parts(s string, folded []byte) []part {
	x := folding{form: f.form, n: f.n, blank: f.blank, full: f.full}
	var out []part
	for i := 0; i < len(s); {
		n := norm.NFKC.NextBoundaryInString(s[i:], true)
		if n <= 0 {
			n = len(s) - i
		}
		x.add(s[i : i+n])
		i += n
		out = append(out, part{i, len(x.b)})
	}
	if len(out) == 1 || !bytes.Equal(x.b, folded) {
		return []part{{len(s), len(folded)}}
	}
	return out
}

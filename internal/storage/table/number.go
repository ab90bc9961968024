package table

import (
	"cmp"
	"math/big"
	"strings"
)

// Numbers are DynamoDB's: decimal, up to 38 significant digits, 1E-130 to 9.99…E+125. The seam keeps
// them in one canonical text, the plain decimal form that the service returns, so that no driver's
// spelling shows.

const maxDigits = 38

// decimal is sign, significant digits without zeros at either end, and the exponent of the first digit
// (d.ddd × 10^exp). No digits means zero.
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// plainInt recognises the commonest canonical form without parsing: an integer of up to 19 digits.
func plainInt(s string) bool {
	d := strings.TrimPrefix(s, "-")
	if d == "" || len(d) > 19 || d[0] == '0' && (len(d) > 1 || len(s) > 1) {
		return false
	}
	for i := range len(d) {
		if d[i] < '0' || d[i] > '9' {
			return false
		}
	}
	return true
}

func parseDecimal(s string) (decimal, bool) {
	var d decimal
	if s == "" || len(s) > 200 {
		return d, false
	}
	switch s[0] {
	case '-':
		d.neg = true
		s = s[1:]
	case '+':
		s = s[1:]
	}
	mantissa, exp, ok := cutExponent(s)
	if !ok {
		return d, false
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	all := whole + frac
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return d, false
	}
	d.digits = strings.TrimLeft(all, "0")
	d.exp = exp + len(whole) - 1 - (len(all) - len(d.digits))
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, len(d.digits) <= maxDigits && d.exp >= -130 && d.exp <= 125
}

func cutExponent(s string) (mantissa string, exp int, ok bool) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, 0, true
	}
	e := s[i+1:]
	sign := 1
	if e != "" && (e[0] == '-' || e[0] == '+') {
		if e[0] == '-' {
			sign = -1
		}
		e = e[1:]
	}
	if e == "" || len(e) > 4 {
		return "", 0, false
	}
	for _, c := range []byte(e) {
		if c < '0' || c > '9' {
			return "", 0, false
		}
		exp = exp*10 + int(c-'0')
	}
	return s[:i], sign * exp, true
}

// String gives the canonical text.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	switch n := len(d.digits); {
	case d.exp < 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -d.exp-1))
		b.WriteString(d.digits)
	case d.exp >= n-1:
		b.WriteString(d.digits)
		b.WriteString(strings.Repeat("0", d.exp-n+1))
	default:
		b.WriteString(d.digits[:d.exp+1])
		b.WriteByte('.')
		b.WriteString(d.digits[d.exp+1:])
	}
	return b.String()
}

// size is DynamoDB's storage of a number: two digits to a byte, aligned at the decimal point, one byte
// more, and one for the sign.
func (d decimal) size() int {
	n := len(d.digits)
	if n == 0 {
		return 1
	}
	size := 1 + (n+1)/2
	if n%2 == 0 && d.exp%2 == 0 {
		size++
	}
	if d.neg {
		size++
	}
	return size
}

func (d decimal) cmp(o decimal) int {
	switch a, b := d.sign(), o.sign(); {
	case a != b:
		return cmp.Compare(a, b)
	case a == 0:
		return 0
	}
	c := cmp.Compare(d.exp, o.exp)
	if c == 0 {
		c = strings.Compare(d.digits, o.digits)
	}
	if d.neg {
		c = -c
	}
	return c
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// plus adds an integer; false when the sum needs more than 38 digits, which DynamoDB refuses.
func (d decimal) plus(n int64) (decimal, bool) {
	if d.digits == "" {
		return parseDecimal(big.NewInt(n).String())
	}
	shift := len(d.digits) - 1 - d.exp // digits behind the point (negative: zeros before it)
	a, _ := new(big.Int).SetString(d.digits, 10)
	if d.neg {
		a.Neg(a)
	}
	b := big.NewInt(n)
	ten := big.NewInt(10)
	if shift > 0 {
		b.Mul(b, new(big.Int).Exp(ten, big.NewInt(int64(shift)), nil))
	} else {
		a.Mul(a, new(big.Int).Exp(ten, big.NewInt(int64(-shift)), nil))
		shift = 0
	}
	sum := a.Add(a, b)
	text := sum.String()
	out, ok := parseDecimal(text)
	if out.digits != "" {
		out.exp -= shift
	}
	return out, ok
}

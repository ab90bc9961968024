package table

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNumberSizes(t *testing.T) {
	t.Parallel()
	// DynamoDB developer guide, "Item sizes": about one byte per two significant digits, and one more.
	for s, want := range map[string]int{
		"0": 1, "1": 2, "10": 2, "12": 2, "123": 3, "1234": 3, "100": 2, "1.2": 3, "-5": 3, "0.5": 2, "12345678901234567890123456789012345678": 20,
	} {
		if got, _, err := checkNumber(s); got != want || err != nil {
			t.Errorf("%s: %d bytes (%v), want %d", s, got, err, want)
		}
	}
}

// Both ways of sizing a number, with and without parsing, agree.
func TestPlainIntegersAsParsed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		s := big.NewInt(int64(rnd.Uint64()) >> rnd.UintN(64)).String()
		d, ok := parseDecimal(s)
		n, text, err := checkNumber(s)
		if !ok || err != nil || text != s || d.String() != s || n != d.size() {
			t.Fatalf("%s: %d %q %v; parsed %q %d", s, n, text, err, d, d.size())
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.50", "1e10", "-12.5E-3", ".5", "5.", "1e125", "1e-130", "00012", "9.9e999"} {
		f.Add(s, int64(7))
	}
	f.Fuzz(func(t *testing.T, s string, n int64) {
		d, ok := parseDecimal(s)
		want, valid := new(big.Rat).SetString(s)
		if !ok {
			return
		}
		if !valid || strings.ContainsAny(s, "/_xXpPbBoO") {
			t.Fatalf("%q is no number", s)
		}
		text := d.String()
		got, valid := new(big.Rat).SetString(text)
		if !valid || got.Cmp(want) != 0 {
			t.Fatalf("%q became %q", s, text)
		}
		if again, ok := parseDecimal(text); !ok || again != d {
			t.Fatalf("%q is not canonical: %+v, %+v", text, d, again)
		}
		other, _ := parseDecimal(big.NewInt(n).String())
		if d.cmp(other) != want.Cmp(new(big.Rat).SetInt64(n)) || other.cmp(d) != -d.cmp(other) {
			t.Fatalf("%q against %d: %d", s, n, d.cmp(other))
		}
		if sum, ok := d.plus(n); ok {
			have, _ := new(big.Rat).SetString(sum.String())
			if have.Cmp(want.Add(want, new(big.Rat).SetInt64(n))) != 0 {
				t.Fatalf("%q + %d = %q", s, n, sum)
			}
		}
	})
}

package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// Rows hold strings, integers (int64), floats (float64), bytes, booleans and flat lists of these.

// checkItem validates attributes, makes numbers canonical, and returns the row's DynamoDB size and expiry.
func checkItem(item Item) (size int, ttl int64, err error) {
	for name, av := range item {
		if name == "" || len(name) > 64<<10 || !utf8.ValidString(name) {
			return 0, 0,
				fault.Newf(fault.Invalid, "bad_attribute", "attribute name %.40q is empty, too long or not UTF-8", name)
		}
		item[name] = canonicalValue(av)
		n, err := valueSize(item[name])
		if err != nil {
			return 0, 0, fault.New(fault.Invalid, "bad_attribute", "attribute "+name, err)
		}
		size += len(name) + n
	}
	if ttl, err = ttlOf(item); err != nil {
		return 0, 0, err
	}
	if size > MaxRow {
		return size, ttl, tooLarge(size)
	}
	return size, ttl, nil
}

// canonicalValue returns a value with canonical numbers. A changed value is new, as the caller may share the given one.
func canonicalValue(av types.AttributeValue) types.AttributeValue {
	switch v := av.(type) {
	case *types.AttributeValueMemberN:
		if text, ok := canonicalNumber(v.Value); ok && text != v.Value {
			return &types.AttributeValueMemberN{Value: text}
		}
	case *types.AttributeValueMemberL:
		for i, e := range v.Value {
			if c := canonicalValue(e); c != e {
				list := slices.Clone(v.Value)
				for j := i; j < len(list); j++ {
					list[j] = canonicalValue(list[j])
				}
				return &types.AttributeValueMemberL{Value: list}
			}
		}
	}
	return av
}

func tooLarge(size int) error {
	return fault.Newf(fault.TooLarge, "row_too_large", "the row has %d bytes; %d are allowed", size, MaxRow)
}

func ttlOf(item Item) (int64, error) {
	av, ok := item[TTLAttr]
	if !ok {
		return 0, nil
	}
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return 0, fault.Newf(fault.Invalid, "bad_ttl", "ttl must be a number of Unix seconds")
	}
	ttl, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || ttl < 0 {
		return 0, fault.Newf(fault.Invalid, "bad_ttl", "ttl must be a whole number of Unix seconds, not %.40q", n.Value)
	}
	return ttl, nil
}

type badValue string

func (b badValue) Error() string { return string(b) }

// valueSize validates a value and returns its size by DynamoDB's formula.
func valueSize(av types.AttributeValue) (size int, err error) {
	list, ok := av.(*types.AttributeValueMemberL)
	if !ok {
		return scalarSize(av)
	}
	size = 3
	for _, e := range list.Value {
		n, err := scalarSize(e)
		if err != nil {
			return 0, err
		}
		size += 1 + n
	}
	return size, nil
}

func scalarSize(av types.AttributeValue) (int, error) {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		if !utf8.ValidString(v.Value) {
			return 0, badValue("text is not UTF-8")
		}
		return len(v.Value), nil
	case *types.AttributeValueMemberN:
		text, ok := canonicalNumber(v.Value)
		if !ok {
			return 0, badValue("not an int64 or float64: " + v.Value[:min(len(v.Value), 60)])
		}
		return numberSize(text), nil
	case *types.AttributeValueMemberB:
		return len(v.Value), nil
	case *types.AttributeValueMemberBOOL:
		return 1, nil
	}
	return 0, badValue("no value, or of a type that rows do not have")
}

// canonicalNumber returns the one text of a number, as DynamoDB returns it: plain decimal, without an exponent. ok is
// false for what is neither an int64 nor a float64, and for integers that a float64 would round.
func canonicalNumber(s string) (text string, ok bool) {
	if _, ok := rowenc.Int(s); ok {
		return s, true
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil { // "+1", "007", "-0"
		return strconv.FormatInt(n, 10), true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "0123456789+-.eE") != "" { // no hexadecimal, Inf or NaN
		return "", false
	}
	if f == 0 {
		return "0", true
	}
	if a := math.Abs(f); a < 1e-130 || a >= 1e126 { // DynamoDB's range
		return "", false
	}
	text = strconv.FormatFloat(f, 'f', -1, 64)
	return text, text == s || strings.ContainsAny(s, ".eE")
}

// numberSize is DynamoDB's storage of a number in canonical form: two digits to a byte, aligned at the decimal point,
// one byte more, and one for the sign. Zeros at both ends take no space.
func numberSize(s string) int {
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+frac, "0")
	exponent := len(digits) - len(frac) - 1 // of the first digit
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return 1
	}
	size := 1 + (len(digits)+1)/2
	if len(digits)%2 == 0 && exponent%2 == 0 {
		size++
	}
	if negative {
		size++
	}
	return size
}

// checkKey refuses keys that DynamoDB cannot store.
func checkKey(k Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fault.Newf(fault.Invalid, "bad_key", "a key has two parts that are not empty")
	case len(k.PK) > MaxPK || len(k.SK) > MaxSK:
		return fault.Newf(fault.Invalid, "bad_key", "a key has at most %d and %d bytes, not %d and %d", MaxPK, MaxSK,
			len(k.PK), len(k.SK))
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return fault.Newf(fault.Invalid, "bad_key", "a key is UTF-8")
	}
	return nil
}

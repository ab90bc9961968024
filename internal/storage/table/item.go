package table

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
)

// checkItem validates the attributes of a row, puts its numbers into canonical form and gives its size
// by DynamoDB's formula and its expiry. item may be changed in place (numbers only).
func checkItem(item Item) (size int, ttl int64, err error) {
	for name, av := range item {
		if name == "" || len(name) > 64<<10 || !utf8.ValidString(name) {
			return 0, 0, fault.Newf(fault.Invalid, "bad_attribute", "attribute name %.40q is empty, too long or not UTF-8", name)
		}
		n, better, err := checkValue(av, 1)
		if err != nil {
			return 0, 0, fault.New(fault.Invalid, "bad_attribute", "attribute "+name, err)
		}
		if better != nil {
			item[name] = better
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

// checkValue gives the size of a value, and the value to put in its place when its number is not
// canonical (values may be shared, so they are never changed themselves).
func checkValue(av types.AttributeValue, depth int) (size int, better types.AttributeValue, err error) {
	if depth > maxDepth {
		return 0, nil, badValue("nested deeper than 32 levels")
	}
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		if !utf8.ValidString(v.Value) {
			return 0, nil, badValue("text is not UTF-8")
		}
		return len(v.Value), nil, nil
	case *types.AttributeValueMemberN:
		n, text, err := checkNumber(v.Value)
		if err == nil && text != v.Value {
			better = &types.AttributeValueMemberN{Value: text}
		}
		return n, better, err
	case *types.AttributeValueMemberB:
		return len(v.Value), nil, nil
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1, nil, nil
	case *types.AttributeValueMemberSS:
		size, err = checkSet(v.Value)
		return size, nil, err
	case *types.AttributeValueMemberNS:
		return checkNumberSet(v)
	case *types.AttributeValueMemberBS:
		texts := make([]string, len(v.Value))
		for i, b := range v.Value {
			texts[i] = string(b)
			size += len(b)
		}
		return size, nil, distinct(texts)
	case *types.AttributeValueMemberL:
		return checkList(v, depth)
	case *types.AttributeValueMemberM:
		return checkMap(v, depth)
	}
	return 0, nil, badValue("no value")
}

func checkNumber(s string) (size int, canonical string, err error) {
	if plainInt(s) {
		d := decimal{neg: s[0] == '-'}
		n := len(s)
		if d.neg {
			n--
		}
		d.exp = n - 1
		end := len(s)
		for s[end-1] == '0' && end > 1 {
			end--
		}
		d.digits = s[len(s)-n : end]
		if s == "0" {
			d.digits = ""
		}
		return d.size(), s, nil
	}
	d, ok := parseDecimal(s)
	if !ok {
		return 0, "", badValue("not a number of at most 38 digits: " + s[:min(len(s), 60)])
	}
	return d.size(), d.String(), nil
}

func checkSet(set []string) (size int, err error) {
	for _, s := range set {
		if !utf8.ValidString(s) {
			return 0, badValue("text is not UTF-8")
		}
		size += len(s)
	}
	return size, distinct(set)
}

func distinct(set []string) error {
	if len(set) == 0 {
		return badValue("a set must not be empty")
	}
	sorted := slices.Sorted(slices.Values(set))
	if len(slices.Compact(sorted)) != len(set) {
		return badValue("a set must not hold a value twice")
	}
	return nil
}

func checkNumberSet(v *types.AttributeValueMemberNS) (size int, better types.AttributeValue, err error) {
	canon := make([]string, len(v.Value))
	for i, s := range v.Value {
		n, text, err := checkNumber(s)
		if err != nil {
			return 0, nil, err
		}
		canon[i] = text
		size += n
	}
	if !slices.Equal(canon, v.Value) {
		better = &types.AttributeValueMemberNS{Value: canon}
	}
	return size, better, distinct(canon)
}

func checkList(v *types.AttributeValueMemberL, depth int) (size int, better types.AttributeValue, err error) {
	size = 3
	var list []types.AttributeValue
	for i, e := range v.Value {
		n, b, err := checkValue(e, depth+1)
		if err != nil {
			return 0, nil, err
		}
		if b != nil {
			if list == nil {
				list = slices.Clone(v.Value)
			}
			list[i] = b
		}
		size += 1 + n
	}
	if list != nil {
		better = &types.AttributeValueMemberL{Value: list}
	}
	return size, better, nil
}

func checkMap(v *types.AttributeValueMemberM, depth int) (size int, better types.AttributeValue, err error) {
	size = 3
	var m map[string]types.AttributeValue
	for name, e := range v.Value {
		if !utf8.ValidString(name) {
			return 0, nil, badValue("a map's key is not UTF-8")
		}
		n, b, err := checkValue(e, depth+1)
		if err != nil {
			return 0, nil, err
		}
		if b != nil {
			if m == nil {
				m = make(map[string]types.AttributeValue, len(v.Value))
			}
			m[name] = b
		}
		size += 1 + len(name) + n
	}
	if m != nil {
		for name, e := range v.Value {
			if _, ok := m[name]; !ok {
				m[name] = e
			}
		}
		better = &types.AttributeValueMemberM{Value: m}
	}
	return size, better, nil
}

// checkKey refuses keys that DynamoDB cannot hold.
func checkKey(k Key) error {
	switch {
	case k.PK == "" || k.SK == "":
		return fault.Newf(fault.Invalid, "bad_key", "a key has two parts that are not empty")
	case len(k.PK) > MaxPK || len(k.SK) > MaxSK:
		return fault.Newf(fault.Invalid, "bad_key", "a key has at most %d and %d bytes, not %d and %d", MaxPK, MaxSK, len(k.PK), len(k.SK))
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return fault.Newf(fault.Invalid, "bad_key", "a key is UTF-8")
	}
	return nil
}

// Package rowenc is the compact binary form in which the embedded engines keep a row: the typed
// attribute values of DynamoDB without their JSON, the key left out (it is the engine's own key).
// It knows the bytes and nothing of conditions, limits or engines.
//
// Version 1, all integers as unsigned varints unless said otherwise:
//
//	row   = 0x01 size ttl count { len name value }        names in ascending byte order
//	value = tag payload
//	        0 NULL | 1 false | 2 true | 3 S len bytes | 4 N zigzag varint (fits int64)
//	        5 N len decimal text | 6 B len bytes | 7 SS, 8 NS, 9 BS count { len bytes }
//	        10 L count { value } | 11 M count { len name value }
//
// size is the row's size by DynamoDB's formula, key included, and ttl its expiry in Unix seconds (0 =
// never): both are needed for every row read, so they lie in front. Rows are held as strings, because
// they are immutable and every text attribute is then a slice of the row without a copy.
package rowenc

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a row's attributes by name, as everywhere in the seam.
type Item = map[string]types.AttributeValue

// Version is the first byte of every encoded row.
const Version = 1

const (
	tagNull = iota
	tagFalse
	tagTrue
	tagS
	tagInt
	tagN
	tagB
	tagSS
	tagNS
	tagBS
	tagL
	tagM
)

// maxDepth bounds nesting while decoding: DynamoDB stores 32 levels, so more is damage.
const maxDepth = 40

var errCorrupt = errors.New("rowenc: corrupt row")

// Append encodes item behind dst, leaving out the attributes named in skip. The item must have been
// checked (no nil values); an unknown member type is left out, and cannot occur in a checked item.
func Append(dst []byte, item Item, size int, ttl int64, skip ...string) []byte {
	var scratch [32]string
	names := scratch[:0]
	for name := range item {
		if !slices.Contains(skip, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	dst = append(dst, Version)
	dst = binary.AppendUvarint(dst, uint64(max(size, 0)))
	dst = binary.AppendUvarint(dst, uint64(max(ttl, 0)))
	return appendFields(dst, item, names)
}

func appendFields(dst []byte, item Item, sorted []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(sorted)))
	for _, name := range sorted {
		dst = appendText(dst, name)
		dst = appendValue(dst, item[name])
	}
	return dst
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendValue(dst []byte, av types.AttributeValue) []byte {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return appendText(append(dst, tagS), v.Value)
	case *types.AttributeValueMemberN:
		return appendNumber(dst, v.Value)
	case *types.AttributeValueMemberB:
		return appendText(append(dst, tagB), v.Value)
	case *types.AttributeValueMemberBOOL:
		if v.Value {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case *types.AttributeValueMemberSS:
		return appendSet(append(dst, tagSS), v.Value)
	case *types.AttributeValueMemberNS:
		return appendSet(append(dst, tagNS), v.Value)
	case *types.AttributeValueMemberBS:
		return appendSet(append(dst, tagBS), v.Value)
	case *types.AttributeValueMemberL:
		dst = binary.AppendUvarint(append(dst, tagL), uint64(len(v.Value)))
		for _, e := range v.Value {
			dst = appendValue(dst, e)
		}
		return dst
	case *types.AttributeValueMemberM:
		names := make([]string, 0, len(v.Value))
		for name := range v.Value {
			names = append(names, name)
		}
		slices.Sort(names)
		return appendFields(append(dst, tagM), v.Value, names)
	}
	return append(dst, tagNull)
}

func appendNumber(dst []byte, s string) []byte {
	// Only the form that FormatInt gives back may become binary: "+1", "01" and "-0" keep their text.
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] != '+' && (n == 0) == (s == "0") && (len(s) == 1 || s[0] != '0' && (s[0] != '-' || s[1] != '0')) {
		return binary.AppendVarint(append(dst, tagInt), n)
	}
	return appendText(append(dst, tagN), s)
}

func appendSet[T string | []byte](dst []byte, set []T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(set)))
	for _, e := range set {
		dst = appendText(dst, e)
	}
	return dst
}

// Head gives a row's size by DynamoDB's formula and its expiry (0 = never).
func Head(row string) (size int, ttl int64, err error) {
	r, size, ttl := open(row)
	if r.bad {
		return 0, 0, errCorrupt
	}
	return size, ttl, nil
}

// Decode gives the attributes of a row. Texts share the row's memory.
func Decode(row string) (Item, error) {
	r, _, _ := open(row)
	item := r.fields(0)
	if r.bad || r.i != len(r.s) {
		return nil, errCorrupt
	}
	return item, nil
}

// Field gives one attribute of a row, ok false when the row has none of that name.
func Field(row, name string) (av types.AttributeValue, ok bool, err error) {
	r, _, _ := open(row)
	for n := r.count(); n > 0 && !r.bad; n-- {
		switch have := r.text(); {
		case have == name:
			av = r.value(0)
			if r.bad {
				return nil, false, errCorrupt
			}
			return av, true, nil
		case have > name: // names ascend
			return nil, false, nil
		}
		r.skip(0)
	}
	if r.bad {
		return nil, false, errCorrupt
	}
	return nil, false, nil
}

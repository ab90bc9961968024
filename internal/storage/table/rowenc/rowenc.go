// Package rowenc is the compact binary form in which the embedded engines store a row: the typed attribute values of
// DynamoDB without their JSON, and without the key, which is the engine's own key. It knows nothing of conditions,
// limits or engines.
//
// Version 1, all integers as unsigned varints unless said otherwise:
//
//	row   = 0x01 size ttl count { len name value }        names in ascending byte order
//	value = tag payload
//	        1 false | 2 true | 3 string: len bytes | 4 integer: zigzag varint (fits int64)
//	        5 number: len decimal text | 6 bytes: len bytes
//	        10 list: count { value, not a list }
//
// size is the row's size by DynamoDB's formula, key included, and ttl its expiry in Unix seconds
// (0 = never): both are needed for every row read, so they come first. Rows are Go strings: they are immutable, so
// every text attribute can be a slice of the row without a copy.
package rowenc

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a row's attributes by name.
type Item = map[string]types.AttributeValue

// Version is the first byte of every encoded row.
const Version = 1

const (
	tagFalse = 1
	tagTrue  = 2
	tagS     = 3
	tagInt   = 4
	tagN     = 5
	tagB     = 6
	tagL     = 10
)

var errCorrupt = errors.New("rowenc: corrupt row")

// Append appends the encoded item to dst, without the attributes named in skip. The item must have been validated:
// its values are of the types above.
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
	dst = binary.AppendUvarint(dst, uint64(len(names)))
	for _, name := range names {
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
	case *types.AttributeValueMemberL:
		dst = binary.AppendUvarint(append(dst, tagL), uint64(len(v.Value)))
		for _, e := range v.Value {
			dst = appendValue(dst, e)
		}
	}
	return dst
}

func appendNumber(dst []byte, s string) []byte {
	if n, ok := Int(s); ok {
		return binary.AppendVarint(append(dst, tagInt), n)
	}
	return appendText(append(dst, tagN), s)
}

// Int parses an integer in the one form that strconv.FormatInt writes; ok is false for any other text.
func Int(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	var buf [20]byte
	return n, err == nil && string(strconv.AppendInt(buf[:0], n, 10)) == s
}

// Head returns a row's size by DynamoDB's formula and its expiry (0 = never).
func Head(row string) (size int, ttl int64, err error) {
	r, size, ttl := open(row)
	if r.Bad {
		return 0, 0, errCorrupt
	}
	return size, ttl, nil
}

// Decode returns the attributes of a row. Strings share the row's memory.
func Decode(row string) (Item, error) {
	r, _, _ := open(row)
	item := r.fields()
	if !r.Done() {
		return nil, errCorrupt
	}
	return item, nil
}

// Field returns one attribute of a row; ok is false when the row lacks it.
func Field(row, name string) (av types.AttributeValue, ok bool, err error) {
	r, _, _ := open(row)
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		switch have := r.Text(); {
		case have == name:
			av = r.value()
			if r.Bad {
				return nil, false, errCorrupt
			}
			return av, av != nil, nil
		case have > name: // names ascend
			return nil, false, nil
		}
		r.skip()
	}
	if r.Bad {
		return nil, false, errCorrupt
	}
	return nil, false, nil
}

// Without returns a row without one attribute. The result shares no memory with the row.
func Without(row, name string) (string, error) {
	r, _, _ := open(row)
	count := len(row) - len(r.Rest)
	n := r.Count()
	rest := len(row) - len(r.Rest)
	for left := n; left > 0 && !r.Bad; left-- {
		at := len(row) - len(r.Rest)
		have := r.Text()
		r.skip()
		if have == name && !r.Bad {
			out := make([]byte, 0, at+len(r.Rest))
			out = binary.AppendUvarint(append(out, row[:count]...), uint64(n-1))
			out = append(append(out, row[rest:at]...), r.Rest...)
			return string(out), nil
		}
	}
	if r.Bad {
		return "", errCorrupt
	}
	return strings.Clone(row), nil
}

// Package rowenc is the JSON text in which the embedded engines store a row's attributes, so that every program that
// opens the file can read them:
//
//	{"blob":{"bytes":2},"flag":true,"list":["a",7],"n":12,"text":"日本"}
//
// Names ascend, there is no white space, and numbers are as DynamoDB returns them. Values that are bytes follow after a
// line feed, one after the other, in the order in which the text names their lengths; engines store them in a column
// of their own (Split, Join), as they do key, expiry and size. Rows are Go strings: most texts are a slice of the row
// without a copy.
package rowenc

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a row's attributes by name.
type Item = map[string]types.AttributeValue

var errCorrupt = errors.New("rowenc: corrupt row")

// Append appends the encoded item to dst, without the attributes named in skip. The item must have been validated:
// strings are UTF-8, numbers are in canonical form, and lists are flat.
func Append(dst []byte, item Item, skip ...string) []byte {
	var tail []byte
	dst = append(dst, '{')
	for i, name := range Names(item, skip...) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, name), ':')
		dst, tail = appendValue(dst, tail, item[name])
	}
	dst = append(dst, '}')
	if len(tail) > 0 {
		dst = append(append(dst, '\n'), tail...)
	}
	return dst
}

// Split divides a row into its text and its bytes.
func Split(row string) (text, tail string) {
	text, tail, _ = strings.Cut(row, "\n")
	return text, tail
}

// Join is the inverse of Split.
func Join(text string, tail []byte) string {
	if len(tail) == 0 {
		return text
	}
	return text + "\n" + string(tail)
}

// Names returns the names of an item's attributes in ascending order, without those to skip.
func Names(item Item, skip ...string) []string {
	names := make([]string, 0, len(item))
	for name := range item {
		if !slices.Contains(skip, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func appendValue(dst, tail []byte, av types.AttributeValue) (_, _ []byte) {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return appendText(dst, v.Value), tail
	case *types.AttributeValueMemberN:
		return append(dst, v.Value...), tail
	case *types.AttributeValueMemberB:
		dst = strconv.AppendInt(append(dst, bytesBegin...), int64(len(v.Value)), 10)
		return append(dst, '}'), append(tail, v.Value...)
	case *types.AttributeValueMemberBOOL:
		return strconv.AppendBool(dst, v.Value), tail
	case *types.AttributeValueMemberL:
		dst = append(dst, '[')
		for i, e := range v.Value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, tail = appendValue(dst, tail, e)
		}
		return append(dst, ']'), tail
	}
	return append(dst, "null"...), tail
}

const bytesBegin = `{"bytes":`

// appendText appends a text; only what JSON must escape makes it leave the fast path.
func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' {
			b, _ := json.Marshal(s) // a string: cannot fail
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// Int parses an integer in the one form that strconv.FormatInt writes; ok is false for any other text.
func Int(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	var buf [20]byte
	return n, err == nil && string(strconv.AppendInt(buf[:0], n, 10)) == s
}

// Decode returns the attributes of a row. Strings share the row's memory unless the row is large.
func Decode(row string) (Item, error) {
	item := Item{}
	err := Each(row, func(name string, v Value) error {
		av, err := v.Attribute()
		item[name] = av
		return err
	})
	if err != nil {
		return nil, err
	}
	return item, nil
}

// Field returns one attribute of a row; nil when the row lacks it.
func Field(row, name string) (av types.AttributeValue, err error) {
	err = Each(row, func(have string, v Value) (err error) {
		if have == name {
			av, err = v.Attribute()
		}
		return err
	})
	return av, err
}

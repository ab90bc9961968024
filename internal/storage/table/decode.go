package table

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// A column is a field of a struct that guregu's codec finds under a name. The codec reads the tags of all fields for
// every row, which takes longer than all else at the start of a reader with a thousand feeds.
type column struct {
	name  string
	index []int
	plain bool // its kind says how it is decoded
}

var columns sync.Map // reflect.Type -> []column; nil for a type that the codec decodes as a whole

// decodeStruct decodes an item into a struct as guregu's UnmarshalItem does, which a test compares. It reports false
// when that is left to the codec.
func decodeStruct(item Item, out any) bool {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return false
	}
	v = v.Elem()
	known, ok := columns.Load(v.Type())
	if !ok {
		list, isSimple := columnsOf(v.Type(), nil, nil)
		if names := map[string]bool{}; slices.ContainsFunc(list, func(c column) bool {
			twice := names[c.name]
			names[c.name] = true
			return twice
		}) || !isSimple {
			list = nil
		}
		known, _ = columns.LoadOrStore(v.Type(), list)
	}
	list := known.([]column)
	for i := range list {
		c := &list[i]
		f, av := v.FieldByIndex(c.index), item[c.name]
		if c.plain && setPlain(f, av) {
			continue
		}
		f.SetZero()
		if av != nil && dynamo.Unmarshal(av, f.Addr().Interface()) != nil {
			return false
		}
	}
	return list != nil
}

// setPlain sets a field whose value is of the field's own kind, or reports false.
func setPlain(f reflect.Value, av types.AttributeValue) bool {
	switch av := av.(type) {
	case nil:
		f.SetZero()
		return true
	case *types.AttributeValueMemberS:
		if f.Kind() == reflect.String {
			f.SetString(av.Value)
			return true
		}
	case *types.AttributeValueMemberBOOL:
		if f.Kind() == reflect.Bool {
			f.SetBool(av.Value)
			return true
		}
	case *types.AttributeValueMemberN:
		if f.CanInt() {
			n, err := strconv.ParseInt(av.Value, 10, 64)
			f.SetInt(n)
			return err == nil
		}
	}
	return false
}

// columnsOf lists the columns of a struct after those of others; ok is false for what has rules of its own.
func columnsOf(t reflect.Type, at []int, list []column) (_ []column, ok bool) {
	if decodesItself[dynamo.ItemUnmarshaler](t) {
		return nil, false
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("dynamo"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		index := append(slices.Clone(at), f.Index...)
		if f.Anonymous {
			if f.Type.Kind() != reflect.Struct || name != "" {
				return nil, false
			}
			if list, ok = columnsOf(f.Type, index, list); !ok {
				return nil, false
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		list = append(list, column{name, index, !decodesItself[dynamo.Unmarshaler](f.Type) &&
			!decodesItself[encoding.TextUnmarshaler](f.Type) && !decodesItself[attributeUnmarshaler](f.Type)})
	}
	return list, true
}

type attributeUnmarshaler interface {
	UnmarshalDynamoDBAttributeValue(types.AttributeValue) error
}

func decodesItself[T any](t reflect.Type) bool {
	want := reflect.TypeFor[T]()
	return t.Implements(want) || reflect.PointerTo(t).Implements(want)
}

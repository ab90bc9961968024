package table

import (
	"bytes"
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// A column is a field of a struct that guregu's codec finds under a name. Looking them up once, and not for each row,
// is most of the start of a reader with a thousand feeds.
type column struct {
	name  string
	index []int
	plain bool // its kind says how it is decoded
}

var columns sync.Map // reflect.Type -> []column; nil for a type that the codec decodes as a whole

// columnsFor returns the struct that out points to and its columns in order of name; none if the codec has to decode
// it.
func columnsFor(out any) (v reflect.Value, list []column) {
	v = reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return v, nil
	}
	v = v.Elem()
	known, ok := columns.Load(v.Type())
	if !ok {
		list, isSimple := columnsOf(v.Type(), nil, nil)
		slices.SortFunc(list, func(a, b column) int { return strings.Compare(a.name, b.name) })
		for i := 1; i < len(list); i++ {
			isSimple = isSimple && list[i].name != list[i-1].name
		}
		if !isSimple {
			list = nil
		}
		known, _ = columns.LoadOrStore(v.Type(), list)
	}
	return v, known.([]column)
}

// decodeStruct decodes an item as guregu's UnmarshalItem does (a test compares), or returns false to leave it to that.
func decodeStruct(item Item, out any) bool {
	v, list := columnsFor(out)
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

// decodeText does the same with the text of a row, without an item between them. It leaves out one attribute.
func (r Row) decodeText(without string, out any) bool {
	v, list := columnsFor(out)
	isCopied := without != "" // or a title would keep what is left out in memory
	setNext := func(x *rowenc.Value) error {
		c := &list[0]
		list = list[1:]
		return c.set(v.FieldByIndex(c.index), x, isCopied)
	}
	setAbsent := func() error {
		switch list[0].name {
		case PKAttr:
			return setNext(&rowenc.Value{Text: r.Key.PK})
		case SKAttr:
			return setNext(&rowenc.Value{Text: r.Key.SK})
		}
		return setNext(nil)
	}
	if list == nil {
		return false
	}
	err := rowenc.Each(r.enc, func(name string, x rowenc.Value) error {
		for len(list) > 0 && list[0].name < name {
			if err := setAbsent(); err != nil {
				return err
			}
		}
		switch {
		case len(list) == 0 || list[0].name != name:
			return nil
		case name == without:
			return setNext(nil)
		}
		return setNext(&x)
	})
	for err == nil && len(list) > 0 {
		err = setAbsent()
	}
	return err == nil
}

// set sets a column's field to a value of a row's text; nil is none.
func (c *column) set(f reflect.Value, x *rowenc.Value, isCopied bool) (err error) {
	kind := f.Kind()
	switch {
	case x == nil:
		f.SetZero()
		return nil
	case !c.plain:
	case x.Kind == rowenc.String && kind == reflect.String:
		if isCopied {
			x.Text = strings.Clone(x.Text)
		}
		f.SetString(x.Text)
		return nil
	case x.Kind == rowenc.Number && f.CanInt():
		n, err := strconv.ParseInt(x.Text, 10, 64)
		f.SetInt(n)
		return err
	case x.Kind == rowenc.Number && f.CanUint():
		n, err := strconv.ParseUint(x.Text, 10, 64)
		f.SetUint(n)
		return err
	case x.Kind == rowenc.Bool && kind == reflect.Bool:
		f.SetBool(x.Text == "true")
		return nil
	case x.Kind == rowenc.Bytes && isBytes(f):
		f.SetBytes([]byte(x.Text))
		return nil
	}
	f.SetZero()
	av, err := x.Attribute()
	if err == nil {
		err = dynamo.Unmarshal(av, f.Addr().Interface())
	}
	return err
}

func isBytes(f reflect.Value) bool {
	return f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Uint8
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
	case *types.AttributeValueMemberB:
		if isBytes(f) {
			f.SetBytes(bytes.Clone(av.Value))
			return true
		}
	case *types.AttributeValueMemberN:
		if f.CanInt() {
			n, err := strconv.ParseInt(av.Value, 10, 64)
			f.SetInt(n)
			return err == nil
		}
		if f.CanUint() {
			n, err := strconv.ParseUint(av.Value, 10, 64)
			f.SetUint(n)
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

package rowenc

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// cloneOver is the row size above which strings are copied instead of sharing the row's memory, so that keeping a
// title does not keep a large row alive.
const cloneOver = 4 << 10

// A plan maps the attributes of a row to the fields of a struct. The result is exactly that of guregu's UnmarshalItem,
// without the item in between: a test compares both. Fields are written at their offsets: reflection for each took half
// the time of listing thousands of rows.
type plan struct {
	ok     bool // false: this type needs the item and guregu's codec
	pk, sk *planField
	fields []planField
}

type planField struct {
	name   string
	offset uintptr
	typ    reflect.Type
	// of the field; Slice for bytes, Array for a list of integers, Invalid for what the codec decodes
	kind reflect.Kind
}

const (
	viaCodec = reflect.Invalid // one attribute through guregu's Unmarshal
	bytes    = reflect.Slice
	integers = reflect.Array // a list of int, int32 or int64
)

// plans caches one plan for each type.
var plans sync.Map // reflect.Type -> *plan

// Struct decodes a row into out, a pointer to a struct. It reports false when the type, or an attribute of an
// unexpected kind, needs guregu's codec: the caller then decodes the item. The row does not contain the key: pk and sk
// are its two parts, pkName and skName their attribute names.
func Struct(row, pkName, pk, skName, sk string, out any) bool {
	rv := reflect.ValueOf(out)
	if rv.Kind() != reflect.Pointer || rv.IsNil() || rv.Elem().Kind() != reflect.Struct {
		return false
	}
	p := planOf(rv.Type(), pkName, skName)
	if !p.ok {
		return false
	}
	base := rv.UnsafePointer()
	if p.pk != nil {
		*(*string)(p.pk.in(base)) = pk
	}
	if p.sk != nil {
		*(*string)(p.sk.in(base)) = sk
	}
	return p.fill(row, base)
}

// in returns where the field lies in a struct.
func (f *planField) in(base unsafe.Pointer) unsafe.Pointer { return unsafe.Add(base, f.offset) }

// fill merges the row's attributes with the fields: both ascend by name.
func (p *plan) fill(row string, base unsafe.Pointer) bool {
	r, _, _ := open(row)
	next := 0
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		name := r.Text()
		for next < len(p.fields) && p.fields[next].name < name {
			p.fields[next].zero(base)
			next++
		}
		if next == len(p.fields) {
			break
		}
		if f := &p.fields[next]; f.name == name {
			if !r.into(f, base) {
				return false
			}
			next++
		} else {
			r.skip()
		}
	}
	for ; next < len(p.fields); next++ {
		p.fields[next].zero(base)
	}
	return !r.Bad
}

func (f *planField) zero(base unsafe.Pointer) {
	at := f.in(base)
	switch f.kind {
	case reflect.String:
		*(*string)(at) = ""
	case bytes, integers:
		*(*[]byte)(at) = nil
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		*(*uint8)(at) = 0
	case reflect.Int16, reflect.Uint16:
		*(*uint16)(at) = 0
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		*(*uint32)(at) = 0
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Float64:
		*(*uint64)(at) = 0
	default:
		f.value(base).SetZero()
	}
}

// value returns the field for reflection.
func (f *planField) value(base unsafe.Pointer) reflect.Value {
	return reflect.NewAt(f.typ, f.in(base)).Elem()
}

func (r *reader) into(f *planField, base unsafe.Pointer) bool {
	if r.Bad || r.I >= len(r.S) {
		return false
	}
	at, tag := f.in(base), r.S[r.I]
	switch {
	case f.kind == reflect.String && tag == tagS:
		r.I++
		t := r.Text()
		if len(r.S) > cloneOver {
			t = strings.Clone(t)
		}
		*(*string)(at) = t
	case f.kind == bytes && tag == tagB:
		r.I++
		*(*[]byte)(at) = []byte(r.Text())
	case f.kind == reflect.Bool && (tag == tagTrue || tag == tagFalse):
		r.I++
		*(*bool)(at) = tag == tagTrue
	case f.kind == integers && tag == tagL:
		r.integers(f, at)
	case f.kind == viaCodec, f.kind == integers:
		return r.viaCodec(f, base)
	default:
		r.I++
		return r.number(f, at, tag)
	}
	return !r.Bad
}

func (r *reader) viaCodec(f *planField, base unsafe.Pointer) bool {
	av, fv := r.value(), f.value(base)
	fv.SetZero()
	return !r.Bad && (av == nil || dynamo.Unmarshal(av, fv.Addr().Interface()) == nil)
}

// integers reads a list of integers. One with anything else is left to the codec, like a damaged row.
func (r *reader) integers(f *planField, at unsafe.Pointer) {
	r.I++
	n := r.Count()
	if f.typ.Elem().Size() == 4 {
		*(*[]int32)(at) = list[int32](r, n)
	} else {
		*(*[]int64)(at) = list[int64](r, n)
	}
}

func list[T int32 | int64](r *reader, n int) []T {
	out := make([]T, n)
	for i := range out {
		if r.Byte() != tagInt {
			r.Bad = true
			return nil
		}
		out[i] = T(r.Varint())
	}
	return out
}

// number sets a numeric field as guregu's codec would, or reports false.
func (r *reader) number(f *planField, at unsafe.Pointer, tag byte) bool {
	if f.kind == reflect.Float32 || f.kind == reflect.Float64 {
		return r.float(f, at, tag)
	}
	if tag != tagInt {
		return false
	}
	n := r.Varint()
	switch f.kind {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n < 0 {
			return false
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
	default: // no number, and its memory is not written as one
		return false
	}
	switch f.typ.Size() {
	case 1:
		*(*int8)(at) = int8(n)
	case 2:
		*(*int16)(at) = int16(n)
	case 4:
		*(*int32)(at) = int32(n)
	default:
		*(*int64)(at) = n
	}
	return !r.Bad
}

func (r *reader) float(f *planField, at unsafe.Pointer, tag byte) bool {
	var x float64
	switch tag {
	case tagInt:
		x = float64(r.Varint())
	case tagN:
		var err error
		if x, err = strconv.ParseFloat(r.Text(), 64); err != nil {
			return false
		}
	default:
		return false
	}
	if f.kind == reflect.Float32 {
		*(*float32)(at) = float32(x)
	} else {
		*(*float64)(at) = x
	}
	return !r.Bad
}

func planOf(ptr reflect.Type, pkName, skName string) *plan {
	if p, ok := plans.Load(ptr); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(ptr, newPlan(ptr, pkName, skName))
	return p.(*plan)
}

type awsUnmarshaler interface {
	UnmarshalDynamoDBAttributeValue(types.AttributeValue) error
}

func implements[T any](t reflect.Type) bool {
	want := reflect.TypeFor[T]()
	return t.Implements(want) || reflect.PointerTo(t).Implements(want)
}

func newPlan(ptr reflect.Type, pkName, skName string) *plan {
	p := &plan{}
	p.ok = p.add(ptr.Elem(), 0, pkName, skName)
	slices.SortFunc(p.fields, func(a, b planField) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(p.fields); i++ {
		p.ok = p.ok && p.fields[i].name != p.fields[i-1].name // else guregu's rules of precedence apply
	}
	return p
}

// add adds the fields of a struct, which lies at an offset of the plan's, or reports false.
func (p *plan) add(t reflect.Type, at uintptr, pkName, skName string) bool {
	if implements[dynamo.ItemUnmarshaler](t) {
		return false
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("dynamo"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		offset := at + f.Offset
		if f.Anonymous {
			if f.Type.Kind() != reflect.Struct || name != "" || !p.add(f.Type, offset, pkName, skName) {
				return false
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		field := planField{name: name, offset: offset, typ: f.Type, kind: kindOf(f.Type)}
		switch {
		case (name == pkName || name == skName) && field.kind != reflect.String:
			return false
		case name == pkName:
			p.pk = &field
		case name == skName:
			p.sk = &field
		default:
			p.fields = append(p.fields, field)
		}
	}
	return true
}

func kindOf(t reflect.Type) reflect.Kind {
	if hasCodec(t) {
		return viaCodec
	}
	switch k := t.Kind(); k {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return k
	case reflect.Slice:
		switch e := t.Elem(); {
		case hasCodec(e):
		case e.Kind() == reflect.Uint8:
			return bytes
		case e.Kind() == reflect.Int, e.Kind() == reflect.Int32, e.Kind() == reflect.Int64:
			return integers
		}
	}
	return viaCodec
}

// hasCodec reports whether a type decodes itself.
func hasCodec(t reflect.Type) bool {
	return implements[dynamo.Unmarshaler](t) || implements[awsUnmarshaler](t) || implements[encoding.TextUnmarshaler](t)
}

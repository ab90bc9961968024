package rowenc

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

// cloneOver is the row size above which texts are copied out instead of sharing the row's memory, so
// that keeping a title does not keep a large row alive.
const cloneOver = 4 << 10

// A plan says where the attributes of a row go in a struct. It gives exactly what guregu's UnmarshalItem
// gives, without building the item between: a test compares both.
type plan struct {
	ok     bool // false: this type needs the item and guregu's codec
	pk, sk int  // field index, -1 when the struct has none
	fields []planField
}

type planField struct {
	name  string
	index int
	kind  fieldKind
}

type fieldKind uint8

const (
	viaCodec fieldKind = iota // one attribute through guregu's Unmarshal
	text
	integer
	unsigned
	float
	boolean
	bytes
)

// plans memoises what reflection says of a type; it is a cache of constants, not state.
var plans sync.Map // reflect.Type -> *plan

// Struct decodes a row into out, a pointer to a struct, and reports false when the type (or an
// attribute of an unexpected kind) needs guregu's codec: the caller then decodes the item. The key is
// given apart, since the row leaves it out; pkName and skName are its attribute names.
func Struct(row, pkName, pk, skName, sk string, out any) bool {
	rv := reflect.ValueOf(out)
	if rv.Kind() != reflect.Pointer || rv.IsNil() || rv.Elem().Kind() != reflect.Struct {
		return false
	}
	p := planOf(rv.Type(), pkName, skName)
	if !p.ok {
		return false
	}
	rv = rv.Elem()
	if p.pk >= 0 {
		rv.Field(p.pk).SetString(pk)
	}
	if p.sk >= 0 {
		rv.Field(p.sk).SetString(sk)
	}
	return p.fill(row, rv)
}

// fill merges the row's attributes with the fields: both ascend by name.
func (p *plan) fill(row string, rv reflect.Value) bool {
	r, _, _ := open(row)
	next := 0
	for n := r.count(); n > 0 && !r.bad; n-- {
		name := r.text()
		for next < len(p.fields) && p.fields[next].name < name {
			rv.Field(p.fields[next].index).SetZero()
			next++
		}
		if next == len(p.fields) {
			break
		}
		if f := &p.fields[next]; f.name == name {
			if !r.into(rv.Field(f.index), f.kind) {
				return false
			}
			next++
		} else {
			r.skip(0)
		}
	}
	for ; next < len(p.fields); next++ {
		rv.Field(p.fields[next].index).SetZero()
	}
	return !r.bad
}

func (r *reader) into(fv reflect.Value, kind fieldKind) bool {
	if r.bad || r.i >= len(r.s) {
		return false
	}
	tag := r.s[r.i]
	if tag == tagNull {
		r.i++
		fv.SetZero()
		return true
	}
	if kind == viaCodec {
		av := r.value(0)
		fv.SetZero()
		return !r.bad && dynamo.Unmarshal(av, fv.Addr().Interface()) == nil
	}
	r.i++
	switch {
	case kind == text && tag == tagS:
		t := r.text()
		if len(r.s) > cloneOver {
			t = strings.Clone(t)
		}
		fv.SetString(t)
	case kind == bytes && tag == tagB:
		fv.SetBytes([]byte(r.text()))
	case kind == boolean && (tag == tagTrue || tag == tagFalse):
		fv.SetBool(tag == tagTrue)
	default:
		return r.number(fv, kind, tag)
	}
	return !r.bad
}

// number sets a numeric field as guregu's codec would, or reports false.
func (r *reader) number(fv reflect.Value, kind fieldKind, tag byte) bool {
	switch {
	case kind == integer && tag == tagInt:
		fv.SetInt(r.varint())
	case kind == unsigned && tag == tagInt:
		n := r.varint()
		if n < 0 {
			return false
		}
		fv.SetUint(uint64(n))
	case kind == unsigned && tag == tagN:
		n, err := strconv.ParseUint(r.text(), 10, 64)
		if err != nil {
			return false
		}
		fv.SetUint(n)
	case kind == float && tag == tagInt:
		fv.SetFloat(float64(r.varint()))
	case kind == float && tag == tagN:
		f, err := strconv.ParseFloat(r.text(), 64)
		if err != nil {
			return false
		}
		fv.SetFloat(f)
	default:
		return false
	}
	return !r.bad
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
	t := ptr.Elem()
	p := &plan{pk: -1, sk: -1}
	if implements[dynamo.ItemUnmarshaler](t) {
		return p
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("dynamo"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous { // embedding has rules of precedence: guregu's own
			return p
		}
		if name == "" {
			name = f.Name
		}
		kind := kindOf(f.Type)
		switch {
		case (name == pkName || name == skName) && kind != text:
			return p
		case name == pkName:
			p.pk = f.Index[0]
		case name == skName:
			p.sk = f.Index[0]
		default:
			p.fields = append(p.fields, planField{name: name, index: f.Index[0], kind: kind})
		}
	}
	slices.SortFunc(p.fields, func(a, b planField) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(p.fields); i++ {
		if p.fields[i].name == p.fields[i-1].name {
			return p
		}
	}
	p.ok = true
	return p
}

func kindOf(t reflect.Type) fieldKind {
	if implements[dynamo.Unmarshaler](t) || implements[awsUnmarshaler](t) || implements[encoding.TextUnmarshaler](t) {
		return viaCodec
	}
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return unsigned
	case reflect.Float32, reflect.Float64:
		return float
	case reflect.Bool:
		return boolean
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !implements[dynamo.Unmarshaler](t.Elem()) {
			return bytes
		}
	}
	return viaCodec
}

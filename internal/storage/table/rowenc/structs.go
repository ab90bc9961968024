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

// cloneOver is the row size above which strings are copied instead of sharing the row's memory, so that keeping a
// title does not keep a large row alive.
const cloneOver = 4 << 10

// A plan maps the attributes of a row to the fields of a struct. The result is exactly that of guregu's UnmarshalItem,
// without the item in between: a test compares both.
type plan struct {
	ok     bool  // false: this type needs the item and guregu's codec
	pk, sk []int // field index, nil when the struct has none
	fields []planField
}

type planField struct {
	name  string
	index []int
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
	rv = rv.Elem()
	if p.pk != nil {
		rv.FieldByIndex(p.pk).SetString(pk)
	}
	if p.sk != nil {
		rv.FieldByIndex(p.sk).SetString(sk)
	}
	return p.fill(row, rv)
}

// fill merges the row's attributes with the fields: both ascend by name.
func (p *plan) fill(row string, rv reflect.Value) bool {
	r, _, _ := open(row)
	next := 0
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		name := r.Text()
		for next < len(p.fields) && p.fields[next].name < name {
			rv.FieldByIndex(p.fields[next].index).SetZero()
			next++
		}
		if next == len(p.fields) {
			break
		}
		if f := &p.fields[next]; f.name == name {
			if !r.into(rv.FieldByIndex(f.index), f.kind) {
				return false
			}
			next++
		} else {
			r.skip()
		}
	}
	for ; next < len(p.fields); next++ {
		rv.FieldByIndex(p.fields[next].index).SetZero()
	}
	return !r.Bad
}

func (r *reader) into(fv reflect.Value, kind fieldKind) bool {
	if r.Bad || r.I >= len(r.S) {
		return false
	}
	tag := r.S[r.I]
	if kind == viaCodec {
		av := r.value()
		fv.SetZero()
		return !r.Bad && (av == nil || dynamo.Unmarshal(av, fv.Addr().Interface()) == nil)
	}
	r.I++
	switch {
	case kind == text && tag == tagS:
		t := r.Text()
		if len(r.S) > cloneOver {
			t = strings.Clone(t)
		}
		fv.SetString(t)
	case kind == bytes && tag == tagB:
		fv.SetBytes([]byte(r.Text()))
	case kind == boolean && (tag == tagTrue || tag == tagFalse):
		fv.SetBool(tag == tagTrue)
	default:
		return r.number(fv, kind, tag)
	}
	return !r.Bad
}

// number sets a numeric field as guregu's codec would, or reports false.
func (r *reader) number(fv reflect.Value, kind fieldKind, tag byte) bool {
	switch {
	case kind == integer && tag == tagInt:
		fv.SetInt(r.Varint())
	case kind == unsigned && tag == tagInt:
		n := r.Varint()
		if n < 0 {
			return false
		}
		fv.SetUint(uint64(n))
	case kind == float && tag == tagInt:
		fv.SetFloat(float64(r.Varint()))
	case kind == float && tag == tagN:
		f, err := strconv.ParseFloat(r.Text(), 64)
		if err != nil {
			return false
		}
		fv.SetFloat(f)
	default:
		return false
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
	p.ok = p.add(ptr.Elem(), nil, pkName, skName)
	slices.SortFunc(p.fields, func(a, b planField) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(p.fields); i++ {
		p.ok = p.ok && p.fields[i].name != p.fields[i-1].name // else guregu's rules of precedence apply
	}
	return p
}

// add adds the fields of a struct, which lies at an index of the plan's, or reports false.
func (p *plan) add(t reflect.Type, at []int, pkName, skName string) bool {
	if implements[dynamo.ItemUnmarshaler](t) {
		return false
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("dynamo"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		index := slices.Concat(at, f.Index)
		if f.Anonymous {
			if f.Type.Kind() != reflect.Struct || name != "" || !p.add(f.Type, index, pkName, skName) {
				return false
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		kind := kindOf(f.Type)
		switch {
		case (name == pkName || name == skName) && kind != text:
			return false
		case name == pkName:
			p.pk = index
		case name == skName:
			p.sk = index
		default:
			p.fields = append(p.fields, planField{name: name, index: index, kind: kind})
		}
	}
	return true
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

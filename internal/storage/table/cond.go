package table

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/ruri-reader/ruri/internal/fault"
)

// CondKind is one of the closed list of conditions.
type CondKind uint8

// The conditions.
const (
	CondAbsent CondKind = iota
	CondPresent
	CondEqual
	CondLess
)

// Cond is a condition on the row as it is before a write; several are joined by AND. Make them with the
// functions below; drivers read the fields.
type Cond struct {
	Kind  CondKind
	Field string
	Value types.AttributeValue // nil for a value that the codec leaves out (nil, an empty set)
	Zero  bool                 // Value is the zero value of its type: an absent attribute equals it
	err   error
}

// IfAbsent holds when there is no such row.
func IfAbsent() Cond { return Cond{Kind: CondAbsent} }

// IfPresent holds when there is such a row.
func IfPresent() Cond { return Cond{Kind: CondPresent} }

// IfEqual holds when the attribute has the value; absent (or a row that is absent) counts as zero.
func IfEqual(field string, v any) Cond { return newCond(CondEqual, field, v) }

// IfLess holds when the attribute is less than the value: numbers by value, texts and bytes by bytes.
// Absent counts as zero. Values of different types are never less.
func IfLess(field string, v any) Cond { return newCond(CondLess, field, v) }

func newCond(kind CondKind, field string, v any) Cond {
	c := Cond{Kind: kind, Field: field}
	c.Value, c.Zero, c.err = encodeValue(v)
	if c.err == nil {
		c.err = checkField(field)
	}
	if c.err == nil && kind == CondLess {
		switch c.Value.(type) {
		case *types.AttributeValueMemberN, *types.AttributeValueMemberS, *types.AttributeValueMemberB:
		default:
			c.err = fault.Newf(fault.Invalid, "bad_condition", "%s: only numbers, texts and bytes have an order", field)
		}
	}
	return c
}

// MatchesAbsent reports whether the condition holds when there is no row.
func (c Cond) MatchesAbsent() bool {
	switch c.Kind {
	case CondAbsent:
		return true
	case CondPresent:
		return false
	case CondEqual:
		return c.Zero
	default: // zero is less than every value above it
		return zeroLess(c.Value)
	}
}

// AllMatchAbsent reports whether all conditions hold when there is no row.
func AllMatchAbsent(conds []Cond) bool {
	for _, c := range conds {
		if !c.MatchesAbsent() {
			return false
		}
	}
	return true
}

// Holds evaluates conditions as every driver must: over the row, or over nothing when exists is false
// or the row has expired.
func Holds(conds []Cond, row Row, exists bool, now int64) bool {
	if !exists || row.Expired(now) {
		return AllMatchAbsent(conds)
	}
	for _, c := range conds {
		if !c.holds(row) {
			return false
		}
	}
	return true
}

func (c Cond) holds(row Row) bool {
	switch c.Kind {
	case CondAbsent:
		return false
	case CondPresent:
		return true
	}
	have := row.Field(c.Field)
	if have == nil {
		return c.MatchesAbsent()
	}
	if c.Kind == CondEqual {
		return c.Value != nil && equalValues(have, c.Value)
	}
	return lessValues(have, c.Value)
}

func zeroLess(v types.AttributeValue) bool {
	switch v := v.(type) {
	case *types.AttributeValueMemberN:
		d, ok := parseDecimal(v.Value)
		return ok && d.sign() > 0
	case *types.AttributeValueMemberS:
		return v.Value != ""
	case *types.AttributeValueMemberB:
		return len(v.Value) > 0
	}
	return false
}

func lessValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberN:
		if b, ok := b.(*types.AttributeValueMemberN); ok {
			x, ok1 := parseDecimal(a.Value)
			y, ok2 := parseDecimal(b.Value)
			return ok1 && ok2 && x.cmp(y) < 0
		}
	case *types.AttributeValueMemberS:
		if b, ok := b.(*types.AttributeValueMemberS); ok {
			return a.Value < b.Value
		}
	case *types.AttributeValueMemberB:
		if b, ok := b.(*types.AttributeValueMemberB); ok {
			return bytes.Compare(a.Value, b.Value) < 0
		}
	}
	return false
}

// equalValues compares by type and value; the order of a set does not matter. Numbers are canonical on
// both sides, so their texts compare.
func equalValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		return ok && a.Value == b.Value
	case *types.AttributeValueMemberS:
		b, ok := b.(*types.AttributeValueMemberS)
		return ok && a.Value == b.Value
	case *types.AttributeValueMemberB:
		b, ok := b.(*types.AttributeValueMemberB)
		return ok && bytes.Equal(a.Value, b.Value)
	case *types.AttributeValueMemberBOOL:
		b, ok := b.(*types.AttributeValueMemberBOOL)
		return ok && a.Value == b.Value
	case *types.AttributeValueMemberNULL:
		_, ok := b.(*types.AttributeValueMemberNULL)
		return ok
	case *types.AttributeValueMemberL:
		b, ok := b.(*types.AttributeValueMemberL)
		return ok && slices.EqualFunc(a.Value, b.Value, equalValues)
	case *types.AttributeValueMemberM:
		b, ok := b.(*types.AttributeValueMemberM)
		return ok && EqualItems(a.Value, b.Value)
	}
	return equalSetValues(a, b)
}

func equalSetValues(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberSS:
		b, ok := b.(*types.AttributeValueMemberSS)
		return ok && equalSets(a.Value, b.Value, strings.Compare)
	case *types.AttributeValueMemberNS:
		b, ok := b.(*types.AttributeValueMemberNS)
		return ok && equalSets(a.Value, b.Value, strings.Compare)
	case *types.AttributeValueMemberBS:
		b, ok := b.(*types.AttributeValueMemberBS)
		return ok && equalSets(a.Value, b.Value, bytes.Compare)
	}
	return false
}

// EqualItems compares two items as DynamoDB would: sets without order, everything else exactly.
func EqualItems(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, av := range a {
		bv, ok := b[name]
		if !ok || !equalValues(av, bv) {
			return false
		}
	}
	return true
}

func equalSets[T any](a, b []T, cmp func(T, T) int) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := slices.Clone(a), slices.Clone(b)
	slices.SortFunc(x, cmp)
	slices.SortFunc(y, cmp)
	return slices.EqualFunc(x, y, func(p, q T) bool { return cmp(p, q) == 0 })
}

// encodeValue turns one Go value into an attribute value, empty texts and bytes as such. av nil means
// the codec leaves the value out; zero says that absence equals it.
func encodeValue(v any) (av types.AttributeValue, zero bool, err error) {
	switch x := v.(type) {
	case nil:
		return nil, true, nil
	case string:
		av, zero = &types.AttributeValueMemberS{Value: x}, x == ""
	case []byte:
		av, zero = &types.AttributeValueMemberB{Value: x}, len(x) == 0
	case types.AttributeValue:
		av, zero = x, zeroAttribute(x)
	default:
		if av, err = dynamo.Marshal(v); err != nil {
			return nil, false, fault.New(fault.Invalid, "bad_value", "table: encode", err)
		}
		rv := reflect.ValueOf(v)
		zero = rv.IsZero() || av == nil
		if av == nil && rv.Kind() == reflect.String {
			av = &types.AttributeValueMemberS{}
		}
	}
	if av == nil {
		return nil, true, nil
	}
	_, better, err := checkValue(av, 1)
	if err != nil {
		return nil, false, fault.New(fault.Invalid, "bad_value", "table: encode", err)
	}
	if better != nil {
		av = better
	}
	return av, zero, nil
}

func zeroAttribute(av types.AttributeValue) bool {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberB:
		return len(v.Value) == 0
	case *types.AttributeValueMemberN:
		d, ok := parseDecimal(v.Value)
		return ok && d.sign() == 0
	case *types.AttributeValueMemberBOOL:
		return !v.Value
	case *types.AttributeValueMemberNULL:
		return true
	}
	return false
}

// checkField allows the attribute names that can be written in an expression without escapes; a row put
// as a whole may have others.
func checkField(name string) error {
	ok := name != "" && len(name) <= 255
	for i := 0; ok && i < len(name); i++ {
		c := name[i]
		ok = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '#'
	}
	if !ok {
		return fault.Newf(fault.Invalid, "bad_field", "%.40q cannot name an attribute in a condition or update", name)
	}
	return nil
}

func checkConds(conds []Cond) error {
	for _, c := range conds {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

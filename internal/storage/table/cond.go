package table

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
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

// Cond is a condition on the row before a write; several are joined by AND. Drivers read the fields.
type Cond struct {
	Kind  CondKind
	Field string
	Value types.AttributeValue // nil for a value that the codec leaves out, such as an empty list
	Zero  bool                 // Value is the zero value of its type: an absent attribute equals it
	err   error
}

// IfAbsent holds when there is no such row.
func IfAbsent() Cond { return Cond{Kind: CondAbsent} }

// IfPresent holds when there is such a row.
func IfPresent() Cond { return Cond{Kind: CondPresent} }

// IfEqual holds when the attribute has the value, a string, number, byte slice or boolean. An absent attribute or row
// counts as zero.
func IfEqual(field string, v any) Cond {
	c := Cond{Kind: CondEqual, Field: field}
	if c.Value, c.Zero, c.err = encodeValue(v); c.err != nil {
		return c
	}
	if _, isList := c.Value.(*types.AttributeValueMemberL); isList {
		c.err = fault.Newf(fault.Invalid, "bad_condition", "%s: lists cannot be compared", field)
	} else {
		c.err = checkField(field)
	}
	return c
}

// IfLess holds when the attribute is an integer less than n. An absent attribute or row counts as 0.
func IfLess(field string, n int64) Cond {
	v := &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	return Cond{Kind: CondLess, Field: field, Value: v, Zero: n == 0, err: checkField(field)}
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
	default:
		n, ok := intOf(c.Value)
		return ok && n > 0
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

// Holds evaluates conditions on the row, or on none if exists is false or the row has expired.
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
		return equalScalars(have, c.Value)
	}
	a, ok1 := intOf(have)
	b, ok2 := intOf(c.Value)
	return ok1 && ok2 && a < b
}

func intOf(av types.AttributeValue) (int64, bool) {
	n, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	return rowenc.Int(n.Value)
}

// equalScalars compares by type and value. Numbers are canonical on both sides, so their texts compare.
func equalScalars(a, b types.AttributeValue) bool {
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
	}
	return false
}

// encodeValue encodes a Go value. av is nil if the codec leaves it out; zero means that an absent attribute equals it.
func encodeValue(v any) (av types.AttributeValue, zero bool, err error) {
	switch x := v.(type) {
	case nil:
		return nil, true, nil
	case string:
		av, zero = &types.AttributeValueMemberS{Value: x}, x == ""
	case []byte:
		// Never nil, which the SDK encodes as null, and the service refuses.
		av, zero = &types.AttributeValueMemberB{Value: append([]byte{}, x...)}, len(x) == 0
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
	if n, ok := av.(*types.AttributeValueMemberN); ok {
		if text, ok := canonicalNumber(n.Value); ok {
			n.Value = text
		}
	}
	if _, err := valueSize(av); err != nil {
		return nil, false, fault.New(fault.Invalid, "bad_value", "table: encode", err)
	}
	return av, zero, nil
}

// checkField allows names that an expression can contain without escapes. Rows put whole may have others.
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

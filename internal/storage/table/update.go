package table

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
)

// ReturnKind says which row an Update gives back.
type ReturnKind uint8

// What an Update returns.
const (
	ReturnNone ReturnKind = iota
	ReturnOld             // the row before; Into stays zero when there was none
	ReturnNew             // the row after
)

// Update changes attributes of one row, atomically. It creates the row unless conditioned. An attribute
// may occur in one of the four maps only; the key's two never.
type Update struct {
	Set          map[string]any // a value that the codec leaves out ("", nil, empty) removes the attribute
	SetIfMissing map[string]any
	Add          map[string]int64 // a missing number counts as 0
	Remove       []string
	If           []Cond
	Return       ReturnKind
	Into         any // pointer to a struct or *Item, filled as Return says; nil = not wanted
}

// op validates an update and puts it into a driver's words. size is a lower bound of what the row will
// have: enough to refuse what cannot fit before it is sent.
func (u *Update) op(k Key, now int64) (op UpdateOp, size int, err error) {
	op = UpdateOp{Key: k, Conds: u.If, Now: now, Return: u.Return, Remove: slices.Clone(u.Remove)}
	if u.Into == nil {
		op.Return = ReturnNone
	}
	size = len(PKAttr) + len(SKAttr) + len(k.PK) + len(k.SK)
	for field, v := range u.Set {
		av, zero, err := encodeValue(v)
		if err != nil {
			return op, 0, err
		}
		if zero && omitted(av) {
			op.Remove = append(op.Remove, field)
			continue
		}
		n, _, _ := checkValue(av, 1)
		size += len(field) + n
		op.Set = append(op.Set, Assign{field, av})
	}
	for field, v := range u.SetIfMissing {
		av, _, err := encodeValue(v)
		if err != nil {
			return op, 0, err
		}
		if av == nil {
			return op, 0, fault.Newf(fault.Invalid, "bad_update", "%s: nothing to set", field)
		}
		op.SetIfMissing = append(op.SetIfMissing, Assign{field, av})
	}
	for field, n := range u.Add {
		op.Add = append(op.Add, Addition{field, n})
	}
	op.sort()
	if size > MaxRow {
		return op, size, tooLarge(size)
	}
	return op, size, op.check()
}

func omitted(av types.AttributeValue) bool {
	switch v := av.(type) {
	case nil:
		return true
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberB:
		return len(v.Value) == 0
	}
	return false
}

func (op *UpdateOp) sort() {
	byField := func(a, b Assign) int { return compareText(a.Field, b.Field) }
	slices.SortFunc(op.Set, byField)
	slices.SortFunc(op.SetIfMissing, byField)
	slices.SortFunc(op.Add, func(a, b Addition) int { return compareText(a.Field, b.Field) })
	slices.Sort(op.Remove)
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (op *UpdateOp) check() error {
	var fields []string
	for _, a := range op.Set {
		fields = append(fields, a.Field)
	}
	for _, a := range op.SetIfMissing {
		fields = append(fields, a.Field)
	}
	for _, a := range op.Add {
		fields = append(fields, a.Field)
		if a.Field == TTLAttr {
			return fault.Newf(fault.Invalid, "bad_update", "ttl is set, never added to")
		}
	}
	fields = append(fields, op.Remove...)
	if len(fields) == 0 {
		return fault.Newf(fault.Invalid, "bad_update", "an update changes something")
	}
	slices.Sort(fields)
	for i, f := range fields {
		if err := checkField(f); err != nil {
			return err
		}
		if f == PKAttr || f == SKAttr || i > 0 && f == fields[i-1] {
			return fault.Newf(fault.Invalid, "bad_update", "%s is part of the key or named twice", f)
		}
	}
	for _, a := range slices.Concat(op.Set, op.SetIfMissing) {
		if a.Field == TTLAttr {
			if _, err := ttlOf(Item{TTLAttr: a.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Apply gives the row that an update makes of old (exists false: of nothing), as every driver must:
// evaluate conditions with Holds first. It fails as Invalid when an Add meets what is not a number, as
// TooLarge when the row would grow too big.
func (op *UpdateOp) Apply(old Row, exists bool) (Row, error) {
	item := Item{}
	if exists && !old.Expired(op.Now) {
		have, err := old.Item()
		if err != nil {
			return Row{}, err
		}
		item = maps.Clone(have)
	}
	item[PKAttr] = &types.AttributeValueMemberS{Value: op.Key.PK}
	item[SKAttr] = &types.AttributeValueMemberS{Value: op.Key.SK}
	for _, a := range op.SetIfMissing {
		if _, ok := item[a.Field]; !ok {
			item[a.Field] = a.Value
		}
	}
	for _, a := range op.Set {
		item[a.Field] = a.Value
	}
	for _, a := range op.Add {
		sum, err := add(item[a.Field], a.N)
		if err != nil {
			return Row{}, fault.New(fault.Invalid, "bad_update", "table: add to "+a.Field, err)
		}
		item[a.Field] = &types.AttributeValueMemberN{Value: sum}
	}
	for _, f := range op.Remove {
		delete(item, f)
	}
	return newRow(item)
}

func add(have types.AttributeValue, n int64) (string, error) {
	var d decimal
	switch v := have.(type) {
	case nil:
	case *types.AttributeValueMemberN:
		var ok bool
		if d, ok = parseDecimal(v.Value); !ok {
			return "", badValue("not a number: " + v.Value)
		}
	default:
		return "", badValue("the attribute is not a number")
	}
	sum, ok := d.plus(n)
	if !ok {
		return "", badValue("the sum has more than 38 digits")
	}
	return sum.String(), nil
}

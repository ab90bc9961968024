package table

import (
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
)

// ReturnKind says which row an Update returns.
type ReturnKind uint8

// What an Update returns.
const (
	ReturnNone ReturnKind = iota
	ReturnOld             // the row before; Into stays zero when there was none
	ReturnNew             // the row after
)

// Update changes attributes of one row, atomically. It creates the row unless a condition forbids it. Each attribute
// may occur in only one of the four fields; those of the key in none.
type Update struct {
	Set          map[string]any // a value that the codec leaves out ("", nil, empty) removes the attribute
	SetIfMissing map[string]any
	Add          map[string]int64 // a missing number counts as 0
	Remove       []string
	If           []Cond
	Return       ReturnKind
	Into         any // pointer to a struct or *Item, filled as Return says; nil = not wanted
}

// op validates an update and encodes it. size is a lower bound of the new row, to refuse early what cannot fit.
func (u *Update) op(k Key) (op WriteOp, size int, err error) {
	op = WriteOp{Kind: OpUpdate, Key: k, Conds: u.If, Return: u.Return,
		Changes: Changes{Remove: slices.Clone(u.Remove)}}
	if u.Into == nil {
		op.Return = ReturnNone
	}
	size = len(PKAttr) + len(SKAttr) + len(k.PK) + len(k.SK)
	for _, field := range sorted(u.Set) {
		v := u.Set[field]
		av, zero, err := encodeValue(v)
		if err != nil {
			return op, 0, err
		}
		if zero && omitted(av) {
			op.Remove = append(op.Remove, field)
			continue
		}
		n, _ := valueSize(av)
		size += len(field) + n
		op.Set = append(op.Set, Assign{field, av})
	}
	for _, field := range sorted(u.SetIfMissing) {
		av, _, err := encodeValue(u.SetIfMissing[field])
		if err != nil {
			return op, 0, err
		}
		if av == nil {
			return op, 0, fault.Newf(fault.Invalid, "bad_update", "%s: nothing to set", field)
		}
		op.SetIfMissing = append(op.SetIfMissing, Assign{field, av})
	}
	for _, field := range sorted(u.Add) {
		op.Add = append(op.Add, Addition{field, u.Add[field]})
	}
	slices.Sort(op.Remove)
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

// sorted are the fields in the order in which an update has them.
func sorted[V any](fields map[string]V) []string { return slices.Sorted(maps.Keys(fields)) }

func (op *Changes) check() error {
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
		return fault.Newf(fault.Invalid, "bad_update", "the update changes nothing")
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

// Effect is the outcome of a write.
type Effect struct {
	Row      Row // to be stored, unless the write deletes
	Returned Row // as WriteOp.Return says
	Found    bool
	Usage    Usage
}

// Evaluate returns the effect of a write on the stored row, or on none if exists is false. After an error, Conflict or
// one of Updated, only the usage is valid.
func (op *WriteOp) Evaluate(old Row, exists bool) (e Effect, err error) {
	e.Usage.Write = WriteUnits(old.Size(), 0)
	if !Holds(op.Conds, old, exists, op.Now) {
		return e, Failed(op.Key)
	}
	switch op.Kind {
	case OpDelete:
		return e, nil
	case OpPut:
		e.Row = op.Row
	case OpUpdate:
		if e.Row, err = op.Updated(old, exists); err != nil {
			return e, err
		}
	}
	e.Usage.Write = WriteUnits(old.Size(), e.Row.Size())
	switch op.Return {
	case ReturnOld:
		e.Returned, e.Found = old, exists && !old.Expired(op.Now)
	case ReturnNew:
		e.Returned, e.Found = e.Row, true
	}
	return e, nil
}

// Updated returns the row that an update makes of old, or of no row when exists is false. Errors: Invalid when Add
// meets something other than an integer, TooLarge when the row grows too big.
func (op *WriteOp) Updated(old Row, exists bool) (Row, error) {
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
	var old int64
	if have != nil {
		var ok bool
		if old, ok = intOf(have); !ok {
			return "", badValue("the attribute is not an integer")
		}
	}
	sum := old + n
	if (sum > old) != (n > 0) && n != 0 {
		return "", badValue("the sum overflows")
	}
	return strconv.FormatInt(sum, 10), nil
}

package tabletest

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// model is the seam's semantics once more, as plainly as can be, over Go values: int64, string, bool and
// blob. It shares no code with the drivers, so that a mistake must be made twice to pass.
type model struct {
	now  int64
	rows map[table.Key]attrs
}

type attrs map[string]any

type blob string

func (m *model) live(k table.Key) (attrs, bool) {
	row, ok := m.rows[k]
	if ttl, has := row["ttl"].(int64); ok && has && ttl > 0 && ttl <= m.now {
		return nil, false
	}
	return row, ok
}

// condition mirrors table.Cond.
type condition struct {
	kind  table.CondKind
	field string
	value any
}

func (c condition) cond() table.Cond {
	switch c.kind {
	case table.CondAbsent:
		return table.IfAbsent()
	case table.CondPresent:
		return table.IfPresent()
	case table.CondEqual:
		return table.IfEqual(c.field, plain(c.value))
	}
	return table.IfLess(c.field, c.value.(int64))
}

func (m *model) holds(k table.Key, conds []condition) bool {
	row, exists := m.live(k)
	for _, c := range conds {
		var ok bool
		switch c.kind {
		case table.CondAbsent:
			ok = !exists
		case table.CondPresent:
			ok = exists
		default:
			ok = compare(row[c.field], c.value, c.kind == table.CondLess)
		}
		if !ok {
			return false
		}
	}
	return true
}

// compare reports whether have == want, or have < want; an absent value is the zero of want's type.
func compare(have, want any, less bool) bool {
	if w, ok := want.(int64); ok {
		h, ok := have.(int64)
		return (ok || have == nil) && (less && h < w || !less && h == w)
	}
	if have == nil {
		return want == "" || want == blob("") || want == false
	}
	return have == want
}

// outcome of a write: its kind of error, if any.
type outcome struct {
	failed bool
	kind   fault.Kind
}

func (m *model) put(k table.Key, row attrs, conds []condition) outcome {
	if !m.holds(k, conds) {
		return outcome{true, fault.Conflict}
	}
	m.rows[k] = row
	return outcome{}
}

func (m *model) delete(k table.Key, conds []condition) outcome {
	if !m.holds(k, conds) {
		return outcome{true, fault.Conflict}
	}
	delete(m.rows, k)
	return outcome{}
}

func (m *model) update(k table.Key, u table.Update, conds []condition) (old, changed attrs, o outcome) {
	if !m.holds(k, conds) {
		return nil, nil, outcome{true, fault.Conflict}
	}
	old, _ = m.live(k)
	next := attrs{}
	maps.Copy(next, old)
	for name, n := range u.Add {
		have, isInt := next[name].(int64)
		if !isInt && next[name] != nil {
			return nil, nil, outcome{true, fault.Invalid}
		}
		next[name] = have + n
	}
	for name, v := range u.Set {
		if next[name] = modelValue(v); next[name] == "" || next[name] == blob("") {
			delete(next, name)
		}
	}
	for name, v := range u.SetIfMissing {
		if _, ok := next[name]; !ok {
			next[name] = modelValue(v)
		}
	}
	for _, name := range u.Remove {
		delete(next, name)
	}
	m.rows[k] = next
	return old, next, outcome{}
}

// modelValue turns a byte slice into a blob.
func modelValue(v any) any {
	if b, ok := v.([]byte); ok {
		return blob(b)
	}
	return v
}

// query gives the keys of a query's whole answer.
func (m *model) query(q table.Query) (keys []string) {
	for k := range m.rows {
		_, alive := m.live(k)
		if alive && k.PK == q.PK && strings.HasPrefix(k.SK, q.Prefix) && k.SK >= q.From && (q.To == "" || k.SK < q.To) {
			keys = append(keys, k.SK)
		}
	}
	slices.Sort(keys)
	if q.Desc {
		slices.Reverse(keys)
	}
	return keys
}

// values turns an item into the model's form, without the key.
func values(item table.Item) attrs {
	out := attrs{}
	for name, av := range item {
		switch v := av.(type) {
		case *types.AttributeValueMemberS:
			out[name] = v.Value
		case *types.AttributeValueMemberN:
			out[name], _ = strconv.ParseInt(v.Value, 10, 64)
		case *types.AttributeValueMemberB:
			out[name] = blob(v.Value)
		case *types.AttributeValueMemberBOOL:
			out[name] = v.Value
		}
	}
	delete(out, table.PKAttr)
	delete(out, table.SKAttr)
	return out
}

package table

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// Canonical gives bytes that are equal exactly when two rows are, key included, whichever engine they came
// from: attributes by name, numbers in their one form, sets in order.
func (r Row) Canonical() ([]byte, error) {
	item, err := r.Item()
	if err != nil {
		return nil, err
	}
	c, err := newRow(sortSets(item))
	if err != nil {
		return nil, err
	}
	return rowenc.Append(make([]byte, 0, c.size+64), c.item, c.size, c.ttl), nil
}

// Without gives the row without an attribute.
func (r Row) Without(name string) (Row, error) {
	item, err := r.Item()
	if err != nil {
		return Row{}, err
	}
	item = maps.Clone(item)
	delete(item, name)
	return newRow(item)
}

// sortSets copies an item with its sets in order: DynamoDB keeps none.
func sortSets(item Item) Item {
	out := maps.Clone(item)
	for name, av := range out {
		switch v := av.(type) {
		case *types.AttributeValueMemberSS:
			out[name] = &types.AttributeValueMemberSS{Value: slices.Sorted(slices.Values(v.Value))}
		case *types.AttributeValueMemberNS:
			out[name] = &types.AttributeValueMemberNS{Value: slices.Sorted(slices.Values(v.Value))}
		case *types.AttributeValueMemberBS:
			out[name] = &types.AttributeValueMemberBS{Value: slices.SortedFunc(slices.Values(v.Value), bytes.Compare)}
		}
	}
	return out
}

// JSON writes the row as DynamoDB's own exports do: {"pk":{"S":"…"},"n":{"N":"1"},…}, attributes by name.
func (r Row) JSON() ([]byte, error) {
	item, err := r.Item()
	if err != nil {
		return nil, err
	}
	return json.Marshal(jsonMap(item))
}

func jsonMap(item Item) map[string]any {
	out := make(map[string]any, len(item))
	for name, av := range item {
		out[name] = jsonValue(av)
	}
	return out
}

func jsonValue(av types.AttributeValue) map[string]any {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}
	case *types.AttributeValueMemberBS:
		return map[string]any{"BS": v.Value}
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			list[i] = jsonValue(e)
		}
		return map[string]any{"L": list}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": jsonMap(v.Value)}
	}
	return map[string]any{"NULL": true}
}

// ParseJSON reads what JSON wrote, from whoever it comes: the row is validated like one that is to be written.
func ParseJSON(b []byte) (Row, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return Row{}, fault.New(fault.Invalid, "bad_row", "table: parse", err)
	}
	item, err := parseMap(raw, 1)
	if err != nil {
		return Row{}, fault.New(fault.Invalid, "bad_row", "table: parse", err)
	}
	return newRow(item)
}

func parseMap(raw map[string]json.RawMessage, depth int) (Item, error) {
	item := make(Item, len(raw))
	for name, b := range raw {
		av, err := parseValue(b, depth)
		if err != nil {
			return nil, err
		}
		item[name] = av
	}
	return item, nil
}

func parseValue(b json.RawMessage, depth int) (types.AttributeValue, error) {
	if depth > maxDepth {
		return nil, badValue("nested deeper than 32 levels")
	}
	var typed map[string]json.RawMessage
	if err := json.Unmarshal(b, &typed); err != nil {
		return nil, err
	}
	if len(typed) != 1 {
		return nil, badValue("a value has exactly one type")
	}
	for kind, v := range typed {
		return parseTyped(kind, v, depth)
	}
	return nil, badValue("no value")
}

func parseTyped(kind string, b json.RawMessage, depth int) (types.AttributeValue, error) {
	switch kind {
	case "S":
		v := new(types.AttributeValueMemberS)
		return v, into(b, &v.Value)
	case "N":
		v := new(types.AttributeValueMemberN)
		return v, into(b, &v.Value)
	case "B":
		v := new(types.AttributeValueMemberB)
		return v, into(b, &v.Value)
	case "BOOL":
		v := new(types.AttributeValueMemberBOOL)
		return v, into(b, &v.Value)
	case "NULL":
		v := new(types.AttributeValueMemberNULL)
		return v, into(b, &v.Value)
	case "SS":
		v := new(types.AttributeValueMemberSS)
		return v, into(b, &v.Value)
	case "NS":
		v := new(types.AttributeValueMemberNS)
		return v, into(b, &v.Value)
	case "BS":
		v := new(types.AttributeValueMemberBS)
		return v, into(b, &v.Value)
	case "L":
		var raw []json.RawMessage
		if err := into(b, &raw); err != nil {
			return nil, err
		}
		v := &types.AttributeValueMemberL{Value: make([]types.AttributeValue, len(raw))}
		for i, e := range raw {
			av, err := parseValue(e, depth+1)
			if err != nil {
				return nil, err
			}
			v.Value[i] = av
		}
		return v, nil
	case "M":
		var raw map[string]json.RawMessage
		if err := into(b, &raw); err != nil {
			return nil, err
		}
		m, err := parseMap(raw, depth+1)
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, badValue("there is no type " + kind[:min(len(kind), 20)])
}

// into refuses null, which encoding/json would take as "leave it".
func into(b json.RawMessage, out any) error {
	if string(b) == "null" {
		return badValue("null is no value")
	}
	return json.Unmarshal(b, out)
}

package table

import (
	"encoding/json"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Without returns the row without an attribute.
func (r Row) Without(name string) (Row, error) {
	item, err := r.Item()
	if err != nil {
		return Row{}, err
	}
	item = maps.Clone(item)
	delete(item, name)
	return newRow(item)
}

// jsonValue is a value in DynamoDB's JSON; exactly one field is set.
type jsonValue struct {
	S    *string      `json:"S,omitempty"`
	N    *string      `json:"N,omitempty"`
	B    *[]byte      `json:"B,omitempty"`
	BOOL *bool        `json:"BOOL,omitempty"`
	L    *[]jsonValue `json:"L,omitempty"`
}

// JSON encodes the row as DynamoDB's own exports do: {"pk":{"S":"…"},"n":{"N":"1"},…}, attributes by name.
func (r Row) JSON() ([]byte, error) {
	item, err := r.Item()
	if err != nil {
		return nil, err
	}
	out := make(map[string]jsonValue, len(item))
	for name, av := range item {
		out[name] = toJSON(av)
	}
	return json.Marshal(out)
}

func toJSON(av types.AttributeValue) (j jsonValue) {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		j.S = &v.Value
	case *types.AttributeValueMemberN:
		j.N = &v.Value
	case *types.AttributeValueMemberB:
		b := append([]byte{}, v.Value...) // never nil, which would become null
		j.B = &b
	case *types.AttributeValueMemberBOOL:
		j.BOOL = &v.Value
	case *types.AttributeValueMemberL:
		list := make([]jsonValue, len(v.Value))
		for i, e := range v.Value {
			list[i] = toJSON(e)
		}
		j.L = &list
	}
	return j
}

// ParseJSON parses what JSON encoded. The input is not trusted: the row is validated like one that is to be written.
func ParseJSON(b []byte) (Row, error) {
	var raw map[string]jsonValue
	if err := json.Unmarshal(b, &raw); err != nil {
		return Row{}, fault.New(fault.Invalid, "bad_row", "table: parse", err)
	}
	item := make(Item, len(raw))
	for name, j := range raw {
		av, err := j.value()
		if err != nil {
			return Row{}, fault.New(fault.Invalid, "bad_row", "table: parse", err)
		}
		item[name] = av
	}
	return newRow(item)
}

func (j jsonValue) value() (av types.AttributeValue, err error) {
	given := 0
	if j.S != nil {
		av, given = &types.AttributeValueMemberS{Value: *j.S}, given+1
	}
	if j.N != nil {
		av, given = &types.AttributeValueMemberN{Value: *j.N}, given+1
	}
	if j.B != nil {
		av, given = &types.AttributeValueMemberB{Value: *j.B}, given+1
	}
	if j.BOOL != nil {
		av, given = &types.AttributeValueMemberBOOL{Value: *j.BOOL}, given+1
	}
	if j.L != nil {
		list := make([]types.AttributeValue, len(*j.L))
		for i, e := range *j.L {
			if list[i], err = e.value(); err != nil {
				return nil, err
			}
		}
		av, given = &types.AttributeValueMemberL{Value: list}, given+1
	}
	if given != 1 {
		return nil, badValue("a value has exactly one of the types S, N, B, BOOL and L")
	}
	return av, nil
}

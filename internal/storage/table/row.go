package table

import (
	"cmp"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// Row is one row as its engine delivered it, DynamoDB's values or JSON; callers see no difference. It is immutable.
type Row struct {
	Key  Key
	item Item
	enc  string
	size int
	ttl  int64
}

// PackedRow makes a Row of Row.Packed, Size and TTL. Damaged text is reported by Decode, so that other rows are
// readable.
func PackedRow(k Key, enc string, size int, ttl int64) Row {
	return Row{Key: k, enc: cmp.Or(enc, damagedEnc), size: size, ttl: ttl}
}

// damagedEnc takes the place of no text at all, which no writer stores either.
const damagedEnc = "\x00"

// ItemRow makes a Row of attribute values that a driver read, the key's two included.
func ItemRow(item Item) Row {
	r := Row{item: item}
	if pk, ok := item[PKAttr].(*types.AttributeValueMemberS); ok {
		r.Key.PK = pk.Value
	}
	if sk, ok := item[SKAttr].(*types.AttributeValueMemberS); ok {
		r.Key.SK = sk.Value
	}
	for name, av := range item {
		n, _ := valueSize(av)
		r.size += len(name) + n
	}
	r.ttl, _ = ttlOf(item) // an invalid ttl, written by another program, means never
	return r
}

// NewRow validates a row that is to be written: a struct with dynamo tags, or an Item.
func NewRow(row any) (Row, error) {
	item, err := Encode(row)
	if err != nil {
		return Row{}, err
	}
	return newRow(item)
}

func newRow(item Item) (Row, error) {
	r := Row{item: item}
	pk, ok1 := item[PKAttr].(*types.AttributeValueMemberS)
	sk, ok2 := item[SKAttr].(*types.AttributeValueMemberS)
	if !ok1 || !ok2 {
		return r, fault.Newf(fault.Invalid, "bad_key", "a row has the strings %s and %s", PKAttr, SKAttr)
	}
	r.Key = Key{PK: pk.Value, SK: sk.Value}
	err := checkKey(r.Key)
	if err == nil {
		r.size, r.ttl, err = checkItem(item)
	}
	return r, err
}

// Size is the row's size in bytes by DynamoDB's formula.
func (r Row) Size() int { return r.size }

// TTL is the row's expiry in Unix seconds, 0 = never.
func (r Row) TTL() int64 { return r.ttl }

// Expired reports whether the row counts as absent at now (Unix seconds).
func (r Row) Expired(now int64) bool { return r.ttl > 0 && r.ttl <= now }

// Item returns the row as attribute values. Do not change the map: it may be the Row's own.
func (r Row) Item() (Item, error) {
	if r.item != nil || r.enc == "" {
		return r.item, nil
	}
	item, err := rowenc.Decode(r.enc)
	if err != nil {
		return nil, r.damaged(err)
	}
	item[PKAttr] = &types.AttributeValueMemberS{Value: r.Key.PK}
	item[SKAttr] = &types.AttributeValueMemberS{Value: r.Key.SK}
	return item, nil
}

// Field returns one attribute, nil when the row lacks it.
func (r Row) Field(name string) types.AttributeValue {
	switch {
	case r.item != nil:
		return r.item[name]
	case name == PKAttr:
		return &types.AttributeValueMemberS{Value: r.Key.PK}
	case name == SKAttr:
		return &types.AttributeValueMemberS{Value: r.Key.SK}
	case r.enc == "":
		return nil
	}
	av, _ := rowenc.Field(r.enc, name)
	return av
}

// Decode fills out: a pointer to a struct with dynamo tags, or a *Item.
func (r Row) Decode(out any) error { return r.DecodeWithout("", out) }

// DecodeWithout is Decode without one attribute, which out then does not keep in memory either.
func (r Row) DecodeWithout(name string, out any) error {
	if r.enc != "" && r.item == nil && r.decodeText(name, out) {
		return nil
	}
	item, err := r.Item()
	if err != nil {
		return err
	}
	if name != "" {
		item = maps.Clone(item)
		delete(item, name)
	}
	if err := Decode(item, out); err != nil {
		return r.damaged(err)
	}
	return nil
}

func (r Row) damaged(err error) error {
	return fault.New(fault.Unavailable, "row_damaged", "table: decode "+r.Key.PK+" "+r.Key.SK, err)
}

// Packed encodes the row as the text that embedded engines store, without its key.
func (r Row) Packed() string {
	if r.enc != "" || r.item == nil {
		return r.enc
	}
	return string(rowenc.Append(make([]byte, 0, r.size+r.size/2), r.item, PKAttr, SKAttr))
}

// Encode makes an Item of a struct with dynamo tags by guregu's codec, which leaves zero strings and bytes out. An Item
// is copied.
func Encode(row any) (Item, error) {
	switch v := row.(type) {
	case Item:
		return maps.Clone(v), nil
	case nil:
		return nil, fault.Newf(fault.Invalid, "bad_row", "no row")
	}
	item, err := dynamo.MarshalItem(row)
	if err != nil {
		return nil, fault.New(fault.Invalid, "bad_row", "table: encode", err)
	}
	return item, nil
}

// Decode fills out from an Item by guregu's codec. Attributes without a field are ignored, fields without an
// attribute become zero.
func Decode(item Item, out any) error {
	if p, ok := out.(*Item); ok {
		*p = item
		return nil
	}
	if decodeStruct(item, out) {
		return nil
	}
	if err := dynamo.UnmarshalItem(item, out); err != nil {
		return fault.New(fault.Internal, "row_undecodable", "table: decode", err)
	}
	return nil
}

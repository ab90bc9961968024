package table

import (
	"encoding/binary"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// Canonical returns bytes that are equal exactly when two rows are equal, key included, whichever engine they came
// from: attributes by name, numbers in canonical form. Archives hold sums of them, so they stay as they are:
//
//	row   = 0x01 size ttl count { len name value }
//	value = 1 false | 2 true | 3 len string | 4 integer, zigzag | 5 len decimal text | 6 len bytes
//	        | 10 count { value }
func (r Row) Canonical() ([]byte, error) {
	item, err := r.Item()
	if err != nil {
		return nil, err
	}
	c, err := newRow(maps.Clone(item))
	if err != nil {
		return nil, err
	}
	b := []byte{1}
	for _, n := range []int64{int64(c.size), c.ttl, int64(len(c.item))} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, name := range rowenc.Names(c.item) {
		b = appendCanonical(reader.AppendText(b, name), c.item[name])
	}
	return b, nil
}

func appendCanonical(b []byte, av types.AttributeValue) []byte {
	switch v := av.(type) {
	case *types.AttributeValueMemberBOOL:
		if v.Value {
			return append(b, 2)
		}
		return append(b, 1)
	case *types.AttributeValueMemberS:
		return reader.AppendText(append(b, 3), v.Value)
	case *types.AttributeValueMemberN:
		if n, ok := rowenc.Int(v.Value); ok {
			return binary.AppendVarint(append(b, 4), n)
		}
		return reader.AppendText(append(b, 5), v.Value)
	case *types.AttributeValueMemberB:
		return reader.AppendText(append(b, 6), string(v.Value))
	case *types.AttributeValueMemberL:
		b = binary.AppendUvarint(append(b, 10), uint64(len(v.Value)))
		for _, e := range v.Value {
			b = appendCanonical(b, e)
		}
	}
	return b
}

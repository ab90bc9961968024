package rowenc

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/reader"
)

// cloneOver is the row size above which strings are copied instead of sharing the row's memory, so that keeping a
// title does not keep a large row alive.
const cloneOver = 4 << 10

// rowReader decodes a row.
type rowReader struct {
	reader.Decoder
	whole int // length of the row
}

func open(row string) (r *rowReader, size int, ttl int64) {
	r = &rowReader{Decoder: reader.Decoder{Rest: row}, whole: len(row)}
	if r.Byte() != Version {
		r.Fail()
	}
	size = int(r.Uvarint())
	ttl = int64(r.Uvarint())
	if size < 0 || ttl < 0 {
		r.Fail()
	}
	return r, size, ttl
}

func (r *rowReader) fields() Item {
	n := r.Count()
	item := make(Item, n+2) // space for the key, which the row leaves out
	for last := ""; n > 0 && !r.Bad; n-- {
		name := r.Text()
		if name < last { // a row has only one encoding
			r.Fail()
		}
		last = name
		if av := r.value(); av != nil {
			item[name] = av
		}
	}
	return item
}

// value returns the next value; nil when the row is damaged.
func (r *rowReader) value() types.AttributeValue {
	tag := r.Byte()
	if tag != tagL {
		return r.scalar(tag)
	}
	n := r.Count()
	list := make([]types.AttributeValue, 0, n)
	for ; n > 0 && !r.Bad; n-- {
		if av := r.scalar(r.Byte()); av != nil {
			list = append(list, av)
		}
	}
	return &types.AttributeValueMemberL{Value: list}
}

func (r *rowReader) scalar(tag byte) types.AttributeValue {
	switch tag {
	case tagFalse, tagTrue:
		return &types.AttributeValueMemberBOOL{Value: tag == tagTrue}
	case tagS:
		t := r.Text()
		if r.whole > cloneOver {
			t = strings.Clone(t)
		}
		return &types.AttributeValueMemberS{Value: t}
	case tagInt:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(r.Varint(), 10)}
	case tagN:
		return &types.AttributeValueMemberN{Value: r.Text()}
	case tagB:
		return &types.AttributeValueMemberB{Value: []byte(r.Text())}
	default:
		r.Fail()
		return nil
	}
}

// skip skips one value.
func (r *rowReader) skip() {
	tag := r.Byte()
	if tag != tagL {
		r.skipScalar(tag)
		return
	}
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		r.skipScalar(r.Byte())
	}
}

func (r *rowReader) skipScalar(tag byte) {
	switch tag {
	case tagFalse, tagTrue:
	case tagS, tagN, tagB:
		r.Text()
	case tagInt:
		r.Uvarint()
	default:
		r.Fail()
	}
}

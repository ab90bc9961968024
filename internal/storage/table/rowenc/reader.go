package rowenc

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/storage/binread"
)

// cloneOver is the row size above which strings are copied instead of sharing the row's memory, so that keeping a
// title does not keep a large row alive.
const cloneOver = 4 << 10

// reader decodes a row.
type reader struct{ binread.Reader }

func open(row string) (r *reader, size int, ttl int64) {
	r = &reader{binread.Reader{S: row, I: 1, Bad: len(row) == 0 || row[0] != Version}}
	size = int(r.Uvarint())
	ttl = int64(r.Uvarint())
	if size < 0 || ttl < 0 {
		r.Bad = true
	}
	return r, size, ttl
}

func (r *reader) fields() Item {
	n := r.Count()
	item := make(Item, n+2) // space for the key, which the row leaves out
	for last := ""; n > 0 && !r.Bad; n-- {
		name := r.Text()
		if name < last { // a row has only one encoding
			r.Bad = true
		}
		last = name
		if av := r.value(); av != nil {
			item[name] = av
		}
	}
	return item
}

// value returns the next value; nil when the row is damaged.
func (r *reader) value() types.AttributeValue {
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

func (r *reader) scalar(tag byte) types.AttributeValue {
	switch tag {
	case tagFalse, tagTrue:
		return &types.AttributeValueMemberBOOL{Value: tag == tagTrue}
	case tagS:
		t := r.Text()
		if len(r.S) > cloneOver {
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
		r.Bad = true
		return nil
	}
}

// skip skips one value.
func (r *reader) skip() {
	tag := r.Byte()
	if tag != tagL {
		r.skipScalar(tag)
		return
	}
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		r.skipScalar(r.Byte())
	}
}

func (r *reader) skipScalar(tag byte) {
	switch tag {
	case tagFalse, tagTrue:
	case tagS, tagN, tagB:
		r.Text()
	case tagInt:
		r.Uvarint()
	default:
		r.Bad = true
	}
}

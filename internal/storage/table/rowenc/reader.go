package rowenc

import (
	"encoding/binary"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// reader walks an encoded row. Once bad it stays bad and gives zero values, so callers check once.
type reader struct {
	s   string
	i   int
	bad bool
}

func open(row string) (r *reader, size int, ttl int64) {
	r = &reader{s: row, i: 1, bad: len(row) == 0 || row[0] != Version}
	size = int(r.uvarint())
	ttl = int64(r.uvarint())
	if size < 0 || ttl < 0 {
		r.bad = true
	}
	return r, size, ttl
}

func (r *reader) uvarint() uint64 {
	// One byte is by far the commonest: lengths of names and short texts.
	if !r.bad && r.i < len(r.s) && r.s[r.i] < 0x80 {
		r.i++
		return uint64(r.s[r.i-1])
	}
	var v uint64
	for shift := uint(0); !r.bad && r.i < len(r.s) && shift < 8*binary.MaxVarintLen64; shift += 7 {
		b := r.s[r.i]
		r.i++
		if shift == 63 && b > 1 {
			break
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.bad = true
	return 0
}

func (r *reader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// count reads a number of things of at least one byte each, so that a damaged row cannot ask for memory.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.s)-r.i) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	if r.bad {
		return ""
	}
	t := r.s[r.i : r.i+n]
	r.i += n
	return t
}

func (r *reader) tag() byte {
	if r.bad || r.i >= len(r.s) {
		r.bad = true
		return 0
	}
	r.i++
	return r.s[r.i-1]
}

func (r *reader) texts() []string {
	set := make([]string, r.count())
	for i := range set {
		set[i] = r.text()
	}
	return set
}

func (r *reader) fields(depth int) Item {
	n := r.count()
	item := make(Item, n+2) // room for the key, which the row leaves out
	for last := ""; n > 0 && !r.bad; n-- {
		name := r.text()
		if name < last { // a row has one encoding only; duplicates and disorder are damage
			r.bad = true
		}
		last = name
		item[name] = r.value(depth)
	}
	return item
}

func (r *reader) value(depth int) types.AttributeValue {
	if depth > maxDepth {
		r.bad = true
	}
	switch t := r.tag(); t {
	case tagNull:
		return &types.AttributeValueMemberNULL{Value: true}
	case tagFalse, tagTrue:
		return &types.AttributeValueMemberBOOL{Value: t == tagTrue}
	case tagS:
		return &types.AttributeValueMemberS{Value: r.text()}
	case tagInt:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(r.varint(), 10)}
	case tagN:
		return &types.AttributeValueMemberN{Value: r.text()}
	case tagB:
		return &types.AttributeValueMemberB{Value: []byte(r.text())}
	case tagSS:
		return &types.AttributeValueMemberSS{Value: r.texts()}
	case tagNS:
		return &types.AttributeValueMemberNS{Value: r.texts()}
	case tagBS:
		set := make([][]byte, r.count())
		for i := range set {
			set[i] = []byte(r.text())
		}
		return &types.AttributeValueMemberBS{Value: set}
	case tagL:
		list := make([]types.AttributeValue, r.count())
		for i := range list {
			if list[i] = r.value(depth + 1); r.bad {
				break
			}
		}
		return &types.AttributeValueMemberL{Value: list}
	case tagM:
		return &types.AttributeValueMemberM{Value: r.fields(depth + 1)}
	default:
		r.bad = true
		return nil
	}
}

// skip passes over one value.
func (r *reader) skip(depth int) {
	if depth > maxDepth {
		r.bad = true
		return
	}
	switch r.tag() {
	case tagNull, tagFalse, tagTrue:
	case tagS, tagN, tagB:
		r.text()
	case tagInt:
		r.uvarint()
	case tagSS, tagNS, tagBS:
		for n := r.count(); n > 0 && !r.bad; n-- {
			r.text()
		}
	case tagL:
		for n := r.count(); n > 0 && !r.bad; n-- {
			r.skip(depth + 1)
		}
	case tagM:
		for n := r.count(); n > 0 && !r.bad; n-- {
			r.text()
			r.skip(depth + 1)
		}
	default:
		r.bad = true
	}
}

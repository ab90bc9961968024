package search

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// tiers of an order: titles that match, or items with a bookmark count, come before all else.
const (
	byDate = iota // the only tier
	titles
	others
	counted
	uncounted
)

// spot is a place in the results: of an item, or before all of a tier if the id is zero.
type spot struct {
	tier int
	n    int // the bookmark count; in the tier counted
	sort int64
	id   reader.ItemID
}

// before reports whether the spot comes before an item of its tier.
func (s spot) before(sort int64, id reader.ItemID) bool {
	return s.id == 0 || sort < s.sort || sort == s.sort && id < s.id
}

// leads reports whether the spot comes before an item of the tier counted.
func (s spot) leads(n int, sort int64, id reader.ItemID) bool {
	return s.id == 0 || n < s.n || n == s.n && s.before(sort, id)
}

// A cursor is base64 of the form, the mark (uvarint), the tier (a byte) and the last item examined: in the tier counted
// its count (uvarint), then its sort time (varint) and id (uvarint). It names no segment, so segments may be merged
// between pages.
const cursorForm = 1

func (s spot) encode(mark uint32) string {
	b := binary.AppendUvarint([]byte{cursorForm}, uint64(mark))
	b = append(b, byte(s.tier))
	if s.tier == counted {
		b = binary.AppendUvarint(b, uint64(s.n))
	}
	b = binary.AppendVarint(b, s.sort)
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(b, uint64(s.id)))
}

const maxCursor = 64

func decodeCursor(cursor string, mark uint32) (s spot, err error) {
	if cursor == "" {
		return spot{}, nil
	}
	bad := fault.Coded(fault.Invalid, "bad_cursor").At("cursor")
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(cursor) > maxCursor {
		return spot{}, bad
	}
	d := reader.Decoder{Rest: string(b)}
	form, its := d.AtMost(cursorForm), d.AtMost(math.MaxUint32)
	if s.tier = int(d.AtMost(uncounted)); s.tier == counted {
		s.n = int(d.AtMost(math.MaxInt32))
	}
	s.sort, s.id = d.Varint(), reader.ItemID(d.AtMost(uint64(reader.MaxItemID)))
	if !d.Done() || form != cursorForm || uint32(its) != mark {
		return spot{}, bad
	}
	return s, nil
}

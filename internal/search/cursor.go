package search

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// tiers of an order: titles that match come before all else.
const (
	byDate = iota // the only tier, without regard to titles
	titles
	others
)

// spot is a place in the results: of an item, or before all of a tier if the id is zero.
type spot struct {
	tier int
	sort int64
	id   reader.ItemID
}

// before reports whether the spot comes before an item of its tier.
func (s spot) before(sort int64, id reader.ItemID) bool {
	return s.id == 0 || sort < s.sort || sort == s.sort && id < s.id
}

// A cursor is, in base64: the form, the mark as a uvarint, the tier as a byte, and the last item that was examined: its sort
// time as a varint and its id as a uvarint. It names no segment, so that segments may be merged between pages.
const cursorForm = 1

func (s spot) encode(mark uint32) string {
	b := binary.AppendUvarint([]byte{cursorForm}, uint64(mark))
	b = append(b, byte(s.tier))
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
	d := reader.Decoder{Rest: b}
	form, its := d.Uvarint(cursorForm), d.Uvarint(math.MaxUint32)
	s = spot{tier: int(d.Uvarint(others)), sort: d.Varint(), id: reader.ItemID(d.Uvarint(uint64(reader.MaxItemID)))}
	if d.Bad || len(d.Rest) > 0 || form != cursorForm || uint32(its) != mark {
		return spot{}, bad
	}
	return s, nil
}

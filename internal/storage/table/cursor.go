package table

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A cursor is base64url of: version, eight bytes of the query's fingerprint, the sort key of the last
// row examined. It is opaque to callers and worthless for another query: partition, bounds and direction
// are in the fingerprint, and the key must lie inside the bounds, so a forged one can at most skip rows
// that its bearer may read anyway.

const cursorVersion = 1

func (q *Query) fingerprint() uint64 {
	h := xxhash.New()
	var n [8]byte
	for _, s := range []string{q.PK, q.Prefix, q.From, q.To} {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		_, _ = h.Write(n[:]) // a hash never fails
		_, _ = h.WriteString(s)
	}
	if q.Desc {
		_, _ = h.WriteString("desc")
	}
	return h.Sum64()
}

func (q *Query) encodeCursor(after string) string {
	if after == "" {
		return ""
	}
	b := make([]byte, 1, 9+len(after))
	b[0] = cursorVersion
	b = binary.LittleEndian.AppendUint64(b, q.fingerprint())
	return base64.RawURLEncoding.EncodeToString(append(b, after...))
}

// decodeCursor gives the sort key to continue after, "" for no cursor.
func (q *Query) decodeCursor(r Range) (string, error) {
	if q.Cursor == "" {
		return "", nil
	}
	bad := fault.Newf(fault.Invalid, "bad_cursor", "the cursor is not one of this query")
	if len(q.Cursor) > 2*MaxSK {
		return "", bad
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(q.Cursor)
	if err != nil || len(b) < 10 || b[0] != cursorVersion || binary.LittleEndian.Uint64(b[1:]) != q.fingerprint() {
		return "", bad
	}
	after := string(b[9:])
	if checkKey(Key{PK: q.PK, SK: after}) != nil || !r.Contains(after) {
		return "", bad
	}
	return after, nil
}

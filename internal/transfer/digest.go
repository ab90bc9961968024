package transfer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// id names a row or blob by the hash of its key, digest its whole content: 16 bytes of SHA-256 each, so that an
// index of a home costs some 60 bytes of memory a row, whatever the rows' size.
type (
	id     [16]byte
	digest [16]byte
	index  map[id]digest
)

func rowID(k table.Key) id {
	sum := sha256.Sum256([]byte("row\x00" + k.PK + "\x00" + k.SK))
	return id(sum[:16])
}

func blobID(key string) id {
	sum := sha256.Sum256([]byte("blob\x00" + key))
	return id(sum[:16])
}

func rowDigest(r table.Row) (d digest, full [32]byte, err error) {
	b, err := r.Canonical()
	if err != nil {
		return d, full, err
	}
	full = sha256.Sum256(b)
	return digest(full[:16]), full, nil
}

// plainMeta gives what a blob's writer said, without what the store adds.
func plainMeta(m blob.Meta) blob.Meta {
	return blob.Meta{ContentType: m.ContentType, ContentEncoding: m.ContentEncoding, User: m.User}
}

// blobDigest covers key, metadata and body; sizes keep the parts apart.
func blobDigest(key string, body []byte, m blob.Meta) (digest, [32]byte) {
	h := sha256.New()
	part := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	part([]byte(key))
	part([]byte(m.ContentType))
	part([]byte(m.ContentEncoding))
	for _, k := range slices.Sorted(maps.Keys(m.User)) {
		part([]byte(k))
		part([]byte(m.User[k]))
	}
	part(body)
	var full [32]byte
	h.Sum(full[:0])
	return digest(full[:16]), full
}

// Sum is the whole of a kind: how many, how large, and a hash that does not depend on their order (the hashes of
// the members added up, in four lanes of 64 bits), as engines list in orders of their own.
type Sum struct {
	Count, Bytes int64
	lanes        [4]uint64
}

func (s *Sum) add(full [32]byte, size int64) {
	s.Count++
	s.Bytes += size
	for i := range s.lanes {
		s.lanes[i] += binary.BigEndian.Uint64(full[8*i:])
	}
}

// Hash is the sum's hash in hexadecimal.
func (s *Sum) Hash() string {
	var b [32]byte
	for i, l := range s.lanes {
		binary.BigEndian.PutUint64(b[8*i:], l)
	}
	return hex.EncodeToString(b[:])
}

// Sums are the sums of all kinds.
type Sums map[string]*Sum

func (s Sums) add(kind string, full [32]byte, size int64) {
	if s[kind] == nil {
		s[kind] = &Sum{}
	}
	s[kind].add(full, size)
}

func (s Sums) equal(o Sums) bool {
	return maps.EqualFunc(s, o, func(a, b *Sum) bool { return *a == *b })
}

// Line is one line of the table that ends a copy.
type Line struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	Bytes int64  `json:"bytes"`
	Hash  string `json:"hash"`
}

// Lines gives the sums in a fixed order, kinds that there are none of left out.
func (s Sums) Lines() []Line {
	var lines []Line
	for _, kind := range order {
		if v := s[kind]; v != nil {
			lines = append(lines, Line{kind, v.Count, v.Bytes, v.Hash()})
		}
	}
	return lines
}

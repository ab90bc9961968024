package transfer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// id is a hash of the key of a row or blob, digest of its whole content: a map of an installation takes some 80 bytes
// of memory a row, whatever the rows' size.
type (
	id     [16]byte
	digest [32]byte
)

func rowID(k table.Key) id {
	sum := sha256.Sum256([]byte("row\x00" + k.PK + "\x00" + k.SK))
	return id(sum[:16])
}

func blobID(key string) id {
	sum := sha256.Sum256([]byte("blob\x00" + key))
	return id(sum[:16])
}

func rowDigest(r table.Row) (digest, error) {
	b, err := r.Canonical()
	return sha256.Sum256(b), err
}

// plainMeta returns what a blob's writer set, without what the store adds.
func plainMeta(m blob.Meta) blob.Meta {
	return blob.Meta{ContentType: m.ContentType, ContentEncoding: m.ContentEncoding, User: m.User}
}

// blobDigest covers key, metadata and body; sizes keep the parts apart.
func blobDigest(key string, body []byte, m blob.Meta) (d digest) {
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
	h.Sum(d[:0])
	return d
}

// Sum describes all members of a kind: how many, how large, and a hash that does not depend on their order (the digests
// of the members added up, in four lanes of 64 bits), because each engine lists in an order of its own.
type Sum struct {
	Count, Bytes int64
	lanes        [4]uint64
}

func (s *Sum) add(d digest, size int64) {
	s.Count++
	s.Bytes += size
	for i := range s.lanes {
		s.lanes[i] += binary.BigEndian.Uint64(d[8*i:])
	}
}

// Hash returns the hash in hexadecimal.
func (s *Sum) Hash() string {
	var b [32]byte
	for i, l := range s.lanes {
		binary.BigEndian.PutUint64(b[8*i:], l)
	}
	return hex.EncodeToString(b[:])
}

// Sums are the sums of all kinds.
type Sums map[string]*Sum

func (s Sums) add(kind string, d digest, size int64) {
	if s[kind] == nil {
		s[kind] = &Sum{}
	}
	s[kind].add(d, size)
}

func (s Sums) equal(o Sums) bool {
	return maps.EqualFunc(s, o, func(a, b *Sum) bool { return *a == *b })
}

// counter adds up members as they pass, and reports the progress.
type counter struct {
	o                  Options
	stage              string // what is being done: "copying"
	sums               Sums
	done, total, bytes int64
}

func (c *counter) add(m member) {
	c.sums.add(m.kind, m.digest, m.size)
	c.done++
	c.bytes += m.size
	what := " rows"
	if m.key != "" {
		what = " files"
	}
	c.o.progress(Progress{Stage: c.stage + what, Done: c.done, Total: c.total, Bytes: c.bytes})
}

// Line is one line of the table that a copy prints.
type Line struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	Bytes int64  `json:"bytes"`
	Hash  string `json:"hash"`
}

// Lines returns the sums in a fixed order, those of unknown kinds last, without kinds that have no members.
func (s Sums) Lines() []Line {
	kinds := slices.Clone(order)
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(kind, unknownPrefix) {
			kinds = append(kinds, kind)
		}
	}
	var lines []Line
	for _, kind := range kinds {
		if v := s[kind]; v != nil {
			lines = append(lines, Line{kind, v.Count, v.Bytes, v.Hash()})
		}
	}
	return lines
}

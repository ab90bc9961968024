package fileblob

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// A blob's file, numbers little-endian:
//
//	 0  8  "ruriblb1"
//	 8  4  length of the metadata
//	12  4  CRC-32C of bytes 16..39 and the metadata
//	16  8  time of the put, Unix milliseconds
//	24  8  length of the body
//	32  4  CRC-32C of the body
//	36  4  zero
//	40  .  metadata: JSON {"t":content type,"e":content encoding,"u":{user metadata}}, or nothing when all is empty
//	 .  .  the body
const (
	magic      = "ruriblb1"
	fixedBytes = 40
	maxMeta    = 16 << 10 // far above the limits of Bucket; bounds the reading of damaged files
)

type metaJSON struct {
	Type     string            `json:"t,omitempty"`
	Encoding string            `json:"e,omitempty"`
	User     map[string]string `json:"u,omitempty"`
}

// castagnoli is the polynomial that processors compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeHeader(m blob.Meta, body []byte) []byte {
	h := make([]byte, fixedBytes, fixedBytes+256)
	if m.ContentType != "" || m.ContentEncoding != "" || len(m.User) > 0 {
		j, err := json.Marshal(metaJSON{m.ContentType, m.ContentEncoding, m.User})
		if err != nil {
			panic(err) // strings always marshal
		}
		h = append(h, j...)
	}
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[8:], uint32(len(h)-fixedBytes))
	binary.LittleEndian.PutUint64(h[16:], uint64(m.Modified.UnixMilli()))
	binary.LittleEndian.PutUint64(h[24:], uint64(len(body)))
	binary.LittleEndian.PutUint32(h[32:], crc32.Checksum(body, castagnoli))
	binary.LittleEndian.PutUint32(h[12:], crc32.Checksum(h[16:], castagnoli))
	return h
}

// fixed is the part of the header at fixed offsets.
type fixed struct {
	metaLen      int
	size         int64
	modified     time.Time
	crc, bodyCRC uint32
}

func decodeFixed(b []byte) (fixed, error) {
	if len(b) < fixedBytes || string(b[:8]) != magic {
		return fixed{}, corrupt("no header")
	}
	f := fixed{
		metaLen:  int(binary.LittleEndian.Uint32(b[8:])),
		crc:      binary.LittleEndian.Uint32(b[12:]),
		modified: time.UnixMilli(int64(binary.LittleEndian.Uint64(b[16:]))).UTC(),
		size:     int64(binary.LittleEndian.Uint64(b[24:])),
		bodyCRC:  binary.LittleEndian.Uint32(b[32:]),
	}
	if f.metaLen > maxMeta || f.size < 0 {
		return fixed{}, corrupt("impossible header")
	}
	return f, nil
}

// decodeMeta decodes the metadata; b has at least the whole header.
func decodeMeta(f fixed, b []byte) (blob.Meta, error) {
	m := blob.Meta{Size: f.size, Modified: f.modified}
	end := fixedBytes + f.metaLen
	if len(b) < end || crc32.Checksum(b[16:end], castagnoli) != f.crc {
		return m, corrupt("header damaged")
	}
	if f.metaLen > 0 {
		var j metaJSON
		if err := json.Unmarshal(b[fixedBytes:end], &j); err != nil {
			return m, corrupt(err.Error())
		}
		m.ContentType, m.ContentEncoding, m.User = j.Type, j.Encoding, j.User
	}
	return m, nil
}

func corrupt(what string) error {
	return &fault.Error{Kind: fault.Internal, Code: "blob_corrupt", Op: "fileblob: read", Message: what}
}

package api

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A gzip body may be joined from pieces that were compressed before: each piece is a run of deflate blocks that ends at
// a byte and refers to nothing before it. The trailer's checksum is combined from those of the pieces (RFC 1952).

// piece is a part of a gzip body.
type piece struct {
	deflated []byte
	size     int    // of the plain text
	crc      uint32 // of the plain text
	shift    uint32 // what multiplies a checksum when this many bytes follow
}

func newPiece(plain []byte) piece {
	return piece{size: len(plain), crc: crc32.ChecksumIEEE(plain), shift: shiftOf(len(plain))}
}

var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, 4)
	return w
}}

// deflate compresses a text to a piece's blocks.
func deflate(plain []byte) []byte {
	buf := buffer()
	defer giveBack(buf)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(buf)
	_, _ = w.Write(plain) // a buffer takes everything
	_ = w.Flush()
	return bytes.Clone(buf.Bytes())
}

// inflate appends the plain text of a piece.
func (p *piece) inflate(b []byte) ([]byte, error) {
	at := len(b)
	b = append(b, make([]byte, p.size)...)
	_, err := io.ReadFull(flate.NewReader(bytes.NewReader(p.deflated)), b[at:])
	return b, err
}

// gzipHeader has no name and no time.
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// joiner writes a gzip body.
type joiner struct {
	buf  *bytes.Buffer
	crc  uint32
	size uint32
}

func newJoiner(buf *bytes.Buffer) *joiner {
	buf.WriteString(gzipHeader)
	return &joiner{buf: buf}
}

func (j *joiner) add(p *piece) {
	j.buf.Write(p.deflated)
	j.count(p)
}

func (j *joiner) count(p *piece) {
	j.crc = multiply(p.shift, j.crc) ^ p.crc
	j.size += uint32(p.size)
}

// text adds a short text, the last one with the end of the body.
func (j *joiner) text(plain []byte, isLast bool) error {
	p := newPiece(plain)
	j.count(&p)
	if err := flate.StatelessDeflate(j.buf, plain, isLast, nil); err != nil || !isLast {
		return err
	}
	b := binary.LittleEndian.AppendUint32(j.buf.AvailableBuffer(), j.crc)
	j.buf.Write(binary.LittleEndian.AppendUint32(b, j.size))
	return nil
}

// A checksum is a polynomial over GF(2), modulo that of CRC-32; the highest bit is the coefficient of x^0.

// multiply multiplies two of them.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&(1<<31) != 0 {
			product ^= b
		}
		odd := b & 1
		b >>= 1
		if odd != 0 {
			b ^= crc32.IEEE
		}
	}
	return product
}

// shiftOf returns x to the power of 8n.
func shiftOf(n int) uint32 {
	power, square := uint32(1<<31), uint32(1<<23) // x^0 and x^8
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	return power
}

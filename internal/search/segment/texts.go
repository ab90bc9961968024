package segment

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

const deflateLevel = 3

// inflater holds the buffers of one inflation, for reuse.
type inflater struct {
	src   bytes.Reader
	plain bytes.Buffer
	r     io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{r: flate.NewReader(nil)} }}

// sealed begins a block, whose checksum seal sets when the rest has been appended.
func unsealed(file []byte) []byte { return append(file, 0, 0, 0, 0) }

func seal(block []byte) {
	binary.LittleEndian.PutUint32(block, crc32.Checksum(block[crcBytes:], castagnoli))
}

// open returns what follows the checksum of a block.
func open(block []byte) ([]byte, error) {
	if len(block) < crcBytes || binary.LittleEndian.Uint32(block) != crc32.Checksum(block[crcBytes:], castagnoli) {
		return nil, damaged("checksum of a block")
	}
	return block[crcBytes:], nil
}

// deflater holds the buffers of one deflation, for reuse: they are most of what a small segment needs.
type deflater struct {
	w   *flate.Writer
	out bytes.Buffer
}

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, deflateLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return &deflater{w: w}
}}

// appendTexts appends a block of texts to a file.
func appendTexts(file, plain []byte) []byte {
	d := deflaters.Get().(*deflater)
	defer deflaters.Put(d)
	d.out.Reset()
	d.w.Reset(&d.out)
	// A bytes.Buffer refuses nothing.
	_, _ = d.w.Write(plain)
	_ = d.w.Close()
	at := len(file)
	file = append(unsealed(file), d.out.Bytes()...)
	seal(file[at:])
	return file
}

// Texts is a block of records and texts, inflated. Strings that it returns share its memory.
type Texts struct{ plain string }

// ReadTexts reads a block of texts, as stored. Errors are those that IsDamaged reports.
func ReadTexts(block []byte) (Texts, error) {
	packed, err := open(block)
	if err != nil {
		return Texts{}, err
	}
	u := inflaters.Get().(*inflater)
	defer inflaters.Put(u)
	u.src.Reset(packed)
	u.plain.Reset()
	if err := u.r.(flate.Resetter).Reset(&u.src, nil); err != nil {
		return Texts{}, damaged(err.Error())
	}
	if _, err := u.plain.ReadFrom(io.LimitReader(u.r, maxPlain+1)); err != nil {
		return Texts{}, damaged(err.Error())
	}
	if u.plain.Len() > maxPlain {
		return Texts{}, damaged("a block of texts is too large")
	}
	return Texts{u.plain.String()}, nil
}

// Bytes is how much memory the block takes.
func (t Texts) Bytes() int { return len(t.plain) }

// Get returns the record and the text of the document at a place of the block.
func (t Texts) Get(place int) (record, text string, err error) {
	rest := t.plain
	for i := 0; ; i++ {
		var ok bool
		if record, rest, ok = cutText(rest); ok {
			text, rest, ok = cutText(rest)
		}
		if !ok {
			return "", "", damaged("a block of texts")
		}
		if i == place {
			return record, text, nil
		}
	}
}

// cutText cuts off a text with its length.
func cutText(s string) (text, rest string, ok bool) {
	n, size := uint64(0), 0
	for shift := 0; ; shift += 7 {
		if size == len(s) || shift > 28 {
			return "", "", false
		}
		b := s[size]
		size++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	if n > uint64(len(s)-size) {
		return "", "", false
	}
	return s[size : size+int(n)], s[size+int(n):], true
}

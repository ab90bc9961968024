package segment

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// unsealed begins a block, whose checksum seal sets when the rest has been appended.
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

// packing makes the packer when it is first needed, so that programs that pack nothing do not link it.
var packing struct {
	once sync.Once
	w    *zstd.Encoder
}

func packer() *zstd.Encoder {
	packing.once.Do(func() {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(packWindow), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		packing.w = w
	})
	return packing.w
}

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		panic(err)
	}
	return r
})

// packWindow bounds the memory of the packer; hardly a block is longer.
const packWindow = 128 << 10

// appendTexts appends a block of texts to a file.
func appendTexts(file, plain []byte) []byte {
	at := len(file)
	file = packer().EncodeAll(plain, unsealed(file))
	seal(file[at:])
	return file
}

// Texts is a block of records and texts, unpacked.
type Texts struct{ plain []byte }

// ReadTexts reads a block of texts, as stored. Errors are those that IsDamaged reports.
func ReadTexts(block []byte) (Texts, error) {
	packed, err := open(block)
	if err != nil {
		return Texts{}, err
	}
	plain, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return Texts{}, damaged(err.Error())
	}
	return Texts{plain}, nil
}

// Bytes is how much memory the block takes.
func (t Texts) Bytes() int { return len(t.plain) }

// Get returns the record and the text of the document at a place of the block.
func (t Texts) Get(place int) (record, text string, err error) {
	rest := t.plain
	for i := 0; ; i++ {
		var first, second []byte
		var ok bool
		if first, rest, ok = cutText(rest); ok {
			second, rest, ok = cutText(rest)
		}
		if !ok {
			return "", "", damaged("a block of texts")
		}
		if i == place {
			return string(first), string(second), nil
		}
	}
}

// cutText cuts off a text with its length.
func cutText(b []byte) (text, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	return b[size : size+int(n)], b[size+int(n):], true
}

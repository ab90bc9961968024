package blob

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/fault"
)

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Gzip compresses a body quickly.
func Gzip(body []byte) []byte {
	var buf bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&buf)
	// A bytes.Buffer refuses nothing.
	_, _ = w.Write(body)
	_ = w.Close()
	return buf.Bytes()
}

// unpacker is the state of one decompression.
type unpacker struct {
	packed bytes.Reader
	z      gzip.Reader
}

var unpackers = sync.Pool{New: func() any { return new(unpacker) }}

// likely is the usual greatest ratio of a body's length to its compressed form.
const likely = 16

// Gunzip decompresses a body; TooLarge "body_too_large" beyond so many bytes.
func Gunzip(packed []byte, limit int) ([]byte, error) {
	u := unpackers.Get().(*unpacker)
	defer unpackers.Put(u)
	u.packed.Reset(packed)
	defer u.packed.Reset(nil)
	if err := u.z.Reset(&u.packed); err != nil {
		return nil, err
	}
	// The end says how long the body is, and is not believed.
	said := 0
	if n := len(packed); n > 4 {
		said = int(min(binary.LittleEndian.Uint32(packed[n-4:]), uint32(min(limit, likely*n))))
	}
	buf := bytes.NewBuffer(make([]byte, 0, said+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(&u.z, int64(limit)+1))
	body := buf.Bytes()
	if err == nil && len(body) > limit {
		err = fault.New(fault.TooLarge, "body_too_large", "blob: gunzip", nil)
	}
	return body, err
}

// ContentType returns the value of a header from outside if Meta.ContentType can take it, else "".
func ContentType(header string) string {
	for i := range len(header) {
		if header[i] < ' ' || header[i] > '~' {
			return ""
		}
	}
	if len(header) > 200 {
		return ""
	}
	return strings.TrimSpace(header)
}

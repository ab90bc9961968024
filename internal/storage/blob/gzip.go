package blob

import (
	"bytes"
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

// Gunzip decompresses a body; TooLarge "body_too_large" beyond so many bytes.
func Gunzip(packed []byte, limit int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	body, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
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

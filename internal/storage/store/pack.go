package store

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// maxInflated bounds the inflated bytes of a row or blob.
const maxInflated = 8 << 20

// inflater holds the buffers of one inflation, for reuse.
type inflater struct {
	src   bytes.Reader
	plain bytes.Buffer
	r     io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{r: flate.NewReader(nil)} }}

// Inflate returns what was compressed with reader.Deflate; fault.TooLarge beyond 8 MB.
func Inflate(packed []byte) ([]byte, error) {
	plain, err := inflate(packed, maxInflated)
	return []byte(plain), err
}

// inflate returns the bytes as a string, so that its parts share one piece of memory.
func inflate(packed []byte, most int) (string, error) {
	u := inflaters.Get().(*inflater)
	defer inflaters.Put(u)
	u.src.Reset(packed)
	if err := u.r.(flate.Resetter).Reset(&u.src, nil); err != nil {
		return "", err
	}
	u.plain.Reset()
	if _, err := u.plain.ReadFrom(io.LimitReader(u.r, int64(most)+1)); err != nil {
		return "", err
	}
	if u.plain.Len() > most {
		return "", fault.New(fault.TooLarge, "body_too_large", "store: inflate", nil)
	}
	return u.plain.String(), nil
}

// packJSON encodes a value as deflated JSON.
func packJSON(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return reader.Deflate(nil, plain), nil
}

// unpackJSON decodes what packJSON returned; v is unchanged when that was nothing. More than most bytes are an error.
func unpackJSON(packed []byte, most int, v any) error {
	if len(packed) == 0 {
		return nil
	}
	plain, err := inflate(packed, most)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(plain), v)
}

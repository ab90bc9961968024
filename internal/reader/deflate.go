package reader

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/fault"
)

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, 3) // a higher level takes twice the time for some percent
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Deflate appends the compressed form of bytes. The same bytes become the same form.
func Deflate(dst, plain []byte) []byte {
	out := bytes.NewBuffer(dst)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(out)
	_, err := w.Write(plain)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

// inflater holds the buffers of one inflation, for reuse.
type inflater struct {
	src   bytes.Reader
	plain bytes.Buffer
	r     io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return &inflater{r: flate.NewReader(nil)} }}

// Inflate returns what Deflate compressed, as a string, so that its parts share one piece of memory; fault.TooLarge
// when that is more than most bytes.
func Inflate(packed []byte, most int) (string, error) {
	u := inflaters.Get().(*inflater)
	defer inflaters.Put(u)
	if err := u.inflate(packed, most); err != nil {
		return "", err
	}
	return u.plain.String(), nil
}

func (u *inflater) inflate(packed []byte, most int) error {
	u.src.Reset(packed)
	if err := u.r.(flate.Resetter).Reset(&u.src, nil); err != nil {
		return err
	}
	u.plain.Reset()
	if _, err := u.plain.ReadFrom(io.LimitReader(u.r, int64(most)+1)); err != nil {
		return err
	}
	if u.plain.Len() > most {
		return fault.New(fault.TooLarge, "body_too_large", "inflate", nil)
	}
	return nil
}

// PackJSON appends a value as deflated JSON.
func PackJSON(dst []byte, v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return Deflate(dst, plain), nil
}

// UnpackJSON decodes what PackJSON appended; v is unchanged when that was nothing. More than most bytes are an error.
func UnpackJSON(packed []byte, most int, v any) error {
	if len(packed) == 0 {
		return nil
	}
	u := inflaters.Get().(*inflater)
	defer inflaters.Put(u)
	if err := u.inflate(packed, most); err != nil {
		return err
	}
	return json.Unmarshal(u.plain.Bytes(), v)
}

package reader

import (
	"bytes"
	"errors"
	"sync"

	"github.com/klauspost/compress/flate"
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

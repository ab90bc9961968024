package store

import "github.com/ruri-reader/ruri/internal/reader"

// maxInflated bounds the inflated bytes of a row or blob.
const maxInflated = 8 << 20

// Inflate returns what was compressed with reader.Deflate; fault.TooLarge beyond 8 MB.
func Inflate(packed []byte) ([]byte, error) {
	plain, err := reader.Inflate(packed, maxInflated)
	return []byte(plain), err
}

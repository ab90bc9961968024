package fileblob

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

const firstRead = 1024 // covers nearly every header

// Get implements blob.Driver. The body is checked against its checksum.
func (s *Store) Get(_ context.Context, key string, limit int64) ([]byte, blob.Meta, error) {
	const op = "fileblob: get"
	f, err := s.root.Open(fileOf(key))
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	defer f.Close()
	fx, m, err := readHeader(f)
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	if fx.size > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	// A damaged length must not make us allocate memory for bytes that the file does not have.
	if info, err := f.Stat(); err != nil || info.Size() != fixedBytes+int64(fx.metaLen)+fx.size {
		return nil, blob.Meta{}, classify(op, errors.Join(err, corrupt("length differs")))
	}
	body := make([]byte, fx.size)
	if _, err := f.ReadAt(body, fixedBytes+int64(fx.metaLen)); err != nil && fx.size > 0 {
		return nil, blob.Meta{}, classify(op, err)
	}
	if crc32.Checksum(body, castagnoli) != fx.bodyCRC {
		return nil, blob.Meta{}, corrupt("body damaged")
	}
	return body, m, nil
}

// Stat implements blob.Driver.
func (s *Store) Stat(_ context.Context, key string) (blob.Meta, error) {
	const op = "fileblob: stat"
	f, err := s.root.Open(fileOf(key))
	if err != nil {
		return blob.Meta{}, classify(op, err)
	}
	defer f.Close()
	_, m, err := readHeader(f)
	return m, classify(op, err)
}

func readHeader(f *os.File) (fixed, blob.Meta, error) {
	buf := make([]byte, firstRead)
	n, err := f.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fixed{}, blob.Meta{}, err
	}
	fx, err := decodeFixed(buf[:n])
	if err != nil {
		return fixed{}, blob.Meta{}, err
	}
	if need := fixedBytes + fx.metaLen; need > firstRead {
		buf = make([]byte, need)
		if n, err = f.ReadAt(buf, 0); err != nil && !errors.Is(err, io.EOF) {
			return fixed{}, blob.Meta{}, err
		}
	}
	m, err := decodeMeta(fx, buf[:n])
	return fx, m, err
}

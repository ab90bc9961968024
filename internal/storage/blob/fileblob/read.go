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

// stored is a blob's open file.
type stored struct {
	file *os.File
	size int64
	head []byte // its first bytes
}

const firstRead = 1024 // covers nearly every header

func (s *Store) openBlob(name string) (b stored, err error) {
	if b.file, err = s.root.Open(name); err != nil {
		return b, err
	}
	info, err := b.file.Stat()
	if err == nil {
		b.size = info.Size()
		b.head, err = b.beginning(firstRead)
	}
	if err != nil {
		_ = b.file.Close()
	}
	return b, err
}

// beginning returns the first n bytes of the file, or all of a shorter one.
func (b *stored) beginning(n int) ([]byte, error) {
	buf := make([]byte, n)
	n, err := b.file.ReadAt(buf, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf[:n], err
}

// Get implements blob.Driver. The body is checked against its checksum.
func (s *Store) Get(_ context.Context, key string, limit int64) ([]byte, blob.Meta, error) {
	const op = "fileblob: get"
	b, err := s.openBlob(fileOf(key))
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	defer b.file.Close()
	fx, m, err := b.header()
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	if fx.size > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	if err := b.whole(fx); err != nil {
		return nil, blob.Meta{}, err
	}
	body := make([]byte, fx.size)
	if _, err := b.file.ReadAt(body, fixedBytes+int64(fx.metaLen)); err != nil && fx.size > 0 {
		return nil, blob.Meta{}, classify(op, err)
	}
	if crc32.Checksum(body, castagnoli) != fx.bodyCRC {
		return nil, blob.Meta{}, corrupt("body damaged")
	}
	return body, m, nil
}

// whole returns an error when the file has other bytes than its header says: a damaged length must not make us allocate
// memory for bytes that are not there.
func (b *stored) whole(fx fixed) error {
	if b.size != fixedBytes+int64(fx.metaLen)+fx.size {
		return corrupt("length differs")
	}
	return nil
}

// GetRange implements blob.Driver. Only the header is checked against its checksum.
func (s *Store) GetRange(_ context.Context, key string, offset, n int64) ([]byte, error) {
	const op = "fileblob: get range"
	b, err := s.openBlob(fileOf(key))
	if err != nil {
		return nil, classify(op, err)
	}
	defer b.file.Close()
	fx, _, err := b.header()
	if err == nil {
		err = b.whole(fx)
	}
	if err != nil {
		return nil, classify(op, err)
	}
	part := make([]byte, max(min(n, fx.size-offset), 0))
	if _, err := b.file.ReadAt(part, fixedBytes+int64(fx.metaLen)+offset); err != nil && len(part) > 0 {
		return nil, classify(op, err)
	}
	return part, nil
}

// Gap implements blob.Driver.
func (s *Store) Gap() int { return 16 << 10 }

// Stat implements blob.Driver.
func (s *Store) Stat(_ context.Context, key string) (blob.Meta, error) {
	const op = "fileblob: stat"
	b, err := s.openBlob(fileOf(key))
	if err != nil {
		return blob.Meta{}, classify(op, err)
	}
	defer b.file.Close()
	_, m, err := b.header()
	return m, classify(op, err)
}

func (b *stored) header() (fixed, blob.Meta, error) {
	fx, err := decodeFixed(b.head)
	if err != nil {
		return fixed{}, blob.Meta{}, err
	}
	head := b.head
	if need := fixedBytes + fx.metaLen; need > firstRead {
		if head, err = b.beginning(need); err != nil {
			return fixed{}, blob.Meta{}, err
		}
	}
	m, err := decodeMeta(fx, head)
	return fx, m, err
}

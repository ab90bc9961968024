package fileblob

import (
	"context"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

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
	if _, err := b.bytes.ReadAt(body, fixedBytes+int64(fx.metaLen)); err != nil && fx.size > 0 {
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
	if b.bytes.Size() != fixedBytes+int64(fx.metaLen)+fx.size {
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
	if _, err := b.bytes.ReadAt(part, fixedBytes+int64(fx.metaLen)+offset); err != nil && len(part) > 0 {
		return nil, classify(op, err)
	}
	return part, nil
}

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
		head = make([]byte, need)
		n, err := b.bytes.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return fixed{}, blob.Meta{}, err
		}
		head = head[:n]
	}
	m, err := decodeMeta(fx, head)
	return fx, m, err
}

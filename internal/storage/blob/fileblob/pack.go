package fileblob

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path"

	"github.com/cespare/xxhash/v2"
)

// Earlier versions put several blobs into one file, of which the name of each is a link. They are read until they have
// gone. Numbers are little-endian:
//
//	 0  8  "ruripck1"
//	 8  4  number of blobs
//	12  4  CRC-32C of the entries
//	16  .  entries
//	 .  .  the blobs, each as it would be in a file of its own (format.go)
//
// An entry:
//
//	 0  8  xxHash of the last part of the file's name
//	 8  8  where the blob begins
//	16  8  its length
const (
	packMagic  = "ruripck1"
	packFixed  = 16
	entryBytes = 24
	mostPacked = 16 // blobs of a file
)

// stored is a blob in an open file.
type stored struct {
	file  *os.File
	bytes *io.SectionReader // of this blob alone
	head  []byte            // its first bytes
}

const firstRead = 1024 // covers nearly every header, and the entries of any group

// openBlob opens the file of a name and finds the blob in it.
func (s *Store) openBlob(name string) (b stored, err error) {
	if b.file, err = s.root.Open(name); err != nil {
		return b, err
	}
	defer func() {
		if err != nil {
			_ = b.file.Close()
		}
	}()
	info, err := b.file.Stat()
	if err != nil {
		return b, err
	}
	b.bytes = io.NewSectionReader(b.file, 0, info.Size())
	if b.head, err = beginning(b.bytes); err != nil {
		return b, err
	}
	if len(b.head) >= packFixed && string(b.head[:8]) == packMagic {
		at, size := findBlob(b.head, xxhash.Sum64String(path.Base(name)))
		if at+size > info.Size() { // the file was cut
			at, size = 0, 0
		}
		b.bytes = io.NewSectionReader(b.file, at, size)
		b.head, err = beginning(b.bytes)
	}
	return b, err
}

func beginning(r io.ReaderAt) ([]byte, error) {
	buf := make([]byte, firstRead)
	n, err := r.ReadAt(buf, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return buf[:n], err
}

// findBlob returns where a blob is; a length of 0, which is no blob's, when the entries are damaged or lack it.
func findBlob(head []byte, hash uint64) (at, size int64) {
	n := int(binary.LittleEndian.Uint32(head[8:]))
	if n > mostPacked || len(head) < packFixed+n*entryBytes {
		return 0, 0
	}
	entries := head[packFixed : packFixed+n*entryBytes]
	if crc32.Checksum(entries, castagnoli) != binary.LittleEndian.Uint32(head[12:]) {
		return 0, 0
	}
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		if binary.LittleEndian.Uint64(entries) == hash {
			return int64(binary.LittleEndian.Uint64(entries[8:])), int64(binary.LittleEndian.Uint64(entries[16:]))
		}
	}
	return 0, 0
}

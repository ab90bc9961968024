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

// A file of several blobs, numbers little-endian. Each blob's own name is a link to it.
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
)

// contents returns what precedes the blobs of a group.
func contents(puts []*put) []byte {
	b := make([]byte, 0, packFixed+entryBytes*len(puts))
	b = append(b, packMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(puts)))
	b = append(b, 0, 0, 0, 0)
	at := uint64(cap(b))
	for _, p := range puts {
		size := uint64(len(p.header) + len(p.body))
		b = binary.LittleEndian.AppendUint64(b, nameHash(p.name))
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint64(b, size)
		at += size
	}
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[packFixed:], castagnoli))
	return b
}

func nameHash(name string) uint64 { return xxhash.Sum64String(path.Base(name)) }

// stored is a blob in an open file.
type stored struct {
	file  *os.File
	bytes *io.SectionReader // of this blob alone
	head  []byte            // its first bytes
	among bool              // the file has others
}

const firstRead = 1024 // covers nearly every header, and the entries of any group

// openBlob opens the file of a name and finds the blob in it.
func (s *Store) openBlob(name string, flag int) (b stored, err error) {
	if b.file, err = s.root.OpenFile(name, flag, 0); err != nil {
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
	if b.among = len(b.head) >= packFixed && string(b.head[:8]) == packMagic; b.among {
		at, size := findBlob(b.head, nameHash(name))
		if at+size > info.Size() { // the file was cut
			at, size = 0, 0
		}
		b.bytes = io.NewSectionReader(b.file, at, size)
		b.head, err = beginning(b.bytes)
	}
	return b, err
}

// wipe overwrites a blob whose name was removed, and which its file would keep until the last of the others is deleted.
func (b *stored) wipe() error {
	_, at, size := b.bytes.Outer()
	_, err := b.file.WriteAt(make([]byte, size), at)
	return err
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
	if n > maxGroup || len(head) < packFixed+n*entryBytes {
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

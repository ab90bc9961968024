package fileblob

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

func key(i int) string  { return fmt.Sprintf("d/x/%d", i) }
func body(i int) []byte { return []byte(strings.Repeat(fmt.Sprint(i), 100)) }

// pack makes the file that an earlier version made of blobs d/x/0, d/x/1 …, and their names.
func pack(t *testing.T, s *Store, n int) {
	t.Helper()
	b := binary.LittleEndian.AppendUint32([]byte(packMagic), uint32(n))
	b = append(b, 0, 0, 0, 0)
	var blobs []byte
	for i := range n {
		one := append(encodeHeader(blob.Meta{ContentType: "text/xml", Modified: time.Unix(int64(i), 0)}, body(i)),
			body(i)...)
		b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64String(path.Base(fileOf(key(i)))))
		b = binary.LittleEndian.AppendUint64(b, uint64(packFixed+n*entryBytes+len(blobs)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(one)))
		blobs = append(blobs, one...)
	}
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[packFixed:], castagnoli))
	root := s.root.Name()
	if err := os.MkdirAll(filepath.Join(root, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(root, fileOf(key(0)))
	if err := os.WriteFile(first, append(b, blobs...), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < n; i++ {
		if err := os.Link(first, filepath.Join(root, fileOf(key(i)))); err != nil {
			t.Fatal(err)
		}
	}
}

// What an earlier version has put together is read, listed and deleted one by one; one that is put again gets a file of
// its own.
func TestPackedBlobs(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	b := blob.New(s)
	const n = 16
	pack(t, s, n)
	check := func(gone int) {
		t.Helper()
		for i := range n {
			got, m, err := b.Get(t.Context(), key(i))
			if i == gone {
				wantGone(t, err)
				continue
			}
			if err != nil || string(got) != string(body(i)) || m.ContentType != "text/xml" {
				t.Errorf("%d: %q %v, %v", i, got, m, err)
			}
			part, err := b.GetRange(t.Context(), key(i), 3, 5)
			if err != nil || string(part) != string(body(i)[3:8]) {
				t.Errorf("a part of %d: %q, %v", i, part, err)
			}
		}
	}
	check(-1)
	if created, err := b.PutIfAbsent(t.Context(), key(2), []byte("new"), blob.Meta{}); created || err != nil {
		t.Errorf("a blob that is there was put: %v, %v", created, err)
	}
	if err := b.Delete(t.Context(), key(2)); err != nil {
		t.Fatal(err)
	}
	check(2)
	page, _, err := b.List(t.Context(), "d/x/1", "", 0)
	if err != nil || len(page) != 7 || page[0].Size != int64(len(body(1))) || page[0].Modified.Unix() != 1 {
		t.Errorf("listed %v, %v", page, err)
	}
	created, err := b.PutIfAbsent(t.Context(), key(2), body(2), blob.Meta{ContentType: "text/xml"})
	if !created || err != nil {
		t.Errorf("put again: %v, %v", created, err)
	}
	check(-1)
	for i := range n {
		if err := b.Delete(t.Context(), key(i)); err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, s.root.Name()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func wantGone(t *testing.T, err error) {
	t.Helper()
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted: %v", err)
	}
}

// One that is damaged leaves the others whole.
func TestDamagedPacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		broken int // how many of four
	}{
		"one body":           {func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, 1},
		"entry":              {func(b []byte) []byte { b[packFixed+3] ^= 1; return b }, 4},
		"number":             {func(b []byte) []byte { b[8], b[9] = 0xff, 0xff; return b }, 4},
		"cut":                {func(b []byte) []byte { return b[:len(b)-1] }, 1},
		"only the beginning": {func(b []byte) []byte { return b[:packFixed-2] }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			b := blob.New(s)
			pack(t, s, 4)
			file := filepath.Join(s.root.Name(), fileOf(key(1)))
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			// In place: each name is the same file.
			if err := os.WriteFile(file, c.damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			broken := 0
			for i := range 4 {
				got, _, err := b.Get(t.Context(), key(i))
				if err != nil && fault.CodeOf(err) != "blob_corrupt" || err == nil && string(got) != string(body(i)) {
					t.Errorf("%d: %q, %v", i, got, err)
				}
				if err != nil {
					broken++
				}
			}
			if broken != c.broken {
				t.Errorf("%d are broken, want %d", broken, c.broken)
			}
			if page, _, err := b.List(t.Context(), "d/", "", 0); err != nil || len(page) != 4 {
				t.Errorf("listing %v, %v", page, err)
			}
		})
	}
}

package blob_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// What packs is given back, whatever was unpacked before; a length that lies is neither believed nor trusted with
// memory.
func TestGunzip(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("feed ", 10_000)
	for _, body := range []string{"", "x", long, "y"} {
		got, err := blob.Gunzip(blob.Gzip([]byte(body)), len(long))
		if err != nil || string(got) != body {
			t.Errorf("%d bytes: %d, %v", len(body), len(got), err)
		}
	}
	if _, err := blob.Gunzip(blob.Gzip([]byte(long)), len(long)-1); fault.CodeOf(err) != "body_too_large" {
		t.Error(err)
	}
	packed := blob.Gzip([]byte("a body"))
	lies := append(bytes.Clone(packed[:len(packed)-4]), 0xff, 0xff, 0xff, 0x7f)
	for name, bad := range map[string][]byte{"a lie": lies, "cut off": packed[:len(packed)-5],
		"no gzip": []byte("<rss>"), "empty": {}} {
		if got, err := blob.Gunzip(bad, 8<<20); err == nil {
			t.Errorf("%s: %q", name, got)
		} else if cap(got) > 1<<20 {
			t.Errorf("%s took %d bytes", name, cap(got))
		}
	}
}

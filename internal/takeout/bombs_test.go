package takeout_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

// repeated is deflated text: a chunk of a megabyte, times n. All chunks but the first are the same bytes, which makes a
// gigabyte without deflating it.
func repeated(t testing.TB, text string, n int) []byte {
	t.Helper()
	chunk := []byte(strings.Repeat(text, (1<<20)/len(text)))
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	ok(t, err)
	put := func() []byte {
		at := b.Len()
		_, err := w.Write(chunk)
		ok(t, err)
		ok(t, w.Flush())
		return bytes.Clone(b.Bytes()[at:])
	}
	put()
	again := put()
	b.Write(bytes.Repeat(again, n-2))
	b.Write([]byte{3, 0}) // the end of a stream
	return b.Bytes()
}

// bomb is an archive whose file of one name is deflated bytes, declared as so many.
func bomb(t testing.TB, name string, deflated []byte, size uint64, change map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for other, text := range files(change) {
		if other == name {
			continue
		}
		w, err := z.Create(other)
		ok(t, err)
		_, err = io.WriteString(w, text)
		ok(t, err)
	}
	w, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(deflated)),
		UncompressedSize64: size})
	ok(t, err)
	_, err = w.Write(deflated)
	ok(t, err)
	ok(t, z.Close())
	return b.Bytes()
}

// TestArchivesThatUnpackToFarTooMuch are refused while they are read: neither what they unpack to is kept in memory,
// nor what its values would take. Not parallel, for what others allocate is counted too.
func TestArchivesThatUnpackToFarTooMuch(t *testing.T) {
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	gigabyte := func(name, text string) []byte {
		return bomb(t, name, repeated(t, text, 1024), 1<<30, nil)
	}
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	entries := func(n int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, text := range files(nil) {
			w, err := z.Create(name)
			ok(t, err)
			_, err = io.WriteString(w, text)
			ok(t, err)
		}
		for i := range n {
			_, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)})
			ok(t, err)
		}
		ok(t, z.Close())
		return b.Bytes()
	}
	const tooLarge, mb = "takeout_too_large", 1 << 20
	for name, c := range map[string]struct {
		archive []byte
		code    string
		alloc   uint64 // all that may be allocated from the first byte to the last
	}{
		"a line of blanks":         {gigabyte("subscriptions.jsonl", " "), tooLarge, 24 * mb},
		"empty lines":              {gigabyte("items.jsonl", "\n"), tooLarge, mb},
		"subscriptions of nothing": {gigabyte("subscriptions.jsonl", "{}\n"), tooLarge, 24 * mb},
		// of 200,000 that are let go at once
		"items of nothing":           {gigabyte("items.jsonl", "{}\n"), tooLarge, 200 * mb},
		"a value of blanks":          {gigabyte("preferences.json", " "), tooLarge, 16 * mb},
		"the first file":             {gigabyte("ruri.json", " "), "not_takeout", 16 * mb},
		"a small file said to be so": {bomb(t, "tree.json", repeated(t, " ", 64), 10, nil), "takeout_broken", mb},
		"many lists in a line": {
			packed(t, files(map[string]string{"subscriptions.jsonl": `{"folders":[` + many(600_000, "[]") + `]}`})),
			tooLarge, 6 * mb},
		"many files of an item": {
			packed(t, files(map[string]string{"items.jsonl": `{"enclosures":[` + many(600_000, "{}") + `]}`})),
			tooLarge, 6 * mb},
		"many rules": {
			packed(t, files(map[string]string{"rules.json": `[` + many(200_000, "{}") + `]`})), tooLarge, 6 * mb},
		"more rules than may be": {packed(t, files(map[string]string{"rules.json": `[` + many(201, "{}") + `]`})),
			tooLarge, 2 * mb},
		"many folders": {
			packed(t, files(map[string]string{"tree.json": `{"folders":[` + many(200_000, `[""]`) + `]}`})),
			tooLarge, 8 * mb},
		"lists in lists": {
			packed(t, files(map[string]string{"preferences.json": `{"a":` + strings.Repeat("[", 90_000)})),
			"takeout_broken", 8 * mb},
		"more entries than any has":   {entries(100_000), "not_takeout", 8 * mb},
		"twice the same entry":        {twice(t), "not_takeout", mb},
		"an archive in it, untouched": {bomb(t, "nested.zip", repeated(t, "PK\x03\x04", 1024), 1<<30, nil), "", mb},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := h.out.Import(t.Context(), u, bytes.NewReader(c.archive), int64(len(c.archive)))
		runtime.ReadMemStats(&after)
		if code := fault.CodeOf(err); err != nil && code != c.code || err == nil && c.code != "" {
			t.Errorf("%s, of %d KB: %v, want %s", name, len(c.archive)>>10, err, c.code)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > c.alloc {
			t.Errorf("%s, of %d KB: %d KB were allocated, %d are enough", name, len(c.archive)>>10,
				used>>10, c.alloc>>10)
		}
	}
}

func twice(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 2 {
		_, err := z.Create("ruri.json")
		ok(t, err)
	}
	ok(t, z.Close())
	return b.Bytes()
}

// stopping cancels a context when bytes between two places are read.
type stopping struct {
	*bytes.Reader
	from, to int64
	stop     func()
}

func (s *stopping) ReadAt(p []byte, off int64) (int, error) {
	if off > s.from && off < s.to {
		s.stop()
	}
	return s.Reader.ReadAt(p, off)
}

// TestAnImportEndsWithItsRequest: also within a line that goes on and on, and among lines of nothing.
func TestAnImportEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	for name, text := range map[string]string{"a line": " ", "lines": strings.Repeat(" ", 1<<19) + "\n"} {
		b := bomb(t, "items.jsonl", repeated(t, text, 1024), 1<<30, nil)
		ctx, cancel := context.WithCancel(t.Context())
		at := int64(bytes.Index(b, []byte("items.jsonl")))
		from := &stopping{bytes.NewReader(b), at, at + 50_000, cancel}
		if _, err := h.out.Import(ctx, u, from, int64(len(b))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// TestAFullAccountLeavesNoFeedsWithoutSubscribers: lines beyond the cap are reported, and create no rows.
func TestAFullAccountLeavesNoFeedsWithoutSubscribers(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "{\"url\":\"https://example.org/%d\"}\n", i)
	}
	b := packed(t, files(map[string]string{"subscriptions.jsonl": text.String()}))
	for range 2 { // once more it is the same: those that are there are known
		done, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
		if err != nil || done.Feeds != 100 || len(done.Failed) != 50 || done.Failed[0].Code != "subscription_limit" {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	if n, err := h.store.Feeds.Count(t.Context()); err != nil || n != 100 {
		t.Errorf("there are %d feeds, %v", n, err)
	}
}

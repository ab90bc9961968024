package fileblob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/testkit/blobtest"
)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, blobtest.Harness{New: func(t testing.TB) blob.Driver {
		return open(t, filepath.Join(t.TempDir(), "blobs"))
	}})
}

func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			rel, _ := filepath.Rel(dir, p)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Whatever step fails, the old blob is whole, nothing half-written stays, and the next put succeeds.
func TestEachStepMayFail(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"create", "write", "sync", "rename"} {
		for _, ifAbsent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ifAbsent=%v", step, ifAbsent), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				s := open(t, dir)
				b := blob.New(s)
				key := "a/b"
				if err := b.Put(t.Context(), "a/b", []byte("old"), blob.Meta{}); err != nil {
					t.Fatal(err)
				}
				put := func() error { return b.Put(t.Context(), key, []byte("new"), blob.Meta{}) }
				if ifAbsent {
					key = "a/c"
					put = func() error {
						_, err := b.PutIfAbsent(t.Context(), key, []byte("new"), blob.Meta{})
						return err
					}
				}
				s.fail = func(at string) error {
					if at == step {
						return &fs.PathError{Op: at, Path: "x", Err: syscall.ENOSPC}
					}
					return nil
				}
				if err := put(); !fault.Is(err, fault.Unavailable) || fault.CodeOf(err) != "storage_full" {
					t.Errorf("put: %v, want storage_full", err)
				}
				if got, _, err := b.Get(t.Context(), "a/b"); err != nil || string(got) != "old" {
					t.Errorf("old blob: %q %v", got, err)
				}
				if got := files(t, dir); len(got) != 1 {
					t.Errorf("files left: %v", got)
				}
				s.fail = nil
				if err := put(); err != nil {
					t.Error(err)
				}
				if got, _, err := b.Get(t.Context(), key); err != nil || string(got) != "new" {
					t.Errorf("new blob: %q %v", got, err)
				}
			})
		}
	}
}

// A put whose folder could not be synced is not acknowledged, although a reader may already see it.
func TestUnsyncedFolderIsAFailure(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	s.fail = func(at string) error {
		if at == "syncdir" {
			return syscall.EIO
		}
		return nil
	}
	if err := blob.New(s).Put(t.Context(), "a/b", nil, blob.Meta{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, want unavailable", err)
	}
}

// A real full disk: a tiny file system in memory, where the machine lets us mount one.
func TestFullDisk(t *testing.T) {
	// Not parallel: until it has become another program, a child holds all that is open here, and with it the locks
	// that other tests let go of.
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "ruri-test",
		dir).CombinedOutput(); err != nil {
		t.Skipf("may not mount a small file system here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	b := blob.New(open(t, dir))
	body := make([]byte, 50<<10)
	stored := 0
	var err error
	for ; err == nil && stored < 100; stored++ {
		err = b.Put(t.Context(), fmt.Sprintf("f/%02d", stored), body, blob.Meta{})
	}
	stored--
	if fault.CodeOf(err) != "storage_full" || !fault.Is(err, fault.Unavailable) || stored == 0 {
		t.Fatalf("after %d blobs: %v", stored, err)
	}
	page, _, err := b.List(t.Context(), "", "", 0)
	if err != nil || len(page) != stored {
		t.Errorf("%d listed of %d stored, %v", len(page), stored, err)
	}
	for _, o := range page {
		if got, _, err := b.Get(t.Context(), o.Key); err != nil || len(got) != len(body) {
			t.Errorf("%s: %d bytes, %v", o.Key, len(got), err)
		}
	}
	if err := b.Delete(t.Context(), "f/00"); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), "f/again", body, blob.Meta{}); err != nil {
		t.Errorf("after space was freed: %v", err)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	b := blob.New(open(t, dir))
	if err := os.WriteFile(filepath.Join(outside, "a@secret@"),
		[]byte("ruriblb1 of somebody else, long enough to be a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"dir": outside, "file@": filepath.Join(outside, "a@secret@"),
		"up": "../" + filepath.Base(outside)} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"dir/a/secret", "file", "up/a/secret"} {
		if got, _, err := b.Get(t.Context(), key); err == nil || fault.CodeOf(err) == "blob_corrupt" {
			t.Errorf("get %s read %q, %v", key, got, err)
		}
	}
	for _, key := range []string{"dir/a/new", "up/a/new"} {
		if err := b.Put(t.Context(), key, nil, blob.Meta{}); err == nil {
			t.Errorf("put %s succeeded", key)
		}
	}
	if err := b.Put(t.Context(), "file", []byte("mine"), blob.Meta{}); err != nil { // replaces the link itself
		t.Error(err)
	}
	if got := files(t, outside); len(got) != 1 {
		t.Errorf("outside now has %v", got)
	}
	page, _, err := b.List(t.Context(), "", "", 0)
	if err != nil || len(page) != 1 || page[0].Key != "file" {
		t.Errorf("listing %v %v, want the one blob and no links", page, err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"body bit":        func(f []byte) []byte { f[len(f)-1] ^= 1; return f },
		"metadata bit":    func(f []byte) []byte { f[fixedBytes+6] ^= 1; return f },
		"length":          func(f []byte) []byte { f[30] = 0x7f; return f },
		"truncated":       func(f []byte) []byte { return f[:len(f)-1] },
		"header only":     func(f []byte) []byte { return f[:fixedBytes] },
		"empty":           func([]byte) []byte { return nil },
		"appended":        func(f []byte) []byte { return append(f, 'x') },
		"something else":  func([]byte) []byte { return []byte(strings.Repeat("<html>", 100)) },
		"metadata length": func(f []byte) []byte { f[9] = 0xff; return f },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := blob.New(open(t, dir))
			if err := b.Put(t.Context(), "k", []byte("body"), blob.Meta{ContentType: "text/xml"}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "k@")
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, _, err := b.Get(t.Context(), "k"); fault.CodeOf(err) != "blob_corrupt" ||
				!fault.Is(err, fault.Internal) {
				t.Errorf("read %q, %v; want blob_corrupt", got, err)
			}
			// It can still be found and replaced.
			if page, _, err := b.List(t.Context(), "", "", 0); err != nil || len(page) != 1 {
				t.Errorf("listing %v, %v", page, err)
			}
			if err := b.Put(t.Context(), "k", []byte("body"), blob.Meta{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStaleTemporaryFilesGoOnlyWhenAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	stale := filepath.Join(dir, tmpDir, "stale-1")
	if err := os.WriteFile(stale, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := open(t, dir) // the file may belong to the first
	if _, err := os.Stat(stale); err != nil {
		t.Fatalf("removed beside another process: %v", err)
	}
	_, _ = first.Close(), second.Close()
	open(t, dir)
	if _, err := os.Stat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stale file stays: %v", err)
	}
}

func TestModifiedIsTheClocks(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 11, 21, 5, 0, 0, 123e6, time.UTC))
	s, err := Open(t.TempDir(), Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := blob.New(s)
	if err := b.Put(t.Context(), "k", nil, blob.Meta{}); err != nil {
		t.Fatal(err)
	}
	if m, err := b.Stat(t.Context(), "k"); err != nil || !m.Modified.Equal(c.Now()) {
		t.Errorf("modified %v, want %v (%v)", m.Modified, c.Now(), err)
	}
}

func TestTwoStoresOnOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := blob.New(open(t, dir)), blob.New(open(t, dir))
	var wg sync.WaitGroup
	var mu sync.Mutex
	created := map[string]int{}
	for _, bucket := range []*blob.Bucket{a, b} {
		wg.Go(func() {
			for i := range 40 {
				key := fmt.Sprintf("x/%d/y/z", i)
				ok, err := bucket.PutIfAbsent(t.Context(), key, []byte("same"), blob.Meta{})
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					created[key]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if len(created) != 40 {
		t.Errorf("%d keys created", len(created))
	}
	for k, n := range created {
		if n != 1 {
			t.Errorf("%s created %d times", k, n)
		}
	}
	if got, _, err := b.Get(t.Context(), "x/7/y/z"); err != nil || string(got) != "same" {
		t.Errorf("%q %v", got, err)
	}
}

func TestEmptyFoldersGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := blob.New(open(t, dir))
	for _, k := range []string{"a/b/c/d", "a/f/e"} {
		if err := b.Put(t.Context(), k, nil, blob.Meta{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Delete(t.Context(), "a/b/c/d"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a/b stays: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "f@e@")); err != nil {
		t.Error(err)
	}
}

func TestClosedStoreFails(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	_ = s.Close()
	if err := blob.New(s).Put(t.Context(), "k", nil, blob.Meta{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, want unavailable", err)
	}
}

func TestOpenWhereAFileIs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(file, Options{}); err == nil {
		_ = s.Close()
		t.Error("opened a file as a folder")
	}
}

// A range of a file that was cut, or whose header is damaged, is reported; what a damaged length claims is not
// allocated.
func TestRangesOfDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"cut":       func(b []byte) []byte { return b[:len(b)-1] },
		"longer":    func(b []byte) []byte { return append(b, 0) },
		"length":    func(b []byte) []byte { b[29] ^= 1; return b },
		"header":    func(b []byte) []byte { b[20] ^= 1; return b },
		"only head": func(b []byte) []byte { return b[:10] },
	} {
		dir := t.TempDir()
		b := blob.New(open(t, dir))
		if err := b.Put(t.Context(), "a/b", make([]byte, 3000), blob.Meta{ContentType: "text/plain"}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fileOf("a/b"))
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, damage(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := b.GetRange(t.Context(), "a/b", 10, 20); fault.CodeOf(err) != "blob_corrupt" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

//go:build unix

package localwire_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// openModes lists what below a folder, and the folder itself, others than the owner may use.
func openModes(t *testing.T, folder string) (open []string, seen map[string]bool) {
	t.Helper()
	seen = map[string]bool{}
	if err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		seen[d.Name()] = true
		if info.Mode()&0o077 != 0 {
			open = append(open, info.Mode().String()+" "+path)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return open, seen
}

// use writes to everything in a home, so that all its files are there, logs of databases included.
func use(t *testing.T, h *localwire.Backend) {
	t.Helper()
	if _, err := h.Auth.EnsureOwner(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Queue.Send(t.Context(), [][]byte{[]byte(`{}`)}, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Blobs.PutIfAbsent(t.Context(), "feeds/2026/04/01/a", []byte("body"), blob.Meta{}); err != nil {
		t.Fatal(err)
	}
}

// TestDataFolderIsPrivate: what is in it lets whoever reads it sign in as the owner. Containers and service
// managers make the folder, with a mode of their own. Not parallel: the umask is the process's.
func TestDataFolderIsPrivate(t *testing.T) {
	for _, umask := range []int{0o022, 0} {
		old := syscall.Umask(umask)
		defer syscall.Umask(old)
		for name, mode := range map[string]fs.FileMode{"missing": 0, "readable": 0o755, "writable": 0o777,
			"the group's": 0o2750} {
			folder := filepath.Join(t.TempDir(), "data")
			if mode != 0 {
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(filepath.Join(folder, "lost+found"), 0o700); err != nil { // of a fresh volume
					t.Fatal(err)
				}
				if err := os.Chmod(folder, mode); err != nil {
					t.Fatal(err)
				}
			}
			use(t, open(t, folder))
			bad, seen := openModes(t, folder)
			if len(bad) > 0 {
				t.Errorf("%s, umask %03o: open to others: %v", name, umask, bad)
			}
			for _, want := range []string{"ruri.db", "ruri.db-wal", "ruri.db-shm", "queue.db", "queue.db-wal",
				"queue.db-shm", "blobs"} {
				if !seen[want] {
					t.Errorf("%s: %s was not looked at: it is not there", name, want)
				}
			}
		}
	}
}

// TestFilesOfAnEarlierVersionAreClosedToOthers: also the logs that a killed process has left.
func TestFilesOfAnEarlierVersionAreClosedToOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	running := open(t, folder) // holds its logs open, as a killed process leaves them
	use(t, running)
	for _, name := range []string{"ruri.db", "ruri.db-wal", "ruri.db-shm", "queue.db", "queue.db-wal", "queue.db-shm"} {
		if err := os.Chmod(filepath.Join(folder, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"", "blobs"} {
		if err := os.Chmod(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	use(t, open(t, folder))
	if bad, _ := openModes(t, folder); len(bad) > 0 {
		t.Errorf("open to others: %v", bad)
	}
}

func TestFoldersThatMustNotBeClosedToOthers(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "tmp")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(filepath.Join(foreign, "letters"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"shared by all": shared, "somebody's own": foreign} {
		before, err := os.Stat(folder)
		if err != nil {
			t.Fatal(err)
		}
		_, err = localwire.Open(t.Context(), settings(t, folder), localwire.Options{})
		if err == nil || !strings.Contains(err.Error(), "open to other users") ||
			!strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.Stat(folder)
		if err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s: the mode was %v and is %v", name, before.Mode(), after.Mode())
		}
		if _, err := os.Stat(filepath.Join(folder, "ruri.db")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a database was made there: %v", name, err)
		}
	}
}

package localwire_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

func tryOpen(t *testing.T, data string, log *bytes.Buffer) (*localwire.Backend, error) {
	t.Helper()
	return localwire.Open(t.Context(), settings(t, data), localwire.Options{
		Version: "test", Log: slog.New(slog.NewTextHandler(log, nil)), Clock: clock.NewManual(start),
	})
}

// installation is a folder in which a reader was used and closed.
func installation(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	h, err := tryOpen(t, data, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Auth.EnsureOwner(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Blobs.Put(t.Context(), "feeds/1/x", []byte("body"), blob.Meta{}); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if err := job.Send(t.Context(), h.Queue, 0, job.Job{Kind: job.Cleanup}); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return data
}

// damage overwrites a part of a file.
func damage(t *testing.T, path string, from, to int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte("garbage."), int(to-from)/8), from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestADamagedQueueIsBegunAnew: it holds nothing that is not sent again, so it must not keep a reader from starting.
func TestADamagedQueueIsBegunAnew(t *testing.T) {
	t.Parallel()
	for name, part := range map[string][2]int64{"its beginning": {0, 4096}, "its middle": {4096 * 3, 4096 * 6}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, log := installation(t), &bytes.Buffer{}
			queue := filepath.Join(data, "queue.db")
			damage(t, queue, part[0], part[1])
			h, err := tryOpen(t, data, log)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = h.Close() }()
			if err := job.Send(t.Context(), h.Queue, 0, job.Job{Kind: job.Cleanup}); err != nil {
				t.Errorf("the new queue: %v", err)
			}
			kept, _ := filepath.Glob(queue + ".damaged-*")
			if len(kept) == 0 || !strings.Contains(log.String(), queue) {
				t.Errorf("set aside %q, logged %q", kept, log)
			}
			if info, err := os.Stat(queue); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the new file is %v, %v", info.Mode(), err)
			}
		})
	}
}

// TestADamagedDatabaseIsNamed, and so is what to do.
func TestADamagedDatabaseIsNamed(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(t *testing.T, path string){
		"no database": func(t *testing.T, path string) { damage(t, path, 0, 4096) },
		"damaged":     func(t *testing.T, path string) { damage(t, path, 100, 4096) },
		"empty": func(t *testing.T, path string) {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		},
		"gone": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := installation(t)
			path := filepath.Join(data, "ruri.db")
			harm(t, path)
			for range 2 { // the first attempt must not make it look like a new installation
				h, err := tryOpen(t, data, &bytes.Buffer{})
				if err == nil {
					_ = h.Close()
					t.Fatal("the reader started")
				}
				for _, want := range []string{path, "ruri restore", "docs/run/backup.md"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not name %s", err, want)
					}
				}
			}
			if body, err := os.ReadDir(filepath.Join(data, "blobs")); err != nil || len(body) == 0 {
				t.Errorf("the bodies are gone: %v", err)
			}
		})
	}
}

// TestAFolderOfAnotherVersion is refused, and left as it is.
func TestAFolderOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for version, says := range map[byte][]string{
		2:  {"ruri backup FILE --data ", "ruri restore FILE --data NEW"},
		99: {"newer version", "Start that version", "ruri restore FILE --data NEW"},
	} {
		data := installation(t)
		path := filepath.Join(data, "ruri.db")
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt([]byte{0, 0, 0, version}, 60) // user_version in SQLite's header
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := tryOpen(t, data, &bytes.Buffer{})
		if err == nil {
			_ = h.Close()
			t.Errorf("version %d: the reader started", version)
			continue
		}
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			t.Errorf("the command line shows %q alone", f.Message)
		}
		for _, words := range says {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("version %d: %q does not say %q", version, err, words)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the database was changed, or is gone: %v", err)
		}
	}
}

// TestAnInstallationOfANewerFormat: what is stored may be of a newer version also where the file is of the same.
func TestAnInstallationOfANewerFormat(t *testing.T) {
	t.Parallel()
	data := installation(t)
	d, err := sqlitetable.Open(filepath.Join(data, "ruri.db"), sqlitetable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := struct {
		PK      string `dynamo:"pk"`
		SK      string `dynamo:"sk"`
		N       int    `dynamo:"n"`
		Program string `dynamo:"program"`
	}{"SYS", "format", store.SchemaVersion + 1, "9.1.0"}
	err = table.New(d, table.Options{Clock: clock.System{}, Kind: store.Kind}).Put(t.Context(), &row)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	h, err := tryOpen(t, data, &bytes.Buffer{})
	if err == nil {
		_ = h.Close()
	}
	if fault.CodeOf(err) != "data_newer" || !strings.Contains(err.Error(), "9.1.0") {
		t.Errorf("the reader starts with %v", err)
	}
}

// TestBackupBeforeANewFormat: what was there before is in a backup that restores, also when the raise failed first.
func TestBackupBeforeANewFormat(t *testing.T) {
	t.Parallel()
	data := installation(t)
	fails := errors.New("power cut")
	raises := []store.Raise{{To: store.SchemaVersion + 1, Do: func(ctx context.Context, s *store.Store) error {
		return errors.Join(s.Accounts.SetSignUp(ctx, "open"), fails)
	}}}
	open := func() (*localwire.Backend, error) {
		return localwire.Open(t.Context(), settings(t, data), localwire.Options{
			Version: "test", Clock: clock.NewManual(start), Raises: raises,
		})
	}
	if _, err := open(); fault.CodeOf(err) != "data_not_raised" {
		t.Fatalf("a failing raise: %v", err)
	}
	fails = nil
	h, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if site, err := h.Store.Accounts.Site(t.Context()); err != nil || site.SignUp != "open" {
		t.Errorf("the raise did not happen: %+v, %v", site, err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(data, "before-format-2.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := transfer.Options{Clock: clock.NewManual(start)}
	archive, err := transfer.OpenArchive(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	restored, err := tryOpen(t, t.TempDir(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	if _, err := transfer.Restore(t.Context(), archive, transfer.Installation{Table: restored.Store.Table(),
		Blobs: restored.Blobs}, o); err != nil {
		t.Fatal(err)
	}
	if site, err := restored.Store.Accounts.Site(t.Context()); err != nil || site.SignUp != "" {
		t.Errorf("the backup has the change: %+v, %v", site, err)
	}
}

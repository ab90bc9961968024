// Package fileblob stores blobs as files in one folder: the driver of package blob for a single machine.
//
// The blob "feeds/2026/x/y" is the file "feeds/2026/x@y@", a header followed by the body (format.go); names.go explains
// why the last two parts share a name. Keys do not contain "@", so a key may be the beginning of another ("a" and
// "a/b"), and the folder "@tmp" is no blob's. A put writes a temporary file, syncs it, renames it and syncs the folder:
// a reader sees the old or the new blob, and an acknowledged put survives a power cut. All paths go
// through os.Root: no key and no symbolic link leads out of the folder. Several processes may share a folder. The file
// system must be case sensitive and support hard links (PutIfAbsent needs link to fail when the name exists).
package fileblob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

const (
	mark   = "@"    // ends every blob's file name, and joins the last two parts of its key
	tmpDir = "@tmp" // half-written files and the lock, in the same file system so that rename is atomic
	// A put whose folder was removed by a concurrent delete makes it again; only a bug could use up so many retries.
	maxRetries = 10
)

// Options of Open; all may be zero.
type Options struct {
	Clock clock.Clock // for Modified; the system's when nil
	// Alone is called, before any other process can open the store, when none has it open: then unfinished work of
	// other processes is abandoned. May be nil.
	Alone func() error
}

// Store is a folder of blobs. It implements blob.Driver and is safe for concurrent use.
type Store struct {
	root  *os.Root
	lock  *os.File
	clock clock.Clock
	tag   string // makes temporary names unique among processes
	count atomic.Uint64
	dirs  *dirs
	fail  func(step string) error // tests make a step fail; nil otherwise
}

var _ blob.Driver = (*Store)(nil)

// Open creates the folder if necessary and removes incomplete files of crashed processes. Close the Store after use.
func Open(dir string, o Options) (*Store, error) {
	const op = "fileblob: open"
	if err := os.MkdirAll(filepath.Join(dir, tmpDir), 0o700); err != nil {
		return nil, classify(op, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, classify(op, err)
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	s := &Store{root: root, clock: o.Clock, tag: rand.Text()[:12]}
	s.dirs = newDirs(root, s.step)
	alone := func() error {
		err := s.removeStale()
		if err == nil && o.Alone != nil {
			err = o.Alone()
		}
		return err
	}
	if s.lock, err = openShared(root, path.Join(tmpDir, "lock"), alone); err == nil {
		err = syncPath(filepath.Dir(dir))
	}
	if err != nil {
		_ = s.Close()
		return nil, classify(op, err)
	}
	return s, nil
}

// Close closes the folder; running calls may fail.
func (s *Store) Close() error {
	if s.lock != nil {
		_ = s.lock.Close()
	}
	return s.root.Close()
}

// removeStale empties the temporary folder. It runs only while no other process has the store open.
func (s *Store) removeStale() error {
	entries, err := fs.ReadDir(s.root.FS(), tmpDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			if err := s.root.Remove(path.Join(tmpDir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Put implements blob.Driver.
func (s *Store) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	const op = "fileblob: put"
	m.Modified = s.clock.Now()
	created, err := s.put(ctx, fileOf(key), encodeHeader(m, body), body, ifAbsent)
	if errors.Is(err, fs.ErrNotExist) { // not the blob: the store's folder was removed
		return false, fault.New(fault.Unavailable, "storage_failed", op, err)
	}
	return created, classify(op, err)
}

func (s *Store) put(ctx context.Context, name string, header, body []byte, ifAbsent bool) (created bool, err error) {
	tmp, err := s.writeTemp(header, body)
	if err != nil {
		return false, err
	}
	move := s.root.Rename
	if ifAbsent {
		move = s.root.Link
	}
	if err = ctx.Err(); err == nil {
		err = s.place(move, tmp, name)
	}
	if created = err == nil; ifAbsent || !created {
		_ = s.root.Remove(tmp) // one more name, or unused
	}
	if ifAbsent && errors.Is(err, fs.ErrExist) {
		err = nil // another process may just have put it, and the caller will refer to it
	}
	if err == nil {
		err = present(s.dirs.sync(path.Dir(name)))
	}
	return created && err == nil, err
}

// writeTemp leaves a complete, synced temporary file, or none.
func (s *Store) writeTemp(parts ...[]byte) (string, error) {
	if err := s.step("create"); err != nil {
		return "", err
	}
	name := path.Join(tmpDir, s.tag+"-"+strconv.FormatUint(s.count.Add(1), 36))
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	for _, part := range parts {
		if err == nil {
			_, err = f.Write(part)
		}
		if err == nil {
			err = s.step("write")
		}
	}
	if err == nil {
		err = s.step("sync")
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = s.root.Remove(name)
	}
	return name, err
}

// place gives a temporary file its name, by a rename or a link. It retries when a concurrent delete has removed the
// folder.
func (s *Store) place(move func(from, to string) error, tmp, name string) error {
	for try := 1; ; try++ {
		err := s.dirs.ensure(path.Dir(name))
		if err == nil {
			err = s.step("rename")
		}
		if err == nil {
			err = move(tmp, name)
		}
		if !errors.Is(err, fs.ErrNotExist) || try == maxRetries {
			return err
		}
		s.dirs.forget()
	}
}

// present ignores that a folder does not exist: its blobs have been deleted since.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Delete implements blob.Driver. It also removes folders that become empty.
func (s *Store) Delete(_ context.Context, key string) error {
	const op = "fileblob: delete"
	name := fileOf(key)
	err := s.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return classify(op, err)
	}
	dir := path.Dir(name)
	if err := present(s.dirs.sync(dir)); err != nil {
		return classify(op, err)
	}
	// A folder that cannot be removed is usually not empty; it is harmless.
	for ; dir != "." && s.root.Remove(dir) == nil; dir = path.Dir(dir) {
		s.dirs.forget()
	}
	return nil
}

func (s *Store) step(name string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(name)
}

func classify(op string, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "blob_not_found", op, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &fault.Error{Kind: fault.Unavailable, Code: "storage_full", Op: op, Cause: err,
			Message: "The disk is full. Nothing that was stored is damaged; free some space and try again."}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &fault.Error{Kind: fault.Unavailable, Code: "storage_denied", Op: op, Cause: err,
			Message: "The data folder may not be written to."}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fault.New(fault.Unavailable, "storage_busy", op, err)
	case errors.Is(err, fs.ErrClosed), errors.Is(err, syscall.EIO):
		return fault.New(fault.Unavailable, "storage_failed", op, err)
	default:
		return fault.New(fault.Internal, "storage_failed", op, fmt.Errorf("unexpected: %w", err))
	}
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

func copyFlags(i *invocation) {
	i.flags.StringVar(&i.from, "from", "", "installation to copy: "+homeHelp)
	i.flags.StringVar(&i.to, "to", "", "empty installation to fill, or one with an interrupted copy: "+homeHelp)
	jsonFlag("one JSON object")(i)
}

func copyCmd(ctx context.Context, i *invocation) error {
	if i.from == "" || i.to == "" {
		return &usageError{"copy needs --from HOME and --to HOME, each a " + homeHelp}
	}
	source, err := i.openBackend(ctx, i.from, backend.Options{MustExist: true, Bulk: true})
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := i.openBackend(ctx, i.to, backend.Options{Bulk: true})
	if err != nil {
		return err
	}
	defer target.Close() // acknowledged writes are on disk already
	if samePlace(source, target) {
		return &usageError{"--from and --to are the same installation"}
	}
	bar := newMeter(i.Stderr)
	defer bar.end()
	r, err := transfer.Copy(ctx, installationOf(source), installationOf(target), i.transferOptions(bar))
	if err != nil {
		return withRemedy(ctx, err)
	}
	return i.printReport(i.Stdout, bar, r, fmt.Sprintf("%s is now a copy of %s: every row and file was compared.",
		target.Spec, source.Spec))
}

// backupTries is how often a backup is started when the installation changes meanwhile, as a running one does for some
// seconds in each quarter of an hour.
const backupTries = 3

func backupCmd(ctx context.Context, i *invocation) error {
	source, err := i.openBackend(ctx, i.home, backend.Options{MustExist: true, Bulk: true})
	if err != nil {
		return err
	}
	defer source.Close()
	bar := newMeter(i.Stderr)
	defer bar.end()
	o := i.transferOptions(bar)
	file := i.args[0]
	if file == "-" {
		if isTerminal(i.Stdout) {
			return &usageError{"a backup is binary: send standard output to a file or a program"}
		}
		r, err := transfer.Backup(ctx, installationOf(source), i.Stdout, o)
		if err != nil {
			return withRemedy(ctx, err)
		}
		return i.printReport(i.Stderr, bar, r, "The backup is complete.")
	}
	if backend.IsShelf(file) {
		link, err := i.keepBackup(ctx, file, source.App, source.Spec.String(), o)
		if err != nil {
			return withRemedy(ctx, err)
		}
		return i.printBackup(link)
	}
	var r transfer.Report
	err = tryBackup(func() error {
		return newFile(file, func(w io.Writer) (err error) {
			r, err = transfer.Backup(ctx, installationOf(source), w, o)
			return err
		})
	})
	if err != nil {
		return withRemedy(ctx, err)
	}
	return i.printReport(i.Stdout, bar, r,
		fmt.Sprintf("%s is a backup of %s. Keep it safe: it has the accounts' password hashes in it.",
			file, source.Spec))
}

// tryBackup tries a backup again when the installation changes meanwhile.
func tryBackup(backup func() error) (err error) {
	for range backupTries {
		if err = backup(); fault.CodeOf(err) != "source_changes" {
			break
		}
	}
	return err
}

func verifyCmd(ctx context.Context, i *invocation) error {
	shelf, err := backend.OpenShelf(ctx, i.args[0], i.Lookup)
	if err != nil {
		return err
	}
	link, err := transfer.Verify(ctx, shelf)
	if err != nil {
		return err
	}
	return i.printBackup(link)
}

// printBackup prints a link of the chain of backups, whose hash a person may note.
func (i *invocation) printBackup(l transfer.Link) error {
	_, err := fmt.Fprintf(i.Stdout, "%s: %d bytes, chain %s\n", l.Date, l.Bytes, l.Hash)
	return err
}

func restoreCmd(ctx context.Context, i *invocation) error {
	f, err := i.openBackup(ctx, i.args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	bar := newMeter(i.Stderr)
	defer bar.end()
	o := i.transferOptions(bar)
	archive, err := transfer.OpenArchive(ctx, f, o)
	if err != nil {
		return withRemedy(ctx, err)
	}
	target, err := i.openBackend(ctx, i.home, backend.Options{Bulk: true})
	if err != nil {
		return err
	}
	defer target.Close() // acknowledged writes are on disk already
	r, err := transfer.Restore(ctx, archive, installationOf(target), o)
	if err != nil {
		return withRemedy(ctx, err)
	}
	return i.printReport(i.Stdout, bar, r,
		fmt.Sprintf("%s is restored from the backup: every row and file was compared.", target.Spec))
}

// openBackup opens an archive. One of a shelf is checked by the shelf's chain; one in a bucket is copied into a file
// that goes when it is closed.
func (i *invocation) openBackup(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	shelf, day, err := backend.OpenBackup(ctx, name, i.Lookup)
	if err != nil {
		return nil, err
	}
	if !backend.IsBucket(name) {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("the backup cannot be read: %w", err)
		}
		if shelf != nil {
			err = transfer.Fetch(ctx, shelf, day, io.Discard)
		}
		return f, err
	}
	f, err := os.CreateTemp("", "ruri-*.tar.gz")
	if err != nil {
		return nil, err
	}
	out := tempFile{f}
	if err := transfer.Fetch(ctx, shelf, day, f); err != nil {
		return nil, errors.Join(fmt.Errorf("the backup cannot be read: %w", err), out.Close())
	}
	return out, nil
}

// tempFile is a file that goes when it is closed.
type tempFile struct{ *os.File }

// Close implements io.Closer.
func (f tempFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }

func installationOf(h *backend.Backend) transfer.Installation {
	return transfer.Installation{Name: h.Spec.String(), Table: h.Store.Table(), Blobs: h.Blobs}
}

func (i *invocation) transferOptions(m *meter) transfer.Options {
	return transfer.Options{Clock: i.Clock, Version: i.Version, Progress: m.show}
}

// samePlace reports whether two backends are one installation, also by links and other spellings of a folder.
func samePlace(a, b *backend.Backend) bool {
	if a.Spec == b.Spec {
		return true
	}
	if a.Spec.Cloud() || b.Spec.Cloud() {
		return false
	}
	x, err1 := os.Stat(a.Spec.Folder)
	y, err2 := os.Stat(b.Spec.Folder)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// newFile writes a file, readable only by its owner, that appears under its name when it is complete. An existing file
// is an error and is not changed.
func newFile(name string, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return fault.Newf(fault.Conflict, "file_exists", "%s is there already. Choose another name, or remove it.",
			name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*")
	if err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Link(f.Name(), name) // fails if the file exists by now, unlike a rename
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(f.Name(), name) // a file system without links
		}
	}
	if rm := os.Remove(f.Name()); err == nil && rm != nil && !errors.Is(rm, fs.ErrNotExist) {
		err = rm
	}
	return err
}

// withRemedy replaces an error that ended a transfer with one that says how to continue.
func withRemedy(ctx context.Context, err error) error {
	if ctx.Err() != nil || fault.Is(err, fault.Cancelled) {
		return fault.Newf(fault.Cancelled, "stopped", "Stopped before the end. Run the same command again to continue.")
	}
	if fault.Is(err, fault.RateLimited) {
		return fault.Newf(fault.RateLimited, "throttled",
			"The table was throttled for half a minute. Run the same command again to continue.")
	}
	return err
}

func (i *invocation) printReport(w io.Writer, bar *meter, r transfer.Report, words string) error {
	bar.end()
	if i.json {
		return json.NewEncoder(w).Encode(struct {
			Kinds   []transfer.Line `json:"kinds"`
			Written int64           `json:"written"`
			Kept    int64           `json:"kept"`
			Already bool            `json:"already"`
		}{r.Lines(), r.Written, r.Kept, r.Already})
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tCOUNT\tBYTES\tHASH")
	for _, l := range r.Lines() {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.16s\n", l.Kind, l.Count, l.Bytes, l.Hash)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Kept > 0 && !r.Already {
		words += fmt.Sprintf(" %d of them were there from an interrupted run.", r.Kept)
	}
	if r.Already {
		words = "An earlier run had already finished. " + words
	}
	_, err := fmt.Fprintln(w, words)
	return err
}

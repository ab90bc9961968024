package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

const homeHelp = "a data folder, aws:STACK or aws:STACK@REGION"

func copyCmd(ctx context.Context, i *invocation) error {
	from := i.flags.String("from", "", "home to copy: "+homeHelp)
	to := i.flags.String("to", "", "empty home to fill, or one that a copy was broken off in: "+homeHelp)
	asJSON := i.flags.Bool("json", false, "print one JSON object")
	if _, err := i.parse(0); err != nil {
		return err
	}
	if *from == "" || *to == "" {
		return &usageError{"copy needs --from HOME and --to HOME, each " + homeHelp}
	}
	source, err := i.openWhole(ctx, *from, true)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := i.openWhole(ctx, *to, false)
	if err != nil {
		return err
	}
	defer func() { _ = target.Close() }() // what was acknowledged is on disk already
	if samePlace(source, target) {
		return &usageError{"--from and --to are the same home"}
	}
	bar := newMeter(i.Stderr)
	r, err := transfer.Copy(ctx, placeOf(source), placeOf(target), i.transferOptions(bar))
	bar.end()
	if err != nil {
		return broken(ctx, err)
	}
	return printReport(i.Stdout, r, *asJSON, fmt.Sprintf("%s is now what %s is: every row and file was compared.", target.Spec, source.Spec))
}

func backupCmd(ctx context.Context, i *invocation) error {
	home := i.flags.String("home", "", "home to back up: "+homeHelp+" (default: --data)")
	asJSON := i.flags.Bool("json", false, "print one JSON object")
	args, err := i.parse(1)
	if err != nil {
		return err
	}
	source, err := i.openWhole(ctx, orData(*home, i), true)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	bar := newMeter(i.Stderr)
	o := i.transferOptions(bar)
	if args[0] == "-" {
		if f, ok := i.Stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return &usageError{"a backup is no text: send standard output to a file or a program"}
		}
		r, err := transfer.Backup(ctx, placeOf(source), i.Stdout, o)
		bar.end()
		if err != nil {
			return broken(ctx, err)
		}
		return printReport(i.Stderr, r, *asJSON, "The backup is whole.")
	}
	var r transfer.Report
	err = newFile(args[0], func(w io.Writer) (err error) {
		r, err = transfer.Backup(ctx, placeOf(source), w, o)
		return err
	})
	bar.end()
	if err != nil {
		return broken(ctx, err)
	}
	return printReport(i.Stdout, r, *asJSON, fmt.Sprintf("%s holds all of %s. Keep it safe: it has the accounts' password hashes in it.", args[0], source.Spec))
}

func restoreCmd(ctx context.Context, i *invocation) error {
	home := i.flags.String("home", "", "empty home to fill: "+homeHelp+" (default: --data)")
	asJSON := i.flags.Bool("json", false, "print one JSON object")
	args, err := i.parse(1)
	if err != nil {
		return err
	}
	f, err := os.Open(args[0])
	if err != nil {
		return fmt.Errorf("the backup cannot be read: %w", err)
	}
	defer f.Close()
	bar := newMeter(i.Stderr)
	o := i.transferOptions(bar)
	archive, err := transfer.OpenArchive(ctx, f, o)
	if err != nil {
		bar.end()
		return broken(ctx, err)
	}
	target, err := i.openWhole(ctx, orData(*home, i), false)
	if err != nil {
		bar.end()
		return err
	}
	defer func() { _ = target.Close() }() // what was acknowledged is on disk already
	r, err := transfer.Restore(ctx, archive, placeOf(target), o)
	bar.end()
	if err != nil {
		return broken(ctx, err)
	}
	return printReport(i.Stdout, r, *asJSON, fmt.Sprintf("%s is now what was backed up: every row and file was compared.", target.Spec))
}

func orData(home string, i *invocation) string {
	if home == "" {
		return i.config.Data
	}
	return home
}

// openWhole opens a home for work on all of it.
func (i *invocation) openWhole(ctx context.Context, spec string, mustExist bool) (*homes.Home, error) {
	return homes.Open(ctx, spec, homes.Options{
		Config: i.config, Lookup: i.Lookup, Version: i.Version, Clock: i.Clock, MustExist: mustExist, Bulk: true,
		Log: slog.New(slog.NewTextHandler(i.Stderr, &slog.HandlerOptions{Level: max(slog.LevelWarn, i.config.LogLevel)})),
	})
}

func placeOf(h *homes.Home) transfer.Place {
	p := transfer.Place{Name: h.Spec.String(), Table: h.Store.Table(), Blobs: h.Blobs}
	if h.Spec.Cloud() {
		p.Rows = cmp.Or(h.Capacity.Rows, -1)
	}
	return p
}

func (i *invocation) transferOptions(m *meter) transfer.Options {
	return transfer.Options{Clock: i.Clock, Version: i.Version, Progress: m.show}
}

// samePlace sees through links and other spellings of a folder.
func samePlace(a, b *homes.Home) bool {
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

// newFile writes a file that appears under its name when it is whole, readable by its owner alone. One that is
// there already is never touched.
func newFile(name string, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return fault.Newf(fault.Conflict, "file_exists", "%s is there already. Name a file that is not, or remove it.", name)
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
		err = os.Link(f.Name(), name) // fails when somebody was faster, unlike a rename
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = os.Rename(f.Name(), name) // a file system without links
		}
	}
	if rm := os.Remove(f.Name()); err == nil && rm != nil && !errors.Is(rm, fs.ErrNotExist) {
		err = rm
	}
	return err
}

// broken adds what to do to an error that ended the work.
func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil || fault.Is(err, fault.Cancelled) {
		return fault.Newf(fault.Cancelled, "stopped", "Stopped before the end. The same command goes on where it is.")
	}
	if fault.Is(err, fault.RateLimited) {
		return fault.Newf(fault.RateLimited, "throttled", "The table did not take more for half a minute. The same command goes on where it is.")
	}
	return err
}

func printReport(w io.Writer, r transfer.Report, asJSON bool, words string) error {
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			Kinds   []transfer.Line `json:"kinds"`
			Passes  int             `json:"passes"`
			Written int64           `json:"written"`
			Kept    int64           `json:"kept"`
			Already bool            `json:"already"`
		}{r.Lines(), r.Passes, r.Written, r.Kept, r.Already})
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
		words += fmt.Sprintf(" %d of them were there from a run that was broken off.", r.Kept)
	}
	if r.Already {
		words = "An earlier run had finished. " + words
	}
	_, err := fmt.Fprintln(w, words)
	return err
}

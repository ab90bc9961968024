// Package transfer copies a whole installation: into another one (Copy), into one portable file (Backup) and out of it
// (Restore). docs/run/backup.md says what an owner may expect of it.
//
// Copy and Restore first write to the target what it lacks, and delete what the source does not have; nothing needs to
// be remembered to resume, because the target is compared with the source. Then a second pass compares both sides
// completely. The source must not be running: if it changed, that pass finds it, and the work ends with an error. Rows
// that activate an installation (see movesLast) are written after that.
package transfer

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Installation is the storage of one.
type Installation struct {
	Name  string // for people: the folder, or aws:STACK
	Table *table.Table
	Blobs *blob.Bucket
}

// Progress says how far the work is. Total is 0 while unknown.
type Progress struct {
	Stage       string
	Done, Total int64
	Bytes       int64
}

// Options of a copy, backup or restore.
type Options struct {
	Clock    clock.Clock
	Version  string         // of the program, noted in archives
	Progress func(Progress) // may be nil
}

func (o Options) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Report says what was done.
type Report struct {
	Sums
	Written int64 // rows and blobs put
	Kept    int64 // found in the target already, from an interrupted run
	Already bool  // nothing was left to do: an earlier run had finished
}

// Copy copies an installation into an empty one, or resumes an interrupted copy. Errors are sentences for the owner;
// after each of them the same call may be made again.
func Copy(ctx context.Context, from, to Installation, o Options) (Report, error) {
	owner, err := ownerOf(ctx, from, o.Clock)
	if err != nil {
		return Report{}, err
	}
	f := &filler{o: o, src: newSource(from), to: to, cutoff: cutoff(o.Clock)}
	return f.fill(ctx, owner, from.Name)
}

// soon is how long a row must still live to be copied. Rows with less would expire while the sides are compared.
const soon = time.Hour

// cutoff returns the expiry in Unix seconds from which on rows are copied.
func cutoff(c clock.Clock) int64 { return c.Now().Add(soon).Unix() }

// ownerOf returns the id of an installation's owner, which identifies the installation wherever it is copied to.
func ownerOf(ctx context.Context, p Installation, c clock.Clock) (string, error) {
	mark, err := store.TransfersOf(p.Table).Get(ctx)
	if err != nil {
		return "", err
	}
	if mark.State != "" && mark.State != store.TransferDone {
		return "", fault.Newf(fault.Conflict, "source_half_filled",
			"%s is itself an unfinished copy of %s. Finish that copy first.", p.Name, mark.From)
	}
	owner, err := store.New(p.Table, c).Accounts.Owner(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return "",
			fault.Newf(fault.NotFound, "source_empty",
				"There is nothing to copy in %s: no reader was ever started there.", p.Name)
	case err != nil:
		return "", err
	}
	return string(owner.ID()), nil
}

// sourceChanges is the error of a source that did not stay the same.
func sourceChanges(what string) error {
	return fault.Newf(fault.Conflict, "source_changes",
		"%s changed while it was read. Stop its server (in the cloud: deploy with ScheduleState=DISABLED) and run "+
			"the same command again.", what)
}

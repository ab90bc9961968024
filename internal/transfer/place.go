// Package transfer moves a whole home: from one place to another (Copy), into one portable file (Backup) and out
// of it (Restore). docs/backup.md tells what an owner may expect of it.
//
// All three work in passes. A pass streams the source and compares it with what the target has; what differs is
// written, what is too much is deleted. The first pass finds nothing and so writes all; the pass in which nothing
// differed proves that the target is the source as it was when that pass began, because the target did not change
// meanwhile. No position needs to be remembered: whatever a broken off copy has written is found again.
// Rows that wake a home (kinds.go: door) are written after such a pass only.
package transfer

import (
	"context"
	"errors"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Place is a home as far as it is copied.
type Place struct {
	Name  string // for people: the folder, or aws:STACK
	Table *table.Table
	Blobs *blob.Bucket
	// Rows is about how many rows there are, for the progress alone: 0 = they are quick to count, -1 = nobody knows.
	Rows int64
}

// Progress is where the work stands. Total is 0 while nobody knows it.
type Progress struct {
	Stage       string
	Done, Total int64
	Bytes       int64
}

// Options of a piece of work.
type Options struct {
	Clock    clock.Clock
	Version  string         // of the program, noted in archives
	Progress func(Progress) // may be nil
	// Passes bounds how often a source that changes is gone through; 0 = 6.
	Passes int
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Passes <= 0 {
		o.Passes = 6
	}
	return o
}

// Report tells what was done.
type Report struct {
	Sums
	Passes  int
	Written int64 // rows and blobs put
	Kept    int64 // found in the target already, from a run that was broken off
	Already bool  // nothing was left to do: an earlier run had finished
}

// object is a blob of a source.
type object struct {
	key, kind string
	size      int64
	open      func(context.Context) ([]byte, blob.Meta, error)
}

// source is what a target is filled from. Each gives what moves and what is a door, once, as it is now.
type source interface {
	rows(ctx context.Context, consistent bool, each func(kind string, f fate, r table.Row) error) error
	blobs(ctx context.Context, each func(object) error) error
	count(ctx context.Context) (rows, blobs int64, err error)
}

// live is a home as source.
type live struct{ p Place }

const pageRows = 400 // a page takes at most a second's burst of a small table

func eachRow(ctx context.Context, t *table.Table, consistent bool, each func(kind string, f fate, r table.Row) error) error {
	var opts []table.ReadOption
	if consistent {
		opts = append(opts, table.Consistent())
	}
	for after := (table.Key{}); ; {
		rows, next, err := t.Scan(ctx, after, pageRows, opts...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			kind, f, err := judge(r)
			if err != nil {
				return err
			}
			if f == stays {
				continue
			}
			if r, err = freed(kind, r); err != nil {
				return err
			}
			if err := each(kind, f, r); err != nil {
				return err
			}
		}
		if next == (table.Key{}) {
			return nil
		}
		after = next
	}
}

func eachBlob(ctx context.Context, b *blob.Bucket, each func(kind string, o blob.Object) error) error {
	for cursor := ""; ; {
		page, next, err := b.List(ctx, "", cursor, 0)
		if err != nil {
			return err
		}
		for _, o := range page {
			kind, f, err := judgeBlob(o.Key)
			if err != nil {
				return err
			}
			if f == stays {
				continue
			}
			if err := each(kind, o); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

func (l live) rows(ctx context.Context, consistent bool, each func(kind string, f fate, r table.Row) error) error {
	return eachRow(ctx, l.p.Table, consistent, each)
}

func (l live) blobs(ctx context.Context, each func(object) error) error {
	return eachBlob(ctx, l.p.Blobs, func(kind string, o blob.Object) error {
		return each(object{key: o.Key, kind: kind, size: o.Size, open: func(ctx context.Context) ([]byte, blob.Meta, error) {
			return l.p.Blobs.Get(ctx, o.Key, blob.Range{})
		}})
	})
}

// count counts rows only where that is quick: of a table that bills reads, what it says of itself must do.
func (l live) count(ctx context.Context) (rows, blobs int64, err error) {
	rows = max(l.p.Rows, 0)
	if l.p.Rows == 0 {
		err = eachRow(ctx, l.p.Table, false, func(string, fate, table.Row) error {
			rows++
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	err = eachBlob(ctx, l.p.Blobs, func(string, blob.Object) error {
		blobs++
		return nil
	})
	return rows, blobs, err
}

// homeOf names the home that a place holds by its owner, who is the same wherever it is copied to.
func homeOf(ctx context.Context, p Place, c clock.Clock) (string, error) {
	mark, err := store.TransfersOf(p.Table).Get(ctx)
	if err != nil {
		return "", err
	}
	if mark.State != "" && mark.State != store.TransferDone {
		return "", fault.Newf(fault.Conflict, "source_half_filled",
			"%s is itself being filled with what is in %s, and not all of it is there. Finish that first.", p.Name, mark.From)
	}
	owner, err := store.New(p.Table, c).Accounts.Owner(ctx)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", fault.Newf(fault.NotFound, "source_empty", "There is nothing to take from %s: no reader was ever started there.", p.Name)
	case err != nil:
		return "", err
	}
	return string(owner.ID()), nil
}

// gone tells that a blob was deleted between its listing and its reading.
func gone(err error) bool { return fault.Is(err, fault.NotFound) }

var errFound = errors.New("found")

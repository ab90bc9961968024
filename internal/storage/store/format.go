package store

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
)

// formatRow has the version of what an installation stores. Version 1 has no such row: the first program that raises
// the version writes it.
type formatRow struct {
	rowKey
	N       int    `dynamo:"n"`
	Program string `dynamo:"program,omitempty"` // the one that raised it
}

const formatName = "format"

// Raise turns stored data of the version before To into that of To. It is repeated after a crash.
type Raise struct {
	To int
	Do func(ctx context.Context, s *Store) error
}

// Raises lists how older versions are raised to SchemaVersion, one by one. There was no other version yet.
func Raises() []Raise { return nil }

// CheckFormat compares the version of what is stored with the one that this program, of a version of its own, reads and
// writes.
func (s *Store) CheckFormat(ctx context.Context, program string) error {
	return s.RaiseFormat(ctx, program, nil, nil)
}

// RaiseFormat is CheckFormat, and raises older data where raises lead from it to this program's version. backup is
// called before the first change, and again after a crash.
func (s *Store) RaiseFormat(ctx context.Context, program string, raises []Raise,
	backup func(ctx context.Context, from, to int) error) error {
	row, err := getOrZero[formatRow](ctx, s.Accounts.t, systemKey(formatName))
	if err != nil {
		return err
	}
	stored, ours := max(row.N, 1), SchemaVersion
	for _, r := range raises {
		ours = max(ours, r.To)
	}
	next := slices.IndexFunc(raises, func(r Raise) bool { return r.To == stored+1 })
	if next < 0 {
		return compareFormats(stored, ours, row.Program, program)
	}
	if err := backup(ctx, stored, ours); err != nil {
		return fault.Newf(fault.Internal, "no_backup", "The data has format %d, and this version (%s) brings it to format "+
			"%d, after a backup. That backup could not be made: %v. Nothing was changed.", stored, program, ours, err)
	}
	for _, r := range raises[next:] {
		if err := r.Do(ctx, s); err != nil {
			return fault.Newf(fault.Internal, "data_not_raised", "The data could not be brought to format %d: %v. Start this "+
				"version (%s) again to continue, or restore the backup that was made before.", r.To, err, program)
		}
		if err := put(ctx, s.Accounts.t, systemKey(formatName), &formatRow{N: r.To, Program: program}); err != nil {
			return err
		}
	}
	return nil
}

func compareFormats(stored, ours int, writtenBy, program string) error {
	if writtenBy != "" {
		writtenBy = " (" + writtenBy + ")"
	}
	switch {
	case stored > ours:
		return fault.Newf(fault.Internal, "data_newer", "The data was written by a newer version of Ruri Reader%s: it has "+
			"format %d, and this version (%s) reads format %d. Start that version or a later one, or restore a backup that "+
			"this version made into a new folder or stack. Nothing was changed.", writtenBy, stored, program, ours)
	case stored < ours:
		return fault.Newf(fault.Internal, "data_older", "The data was written by an older version of Ruri Reader%s: it has "+
			"format %d, and this version (%s) reads format %d. Make a backup with the older version (ruri backup FILE), and "+
			"restore it into a new folder or stack with this one (ruri restore FILE). Nothing was changed.", writtenBy,
			stored, program, ours)
	}
	return nil
}

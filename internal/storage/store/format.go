package store

import (
	"context"

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

// CheckFormat compares the version of what is stored with the one that this program, of a version of its own, reads and
// writes. Raising what is older belongs here, after a backup.
func (s *Store) CheckFormat(ctx context.Context, program string) error {
	row, err := getOrZero[formatRow](ctx, s.Accounts.t, systemKey(formatName))
	if err != nil {
		return err
	}
	return compareFormats(max(row.N, 1), SchemaVersion, row.Program, program)
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

package localwire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// unopened returns the sentence for the person who starts a reader whose database cannot be opened.
func unopened(folder string, err error) error {
	if fault.CodeOf(err) == "storage_corrupt" {
		return fmt.Errorf("the data folder %s cannot be opened: its database %s is damaged, or of another program "+
			"(%w). Restore the last backup into a new folder (ruri restore FILE --data NEW) and keep this one until "+
			"that works; see docs/run/backup.md",
			folder, filepath.Join(folder, tableFile), err)
	}
	if fault.CodeOf(err) == "storage_older" {
		return fmt.Errorf("the data folder %s is of an older version of the program: make a backup with that version "+
			"(ruri backup FILE --data %s) and restore it into a new folder with this one (ruri restore FILE --data NEW)",
			folder, folder) // without the cause, whose own message would be shown instead
	}
	if fault.CodeOf(err) == "storage_newer" {
		return fmt.Errorf("the data folder %s was written by a newer version of Ruri Reader. Start that version or a "+
			"later one, or restore a backup that this version made into a new folder (ruri restore FILE --data NEW); "+
			"nothing was changed", folder)
	}
	return fmt.Errorf("the data folder %s cannot be opened: %w", folder, err)
}

// openQueue opens the queue. A damaged file is set aside and begun anew: the next tick and the nightly jobs send again
// what it held.
func openQueue(ctx context.Context, folder string, o Options) (*sqlitequeue.Store, error) {
	path := filepath.Join(folder, queueFile)
	qd, err := sqlitequeue.Open(ctx, path, sqlitequeue.Options{Clock: o.Clock})
	if fault.CodeOf(err) != "storage_corrupt" {
		return qd, err
	}
	aside := path + ".damaged-" + o.Clock.Now().UTC().Format("20060102T150405Z")
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if e := os.Rename(path+suffix, aside+suffix); e != nil && !errors.Is(e, fs.ErrNotExist) {
			return nil,
				fmt.Errorf("the queue %s is damaged (%w) and cannot be set aside: %w. Remove it; what it holds is "+
					"made again", path, err, e)
		}
	}
	o.Log.Warn("the queue was damaged and is begun anew; its messages are sent again", "file", path, "kept",
		aside, "error", err)
	if err := createPrivate(path); err != nil {
		return nil, unusable(folder, err)
	}
	return sqlitequeue.Open(ctx, path, sqlitequeue.Options{Clock: o.Clock})
}

// requireDatabase refuses an empty database beside bodies of feeds or stars. It was lost, and a new installation in its
// place would remove them as orphans.
func requireDatabase(ctx context.Context, folder string, t *table.Table, blobs *blob.Bucket) error {
	for after, isMore := (table.Key{}), true; isMore; isMore = after != (table.Key{}) {
		rows, next, err := t.Scan(ctx, after, 1)
		if err != nil {
			return unopened(folder, err)
		}
		if len(rows) > 0 { // a page whose rows have expired is empty
			return nil
		}
		after = next
	}
	for _, prefix := range []string{store.RawPrefix, store.StarPrefix} {
		found, _, err := blobs.List(ctx, prefix, "", 1)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("the database %s is empty or missing, but %s holds the articles of an installation. "+
				"Nothing was changed. Put the database back, restore the last backup into a new folder (ruri restore "+
				"FILE --data NEW, see docs/run/backup.md), or choose an empty folder with --data",
				filepath.Join(folder, tableFile),
				filepath.Join(folder, blobFolder))
		}
	}
	return nil
}

// Package localwire opens the embedded backend: one folder with the table and the queue in SQLite files and raw feeds
// as plain files. Several processes may open the same folder at once. A process that opens it while no other has it
// open releases the messages and leases of a killed process, so that a restart continues at once.
package localwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

// Options of an opening that are not settings.
type Options struct {
	Version  string
	Log      *slog.Logger
	Clock    clock.Clock    // the system's when nil
	Samples  netip.AddrPort // the server's own, when it serves sample feeds
	Progress func(done, total int)
	// NoIndexJobs is as in wire.Seams.
	NoIndexJobs bool
	// Raises are those of this program when nil.
	Raises []store.Raise
	// Sign and Region are as in wire.Seams.
	Sign   assist.Sign
	Region string
}

// Backend is an open folder.
type Backend struct {
	*wire.App
	table *sqlitetable.Driver
	queue *sqlitequeue.Store
	blobs *fileblob.Store
}

// pageCache is the cache of each connection to the table, in bytes: a crawl reads each row once, the API keeps side
// bars decoded, and the system caches files. Twice as much cost 6 MB and saved no time.
const pageCache = 1 << 20

// Open opens or creates the folder.
func Open(ctx context.Context, c config.Config, o Options) (*Backend, error) {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := prepare(c.Data, o.Log, os.Chmod); err != nil {
		return nil, err
	}
	td, err := sqlitetable.Open(filepath.Join(c.Data, tableFile), sqlitetable.Options{CacheBytes: pageCache})
	if err != nil {
		return nil, unopened(c.Data, err)
	}
	qd, err := openQueue(ctx, c.Data, o)
	if err != nil {
		return nil, errors.Join(err, td.Close())
	}
	t := table.New(td, table.Options{Clock: o.Clock, Kind: store.Kind, WriteRate: c.WriteRate,
		WriteBurst: c.WriteRate * 300})
	bd, err := fileblob.Open(filepath.Join(c.Data, blobFolder), fileblob.Options{Clock: o.Clock, Alone: func() error {
		return errors.Join(qd.Reclaim(ctx), freeParts(ctx, store.New(t, o.Clock), c.Parts))
	}})
	if err != nil {
		return nil, errors.Join(err, td.Close(), qd.Close())
	}
	blobs := blob.New(bd)
	err = requireDatabase(ctx, c.Data, t, blobs)
	if err == nil {
		err = raise(ctx, c.Data, t, blobs, o)
	}
	if err != nil {
		return nil, errors.Join(err, td.Close(), qd.Close(), bd.Close())
	}
	q := queue.New(qd, queue.Options{})
	app := wire.Build(c, o.Version, wire.Seams{
		Table: t, Blobs: blobs, Queue: q, Clock: o.Clock, Log: o.Log, Samples: o.Samples, Progress: o.Progress,
		NoIndexJobs: o.NoIndexJobs, Sign: o.Sign, Region: o.Region,
		ExpireBlobs: true, Shrink: iconwire.Shrink, Patience: crawl.Patience,
	})
	return &Backend{App: app, table: td, queue: qd, blobs: bd}, nil
}

// raise brings an older folder to the format of this program. Before that it makes a backup in the folder, which keeps
// what was there when the first attempt began.
func raise(ctx context.Context, folder string, t *table.Table, blobs *blob.Bucket, o Options) error {
	raises := o.Raises
	if raises == nil {
		raises = store.Raises()
	}
	backup := func(ctx context.Context, from, to int) error {
		name := filepath.Join(folder, fmt.Sprintf("before-format-%d.tar.gz", to))
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		o.Log.Info("the data is brought to a new format, after a backup", "from", from, "to", to, "backup", name)
		err := transfer.WriteWhole(name, func(w io.Writer) error {
			_, err := transfer.Backup(ctx, transfer.Installation{Name: folder, Table: t, Blobs: blobs}, w,
				transfer.Options{Clock: o.Clock, Version: o.Version})
			return err
		})
		if fault.CodeOf(err) == "source_empty" {
			return nil // no reader was ever started: nothing can be lost
		}
		return err
	}
	return store.New(t, o.Clock).RaiseFormat(ctx, o.Version, raises, backup)
}

// freeParts releases the leases of crawlers that were killed.
func freeParts(ctx context.Context, st *store.Store, fixed int) error {
	n, err := st.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	return st.Leases.FreeAll(ctx, job.Parts(fixed, n))
}

// Close closes the folder; what was acknowledged is on disk already.
func (h *Backend) Close() error {
	h.App.Close()
	return errors.Join(h.queue.Close(), h.table.Close(), h.blobs.Close())
}

const (
	// Expired rows are deleted every sweepEvery.
	sweepEvery = time.Hour
	sweepRows  = 10_000 // at one time
)

// Sweep deletes expired rows until the context ends. Reads hide them before; this frees the space.
func (h *Backend) Sweep(ctx context.Context) {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		if _, err := h.table.Sweep(ctx, h.Clock.Now().Unix(), sweepRows); err != nil && ctx.Err() == nil {
			h.Log.Warn("expired rows could not be removed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Verify reads the database from beginning to end.
func (h *Backend) Verify(ctx context.Context) error { return h.table.Verify(ctx) }

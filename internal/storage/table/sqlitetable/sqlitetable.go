// Package sqlitetable is the embedded driver of the table seam: one SQLite file in WAL mode, pure Go,
// durable at every acknowledged write (synchronous=FULL), usable by several processes at once.
//
// Reads run on a few connections side by side and see the last commit. Writes go through one goroutine
// that collects what waits into one transaction: a disk's flush is the dear part of a commit, so many
// writers share it. Each write's condition is judged inside the transaction and its failure touches no
// other; each is acknowledged after the commit.
//
// The file holds the table rows(pk, sk, ttl, size, item, bytes), that a person can open; item and bytes are JSON and
// what it cannot hold (package rowenc), and size is what the row counts by DynamoDB's formula.
// A second one, changes(n, keys), is a log of the rows that each of the newest commits changed, by which processes keep
// what they hold in memory current.
package sqlitetable

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Options of a file. The zero value is right for a reader's own machine.
type Options struct {
	Readers    int   // connections for reading, opened as needed; 0 = one for each core, 2 to 4
	CacheBytes int   // page cache of each connection; 0 = 2 MB
	MaxBytes   int64 // the file grows no further: then writes fail as "storage_full"; 0 = the disk decides
}

// Driver is an open file. It implements table.Driver, table.Logger and table.Soloist.
type Driver struct {
	dsn     string
	readers chan *conn // nil entries are connections not opened yet
	w       *writer
	alone   *alone
}

const (
	pageSize      = 4096 // the engine's: its driver sets journal_mode before page_size, which then has no effect
	schemaVersion = 4
	// applicationID marks our files for file(1) and for Open: "ruri".
	applicationID = 0x72757269
)

// Open opens or creates a file; its folder must be there.
func Open(path string, o Options) (*Driver, error) {
	if o.Readers <= 0 {
		o.Readers = max(2, min(4, runtime.GOMAXPROCS(0)))
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 2 << 20
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "storage_failed", "sqlitetable: open", err)
	}
	d := &Driver{dsn: dsn(abs, o), readers: make(chan *conn, o.Readers)}
	c, err := connect(d.dsn)
	if err != nil {
		return nil, err
	}
	if err = prepareFile(c, o); err == nil {
		d.alone, err = openAlone(abs)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	for range o.Readers {
		d.readers <- nil
	}
	d.w = newWriter(c)
	go d.w.loop()
	return d, nil
}

func dsn(abs string, o Options) string {
	q := url.Values{}
	q.Set("_txlock", "immediate")
	for _, p := range []string{
		"busy_timeout(10000)",
		"journal_mode(wal)",
		"synchronous(full)",
		"cache_size(-" + strconv.Itoa(o.CacheBytes>>10) + ")",
		"mmap_size(0)",
		"temp_store(memory)",
		"journal_size_limit(16777216)",
		"secure_delete(on)", // deleted data is overwritten: a key or a password must not stay in a free page
	} {
		q.Add("_pragma", p)
	}
	return (&url.URL{Scheme: "file", Path: abs, RawQuery: q.Encode()}).String()
}

// prepareFile makes the schema on the writer's connection. Several processes may do so at once.
func prepareFile(c *conn, o Options) error {
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	if version > schemaVersion {
		return fault.Newf(fault.Internal, "storage_newer",
			"the file was written by a newer version (%d) of the program", version)
	}
	id, err := c.number("PRAGMA application_id")
	if err != nil {
		return err
	}
	tables, err := c.number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if id != applicationID && tables > 0 {
		return fault.Newf(fault.Invalid, "storage_foreign", "the file is a database of another program")
	}
	if version > 0 && version < schemaVersion {
		return fault.Newf(fault.Internal, "storage_older",
			"the file was written by an older version (%d) of the program", version)
	}
	if version < schemaVersion {
		if err := c.script(`BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS rows (
  pk TEXT NOT NULL, sk TEXT NOT NULL, ttl INTEGER NOT NULL, size INTEGER NOT NULL, item TEXT NOT NULL, bytes BLOB,
  PRIMARY KEY (pk, sk));
CREATE INDEX IF NOT EXISTS rows_ttl ON rows (ttl) WHERE ttl > 0;
` + changesDDL + `
PRAGMA application_id = ` + strconv.Itoa(applicationID) + `;
PRAGMA user_version = ` + strconv.Itoa(schemaVersion) + `;
COMMIT`); err != nil {
			return err
		}
	}
	if o.MaxBytes > 0 {
		if _, err := c.number("PRAGMA max_page_count = " + strconv.FormatInt(max(o.MaxBytes/pageSize, 1), 10)); err !=
			nil {
			return err
		}
	}
	// From here on the writer waits for other processes by itself, outside its lock.
	_, err = c.number("PRAGMA busy_timeout = 0")
	return err
}

// Close waits for writes, moves the log into the file and closes. Later calls fail as Unavailable "closed".
func (d *Driver) Close() error {
	if !d.w.stop() {
		return nil
	}
	for range cap(d.readers) {
		if c := <-d.readers; c != nil {
			c.close()
		}
	}
	close(d.readers)
	err := d.w.close()
	d.alone.close() // after the last write
	return err
}

// read runs f on a reading connection.
func (d *Driver) read(ctx context.Context, f func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Cancelled, "cancelled", "sqlitetable", err)
	}
	var c *conn
	var ok bool
	select {
	case c, ok = <-d.readers:
	default: // only a wait needs to watch the context
		select {
		case c, ok = <-d.readers:
		case <-ctx.Done():
			return fault.New(fault.Cancelled, "cancelled", "sqlitetable", ctx.Err())
		}
	}
	if !ok {
		return errClosed()
	}
	if c == nil {
		var err error
		if c, err = connect(d.dsn); err != nil {
			d.readers <- nil
			return err
		}
	}
	defer func() { d.readers <- c }()
	return f(c)
}

func errClosed() error { return fault.New(fault.Unavailable, "closed", "sqlitetable", nil) }

var (
	_ table.Driver  = (*Driver)(nil)
	_ table.Logger  = (*Driver)(nil)
	_ table.Soloist = (*Driver)(nil)
)

// Package sqlitequeue is the queue driver for a single machine: messages in an SQLite file, durable when Send
// returns, shared by any number of processes.
//
// A message is a row with the time from which it is visible; receiving moves that time by the visibility timeout and
// counts. A process that knows that no other uses the file makes visible what dead processes had received (Reclaim). A
// handle is the row's number and its count of receives, so it is invalid after the next delivery. Numbers are never
// reused (AUTOINCREMENT), so an old handle never means another message. Times come from the injected clock; only the
// waiting of Receive is real time.
package sqlitequeue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// The names have a prefix, so that the file can contain other tables.
const schema = `
CREATE TABLE IF NOT EXISTS queue_messages (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  body     BLOB    NOT NULL,
  sent     INTEGER NOT NULL,            -- Unix milliseconds, as all times here
  visible  INTEGER NOT NULL,            -- may be received from then on
  receives INTEGER NOT NULL DEFAULT 0,
  taken    INTEGER NOT NULL DEFAULT 0   -- 1 while it was received and its outcome is open
);
CREATE INDEX IF NOT EXISTS queue_messages_visible ON queue_messages (visible);
CREATE TABLE IF NOT EXISTS queue_dead (
  seq      INTEGER PRIMARY KEY,         -- the number that the message had
  body     BLOB    NOT NULL,
  sent     INTEGER NOT NULL,
  died     INTEGER NOT NULL,
  receives INTEGER NOT NULL,
  reason   TEXT    NOT NULL
);`

// Options change what Open does; the zero value is right for production.
type Options struct {
	Clock clock.Clock // the system's when nil
}

// Store is one queue in one file. It implements queue.Driver and is safe for concurrent use.
type Store struct {
	write *sql.DB // one connection: writers of this process wait in Go, not in SQLite's busy handler
	read  *sql.DB
	clock clock.Clock

	mu   sync.Mutex
	sent chan struct{} // closed when something became visible through this Store
}

var _ queue.Driver = (*Store)(nil)

// Open makes or opens the file at path. Close it after use. A file that is damaged anywhere is Internal
// "storage_corrupt": all of it is checked, which takes a millisecond, because it holds little.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	const op = "sqlitequeue: open"
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	s := &Store{clock: o.Clock, sent: make(chan struct{})}
	var err error
	if s.write, err = connect(path, 1); err != nil {
		return nil, classify(op, err)
	}
	if s.read, err = connect(path, 2); err == nil {
		err = s.check(ctx)
	}
	if err == nil {
		err = s.transact(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, schema)
			return err
		})
	}
	if err != nil {
		_ = s.Close()
		return nil, classify(op, err)
	}
	return s, nil
}

func (s *Store) check(ctx context.Context) error {
	var result string
	if err := s.write.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil || result == "ok" {
		return err
	}
	return fault.New(fault.Internal, "storage_corrupt", "sqlitequeue: check", errors.New(result))
}

// Reclaim makes received messages visible at once, before their visibility timeout ends. Call it only when no other
// process uses the file: then their receivers are dead. The receives still count, so a message that kills its receiver
// each time becomes a dead letter.
func (s *Store) Reclaim(ctx context.Context) error {
	const op = "sqlitequeue: reclaim"
	err := s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE queue_messages SET visible = MIN(visible, ?), taken = 0 WHERE taken = 1`,
			s.now())
		return err
	})
	if err == nil {
		s.wake()
	}
	return classify(op, err)
}

func connect(path string, conns int) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	u.RawQuery = url.Values{
		// a transaction that reads first must not fail at its write because of a concurrent one
		"_txlock": {"immediate"},
		// FULL syncs the log at each commit: an acknowledged Send survives a power cut.
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(ON)"},
	}.Encode()
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// Close releases the file; running calls may fail.
func (s *Store) Close() error {
	err := s.write.Close()
	if s.read != nil {
		err = errors.Join(err, s.read.Close())
	}
	return err
}

func (s *Store) now() int64 { return s.clock.Now().UnixMilli() }

// transact runs f in a write transaction, which is rolled back when f fails.
func (s *Store) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// wake notifies waiting receivers of this process; other processes poll.
func (s *Store) wake() {
	s.mu.Lock()
	close(s.sent)
	s.sent = make(chan struct{})
	s.mu.Unlock()
}

func (s *Store) woken() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

func handle(seq, receives int64) string { return fmt.Sprintf("%d.%d", seq, receives) }

func parseHandle(h string) (seq, receives int64, err error) {
	a, b, _ := strings.Cut(h, ".")
	if seq, err = strconv.ParseInt(a, 10, 64); err == nil {
		receives, err = strconv.ParseInt(b, 10, 64)
	}
	if err != nil {
		return 0, 0, stale("sqlitequeue: handle")
	}
	return seq, receives, nil
}

func stale(op string) error { return fault.New(fault.Conflict, "stale_handle", op, nil) }

func classify(op string, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fault.New(fault.Unavailable, "storage_failed", op, err) // of database/sql: closed, for one
	}
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the log's index cannot grow
		return full(op, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return full(op, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fault.New(fault.Unavailable, "storage_busy", op, err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_INTERRUPT:
		return fault.New(fault.Unavailable, "storage_failed", op, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return &fault.Error{Kind: fault.Unavailable, Code: "storage_denied", Op: op, Cause: err,
			Message: "The queue's file cannot be opened for writing."}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fault.New(fault.Internal, "storage_corrupt", op, err)
	default:
		return fault.New(fault.Internal, "storage_failed", op, err)
	}
}

func full(op string, err error) error {
	return &fault.Error{Kind: fault.Unavailable, Code: "storage_full", Op: op, Cause: err,
		Message: "The disk is full. Nothing that was stored is damaged; free some space and try again."}
}

package sqlitetable

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ruri-reader/ruri/internal/fault"
)

// conn is one connection with prepared statements. It uses the engine's driver directly, because database/sql adds a
// pool, a lock and a copy to calls of microseconds. Contexts are honoured between calls: a cancellable one costs a
// goroutine each. Not safe for concurrent use.
type conn struct {
	c     driver.Conn
	stmts map[string]driver.Stmt
}

func connect(dsn string) (*conn, error) {
	c, err := (&sqlite.Driver{}).Open(dsn)
	if err != nil {
		return nil, classify("open", err)
	}
	return &conn{c: c, stmts: map[string]driver.Stmt{}}, nil
}

func (c *conn) close() {
	for _, s := range c.stmts {
		_ = s.Close()
	}
	_ = c.c.Close()
}

func (c *conn) stmt(query string) (driver.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.c.Prepare(query)
	if err != nil {
		return nil, classify("prepare", err)
	}
	c.stmts[query] = s
	return s, nil
}

// args numbers the arguments; values are string, []byte or int64.
func args(values []any) []driver.NamedValue {
	named := make([]driver.NamedValue, len(values))
	for i, v := range values {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return named
}

// exec runs a prepared statement and returns the number of changed rows.
func (c *conn) exec(query string, values ...any) (int64, error) {
	r, err := c.run(query, values)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert is exec that returns the number of the inserted row.
func (c *conn) insert(query string, values ...any) (int64, error) {
	r, err := c.run(query, values)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (c *conn) run(query string, values []any) (driver.Result, error) {
	s, err := c.stmt(query)
	if err != nil {
		return nil, err
	}
	r, err := s.(driver.StmtExecContext).ExecContext(context.Background(), args(values))
	if err != nil {
		return nil, classify("write", err)
	}
	return r, nil
}

// script runs statements that are not worth keeping.
func (c *conn) script(sql string) error {
	if _, err := c.c.(driver.ExecerContext).ExecContext(context.Background(), sql, nil); err != nil {
		return classify("script", err)
	}
	return nil
}

// query calls each with the columns of result rows until it returns false. The slice is reused, byte slices are not.
func (c *conn) query(query string, columns int, each func([]driver.Value) (more bool, err error),
	values ...any) (err error) {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), args(values))
	if err != nil {
		return classify("read", err)
	}
	defer func() {
		if e := rows.Close(); e != nil && err == nil {
			err = classify("read", e)
		}
	}()
	dest := make([]driver.Value, columns)
	for {
		if err := rows.Next(dest); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return classify("read", err)
		}
		if more, err := each(dest); err != nil || !more {
			return err
		}
	}
}

// number runs a statement that returns at most one number.
func (c *conn) number(query string) (n int64, err error) {
	err = c.query(query, 1, func(v []driver.Value) (bool, error) {
		n, _ = v[0].(int64)
		return false, nil
	})
	return n, err
}

// classify turns the engine's errors into the seam's.
func classify(op string, err error) error {
	var e *sqlite.Error
	code := "storage_failed"
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			code = "storage_full"
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			code = "storage_busy"
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			code = "storage_corrupt"
		}
		if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the log's index cannot grow
			code = "storage_full"
		}
	}
	return fault.New(fault.Unavailable, code, "sqlitetable: "+op, err)
}

func busy(err error) bool { return err != nil && fault.CodeOf(err) == "storage_busy" }

package sqlitetable

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

// maxPage is the size at which a page of a query ends, as DynamoDB's does.
const maxPage = 1 << 20

const getSQL = "SELECT ttl, size, item, bytes FROM rows WHERE pk = ?1 AND sk = ?2"

// get reads one row on a connection.
func get(c *conn, k table.Key) (row table.Row, ok bool, err error) {
	err = c.query(getSQL, 4, func(v []driver.Value) (bool, error) {
		row, ok = unpack(k, v), true
		return false, nil
	}, k.PK, k.SK)
	return row, ok, err
}

// unpack makes a row of ttl, size, item and bytes.
func unpack(k table.Key, v []driver.Value) table.Row {
	ttl, _ := v[0].(int64)
	size, _ := v[1].(int64)
	item, _ := v[2].(string)
	tail, _ := v[3].([]byte)
	return table.PackedRow(k, rowenc.Join(item, tail), int(size), ttl)
}

// Get reads one row. Reads of this engine are always consistent; the units follow what was asked.
func (d *Driver) Get(ctx context.Context, k table.Key, consistent bool) (row table.Row, ok bool,
	u table.Usage, err error) {
	err = d.read(ctx, func(c *conn) (err error) {
		row, ok, err = get(c, k)
		return err
	})
	return row, ok, table.Usage{Read: table.ReadUnits(row.Size(), consistent)}, err
}

// BatchGet reads all keys in one snapshot; nothing is left over.
func (d *Driver) BatchGet(ctx context.Context, keys []table.Key, consistent bool) (rows []table.Row, rest []table.Key,
	u table.Usage, err error) {
	err = d.read(ctx, func(c *conn) error {
		if _, err := c.exec("BEGIN DEFERRED"); err != nil {
			return err
		}
		defer func() { _, _ = c.exec("COMMIT") }()
		for _, k := range keys {
			row, ok, err := get(c, k)
			if err != nil {
				return err
			}
			u.Read += table.ReadUnits(row.Size(), consistent)
			if ok {
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, nil, u, err
}

// Query reads one page: at most Limit rows and about 1 MB.
func (d *Driver) Query(ctx context.Context, r table.Range) (page table.Rows, u table.Usage, err error) {
	query, values := rangeSQL(r)
	limit := r.Limit
	if limit <= 0 {
		limit = 1 << 30
	}
	page.Rows = make([]table.Row, 0, min(limit, 64))
	size, more := 0, true
	err = d.read(ctx, func(c *conn) error {
		return c.query(query, 5, func(v []driver.Value) (bool, error) {
			sk, _ := v[0].(string)
			row := unpack(table.Key{PK: r.PK, SK: sk}, v[1:])
			page.Rows = append(page.Rows, row)
			size += row.Size()
			more = size < maxPage && len(page.Rows) < limit
			return more, nil
		}, values...)
	})
	if !more {
		page.After = page.Rows[len(page.Rows)-1].Key.SK
	}
	return page, table.Usage{Read: table.ReadUnits(size, r.Consistent)}, err
}

// rangeSQL returns the statement for a range, one of a dozen that are prepared once. Callers stop at the limit: a bound
// one would make the engine plan anew for each value.
func rangeSQL(r table.Range) (string, []any) {
	query := "SELECT sk, ttl, size, item, bytes FROM rows WHERE pk = ?"
	values := []any{r.PK}
	from, to := r.Bounds()
	switch {
	case r.After != "" && !r.Desc:
		query, values = query+" AND sk > ?", append(values, r.After)
	case from != "":
		query, values = query+" AND sk >= ?", append(values, from)
	}
	switch {
	case r.After != "" && r.Desc:
		query, values = query+" AND sk < ?", append(values, r.After)
	case to != "":
		query, values = query+" AND sk < ?", append(values, to)
	}
	if r.Desc {
		return query + " ORDER BY sk DESC", values
	}
	return query + " ORDER BY sk", values
}

// Scan implements table.Driver: all rows in order of their keys.
func (d *Driver) Scan(ctx context.Context, after table.Key, limit int, consistent bool) (rows []table.Row,
	next table.Key, u table.Usage, err error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	size, more := 0, true
	err = d.read(ctx, func(c *conn) error {
		return c.query("SELECT pk, sk, ttl, size, item, bytes FROM rows WHERE (pk, sk) > (?, ?) ORDER BY pk, sk", 6,
			func(v []driver.Value) (bool, error) {
				pk, _ := v[0].(string)
				sk, _ := v[1].(string)
				row := unpack(table.Key{PK: pk, SK: sk}, v[2:])
				rows = append(rows, row)
				size += row.Size()
				more = size < maxPage && len(rows) < limit
				return more, nil
			}, after.PK, after.SK)
	})
	if !more {
		next = rows[len(rows)-1].Key
	}
	return rows, next, table.Usage{Read: table.ReadUnits(size, consistent)}, err
}

// Verify lets the engine read the whole file and compare what must agree.
func (d *Driver) Verify(ctx context.Context) error {
	return d.read(ctx, func(c *conn) error {
		return c.query("PRAGMA quick_check(1)", 1, func(v []driver.Value) (bool, error) {
			if result := fmt.Sprint(v[0]); result != "ok" {
				return false, fault.New(fault.Internal, "storage_corrupt", "sqlitetable: verify", errors.New(result))
			}
			return false, nil
		})
	})
}

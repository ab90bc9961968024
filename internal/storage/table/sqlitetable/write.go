package sqlitetable

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

const (
	putSQL = "INSERT INTO rows (pk, sk, ttl, size, item, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)" +
		" ON CONFLICT (pk, sk) DO UPDATE SET ttl = excluded.ttl, size = excluded.size," +
		" item = excluded.item, bytes = excluded.bytes"
	deleteSQL = "DELETE FROM rows WHERE pk = ?1 AND sk = ?2"
	sweepSQL  = "DELETE FROM rows WHERE (pk, sk) IN (SELECT pk, sk FROM rows WHERE ttl > 0 AND ttl <= ?1 LIMIT ?2)"
)

func put(c *conn, row table.Row, packed string) error {
	text, tail := rowenc.Split(packed)
	var bytes any // NULL where there are none
	if tail != "" {
		bytes = []byte(tail)
	}
	_, err := c.exec(putSQL, row.Key.PK, row.Key.SK, row.TTL(), int64(row.Size()), text, bytes)
	return err
}

// Write implements table.Driver.
func (d *Driver) Write(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	packed := op.Row.Packed() // of a put: outside the writer, which is shared
	var e table.Effect
	err = d.w.do(ctx, []table.Key{op.Key}, func(c *conn) (outcome, broken error) {
		old, exists, err := get(c, op.Key)
		if err != nil {
			return nil, err
		}
		if e, outcome = op.Evaluate(old, exists); outcome != nil {
			return outcome, nil
		}
		switch {
		case op.Kind == table.OpPut:
			return nil, put(c, e.Row, packed)
		case op.Kind == table.OpUpdate:
			return nil, put(c, e.Row, e.Row.Packed())
		case exists:
			_, err = c.exec(deleteSQL, op.Key.PK, op.Key.SK)
		}
		return nil, err
	})
	return e.Returned, e.Found && err == nil, e.Usage, err
}

// BatchWrite does all its entries in one transaction; nothing is left over.
func (d *Driver) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, _ int64) (_ []table.Row,
	_ []table.Key, u table.Usage, err error) {
	keys := make([]table.Key, 0, len(puts)+len(deletes))
	packed := make([]string, len(puts))
	for i, r := range puts {
		packed[i] = r.Packed()
		keys = append(keys, r.Key)
	}
	keys = append(keys, deletes...)
	err = d.w.do(ctx, keys, func(c *conn) (outcome, broken error) {
		u.Write = 0
		for i, r := range puts {
			old, _, err := get(c, r.Key)
			if err != nil {
				return nil, err
			}
			u.Write += table.WriteUnits(old.Size(), r.Size())
			if err := put(c, r, packed[i]); err != nil {
				return nil, err
			}
		}
		for _, k := range deletes {
			old, exists, err := get(c, k)
			if err != nil {
				return nil, err
			}
			u.Write += table.WriteUnits(old.Size(), 0)
			if exists {
				if _, err := c.exec(deleteSQL, k.PK, k.SK); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	})
	return nil, nil, u, err
}

// sweepGroup is how many rows one transaction of a sweep removes: other writes go between.
const sweepGroup = 200

// Sweep removes up to limit expired rows and returns how many; fewer than limit means none are left.
func (d *Driver) Sweep(ctx context.Context, now int64, limit int) (removed int, err error) {
	for removed < limit {
		want := min(sweepGroup, limit-removed)
		var n int64
		err := d.w.do(ctx, nil, func(c *conn) (outcome, broken error) {
			n, broken = c.exec(sweepSQL, now, int64(want))
			return nil, broken
		})
		if err != nil {
			return removed, err
		}
		removed += int(n)
		if int(n) < want {
			break
		}
	}
	return removed, nil
}

// Commits returns the number of transactions committed since Open: fewer than writes when writers shared them.
func (d *Driver) Commits() int64 { return d.w.commits.Load() }

package sqlitetable

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	putSQL = "INSERT INTO rows (pk, sk, ttl, item) VALUES (?1, ?2, ?3, ?4)" +
		" ON CONFLICT (pk, sk) DO UPDATE SET ttl = excluded.ttl, item = excluded.item"
	deleteSQL = "DELETE FROM rows WHERE pk = ?1 AND sk = ?2"
	sweepSQL  = "DELETE FROM rows WHERE (pk, sk) IN (SELECT pk, sk FROM rows WHERE ttl > 0 AND ttl <= ?1 LIMIT ?2)"
)

func put(c *conn, row table.Row, packed string) error {
	_, err := c.exec(putSQL, row.Key.PK, row.Key.SK, row.TTL(), []byte(packed))
	return err
}

// Put creates or replaces a row.
func (d *Driver) Put(ctx context.Context, p table.PutOp) (u table.Usage, err error) {
	packed := p.Row.Packed() // outside the writer, which is shared
	err = d.w.do(ctx, []string{p.Row.Key.PK}, func(c *conn) (outcome, broken error) {
		old, exists, err := get(c, p.Row.Key)
		if err != nil {
			return nil, err
		}
		if !table.Holds(p.Conds, old, exists, p.Now) {
			u.Write = table.WriteUnits(old.Size(), 0)
			return table.Failed(p.Row.Key), nil
		}
		u.Write = table.WriteUnits(old.Size(), p.Row.Size())
		return nil, put(c, p.Row, packed)
	})
	return u, err
}

// Delete removes a row.
func (d *Driver) Delete(ctx context.Context, op table.DeleteOp) (u table.Usage, err error) {
	err = d.w.do(ctx, []string{op.Key.PK}, func(c *conn) (outcome, broken error) {
		old, exists, err := get(c, op.Key)
		if err != nil {
			return nil, err
		}
		u.Write = table.WriteUnits(old.Size(), 0)
		if !table.Holds(op.Conds, old, exists, op.Now) {
			return table.Failed(op.Key), nil
		}
		if exists {
			_, err = c.exec(deleteSQL, op.Key.PK, op.Key.SK)
		}
		return nil, err
	})
	return u, err
}

// Update changes attributes of a row.
func (d *Driver) Update(ctx context.Context, op table.UpdateOp) (row table.Row, ok bool, u table.Usage, err error) {
	err = d.w.do(ctx, []string{op.Key.PK}, func(c *conn) (outcome, broken error) {
		old, exists, err := get(c, op.Key)
		if err != nil {
			return nil, err
		}
		u.Write = table.WriteUnits(old.Size(), 0)
		if !table.Holds(op.Conds, old, exists, op.Now) {
			return table.Failed(op.Key), nil
		}
		changed, err := op.Apply(old, exists)
		if err != nil {
			return err, nil
		}
		u.Write = table.WriteUnits(old.Size(), changed.Size())
		switch op.Return {
		case table.ReturnOld:
			row, ok = old, exists && !old.Expired(op.Now)
		case table.ReturnNew:
			row, ok = changed, true
		}
		return nil, put(c, changed, changed.Packed())
	})
	return row, ok && err == nil, u, err
}

// BatchWrite does all its entries in one transaction; nothing is left over.
func (d *Driver) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, _ int64) (_ []table.Row, _ []table.Key, u table.Usage, err error) {
	parts := make([]string, 0, len(puts)+len(deletes))
	packed := make([]string, len(puts))
	for i, r := range puts {
		packed[i] = r.Packed()
		parts = append(parts, r.Key.PK)
	}
	for _, k := range deletes {
		parts = append(parts, k.PK)
	}
	err = d.w.do(ctx, parts, func(c *conn) (outcome, broken error) {
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

// Sweep removes up to limit rows that expired by now (Unix seconds) and says how many; fewer than limit
// means none are left. Nothing that a reader could see changes.
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

// Stats says what the writer has done.
type Stats struct {
	Commits int64 // transactions committed; fewer than writes when writers shared them
}

// Stats gives the counts since Open.
func (d *Driver) Stats() Stats { return Stats{Commits: d.w.commits.Load()} }

// Checkpoint moves the log into the file, as far as readers allow.
func (d *Driver) Checkpoint(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Cancelled, "cancelled", "sqlitetable: checkpoint", err)
	}
	d.w.closing.RLock()
	defer d.w.closing.RUnlock()
	if d.w.closed {
		return errClosed()
	}
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	_, err := d.w.c.number("PRAGMA wal_checkpoint(PASSIVE)")
	return err
}

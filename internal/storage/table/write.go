package table

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Put creates or replaces a row: a struct with dynamo tags or an Item. A failed condition is Conflict
// "condition_failed".
func (t *Table) Put(ctx context.Context, row any, conds ...Cond) error {
	r, err := NewRow(row)
	if err != nil {
		return err
	}
	if err := checkConds(conds); err != nil {
		return err
	}
	_, _, err = t.write(ctx, WriteOp{Kind: OpPut, Key: r.Key, Row: r, Conds: conds}, r.Size())
	return err
}

// Delete removes a row. Deleting an absent row succeeds, unless a condition forbids it.
func (t *Table) Delete(ctx context.Context, k Key, conds ...Cond) error {
	if err := checkKey(k); err != nil {
		return err
	}
	if err := checkConds(conds); err != nil {
		return err
	}
	_, _, err := t.write(ctx, WriteOp{Kind: OpDelete, Key: k, Conds: conds}, len(k.PK)+len(k.SK))
	return err
}

// Update changes attributes of a row, and creates the row unless a condition forbids it. A failed condition is Conflict
// "condition_failed". An expired row counts as absent: none of its attributes survive.
func (t *Table) Update(ctx context.Context, k Key, u Update) error {
	if err := checkKey(k); err != nil {
		return err
	}
	if err := checkConds(u.If); err != nil {
		return err
	}
	op, size, err := u.op(k)
	if err != nil {
		return err
	}
	row, found, err := t.write(ctx, op, size)
	if err != nil || u.Into == nil || !found {
		return err
	}
	return row.Decode(u.Into)
}

// write runs one write of size bytes under the token bucket, with retries. After an outage only a write that does not
// depend on the stored row is repeated.
func (t *Table) write(ctx context.Context, op WriteOp, size int) (row Row, found bool, err error) {
	estimate := WriteUnits(0, size)
	idempotent := op.Kind != OpUpdate && len(op.Conds) == 0
	err = t.do(ctx, idempotent, func() (err error) {
		if err := t.rate.take(ctx, estimate); err != nil {
			return err
		}
		op.Now = t.now()
		var u Usage
		row, found, u, err = t.d.Write(ctx, op)
		t.rate.debit(u.Write - estimate)
		t.countWrite(ctx, t.kind(op.Key), u, count(err == nil), size)
		return err
	})
	return row, found, err
}

// Failed returns the error of a failed condition, for drivers.
func Failed(k Key) error {
	return fault.New(fault.Conflict, "condition_failed", "table: write "+k.PK+" "+k.SK, nil)
}

// IsFailed reports whether a condition failed.
func IsFailed(err error) bool { return fault.CodeOf(err) == "condition_failed" }

// BatchWrite puts and deletes many rows, without conditions and in no order; a later entry for a key replaces an
// earlier one (deletes count as later than puts). It is not atomic: after an error, any part may have been applied.
func (t *Table) BatchWrite(ctx context.Context, puts []any, deletes []Key) error {
	work, err := mergeBatch(puts, deletes)
	if err != nil {
		return err
	}
	for attempt := 0; len(work) > 0; {
		n := min(len(work), maxPuts)
		rest, err := t.batchWrite(ctx, work[:n])
		if err != nil {
			return err
		}
		if attempt, err = t.again(ctx, attempt, n, len(rest)); err != nil {
			return err
		}
		work = append(work[n:], rest...)
	}
	return nil
}

// change is one entry of a batch.
type change struct {
	row    Row
	delete bool
}

func mergeBatch(puts []any, deletes []Key) ([]change, error) {
	at := make(map[Key]int, len(puts)+len(deletes))
	work := make([]change, 0, len(puts)+len(deletes))
	enter := func(c change) {
		if i, ok := at[c.row.Key]; ok {
			work[i] = c
			return
		}
		at[c.row.Key] = len(work)
		work = append(work, c)
	}
	for _, p := range puts {
		r, err := NewRow(p)
		if err != nil {
			return nil, err
		}
		enter(change{row: r})
	}
	for _, k := range deletes {
		if err := checkKey(k); err != nil {
			return nil, err
		}
		enter(change{row: Row{Key: k}, delete: true})
	}
	return work, nil
}

func (t *Table) batchWrite(ctx context.Context, work []change) (rest []change, err error) {
	var puts []Row
	var deletes []Key
	var estimate float64
	for _, c := range work {
		if c.delete {
			deletes = append(deletes, c.row.Key)
		} else {
			puts = append(puts, c.row)
		}
		estimate += WriteUnits(0, c.row.Size())
	}
	err = t.do(ctx, true, func() error {
		if err := t.rate.take(ctx, estimate); err != nil {
			return err
		}
		restPuts, restDeletes, u, err := t.d.BatchWrite(ctx, puts, deletes, t.now())
		t.rate.debit(u.Write - estimate)
		rest = rest[:0]
		for _, r := range restPuts {
			rest = append(rest, change{row: r})
		}
		for _, k := range restDeletes {
			rest = append(rest, change{row: Row{Key: k}, delete: true})
		}
		if err != nil {
			rest = nil
		}
		t.countBatchWrite(ctx, work, rest, u, err == nil)
		return err
	})
	return rest, err
}

// countBatchWrite splits a batch's units among the kinds of its rows, by their size.
func (t *Table) countBatchWrite(ctx context.Context, work, rest []change, u Usage, done bool) {
	rows := 0
	if done {
		rows = len(work) - len(rest)
	}
	sent := 0
	for _, c := range work {
		sent += c.row.Size()
	}
	t.countWrite(ctx, t.kind(work[0].row.Key), Usage{}, rows, sent)
	costs := map[string]float64{}
	for _, c := range work {
		if !slices.ContainsFunc(rest, func(r change) bool { return r.row.Key == c.row.Key }) {
			costs[t.kind(c.row.Key)] += WriteUnits(0, c.row.Size())
		}
	}
	t.countShares(ctx, costs, u)
}

// WriteRows is BatchWrite of rows that were read from another table; they are validated again.
func (t *Table) WriteRows(ctx context.Context, puts []Row, deletes []Key) error {
	items := make([]any, len(puts))
	for i, r := range puts {
		item, err := r.Item()
		if err != nil {
			return err
		}
		items[i] = item
	}
	return t.BatchWrite(ctx, items, deletes)
}

// PutRow is Put of a row that was read from another table.
func (t *Table) PutRow(ctx context.Context, r Row, conds ...Cond) error {
	item, err := r.Item()
	if err != nil {
		return err
	}
	return t.Put(ctx, item, conds...)
}

package table

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Put creates or replaces a row: a struct with dynamo tags (pk and sk among them) or an Item. With
// conditions that fail it is Conflict, code "condition_failed".
func (t *Table) Put(ctx context.Context, row any, conds ...Cond) error {
	r, err := NewRow(row)
	if err != nil {
		return err
	}
	if err := checkConds(conds); err != nil {
		return err
	}
	return t.write(ctx, r.Key, r.Size(), len(conds) == 0, func() (Usage, error) {
		return t.d.Put(ctx, PutOp{Row: r, Conds: conds, Now: t.now()})
	})
}

// Delete removes a row. Deleting what is absent succeeds, unless conditioned otherwise.
func (t *Table) Delete(ctx context.Context, k Key, conds ...Cond) error {
	if err := checkKey(k); err != nil {
		return err
	}
	if err := checkConds(conds); err != nil {
		return err
	}
	return t.write(ctx, k, len(k.PK)+len(k.SK), len(conds) == 0, func() (Usage, error) {
		return t.d.Delete(ctx, DeleteOp{Key: k, Conds: conds, Now: t.now()})
	})
}

// Update changes attributes of a row, creating it unless conditioned. A failed condition is Conflict,
// code "condition_failed". An expired row counts as absent: none of its attributes survive.
func (t *Table) Update(ctx context.Context, k Key, u Update) error {
	if err := checkKey(k); err != nil {
		return err
	}
	if err := checkConds(u.If); err != nil {
		return err
	}
	op, size, err := u.op(k, t.now())
	if err != nil {
		return err
	}
	var row Row
	var found bool
	err = t.write(ctx, k, size, false, func() (used Usage, err error) {
		op.Now = t.now()
		row, found, used, err = t.d.Update(ctx, op)
		return used, err
	})
	if err != nil || u.Into == nil || !found {
		return err
	}
	return row.Decode(u.Into)
}

// write runs one write under the token bucket, counts it and repeats it where that is right.
// size is what is sent.
func (t *Table) write(ctx context.Context, k Key, size int, harmless bool, f func() (Usage, error)) error {
	estimate := WriteUnits(0, size)
	return t.do(ctx, harmless, func() error {
		if err := t.rate.take(ctx, estimate); err != nil {
			return err
		}
		u, err := f()
		t.rate.debit(u.Write - estimate)
		t.countWrite(ctx, t.kind(k), u, count(err == nil), size)
		return err
	})
}

// Failed is the error of a condition that did not hold, for drivers.
func Failed(k Key) error {
	return fault.New(fault.Conflict, "condition_failed", "table: write "+k.PK+" "+k.SK, nil)
}

// BatchWrite puts and deletes many rows, unconditionally and in no order; a later entry for a key
// replaces an earlier one (deletes count as later than puts). It is not atomic: after an error any part
// may have been done.
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

// countBatchWrite spreads a batch's units over its kinds by the size of the rows.
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
	skip := make(map[Key]bool, len(rest))
	for _, c := range rest {
		skip[c.row.Key] = true
	}
	var sum float64
	kinds := map[string]float64{}
	for _, c := range work {
		if !skip[c.row.Key] {
			w := WriteUnits(0, c.row.Size())
			kinds[t.kind(c.row.Key)] += w
			sum += w
		}
	}
	for kind, w := range kinds {
		t.countUnits(ctx, kind, Usage{Write: u.Write * w / sum})
	}
}

package store

import (
	"context"
	"iter"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// rowKey begins every row: its key and the version of its shape.
type rowKey struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`
}

func keyed(k table.Key) rowKey { return rowKey{k.PK, k.SK, SchemaVersion} }

func (r *rowKey) setKey(k table.Key) { *r = keyed(k) }

func (r *rowKey) key() table.Key { return table.Key{PK: r.PK, SK: r.SK} }

// isStored reports whether the row was read, and is not the zero value for a missing one.
func (r *rowKey) isStored() bool { return r.PK != "" }

// put writes a row under a key.
func put(ctx context.Context, t *table.Table, k table.Key, row interface{ setKey(table.Key) },
	conds ...table.Cond) error {
	row.setKey(k)
	return t.Put(ctx, row, conds...)
}

// get reads one row. A missing row is NotFound with the given code.
func get[T any](ctx context.Context, t *table.Table, k table.Key, missing string,
	opts ...table.ReadOption) (*T, error) {
	row := new(T)
	err := t.Get(ctx, k, row, opts...)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, fault.New(fault.NotFound, missing, "store: get", err)
	case err != nil:
		return nil, err
	}
	return row, nil
}

// getOrZero reads one row; a missing row is the zero value.
func getOrZero[T any](ctx context.Context, t *table.Table, k table.Key, opts ...table.ReadOption) (row T, err error) {
	err = t.Get(ctx, k, &row, opts...)
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return row, err
}

// rows iterates over the rows of a query. An error ends it.
func rows[T any](ctx context.Context, t *table.Table, q table.Query) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for r, err := range t.Query(ctx, q) {
			row := new(T)
			if err == nil {
				err = r.Decode(row)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// list reads all rows of a query.
func list[T any](ctx context.Context, t *table.Table, q table.Query) (list []*T, err error) {
	for row, err := range rows[T](ctx, t, q) {
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// each calls f for the rows of a query until it returns an error.
func each[T any](ctx context.Context, t *table.Table, q table.Query, f func(*T) error) error {
	return walk(ctx, t, q, func(row *T) (bool, error) { return true, f(row) })
}

// walk calls f for the rows of a query until it returns false or an error.
func walk[T any](ctx context.Context, t *table.Table, q table.Query, f func(*T) (more bool, err error)) error {
	for row, err := range rows[T](ctx, t, q) {
		if err != nil {
			return err
		}
		if more, err := f(row); err != nil || !more {
			return err
		}
	}
	return nil
}

// batch reads rows by key, in any order. Missing ones are left out.
func batch[T any](ctx context.Context, t *table.Table, keys []table.Key,
	opts ...table.ReadOption) (list []*T, err error) {
	err = t.BatchGet(ctx, keys, func(r table.Row) error {
		row := new(T)
		list = append(list, row)
		return r.Decode(row)
	}, opts...)
	return list, err
}

// keysOf reads the keys of a partition.
func keysOf(ctx context.Context, t *table.Table, pk string) (keys []table.Key, err error) {
	for row, err := range t.Query(ctx, table.Query{PK: pk, Consistent: true}) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, row.Key)
	}
	return keys, nil
}

// ignoreConflict returns nil for a failed condition: the write is not needed any more.
func ignoreConflict(err error) error {
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// maxTries bounds the retries of Retry. Of so many concurrent changes of one row none fails: each round one succeeds.
const maxTries = 32

// Retry repeats a conditional change while its condition fails, up to maxTries: then Unavailable with the code. Other
// errors end it.
func Retry(code string, change func() error) error {
	for range maxTries {
		if err := change(); !table.IsFailed(err) {
			return err
		}
	}
	return fault.New(fault.Unavailable, code, "store: change", nil)
}

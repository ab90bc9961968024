package table

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Scanner is an optional power of a driver: all rows, in the engine's own order. It is for work on a whole
// home (copies, backups), never for a request.
type Scanner interface {
	// Scan reads one page after a key, which need not be there any more; the zero Key starts. next is the key to
	// continue after, zero at the end. A page may be short or empty although more follows.
	Scan(ctx context.Context, after Key, limit int, consistent bool) (rows []Row, next Key, u Usage, err error)
}

// Scan reads one page of all rows, at most limit (0 = the engine's page). Rows that are written meanwhile may or
// may not be seen; all others come exactly once. The pace is bounded by Options.ScanRate.
func (t *Table) Scan(ctx context.Context, after Key, limit int, opts ...ReadOption) (rows []Row, next Key, err error) {
	s, ok := t.d.(Scanner)
	if !ok {
		return nil, Key{}, fault.New(fault.Internal, "no_scan", "table: scan", nil)
	}
	if after != (Key{}) {
		if err := checkKey(after); err != nil {
			return nil, Key{}, err
		}
	}
	o := readOpts(opts)
	// What a page costs is known after it: a debt makes the next one wait.
	if err := t.scans.take(ctx, 0); err != nil {
		return nil, Key{}, err
	}
	err = t.do(ctx, true, func() (err error) {
		var u Usage
		rows, next, u, err = s.Scan(ctx, after, limit, o.consistent)
		t.scans.debit(u.Read)
		t.countRead(ctx, "scan", u, len(rows), sizes(rows))
		return err
	})
	if err != nil {
		return nil, Key{}, err
	}
	now, live := t.now(), rows[:0]
	for _, r := range rows {
		if !r.Expired(now) {
			live = append(live, r)
		}
	}
	return live, next, nil
}

// WriteRows is BatchWrite of rows that were read elsewhere: they are validated anew.
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

// PutRow is Put of a row that was read elsewhere.
func (t *Table) PutRow(ctx context.Context, r Row, conds ...Cond) error {
	item, err := r.Item()
	if err != nil {
		return err
	}
	return t.Put(ctx, item, conds...)
}

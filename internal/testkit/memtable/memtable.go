// Package memtable is a driver of the table seam that keeps rows in memory, for tests and simulations
// only: it has the semantics of the others, passes the same suite, and forgets everything.
package memtable

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// maxPage is the size at which a page of a query ends, as DynamoDB's does.
const maxPage = 1 << 20

// Driver holds the rows. The zero value is not usable; see New.
type Driver struct {
	mu     sync.Mutex
	parts  map[string]*partition
	log    []table.Change // the newest
	closed bool
}

// partition keeps its sort keys in order beside the rows.
type partition struct {
	keys []string
	rows map[string]table.Row
}

// New makes an empty driver.
func New() *Driver { return &Driver{parts: map[string]*partition{}, log: []table.Change{{At: 1}}} }

// Each gives every row there is, in no order: what a table holds, for those who weigh it.
func (d *Driver) Each(f func(table.Row)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.parts {
		for _, row := range p.rows {
			f(row)
		}
	}
}

func (d *Driver) ready(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err != nil:
		return fault.New(fault.Cancelled, "cancelled", "memtable", err)
	case d.closed:
		return fault.New(fault.Unavailable, "closed", "memtable", nil)
	}
	return nil
}

func (d *Driver) get(k table.Key) (table.Row, bool) {
	p, ok := d.parts[k.PK]
	if !ok {
		return table.Row{}, false
	}
	row, ok := p.rows[k.SK]
	return row, ok
}

func (d *Driver) put(row table.Row) {
	p, ok := d.parts[row.Key.PK]
	if !ok {
		p = &partition{rows: map[string]table.Row{}}
		d.parts[row.Key.PK] = p
	}
	if _, ok := p.rows[row.Key.SK]; !ok {
		i, _ := slices.BinarySearch(p.keys, row.Key.SK)
		p.keys = slices.Insert(p.keys, i, row.Key.SK)
	}
	// Packed, a row shares no memory with its writer.
	p.rows[row.Key.SK] = table.PackedRow(row.Key, row.Packed(), row.Size(), row.TTL())
	d.changed(row.Key)
}

func (d *Driver) remove(k table.Key) {
	p, ok := d.parts[k.PK]
	if !ok {
		return
	}
	if _, ok := p.rows[k.SK]; ok {
		i, _ := slices.BinarySearch(p.keys, k.SK)
		p.keys = slices.Delete(p.keys, i, i+1)
		delete(p.rows, k.SK)
		d.changed(k)
	}
}

// Get implements table.Driver.
func (d *Driver) Get(ctx context.Context, k table.Key, consistent bool) (table.Row, bool, table.Usage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return table.Row{}, false, table.Usage{}, err
	}
	row, ok := d.get(k)
	return row, ok, table.Usage{Read: table.ReadUnits(row.Size(), consistent)}, nil
}

// BatchGet implements table.Driver.
func (d *Driver) BatchGet(ctx context.Context, keys []table.Key, consistent bool) (rows []table.Row, rest []table.Key,
	u table.Usage, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return nil, nil, u, err
	}
	for _, k := range keys {
		row, ok := d.get(k)
		u.Read += table.ReadUnits(row.Size(), consistent)
		if ok {
			rows = append(rows, row)
		}
	}
	return rows, nil, u, nil
}

// Query implements table.Driver.
func (d *Driver) Query(ctx context.Context, r table.Range) (page table.Rows, u table.Usage, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return page, u, err
	}
	size := 0
	if p, ok := d.parts[r.PK]; ok {
		lo, hi := p.slice(r)
		for i := range hi - lo {
			at := lo + i
			if r.Desc {
				at = hi - 1 - i
			}
			row := p.rows[p.keys[at]]
			page.Rows = append(page.Rows, row)
			size += row.Size()
			if size >= maxPage || r.Limit > 0 && len(page.Rows) == r.Limit {
				page.After = row.Key.SK
				break
			}
		}
	}
	return page, table.Usage{Read: table.ReadUnits(size, r.Consistent)}, nil
}

// Scan implements table.Driver: all rows in order of their keys.
func (d *Driver) Scan(ctx context.Context, after table.Key, limit int, consistent bool) (rows []table.Row,
	next table.Key, u table.Usage, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return nil, next, u, err
	}
	size := 0
	for _, pk := range slices.Sorted(maps.Keys(d.parts)) {
		if pk < after.PK {
			continue
		}
		p := d.parts[pk]
		for _, sk := range p.keys {
			if pk == after.PK && sk <= after.SK {
				continue
			}
			if size >= maxPage || limit > 0 && len(rows) == limit {
				return rows, rows[len(rows)-1].Key, table.Usage{Read: table.ReadUnits(size, consistent)}, nil
			}
			rows = append(rows, p.rows[sk])
			size += p.rows[sk].Size()
		}
	}
	return rows, next, table.Usage{Read: table.ReadUnits(size, consistent)}, nil
}

// slice gives the positions of the keys of a range that lie after its start.
func (p *partition) slice(r table.Range) (lo, hi int) {
	from, to := r.Bounds()
	lo, _ = slices.BinarySearch(p.keys, from)
	hi = len(p.keys)
	if to != "" {
		hi, _ = slices.BinarySearch(p.keys, to)
	}
	if r.After != "" {
		at, found := slices.BinarySearch(p.keys, r.After)
		switch {
		case r.Desc:
			hi = min(hi, at)
		case found:
			lo = max(lo, at+1)
		default:
			lo = max(lo, at)
		}
	}
	return lo, max(lo, hi)
}

// Write implements table.Driver.
func (d *Driver) Write(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return row, false, u, err
	}
	old, exists := d.get(op.Key)
	e, err := op.Evaluate(old, exists)
	switch {
	case err != nil:
	case op.Kind == table.OpDelete:
		d.remove(op.Key)
	default:
		d.put(e.Row)
	}
	return e.Returned, e.Found, e.Usage, err
}

// BatchWrite implements table.Driver.
func (d *Driver) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, _ int64) (_ []table.Row,
	_ []table.Key, u table.Usage, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.ready(ctx); err != nil {
		return nil, nil, u, err
	}
	for _, r := range puts {
		old, _ := d.get(r.Key)
		u.Write += table.WriteUnits(old.Size(), r.Size())
		d.put(r)
	}
	for _, k := range deletes {
		old, _ := d.get(k)
		u.Write += table.WriteUnits(old.Size(), 0)
		d.remove(k)
	}
	return nil, nil, u, nil
}

// kept is how many changes the log has at least.
const kept = 1000

func (d *Driver) changed(k table.Key) {
	if len(d.log) > 2*kept {
		d.log = slices.Clone(d.log[kept:]) // what was handed out stays as it is
	}
	d.log = append(d.log, table.Change{At: d.log[len(d.log)-1].At + 1, Key: k})
}

// Changes implements table.Logger.
func (d *Driver) Changes(_ context.Context, after uint64) (list []table.Change, now uint64, complete bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first, now := d.log[0].At, d.log[len(d.log)-1].At
	if after < first {
		return nil, now, false
	}
	return d.log[min(after-first+1, uint64(len(d.log))):len(d.log):len(d.log)], now, true
}

// Close implements table.Driver.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}

var (
	_ table.Driver = (*Driver)(nil)
	_ table.Logger = (*Driver)(nil)
)

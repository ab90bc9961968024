// Package faultytable decorates a driver of the table seam with what no emulator has and the real service
// does: reads that lag behind, short pages, unprocessed batch entries, throttling, answers that are lost
// before or after the write was done. Everything follows a seed, so a failure can be run again.
//
// It is for tests: writes are taken one at a time, to remember the states that later reads lag behind to.
package faultytable

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Options say how often what goes wrong; each rate is a probability from 0 to 1.
type Options struct {
	Seed uint64
	// Stale: a read without Consistent gets an older state of a row, each row by itself.
	Stale float64
	// Depth is how many older states of a row are kept; 0 = 4.
	Depth int
	// Short: a page ends early, or has a key to continue after although nothing follows.
	Short float64
	// Unprocessed: an entry of a batch is left over.
	Unprocessed float64
	// Throttle: a call is refused as RateLimited and not done.
	Throttle float64
	// LostBefore and LostAfter: a call fails as Unavailable, a write not done, or done.
	LostBefore, LostAfter float64
	// Conflict: a conditional write fails as Conflict though its conditions held, as one that is repeated
	// after its answer was lost.
	Conflict float64
	// Before and After, when set, see every call; an error from them is the call's answer (After's stands
	// in for that of a call already done). They may panic or block: that is how a crash between two steps
	// is played.
	Before, After func(Op) error
	// Quiet, when set, stops everything above while it is true. Played is told of each fault by the name of its
	// rate, in lower case.
	Quiet  func() bool
	Played func(fault string)
}

// Op describes a call to the hooks.
type Op struct {
	N           int // calls so far, from 1
	Name        string
	Key         table.Key // of a batch: its first; of a query: partition and prefix or lower bound
	Write       bool
	Conditional bool
}

// Driver is the decorator. It has no log of changes: nothing can be concluded from reads that lag.
type Driver struct {
	inner table.Driver
	o     Options

	mu    sync.Mutex // random numbers, count, past
	rnd   *rand.Rand
	n     int
	past  map[string]map[string][]state // older states by partition and sort key, the latest last
	write sync.Mutex
}

// state is a row as it was, or its absence.
type state struct {
	row    table.Row
	exists bool
}

// New puts faults over a driver.
func New(inner table.Driver, o Options) *Driver {
	if o.Depth <= 0 {
		o.Depth = 4
	}
	rnd := rand.New(rand.NewPCG(o.Seed, 0x5eed))
	return &Driver{inner: inner, o: o, rnd: rnd, past: map[string]map[string][]state{}}
}

func (d *Driver) chance(p float64, name string) bool {
	if p <= 0 || d.quiet() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rnd.Float64() >= p {
		return false
	}
	d.played(name)
	return true
}

func (d *Driver) quiet() bool { return d.o.Quiet != nil && d.o.Quiet() }

func (d *Driver) played(name string) {
	if d.o.Played != nil {
		d.o.Played(name)
	}
}

func (d *Driver) intn(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rnd.IntN(n)
}

// call runs one call with the faults that all share.
func (d *Driver) call(op Op, f func() error) error {
	d.mu.Lock()
	d.n++
	op.N = d.n
	d.mu.Unlock()
	if d.o.Before != nil {
		if err := d.o.Before(op); err != nil {
			return err
		}
	}
	switch {
	case d.chance(d.o.Throttle, "throttle"):
		return fault.New(fault.RateLimited, "throttled", "faulty: "+op.Name, nil)
	case d.chance(d.o.LostBefore, "lost before"):
		return fault.New(fault.Unavailable, "lost_before", "faulty: "+op.Name, nil)
	case op.Conditional && d.chance(d.o.Conflict, "conflict"):
		return table.Failed(op.Key)
	}
	err := f()
	if d.o.After != nil {
		if err := d.o.After(op); err != nil {
			return err
		}
	}
	if err == nil && d.chance(d.o.LostAfter, "lost after") {
		return fault.New(fault.Unavailable, "lost_after", "faulty: "+op.Name, nil)
	}
	return err
}

// Get implements table.Driver.
func (d *Driver) Get(ctx context.Context, k table.Key, consistent bool) (row table.Row, ok bool,
	u table.Usage, err error) {
	err = d.call(Op{Name: "get", Key: k}, func() (err error) {
		row, ok, u, err = d.inner.Get(ctx, k, consistent)
		if err == nil && !consistent {
			row, ok = d.lag(k, row, ok)
		}
		return err
	})
	return row, ok, u, err
}

// BatchGet implements table.Driver.
func (d *Driver) BatchGet(ctx context.Context, keys []table.Key, consistent bool) (rows []table.Row, rest []table.Key,
	u table.Usage, err error) {
	err = d.call(Op{Name: "batch get", Key: keys[0]}, func() (err error) {
		var asked []table.Key
		for _, k := range keys {
			if d.chance(d.o.Unprocessed, "unprocessed") {
				rest = append(rest, k)
			} else {
				asked = append(asked, k)
			}
		}
		if len(asked) == 0 {
			return nil
		}
		var left []table.Key
		var found []table.Row
		found, left, u, err = d.inner.BatchGet(ctx, asked, consistent)
		rest = append(rest, left...)
		if err != nil || consistent {
			rows = found
			return err
		}
		at := make(map[table.Key]table.Row, len(found))
		for _, r := range found {
			at[r.Key] = r
		}
		for _, k := range asked {
			row, ok := at[k]
			if row, ok = d.lag(k, row, ok); ok && !slices.Contains(left, k) {
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, rest, u, err
}

// Query implements table.Driver.
func (d *Driver) Query(ctx context.Context, r table.Range) (page table.Rows, u table.Usage, err error) {
	from, _ := r.Bounds()
	err = d.call(Op{Name: "query", Key: table.Key{PK: r.PK, SK: from}}, func() (err error) {
		page, u, err = d.inner.Query(ctx, r)
		if err != nil {
			return err
		}
		if !r.Consistent && d.o.Stale > 0 {
			page = d.lagPage(r, page)
		}
		if d.chance(d.o.Short, "short") {
			page = d.short(r, page)
		}
		return nil
	})
	return page, u, err
}

// Scan implements table.Driver. Its reads are never stale.
func (d *Driver) Scan(ctx context.Context, after table.Key, limit int, consistent bool) (rows []table.Row,
	next table.Key, u table.Usage, err error) {
	err = d.call(Op{Name: "scan", Key: after}, func() (err error) {
		rows, next, u, err = d.inner.Scan(ctx, after, limit, consistent)
		if err == nil && len(rows) > 1 && d.chance(d.o.Short, "short") {
			rows = rows[:1+d.intn(len(rows)-1)]
			next = rows[len(rows)-1].Key
		}
		return err
	})
	return rows, next, u, err
}

// short ends a page early; one that is whole already gets a key to continue after.
func (d *Driver) short(r table.Range, page table.Rows) table.Rows {
	n := len(page.Rows)
	switch keep := d.intn(n + 1); {
	case keep > 0:
		return table.Rows{Rows: page.Rows[:keep], After: page.Rows[keep-1].Key.SK}
	case r.After != "": // an empty page that goes on where it began
		return table.Rows{After: r.After}
	}
	return page
}

// Write implements table.Driver.
func (d *Driver) Write(ctx context.Context, w table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	op := Op{Name: string(w.Kind), Key: w.Key, Write: true, Conditional: len(w.Conds) > 0}
	err = d.call(op, func() error {
		return d.remember(ctx, []table.Key{w.Key}, func() (err error) {
			row, ok, u, err = d.inner.Write(ctx, w)
			return err
		})
	})
	return row, ok && err == nil, u, err
}

// BatchWrite implements table.Driver.
func (d *Driver) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key,
	now int64) (restPuts []table.Row, restDeletes []table.Key, u table.Usage, err error) {
	var keys []table.Key
	var doPuts []table.Row
	var doDeletes []table.Key
	for _, r := range puts {
		keys = append(keys, r.Key)
	}
	keys = append(keys, deletes...)
	err = d.call(Op{Name: "batch write", Key: keys[0], Write: true}, func() error {
		for _, r := range puts {
			if d.chance(d.o.Unprocessed, "unprocessed") {
				restPuts = append(restPuts, r)
			} else {
				doPuts = append(doPuts, r)
			}
		}
		for _, k := range deletes {
			if d.chance(d.o.Unprocessed, "unprocessed") {
				restDeletes = append(restDeletes, k)
			} else {
				doDeletes = append(doDeletes, k)
			}
		}
		if len(doPuts)+len(doDeletes) == 0 {
			return nil
		}
		return d.remember(ctx, keys, func() (err error) {
			var p []table.Row
			var k []table.Key
			p, k, u, err = d.inner.BatchWrite(ctx, doPuts, doDeletes, now)
			restPuts, restDeletes = append(restPuts, p...), append(restDeletes, k...)
			return err
		})
	})
	return restPuts, restDeletes, u, err
}

// Close implements table.Driver.
func (d *Driver) Close() error { return d.inner.Close() }

var _ table.Driver = (*Driver)(nil)

package table

import (
	"context"
	"iter"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
)

// ReadOption changes how rows are read.
type ReadOption struct{ consistent bool }

// Consistent asks for the latest acknowledged state, at twice the cost.
func Consistent() ReadOption { return ReadOption{consistent: true} }

func consistent(opts []ReadOption) bool { return slices.Contains(opts, Consistent()) }

// Get reads one row into a pointer to a struct with dynamo tags, or an *Item. NotFound leaves out unchanged.
func (t *Table) Get(ctx context.Context, k Key, out any, opts ...ReadOption) error {
	row, err := t.GetRow(ctx, k, opts...)
	if err != nil {
		return err
	}
	return row.Decode(out)
}

// GetRow is Get without decoding.
func (t *Table) GetRow(ctx context.Context, k Key, opts ...ReadOption) (Row, error) {
	if err := checkKey(k); err != nil {
		return Row{}, err
	}
	var row Row
	var found bool
	err := t.do(ctx, true, func() (err error) {
		var u Usage
		row, found, u, err = t.d.Get(ctx, k, consistent(opts))
		t.countRead(ctx, t.kind(k), u, count(found), row.Size())
		return err
	})
	switch {
	case err != nil:
		return Row{}, err
	case !found || row.Expired(t.now()):
		return Row{}, notFound(k)
	}
	return row, nil
}

func notFound(k Key) error {
	return fault.New(fault.NotFound, "row_not_found", "table: get "+k.PK+" "+k.SK, nil)
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// BatchGet reads many rows by key and passes each to each, in any order. Absent and expired rows are left out; a key
// given twice is read once. An error of each ends the reading and is returned unchanged.
func (t *Table) BatchGet(ctx context.Context, keys []Key, each func(Row) error, opts ...ReadOption) error {
	seen := make(map[Key]struct{}, len(keys))
	todo := make([]Key, 0, len(keys))
	for _, k := range keys {
		if err := checkKey(k); err != nil {
			return err
		}
		if _, ok := seen[k]; !ok {
			seen[k] = struct{}{}
			todo = append(todo, k)
		}
	}
	for attempt := 0; len(todo) > 0; {
		n := min(len(todo), maxGets)
		rows, rest, err := t.batchGet(ctx, todo[:n], consistent(opts))
		if err != nil {
			return err
		}
		for _, r := range t.live(rows) {
			if err := each(r); err != nil {
				return err
			}
		}
		if attempt, err = t.again(ctx, attempt, n, len(rest)); err != nil {
			return err
		}
		todo = append(todo[n:], rest...)
	}
	return nil
}

func (t *Table) batchGet(ctx context.Context, keys []Key, consistent bool) (rows []Row, rest []Key, err error) {
	err = t.do(ctx, true, func() (err error) {
		var u Usage
		rows, rest, u, err = t.d.BatchGet(ctx, keys, consistent)
		t.countBatchGet(ctx, keys, rows, rest, u)
		return err
	})
	return rows, rest, err
}

// countBatchGet splits a batch's units among the kinds of its rows, by what each costs.
func (t *Table) countBatchGet(ctx context.Context, keys []Key, rows []Row, rest []Key, u Usage) {
	size := make(map[Key]int, len(rows))
	for _, r := range rows {
		size[r.Key] = r.Size()
	}
	costs := map[string]float64{}
	for _, k := range keys {
		if !slices.Contains(rest, k) {
			costs[t.kind(k)] += ReadUnits(size[k], true)
		}
	}
	t.countRead(ctx, t.kind(keys[0]), Usage{}, len(rows), sizes(rows))
	t.countShares(ctx, costs, u)
}

// again waits before the unprocessed rest of a batch is sent; RateLimited after too many attempts without progress.
func (t *Table) again(ctx context.Context, attempt, sent, rest int) (int, error) {
	switch {
	case rest == 0:
		return 0, nil
	case rest < sent:
		attempt = 0
	default:
		attempt++
	}
	if attempt >= t.retry.attempts {
		return 0, fault.New(fault.RateLimited, "throttled", "table: batch", nil)
	}
	if err := t.retry.wait(ctx, attempt); err != nil {
		return 0, cancelled(err)
	}
	return attempt, nil
}

// Query selects keys of one partition: From <= SK < To (each may be empty), or those that begin with Prefix.
type Query struct {
	PK, From, To, Prefix string
	Desc, Consistent     bool
	Page                 int // rows read at once; 0 = the engine's page
}

// Query iterates over rows, reading a page when the one before is used up. An error ends it.
func (t *Table) Query(ctx context.Context, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		r, err := rangeOf(q)
		if err != nil {
			yield(Row{}, err)
			return
		}
		for more := !r.empty(); more; {
			page, err := t.page(ctx, r)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			r.After, more = page.After, page.After != ""
		}
	}
}

// page reads one page of the driver, without expired rows.
func (t *Table) page(ctx context.Context, r Range) (rows Rows, err error) {
	err = t.do(ctx, true, func() (err error) {
		var u Usage
		rows, u, err = t.d.Query(ctx, r)
		kind := r.Prefix
		if kind == "" {
			kind = r.From
		}
		if kind == "" && len(rows.Rows) > 0 {
			kind = rows.Rows[0].Key.SK
		}
		t.countRead(ctx, t.kind(Key{PK: r.PK, SK: kind}), u, len(rows.Rows), sizes(rows.Rows))
		return err
	})
	rows.Rows = t.live(rows.Rows)
	return rows, err
}

// live returns the rows that have not expired, in place.
func (t *Table) live(rows []Row) []Row {
	now := t.now()
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Expired(now) })
}

func rangeOf(q Query) (Range, error) {
	r := Range{PK: q.PK, Prefix: q.Prefix, From: q.From, To: q.To, Desc: q.Desc,
		Consistent: q.Consistent, Limit: q.Page}
	switch {
	case q.Prefix != "" && (q.From != "" || q.To != ""):
		return r, fault.Newf(fault.Invalid, "bad_query", "a query has a prefix or bounds, not both")
	case q.Page < 0:
		return r, fault.Newf(fault.Invalid, "bad_query", "the size of a page is not negative")
	}
	for _, sk := range []string{"x", q.Prefix, q.From, q.To} {
		if sk != "" {
			if err := checkKey(Key{PK: q.PK, SK: sk}); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// empty reports whether no key lies between the bounds; DynamoDB refuses such queries.
func (r Range) empty() bool { return r.To != "" && r.From >= r.To }

// Scan reads one page of all rows, at most limit (0 = the engine's page). Rows that are written meanwhile may or may
// not be seen; all others are returned exactly once. Options.ScanRate bounds the rate.
func (t *Table) Scan(ctx context.Context, after Key, limit int, opts ...ReadOption) (rows []Row, next Key, err error) {
	if after != (Key{}) {
		if err := checkKey(after); err != nil {
			return nil, Key{}, err
		}
	}
	// The cost of a page is known only afterwards: it delays the next one.
	if err := t.scans.take(ctx, 0); err != nil {
		return nil, Key{}, err
	}
	err = t.do(ctx, true, func() (err error) {
		var u Usage
		rows, next, u, err = t.d.Scan(ctx, after, limit, consistent(opts))
		t.scans.debit(u.Read)
		t.countRead(ctx, "scan", u, len(rows), sizes(rows))
		return err
	})
	if err != nil {
		return nil, Key{}, err
	}
	return t.live(rows), next, nil
}

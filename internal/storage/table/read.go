package table

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
)

// ReadOption changes how a row is read.
type ReadOption func(*readOptions)

type readOptions struct{ consistent bool }

// Consistent asks for the latest acknowledged state; without it DynamoDB may answer with an older one,
// at half the cost.
func Consistent() ReadOption { return func(o *readOptions) { o.consistent = true } }

func readOpts(opts []ReadOption) (o readOptions) {
	for _, f := range opts {
		f(&o)
	}
	return o
}

// Get reads one row into out (a pointer to a struct with dynamo tags, or a *Item). Absent or expired is
// NotFound, and out is as it was.
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
	o := readOpts(opts)
	err := t.do(ctx, true, func() (err error) {
		var u Usage
		row, found, u, err = t.d.Get(ctx, k, o.consistent)
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

// BatchGet reads many rows by key, in any order; absent and expired ones are simply missing, a key given
// twice is read once. each may stop the reading with an error, which comes back as it is.
func (t *Table) BatchGet(ctx context.Context, keys []Key, each func(Item) error, opts ...ReadOption) error {
	return t.BatchGetRows(ctx, keys, func(r Row) error {
		item, err := r.Item()
		if err != nil {
			return err
		}
		return each(item)
	}, opts...)
}

// BatchGetRows is BatchGet without decoding.
func (t *Table) BatchGetRows(ctx context.Context, keys []Key, each func(Row) error, opts ...ReadOption) error {
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
	o := readOpts(opts)
	for attempt := 0; len(todo) > 0; {
		n := min(len(todo), maxGets)
		rows, rest, err := t.batchGet(ctx, todo[:n], o.consistent)
		if err != nil {
			return err
		}
		now := t.now()
		for _, r := range rows {
			if !r.Expired(now) {
				if err := each(r); err != nil {
					return err
				}
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

// countBatchGet spreads a batch's units over its kinds: by row where there are several.
func (t *Table) countBatchGet(ctx context.Context, keys []Key, rows []Row, rest []Key, u Usage) {
	kind := t.kind(keys[0])
	uniform := true
	for _, k := range keys[1:] {
		uniform = uniform && t.kind(k) == kind
	}
	if uniform {
		t.countRead(ctx, kind, u, len(rows), sizes(rows))
		return
	}
	t.countRead(ctx, kind, Usage{}, len(rows), sizes(rows))
	size := make(map[Key]int, len(rows))
	for _, r := range rows {
		size[r.Key] = r.Size()
	}
	skip := make(map[Key]bool, len(rest))
	for _, k := range rest {
		skip[k] = true
	}
	var sum float64
	for _, k := range keys {
		if !skip[k] {
			sum += ReadUnits(size[k], true)
		}
	}
	for _, k := range keys {
		if !skip[k] && sum > 0 {
			t.countUnits(ctx, t.kind(k), Usage{Read: u.Read * ReadUnits(size[k], true) / sum})
		}
	}
}

// again decides over the unprocessed rest of a batch: progress starts the back-off anew, none of it for
// too long is RateLimited.
func (t *Table) again(ctx context.Context, attempt, sent, rest int) (int, error) {
	switch {
	case rest == 0:
		return 0, nil
	case rest < sent:
		attempt = 0
	default:
		attempt++
	}
	t.countAgain(ctx, 0, rest)
	if attempt >= t.retry.attempts {
		return 0, fault.New(fault.RateLimited, "throttled", "table: batch", nil)
	}
	if err := t.retry.wait(ctx, attempt); err != nil {
		return 0, cancelled(err)
	}
	return attempt, nil
}

// Query asks for rows of one partition: keys with From <= SK < To (each may be empty = unbounded), or
// all that begin with Prefix (not both).
type Query struct {
	PK, From, To, Prefix string
	Desc, Consistent     bool
	Limit                int    // rows examined in one page, in QueryAll and Each in total; 0 = the engine's page, all
	Cursor               string // Page.Next of the same query; another's is Invalid "bad_cursor"
}

// Page is a part of the answer. It may be short or even empty although more follows: Next is the truth,
// empty at the end.
type Page struct {
	Items []Item
	Next  string
}

// RowPage is Page without decoding.
type RowPage struct {
	Rows []Row
	Next string
}

// Query reads one page.
func (t *Table) Query(ctx context.Context, q Query) (Page, error) {
	rows, err := t.QueryRows(ctx, q)
	if err != nil {
		return Page{}, err
	}
	p := Page{Items: make([]Item, len(rows.Rows)), Next: rows.Next}
	for i, r := range rows.Rows {
		if p.Items[i], err = r.Item(); err != nil {
			return Page{}, err
		}
	}
	return p, nil
}

// QueryRows is Query without decoding.
func (t *Table) QueryRows(ctx context.Context, q Query) (RowPage, error) {
	r, err := t.rangeOf(q)
	if err != nil || r.empty() {
		return RowPage{}, err
	}
	page, err := t.page(ctx, r)
	return RowPage{Rows: page.Rows, Next: q.encodeCursor(page.After)}, err
}

// QueryAll follows the pages and gives each row to each, at most Limit in total. each may stop the
// reading with an error, which comes back as it is.
func (t *Table) QueryAll(ctx context.Context, q Query, each func(Item) error) error {
	return t.Each(ctx, q, func(r Row) error {
		item, err := r.Item()
		if err != nil {
			return err
		}
		return each(item)
	})
}

// Each is QueryAll without decoding: at most a page of rows is held at a time, and Row.Decode fills a
// struct without an Item between.
func (t *Table) Each(ctx context.Context, q Query, each func(Row) error) error {
	r, err := t.rangeOf(q)
	if err != nil || r.empty() {
		return err
	}
	for given := 0; ; {
		page, err := t.page(ctx, r)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if err := each(row); err != nil {
				return err
			}
		}
		given += len(page.Rows)
		if page.After == "" || q.Limit > 0 && given >= q.Limit {
			return nil
		}
		r.After = page.After
		if q.Limit > 0 {
			r.Limit = q.Limit - given
		}
	}
}

// page reads one page of the driver and hides what has expired.
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
	now := t.now()
	live := rows.Rows[:0]
	for _, row := range rows.Rows {
		if !row.Expired(now) {
			live = append(live, row)
		}
	}
	rows.Rows = live
	return rows, err
}

func (t *Table) rangeOf(q Query) (Range, error) {
	r := Range{PK: q.PK, Prefix: q.Prefix, From: q.From, To: q.To, Desc: q.Desc, Consistent: q.Consistent, Limit: q.Limit}
	bad := func(why string) (Range, error) { return r, fault.Newf(fault.Invalid, "bad_query", "%s", why) }
	switch {
	case q.Prefix != "" && (q.From != "" || q.To != ""):
		return bad("a query has a prefix or bounds, not both")
	case q.Limit < 0:
		return bad("a limit is not negative")
	}
	for _, sk := range []string{"x", q.Prefix, q.From, q.To} {
		if sk != "" {
			if err := checkKey(Key{PK: q.PK, SK: sk}); err != nil {
				return r, err
			}
		}
	}
	var err error
	r.After, err = q.decodeCursor(r)
	return r, err
}

// empty tells bounds that nothing can lie between; DynamoDB refuses them.
func (r Range) empty() bool { return r.To != "" && r.From >= r.To }

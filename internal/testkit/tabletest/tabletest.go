// Package tabletest is the conformance suite of the table seam: what every driver must do under the
// portable type, and a random comparison of a driver with a simple model.
package tabletest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Difference names a known way in which an emulator of DynamoDB is not DynamoDB. Our own engines have
// none; the service itself has none.
type Difference string

// The differences, as tried with the versions pinned in internal/testkit/doubles. A case that meets one
// says so instead of checking; nothing else is forgiven.
const (
	// UnitsWrong: consumed capacity is constant whatever the size (moto: put 1, get 0.5, query 1).
	UnitsWrong Difference = "units wrong"
	// ConditionUnits: no row comes with a failed condition, so its units are 1 whatever the size (dynalite).
	ConditionUnits Difference = "no row on a failed condition"
	// EarlyTooLarge: a row is refused some kilobytes below 400 KB (moto: between 395 and 399).
	EarlyTooLarge Difference = "refused below the limit"
	// NoKeyAtLimit: a page that ends exactly at the last row has no key to continue after (moto).
	NoKeyAtLimit Difference = "no key at the limit"
	// TypesClash: ordering values of different types is a server error instead of false (moto).
	TypesClash Difference = "comparing different types fails"
	// Slow: batches of hundreds of rows take seconds; cases use fewer.
	Slow Difference = "slow"
)

// Harness makes tables for the suite.
type Harness struct {
	// New gives a table with these options over a driver. Cases use partitions of their own, so it may
	// give the same underlying storage each time. It closes the table at the test's end.
	New func(tb testing.TB, o table.Options) *table.Table
	// Allow lists the known differences of the endpoint.
	Allow []Difference
	// Stale says that reads without Consistent may give older states: such reads are checked less.
	Stale bool
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(newEnv(t, h))
		})
	}
}

type testCase struct {
	name string
	run  func(*env)
}

func cases() []testCase {
	return slices.Concat(rowCases(), queryCases(), scanCases(), writeCases(), limitCases())
}

// env is what a case works with: a table, its clock, and a partition of its own.
type env struct {
	testing.TB
	h   Harness
	tbl *table.Table
	clk *clock.Manual
	pk  string
	ctx context.Context
}

// start is the suite's now; any whole second does.
var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// serial keeps partitions of repeated runs (-count) apart on shared storage.
var serial atomic.Int64

func newEnv(tb testing.TB, h Harness) *env {
	tb.Helper()
	clk := clock.NewManual(start)
	e := &env{TB: tb, h: h, clk: clk, ctx: tb.Context()}
	name := tb.Name()
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	e.pk = name + "#" + string(rune('a'+serial.Add(1)%26)) + time.Duration(serial.Load()).String()
	e.tbl = h.New(tb, e.options())
	return e
}

// options have the case's clock, kinds by the first letters of the sort key, and waits that do not wait.
func (e *env) options() table.Options {
	return table.Options{
		Clock: e.clk,
		Kind: func(k table.Key) string {
			kind, _, _ := strings.Cut(k.SK, "#")
			return kind
		},
		Sleep:    func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Attempts: 50,
	}
}

func (e *env) allows(d Difference) bool {
	allowed := slices.Contains(e.h.Allow, d)
	if allowed {
		e.Logf("not checked, known difference: %s", d)
	}
	return allowed
}

func (e *env) key(sk string) table.Key { return table.Key{PK: e.pk, SK: sk} }

// doc is the row of most cases.
type doc struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	N    int64  `dynamo:"n,omitempty"`
	S    string `dynamo:"s,omitempty"`
	Body []byte `dynamo:"body,omitempty"`
	Flag bool   `dynamo:"flag,omitempty"`
	TTL  int64  `dynamo:"ttl,omitempty"`
}

func (e *env) doc(sk string, n int64) *doc { return &doc{PK: e.pk, SK: sk, N: n, S: "s-" + sk} }

// must fails the case on an error.
func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// want fails the case unless err is of the kind and code.
func (e *env) want(err error, kind fault.Kind, code string) {
	e.Helper()
	if err == nil || fault.KindOf(err) != kind || fault.CodeOf(err) != code {
		e.Fatalf("error is %v, want %v %q", err, kind, code)
	}
}

func (e *env) put(row any) {
	e.Helper()
	e.must(e.tbl.Put(e.ctx, row))
}

func (e *env) fill(puts []any) {
	e.Helper()
	e.must(e.tbl.BatchWrite(e.ctx, puts, nil))
}

// get reads consistently; ok false when absent.
func (e *env) get(sk string) (d doc, ok bool) {
	e.Helper()
	err := e.tbl.Get(e.ctx, e.key(sk), &d, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return d, false
	}
	e.must(err)
	return d, true
}

// item reads a row as attributes.
func (e *env) item(sk string) table.Item {
	e.Helper()
	var item table.Item
	e.must(e.tbl.Get(e.ctx, e.key(sk), &item, table.Consistent()))
	return item
}

// all reads a query to its end and returns the sort keys.
func (e *env) all(q table.Query) (keys []string) {
	e.Helper()
	q.PK, q.Consistent = e.pk, true
	for row, err := range e.tbl.Query(e.ctx, q) {
		e.must(err)
		keys = append(keys, row.Key.SK)
	}
	return keys
}

var errStop = errors.New("stop")

// firstPage reads the first page of a query.
func (e *env) firstPage(ctx context.Context, q table.Query) error {
	left := q.Page
	for _, err := range e.tbl.Query(ctx, q) {
		if left--; err != nil || left == 0 {
			return err
		}
	}
	return nil
}

package faultytable_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/tabletest"
)

var (
	bad = faultytable.Options{Seed: 7, Stale: 0.5, Short: 0.4, Unprocessed: 0.3, Throttle: 0.2}
	// Requests repeated cost units of their own, and pages end anywhere.
	differs = []tabletest.Difference{tabletest.UnitsWrong, tabletest.NoKeyAtLimit}
)

// The portable type hides from its callers everything that may be hidden.
func TestConformanceUnderFaults(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		tabletest.Run(t,
			tabletest.Harness{Stale: true, Allow: differs, New: func(tb testing.TB, o table.Options) *table.Table {
				tb.Helper()
				d, err := sqlitetable.Open(filepath.Join(tb.TempDir(), "ruri.db"), sqlitetable.Options{})
				if err != nil {
					tb.Fatal(err)
				}
				tb.Cleanup(func() { _ = d.Close() })
				return table.New(faultytable.New(d, bad), o)
			}})
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		tabletest.Run(t,
			tabletest.Harness{Stale: true, Allow: differs, New: func(_ testing.TB, o table.Options) *table.Table {
				return table.New(faultytable.New(memtable.New(), bad), o)
			}})
	})
}

type row struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	N  int    `dynamo:"n"`
}

func over(o faultytable.Options) *table.Table {
	return table.New(faultytable.New(memtable.New(), o), table.Options{
		Clock: clock.NewManual(time.Unix(1, 0)), Sleep: func(ctx context.Context, _ time.Duration) error {
			return ctx.Err()
		},
	})
}

// Plain reads see every older state within the depth, consistent ones none.
func TestStaleReads(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tbl := over(faultytable.Options{Seed: 1, Stale: 0.7, Depth: 3})
	for n := 1; n <= 6; n++ {
		if err := tbl.Put(ctx, &row{"p", "a", n}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[int]int{}
	listed := map[int]int{}
	for range 400 {
		var r row
		if err := tbl.Get(ctx, table.Key{PK: "p", SK: "a"}, &r); err != nil {
			t.Fatal(err)
		}
		seen[r.N]++
		for x, err := range tbl.Query(ctx, table.Query{PK: "p"}) {
			if err == nil {
				err = x.Decode(&r)
			}
			if err != nil {
				t.Fatal(err)
			}
			listed[r.N]++
		}
		if err := tbl.Get(ctx, table.Key{PK: "p", SK: "a"}, &r, table.Consistent()); err != nil || r.N != 6 {
			t.Fatalf("a consistent read gave %d (%v)", r.N, err)
		}
	}
	for _, got := range []map[int]int{seen, listed} {
		if len(got) != 4 || got[3] == 0 || got[6] == 0 {
			t.Errorf("states seen: %v, want 3 to 6", got)
		}
	}
}

// A row just deleted may still be listed, one just put may be missing, each exactly as it was.
func TestStalePages(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tbl := over(faultytable.Options{Seed: 2, Stale: 0.5})
	for _, sk := range []string{"a", "b", "c"} {
		if err := tbl.Put(ctx, &row{"p", sk, 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := tbl.Delete(ctx, table.Key{PK: "p", SK: "b"}); err != nil {
		t.Fatal(err)
	}
	ghosts, missing := 0, 0
	for range 200 {
		got := ""
		for r, err := range tbl.Query(ctx, table.Query{PK: "p", Page: 10}) {
			if err != nil {
				t.Fatal(err)
			}
			got += r.Key.SK
		}
		switch got {
		case "abc", "ab", "bc", "b":
			ghosts++
		case "a", "c", "":
			missing++
		case "ac":
		default:
			t.Fatalf("listed %q", got)
		}
	}
	if ghosts == 0 || missing == 0 {
		t.Errorf("%d ghosts, %d missing: nothing lagged", ghosts, missing)
	}
}

// A lost answer is Unavailable both ways; only one of them has written.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, c := range map[string]struct {
		o    faultytable.Options
		want int
	}{"before": {faultytable.Options{LostBefore: 1}, 0}, "after": {faultytable.Options{LostAfter: 1}, 1}} {
		inner := memtable.New()
		tbl := table.New(faultytable.New(inner, c.o), table.Options{Sleep: func(context.Context, time.Duration) error {
			return nil
		}})
		err := tbl.Update(ctx, table.Key{PK: "p", SK: "a"}, table.Update{Add: map[string]int64{"n": 1}})
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		var r row
		_ = table.New(inner, table.Options{}).Get(ctx, table.Key{PK: "p", SK: "a"}, &r)
		if r.N != c.want {
			t.Errorf("%s: n is %d, want %d: an Add must not be repeated", name, r.N, c.want)
		}
	}
}

func TestThrottlingEnds(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tbl := over(faultytable.Options{Throttle: 1})
	if err := tbl.Put(ctx, &row{"p", "a", 1}); !fault.Is(err, fault.RateLimited) {
		t.Errorf("put: %v", err)
	}
	if n := tbl.Meter().Snapshot().Throttled; n != 8 {
		t.Errorf("%d attempts, want 8", n)
	}
	never := over(faultytable.Options{Unprocessed: 1})
	if err := never.BatchWrite(ctx, []any{&row{"p", "a", 1}}, nil); !fault.Is(err, fault.RateLimited) {
		t.Errorf("batch write: %v", err)
	}
	if err := never.BatchGet(ctx, []table.Key{{PK: "p", SK: "a"}}, func(table.Row) error {
		return nil
	}); !fault.Is(err, fault.RateLimited) {
		t.Errorf("batch get: %v", err)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	crash := errors.New("crash")
	var ops []string
	at := 3
	tbl := over(faultytable.Options{
		Before: func(op faultytable.Op) error {
			ops = append(ops, fmt.Sprint(op.N, " ", op.Name, " ", op.Key.SK))
			return nil
		},
		After: func(op faultytable.Op) error {
			if op.N == at {
				return crash
			}
			return nil
		},
	})
	for i, sk := range []string{"a", "b", "c"} {
		err := tbl.Put(ctx, &row{"p", sk, 1}, table.IfAbsent())
		if crashed := errors.Is(err, crash); crashed != (i+1 == at) {
			t.Errorf("put %s: %v", sk, err)
		}
	}
	if got := fmt.Sprint(ops); got != "[1 put a 2 put b 3 put c]" {
		t.Error(got)
	}
	if err := tbl.Get(ctx, table.Key{PK: "p", SK: "c"}, &row{}); err != nil {
		t.Errorf("the call whose answer was replaced must have been done: %v", err)
	}
}

// Two runs of one seed are one.
func TestSeedDecides(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	run := func(seed uint64) string {
		o := bad
		o.Seed, o.Conflict = seed, 0.3
		tbl := over(o)
		out := ""
		for i := range 60 {
			err := tbl.Put(ctx, &row{"p", fmt.Sprint(i % 7), i}, table.IfLess("n", 1000))
			out += fmt.Sprint(err == nil)
			for r, err := range tbl.Query(ctx, table.Query{PK: "p"}) {
				var x row
				if err == nil && r.Decode(&x) == nil {
					out += fmt.Sprint(x.SK, x.N)
				}
			}
		}
		return out
	}
	first := run(5)
	if again := run(5); again != first {
		t.Error("the same seed gave two histories")
	}
	if first == run(6) {
		t.Error("two seeds gave one history")
	}
}

// With consistent reads, what the faults do stays hidden from every answer.
func TestRandomUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		o := bad
		o.Seed = seed
		tabletest.Random(t, tabletest.Harness{New: func(_ testing.TB, to table.Options) *table.Table {
			return table.New(faultytable.New(memtable.New(), o), to)
		}}, seed, 1500)
	}
}

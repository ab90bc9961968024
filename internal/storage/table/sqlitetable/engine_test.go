package sqlitetable_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
)

// Writers that wait together are committed together, and a condition that fails is its own affair.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	tbl, d := openAt(t, filepath.Join(t.TempDir(), "ruri.db"), sqlitetable.Options{})
	before := d.Commits()
	var wg sync.WaitGroup
	var failed, written atomic.Int64
	for w := range 64 {
		wg.Go(func() {
			for i := range 20 {
				var err error
				if i%4 == 3 {
					err = tbl.Put(t.Context(), &small{PK: "p", SK: fmt.Sprint(w, "-", i-1)}, table.IfAbsent())
				} else {
					err = tbl.Put(t.Context(), &small{PK: "p", SK: fmt.Sprint(w, "-", i), N: i}, table.IfAbsent())
				}
				switch {
				case err == nil:
					written.Add(1)
				case fault.Is(err, fault.Conflict):
					failed.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() != 64*5 || written.Load() != 64*15 {
		t.Errorf("%d failed, %d written", failed.Load(), written.Load())
	}
	if commits := d.Commits() - before; commits > 640 {
		t.Errorf("%d commits for 1280 writes: nothing was shared", commits)
	}
	if n := countRows(t, tbl, "p"); n != 64*15 {
		t.Errorf("%d rows", n)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	a, _ := openAt(t, path, sqlitetable.Options{})
	b, _ := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	version := func(tbl *table.Table, pk string) uint64 {
		t.Helper()
		v, exact := tbl.Version(ctx, pk)
		if !exact {
			t.Fatal("not exact")
		}
		return v
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mine, others, far := version(a, "p"), version(a, "q"), version(b, "p")
	if version(a, "p") != mine {
		t.Error("changed by itself")
	}
	must(a.Put(ctx, &small{PK: "p", SK: "s"}))
	if version(a, "p") == mine {
		t.Error("own put: unchanged")
	}
	if version(a, "q") != others {
		t.Error("own put: another partition changed")
	}
	if version(b, "p") == far {
		t.Error("the other process sees no change")
	}
	mine, others = version(a, "p"), version(a, "q")
	if err := a.Put(ctx, &small{PK: "p", SK: "s"}, table.IfAbsent()); !fault.Is(err, fault.Conflict) {
		t.Fatal(err)
	}
	if err := a.Get(ctx, table.Key{PK: "p", SK: "s"}, &small{}); err != nil {
		t.Fatal(err)
	}
	if version(a, "p") != mine || version(a, "q") != others {
		t.Error("a failed put or a read changed a version")
	}
	for what, write := range []func() error{
		func() error {
			return b.Update(ctx, table.Key{PK: "x", SK: "s"}, table.Update{Add: map[string]int64{"n": 1}})
		},
		func() error { return b.BatchWrite(ctx, []any{&small{PK: "y", SK: "s"}}, nil) },
		func() error { return b.Delete(ctx, table.Key{PK: "x", SK: "s"}) },
	} {
		mine, others = version(a, "p"), version(a, "q")
		must(write())
		if version(a, "p") == mine || version(a, "q") == others {
			t.Errorf("write %d by another process: unchanged here", what)
		}
	}
	mine = version(a, "p")
	must(a.BatchWrite(ctx, []any{&small{PK: "z", SK: "s"}}, []table.Key{{PK: "p", SK: "s"}}))
	if version(a, "p") == mine {
		t.Error("a delete in a batch: unchanged")
	}
}

// A cache that trusts equal versions never shows what is older than an acknowledged write.
func TestVersionsUnderWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	a, _ := openAt(t, path, sqlitetable.Options{})
	b, _ := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	k := table.Key{PK: "p", SK: "n"}
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for _, tbl := range []*table.Table{a, b} {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var r small
				if err := tbl.Update(ctx, k, table.Update{Add: map[string]int64{"n": 1}, Return: table.ReturnNew, Into: &r}); err != nil {
					t.Error(err)
					return
				}
				for now := acknowledged.Load(); int64(r.N) > now && !acknowledged.CompareAndSwap(now, int64(r.N)); now = acknowledged.Load() {
				}
			}
		})
	}
	var cached int64
	var at uint64
	hits := 0
	for i := 0; acknowledged.Load() < 300 || hits == 0 && i < 1_000_000; i++ {
		if t.Failed() {
			break
		}
		floor := acknowledged.Load()
		v, exact := a.Version(ctx, "p")
		if !exact {
			t.Fatal("not exact")
		}
		if v == at && i > 0 {
			hits++
			if cached < floor {
				t.Fatalf("version %d unchanged: the cache has %d, acknowledged was %d", v, cached, floor)
			}
			continue
		}
		var r small
		if err := a.Get(ctx, k, &r); err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		at, cached = v, int64(r.N)
	}
	close(stop)
	wg.Wait()
	if hits == 0 {
		t.Error("the cache was never used: nothing was tested")
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	clk := clock.NewManual(time.Unix(1_000_000, 0))
	tbl := open(t, table.Options{Clock: clk})
	d := tbl.Driver().(*sqlitetable.Driver)
	ctx := t.Context()
	var puts []any
	for i := range 700 {
		puts = append(puts, &small{PK: "p", SK: fmt.Sprintf("%03d", i), TTL: 1_000_000 + int64(i%7)*10})
	}
	puts = append(puts, &small{PK: "p", SK: "never"})
	if err := tbl.BatchWrite(ctx, puts, nil); err != nil {
		t.Fatal(err)
	}
	raw := func() (n int) {
		for after := ""; ; {
			page, _, err := d.Query(ctx, table.Range{PK: "p", After: after})
			if err != nil {
				t.Fatal(err)
			}
			n += len(page.Rows)
			if after = page.After; after == "" {
				return n
			}
		}
	}
	now := clk.Add(30 * time.Second).Unix() // four of seven have expired, the last just now
	version, _ := tbl.Version(ctx, "p")
	for _, c := range []struct{ limit, removed, left int }{{150, 150, 551}, {1000, 250, 301}, {1000, 0, 301}} {
		n, err := d.Sweep(ctx, now, c.limit)
		if err != nil || n != c.removed || raw() != c.left {
			t.Errorf("sweep of %d: %d removed, %d left (%v), want %+v", c.limit, n, raw(), err, c)
		}
	}
	if after, _ := tbl.Version(ctx, "p"); after != version {
		t.Error("a sweep removes what nobody saw, and yet a version changed")
	}
	if visible := countRows(t, tbl, "p"); visible != 301 {
		t.Errorf("%d rows visible", visible)
	}
}

func countRows(t *testing.T, tbl *table.Table, pk string) (n int) {
	t.Helper()
	for _, err := range tbl.Query(t.Context(), table.Query{PK: pk}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

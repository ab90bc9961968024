package sqlitetable_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
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

// TestChanges: each process sees its own writes and those of others, row by row, and nothing else.
func TestChanges(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	a, _ := openAt(t, path, sqlitetable.Options{})
	b, _ := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	seen := map[*table.Table]uint64{}
	for _, tbl := range []*table.Table{a, b} {
		if _, seen[tbl], _ = tbl.Changes(ctx, 0); seen[tbl] == 0 {
			t.Fatal("there is no log")
		}
	}
	conflict := a.Put(ctx, &small{PK: "p", SK: "s"})
	for what, c := range []struct {
		write func() error
		want  string
	}{
		{func() error { return a.Put(ctx, &small{PK: "p", SK: "s", N: 2}) }, "p/s"},
		{func() error {
			return b.Update(ctx, table.Key{PK: "x", SK: "s"}, table.Update{Add: map[string]int64{"n": 1}})
		}, "x/s"},
		{func() error {
			return b.BatchWrite(ctx, []any{&small{PK: "y", SK: "1"}, &small{PK: "y", SK: "2"}},
				[]table.Key{{PK: "x", SK: "s"}})
		}, "y/1 y/2 x/s"},
		{func() error { return a.Delete(ctx, table.Key{PK: "y", SK: "1"}) }, "y/1"},
		{func() error {
			return errors.Join(b.Put(ctx, &small{PK: "b", SK: "1"}), a.Put(ctx, &small{PK: "a", SK: "1"}),
				b.Put(ctx, &small{PK: "b", SK: "2"}))
		}, "b/1 a/1 b/2"},
		{func() error { return a.Get(ctx, table.Key{PK: "p", SK: "s"}, &small{}) }, ""},
		{func() error {
			if err := a.Put(ctx, &small{PK: "p", SK: "s"}, table.IfAbsent()); !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
			return nil
		}, ""},
	} {
		if what == 0 {
			c.want = "p/s " + c.want // of the first put
		}
		if err := errors.Join(conflict, c.write()); err != nil {
			t.Fatal(err)
		}
		for _, tbl := range []*table.Table{a, b} {
			list, now, complete := tbl.Changes(ctx, seen[tbl])
			if got := listed(list); got != c.want || !complete {
				t.Errorf("write %d: %q, complete %v, want %q", what, got, complete, c.want)
			}
			seen[tbl] = now
		}
	}
}

func listed(list []table.Change) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Key.PK+"/"+c.Key.SK)
	}
	return strings.Join(names, " ")
}

// TestChangesBeyondTheLog: who asks for more than the log holds is told so, and from there on sees everything again.
func TestChangesBeyondTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ruri.db")
	a, _ := openAt(t, path, sqlitetable.Options{})
	b, _ := openAt(t, path, sqlitetable.Options{})
	ctx := t.Context()
	_, start, _ := a.Changes(ctx, 0)
	_, _, _ = b.Changes(ctx, 0)
	for i := range 3 {
		if err := a.Put(ctx, &small{PK: "p", SK: fmt.Sprint(i), N: i}); err != nil {
			t.Error(err)
		}
	}
	run := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", path)
		if err == nil {
			_, err = db.ExecContext(ctx, statement)
		}
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	run("DELETE FROM changes WHERE n < (SELECT max(n) FROM changes)") // what happens after many commits
	for name, tbl := range map[string]*table.Table{"the writer": a, "another": b} {
		list, now, complete := tbl.Changes(ctx, start)
		if complete || list != nil || now <= start {
			t.Errorf("%s: %d changes up to %d, complete %v", name, len(list), now, complete)
		}
		if err := a.Put(ctx, &small{PK: "q", SK: name}); err != nil {
			t.Fatal(err)
		}
		if list, _, complete = tbl.Changes(ctx, now); !complete || listed(list) != "q/"+name {
			t.Errorf("%s: then %q, complete %v", name, listed(list), complete)
		}
	}
	_, now, _ := b.Changes(ctx, 0)
	run("INSERT INTO changes (keys) VALUES (x'ff')")
	list, after, complete := b.Changes(ctx, now)
	if complete || list != nil || after <= now {
		t.Errorf("damaged: %d changes up to %d, complete %v", len(list), after, complete)
	}
	if err := a.Put(ctx, &small{PK: "q", SK: "later"}); err != nil {
		t.Fatal(err)
	}
	if list, _, complete = b.Changes(ctx, after); !complete || listed(list) != "q/later" {
		t.Errorf("damaged: then %q, complete %v", listed(list), complete)
	}
}

// A cache that reads again what the log names never shows what is older than an acknowledged write.
func TestChangesUnderWriters(t *testing.T) {
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
				if err := tbl.Update(ctx, k, table.Update{Add: map[string]int64{"n": 1}, Return: table.ReturnNew,
					Into: &r}); err != nil {
					t.Error(err)
					return
				}
				for now := acknowledged.Load(); int64(r.N) > now &&
					!acknowledged.CompareAndSwap(now, int64(r.N)); now = acknowledged.Load() {
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
		list, now, complete := a.Changes(ctx, at)
		if now == 0 {
			t.Fatal("there is no log")
		}
		if complete && len(list) == 0 {
			hits++
			if cached < floor {
				t.Fatalf("nothing changed after %d: the cache has %d, acknowledged was %d", at, cached, floor)
			}
			continue
		}
		var r small
		if err := a.Get(ctx, k, &r); err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		at, cached = now, int64(r.N)
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
	_, before, _ := tbl.Changes(ctx, 0)
	for _, c := range []struct{ limit, removed, left int }{{150, 150, 551}, {1000, 250, 301}, {1000, 0, 301}} {
		n, err := d.Sweep(ctx, now, c.limit)
		if err != nil || n != c.removed || raw() != c.left {
			t.Errorf("sweep of %d: %d removed, %d left (%v), want %+v", c.limit, n, raw(), err, c)
		}
	}
	if _, after, _ := tbl.Changes(ctx, before); after != before {
		t.Error("a sweep removes what nobody saw, and yet it is logged")
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

package tabletest

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func writeCases() []testCase {
	return []testCase{
		{"Conditions", (*env).conditions},
		{"UpdateClauses", (*env).updateClauses},
		{"UpdateAdds", (*env).updateAdds},
		{"UpdateValues", (*env).updateValues},
		{"UpdateRefusals", (*env).updateRefusals},
		{"UpdateRenewsExpiry", (*env).updateRenews},
		{"TwentyConcurrentAdds", (*env).concurrentAdds},
		{"OneWinnerOfARace", (*env).race},
		{"OneWinnerOfAnExpiredRow", (*env).raceExpired},
		{"BatchWriteMany", (*env).batchWriteMany},
		{"BatchWriteLaterEntryWins", (*env).batchWriteDuplicates},
	}
}

func (e *env) concurrentAdds() {
	e.parallel(20, func(i int) {
		if err := e.tbl.Update(e.ctx, e.key("n"), table.Update{Add: map[string]int64{"n": 1}}); err != nil {
			e.Error(err)
		}
	})
	if d, _ := e.get("n"); d.N != 20 {
		e.Errorf("n is %d after twenty adds", d.N)
	}
}

func (e *env) parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// winners counts how many of n concurrent writes succeed; the others must be conflicts.
func (e *env) winners(n int, write func(i int) error) int64 {
	var won atomic.Int64
	e.parallel(n, func(i int) {
		switch err := write(i); {
		case err == nil:
			won.Add(1)
		case !fault.Is(err, fault.Conflict):
			e.Error(err)
		}
	})
	return won.Load()
}

func (e *env) race() {
	if n := e.winners(16, func(i int) error {
		return e.tbl.Put(e.ctx, e.doc("put", int64(i)+1), table.IfAbsent())
	}); n != 1 {
		e.Errorf("%d puts won", n)
	}
	e.put(e.doc("up", 1))
	if n := e.winners(16, func(i int) error {
		return e.tbl.Update(e.ctx, e.key("up"),
			table.Update{Set: map[string]any{"n": 2 + i}, If: []table.Cond{table.IfEqual("n", 1)}})
	}); n != 1 {
		e.Errorf("%d updates won", n)
	}
	if n := e.winners(16, func(int) error { return e.tbl.Delete(e.ctx, e.key("up"), table.IfPresent()) }); n != 1 {
		e.Errorf("%d deletes won", n)
	}
}

// raceExpired: of many who renew an expired lease, one gets it.
func (e *env) raceExpired() {
	e.expired("lease")
	n := e.winners(16, func(i int) error {
		return e.tbl.Update(e.ctx, e.key("lease"), table.Update{
			Set: map[string]any{"n": i + 1, "ttl": start.Unix() + 100}, If: []table.Cond{table.IfAbsent()},
		})
	})
	if d, ok := e.get("lease"); n != 1 || !ok || d.S != "" {
		e.Errorf("%d won; the row: %+v, there %v", n, d, ok)
	}
	e.expired("count")
	e.parallel(16, func(int) {
		if err := e.tbl.Update(e.ctx, e.key("count"), table.Update{Add: map[string]int64{"n": 1}}); err != nil {
			e.Error(err)
		}
	})
	if d, _ := e.get("count"); d.N != 16 || d.S != "" {
		e.Errorf("adds to an expired row: %+v, want n 16", d)
	}
}

func (e *env) batchWriteMany() {
	var puts []any
	for i := range 77 {
		puts = append(puts, e.doc(fmt.Sprintf("r#%03d", i), int64(i)+1))
	}
	e.fill(puts)
	if got := e.all(table.Query{Prefix: "r#"}); len(got) != 77 {
		e.Fatalf("%d rows, want 77", len(got))
	}
	var gone []table.Key
	for i := 10; i < 60; i++ {
		gone = append(gone, e.key(fmt.Sprintf("r#%03d", i)))
	}
	e.must(e.tbl.BatchWrite(e.ctx, []any{e.doc("new", 1)}, append(gone, e.key("absent"))))
	if got := e.all(table.Query{Prefix: "r#"}); len(got) != 27 {
		e.Errorf("%d rows left, want 27", len(got))
	}
	if _, ok := e.get("new"); !ok {
		e.Error("the put beside the deletes is missing")
	}
	e.must(e.tbl.BatchWrite(e.ctx, nil, nil))
}

func (e *env) batchWriteDuplicates() {
	var puts []any
	for round := range 3 {
		for i := range 20 {
			puts = append(puts, e.doc(fmt.Sprintf("d#%02d", i), int64(round*100+i)))
		}
	}
	e.must(e.tbl.BatchWrite(e.ctx, puts, []table.Key{e.key("d#05"), e.key("d#05")}))
	for i := range 20 {
		d, ok := e.get(fmt.Sprintf("d#%02d", i))
		if i == 5 && ok || i != 5 && d.N != int64(200+i) {
			e.Errorf("%02d: %+v, there %v", i, d, ok)
		}
	}
}

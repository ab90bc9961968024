package tabletest

import (
	"fmt"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func scanCases() []testCase {
	return []testCase{
		{"ScanGivesEachRowOnce", (*env).scanOnce},
		{"RowsTravelWhole", (*env).rowsTravel},
	}
}

// scanOnce reads pages of several sizes while other cases write beside it, and takes away the very row that a
// page ended with.
func (e *env) scanOnce() {
	if _, ok := e.tbl.Driver().(table.Scanner); !ok {
		e.Log("the driver cannot scan")
		return
	}
	want := map[table.Key]bool{}
	for part := range 4 {
		pk := fmt.Sprintf("%s#%d", e.pk, part)
		var puts []any
		for i := range 12 {
			d := doc{PK: pk, SK: fmt.Sprintf("k%02d", i), N: int64(i)}
			if i == 5 {
				d.TTL = e.clk.Now().Unix() - 1
			} else {
				want[table.Key{PK: pk, SK: d.SK}] = true
			}
			puts = append(puts, &d)
		}
		e.fill(puts)
	}
	for _, limit := range []int{0, 40} {
		seen := map[table.Key]bool{}
		var after table.Key
		for {
			var rows []table.Row
			var next table.Key
			e.try(func() (err error) {
				rows, next, err = e.tbl.Scan(e.ctx, after, limit, table.Consistent())
				return err
			})
			for _, r := range rows {
				if strings.HasPrefix(r.Key.PK, e.pk+"#") {
					if seen[r.Key] || !want[r.Key] {
						e.Fatalf("pages of %d gave %v twice, or though it is not there", limit, r.Key)
					}
					seen[r.Key] = true
				}
			}
			if limit > 0 && len(rows) > limit {
				e.Fatalf("a page of %d has %d rows", limit, len(rows))
			}
			if limit > 0 && strings.HasPrefix(next.PK, e.pk+"#") && want[next] {
				e.try(func() error { return e.tbl.Delete(e.ctx, next) })
			}
			if next == (table.Key{}) {
				break
			}
			after = next
		}
		if len(seen) != len(want) {
			e.Errorf("pages of %d gave %d rows of %d", limit, len(seen), len(want))
		}
	}
	if _, _, err := e.tbl.Scan(e.ctx, table.Key{PK: "x"}, 1); !fault.Is(err, fault.Invalid) {
		e.Errorf("half a key to continue after: %v", err)
	}
}

// rowsTravel: a row read here, written as text, read again and put there is the same row to the byte.
func (e *env) rowsTravel() {
	e.put(&doc{PK: e.pk, SK: "from", S: "日本 <&>", N: -7})
	key := table.Key{PK: e.pk, SK: "from"}
	row := e.packed(key)
	text, err := row.JSON()
	if err != nil {
		e.Fatal(err)
	}
	again, err := table.ParseJSON(text)
	if err != nil {
		e.Fatal(err)
	}
	e.try(func() error { return e.tbl.Delete(e.ctx, key) })
	e.try(func() error { return e.tbl.WriteRows(e.ctx, []table.Row{again}, nil) })
	a, err1 := row.Canonical()
	b, err2 := e.packed(key).Canonical()
	if err1 != nil || err2 != nil || string(a) != string(b) {
		e.Errorf("the row was %x and is %x (%v, %v)", a, b, err1, err2)
	}
}

func (e *env) packed(k table.Key) (row table.Row) {
	e.Helper()
	e.try(func() (err error) {
		row, err = e.tbl.GetRow(e.ctx, k, table.Consistent())
		return err
	})
	return row
}

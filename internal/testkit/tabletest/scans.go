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
			rows, next, err := e.tbl.Scan(e.ctx, after, limit, table.Consistent())
			e.must(err)
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
				e.must(e.tbl.Delete(e.ctx, next))
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
	packed := func() (table.Row, []byte) {
		row, err := e.tbl.GetRow(e.ctx, key, table.Consistent())
		e.must(err)
		canonical, err := row.Canonical()
		e.must(err)
		return row, canonical
	}
	row, before := packed()
	text, err := row.JSON()
	e.must(err)
	again, err := table.ParseJSON(text)
	e.must(err)
	e.must(e.tbl.Delete(e.ctx, key))
	e.must(e.tbl.WriteRows(e.ctx, []table.Row{again}, nil))
	if _, after := packed(); string(before) != string(after) {
		e.Errorf("the row was %x and is %x", before, after)
	}
}

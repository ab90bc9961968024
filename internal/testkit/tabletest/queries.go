package tabletest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func queryCases() []testCase {
	return []testCase{
		{"QueryRangesAndDirections", (*env).queryRanges},
		{"QueryPrefixEdges", (*env).queryPrefix},
		{"QueryOrderIsByBytes", (*env).queryOrder},
		{"QueryLimitEdges", (*env).queryLimits},
		{"QuerySurvivesWrites", (*env).querySurvivesWrites},
		{"QueryStops", (*env).queryStops},
		{"QueryLargePages", (*env).queryLarge},
		{"QueryRefusals", (*env).queryRefusals},
		{"QueryOtherPartitionsUnseen", (*env).queryPartitions},
	}
}

func (e *env) putKeys(keys ...string) {
	e.Helper()
	var puts []any
	for i, sk := range keys {
		puts = append(puts, &doc{PK: e.pk, SK: sk, N: int64(i) + 1})
	}
	e.fill(puts)
}

func (e *env) queryRanges() {
	keys := []string{"a", "b", "c", "d", "e", "f"}
	e.putKeys(keys...)
	for _, c := range []struct {
		q    table.Query
		want string
	}{
		{table.Query{}, "abcdef"}, {table.Query{From: "c"}, "cdef"}, {table.Query{To: "c"}, "ab"},
		{table.Query{From: "b", To: "e"}, "bcd"}, {table.Query{From: "bb", To: "dd"}, "cd"},
		{table.Query{From: "a", To: "z"}, "abcdef"}, {table.Query{From: "c", To: "c"}, ""},
		{table.Query{From: "d", To: "b"}, ""}, {table.Query{From: "x"}, ""}, {table.Query{To: "A"}, ""},
		{table.Query{From: "f"}, "f"}, {table.Query{To: "a"}, ""}, {table.Query{From: "c", To: "ca"}, "c"},
	} {
		for _, limit := range []int{0, 1, 2, 3, 6, 7} {
			for _, desc := range []bool{false, true} {
				c.q.Page, c.q.Desc = limit, desc
				want := strings.Split(c.want, "")
				if c.want == "" {
					want = nil
				}
				if desc {
					slices.Reverse(want)
				}
				if got := e.all(c.q); !slices.Equal(got, want) {
					e.Errorf("%+v: got %v, want %v", c.q, got, want)
				}
			}
		}
	}
}

func (e *env) queryPrefix() {
	keys := []string{"a", "a#", "a#1", "a#10", "a#2", "a$", "aé", "aéb", "aê", "b", "日", "日本", "日本語", "旦", "\U0010ffff",
		"\U0010ffffz", "a\x00"}
	e.putKeys(keys...)
	for _, prefix := range []string{"a", "a#", "a#1", "a$", "aé", "日", "日本", "b", "c", "\U0010ffff", "\U0010ffffz",
		"a\x00", "a#10x"} {
		var want []string
		for _, k := range keys {
			if strings.HasPrefix(k, prefix) {
				want = append(want, k)
			}
		}
		slices.Sort(want)
		for _, limit := range []int{0, 1, 2, len(want)} {
			if got := e.all(table.Query{Prefix: prefix, Page: limit}); !slices.Equal(got, want) {
				e.Errorf("prefix %q limit %d: got %q, want %q", prefix, limit, got, want)
			}
		}
		slices.Reverse(want)
		if got := e.all(table.Query{Prefix: prefix, Desc: true, Page: 2}); !slices.Equal(got, want) {
			e.Errorf("prefix %q downwards: got %q, want %q", prefix, got, want)
		}
	}
}

func (e *env) queryOrder() {
	keys := []string{"\x00", "\x01", " ", "!", "0", "10", "2", "A", "Z", "_", "a", "aa", "b", "z", "~", "\u0080", "é",
		"ÿ", "Ā", "あ", "日",
		// Above U+FFFF, UTF-16 sorts before U+E000 and UTF-8 after it.
		"\ue000", "\uffee", "\U0001d518", "\U0010ffff"}
	shuffled := slices.Clone(keys)
	slices.Reverse(shuffled)
	e.putKeys(shuffled...)
	if got := e.all(table.Query{}); !slices.Equal(got, keys) {
		e.Errorf("got %q, want %q", got, keys)
	}
	if got := e.all(table.Query{From: "a", To: "あ"}); !slices.Equal(got, keys[10:19]) {
		e.Errorf("range: got %q, want %q", got, keys[10:19])
	}
}

// queryLimits walks pages whose ends fall on, before and after the last row.
func (e *env) queryLimits() {
	var keys []string
	for i := range 12 {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	e.putKeys(keys...)
	for _, limit := range []int{1, 3, 4, 5, 11, 12, 13} {
		if got := e.all(table.Query{Page: limit}); !slices.Equal(got, keys) {
			e.Errorf("limit %d: %v", limit, got)
		}
	}
	if e.h.Stale || e.allows(NoKeyAtLimit) { // short pages make the ends fall elsewhere
		return
	}
	d := e.tbl.Driver()
	page, _, err := d.Query(e.ctx, table.Range{PK: e.pk, Limit: 12, Consistent: true})
	e.must(err)
	if len(page.Rows) != 12 || page.After == "" {
		e.Fatalf("a full page has a key to continue after even at the end, as DynamoDB's: %d rows, after %q",
			len(page.Rows), page.After)
	}
	last, _, err := d.Query(e.ctx, table.Range{PK: e.pk, Limit: 12, Consistent: true, After: page.After})
	e.must(err)
	if len(last.Rows) != 0 || last.After != "" {
		e.Errorf("the page after the end: %d rows, after %q", len(last.Rows), last.After)
	}
}

// querySurvivesWrites: rows that are deleted or put before the end of a page change nothing after it.
func (e *env) querySurvivesWrites() {
	e.putKeys("b", "d", "f", "h")
	var got []string
	for row, err := range e.tbl.Query(e.ctx, table.Query{PK: e.pk, Page: 2, Consistent: true}) {
		e.must(err)
		if got = append(got, row.Key.SK); len(got) == 2 {
			e.must(e.tbl.Delete(e.ctx, e.key(row.Key.SK)))
			e.putKeys("a", "e", "z")
		}
	}
	want := []string{"b", "d", "e", "f", "h", "z"}
	if !e.h.Stale && !e.allows(NoKeyAtLimit) && !slices.Equal(got, want) {
		e.Errorf("got %v, want %v", got, want)
	}
	if slices.Contains(got, "a") || !slices.Contains(got, "f") || !slices.Contains(got, "h") {
		e.Errorf("got %v", got)
	}
}

func (e *env) queryStops() {
	e.putKeys("a", "b", "c", "d", "e")
	calls := 0
	for range e.tbl.Query(e.ctx, table.Query{PK: e.pk, Page: 1}) {
		calls++
		break
	}
	if calls != 1 {
		e.Errorf("%d calls", calls)
	}
}

// queryLarge needs several of the engine's pages of 1 MB.
func (e *env) queryLarge() {
	body := make([]byte, 100<<10)
	want := 25
	for i := range want {
		e.put(&doc{PK: e.pk, SK: fmt.Sprintf("%03d", i), Body: body})
	}
	for _, desc := range []bool{false, true} {
		n := 0
		for r, err := range e.tbl.Query(e.ctx, table.Query{PK: e.pk, Desc: desc, Consistent: true}) {
			e.must(err)
			var d doc
			n++
			if err := r.Decode(&d); err != nil || len(d.Body) != len(body) {
				e.Fatalf("row %d: %d bytes, %v", n, len(d.Body), err)
			}
		}
		if n != want {
			e.Errorf("%d rows, want %d", n, want)
		}
	}
}

func (e *env) queryRefusals() {
	for _, c := range []struct {
		q    table.Query
		code string
	}{
		{table.Query{PK: e.pk, Prefix: "a", From: "b"}, "bad_query"},
		{table.Query{PK: e.pk, Prefix: "a", To: "b"}, "bad_query"},
		{table.Query{PK: e.pk, Page: -1}, "bad_query"}, {table.Query{}, "bad_key"},
		{table.Query{PK: e.pk, Prefix: "\xff"}, "bad_key"},
		{table.Query{PK: e.pk, From: strings.Repeat("x", table.MaxSK+1)}, "bad_key"},
		{table.Query{PK: strings.Repeat("x", table.MaxPK+1)}, "bad_key"},
	} {
		e.want(e.firstPage(e.ctx, c.q), fault.Invalid, c.code)
	}
}

func (e *env) queryPartitions() {
	e.putKeys("a", "b")
	for _, other := range []string{e.pk + "0", e.pk + "\x00", e.pk[:len(e.pk)-1], strings.ToUpper(e.pk)} {
		e.put(&doc{PK: other, SK: "c"})
	}
	if got := e.all(table.Query{}); !slices.Equal(got, []string{"a", "b"}) {
		e.Errorf("got %v", got)
	}
}

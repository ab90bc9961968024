package tabletest

import (
	"errors"
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
		{"QueryCursorSurvivesWrites", (*env).cursorSurvives},
		{"QueryCursorIsOneQuerys", (*env).cursorForeign},
		{"QueryAllHonoursLimit", (*env).queryAll},
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
				c.q.Limit, c.q.Desc = limit, desc
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
	keys := []string{"a", "a#", "a#1", "a#10", "a#2", "a$", "aé", "aéb", "aê", "b", "日", "日本", "日本語", "旦", "\U0010ffff", "\U0010ffffz", "a\x00"}
	e.putKeys(keys...)
	for _, prefix := range []string{"a", "a#", "a#1", "a$", "aé", "日", "日本", "b", "c", "\U0010ffff", "\U0010ffffz", "a\x00", "a#10x"} {
		var want []string
		for _, k := range keys {
			if strings.HasPrefix(k, prefix) {
				want = append(want, k)
			}
		}
		slices.Sort(want)
		for _, limit := range []int{0, 1, 2, len(want)} {
			if got := e.all(table.Query{Prefix: prefix, Limit: limit}); !slices.Equal(got, want) {
				e.Errorf("prefix %q limit %d: got %q, want %q", prefix, limit, got, want)
			}
		}
		slices.Reverse(want)
		if got := e.all(table.Query{Prefix: prefix, Desc: true, Limit: 2}); !slices.Equal(got, want) {
			e.Errorf("prefix %q downwards: got %q, want %q", prefix, got, want)
		}
	}
}

func (e *env) queryOrder() {
	keys := []string{"\x00", "\x01", " ", "!", "0", "10", "2", "A", "Z", "_", "a", "aa", "b", "z", "~", "\u0080", "é", "ÿ", "Ā", "あ", "日",
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
		if got := e.all(table.Query{Limit: limit}); !slices.Equal(got, keys) {
			e.Errorf("limit %d: %v", limit, got)
		}
	}
	if e.h.Stale || e.allows(NoKeyAtLimit) { // short pages make the ends fall elsewhere
		return
	}
	page, err := e.tbl.Query(e.ctx, table.Query{PK: e.pk, Limit: 12, Consistent: true})
	e.must(err)
	if len(page.Items) != 12 || page.Next == "" {
		e.Fatalf("a full page has a cursor even at the end, as DynamoDB's: %d rows, next %q", len(page.Items), page.Next)
	}
	last, err := e.tbl.Query(e.ctx, table.Query{PK: e.pk, Limit: 12, Consistent: true, Cursor: page.Next})
	e.must(err)
	if len(last.Items) != 0 || last.Next != "" {
		e.Errorf("the page after the end: %d rows, next %q", len(last.Items), last.Next)
	}
}

// cursorSurvives: a cursor is a position, so rows that go or come before it change nothing after it.
func (e *env) cursorSurvives() {
	e.putKeys("b", "d", "f", "h")
	q := table.Query{PK: e.pk, Limit: 2, Consistent: true}
	var page table.Page
	e.try(func() (err error) {
		page, err = e.tbl.Query(e.ctx, q)
		return err
	})
	if len(page.Items) == 0 || page.Next == "" {
		e.Fatalf("first page: %+v", page)
	}
	last := table.ItemRow(page.Items[len(page.Items)-1]).Key.SK
	e.try(func() error { return e.tbl.Delete(e.ctx, e.key(last)) })
	e.putKeys("a", "e", "z")
	q.Cursor = page.Next
	var want []string
	for _, sk := range []string{"a", "b", "d", "e", "f", "h", "z"} {
		if sk > last {
			want = append(want, sk)
		}
	}
	if got := e.all(q); !slices.Equal(got, want) {
		e.Errorf("after %q: got %v, want %v", last, got, want)
	}
}

func (e *env) cursorForeign() {
	e.putKeys("a#1", "a#2", "a#3", "b#1")
	var page table.Page
	q := table.Query{PK: e.pk, Prefix: "a#", Limit: 1, Consistent: true}
	e.try(func() (err error) {
		page, err = e.tbl.Query(e.ctx, q)
		return err
	})
	if page.Next == "" {
		e.Fatal("no cursor")
	}
	for _, q := range []table.Query{
		{PK: e.pk + "x", Prefix: "a#"}, {PK: e.pk, Prefix: "a"}, {PK: e.pk, Prefix: "a#", Desc: true},
		{PK: e.pk, From: "a#"}, {PK: e.pk, To: "a#"}, {PK: e.pk},
	} {
		q.Cursor = page.Next
		_, err := e.tbl.Query(e.ctx, q)
		e.want(err, fault.Invalid, "bad_cursor")
	}
	for _, c := range []string{"x", "!!!", page.Next + "A", page.Next[1:], strings.Repeat("A", 5000), page.Next[:len(page.Next)-1]} {
		q.Cursor = c
		_, err := e.tbl.Query(e.ctx, q)
		if err == nil { // cutting the last letter may leave a shorter key of the same query
			continue
		}
		e.want(err, fault.Invalid, "bad_cursor")
	}
}

func (e *env) queryAll() {
	e.putKeys("a", "b", "c", "d", "e")
	for limit, want := range map[int]string{0: "abcde", 1: "a", 3: "abc", 5: "abcde", 9: "abcde"} {
		got := ""
		e.try(func() error {
			got = ""
			return e.tbl.QueryAll(e.ctx, table.Query{PK: e.pk, Limit: limit, Consistent: true}, func(item table.Item) error {
				got += table.ItemRow(item).Key.SK
				return nil
			})
		})
		if got != want {
			e.Errorf("limit %d: got %s, want %s", limit, got, want)
		}
	}
	calls := 0
	err := e.tbl.QueryAll(e.ctx, table.Query{PK: e.pk}, func(table.Item) error { calls++; return errStop })
	if calls > 0 && !errors.Is(err, errStop) || calls > 1 {
		e.Errorf("an error of the receiver: %d calls, %v", calls, err)
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
		e.try(func() error {
			n = 0
			return e.tbl.Each(e.ctx, table.Query{PK: e.pk, Desc: desc, Consistent: true}, func(r table.Row) error {
				var d doc
				n++
				if err := r.Decode(&d); err != nil || len(d.Body) != len(body) {
					e.Fatalf("row %d: %d bytes, %v", n, len(d.Body), err)
				}
				return nil
			})
		})
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
		{table.Query{PK: e.pk, Prefix: "a", From: "b"}, "bad_query"}, {table.Query{PK: e.pk, Prefix: "a", To: "b"}, "bad_query"},
		{table.Query{PK: e.pk, Limit: -1}, "bad_query"}, {table.Query{}, "bad_key"}, {table.Query{PK: e.pk, Prefix: "\xff"}, "bad_key"},
		{table.Query{PK: e.pk, From: strings.Repeat("x", table.MaxSK+1)}, "bad_key"}, {table.Query{PK: strings.Repeat("x", table.MaxPK+1)}, "bad_key"},
	} {
		_, err := e.tbl.Query(e.ctx, c.q)
		e.want(err, fault.Invalid, c.code)
		e.want(e.tbl.QueryAll(e.ctx, c.q, func(table.Item) error { return nil }), fault.Invalid, c.code)
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

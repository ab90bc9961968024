package tabletest

import (
	"bytes"
	"maps"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func limitCases() []testCase {
	return []testCase{
		{"KeyLimits", (*env).keyLimits},
		{"RowLimitOfPut", (*env).rowLimitPut},
		{"RowLimitOfUpdate", (*env).rowLimitUpdate},
		{"RowLimitOfBatch", (*env).rowLimitBatch},
		{"UnitsOfReads", (*env).unitsOfReads},
		{"UnitsOfQueries", (*env).unitsOfQueries},
		{"UnitsOfWrites", (*env).unitsOfWrites},
		{"UnitsOfFailedConditions", (*env).unitsOfFailures},
		{"UnitsByRunAndKind", (*env).unitsByRun},
		{"BytesOfCalls", (*env).bytesOfCalls},
	}
}

func (e *env) keyLimits() {
	long := e.pk + strings.Repeat("p", table.MaxPK-len(e.pk))
	ok := &doc{PK: long, SK: strings.Repeat("s", table.MaxSK), N: 1}
	e.put(ok)
	var d doc
	e.must(e.tbl.Get(e.ctx, table.Key{PK: ok.PK, SK: ok.SK}, &d, table.Consistent()))
	for _, k := range []table.Key{
		{}, {PK: "p"}, {SK: "s"}, {PK: long + "x", SK: "s"}, {PK: "p", SK: ok.SK + "x"}, {PK: "p", SK: "\xff\xfe"},
		{PK: "a\x80", SK: "s"},
		{PK: "p", SK: strings.Repeat("é", table.MaxSK/2+1)},
	} {
		bad := func(err error) {
			e.Helper()
			e.want(err, fault.Invalid, "bad_key")
		}
		bad(e.tbl.Get(e.ctx, k, &d))
		bad(e.tbl.BatchGet(e.ctx, []table.Key{k}, func(table.Row) error { return nil }))
		bad(e.tbl.Put(e.ctx, &doc{PK: k.PK, SK: k.SK}))
		bad(e.tbl.Delete(e.ctx, k))
		bad(e.tbl.Update(e.ctx, k, table.Update{Add: map[string]int64{"n": 1}}))
		bad(e.tbl.BatchWrite(e.ctx, []any{&doc{PK: k.PK, SK: k.SK}}, nil))
		bad(e.tbl.BatchWrite(e.ctx, nil, []table.Key{k}))
	}
}

// fitting gives a row of exactly size bytes by DynamoDB's formula.
func (e *env) fitting(sk string, size int) *doc {
	d := &doc{PK: e.pk, SK: sk}
	empty := len("pk") + len(d.PK) + len("sk") + len(sk) + len("body")
	d.Body = bytes.Repeat([]byte("b"), size-empty)
	return d
}

func (e *env) rowLimitPut() {
	e.want(e.tbl.Put(e.ctx, e.fitting("big", table.MaxRow+1)), fault.TooLarge, "row_too_large")
	if _, ok := e.get("big"); ok {
		e.Error("a row that is too large was stored")
	}
	size := table.MaxRow
	if e.allows(EarlyTooLarge) {
		size = 390 << 10
	}
	e.must(e.tbl.Put(e.ctx, e.fitting("big", size)))
	row, err := e.tbl.GetRow(e.ctx, e.key("big"), table.Consistent())
	e.must(err)
	if row.Size() != size {
		e.Errorf("size %d, want %d", row.Size(), size)
	}
}

func (e *env) rowLimitUpdate() {
	e.want(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"body": make([]byte, table.MaxRow)}}),
		fault.TooLarge, "row_too_large")
	e.must(e.tbl.Put(e.ctx, e.fitting("a", 300<<10)))
	e.want(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"more": make([]byte, 101<<10)}}),
		fault.TooLarge, "row_too_large")
	row, err := e.tbl.GetRow(e.ctx, e.key("a"), table.Consistent())
	e.must(err)
	if row.Size() != 300<<10 {
		e.Errorf("a refused update left %d bytes", row.Size())
	}
	more := 99 << 10
	if e.allows(EarlyTooLarge) {
		more = 90 << 10
	}
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"more": make([]byte, more)}}))
}

func (e *env) rowLimitBatch() {
	e.want(e.tbl.BatchWrite(e.ctx, []any{e.doc("ok", 1), e.fitting("big", table.MaxRow+1)}, nil), fault.TooLarge,
		"row_too_large")
	if got := e.all(table.Query{}); len(got) != 0 {
		e.Errorf("a batch with a row that is too large wrote %v", got)
	}
}

// used gives the units that f consumes, by kind.
func (e *env) used(f func() error) table.Units {
	e.Helper()
	m := table.NewMeter()
	ctx := e.ctx
	e.ctx = table.WithMeter(ctx, m)
	err := f()
	e.ctx = ctx
	if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
		e.Fatal(err)
	}
	return m.Snapshot()
}

func (e *env) wantUnits(what string, got table.Units, reads, writes map[string]float64) {
	e.Helper()
	if !maps.Equal(got.Reads, reads) && len(got.Reads)+len(reads) > 0 || !maps.Equal(got.Writes, writes) &&
		len(got.Writes)+len(writes) > 0 {
		e.Errorf("%s: reads %v writes %v, want %v and %v", what, got.Reads, got.Writes, reads, writes)
	}
}

func (e *env) unitsOfReads() {
	if e.allows(UnitsWrong) {
		return
	}
	for sk, size := range map[string]int{"s#1": 100, "s#2": 4096, "s#3": 4097, "s#4": 10 << 10} {
		e.put(e.fitting(sk, size))
	}
	for sk, units := range map[string]float64{"s#1": 1, "s#2": 1, "s#3": 2, "s#4": 3, "s#none": 1} {
		get := func(opts ...table.ReadOption) func() error {
			return func() error { return e.tbl.Get(e.ctx, e.key(sk), &doc{}, opts...) }
		}
		e.wantUnits("consistent get of "+sk, e.used(get(table.Consistent())), map[string]float64{"s": units}, nil)
		e.wantUnits("get of "+sk, e.used(get()), map[string]float64{"s": units / 2}, nil)
	}
	batch := func(opts ...table.ReadOption) func() error {
		return func() error {
			keys := []table.Key{e.key("s#1"), e.key("s#2"), e.key("s#3"), e.key("s#4"), e.key("s#none"), e.key("s#4")}
			return e.tbl.BatchGet(e.ctx, keys, func(table.Row) error { return nil }, opts...)
		}
	}
	e.wantUnits("consistent batch", e.used(batch(table.Consistent())), map[string]float64{"s": 1 + 1 + 2 + 3 + 1}, nil)
	e.wantUnits("batch", e.used(batch()), map[string]float64{"s": (1 + 1 + 2 + 3 + 1) / 2.0}, nil)
}

func (e *env) unitsOfQueries() {
	if e.allows(UnitsWrong) {
		return
	}
	for i := range 10 {
		e.put(e.fitting("q#"+string(rune('0'+i)), 1000))
	}
	for _, c := range []struct {
		q     table.Query
		units float64
	}{
		{table.Query{Prefix: "q#"}, 1.5}, {table.Query{Prefix: "q#", Consistent: true}, 3},
		{table.Query{Prefix: "q#", Page: 4}, 0.5},
		{table.Query{Prefix: "q#", Page: 5}, 1}, {table.Query{Prefix: "q#none"}, 0.5},
		{table.Query{From: "q#2", To: "q#4", Consistent: true}, 1},
		{table.Query{Prefix: "q#", Desc: true, Page: 1, Consistent: true}, 1},
	} {
		c.q.PK = e.pk
		got := e.used(func() error { return e.firstPage(e.ctx, c.q) })
		e.wantUnits("query", got, map[string]float64{"q": c.units}, nil)
	}
}

func (e *env) unitsOfWrites() {
	if e.allows(UnitsWrong) {
		return
	}
	w := func(n float64) map[string]float64 { return map[string]float64{"w": n} }
	put := func(sk string, size int) table.Units {
		return e.used(func() error { return e.tbl.Put(e.ctx, e.fitting(sk, size)) })
	}
	del := func(sk string) table.Units { return e.used(func() error { return e.tbl.Delete(e.ctx, e.key(sk)) }) }
	update := func(sk string, u table.Update) table.Units {
		return e.used(func() error { return e.tbl.Update(e.ctx, e.key(sk), u) })
	}
	e.wantUnits("put 1 KB", put("w#a", 1024), nil, w(1))
	e.wantUnits("put over 1 KB", put("w#b", 1025), nil, w(2))
	e.wantUnits("put larger", put("w#a", 3000), nil, w(3))
	e.wantUnits("put smaller: the larger counts", put("w#a", 100), nil, w(3))
	e.wantUnits("delete small", del("w#a"), nil, w(1))
	e.wantUnits("delete absent", del("w#a"), nil, w(1))
	e.wantUnits("delete 2 KB", del("w#b"), nil, w(2))
	put("w#c", 2500)
	e.wantUnits("update counts the whole row", update("w#c", table.Update{Add: map[string]int64{"n": 1}}), nil, w(3))
	e.wantUnits("update that shrinks", update("w#c", table.Update{Remove: []string{"body"}}), nil, w(3))
	e.wantUnits("update that creates", update("w#d", table.Update{Add: map[string]int64{"n": 1}}), nil, w(1))
	e.wantUnits("batch", e.used(func() error {
		return e.tbl.BatchWrite(e.ctx, []any{e.fitting("w#e", 1500), e.fitting("w#f", 200)},
			[]table.Key{e.key("w#none")})
	}), nil, w(4))
}

func (e *env) unitsOfFailures() {
	if e.allows(UnitsWrong) || e.allows(ConditionUnits) {
		return
	}
	e.put(e.fitting("c#a", 2500))
	for what, f := range map[string]func() error{
		"put":    func() error { return e.tbl.Put(e.ctx, e.doc("c#a", 1), table.IfAbsent()) },
		"delete": func() error { return e.tbl.Delete(e.ctx, e.key("c#a"), table.IfEqual("n", 5)) },
		"update": func() error {
			return e.tbl.Update(e.ctx, e.key("c#a"),
				table.Update{Set: map[string]any{"n": 1}, If: []table.Cond{table.IfEqual("n", 5)}})
		},
	} {
		e.wantUnits("failed "+what, e.used(f), nil, map[string]float64{"c": 3})
	}
	e.wantUnits("failed on nothing", e.used(func() error {
		return e.tbl.Delete(e.ctx, e.key("c#none"), table.IfPresent())
	}), nil, map[string]float64{"c": 1})
}

// unitsByRun: one run's meter counts its own calls only, by kind, beside the table's.
func (e *env) unitsByRun() {
	if e.allows(UnitsWrong) {
		return
	}
	before := e.tbl.Meter().Snapshot()
	a := e.used(func() error { return e.tbl.Put(e.ctx, e.doc("a#1", 1)) })
	b := e.used(func() error { return e.tbl.Put(e.ctx, e.doc("b#1", 1)) })
	c := e.used(func() error {
		return e.tbl.BatchGet(e.ctx, []table.Key{e.key("a#1"), e.key("b#1"), e.key("b#2")}, func(table.Row) error {
			return nil
		}, table.Consistent())
	})
	e.wantUnits("a", a, nil, map[string]float64{"a": 1})
	e.wantUnits("b", b, nil, map[string]float64{"b": 1})
	e.wantUnits("both", c, map[string]float64{"a": 1, "b": 2}, nil)
	if c.RowsRead != 2 || c.ReadOps != 1 || a.WriteOps != 1 || a.RowsWritten != 1 {
		e.Errorf("counts: %+v, %+v", c, a)
	}
	after := e.tbl.Meter().Snapshot()
	if d := after.TotalWrites() - before.TotalWrites(); d != 2 {
		e.Errorf("the table's meter counted %v writes, want 2", d)
	}
}

// bytesOfCalls counts what goes over the wire, by DynamoDB's formula of a row's size.
func (e *env) bytesOfCalls() {
	d := e.doc("y#a", 7)
	d.Body = make([]byte, 5000)
	row, err := table.NewRow(d)
	e.must(err)
	size := int64(row.Size())
	check := func(what string, sent, read int64, requests int64, f func() error) {
		e.Helper()
		u := e.used(f)
		n := u.ReadOps + u.WriteOps
		if n > requests && u.BytesSent >= sent && u.BytesRead >= read {
			return // a driver that fails at times was asked again, and what was sent again counts again
		}
		if u.BytesSent != sent || u.BytesRead != read || n != requests {
			e.Errorf("%s: %d bytes sent, %d read in %d requests, want %d, %d, %d", what, u.BytesSent, u.BytesRead, n,
				sent, read, requests)
		}
	}
	check("put", size, 0, 1, func() error { return e.tbl.Put(e.ctx, d) })
	check("batch write", size, 0, 1, func() error { return e.tbl.BatchWrite(e.ctx, []any{d}, nil) })
	check("get", 0, size, 1, func() error {
		return e.tbl.Get(e.ctx, e.key("y#a"), new(table.Item), table.Consistent())
	})
	check("batch get", 0, size, 1, func() error {
		return e.tbl.BatchGet(e.ctx, []table.Key{e.key("y#a"), e.key("y#none")}, func(table.Row) error {
			return nil
		}, table.Consistent())
	})
	check("query", 0, size, 1, func() error {
		return e.firstPage(e.ctx, table.Query{PK: e.pk, Prefix: "y#", Consistent: true})
	})
}

package tabletest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/table"
)

func writeCases() []testCase {
	return []testCase{
		{"Conditions", (*env).conditions},
		{"ConditionsOnEveryWrite", (*env).conditionsOnEveryWrite},
		{"ConditionsSeeExpiredAsAbsent", (*env).conditionsExpired},
		{"DeleteAbsent", (*env).deleteAbsent},
		{"UpdateCreates", (*env).updateCreates},
		{"UpdateClauses", (*env).updateClauses},
		{"UpdateReturns", (*env).updateReturns},
		{"UpdateNumbers", (*env).updateNumbers},
		{"UpdateValues", (*env).updateValues},
		{"UpdateRefusals", (*env).updateRefusals},
		{"UpdateOfExpiredStartsAnew", (*env).updateExpired},
		{"UpdateRenewsExpiry", (*env).updateRenews},
		{"TwentyConcurrentAdds", (*env).concurrentAdds},
		{"OneWinnerOfARace", (*env).race},
		{"OneWinnerOfAnExpiredRow", (*env).raceExpired},
		{"CompareAndSwapCounter", (*env).casCounter},
		{"BatchWriteMany", (*env).batchWriteMany},
		{"BatchWriteLaterEntryWins", (*env).batchWriteDuplicates},
	}
}

// conditions tries each condition against a row and against none.
func (e *env) conditions() {
	e.put(e.row("x", table.Item{"n": num("5"), "s": str("m"), "b": &types.AttributeValueMemberB{Value: []byte{5}},
		"flag": &types.AttributeValueMemberBOOL{Value: true}, "zero": num("0"), "empty": str(""), "neg": num("-3"), "dec": num("0.25"),
		"set": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}}))
	type named string
	const typesClash = 41 // the last: a number against a text
	for i, c := range []struct {
		cond          table.Cond
		there, absent bool
	}{
		{table.IfAbsent(), false, true},
		{table.IfPresent(), true, false},
		{table.IfEqual("n", 5), true, false},
		{table.IfEqual("n", uint8(5)), true, false},
		{table.IfEqual("n", 5.0), true, false},
		{table.IfEqual("n", 6), false, false},
		{table.IfEqual("n", 0), false, true},
		{table.IfEqual("n", "5"), false, false},
		{table.IfEqual("dec", 0.25), true, false},
		{table.IfEqual("s", "m"), true, false},
		{table.IfEqual("s", named("m")), true, false},
		{table.IfEqual("s", ""), false, true},
		{table.IfEqual("s", named("")), false, true},
		{table.IfEqual("flag", true), true, false},
		{table.IfEqual("flag", false), false, true},
		{table.IfEqual("b", []byte{5}), true, false},
		{table.IfEqual("set", &types.AttributeValueMemberSS{Value: []string{"b", "a"}}), true, false},
		{table.IfEqual("zero", 0), true, true},
		{table.IfEqual("empty", ""), true, true},
		{table.IfEqual("gone", 0), true, true},
		{table.IfEqual("gone", ""), true, true},
		{table.IfEqual("gone", false), true, true},
		{table.IfEqual("gone", nil), true, true},
		{table.IfEqual("n", nil), false, true},
		{table.IfEqual("gone", 1), false, false},
		{table.IfLess("n", 6), true, true},
		{table.IfLess("n", 5), false, true},
		{table.IfLess("n", 5.5), true, true},
		{table.IfLess("n", 10), true, true},
		{table.IfLess("n", 0), false, false},
		{table.IfLess("n", -1), false, false},
		{table.IfLess("neg", 0), true, false},
		{table.IfLess("neg", -3), false, false},
		{table.IfLess("neg", -2), true, false},
		{table.IfLess("gone", 1), true, true},
		{table.IfLess("gone", 0), false, false},
		{table.IfLess("s", "n"), true, true},
		{table.IfLess("s", "ma"), true, true},
		{table.IfLess("s", "m"), false, true},
		{table.IfLess("s", ""), false, false},
		{table.IfLess("b", []byte{5, 0}), true, true},
		{table.IfLess("n", "z"), false, true},
	} {
		if i == typesClash && e.allows(TypesClash) {
			continue
		}
		check := func(sk string, want bool) {
			e.Helper()
			err := e.tbl.Delete(e.ctx, e.key(sk), c.cond, table.IfEqual("gone", 0), table.IfEqual("never", ""))
			if sk == "x" && err == nil { // put it back
				e.put(e.row("x", table.Item{"n": num("5"), "s": str("m"), "b": &types.AttributeValueMemberB{Value: []byte{5}},
					"flag": &types.AttributeValueMemberBOOL{Value: true}, "zero": num("0"), "empty": str(""), "neg": num("-3"), "dec": num("0.25"),
					"set": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}}))
			}
			if (err == nil) != want || err != nil && fault.CodeOf(err) != "condition_failed" {
				e.Errorf("condition %d (kind %d, %s %v) on %q: %v, want it to hold: %v", i, c.cond.Kind, c.cond.Field, c.cond.Value, sk, err, want)
			}
		}
		check("x", c.there)
		check("none", c.absent)
	}
}

func (e *env) conditionsOnEveryWrite() {
	failed := func(err error) {
		e.Helper()
		e.want(err, fault.Conflict, "condition_failed")
	}
	e.must(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfAbsent()))
	failed(e.tbl.Put(e.ctx, e.doc("a", 2), table.IfAbsent()))
	failed(e.tbl.Put(e.ctx, e.doc("a", 2), table.IfPresent(), table.IfEqual("n", 9)))
	e.must(e.tbl.Put(e.ctx, e.doc("a", 2), table.IfPresent(), table.IfEqual("n", 1), table.IfLess("n", 2)))
	failed(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"n": 3}, If: []table.Cond{table.IfEqual("n", 1)}}))
	failed(e.tbl.Update(e.ctx, e.key("b"), table.Update{Set: map[string]any{"n": 3}, If: []table.Cond{table.IfPresent()}}))
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"n": 3}, If: []table.Cond{table.IfEqual("n", 2), table.IfPresent()}}))
	failed(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"n": 4}, If: []table.Cond{table.IfLess("n", 3)}}))
	if d, _ := e.get("a"); d.N != 3 {
		e.Errorf("n is %d after refused writes, want 3", d.N)
	}
	failed(e.tbl.Delete(e.ctx, e.key("a"), table.IfEqual("n", 1)))
	failed(e.tbl.Delete(e.ctx, e.key("b"), table.IfPresent()))
	e.must(e.tbl.Delete(e.ctx, e.key("a"), table.IfEqual("n", 3)))
	if _, ok := e.get("a"); ok {
		e.Error("still there after a delete")
	}
	e.want(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfLess("flag", true)), fault.Invalid, "bad_condition")
	e.want(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfEqual("a b", 1)), fault.Invalid, "bad_field")
}

func (e *env) expired(sk string) {
	e.Helper()
	e.put(&doc{PK: e.pk, SK: sk, N: 5, S: "old", TTL: start.Unix() - 10})
}

func (e *env) conditionsExpired() {
	for i, c := range []struct {
		conds []table.Cond
		want  bool
	}{
		{[]table.Cond{table.IfAbsent()}, true},
		{[]table.Cond{table.IfPresent()}, false},
		{[]table.Cond{table.IfEqual("n", 5)}, false},
		{[]table.Cond{table.IfEqual("n", 0)}, true},
		{[]table.Cond{table.IfEqual("s", ""), table.IfLess("n", 1)}, true},
		{[]table.Cond{table.IfEqual("s", ""), table.IfLess("n", 0)}, false},
	} {
		sk := fmt.Sprintf("put#%d", i)
		e.expired(sk)
		check := func(what string, err error) {
			e.Helper()
			if (err == nil) != c.want || err != nil && !fault.Is(err, fault.Conflict) {
				e.Errorf("conditions %d on an expired row, %s: %v, want success: %v", i, what, err, c.want)
			}
		}
		check("put", e.tbl.Put(e.ctx, e.doc(sk, 1), c.conds...))
		if _, ok := e.get(sk); ok != c.want {
			e.Errorf("conditions %d: the row is there %v, want %v", i, ok, c.want)
		}
		e.expired(sk)
		check("delete", e.tbl.Delete(e.ctx, e.key(sk), c.conds...))
		e.expired(sk)
		check("update", e.tbl.Update(e.ctx, e.key(sk), table.Update{Set: map[string]any{"flag": true}, If: c.conds}))
		if d, ok := e.get(sk); ok != c.want || d.N != 0 || d.S != "" {
			e.Errorf("conditions %d: after the update there %v: %+v", i, ok, d)
		}
	}
}

func (e *env) deleteAbsent() {
	e.must(e.tbl.Delete(e.ctx, e.key("none")))
	e.must(e.tbl.Delete(e.ctx, e.key("none"), table.IfAbsent()))
	e.put(e.doc("a", 1))
	e.must(e.tbl.Delete(e.ctx, e.key("a")))
	e.must(e.tbl.Delete(e.ctx, e.key("a")))
	if _, ok := e.get("a"); ok {
		e.Error("there after a delete")
	}
}

func (e *env) updateCreates() {
	for sk, u := range map[string]table.Update{
		"set":     {Set: map[string]any{"n": 3}},
		"missing": {SetIfMissing: map[string]any{"n": 3}},
		"add":     {Add: map[string]int64{"n": 3}},
		"if":      {Set: map[string]any{"n": 3}, If: []table.Cond{table.IfAbsent()}},
	} {
		e.must(e.tbl.Update(e.ctx, e.key(sk), u))
		if d, ok := e.get(sk); !ok || d.N != 3 || d.PK != e.pk || d.SK != sk {
			e.Errorf("%s: %+v, there %v", sk, d, ok)
		}
	}
}

func (e *env) updateClauses() {
	e.put(e.row("a", table.Item{"keep": str("k"), "change": str("old"), "drop": str("x"), "count": num("40"), "there": num("1")}))
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{
		Set:          map[string]any{"change": "new", "select": "reserved", "emptied": ""},
		SetIfMissing: map[string]any{"there": 9, "fresh": 9},
		Add:          map[string]int64{"count": 2, "other": -1},
		Remove:       []string{"drop", "never"},
		If:           []table.Cond{table.IfEqual("select", ""), table.IfEqual("count", 40)},
	}))
	want := e.row("a", table.Item{"keep": str("k"), "change": str("new"), "select": str("reserved"), "count": num("42"), "there": num("1"), "fresh": num("9"), "other": num("-1")})
	if got := e.item("a"); !table.EqualItems(got, want) {
		e.Errorf("got %v, want %v", show(got), show(want))
	}
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"keep": ""}}))
	if _, ok := e.item("a")["keep"]; ok {
		e.Error("set to an empty text must remove")
	}
}

func show(item table.Item) map[string]string {
	out := map[string]string{}
	for name, av := range item {
		out[name] = fmt.Sprintf("%T %+v", av, av)
	}
	return out
}

func (e *env) updateReturns() {
	var old, changed doc
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"n": 2}, Return: table.ReturnOld, Into: &old}))
	if old.PK != "" || old.N != 0 {
		e.Errorf("the old row of a new one: %+v", old)
	}
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"n": 2}, Set: map[string]any{"s": "x"}, Return: table.ReturnOld, Into: &old}))
	if old.N != 2 || old.S != "" || old.SK != "a" {
		e.Errorf("old: %+v", old)
	}
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"n": 3}, Return: table.ReturnNew, Into: &changed}))
	if changed.N != 7 || changed.S != "x" || changed.PK != e.pk || changed.SK != "a" {
		e.Errorf("new: %+v", changed)
	}
	var item table.Item
	e.must(e.tbl.Update(e.ctx, e.key("b"), table.Update{Set: map[string]any{"n": 1}, Return: table.ReturnNew, Into: &item}))
	if len(item) != 3 {
		e.Errorf("new item: %v", show(item))
	}
	before := changed
	e.want(e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"n": 1}, Return: table.ReturnNew, Into: &changed, If: []table.Cond{table.IfEqual("n", 1)}}), fault.Conflict, "condition_failed")
	if changed.N != before.N {
		e.Error("a failed update filled Into")
	}
}

func (e *env) updateNumbers() {
	for i, c := range []struct {
		have string
		add  int64
		want string
	}{
		{"", 5, "5"}, {"0", 0, "0"}, {"-5", 5, "0"}, {"9223372036854775807", 1, "9223372036854775808"},
		{"1.5", 1, "2.5"}, {"-0.25", -1, "-1.25"}, {"100000000000000000000", -1, "99999999999999999999"}, {"0.5", -3, "-2.5"},
	} {
		sk := fmt.Sprint(i)
		if c.have != "" {
			e.put(e.row(sk, table.Item{"v": num(c.have)}))
		}
		var item table.Item
		e.must(e.tbl.Update(e.ctx, e.key(sk), table.Update{Add: map[string]int64{"v": c.add}, Return: table.ReturnNew, Into: &item}))
		if n, ok := item["v"].(*types.AttributeValueMemberN); !ok || n.Value != c.want {
			e.Errorf("%s + %d: %v, want %s", c.have, c.add, n, c.want)
		}
	}
	e.put(e.row("text", table.Item{"v": str("1")}))
	if err := e.tbl.Update(e.ctx, e.key("text"), table.Update{Add: map[string]int64{"v": 1}}); !fault.Is(err, fault.Invalid) {
		e.Errorf("adding to a text: %v", err)
	}
}

func (e *env) updateValues() {
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{
		"map": map[string]int{"x": 1}, "list": []string{"a", "b"}, "bytes": []byte{1, 2}, "yes": true, "time": start, "no": false, "nil": nil,
		"struct": inner{A: "a"}, "zero": 0, "av": num("1.50"),
	}}))
	item := e.item("a")
	if len(item) != 11 {
		e.Errorf("attributes: %v", show(item))
	}
	if n, ok := item["av"].(*types.AttributeValueMemberN); !ok || n.Value != "1.5" {
		e.Errorf("a number set is not canonical: %v", item["av"])
	}
}

func (e *env) updateRefusals() {
	for i, u := range []table.Update{
		{}, {If: []table.Cond{table.IfPresent()}}, {Set: map[string]any{"pk": "x"}}, {Add: map[string]int64{"sk": 1}}, {Remove: []string{"pk"}},
		{Set: map[string]any{"a": 1}, Remove: []string{"a"}}, {Set: map[string]any{"a": 1}, Add: map[string]int64{"a": 1}}, {Remove: []string{"a", "a"}},
		{Set: map[string]any{"a b": 1}}, {Set: map[string]any{"": 1}}, {Set: map[string]any{"a.b": 1}}, {SetIfMissing: map[string]any{"a": nil}},
		{Set: map[string]any{"ttl": "x"}}, {Set: map[string]any{"ttl": -1}}, {Set: map[string]any{"ttl": 1.5}}, {Add: map[string]int64{"ttl": 1}},
		{Set: map[string]any{"a": func() {}}}, {Set: map[string]any{"a": "\xff"}},
	} {
		if err := e.tbl.Update(e.ctx, e.key("a"), u); !fault.Is(err, fault.Invalid) {
			e.Errorf("update %d: %v, want it refused as invalid", i, err)
		}
	}
	if _, ok := e.get("a"); ok {
		e.Error("a refused update wrote")
	}
}

func (e *env) updateExpired() {
	for _, ret := range []table.ReturnKind{table.ReturnNone, table.ReturnOld, table.ReturnNew} {
		sk := fmt.Sprint(ret)
		e.expired(sk)
		into := doc{S: "untouched"}
		e.must(e.tbl.Update(e.ctx, e.key(sk), table.Update{
			Add: map[string]int64{"n": 2}, SetIfMissing: map[string]any{"flag": true}, Remove: []string{"body"}, Return: ret, Into: &into,
		}))
		d, ok := e.get(sk)
		if !ok || d.N != 2 || d.S != "" || !d.Flag || d.TTL != 0 {
			e.Errorf("after the update: %+v, there %v", d, ok)
		}
		switch {
		case ret == table.ReturnNew && (into.N != 2 || into.S != "" || into.SK != sk):
			e.Errorf("new row: %+v", into)
		case ret != table.ReturnNew && into.S != "untouched":
			e.Errorf("return %d gave the expired row: %+v", ret, into)
		}
	}
}

// updateRenews: a living row's expiry can be moved; once past, only a new row comes.
func (e *env) updateRenews() {
	now := start.Unix()
	e.put(&doc{PK: e.pk, SK: "a", N: 1, S: "kept", TTL: now + 10})
	e.clk.Add(5 * time.Second)
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"ttl": now + 100}}))
	e.clk.Add(60 * time.Second)
	if d, ok := e.get("a"); !ok || d.S != "kept" {
		e.Fatalf("renewed row: %+v, there %v", d, ok)
	}
	e.clk.Add(60 * time.Second)
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{"ttl": now + 1000}}))
	if d, ok := e.get("a"); !ok || d.S != "" || d.N != 0 {
		e.Errorf("an expired row came back to life: %+v, there %v", d, ok)
	}
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Remove: []string{"ttl"}, Set: map[string]any{"n": 1}}))
	e.clk.Add(10000 * time.Second)
	if _, ok := e.get("a"); !ok {
		e.Error("a row without ttl expired")
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
	if n := e.winners(16, func(i int) error { return e.tbl.Put(e.ctx, e.doc("put", int64(i)+1), table.IfAbsent()) }); n != 1 {
		e.Errorf("%d puts won", n)
	}
	e.put(e.doc("up", 1))
	if n := e.winners(16, func(i int) error {
		return e.tbl.Update(e.ctx, e.key("up"), table.Update{Set: map[string]any{"n": 2 + i}, If: []table.Cond{table.IfEqual("n", 1)}})
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

// casCounter is how state rows are written: read, apply, put if unchanged, again on conflict.
func (e *env) casCounter() {
	e.put(e.doc("cas", 0))
	e.parallel(8, func(int) {
		for range 5 {
			for {
				var d doc
				if err := e.tbl.Get(e.ctx, e.key("cas"), &d, table.Consistent()); err != nil {
					e.Error(err)
					return
				}
				seen := d.N
				d.N++
				err := e.tbl.Put(e.ctx, &d, table.IfEqual("n", seen))
				if err == nil {
					break
				}
				if !fault.Is(err, fault.Conflict) {
					e.Error(err)
					return
				}
			}
		}
	})
	if d, _ := e.get("cas"); d.N != 40 {
		e.Errorf("n is %d, want 40", d.N)
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

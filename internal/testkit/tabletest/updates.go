package tabletest

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

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

package tabletest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func (e *env) updateClauses() {
	e.put(e.row("a", table.Item{"keep": str("k"), "change": str("old"), "drop": str("x"), "count": num("40"),
		"there": num("1")}))
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{
		Set:          map[string]any{"change": "new", "select": "reserved", "emptied": ""},
		SetIfMissing: map[string]any{"there": 9, "fresh": 9},
		Add:          map[string]int64{"count": 2, "other": -1},
		Remove:       []string{"drop", "never"},
		If:           []table.Cond{table.IfEqual("select", ""), table.IfEqual("count", 40)},
	}))
	want := e.row("a", table.Item{"keep": str("k"), "change": str("new"), "select": str("reserved"), "count": num("42"),
		"there": num("1"), "fresh": num("9"), "other": num("-1")})
	if got := e.item("a"); !reflect.DeepEqual(got, want) {
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

// updateAdds only adds to integers that are there: adding to a missing one is among the random cases.
func (e *env) updateAdds() {
	e.put(e.row("a", table.Item{"v": num("-5"), "text": str("1")}))
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"v": 5}}))
	if n, ok := e.item("a")["v"].(*types.AttributeValueMemberN); !ok || n.Value != "0" {
		e.Errorf("-5 + 5 = %v", n)
	}
	if err := e.tbl.Update(e.ctx, e.key("a"), table.Update{Add: map[string]int64{"text": 1}}); !fault.Is(err,
		fault.Invalid) {
		e.Errorf("adding to a string: %v", err)
	}
}

func (e *env) updateValues() {
	e.must(e.tbl.Update(e.ctx, e.key("a"), table.Update{Set: map[string]any{
		"list": []string{"a", "b"}, "bytes": []byte{1, 2}, "yes": true, "no": false, "float": 1.5,
		"zero": 0, "nil": nil,
	}}))
	if item := e.item("a"); len(item) != 2+6 {
		e.Errorf("attributes: %v", show(item))
	}
}

func (e *env) updateRefusals() {
	for i, u := range []table.Update{
		{}, {If: []table.Cond{table.IfPresent()}}, {Set: map[string]any{"pk": "x"}}, {Add: map[string]int64{"sk": 1}},
		{Remove: []string{"pk"}},
		{Set: map[string]any{"a": 1}, Remove: []string{"a"}},
		{Set: map[string]any{"a": 1}, Add: map[string]int64{"a": 1}}, {Remove: []string{"a", "a"}},
		{Set: map[string]any{"a b": 1}}, {Set: map[string]any{"": 1}}, {Set: map[string]any{"a.b": 1}},
		{SetIfMissing: map[string]any{"a": nil}},
		{Set: map[string]any{"ttl": "x"}}, {Set: map[string]any{"ttl": -1}}, {Set: map[string]any{"ttl": 1.5}},
		{Add: map[string]int64{"ttl": 1}},
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

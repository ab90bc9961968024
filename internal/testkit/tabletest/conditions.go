package tabletest

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

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

package tabletest

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// conditions tries each condition against a row and against no row.
func (e *env) conditions() {
	row := func() table.Item {
		return e.row("x", table.Item{"n": num("5"), "neg": num("-3"), "dec": num("0.25"), "zero": num("0"),
			"s": str("m"), "empty": str(""),
			"b": &types.AttributeValueMemberB{Value: []byte{5}}, "flag": &types.AttributeValueMemberBOOL{Value: true}})
	}
	e.put(row())
	type named string
	for i, c := range []struct {
		cond            table.Cond
		present, absent bool // whether it holds for the row, and for no row
		typesClash      bool
	}{
		{cond: table.IfAbsent(), absent: true},
		{cond: table.IfPresent(), present: true},
		{cond: table.IfEqual("n", 5), present: true},
		{cond: table.IfEqual("n", uint8(5)), present: true},
		{cond: table.IfEqual("n", 5.0), present: true},
		{cond: table.IfEqual("n", 6)},
		{cond: table.IfEqual("n", 0), absent: true},
		{cond: table.IfEqual("n", "5")},
		{cond: table.IfEqual("dec", 0.25), present: true},
		{cond: table.IfEqual("s", named("m")), present: true},
		{cond: table.IfEqual("s", named("")), absent: true},
		{cond: table.IfEqual("flag", true), present: true},
		{cond: table.IfEqual("flag", false), absent: true},
		{cond: table.IfEqual("b", []byte{5}), present: true},
		{cond: table.IfEqual("zero", 0), present: true, absent: true},
		{cond: table.IfEqual("empty", ""), present: true, absent: true},
		{cond: table.IfEqual("gone", 0), present: true, absent: true},
		{cond: table.IfEqual("gone", ""), present: true, absent: true},
		{cond: table.IfEqual("gone", false), present: true, absent: true},
		{cond: table.IfEqual("gone", []byte(nil)), present: true, absent: true},
		{cond: table.IfEqual("b", []byte(nil)), absent: true},
		{cond: table.IfEqual("gone", nil), present: true, absent: true},
		{cond: table.IfEqual("gone", 1)},
		{cond: table.IfLess("n", 6), present: true, absent: true},
		{cond: table.IfLess("n", 5), absent: true},
		{cond: table.IfLess("n", 10), present: true, absent: true},
		{cond: table.IfLess("n", 0)},
		{cond: table.IfLess("neg", 0), present: true},
		{cond: table.IfLess("neg", -3)},
		{cond: table.IfLess("gone", 1), present: true, absent: true},
		{cond: table.IfLess("gone", 0)},
		{cond: table.IfLess("s", 7), absent: true, typesClash: true},
	} {
		if c.typesClash && e.allows(TypesClash) {
			continue
		}
		check := func(sk string, want bool) {
			e.Helper()
			err := e.tbl.Delete(e.ctx, e.key(sk), c.cond, table.IfEqual("gone", 0), table.IfEqual("never", ""))
			if sk == "x" && err == nil { // put it back
				e.put(row())
			}
			if (err == nil) != want || err != nil && fault.CodeOf(err) != "condition_failed" {
				e.Errorf("condition %d (kind %d, %s %v) on %q: %v, want it to hold: %v", i, c.cond.Kind, c.cond.Field,
					c.cond.Value, sk, err, want)
			}
		}
		check("x", c.present)
		check("none", c.absent)
	}
	e.want(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfEqual("list", []string{"x"})), fault.Invalid, "bad_condition")
	e.want(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfEqual("a b", 1)), fault.Invalid, "bad_field")
}

func (e *env) expired(sk string) {
	e.Helper()
	e.put(&doc{PK: e.pk, SK: sk, N: 5, S: "old", TTL: start.Unix() - 10})
}

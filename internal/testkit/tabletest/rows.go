package tabletest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func rowCases() []testCase {
	return []testCase{
		{"GetDecodesIntoAUsedStruct", (*env).getIntoUsed},
		{"RoundTripOfEveryType", (*env).everyType},
		{"NumbersAreCanonical", (*env).numbers},
		{"EmptyIsAbsent", (*env).emptyIsAbsent},
		{"EmptyInItemStays", (*env).emptyInItem},
		{"KeysOfAllKinds", (*env).keysOfAllKinds},
		{"BatchGetMany", (*env).batchGetMany},
		{"BatchGetStops", (*env).batchGetStops},
		{"ExpiredIsAbsentInReads", (*env).expiredReads},
		{"Cancelled", (*env).cancelled},
	}
}

func (e *env) getIntoUsed() {
	d := doc{S: "before"}
	e.want(e.tbl.Get(e.ctx, e.key("none"), &d), fault.NotFound, "row_not_found")
	if d.S != "before" {
		e.Error("a row that is not found changed out")
	}
	e.put(&doc{PK: e.pk, SK: "a", N: 1})
	d.Body = []byte("x")
	e.must(e.tbl.Get(e.ctx, e.key("a"), &d, table.Consistent()))
	if d.S != "" || d.Body != nil || d.N != 1 {
		e.Errorf("attributes that the row lacks are not zero: %+v", d)
	}
}

// everything has all types that rows have.
type everything struct {
	PK    string   `dynamo:"pk"`
	SK    string   `dynamo:"sk"`
	Text  string   `dynamo:"text"`
	Int   int      `dynamo:"int"`
	Neg   int64    `dynamo:"neg"`
	Small uint32   `dynamo:"small"`
	Float float64  `dynamo:"float"`
	Yes   bool     `dynamo:"yes"`
	Raw   []byte   `dynamo:"raw"`
	List  []string `dynamo:"list"`
	Nums  []int32  `dynamo:"nums"`
	Word  string   `dynamo:"select"` // a reserved word
}

func (e *env) everyType() {
	in := everything{
		PK: e.pk, SK: "a", Text: "日本語 𝔘 \x00 \" ' \\", Int: 42, Neg: math.MinInt64, Small: math.MaxUint32,
		Float: -1.25e-7, Yes: true,
		Raw: allBytes(), List: []string{"x", "y", "x"}, Nums: []int32{-1, 0, 10},
		Word: "reserved",
	}
	e.put(&in)
	var out everything
	e.must(e.tbl.Get(e.ctx, e.key("a"), &out, table.Consistent()))
	if !reflect.DeepEqual(out, in) {
		e.Errorf("got %+v, want %+v", out, in)
	}
	want, err := table.Encode(&in)
	e.must(err)
	if got := e.item("a"); !reflect.DeepEqual(got, want) {
		e.Errorf("as attributes: got %v, want %v", show(got), show(want))
	}
}

func allBytes() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }
func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func (e *env) row(sk string, attrs table.Item) table.Item {
	attrs[table.PKAttr], attrs[table.SKAttr] = str(e.pk), str(sk)
	return attrs
}

func (e *env) numbers() {
	for in, want := range map[string]string{
		"1.500": "1.5", "-0": "0", "+7": "7", "007": "7", "1e3": "1000", "12.5E-1": "1.25", "0.0": "0", "-.5": "-0.5",
		"1e22":                "10000000000000000000000",
		"9223372036854775807": "9223372036854775807", "0.1": "0.1", "-1.25e-7": "-0.000000125",
	} {
		e.put(e.row("n", table.Item{"v": num(in)}))
		if got, ok := e.item("n")["v"].(*types.AttributeValueMemberN); !ok || got.Value != want {
			e.Errorf("%s is read as %v, want %s", in, got, want)
		}
	}
	for _, bad := range []string{"", "x", "1e126", "1e-131", "0x10", "1_0", "NaN", "Inf", "--1", "1.2.3",
		"18446744073709551615"} {
		e.want(e.tbl.Put(e.ctx, e.row("n", table.Item{"v": num(bad)})), fault.Invalid, "bad_attribute")
	}
}

func (e *env) emptyIsAbsent() {
	e.put(&everything{PK: e.pk, SK: "a", Raw: []byte{}})
	item := e.item("a")
	for _, name := range []string{"text", "raw", "map", "select"} {
		if av, ok := item[name]; ok {
			e.Errorf("empty %s is stored as %v", name, av)
		}
	}
	e.must(e.tbl.Put(e.ctx, &doc{PK: e.pk, SK: "a", S: "x"}, table.IfEqual("text", ""), table.IfEqual("raw", []byte{})))
}

func (e *env) emptyInItem() {
	e.put(e.row("a", table.Item{"s": str(""), "b": &types.AttributeValueMemberB{Value: []byte{}},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}))
	item := e.item("a")
	if len(item) != 5 {
		e.Errorf("empty values put as attributes stay: %v", item)
	}
	e.must(e.tbl.Put(e.ctx, e.doc("a", 1), table.IfEqual("s", ""), table.IfEqual("b", []byte{})))
	for name, av := range map[string]types.AttributeValue{
		"set":  &types.AttributeValueMemberSS{Value: []string{"a"}},
		"null": &types.AttributeValueMemberNULL{Value: true}, "no value": nil,
		"map":    &types.AttributeValueMemberM{Value: table.Item{}},
		"nested": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberL{}}},
	} {
		e.want(e.tbl.Put(e.ctx, e.row("b", table.Item{"v": av})), fault.Invalid, "bad_attribute")
		if _, ok := e.get("b"); ok {
			e.Errorf("%s was stored", name)
		}
	}
}

func (e *env) keysOfAllKinds() {
	keys := []string{"-", "a", "A", " ", "a b", "a\x00b", "a\x00", "#", "a#b", "%", "_", "'", "\"", "日本", "é",
		"e\u0301", "\u007f", "\U0001d518", "\uffff", strings.Repeat("k", table.MaxSK)}
	for i, sk := range keys {
		e.put(e.doc(sk, int64(i)+1))
	}
	for i, sk := range keys {
		if d, ok := e.get(sk); !ok || d.N != int64(i)+1 || d.SK != sk || d.PK != e.pk {
			e.Errorf("%q: %+v, found %v", sk, d, ok)
		}
	}
	if n := len(e.all(table.Query{})); n != len(keys) {
		e.Errorf("%d rows, want %d", n, len(keys))
	}
}

func (e *env) batchGetMany() {
	n := 230
	if e.allows(Slow) {
		n = 120
	}
	var puts []any
	var keys []table.Key
	for i := range n {
		sk := fmt.Sprintf("r#%04d", i)
		puts = append(puts, &doc{PK: e.pk, SK: sk, N: int64(i) + 1})
		keys = append(keys, e.key(sk), e.key(fmt.Sprintf("absent#%d", i/2))) // absent ones twice
	}
	keys = append(keys, keys[0], keys[2])
	e.fill(puts)
	got := map[string]int{}
	e.must(e.tbl.BatchGet(e.ctx, keys, func(r table.Row) error {
		got[r.Key.SK]++
		return nil
	}, table.Consistent()))
	if len(got) != n {
		e.Errorf("%d rows, want %d", len(got), n)
	}
	for sk, times := range got {
		if times != 1 {
			e.Errorf("%s came %d times", sk, times)
		}
	}
	e.must(e.tbl.BatchGet(e.ctx, nil, func(table.Row) error { return errStop }))
}

func (e *env) batchGetStops() {
	e.fill([]any{e.doc("a", 1), e.doc("b", 2)})
	calls := 0
	err := e.tbl.BatchGet(e.ctx, []table.Key{e.key("a"), e.key("b")}, func(table.Row) error {
		calls++
		return errStop
	}, table.Consistent())
	if !errors.Is(err, errStop) {
		e.Errorf("the receiver's error is lost: %v", err)
	}
	if calls != 1 {
		e.Errorf("called %d times after an error", calls)
	}
}

func (e *env) expiredReads() {
	now := start.Unix()
	for sk, ttl := range map[string]int64{"past": now - 100, "now": now, "soon": now + 60, "never": 0} {
		e.put(&doc{PK: e.pk, SK: sk, N: 1, TTL: ttl})
	}
	e.wantAlive("never", "soon")
	e.clk.Add(59 * time.Second)
	e.wantAlive("never", "soon")
	e.clk.Add(time.Second)
	e.wantAlive("never")
}

// wantAlive checks by every kind of read which of four rows are there.
func (e *env) wantAlive(want ...string) {
	e.Helper()
	alive := map[string]bool{}
	for _, sk := range want {
		alive[sk] = true
	}
	var keys []table.Key
	for _, sk := range []string{"past", "now", "soon", "never"} {
		keys = append(keys, e.key(sk))
		if _, ok := e.get(sk); ok != alive[sk] {
			e.Errorf("get %s: there %v, want %v", sk, ok, alive[sk])
		}
	}
	n := 0
	e.must(e.tbl.BatchGet(e.ctx, keys, func(table.Row) error { n++; return nil }, table.Consistent()))
	if n != len(want) {
		e.Errorf("batch get gives %d rows, want %d", n, len(want))
	}
	for _, q := range []table.Query{{}, {Page: 1}, {Desc: true, Page: 3}, {From: "a"}} {
		if got := e.all(q); len(got) != len(want) {
			e.Errorf("query %+v gives %v, want %v", q, got, want)
		}
	}
}

func (e *env) cancelled() {
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	k := e.key("a")
	var d doc
	for name, err := range map[string]error{
		"get":         e.tbl.Get(ctx, k, &d),
		"batch get":   e.tbl.BatchGet(ctx, []table.Key{k}, func(table.Row) error { return nil }),
		"query":       e.firstPage(ctx, table.Query{PK: e.pk}),
		"put":         e.tbl.Put(ctx, e.doc("a", 1)),
		"delete":      e.tbl.Delete(ctx, k),
		"update":      e.tbl.Update(ctx, k, table.Update{Add: map[string]int64{"n": 1}}),
		"batch write": e.tbl.BatchWrite(ctx, []any{e.doc("a", 1)}, nil),
	} {
		if !fault.Is(err, fault.Cancelled) {
			e.Errorf("%s under a cancelled context: %v", name, err)
		}
	}
	if _, ok := e.get("a"); ok {
		e.Error("a cancelled write was done")
	}
}

package tabletest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Random drives a table and a model of it with the same seeded sequence of operations and compares every
// answer: rows, old and new values, orders, kinds of errors. Two drivers that pass one seed have answered
// alike.
func Random(t *testing.T, h Harness, seed uint64, ops int) {
	t.Helper()
	e := newEnv(t, h)
	e.pk = fmt.Sprintf("random#%d#%s", seed, e.pk)
	r := &random{env: e, rnd: rand.New(rand.NewPCG(seed, 1)), m: &model{now: start.Unix(), rows: map[table.Key]attrs{}},
		clk: e.clk}
	for r.n = range ops {
		r.step()
		if t.Failed() {
			t.Fatalf("seed %d, operation %d", seed, r.n)
		}
	}
}

type random struct {
	*env
	rnd *rand.Rand
	m   *model
	clk *clock.Manual
	n   int
}

func (r *random) step() {
	switch p := r.rnd.IntN(100); {
	case p < 22:
		r.put()
	case p < 50:
		r.updateRow()
	case p < 60:
		r.deleteRow()
	case p < 65:
		r.batchWrite()
	case p < 76:
		r.getRow()
	case p < 82:
		r.batchGet()
	case p < 95:
		r.query()
	default:
		r.m.now = r.clk.Add(time.Duration(r.rnd.IntN(20)) * time.Second).Unix()
	}
}

// Few keys and values, so that operations meet.
var (
	sortKeys = []string{"a", "a#", "a#1", "a#2", "b", "b#é", "b#日", "c\x00", "c\x01"}
	fields   = []string{"n", "m", "s", "x"}
)

func pick[T any](r *random, from []T) T { return from[r.rnd.IntN(len(from))] }

func (r *random) anyKey() table.Key {
	return table.Key{PK: r.pk + strconv.Itoa(r.rnd.IntN(2)), SK: pick(r, sortKeys)}
}

func (r *random) value() any {
	switch r.rnd.IntN(8) {
	case 0:
		return pick(r, []string{"", "a", "b", "日本"})
	case 1:
		return pick(r, []blob{"", "\x00", "\x00\xff"})
	case 2:
		return r.rnd.IntN(2) == 0
	default:
		return int64(r.rnd.IntN(9) - 4)
	}
}

func (r *random) ttl() int64 { return r.m.now + int64(r.rnd.IntN(40)) - 5 }

func (r *random) conds() (conds []condition, given []table.Cond) {
	for range max(0, r.rnd.IntN(5)-2) {
		c := condition{kind: table.CondKind(r.rnd.IntN(4)), field: pick(r, fields), value: r.value()}
		if _, isInt := c.value.(int64); !isInt && c.kind == table.CondLess {
			c.value = int64(1)
		}
		conds = append(conds, c)
		given = append(given, c.cond())
	}
	return conds, given
}

func (r *random) newRow() attrs {
	row := attrs{}
	for _, f := range fields {
		if r.rnd.IntN(2) == 0 {
			row[f] = r.value()
		}
	}
	if r.rnd.IntN(4) == 0 {
		row["ttl"] = r.ttl()
	}
	return row
}

func itemOf(k table.Key, row attrs) table.Item {
	item := table.Item{table.PKAttr: str(k.PK), table.SKAttr: str(k.SK)}
	for name, v := range row {
		switch v := v.(type) {
		case int64:
			item[name] = num(strconv.FormatInt(v, 10))
		case string:
			item[name] = str(v)
		case blob:
			item[name] = &types.AttributeValueMemberB{Value: []byte(v)}
		case bool:
			item[name] = &types.AttributeValueMemberBOOL{Value: v}
		}
	}
	return item
}

func plain(v any) any {
	if b, ok := v.(blob); ok {
		return []byte(b)
	}
	return v
}

// same fails unless an error is what the model says.
func (r *random) same(what string, err error, want outcome) {
	r.Helper()
	switch {
	case (err != nil) != want.failed, err != nil && fault.KindOf(err) != want.kind:
		r.Errorf("%s: %v, the model says %+v", what, err, want)
	}
}

func (r *random) sameRow(what string, got table.Item, want attrs) {
	r.Helper()
	if want == nil {
		want = attrs{}
	}
	if have := values(got); !reflect.DeepEqual(have, want) {
		r.Errorf("%s: %v, the model says %v", what, have, want)
	}
}

// sameAsModel compares a row that was read with the model's.
func (r *random) sameAsModel(what string, found table.Row) {
	r.Helper()
	item, err := found.Item()
	r.must(err)
	want, _ := r.m.live(found.Key)
	r.sameRow(fmt.Sprint(what, " ", found.Key), item, want)
}

func (r *random) put() {
	k, row := r.anyKey(), r.newRow()
	conds, given := r.conds()
	r.same(fmt.Sprintf("put %v %v if %v", k, row, conds), r.tbl.Put(r.ctx, itemOf(k, row), given...),
		r.m.put(k, row, conds))
}

func (r *random) deleteRow() {
	k := r.anyKey()
	conds, given := r.conds()
	r.same(fmt.Sprintf("delete %v if %v", k, conds), r.tbl.Delete(r.ctx, k, given...), r.m.delete(k, conds))
}

func (r *random) updateRow() {
	k := r.anyKey()
	conds, given := r.conds()
	u := table.Update{Set: map[string]any{}, SetIfMissing: map[string]any{}, Add: map[string]int64{}, If: given,
		Return: table.ReturnKind(r.rnd.IntN(3))}
	for _, f := range fields {
		switch r.rnd.IntN(6) {
		case 0:
			u.Set[f] = plain(r.value())
		case 1:
			u.SetIfMissing[f] = plain(r.value())
		case 2:
			u.Add[f] = int64(r.rnd.IntN(7) - 3)
		case 3:
			u.Remove = append(u.Remove, f)
		}
	}
	if len(u.Set)+len(u.SetIfMissing)+len(u.Add)+len(u.Remove) == 0 || r.rnd.IntN(8) == 0 {
		u.Set["ttl"] = r.ttl()
	}
	var into table.Item
	u.Into = &into
	err := r.tbl.Update(r.ctx, k, u)
	old, changed, want := r.m.update(k, u, conds)
	what := fmt.Sprintf("update %v %+v", k, u)
	r.same(what, err, want)
	switch {
	case err != nil || u.Return == table.ReturnNone:
		r.sameRow(what+" returns", into, nil)
	case u.Return == table.ReturnOld:
		r.sameRow(what+" returns old", into, old)
	default:
		r.sameRow(what+" returns new", into, changed)
	}
}

func (r *random) batchWrite() {
	var puts []any
	var deletes []table.Key
	for range r.rnd.IntN(6) {
		k, row := r.anyKey(), r.newRow()
		puts = append(puts, itemOf(k, row))
		r.m.put(k, row, nil)
	}
	for range r.rnd.IntN(4) {
		k := r.anyKey()
		deletes = append(deletes, k)
		r.m.delete(k, nil)
	}
	r.same("batch write", r.tbl.BatchWrite(r.ctx, puts, deletes), outcome{})
}

func (r *random) getRow() {
	k := r.anyKey()
	var item table.Item
	err := r.tbl.Get(r.ctx, k, &item, table.Consistent())
	want, ok := r.m.live(k)
	r.same(fmt.Sprint("get ", k), err, outcome{!ok, fault.NotFound})
	r.sameRow(fmt.Sprint("get ", k), item, want)
}

func (r *random) batchGet() {
	var keys []table.Key
	want := 0
	seen := map[table.Key]bool{}
	for range r.rnd.IntN(12) {
		k := r.anyKey()
		keys = append(keys, k)
		if _, ok := r.m.live(k); ok && !seen[k] {
			want++
			seen[k] = true
		}
	}
	got := 0
	err := r.tbl.BatchGet(r.ctx, keys, func(found table.Row) error {
		got++
		r.sameAsModel("batch get", found)
		return nil
	}, table.Consistent())
	r.same("batch get", err, outcome{})
	if got != want {
		r.Errorf("batch get of %v: %d rows, the model says %d", keys, got, want)
	}
}

func (r *random) query() {
	q := table.Query{PK: r.anyKey().PK, Desc: r.rnd.IntN(2) == 0, Page: r.rnd.IntN(5), Consistent: true}
	switch r.rnd.IntN(4) {
	case 0:
		q.Prefix = pick(r, []string{"a", "a#", "b", "c", "b#", "z"})
	case 1:
		q.From = pick(r, sortKeys)
	case 2:
		q.From, q.To = pick(r, sortKeys), pick(r, sortKeys)
	}
	want := r.m.query(q)
	var got []string
	for found, err := range r.tbl.Query(r.ctx, q) {
		r.same("query", err, outcome{})
		if err != nil {
			break
		}
		got = append(got, found.Key.SK)
		r.sameAsModel("query", found)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		r.Errorf("query %+v: %q, the model says %q", q, got, want)
	}
}

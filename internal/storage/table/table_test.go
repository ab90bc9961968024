package table_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

type row struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	N    int    `dynamo:"n"`
	Body []byte `dynamo:"body"`
}

// The size of a row is DynamoDB's ("Item sizes and formats" in its developer guide).
//
func TestRowSize(t *testing.T) {
	t.Parallel()
	key := table.Item{"pk": str("p"), "sk": str("s")} // 2+1 + 2+1
	for name, c := range map[string]struct {
		av   types.AttributeValue
		want int
	}{
		"text": {str("日本"), 6}, "number": {&types.AttributeValueMemberN{Value: "1234"}, 3},
		"true":       {&types.AttributeValueMemberBOOL{Value: true}, 1},
		"bytes":      {&types.AttributeValueMemberB{Value: make([]byte, 9)}, 9},
		"empty list": {&types.AttributeValueMemberL{}, 3},
		"list":       {&types.AttributeValueMemberL{Value: []types.AttributeValue{str("ab"), str("c")}}, 3 + 2 + 3},
	} {
		item := table.Item{"pk": key["pk"], "sk": key["sk"], "x": c.av}
		r, err := table.NewRow(item)
		if err != nil || r.Size() != 6+1+c.want {
			t.Errorf("%s: size %d (%v), want %d", name, r.Size(), err, 6+1+c.want)
		}
		packed := table.PackedRow(r.Key, r.Packed(), r.Size(), r.TTL())
		if packed.Size() != r.Size() || table.ItemRow(item).Size() != r.Size() {
			t.Errorf("%s: sizes differ by form", name)
		}
	}
}

// "Item sizes" in DynamoDB's developer guide: about one byte per two significant digits, and one more.
func TestNumberSizes(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]int{
		"0": 1, "1": 2, "10": 2, "12": 2, "123": 3, "1234": 3, "100": 2, "1.2": 3, "-5": 3, "0.5": 2, "0.05": 2,
		"0.0012": 2, "-12.50": 4, "1e3": 2,
		"9223372036854775807": 11, "-9223372036854775808": 12,
	} {
		r, err := table.NewRow(table.Item{"pk": str("p"), "sk": str("s"),
			"x": &types.AttributeValueMemberN{Value: number}})
		if got := r.Size() - 7; err != nil || got != want {
			t.Errorf("%s: %d bytes (%v), want %d", number, got, err, want)
		}
	}
}

// FuzzNumber: what is accepted has one canonical text, which is accepted unchanged and means the same number.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.50", "1e10", "-12.5E-3", ".5", "5.", "1e125", "1e-130", "00012", "9.9e999",
		"18446744073709551615"} {
		f.Add(s)
	}
	canonical := func(s string) (string, bool) {
		r, err := table.NewRow(table.Item{"pk": str("p"), "sk": str("s"), "x": &types.AttributeValueMemberN{Value: s}})
		if err != nil {
			return "", false
		}
		return r.Field("x").(*types.AttributeValueMemberN).Value, true
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, ok := canonical(s)
		if !ok {
			return
		}
		if again, ok := canonical(text); !ok || again != text || strings.Trim(text, "0123456789.-") != "" {
			t.Fatalf("%q became %q and then %q, %v", s, text, again, ok)
		}
		want, err1 := strconv.ParseFloat(s, 64)
		got, err2 := strconv.ParseFloat(text, 64)
		if err1 != nil || err2 != nil || got != want {
			t.Fatalf("%q became %q", s, text)
		}
	})
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// waits records how long the table wanted to sleep and moves the clock instead.
type waits struct {
	mu  sync.Mutex
	clk *clock.Manual
	all []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	w.clk.Add(d)
	return ctx.Err()
}

func (w *waits) total() (sum time.Duration) {
	for _, d := range w.all {
		sum += d
	}
	return sum
}

func TestWriteRate(t *testing.T) {
	t.Parallel()
	w := &waits{clk: clock.NewManual(time.Unix(1000, 0))}
	tbl := table.New(memtable.New(), table.Options{Clock: w.clk, Sleep: w.sleep, WriteRate: 10, WriteBurst: 20})
	for i := range 20 {
		if err := tbl.Put(t.Context(), &row{"p", fmt.Sprint(i), 1, nil}); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.all) != 0 {
		t.Fatalf("the burst of 20 units waited %v", w.all)
	}
	for i := range 20 {
		if err := tbl.Put(t.Context(), &row{"p", fmt.Sprint(i), 1, make([]byte, 4000)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.total(); got < 7900*time.Millisecond || got > 8100*time.Millisecond {
		t.Errorf("80 units at 10 a second took %v, want 8 s", got)
	}
	if got := tbl.Meter().Snapshot().TotalWrites(); got != 100 {
		t.Errorf("%v units, want 100", got)
	}
}

// What a write turns out to cost beyond its estimate is owed by the next.
func TestWriteRateSettles(t *testing.T) {
	t.Parallel()
	w := &waits{clk: clock.NewManual(time.Unix(1000, 0))}
	d := memtable.New()
	if err := table.New(d, table.Options{}).Put(t.Context(), &row{"p", "a", 1, make([]byte, 50_000)}); err != nil {
		t.Fatal(err)
	}
	tbl := table.New(d, table.Options{Clock: w.clk, Sleep: w.sleep, WriteRate: 1, WriteBurst: 1})
	for range 2 {
		if err := tbl.Delete(t.Context(), table.Key{PK: "p", SK: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.total(); got != 49*time.Second {
		t.Errorf("after a delete of 49 units the next waited %v, want 49 s", got)
	}
}

func TestWriteRateHonoursContext(t *testing.T) {
	t.Parallel()
	tbl := table.New(memtable.New(), table.Options{Clock: clock.System{}, WriteRate: 0.001, WriteBurst: 1})
	if err := tbl.Put(t.Context(), &row{PK: "p", SK: "a"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := tbl.Put(ctx, &row{PK: "p", SK: "b"}); !fault.Is(err, fault.RateLimited) {
		t.Errorf("a wait beyond the deadline: %v, want rate limited at once", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := tbl.Put(ctx, &row{PK: "p", SK: "b"}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

// broken is a driver whose calls fail as told.
type broken struct {
	*memtable.Driver
	err   error
	calls int
}

func (b *broken) Get(context.Context, table.Key, bool) (table.Row, bool, table.Usage, error) {
	b.calls++
	return table.Row{}, false, table.Usage{}, b.err
}

func (b *broken) Write(context.Context, table.WriteOp) (table.Row, bool, table.Usage, error) {
	b.calls++
	return table.Row{}, false, table.Usage{}, b.err
}

func TestRetries(t *testing.T) {
	t.Parallel()
	odd := errors.New("odd")
	for name, c := range map[string]struct {
		err      error
		get, put int // attempts: a read, a conditional put
		kind     fault.Kind
	}{
		"throttled":      {fault.New(fault.RateLimited, "throttled", "", nil), 8, 8, fault.RateLimited},
		"unavailable":    {fault.New(fault.Unavailable, "storage_unavailable", "", nil), 3, 1, fault.Unavailable},
		"full disk":      {fault.New(fault.Unavailable, "storage_full", "", nil), 1, 1, fault.Unavailable},
		"too large":      {fault.New(fault.TooLarge, "row_too_large", "", nil), 1, 1, fault.TooLarge},
		"table missing":  {fault.New(fault.Internal, "table_missing", "", nil), 1, 1, fault.Internal},
		"not classified": {odd, 1, 1, fault.Unavailable},
		"deadline":       {context.DeadlineExceeded, 1, 1, fault.Cancelled},
	} {
		w := &waits{clk: clock.NewManual(time.Unix(1, 0))}
		d := &broken{Driver: memtable.New(), err: c.err}
		tbl := table.New(d, table.Options{Clock: w.clk, Sleep: w.sleep})
		err := tbl.Get(t.Context(), table.Key{PK: "p", SK: "s"}, &row{})
		if d.calls != c.get || !fault.Is(err, c.kind) || !errors.Is(err, c.err) {
			t.Errorf("%s: get tried %d times: %v", name, d.calls, err)
		}
		if len(w.all) != c.get-1 {
			t.Errorf("%s: %d waits", name, len(w.all))
		}
		for i, wait := range w.all {
			if bound := min(2*time.Second, 25*time.Millisecond<<i); wait < 0 || wait > bound {
				t.Errorf("%s: wait %d is %v, the bound is %v", name, i, wait, bound)
			}
		}
		d.calls = 0
		err = tbl.Put(t.Context(), &row{PK: "p", SK: "s"}, table.IfAbsent())
		if d.calls != c.put || !fault.Is(err, c.kind) {
			t.Errorf("%s: put tried %d times: %v", name, d.calls, err)
		}
	}
}

//
func TestMeterCountsEverythingOnce(t *testing.T) {
	t.Parallel()
	tbl := table.New(memtable.New(), table.Options{Kind: func(k table.Key) string { return k.SK[:1] }})
	mine := table.NewMeter()
	ctx := table.WithMeter(t.Context(), mine)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				if err := tbl.Put(ctx, &row{PK: "p", SK: fmt.Sprintf("%c%d", 'a'+i%3, j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	u := mine.Snapshot()
	if u.Writes["a"] != 600 || u.Writes["b"] != 600 || u.Writes["c"] != 400 || u.WriteOps != 1600 ||
		u.RowsWritten != 1600 || len(u.Reads) != 0 {
		t.Errorf("%+v", u)
	}
	if all := tbl.Meter().Snapshot(); all.TotalWrites() != 1600 {
		t.Errorf("the table's own: %+v", all)
	}
}

//
func TestRowsAreChecked(t *testing.T) {
	t.Parallel()
	deep := str("x")
	for range 4 {
		deep = &types.AttributeValueMemberL{Value: []types.AttributeValue{deep}}
	}
	tbl := table.New(memtable.New(), table.Options{})
	for name, c := range map[string]struct {
		row  any
		code string
	}{
		"nil": {nil, "bad_row"}, "number": {5, ""}, "no key": {table.Item{"a": str("x")}, "bad_key"},
		"key of another type": {table.Item{"pk": &types.AttributeValueMemberN{Value: "1"}, "sk": str("s")}, "bad_key"},
		"set": {table.Item{"pk": str("p"), "sk": str("s"),
			"d": &types.AttributeValueMemberSS{Value: []string{"a"}}}, "bad_attribute"},
		"null": {table.Item{"pk": str("p"), "sk": str("s"),
			"d": &types.AttributeValueMemberNULL{Value: true}}, "bad_attribute"},
		"deep":     {table.Item{"pk": str("p"), "sk": str("s"), "d": deep}, "bad_attribute"},
		"text":     {table.Item{"pk": str("p"), "sk": str("s"), "d": str("\xff")}, "bad_attribute"},
		"nameless": {table.Item{"pk": str("p"), "sk": str("s"), "": str("x")}, "bad_attribute"},
		"ttl text": {table.Item{"pk": str("p"), "sk": str("s"), "ttl": str("1")}, "bad_ttl"},
		"ttl below zero": {table.Item{"pk": str("p"), "sk": str("s"),
			"ttl": &types.AttributeValueMemberN{Value: "-1"}}, "bad_ttl"},
	} {
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v", p)
				}
			}()
			return tbl.Put(t.Context(), c.row)
		}()
		if err == nil || c.code != "" && fault.CodeOf(err) != c.code || strings.HasPrefix(err.Error(), "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An Item handed to Put stays its owner's: the table neither changes nor keeps it.
func TestPutLeavesTheItemAlone(t *testing.T) {
	t.Parallel()
	tbl := table.New(memtable.New(), table.Options{})
	list := &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "1"}}}
	item := table.Item{"pk": str("p"), "sk": str("s"), "n": &types.AttributeValueMemberN{Value: "2.50"}, "l": list}
	if err := tbl.Put(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if item["n"].(*types.AttributeValueMemberN).Value != "2.50" ||
		list.Value[0].(*types.AttributeValueMemberN).Value != "1" {
		t.Error("the caller's item was changed")
	}
	item["n"] = str("other")
	var got table.Item
	if err := tbl.Get(t.Context(), table.Key{PK: "p", SK: "s"}, &got); err != nil ||
		got["n"].(*types.AttributeValueMemberN).Value != "2.5" {
		t.Errorf("%v %v", got, err)
	}
}

func TestChangesWithoutALog(t *testing.T) {
	t.Parallel()
	type bare struct{ table.Driver }
	if _, now, complete := table.New(bare{memtable.New()}, table.Options{}).Changes(t.Context(), 0); now > 0 ||
		complete {
		t.Error("a driver without a log lists changes")
	}
}

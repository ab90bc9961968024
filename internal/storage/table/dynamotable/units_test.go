package dynamotable_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/tabletest"
)

// Meter and service, call by call: each operation of the whole conformance run is done twice, on dynalite,
// which bills it (ReturnConsumedCapacity), and on the engine in memory, which counts by the documented
// formula (table.ReadUnits, table.WriteUnits) as the embedded store does. The two figures must be equal.
//
// Where dynalite bills nothing the formula stands alone, and the case is counted, so that the list here is
// the whole list:
//   - a failed condition: the service answers with an error, which has no place for units. It costs the
//     write of the row that was found (developer guide, "Condition expressions"); dynalite does not hand
//     that row over either, so the driver can only say 1 (tabletest.ConditionUnits);
//   - an update that may have met an expired row: the driver looks at it and may replace it, two or three
//     requests where the engine in memory has one. The driver adds them up;
//   - a query that finds nothing: dynalite says 0, the service bills the least there is (half a unit, or one
//     when consistent), and so do we;
//   - what is refused for its size or its types is not billed, and not counted.
type twin struct {
	mu     sync.Mutex
	bills  *bills
	cloud  *dynamotable.Driver
	memory *memtable.Driver

	t        testing.TB
	compared map[string]int
	unbilled map[string]int
}

// bills notes what the service said a call consumed.
type bills struct {
	dynamodbiface.DynamoDBAPI
	units  float64
	billed int // requests with a bill
	asked  int
}

func (b *bills) note(cc ...types.ConsumedCapacity) {
	b.asked++
	for _, c := range cc {
		if c.CapacityUnits != nil {
			b.units += *c.CapacityUnits
			b.billed++
		}
	}
}

func (b *bills) one(cc *types.ConsumedCapacity) {
	if cc == nil {
		b.note()
		return
	}
	b.note(*cc)
}

func (b *bills) GetItem(ctx context.Context, in *dynamodb.GetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := b.DynamoDBAPI.GetItem(ctx, in, o...)
	if err == nil {
		b.one(out.ConsumedCapacity)
	}
	return out, err
}

func (b *bills) PutItem(ctx context.Context, in *dynamodb.PutItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	out, err := b.DynamoDBAPI.PutItem(ctx, in, o...)
	if err == nil {
		b.one(out.ConsumedCapacity)
	}
	return out, err
}

func (b *bills) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	out, err := b.DynamoDBAPI.DeleteItem(ctx, in, o...)
	if err == nil {
		b.one(out.ConsumedCapacity)
	}
	return out, err
}

func (b *bills) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := b.DynamoDBAPI.UpdateItem(ctx, in, o...)
	if err == nil {
		b.one(out.ConsumedCapacity)
	}
	return out, err
}

func (b *bills) Query(ctx context.Context, in *dynamodb.QueryInput,
	o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := b.DynamoDBAPI.Query(ctx, in, o...)
	if err == nil {
		b.one(out.ConsumedCapacity)
	}
	return out, err
}

func (b *bills) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	out, err := b.DynamoDBAPI.BatchGetItem(ctx, in, o...)
	if err == nil {
		b.note(out.ConsumedCapacity...)
	}
	return out, err
}

func (b *bills) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	out, err := b.DynamoDBAPI.BatchWriteItem(ctx, in, o...)
	if err == nil {
		b.note(out.ConsumedCapacity...)
	}
	return out, err
}

func newTwin(t testing.TB, endpoint string) *twin {
	t.Helper()
	b := &bills{DynamoDBAPI: dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: &endpoint, Retryer: aws.NopRetryer{},
	})}
	d := dynamotable.NewFromClient(b, doubles.Name("twin"))
	if err := d.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &twin{t: t, bills: b, cloud: d, memory: memtable.New(), compared: map[string]int{},
		unbilled: map[string]int{}}
}

// judge compares one call: what the driver counted, what the service billed, what the formula says.
func (w *twin) judge(op, what string, said, formula table.Usage, err, memoryErr error) {
	units, billed, asked := w.bills.units, w.bills.billed, w.bills.asked
	if fault.Is(err, fault.Cancelled) || fault.Is(memoryErr, fault.Cancelled) || fault.Is(err, fault.Unavailable) {
		return // no answer, no bill: the table asks again, or the suite fails by itself
	}
	mine, theirs := said.Read+said.Write, formula.Read+formula.Write
	switch {
	case fault.Is(err, fault.Conflict):
		w.unbilled[op+": failed condition"]++
		return
	case err != nil || memoryErr != nil:
		w.unbilled[op+": refused"]++
		return
	case asked > 1: // an expired row was met
		w.unbilled[op+": several requests"]++
		if mine < units {
			w.t.Errorf("%s %s: the meter says %v, the service billed %v in %d requests", op, what, mine, units, asked)
		}
		return
	case billed == 0:
		w.unbilled[op+": no bill"]++
		return
	case op == "query" && units == 0:
		w.unbilled["query: nothing found"]++
		if mine != theirs {
			w.t.Errorf("%s %s: the driver counts %v, the formula %v", op, what, mine, theirs)
		}
		return
	}
	w.compared[op]++
	if mine != units || theirs != units {
		w.t.Errorf("%s %s: the service billed %v, the driver counts %v, the formula %v", op, what, units, mine, theirs)
	}
}

func (w *twin) begin() func() {
	w.mu.Lock()
	w.bills.units, w.bills.billed, w.bills.asked = 0, 0, 0
	return w.mu.Unlock
}

func (w *twin) Get(ctx context.Context, k table.Key, c bool) (table.Row, bool, table.Usage, error) {
	defer w.begin()()
	row, ok, u, err := w.cloud.Get(ctx, k, c)
	_, _, f, merr := w.memory.Get(ctx, k, c)
	w.judge("get", k.SK, u, f, err, merr)
	return row, ok, u, err
}

func (w *twin) BatchGet(ctx context.Context, keys []table.Key, c bool) ([]table.Row, []table.Key, table.Usage, error) {
	defer w.begin()()
	rows, rest, u, err := w.cloud.BatchGet(ctx, keys, c)
	served := keys
	if len(rest) > 0 {
		left := map[table.Key]bool{}
		for _, k := range rest {
			left[k] = true
		}
		served = nil
		for _, k := range keys {
			if !left[k] {
				served = append(served, k)
			}
		}
	}
	_, _, f, merr := w.memory.BatchGet(ctx, served, c)
	w.judge("batch get", fmt.Sprint(len(keys)), u, f, err, merr)
	return rows, rest, u, err
}

func (w *twin) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	defer w.begin()()
	page, u, err := w.cloud.Query(ctx, r)
	_, f, merr := w.memory.Query(ctx, r)
	w.judge("query", fmt.Sprintf("%+v", r), u, f, err, merr)
	return page, u, err
}

func (w *twin) Write(ctx context.Context, o table.WriteOp) (table.Row, bool, table.Usage, error) {
	defer w.begin()()
	row, ok, u, err := w.cloud.Write(ctx, o)
	_, _, f, merr := w.memory.Write(ctx, o)
	w.judge(string(o.Kind), o.Key.SK, u, f, err, merr)
	return row, ok, u, err
}

func (w *twin) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, now int64) ([]table.Row,
	[]table.Key, table.Usage, error) {
	defer w.begin()()
	rp, rd, u, err := w.cloud.BatchWrite(ctx, puts, deletes, now)
	_, _, f, merr := w.memory.BatchWrite(ctx, puts, deletes, now)
	if len(rp)+len(rd) > 0 {
		w.t.Errorf("dynalite left %d entries over: the twins differ from here", len(rp)+len(rd))
	}
	w.judge("batch write", fmt.Sprint(len(puts), len(deletes)), u, f, err, merr)
	return rp, rd, u, err
}

// Scan is not compared: the engines return pages of different sizes.
func (w *twin) Scan(ctx context.Context, after table.Key, limit int, consistent bool) ([]table.Row, table.Key,
	table.Usage, error) {
	return w.cloud.Scan(ctx, after, limit, consistent)
}

func (w *twin) Close() error { return nil }

// TestMeterAgreesWithTheService runs the whole suite on the twins, and a random sequence besides.
func TestMeterAgreesWithTheService(t *testing.T) {
	t.Parallel()
	w := newTwin(t, doubles.Dynalite(t))
	h := tabletest.Harness{
		New:   func(_ testing.TB, o table.Options) *table.Table { return table.New(w, o) },
		Allow: []tabletest.Difference{tabletest.ConditionUnits},
	}
	t.Run("suite", func(t *testing.T) { tabletest.Run(t, h) })
	for seed := range uint64(2) {
		tabletest.Random(t, h, 100+seed, 400)
	}
	t.Logf("compared: %v", w.compared)
	t.Logf("not billed by the service: %v", w.unbilled)
	for _, op := range []string{"get", "batch get", "query", "put", "delete", "update", "batch write"} {
		if w.compared[op] < 5 {
			t.Errorf("only %d calls of %s could be compared", w.compared[op], op)
		}
	}
	listed := map[string]bool{
		"put: failed condition": true, "update: failed condition": true, "delete: failed condition": true,
		"update: several requests": true, "update: refused": true, "query: nothing found": true,
	}
	for why := range w.unbilled {
		if !listed[why] {
			t.Errorf("not on the list of what the service does not bill: %s", why)
		}
	}
}

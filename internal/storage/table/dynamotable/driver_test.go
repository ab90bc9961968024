package dynamotable_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// counting counts the requests that reach the service; err, when set, answers instead of it.
type counting struct {
	dynamodbiface.DynamoDBAPI
	gets, puts, updates, queries, batches atomic.Int64
	err                                   error
	answer                                *dynamodb.BatchGetItemOutput
}

func (c *counting) GetItem(ctx context.Context, in *dynamodb.GetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.gets.Add(1)
	if c.err != nil {
		return nil, c.err
	}
	return c.DynamoDBAPI.GetItem(ctx, in, o...)
}

func (c *counting) PutItem(ctx context.Context, in *dynamodb.PutItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c.puts.Add(1)
	if c.err != nil {
		return nil, c.err
	}
	return c.DynamoDBAPI.PutItem(ctx, in, o...)
}

func (c *counting) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	c.updates.Add(1)
	return c.DynamoDBAPI.UpdateItem(ctx, in, o...)
}

func (c *counting) Query(ctx context.Context, in *dynamodb.QueryInput,
	o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	c.queries.Add(1)
	return c.DynamoDBAPI.Query(ctx, in, o...)
}

func (c *counting) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.batches.Add(1)
	if c.answer != nil {
		return c.answer, nil
	}
	return c.DynamoDBAPI.BatchGetItem(ctx, in, o...)
}

// take says what was asked since it last did.
func (c *counting) take() string {
	return fmt.Sprintf("get %d put %d update %d query %d batch %d", c.gets.Swap(0), c.puts.Swap(0), c.updates.Swap(0),
		c.queries.Swap(0), c.batches.Swap(0))
}

func counted(tb testing.TB, endpoint string, clk clock.Clock) (*table.Table, *counting) {
	tb.Helper()
	c := &counting{DynamoDBAPI: dynamodb.New(dynamodb.Options{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: &endpoint, Retryer: aws.NopRetryer{},
	})}
	d := dynamotable.NewFromClient(c, doubles.Name("counted"))
	if err := d.CreateTable(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return table.New(d, table.Options{Clock: clk}), c
}

type lease struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Tick  int    `dynamo:"tick"`
	Until int64  `dynamo:"until"`
	TTL   int64  `dynamo:"ttl,omitempty"`
}

// The ordinary writes are one request each; only an update that an expired row may have stopped costs
// more.
func TestRequestsPerCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, url         string
		conflict, expired string
	}{
		// moto hands over the row that failed the condition, as the service does; dynalite never does.
		{"moto", doubles.Moto(t), "get 0 put 0 update 1 query 0 batch 0", "get 0 put 1 update 1 query 0 batch 0"},
		{"dynalite", doubles.Dynalite(t), "get 1 put 0 update 1 query 0 batch 0",
			"get 1 put 1 update 1 query 0 batch 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clk := clock.NewManual(time.Unix(1_000_000, 0))
			tbl, api := counted(t, c.url, clk)
			ctx := t.Context()
			k := table.Key{PK: "PART#0", SK: "-"}
			take := func(tick int) error {
				return tbl.Update(ctx, k, table.Update{
					Set: map[string]any{"tick": tick, "until": 200, "ttl": clk.Now().Unix() + 60},
					If:  []table.Cond{table.IfLess("tick", int64(tick)), table.IfLess("until", 300)},
				})
			}
			expect := func(what, want string, err error, kind fault.Kind) {
				t.Helper()
				if got := api.take(); got != want {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
				if kind == fault.Internal && err != nil || kind != fault.Internal && !fault.Is(err, kind) {
					t.Errorf("%s: %v", what, err)
				}
			}
			api.take()
			one := "get 0 put 0 update 1 query 0 batch 0"
			expect("update of nothing", one, take(1), fault.Internal)
			expect("update of a living row", one, take(2), fault.Internal)
			expect("an absent row might have passed", c.conflict, take(2), fault.Conflict)
			err := tbl.Update(ctx, k,
				table.Update{Set: map[string]any{"tick": 9}, If: []table.Cond{table.IfEqual("tick", 7)}})
			expect("an absent row would have failed", one, err, fault.Conflict)
			clk.Add(time.Hour)
			expect("update of an expired row", c.expired, take(1), fault.Internal)
			expect("conditional put", "get 0 put 1 update 0 query 0 batch 0",
				tbl.Put(ctx, &lease{PK: "a", SK: "b"}, table.IfAbsent()), fault.Internal)
			expect("failed put", "get 0 put 1 update 0 query 0 batch 0",
				tbl.Put(ctx, &lease{PK: "a", SK: "b"}, table.IfAbsent()), fault.Conflict)
			for _, failed := range tbl.Query(ctx, table.Query{PK: "a", Page: 1}) {
				err = failed
				break
			}
			expect("page", "get 0 put 0 update 0 query 1 batch 0", err, fault.Internal)
		})
	}
}

func TestErrorsAreClassified(t *testing.T) {
	t.Parallel()
	api := func(code, message string) error { return &smithy.GenericAPIError{Code: code, Message: message} }
	for _, c := range []struct {
		err  error
		kind fault.Kind
		code string
	}{
		{&types.ConditionalCheckFailedException{}, fault.Conflict, "condition_failed"},
		{api("ProvisionedThroughputExceededException", ""), fault.RateLimited, "throttled"},
		{api("ThrottlingException", ""), fault.RateLimited, "throttled"},
		{api("RequestLimitExceeded", ""), fault.RateLimited, "throttled"},
		{&types.ItemCollectionSizeLimitExceededException{}, fault.TooLarge, "row_too_large"},
		{api("ValidationException", "Item size has exceeded the maximum allowed size"), fault.TooLarge,
			"row_too_large"},
		{api("ValidationException", "Item size to update has exceeded the maximum allowed size"), fault.TooLarge,
			"row_too_large"},
		{api("ValidationException", "An operand in the update expression has an incorrect data type"), fault.Invalid,
			"bad_request"},
		{&types.ResourceNotFoundException{}, fault.Internal, "table_missing"},
		{api("InternalServerError", ""), fault.Unavailable, "storage_unavailable"},
		{api("AccessDeniedException", ""), fault.Unavailable, "storage_unavailable"},
		{errors.New("connection refused"), fault.Unavailable, "storage_unavailable"},
		{&smithy.CanceledError{Err: context.Canceled}, fault.Cancelled, "cancelled"},
		{fmt.Errorf("send: %w", context.DeadlineExceeded), fault.Cancelled, "cancelled"},
	} {
		wrapped := &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "PutItem", Err: c.err}
		d := dynamotable.NewFromClient(&counting{err: wrapped}, "t")
		row, err := table.NewRow(&lease{PK: "p", SK: "s"})
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = d.Write(t.Context(), table.WriteOp{Kind: table.OpPut, Key: row.Key, Row: row})
		if fault.KindOf(err) != c.kind || fault.CodeOf(err) != c.code {
			t.Errorf("%v became %v", c.err, err)
		}
	}
}

// Nothing is sent twice by the driver or the SDK: the portable type decides what may be.
func TestDriverDoesNotRetry(t *testing.T) {
	t.Parallel()
	c := &counting{err: &smithy.GenericAPIError{Code: "ThrottlingException"}}
	d := dynamotable.NewFromClient(c, "t")
	if _, _, _, err := d.Get(t.Context(), table.Key{PK: "p", SK: "s"}, true); !fault.Is(err, fault.RateLimited) ||
		c.gets.Load() != 1 {
		t.Errorf("%d requests: %v", c.gets.Load(), err)
	}
	closed := dynamotable.New(aws.Config{Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}, "t",
		func(o *dynamodb.Options) {
			if o.Retryer.MaxAttempts() != 1 {
				t.Errorf("the SDK would try %d times", o.Retryer.MaxAttempts())
			}
		})
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
}

// What a batch leaves over comes back as keys, and what was read is counted by the formula when the
// service does not say.
func TestBatchGetRest(t *testing.T) {
	t.Parallel()
	key := func(sk string) table.Item {
		return table.Item{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: sk}}
	}
	c := &counting{answer: &dynamodb.BatchGetItemOutput{
		Responses:       map[string][]map[string]types.AttributeValue{"t": {key("a")}},
		UnprocessedKeys: map[string]types.KeysAndAttributes{"t": {Keys: []map[string]types.AttributeValue{key("b")}}},
	}}
	d := dynamotable.NewFromClient(c, "t")
	rows, rest, u, err := d.BatchGet(t.Context(),
		[]table.Key{{PK: "p", SK: "a"}, {PK: "p", SK: "b"}, {PK: "p", SK: "c"}}, true)
	if err != nil || len(rows) != 1 || len(rest) != 1 || rest[0].SK != "b" || u.Read != 2 {
		t.Errorf("%v %v %v %v", rows, rest, u, err)
	}
}

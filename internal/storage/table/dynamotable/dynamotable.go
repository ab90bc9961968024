// Package dynamotable is the DynamoDB driver of the table seam, through guregu/dynamo. It retries
// nothing by itself: the portable table does, knowing what may be repeated.
//
// Batches use the client below guregu's: its own batches resend unprocessed entries without bound and
// without reporting it. guregu's Describe and Wait are never called: no page needs them here, they cost a
// request, and emulators implement them in part.
package dynamotable

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Driver is a DynamoDB table with the key attributes pk and sk. It implements table.Driver.
type Driver struct {
	db    *dynamo.DB
	api   dynamodbiface.DynamoDBAPI
	table dynamo.Table
	name  string
}

// New opens a table by name; nothing is sent. The SDK's own retries are off: one that repeats a write
// whose answer was lost would count an Add twice and report a condition failed that had held.
func New(cfg aws.Config, name string, options ...func(*dynamodb.Options)) *Driver {
	off := func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
	return NewFromClient(dynamodb.NewFromConfig(cfg, append([]func(*dynamodb.Options){off}, options...)...), name)
}

// NewFromClient is New over a client that must not retry by itself.
func NewFromClient(api dynamodbiface.DynamoDBAPI, name string) *Driver {
	db := dynamo.NewFromIface(api)
	return &Driver{db: db, api: api, table: db.Table(name), name: name}
}

// schema is the one key schema.
type schema struct {
	PK string `dynamo:"pk,hash"`
	SK string `dynamo:"sk,range"`
}

// CreateTable makes the table, on demand, and returns when it is active: for tests and rehearsals;
// deployed ones come from the template.
func (d *Driver) CreateTable(ctx context.Context) error {
	if err := d.db.CreateTable(d.name, schema{}).OnDemand(true).Run(ctx); err != nil {
		return classify("create table", err)
	}
	for wait := time.Millisecond; ; wait = min(2*wait, time.Second) {
		out, err := d.api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &d.name})
		if err != nil {
			return classify("create table", err)
		}
		if out.Table.TableStatus == types.TableStatusActive {
			return nil
		}
		select {
		case <-ctx.Done():
			return classify("create table", ctx.Err())
		case <-time.After(wait):
		}
	}
}

// Close implements table.Driver; there is nothing to close.
func (d *Driver) Close() error { return nil }

// Get implements table.Driver.
func (d *Driver) Get(ctx context.Context, k table.Key, consistent bool) (table.Row, bool, table.Usage, error) {
	var item table.Item
	var cc dynamo.ConsumedCapacity
	err := d.table.Get(table.PKAttr, k.PK).Range(table.SKAttr, dynamo.Equal, k.SK).
		Consistent(consistent).ConsumedCapacity(&cc).One(ctx, &item)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return table.Row{}, false, table.Usage{Read: table.ReadUnits(0, consistent)}, nil
	case err != nil:
		return table.Row{}, false, table.Usage{}, classify("get", err)
	}
	row := table.ItemRow(item)
	return row, true, table.Usage{Read: reported(cc, table.ReadUnits(row.Size(), consistent))}, nil
}

// reported returns what the service billed, or the formula's figure when it reports nothing.
func reported(cc dynamo.ConsumedCapacity, formula float64) float64 {
	if cc.Total > 0 {
		return cc.Total
	}
	return formula
}

// request writes a range as a query of exactly one request. between reports that the upper bound will be
// among the rows and is to be dropped.
func (d *Driver) request(r table.Range) (q *dynamo.Query, between bool) {
	q = d.table.Get(table.PKAttr, r.PK).Consistent(r.Consistent).RequestLimit(1)
	if r.Limit > 0 {
		q = q.SearchLimit(r.Limit) // unlike Limit, it never needs a description of the table
	}
	if r.Desc {
		q = q.Order(dynamo.Descending)
	}
	after := r.After
	switch {
	case r.Prefix != "":
		q = q.Range(table.SKAttr, dynamo.BeginsWith, r.Prefix)
	case r.From != "" && r.To != "" && r.Desc:
		// A key condition has one comparison. Downwards the open end is where to start.
		q = q.Range(table.SKAttr, dynamo.GreaterOrEqual, r.From)
		if after == "" {
			after = r.To
		}
	case r.From != "" && r.To != "":
		q = q.Range(table.SKAttr, dynamo.Between, r.From, r.To)
		between = true
	case r.From != "":
		q = q.Range(table.SKAttr, dynamo.GreaterOrEqual, r.From)
	case r.To != "":
		q = q.Range(table.SKAttr, dynamo.Less, r.To)
	}
	if after != "" {
		q = q.StartFrom(keyItem(table.Key{PK: r.PK, SK: after}))
	}
	return q, between
}

// Query implements table.Driver.
func (d *Driver) Query(ctx context.Context, r table.Range) (page table.Rows, u table.Usage, err error) {
	var cc dynamo.ConsumedCapacity
	q, between := d.request(r)
	size := 0
	iter := q.ConsumedCapacity(&cc).Iter()
	for {
		var item table.Item
		if !iter.Next(ctx, &item) {
			break
		}
		row := table.ItemRow(item)
		size += row.Size()
		if !between || row.Key.SK != r.To {
			page.Rows = append(page.Rows, row)
		}
	}
	if err := iter.Err(); err != nil {
		return table.Rows{}, u, classify("query", err)
	}
	last, err := iter.LastEvaluatedKey(ctx)
	if err != nil {
		return table.Rows{}, u, classify("query", err)
	}
	page.After = table.ItemRow(table.Item(last)).Key.SK
	if between && page.After >= r.To {
		page.After = ""
	}
	u.Read = reported(cc, table.ReadUnits(size, r.Consistent))
	return page, u, nil
}

var _ table.Driver = (*Driver)(nil)

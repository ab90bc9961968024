package dynamotable

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Scan implements table.Driver, in the order of the partition keys' hashes.
func (d *Driver) Scan(ctx context.Context, after table.Key, limit int, consistent bool) (rows []table.Row,
	next table.Key, u table.Usage, err error) {
	in := &dynamodb.ScanInput{TableName: &d.name, ConsistentRead: &consistent,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	if limit > 0 {
		in.Limit = aws.Int32(int32(min(limit, 1<<20)))
	}
	if after != (table.Key{}) {
		in.ExclusiveStartKey = keyItem(after)
	}
	out, err := d.api.Scan(ctx, in)
	if err != nil {
		return nil, next, u, classify("scan", err)
	}
	size := 0
	for _, item := range out.Items {
		row := table.ItemRow(item)
		rows = append(rows, row)
		size += row.Size()
	}
	u.Read = table.ReadUnits(size, consistent)
	if out.ConsumedCapacity != nil && out.ConsumedCapacity.CapacityUnits != nil {
		u.Read = *out.ConsumedCapacity.CapacityUnits
	}
	if len(out.LastEvaluatedKey) > 0 {
		next = table.ItemRow(out.LastEvaluatedKey).Key
	}
	return rows, next, u, nil
}

package dynamotable

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

func keyItem(k table.Key) table.Item {
	return table.Item{
		table.PKAttr: &types.AttributeValueMemberS{Value: k.PK},
		table.SKAttr: &types.AttributeValueMemberS{Value: k.SK},
	}
}

// BatchGet implements table.Driver: exactly one request.
func (d *Driver) BatchGet(ctx context.Context, keys []table.Key, consistent bool) (rows []table.Row, rest []table.Key,
	u table.Usage, err error) {
	wanted := types.KeysAndAttributes{Keys: make([]map[string]types.AttributeValue, len(keys)),
		ConsistentRead: &consistent}
	for i, k := range keys {
		wanted.Keys[i] = keyItem(k)
	}
	out, err := d.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems:           map[string]types.KeysAndAttributes{d.name: wanted},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return nil, nil, u, classify("batch get", err)
	}
	for _, item := range out.Responses[d.name] {
		row := table.ItemRow(item)
		rows = append(rows, row)
		u.Read += table.ReadUnits(row.Size(), consistent)
	}
	for _, key := range out.UnprocessedKeys[d.name].Keys {
		rest = append(rest, table.ItemRow(key).Key)
	}
	if absent := len(keys) - len(rows) - len(rest); absent > 0 {
		u.Read += float64(absent) * table.ReadUnits(0, consistent)
	}
	u.Read = capacity(out.ConsumedCapacity, u.Read)
	return rows, rest, u, nil
}

// capacity returns the units that the service reports, or the formula's if it does not.
func capacity(reported []types.ConsumedCapacity, formula float64) float64 {
	var sum float64
	for _, c := range reported {
		if c.CapacityUnits != nil {
			sum += *c.CapacityUnits
		}
	}
	if sum > 0 {
		return sum
	}
	return formula
}

// BatchWrite implements table.Driver: exactly one request.
func (d *Driver) BatchWrite(ctx context.Context, puts []table.Row, deletes []table.Key, _ int64) (restPuts []table.Row,
	restDeletes []table.Key, u table.Usage, err error) {
	requests := make([]types.WriteRequest, 0, len(puts)+len(deletes))
	byKey := make(map[table.Key]table.Row, len(puts))
	for _, r := range puts {
		item, err := r.Item()
		if err != nil {
			return nil, nil, u, err
		}
		byKey[r.Key] = r
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		u.Write += table.WriteUnits(0, r.Size())
	}
	for _, k := range deletes {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyItem(k)}})
		u.Write += table.WriteUnits(0, 0)
	}
	out, err := d.api.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{d.name: requests},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return nil, nil, table.Usage{}, classify("batch write", err)
	}
	for _, r := range out.UnprocessedItems[d.name] {
		switch {
		case r.PutRequest != nil:
			row := byKey[table.ItemRow(r.PutRequest.Item).Key]
			restPuts = append(restPuts, row)
			u.Write -= table.WriteUnits(0, row.Size())
		case r.DeleteRequest != nil:
			restDeletes = append(restDeletes, table.ItemRow(r.DeleteRequest.Key).Key)
			u.Write -= table.WriteUnits(0, 0)
		}
	}
	u.Write = capacity(out.ConsumedCapacity, u.Write)
	return restPuts, restDeletes, u, nil
}

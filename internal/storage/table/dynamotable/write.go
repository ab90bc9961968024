package dynamotable

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// expression collects a condition with its names ($) and values (?).
type expression struct {
	parts []string
	args  []any
}

func (e *expression) and(part string, args ...any) {
	e.parts = append(e.parts, part)
	e.args = append(e.args, args...)
}

func (e *expression) String() string { return strings.Join(e.parts, " AND ") }

// The two halves of expiry: ttl is in the past, or the row lives (or is not there at all).
const (
	expiredExpr = "('ttl' > ? AND 'ttl' <= ?)"
	liveExpr    = "(attribute_not_exists('ttl') OR 'ttl' = ? OR 'ttl' > ?)"
)

// conditions writes the seam's conditions over the attributes as they are.
func conditions(conds []table.Cond) (e expression) {
	for _, c := range conds {
		switch {
		case c.Kind == table.CondAbsent:
			e.and("attribute_not_exists('pk')")
		case c.Kind == table.CondPresent:
			e.and("attribute_exists('pk')")
		case c.Value == nil:
			e.and("attribute_not_exists($)", c.Field)
		default:
			op := "="
			if c.Kind == table.CondLess {
				op = "<"
			}
			if c.MatchesAbsent() {
				e.and("(attribute_not_exists($) OR $ "+op+" ?)", c.Field, c.Field, c.Value)
			} else {
				e.and("$ "+op+" ?", c.Field, c.Value)
			}
		}
	}
	return e
}

// condition is the whole condition of a put or delete. An expired row counts as absent: where all
// conditions hold for an absent row an expired one passes, else the row must live. (AND binds before OR;
// parentheses that are not needed are an error of their own.)
func condition(conds []table.Cond, now int64) (string, []any) {
	e := conditions(conds)
	if table.AllMatchAbsent(conds) {
		return e.String() + " OR " + expiredExpr, append(e.args, 0, now)
	}
	e.and(liveExpr, 0, now)
	return e.String(), e.args
}

// Write implements table.Driver.
func (d *Driver) Write(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	switch op.Kind {
	case table.OpPut:
		u, err = d.put(ctx, op)
	case table.OpDelete:
		u, err = d.delete(ctx, op)
	case table.OpUpdate:
		return d.update(ctx, op)
	}
	return row, false, u, err
}

func (d *Driver) put(ctx context.Context, op table.WriteOp) (u table.Usage, err error) {
	item, err := op.Row.Item()
	if err != nil {
		return u, err
	}
	var cc dynamo.ConsumedCapacity
	put := d.table.Put(item).ConsumedCapacity(&cc).IncludeItemInCondCheckFail(true)
	if len(op.Conds) > 0 {
		expr, args := condition(op.Conds, op.Now)
		put = put.If(expr, args...)
	}
	return written(op.Key, "put", put.Run(ctx), cc, op.Row.Size())
}

func (d *Driver) delete(ctx context.Context, op table.WriteOp) (u table.Usage, err error) {
	var cc dynamo.ConsumedCapacity
	del := d.table.Delete(table.PKAttr, op.Key.PK).Range(table.SKAttr, op.Key.SK).
		ConsumedCapacity(&cc).IncludeItemInCondCheckFail(true)
	if len(op.Conds) > 0 {
		expr, args := condition(op.Conds, op.Now)
		del = del.If(expr, args...)
	}
	return written(op.Key, "delete", del.Run(ctx), cc, 0)
}

// written classifies the outcome of a write and returns its units. A failed condition is billed by the
// row that was found, which the service hands over; it does not report the units then.
func written(k table.Key, op string, err error, cc dynamo.ConsumedCapacity, size int) (table.Usage, error) {
	switch {
	case err == nil:
		return table.Usage{Write: reported(cc, table.WriteUnits(0, size))}, nil
	case dynamo.IsCondCheckFailed(err):
		found, _ := foundRow(err)
		return table.Usage{Write: table.WriteUnits(found.Size(), 0)}, table.Failed(k)
	}
	return table.Usage{}, classify(op, err)
}

// foundRow returns the row that failed a condition; some emulators never return it.
func foundRow(err error) (table.Row, bool) {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) && failed.Item != nil {
		return table.ItemRow(failed.Item), true
	}
	return table.Row{}, false
}

// maxRounds bounds an update that meets an expired row which others keep changing.
const maxRounds = 5

// update changes attributes. On a live or absent row it is one request, guarded against a row that
// has expired; only when that guard may have been what failed is the row looked at, and an expired one
// replaced as a whole on condition that it is expired still.
func (d *Driver) update(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	for range maxRounds {
		row, ok, used, err := d.updateLive(ctx, op)
		u = u.Plus(used)
		if !dynamo.IsCondCheckFailed(err) {
			if err != nil {
				err = classify("update", err)
			}
			return row, ok, u, err
		}
		if !table.AllMatchAbsent(op.Conds) { // an absent row would have failed as well
			return row, false, u, table.Failed(op.Key)
		}
		found, known := foundRow(err)
		if !known {
			var exists bool
			if found, exists, used, err = d.Get(ctx, op.Key, true); err != nil {
				return row, false, u, err
			}
			u = u.Plus(used)
			if !exists || table.Holds(op.Conds, found, true, op.Now) && !found.Expired(op.Now) {
				continue // it changed meanwhile: try again
			}
		}
		if !found.Expired(op.Now) {
			return row, false, u, table.Failed(op.Key)
		}
		row, done, used, err := d.replaceExpired(ctx, op)
		u = u.Plus(used)
		if err != nil || done {
			return row, op.Return == table.ReturnNew && err == nil, u, err
		}
	}
	return row, false, u, fault.New(fault.RateLimited, "contended", "dynamotable: update", nil)
}

// updateLive is the one request of an ordinary update; its error is the service's own.
func (d *Driver) updateLive(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	var cc dynamo.ConsumedCapacity
	up := d.table.Update(table.PKAttr, op.Key.PK).Range(table.SKAttr, op.Key.SK).
		ConsumedCapacity(&cc).IncludeItemInCondCheckFail(true)
	for _, a := range op.Set {
		up = up.Set(quote(a.Field), a.Value)
	}
	for _, a := range op.SetIfMissing {
		up = up.SetIfNotExists(quote(a.Field), a.Value)
	}
	for _, a := range op.Add {
		up = up.Add(quote(a.Field), a.N)
	}
	for _, f := range op.Remove {
		up = up.Remove(quote(f))
	}
	e := conditions(op.Conds)
	e.and(liveExpr, 0, op.Now)
	up = up.If(e.String(), e.args...)
	var item table.Item
	switch op.Return {
	case table.ReturnOld:
		err = up.OldValue(ctx, &item)
	case table.ReturnNew:
		err = up.Value(ctx, &item)
	default:
		err = up.Run(ctx)
	}
	if err != nil {
		if dynamo.IsCondCheckFailed(err) {
			found, _ := foundRow(err)
			u.Write = table.WriteUnits(found.Size(), 0)
		}
		return row, false, u, err
	}
	if item != nil {
		row, ok = table.ItemRow(item), true
	}
	u.Write = reported(cc, table.WriteUnits(row.Size(), 0))
	return row, ok, u, nil
}

// quote lets guregu replace the name by a placeholder, so that no reserved word can hurt.
func quote(field string) string { return "'" + field + "'" }

// replaceExpired puts what the update makes of nothing; done is false when the row is expired no more.
func (d *Driver) replaceExpired(ctx context.Context, op table.WriteOp) (row table.Row, done bool,
	u table.Usage, err error) {
	row, err = op.Updated(table.Row{}, false)
	if err != nil {
		return row, false, u, err
	}
	item, err := row.Item()
	if err != nil {
		return row, false, u, err
	}
	var cc dynamo.ConsumedCapacity
	err = d.table.Put(item).If(expiredExpr, 0, op.Now).ConsumedCapacity(&cc).IncludeItemInCondCheckFail(true).Run(ctx)
	u, err = written(op.Key, "update", err, cc, row.Size())
	if fault.Is(err, fault.Conflict) {
		return row, false, u, nil
	}
	return row, err == nil, u, err
}

package faults

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// sabotaged asks the world's saboteur whether a write is to be left out although it reports success. It works with
// or without faults: what it does is a mistake of ours, not of a service.
func (w *World) sabotaged(op string, k table.Key, set []table.Assign) bool {
	return w.o.Sabotage != nil && w.o.Sabotage(op, k, set)
}

// doubled tells the saboteur of a row that was put.
func (w *World) doubled(ctx context.Context, row table.Row) {
	if w.o.Double != nil {
		w.o.Double(ctx, w.Mem, row)
	}
}

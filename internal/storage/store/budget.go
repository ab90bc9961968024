package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// BudgetRow says how much longer polling periods are in a month, because its bill came near the owner's limit. It is
// written when that changes: there is none without a limit, or while the bill is far from it.
type BudgetRow struct {
	rowKey

	Month string  `dynamo:"month"` // of UTC, 2026-11
	Slow  int32   `dynamo:"slow"`  // the factor of periods
	Spent float64 `dynamo:"spent"` // USD of the month, when that was decided at At, in Unix seconds
	Limit float64 `dynamo:"limit"` // USD a month
	At    int64   `dynamo:"at"`
}

const budgetName = "budget"

// Budget reads and writes that row.
type Budget struct {
	t      *table.Table
	damage *damage
}

// Get reads the row; the zero row when there is none, or a damaged one.
func (s *Budget) Get(ctx context.Context) (BudgetRow, error) {
	row, err := getOrZero[BudgetRow](ctx, s.t, systemKey(budgetName))
	if IsDamaged(err) {
		s.damage.found(systemKey(budgetName), err)
		return BudgetRow{}, nil
	}
	return row, err
}

// Put writes the row.
func (s *Budget) Put(ctx context.Context, row BudgetRow) error {
	return put(ctx, s.t, systemKey(budgetName), &row)
}

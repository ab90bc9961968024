package webhook

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
)

// TellBudget sends the message that the month's bill makes polling slower. The row about it may be written after.
func (n Notifier) TellBudget(ctx context.Context) error {
	return n.send(ctx, job.Job{Kind: job.Trouble, Event: EventBudget}, time.Minute)
}

// budgetBody returns the body about this month's bill; nil when polling is not slower.
func (s *Service) budgetBody(ctx context.Context, j job.Job) (*Body, error) {
	row, err := s.store.Budget.Get(ctx)
	if err != nil || row.Slow <= 1 || row.Month != s.clock.Now().UTC().Format("2006-01") {
		return nil, err
	}
	return &Body{Event: EventBudget, Delivery: deliveryID(j.Hook, EventBudget, row.Month, row.Slow), Items: []Item{},
		Budget: &Budget{Month: row.Month, Spent: row.Spent, Limit: row.Limit, Slow: row.Slow,
			Percent: int(100 * row.Spent / row.Limit)}}, nil
}

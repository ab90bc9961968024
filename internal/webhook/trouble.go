package webhook

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// troubleOf returns the event that a feed's state is; empty while there is nothing to tell.
func troubleOf(f *store.FeedRow) string {
	switch {
	case f.IsWatch() && (f.IsStopped() || f.IsSuspect()):
		return EventProblem
	case !f.IsWatch() && f.IsStopped():
		return EventStopped
	}
	return ""
}

// tellTrouble sends a message for each webhook that wants to know that a feed has stopped, or that a watch has a
// problem.
func (s *Service) tellTrouble(ctx context.Context, id reader.FeedID) error {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	event := troubleOf(f)
	if event == "" {
		return nil // it has passed
	}
	subs, err := s.store.Subscriptions.Subscribers(ctx, id)
	if err != nil {
		return err
	}
	var jobs []job.Job
	for _, sub := range subs {
		list, err := s.wanting(ctx, event, job.Job{User: sub.User, Feeds: []reader.FeedID{id}})
		if err != nil {
			return err
		}
		jobs = append(jobs, list...)
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// wanting returns a message like j for each webhook of its user that is on and wants an event.
func (s *Service) wanting(ctx context.Context, event string, j job.Job) (jobs []job.Job, err error) {
	hooks, err := s.store.Webhooks.List(ctx, j.User)
	for _, h := range hooks {
		if h.On() && *flag(h, event) {
			j.Kind, j.Hook = job.Hook, h.Hook()
			jobs = append(jobs, j)
		}
	}
	return jobs, err
}

// TellServer sends the message that the server has a problem, which its rows tell.
func (n Notifier) TellServer(ctx context.Context) error {
	return n.send(ctx, job.Job{Kind: job.Trouble, Event: EventServer}, 0)
}

// TellBudget sends the message that the month's bill makes polling slower. The row about it may be written after.
func (n Notifier) TellBudget(ctx context.Context) error {
	return n.send(ctx, job.Job{Kind: job.Trouble, Event: EventBudget}, time.Minute)
}

// tellOwner sends a message for each webhook of the owner's that wants to know of an event of the server.
func (s *Service) tellOwner(ctx context.Context, event string) error {
	owner, err := s.store.Accounts.Owner(ctx)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	jobs, err := s.wanting(ctx, event, job.Job{User: owner.ID(), Event: event})
	if err != nil {
		return err
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// serverBody returns the body about the server's problem; nil when it has passed.
func (s *Service) serverBody(ctx context.Context, j job.Job) (*Body, error) {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || site.BackupFailed == 0 {
		return nil, err
	}
	return &Body{
		Event: EventServer, Delivery: deliveryID(j.Hook, EventServer, site.BackupFailed), Items: []Item{},
		Problem: &Problem{Code: site.BackupWhy, Category: "backup", Since: rfc3339(site.BackupFailed)},
	}, nil
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

// troubleBody returns the body about a feed's trouble; nil when it has passed. Its delivery is named after the
// trouble's beginning, so that each is reported once.
func (s *Service) troubleBody(ctx context.Context, j job.Job, f *store.FeedRow) (*Body, error) {
	event := troubleOf(f)
	own, err := s.store.Subscriptions.Get(ctx, j.User, f.ID())
	if err != nil || event == "" {
		return nil, fault.Ignore(err, fault.NotFound) // unsubscribed
	}
	p := &Problem{
		Code: f.ErrCode, Category: reader.CategoryOf(f.ErrCode), Since: rfc3339(f.ErrSince), IsStopped: f.IsStopped(),
	}
	if next := f.NextCheck(s.clock.Now()); !next.IsZero() {
		at := rfc3339(next.Unix())
		p.NextCheck = &at
	}
	return &Body{
		Event: event, Delivery: deliveryID(j.Hook, event, f.ID(), f.ErrSince, f.IsStopped()), Items: []Item{},
		Problem: p, Feed: bodyFeed(f, own),
	}, nil
}

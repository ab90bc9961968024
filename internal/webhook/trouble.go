package webhook

import (
	"cmp"
	"context"

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
		hooks, err := s.store.Webhooks.List(ctx, sub.User)
		if err != nil {
			return err
		}
		for _, h := range hooks {
			if h.On() && (event == EventStopped && h.Stopped || event == EventProblem && h.Problem) {
				jobs = append(jobs, job.Job{Kind: job.Hook, User: sub.User, Hook: h.Hook(), Feeds: []reader.FeedID{id}})
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// troubleBody returns the body about a feed's trouble; nil when it has passed. Its delivery is named after the
// trouble's beginning, so that each is told once.
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
	id := f.ID()
	return &Body{
		Event: event, Delivery: deliveryID(j.Hook, event, id, f.ErrSince, f.IsStopped()), Items: []Item{}, Problem: p,
		Feed: &BodyFeed{ID: id.String(), Title: cmp.Or(own.Title, f.DisplayTitle()), SiteURL: f.Site},
	}, nil
}

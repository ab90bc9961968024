// Package orchestrate turns a tick into messages: it reads the feed rows, groups those that have their turn by part of
// the hosts, and sends one message for each part. It writes nothing and polls nothing.
package orchestrate

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Orchestrator plans ticks.
type Orchestrator struct {
	store *store.Store
	queue job.Sender
	parts int
	// indexes says that the index of searches is to be kept by the clock.
	indexes bool
	counts  Counting
	// Limited sends the job that compares the month's bill with its limit.
	Limited bool
}

// Counting says when a cycle of counts is to begin: a popular.Service.
type Counting interface {
	// Next returns nil where none is due in a tick.
	Next(ctx context.Context, t schedule.Tick, now time.Time) (*job.CountsDue, error)
}

// New returns an orchestrator. parts is the number of parts of the hosts; 0 derives it from the number of feeds.
// indexes sends the jobs that keep the index of searches. counts may be nil.
func New(s *store.Store, q job.Sender, parts int, indexes bool, counts Counting) *Orchestrator {
	return &Orchestrator{store: s, queue: q, parts: parts, indexes: indexes, counts: counts}
}

// Run plans the tick that an event of the scheduler is for and sends its messages. fired is the event's own time,
// because an event may be late.
func (o *Orchestrator) Run(ctx context.Context, fired time.Time) ([]job.Job, error) {
	t := schedule.TickOf(fired)
	var due *job.CountsDue
	if o.counts != nil {
		var err error
		if due, err = o.counts.Next(ctx, t, fired); err != nil {
			return nil, err
		}
	}
	jobs, s, err := o.plan(ctx, t, due)
	if err != nil {
		return nil, err
	}
	messages := slices.Clip(jobs)
	if len(s.cleaned) > 0 && cleanupDue(t, s.cleaned[0]) {
		messages = append(messages, job.Job{Kind: job.Cleanup, Tick: t})
	}
	if due != nil && s.feeds > 0 && len(due.Begin.Feeds) >= due.From {
		messages = append(messages, due.Begin)
	}
	if o.Limited && s.feeds > 0 && t%billEvery == billEvery/2 {
		messages = append(messages, job.Job{Kind: job.Budget})
	}
	if err := job.Send(ctx, o.queue, 0, messages...); err != nil {
		return nil, err
	}
	if o.indexes && indexDue(t, s.feeds) {
		// In the middle of the tick, so that no crawl waits for it.
		err = job.Send(ctx, o.queue, schedule.TickLength/2, job.Job{Kind: job.Index})
	}
	return jobs, err
}

// billEvery is how often the month's bill is computed, if it has a limit: in a quarter of a day no bill runs away, and
// each time the rows of all the month's runs are read.
const billEvery = schedule.TicksPerDay / 4

// How often the index of searches is brought up to date: nightly, with manyFeeds every six hours, with mostFeeds
// hourly.
const (
	manyFeeds = 500
	mostFeeds = 2000
)

// indexDue reports whether the index is brought up to date in a tick: after that in which the cleanup begins.
func indexDue(t schedule.Tick, feeds int) bool {
	every := schedule.TicksPerDay
	switch {
	case feeds >= mostFeeds:
		every /= 24
	case feeds >= manyFeeds:
		every /= 4
	}
	return t > 0 && feeds > 0 && t%every == 1
}

// cleanupDue reports whether the day's cleanup is still to be done: from the day's second tick on, when what was begun
// the day before has ended, and in each tick again until it is noted as done.
func cleanupDue(t schedule.Tick, cleaned int32) bool {
	return t > 0 && t%schedule.TicksPerDay > 0 && cleaned < schedule.DayOf(t)
}

// Plan returns the messages of a tick, from the feed rows and the leases.
func (o *Orchestrator) Plan(ctx context.Context, t schedule.Tick) ([]job.Job, error) {
	jobs, _, err := o.plan(ctx, t, nil)
	return jobs, err
}

// state is the other data that a plan has read.
type state struct {
	feeds   int
	cleaned []int32 // for each part the day up to which its lease says that the cleanup has run
}

// plan is Plan with the state. It adds the feeds with new items, and those never to be asked for, to the message that
// begins a cycle of counts, if one is due.
func (o *Orchestrator) plan(ctx context.Context, t schedule.Tick, due *job.CountsDue) (_ []job.Job,
	s state, err error) {
	if s.feeds, err = o.store.Feeds.Count(ctx); err != nil || s.feeds == 0 {
		return nil, s, err
	}
	n := job.Parts(o.parts, s.feeds)
	leases := make([]store.LeaseRow, n)
	for p := range n {
		if leases[p], err = o.store.Leases.Get(ctx, p); err != nil {
			return nil, s, err
		}
		s.cleaned = append(s.cleaned, leases[p].Cleaned)
	}
	since, taken := sinceWhen(leases, t)
	if taken {
		return nil, s, nil
	}
	jobs := make([]job.Job, n)
	last := make([]schedule.Tick, n)
	for p, lease := range leases {
		jobs[p] = job.Job{Kind: job.Scheduled, Tick: t, Part: p, Parts: n, Since: since}
		// A lease from another number of parts says nothing about these hosts: feeds that missed a turn then wait for
		// the next, because they may have been polled in another part.
		if claimed := schedule.Tick(lease.Tick); claimed >= since {
			last[p] = claimed
		}
	}
	oldest := oldestOf(last)
	err = o.store.Feeds.EachUpTo(ctx, s.feeds, func(f *store.FeedRow) error {
		switch {
		case due == nil:
		case f.IsUncountable():
			due.Begin.Except = append(due.Begin.Except, f.ID())
		case reader.Minute(f.Stamp) > due.Arrived:
			due.Begin.Feeds = append(due.Begin.Feeds, f.ID())
		}
		if !f.HalfMerged() && (!f.HasTurns() || job.TurnOf(f.Turns(), f.Fresh(), oldest, t) == job.NoTurn) {
			return nil // most feeds; found without parsing the address
		}
		p := job.PartOf(f.URL, n)
		if f.HalfMerged() {
			// Not polled: the worker moves the rest of its subscribers.
			jobs[p].Late = append(jobs[p].Late, f.ID())
			return nil
		}
		switch job.TurnOf(f.Turns(), f.Fresh(), last[p], t) {
		case job.OnTurn:
			jobs[p].Feeds = append(jobs[p].Feeds, f.ID())
		case job.Late:
			jobs[p].Late = append(jobs[p].Late, f.ID())
		}
		return nil
	})
	if err != nil {
		return nil, s, err
	}
	return slices.DeleteFunc(jobs, func(j job.Job) bool { return len(j.Feeds)+len(j.Late) == 0 }), s, nil
}

// sinceWhen returns the tick since which the hosts have as many parts as there are leases, and whether t was already
// claimed under another number: the scheduler's event may come twice, before and after a change.
func sinceWhen(leases []store.LeaseRow, t schedule.Tick) (since schedule.Tick, taken bool) {
	var newest store.LeaseRow
	for _, l := range leases {
		if l.Parts > 0 && l.Tick >= newest.Tick {
			newest = l
		}
	}
	if newest.Parts == 0 || int(newest.Parts) == len(leases) {
		return schedule.Tick(newest.Since), false
	}
	return t, schedule.Tick(newest.Tick) >= t
}

// oldestOf returns the earliest of the last ticks that the parts claimed: a feed that was not due since is not due.
func oldestOf(last []schedule.Tick) schedule.Tick {
	oldest := schedule.Tick(0)
	for _, t := range last {
		if t > 0 && (oldest == 0 || t < oldest) {
			oldest = t
		}
	}
	return oldest
}

// Package orchestrate turns a tick into messages: it reads the feed rows, groups those that have their turn by part of the
// hosts, and sends one message for each part. It writes nothing and polls nothing.
package orchestrate

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Orchestrator plans ticks.
type Orchestrator struct {
	store *store.Store
	queue job.Sender
	parts int
}

// New returns an orchestrator. parts is the number of parts of the hosts; 0 derives it from the number of feeds.
func New(s *store.Store, q job.Sender, parts int) *Orchestrator {
	return &Orchestrator{store: s, queue: q, parts: parts}
}

// Run plans the tick that an event of the scheduler is for and sends its messages. fired is the event's own time, because an
// event may be late.
func (o *Orchestrator) Run(ctx context.Context, fired time.Time) ([]job.Job, error) {
	t := schedule.TickOf(fired)
	jobs, cleaned, err := o.plan(ctx, t)
	if err != nil {
		return nil, err
	}
	messages := slices.Clip(jobs)
	if len(cleaned) > 0 && cleanupDue(t, cleaned[0]) {
		messages = append(messages, job.Job{Kind: job.Cleanup, Tick: t})
	}
	return jobs, job.Send(ctx, o.queue, 0, messages...)
}

// cleanupDue reports whether the day's cleanup is still to be done: from the day's second tick on, when what was begun
// the day before has ended, and in each tick again until it is noted as done.
func cleanupDue(t schedule.Tick, cleaned int32) bool {
	return t > 0 && t%schedule.TicksPerDay > 0 && cleaned < schedule.DayOf(t)
}

// Plan returns the messages of a tick, from the feed rows and the leases.
func (o *Orchestrator) Plan(ctx context.Context, t schedule.Tick) ([]job.Job, error) {
	jobs, _, err := o.plan(ctx, t)
	return jobs, err
}

// plan is Plan, and the day up to which the parts' leases say that the cleanup has run.
func (o *Orchestrator) plan(ctx context.Context, t schedule.Tick) (_ []job.Job, cleaned []int32, _ error) {
	count, err := o.store.Feeds.Count(ctx)
	if err != nil || count == 0 {
		return nil, nil, err
	}
	n := job.Parts(o.parts, count)
	leases := make([]store.LeaseRow, n)
	for p := range n {
		if leases[p], err = o.store.Leases.Get(ctx, p); err != nil {
			return nil, nil, err
		}
		cleaned = append(cleaned, leases[p].Cleaned)
	}
	since, taken := sinceWhen(leases, t)
	if taken {
		return nil, cleaned, nil
	}
	jobs := make([]job.Job, n)
	last := make([]schedule.Tick, n)
	for p, lease := range leases {
		jobs[p] = job.Job{Kind: job.Scheduled, Tick: t, Part: p, Parts: n, Since: since}
		// A lease from another number of parts says nothing about these hosts: feeds that missed a turn then wait for the
		// next, because they may have been polled in another part.
		if claimed := schedule.Tick(lease.Tick); claimed >= since {
			last[p] = claimed
		}
	}
	oldest := oldestOf(last)
	err = o.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.HalfMerged() && (!f.Live() || job.TurnOf(f.Turns(), f.Fresh(), oldest, t) == job.NoTurn) {
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
		return nil, nil, err
	}
	return slices.DeleteFunc(jobs, func(j job.Job) bool { return len(j.Feeds)+len(j.Late) == 0 }), cleaned, nil
}

// sinceWhen returns the tick since which the hosts have as many parts as there are leases, and whether t was already claimed
// under another number: the scheduler's event may come twice, before and after a change.
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

// oldestOf returns the oldest tick that any part claimed last: what is not due since then is not due.
func oldestOf(last []schedule.Tick) schedule.Tick {
	oldest := schedule.Tick(0)
	for _, t := range last {
		if t > 0 && (oldest == 0 || t < oldest) {
			oldest = t
		}
	}
	return oldest
}

// Package orchestrate turns a tick into messages: it reads the feed rows, takes those that have their
// turn, groups them by part of hosts and sends one message a part. It writes nothing and polls nothing.
package orchestrate

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Sender takes messages for the crawlers.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Orchestrator plans ticks.
type Orchestrator struct {
	store *store.Store
	queue Sender
	parts int
}

// New makes an orchestrator. parts fixes the number of parts of hosts; 0 lets it follow the feeds.
func New(s *store.Store, q Sender, parts int) *Orchestrator {
	return &Orchestrator{store: s, queue: q, parts: parts}
}

// Run plans the tick that a schedule fired for and sends its messages. The tick comes from the
// event's own time, never from now: a late event is still that tick's.
func (o *Orchestrator) Run(ctx context.Context, fired time.Time) ([]job.Job, error) {
	t := schedule.TickOf(fired)
	jobs, tidied, err := o.plan(ctx, t)
	if err != nil {
		return nil, err
	}
	var bodies [][]byte
	for _, j := range jobs {
		bodies = append(bodies, j.Encode())
	}
	if len(tidied) > 0 && tidyDue(t, tidied[0]) {
		bodies = append(bodies, job.Job{Kind: job.Tidy, Tick: t}.Encode())
	}
	if len(bodies) == 0 {
		return nil, nil
	}
	return jobs, o.queue.Send(ctx, bodies, 0)
}

// tidyDue tells whether the day's tidying is still to be done: from the day's second tick on, when what was begun
// the day before has ended, and in each tick again until it is noted as done.
func tidyDue(t schedule.Tick, tidied int32) bool {
	return t > 0 && t%schedule.TicksPerDay > 0 && tidied < schedule.DayOf(t)
}

// Plan works out a tick: a pure function of the feed rows and the leases.
func (o *Orchestrator) Plan(ctx context.Context, t schedule.Tick) ([]job.Job, error) {
	jobs, _, err := o.plan(ctx, t)
	return jobs, err
}

// plan is Plan, and the day up to which the parts' leases say that all is tidied.
func (o *Orchestrator) plan(ctx context.Context, t schedule.Tick) (_ []job.Job, tidied []int32, _ error) {
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
		tidied = append(tidied, leases[p].Tidied)
	}
	since, taken := sinceWhen(leases, t)
	if taken {
		return nil, tidied, nil
	}
	jobs := make([]job.Job, n)
	last := make([]schedule.Tick, n)
	for p, lease := range leases {
		jobs[p] = job.Job{Kind: job.Scheduled, Tick: t, Part: p, Parts: n, Since: since}
		// What a part of another number claimed says nothing about these hosts: who missed a turn then waits for the
		// next, for it may have been polled in another part.
		if claimed := schedule.Tick(lease.Tick); claimed >= since {
			last[p] = claimed
		}
	}
	oldest := oldestOf(last)
	err = o.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		halfMerged := f.MergedInto > 0 && f.Subs > 0
		if !halfMerged && (!f.Live() || job.TurnOf(f.Turns(), f.Fresh(), oldest, t) == job.NoTurn) {
			return nil // the rule, found out without looking at the address
		}
		p := job.PartOf(f.URL, n)
		if halfMerged {
			// Not polled: the worker carries the rest of its subscribers over.
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
	return slices.DeleteFunc(jobs, func(j job.Job) bool { return len(j.Feeds)+len(j.Late) == 0 }), tidied, nil
}

// sinceWhen gives the tick since which the hosts are split into as many parts as there are leases, and whether t was
// claimed already by a part of another number: the schedule's event may come twice, before and after a change.
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

// oldestOf gives the oldest tick that any part claimed last: what is not due since then is not due.
func oldestOf(last []schedule.Tick) schedule.Tick {
	oldest := schedule.Tick(0)
	for _, t := range last {
		if t > 0 && (oldest == 0 || t < oldest) {
			oldest = t
		}
	}
	return oldest
}
